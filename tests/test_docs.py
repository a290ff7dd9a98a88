"""What the documents say in code runs as it stands, without a warning."""

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "nnspca" / "docs"
PEERS = (DOCS / "peers.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in PEERS.splitlines() if line.startswith("| ")]
OURS = {row[0]: re.findall(r"`([^`]+)`", row[1]) for row in ROWS[1:]}


@pytest.fixture(scope="module")
def prepared():
    """What stands before the table, carried out."""
    names: dict[str, object] = {}
    for example in doctest.DocTestParser().get_examples(PEERS):
        exec(example.source, names)
    return names


def test_every_row_of_the_peers_has_a_cell_for_each():
    assert len(OURS) > 25 and {len(row) for row in ROWS} == {8}


@pytest.mark.parametrize("what", [what for what, codes in OURS.items() if codes])
def test_what_the_table_of_peers_says_of_us_runs(prepared, what):
    for code in OURS[what]:
        eval(code, dict(prepared))


def test_a_cell_of_ours_without_code_says_no():
    assert all(row[1].startswith("–") for row in ROWS[1:] if not OURS[row[0]])


def test_the_change_list_names_the_version():
    import nnspca

    assert f"## {nnspca.__version__}" in (DOCS / "changelog.md").read_text(encoding="utf-8")
