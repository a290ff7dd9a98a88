"""The corpus of certificate files: every checker accepts what is honest, and refuses what is not."""

import json
from pathlib import Path

import pytest

from nnspca import check, check_more

CORPUS = Path(__file__).with_name("corpus")
CASES = json.loads((CORPUS / "cases.json").read_text(encoding="utf-8"))


def status(case, checker=None):
    """What the command of check.py, or of another checker, ends with."""
    return check.main([str(CORPUS / case["certificate"]), str(CORPUS / case["data"])], checker)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["certificate"])
def test_a_checker_ends_with_the_status_that_the_corpus_names_and_for_its_reason(case, capsys):
    assert status(case, check_more.Checker) == case["status"]
    assert capsys.readouterr().out.splitlines()[-1] == case.get("said", "ACCEPTED")
    assert status(case) in {case["status"], 2}


def test_the_first_checker_alone_accepts_many():
    assert sum(status(case) == 0 for case in CASES) > 10
