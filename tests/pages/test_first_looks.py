"""What a page shows first: the whole bare curve where it comes soon, and an answer to Stop before any figure."""

import pytest
import streamlit as st

from nnspca.view.race import panels as race
from nnspca.view.session import runs
from nnspca.view.variance import panels as variance
from tests.pages.conftest import texts
from tests.pages.test_pages import figures

CURVE = {"data": "digits", "ks": "2, 8, 16, 24, 32, 40, 50, 60"}


def test_a_curve_that_comes_soon_is_drawn_whole_in_the_first_answer(open_page, monkeypatch):
    """The browser, which loads what draws it by then, would look again only after that."""
    monkeypatch.setattr(runs, "PATIENCE", 0.0)
    monkeypatch.setattr(runs, "WHOLE", 60.0)
    page = open_page("pages/variance.py", **CURVE)
    (curve,) = [f for f in figures(page) if "Variance kept" in f["layout"]["title"]["text"]]
    drawn = {trace["name"]: len(trace["x"]) for trace in curve["data"] if trace.get("yaxis", "y") == "y"}
    assert drawn["best"] == drawn["em"] == 8


@pytest.mark.parametrize(
    ("path", "slot", "panels", "draws", "asked"),
    [
        ("pages/variance.py", "variance", variance, "curve", CURVE),
        ("pages/race.py", "race", race, "track", {"data": "digits", "k": 16}),
    ],
)
def test_stop_is_answered_before_a_figure_is_drawn_anew(open_page, monkeypatch, path, slot, panels, draws, asked):
    page = open_page(path, **asked, seed=4321)
    page.button(key=f"stop-{slot}").click()

    begun = []

    def end_here(*_, **__):
        begun.append(draws)
        st.stop()

    monkeypatch.setattr(panels, draws, end_here)
    page.run()
    assert begun
    assert "Stopped." in texts(page)
