"""A menu that shows titles keeps names in the link: a link opens what it names, and a choice is written by its name."""

import pytest
from streamlit.testing.v1 import AppTest

SOURCE = """
import streamlit as st
from nnspca.view.link import state
from nnspca.view.link.widgets import choose, notes
data = choose(state.SHARED["data"], "Data", options=["lfw-faces", "digits"], format_func=str.upper)
solvers = choose(state.keys_of("parts")["with"], "Solvers", options=["best", "em"], format_func=str.upper)
st.text(f"{data} {list(solvers)}")
notes()
"""


def opened(**link):
    app = AppTest.from_string(SOURCE, default_timeout=30)
    app.query_params.update(link)
    app.run()
    assert not app.exception
    return app


def test_a_link_names_an_option_by_its_value():
    assert opened(data="digits", **{"with": ["em", "best"]}).text[0].value == "digits ['em', 'best']"


def test_a_choice_is_written_by_its_value_and_the_usual_one_not_at_all():
    app = opened()
    assert not app.query_params
    app.selectbox(key="data").set_value("digits").run()
    app.multiselect(key="with").set_value(["em"]).run()
    assert app.query_params == {"data": "digits", "with": "em"} or app.query_params == {
        "data": "digits",
        "with": ["em"],
    }
    app.selectbox(key="data").set_value("lfw-faces").run()
    app.multiselect(key="with").set_value(["best"]).run()
    assert not app.query_params


@pytest.mark.parametrize("given", ["DIGITS", "nix"])
def test_a_link_that_names_nothing_is_told_with_what_is_allowed(given):
    app = opened(data=given)
    assert app.text[0].value.startswith("lfw-faces")
    (note,) = [note.value for note in app.info]
    assert given in note
    assert "lfw-faces, digits" in note
