"""What adding.md says is done: its pieces go into a copy of the repository, and there pass what all others must."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nnspca.certificates.derivations import DERIVATIONS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "nnspca" / "docs" / "architecture" / "adding.md"
PLACE = re.compile(r"^# ((?:nnspca|pages|tests)/[\w/]+\.\w+)(?:, (after|before|in place of): (.+))?\n", re.M)
BOUND = """
import sys
import nnspca
from nnspca.certificates.derivations import DERIVATIONS
from tests import oracle
from tests.fuzz import forged, generator
(kind,) = (kind for kind in DERIVATIONS if kind.__name__ not in sys.argv)
forged.POOL = 4
let_in = sum(forged.attempt(generator("forged", number), (kind,)) for number in range(300))
assert 0 < let_in < 300
cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops"))
assert kind in {type(bound.ingredients) for bound in oracle.read_back(nnspca.certify(cov, 6), cov).bounds}
"""
EXPLORE = """
from streamlit.testing.v1 import AppTest
page = AppTest.from_file("pages/explore.py", default_timeout=100)
page.query_params["data"] = "pitprops"
page.run()
assert not page.exception, page.exception
assert any("Seconds of each k" in str(chart.proto) for chart in page.get("plotly_chart"))
"""


def put(piece: str, path: Path, how: str | None, anchor: str) -> None:
    """Write a piece of code to its place; with an anchor beside the first line that holds it, or in place of that."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    if how is None:
        start, end = len(lines), len(lines)
        piece = f"\n\n{piece}" if lines and path.suffix == ".py" else f"\n{piece}" if lines else piece
    else:
        at = next(i for i, line in enumerate(lines) if anchor in line)
        start, end = at + (how == "after"), at + (how != "before")
    lines[start:end] = piece.splitlines()
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The repository with all that the page adds, and the files it names."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("nnspca", "pages", "tests", ".streamlit", "assets"):  # and what is compiled, unless it is just being
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.pyc.*"))
    for name in ("app.py", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder)
    touched = []
    for block in re.findall(r"^```(?:py|toml)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S):
        _, *parts = PLACE.split(block)
        for path, how, anchor, piece in zip(*(parts[i::4] for i in range(4)), strict=True):
            touched.append(path)
            put(f"{piece.rstrip()}", folder / path, how, anchor)
    assert len(touched) > 10
    return folder, sorted({path for path in touched if path.endswith(".py")})


def run(folder, *command):
    environment = {**os.environ, "PYTHONPATH": str(folder), "NNSPCA_PROCESSES": "0"}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


@pytest.mark.parametrize(("title", "most"), [("A bound", 6), ("A solver", 3), ("A data set", 2), ("A chart", 2)])
def test_what_is_added_takes_few_files(title, most):
    text = PAGE.read_text(encoding="utf-8").partition(f"\n## {title}")[2].partition("\n## ")[0]
    assert 1 < len({path for path, *_ in PLACE.findall(text)}) <= most


def test_what_is_added_is_written_as_all_else(copy):
    folder, touched = copy
    run(folder, "-m", "ruff", "check", *touched)
    run(folder, "-m", "ruff", "format", "--check", *touched)


def test_a_proof_of_a_type_of_its_own_is_made_judged_and_kept_in_a_file_and_none_that_is_forged_gets_through(copy):
    run(copy[0], "-c", BOUND, *(kind.__name__ for kind in DERIVATIONS))


@pytest.mark.heavy
def test_what_is_added_passes_what_all_others_must(copy):
    shared = ["bounds/test_registry", "solvers/test_methods", "datasets/test_loading", "test_user", "test_architecture"]
    shared += ["bounds/test_margins", "certificates/test_writers", "fuzz/test_fuzz", "test_check"]
    words = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", "not factor", "-m", "not heavy and not slow")
    own = (path for path in copy[1] if path.startswith("tests/"))
    run(copy[0], "-m", "pytest", *words, *(f"tests/{name}.py" for name in shared), *own)


@pytest.mark.heavy
def test_the_chart_that_is_added_is_drawn(copy):
    run(copy[0], "-c", EXPLORE)
