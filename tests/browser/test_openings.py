"""What comes with a certificate: headline, opened proof, its file and the stand-alone checker have the same numbers.

The exact checker takes minutes for Leukemia's 12,582 columns, and half a minute for raw CBCL images: there the
numbers are read from the file alone. Certificates that no data set opens with: ``pages/test_certificate.py``.
"""

import re
import subprocess
import sys
import zipfile

import pytest

import nnspca
from nnspca.result import rounded
from nnspca.view import stored
from nnspca.view.certificate.proofs import file_of
from tests.browser.page import player, quiet, saved

pytestmark = [pytest.mark.browser, pytest.mark.heavy]
LONG = ("leukemia", "cbcl-faces-raw")
OPENINGS = [(held.name, held.problem[1], held.opening) for held in stored.problems().values() if held.opened]
NUMBERS = re.compile(r": (\S+) is attained.*has more than (\S+); ratio", re.DOTALL)


@pytest.mark.parametrize("name, standardise, k", OPENINGS)
def test_headline_proof_file_and_checker_have_the_same_numbers(visit, name, standardise, k, tmp_path):
    if not {info.name: info.local for info in nnspca.datasets.available()}[name]:
        pytest.skip(f"{name} is not on this machine")
    page = quiet(visit(f"/?data={name}&k={k}&proof=true"))
    headline = player(page, k).locator("[data-say=words]").inner_text().replace("\xa0", " ")
    claim = page.get_by_text("What was proven.").locator("xpath=..").inner_text()
    command = page.get_by_text(re.compile(r"^python check")).inner_text().split()
    file = saved(page, "Certificate (NPZ)", tmp_path)
    assert file.read_bytes() == file_of(name, standardise, k).read_bytes() and file.name in command
    zipfile.ZipFile(saved(page, "All that checks it (ZIP)", tmp_path)).extractall(tmp_path)
    proof = nnspca.load_certificate(file)
    lower, upper = proof.lower, proof.upper
    if name not in LONG:
        done = subprocess.run([sys.executable, *command[1:]], cwd=tmp_path, capture_output=True, text=True, check=True)
        lower, upper = map(float, NUMBERS.search(done.stdout).groups())
    total = nnspca.Covariance.from_dataset(nnspca.datasets.load(name), standardize=standardise).trace
    assert all(number in claim for number in rounded.pair(lower, upper))
    assert rounded.percent(lower / total, rounded.decimals(lower, upper, total)) in headline
    words = "proven optimal" if rounded.optimal(lower, upper) else rounded.proven_share(lower, upper)
    assert words in headline and words in claim
