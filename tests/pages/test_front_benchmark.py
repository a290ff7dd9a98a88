"""The table of waiting times: its rows have targets and names of their own, and a line says what was missed."""

import pytest

from tests.benchmarks import app


def test_every_page_and_every_target_has_a_row_of_its_own():
    names = [row.name for row in app.rows()]
    assert len(names) == len(set(names))
    assert {f"first figure: {page}" for page in app.FIRST} <= set(names)
    targets = {row.name: row.target for row in app.rows()}
    assert targets["proof: Leukemia"] == 6.0
    assert targets["first bound: Leukemia"] == 1.5
    assert targets["band: LFW"] == 2.0
    assert targets["live band: LFW"] == 3.5
    assert targets["k + 1"] == 0.3


@pytest.mark.parametrize("name", app.SETS.values())
def test_a_band_has_every_k_that_the_page_starts_with(name):
    ks = app.ks_of(name)
    assert ks[0] == 1
    assert ks == tuple(sorted(set(ks)))
    assert set(app.certified(ks)) <= set(ks)


def test_rows_are_chosen_by_words_and_unknown_words_are_refused():
    assert [row.name for row in app.selected(["K + 1"])] == ["k + 1"]
    with pytest.raises(SystemExit, match="no row is named like nothing"):
        app.selected(["nothing"])


def test_a_line_holds_the_median_beside_its_target_and_tells_a_miss():
    found = app.measured(app.Row("waiting", 2.0, lambda visitor: next(seconds)), _Quiet(), 3)
    assert (found.median, found.least, found.most, found.visits) == (3.0, 2.0, 9.0, (9.0, 2.0, 3.0))
    assert found.verdict == "missed"
    assert "3.00 s" in app.line(found)
    assert "missed" in app.line(found)


seconds = iter([100.0, 9.0, 2.0, 3.0])  # the first visit only warms the server


class _Quiet:
    """A visitor of a server that computes nothing."""

    def cpu(self) -> float:
        return 0.0
