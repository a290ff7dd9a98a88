"""Who presses Stop is answered before any figure is drawn anew."""

import pytest
import streamlit as st

from nnspca.view.compare.race import panels as race
from nnspca.view.explore.variance import panels as variance
from nnspca.view.session import runs
from tests.pages.conftest import texts


@pytest.mark.parametrize(
    ("path", "slot", "panels", "draws", "asked"),
    [
        ("pages/variance.py", "variance", variance, "curve", {"data": "lfw-faces"}),
        ("pages/race.py", "race", race, "track", {"data": "lfw-faces", "k": 40}),
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
    monkeypatch.setattr(runs, "PATIENCE", 10.0)  # on a busy machine the run may take a while to hear it
    page.run()
    assert begun
    assert "Stopped." in texts(page)
