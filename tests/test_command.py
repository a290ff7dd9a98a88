"""The command nnspca: the app on a table, and proofs checked."""

import itertools
import subprocess
import sys
import urllib.request

import numpy as np
import pytest

import nnspca
from nnspca.__main__ import main
from tests import oracle
from tests.server import free_port

# Of uncorrelated columns the matrix is nearly a multiple of the identity: only rounding is left below the bound.
UNCORRELATED = np.array(list(itertools.product([-1.0, 1.0], repeat=3))) * 0.1


@pytest.mark.parametrize("X", [UNCORRELATED, np.random.default_rng(0).normal(size=(20, 6))], ids=["apart", "random"])
def test_a_certificate_is_checked_and_a_false_one_refused(X, tmp_path, capsys):
    cov = nnspca.Covariance.from_data(X)
    cert, data = oracle.judged_files(nnspca.certify(cov, 2), cov, X, tmp_path)
    assert main(["check", cert, data]) == 0
    assert "ACCEPTED" in capsys.readouterr().out
    np.save(data, 2 * X)
    assert main(["check", cert, data]) == 1
    assert "REFUSED" in capsys.readouterr().out


def test_a_certificate_of_a_table_is_checked_against_its_file(tmp_path, capsys):
    """Whatever ``datasets.read`` takes: here a table with decimal commas, names and a class."""
    rows = np.random.default_rng(0).normal(size=(30, 3)).round(3)
    lines = [";".join([f"s{i}", *map(str, row), "ill" if i % 2 else "well"]) for i, row in enumerate(rows)]
    (tmp_path / "t.csv").write_text("\n".join([";Lympho;Mono;Baso;state", *lines]).replace(".", ","))
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.read(tmp_path / "t.csv"))
    assert cov.feature_names == ("Lympho", "Mono", "Baso")
    nnspca.save_certificate(nnspca.certify(cov, 2), tmp_path / "c.npz", cov)
    assert main(["check", str(tmp_path / "c.npz"), str(tmp_path / "t.csv")]) == 0
    assert "ACCEPTED" in capsys.readouterr().out
    (tmp_path / "t.csv").write_text("1;2\n3;x,y\n")
    assert main(["check", str(tmp_path / "c.npz"), str(tmp_path / "t.csv")]) == 2
    assert "t.csv" in capsys.readouterr().err
    assert main(["check", str(tmp_path / "c.npz"), str(tmp_path / "none.csv")]) == 2
    assert main(["check", str(tmp_path / "c.npz")]) == 2


def test_what_cannot_be_done_is_said_without_a_traceback(capsys):
    assert main(["no.csv"]) == 2
    assert "no file or folder 'no.csv'" in capsys.readouterr().err


@pytest.mark.heavy
@pytest.mark.parametrize(("given", "first"), [("t.csv", "t.csv"), ("several", "a.npy")])
def test_the_app_starts_on_a_table_or_a_folder_and_ends_with_its_command(given, first, tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n1,5;2\n2,5;3\n0,5;7\n")
    (tmp_path / "several").mkdir()
    for name in ("b.npy", "a.npy"):
        np.save(tmp_path / "several" / name, np.eye(4))
    port = free_port()
    command = [sys.executable, "-m", "nnspca", str(tmp_path / given), "--no-browser", "--port", str(port)]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout.readline().split()[0] == f"http://127.0.0.1:{port}/?data={first}"
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5) as answer:
                assert answer.status == 200
        finally:
            running.terminate()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5)
