"""The sidebar shows what counts on a page and nothing else; what it hides keeps what it said."""

import pytest

from nnspca.view.link import state
from tests.pages.conftest import alone, redrawn

COUNTING = [
    ("explore", "", set(state.SHARED)),
    ("parts", "", set(state.SHARED)),
    ("spannogram", state.FOUR, {"sign"}),
    ("spannogram", state.RANDOM, {"sign", "seed"}),
    ("spannogram", state.DATA, {"data", "prep", "scale", "sign", "k"}),
    ("compare", state.SETS, {"sign", "seed"}),
    ("compare", state.SOLVERS, set(state.SHARED)),
    ("papers", "", {"seed"}),
    ("learn", "", set()),
    ("data", "", {"data", "prep", "scale"}),
]
ALONE = """
import streamlit as st
from nnspca.view.frame import sidebar
from nnspca.view.link import state, widgets
counting = sidebar.sidebar(st.session_state["page"])
widgets.notes()  # draws a k that no page has drawn
st.session_state["_seen"] = counting, state.current()
"""


def drawn(page) -> set[str]:
    """Return the keys of the sidebar's widgets."""
    bar = page.sidebar
    kinds = (bar.selectbox, bar.multiselect, bar.radio, bar.number_input, bar.toggle)
    return {widget.key for kind in kinds for widget in kind}


@pytest.mark.parametrize(("name", "said", "counting"), COUNTING)
def test_a_page_shows_the_choices_that_count_on_it(name, said, counting):
    page = alone(ALONE, {state.CHOICES[name]: said} if said else {}, page=name)
    assert drawn(page) == counting == page.session_state["_seen"][0]


def test_every_choice_counts_somewhere():
    shown = [state.keys_used(page, choice) for page, choice, _ in COUNTING]
    assert set().union(*shown) == set(state.SHARED)
    places = {place for entry in state.SHARED.values() for place in entry.counts}
    assert places == {f"{page} of {choice}" if choice else page for page, choice, keys in COUNTING if keys}


@pytest.mark.parametrize("first", ["explore", "papers"])
def test_what_is_hidden_keeps_what_it_or_the_link_said(first):
    page = alone(ALONE, {"data": "pitprops", "k": "7", "seed": "5"}, page=first)
    for other in ("papers", "data", "compare"):
        page.session_state["page"] = other
        now = redrawn(page).session_state["_seen"][1]
        assert (now.data, now.k, now.seed) == ("pitprops", 7, 5)
    page.session_state["page"] = "explore"
    assert redrawn(page).sidebar.number_input(key="k").value == 7
    assert page.session_state["session"].written["k"] == ["7"]
    assert page.sidebar.selectbox(key="data").value == "pitprops"
