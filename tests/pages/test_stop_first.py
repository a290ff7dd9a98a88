"""Stop is answered before any figure is drawn anew."""

import pytest
import streamlit as st

from nnspca.view import tasks
from nnspca.view.compare import race, sets
from nnspca.view.explore import proof
from tests.pages.conftest import texts

SLOW = {
    "data": "lfw-faces",
    "k": 40,
    "method": "epsilon-net",
    "d": 8,
    "epsilon-net.epsilon": 0.01,
    "epsilon-net.max_samples": 10_000_000,
    "proof": True,
    "proof_view": "bounds",
}


@pytest.mark.parametrize(
    ("path", "slot", "panels", "draws", "asked"),
    [
        ("pages/compare.py", "compare", sets, "together", {"vs": ["digits", "lfw-faces"], "sign": "any sign"}),
        ("pages/explore.py", "explore", proof, "figure", SLOW),
        ("pages/compare.py", "race", race, "track", {"what": "solvers", "data": "lfw-faces", "k": 40}),
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
    monkeypatch.setattr(tasks, "PATIENCE", 10.0)  # on a busy machine the run may take a while to hear it
    page.run()
    assert begun
    assert "Stopped." in texts(page)
