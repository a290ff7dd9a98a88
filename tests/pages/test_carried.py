"""What a link says is carried to the page where it counts, address and all; unknown keys are reported."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

PAGES = Path(__file__).parents[2] / "pages"


def test_a_name_nothing_has_is_told_as_ignored_and_known_ones_are_not():
    page = AppTest.from_file(str(PAGES / "compare.py"), default_timeout=60)
    for key, text in {"by": "em", "flavour": "red", "embed": "true"}.items():
        page.query_params[key] = text
    page.session_state["vs"] = []
    page.run()
    (note,) = [info.value for info in page.info if "ignored" in info.value]
    assert "“flavour”" in note
    assert "embed" not in note
    assert "by" not in note


def test_a_choice_remembered_from_another_page_is_written_into_the_address():
    script = """
from nnspca.view.link import state, widgets
widgets.keep(state.SHARED["k"]) if "leave" in __import__("streamlit").session_state else widgets.choose(
    state.SHARED["k"], "k", usual=4, high=13)
"""
    page = AppTest.from_string(script, default_timeout=30)
    page.query_params["k"] = "7"
    page.session_state["leave"] = True  # a page on which k does not count
    page.run()
    del page.session_state["leave"]
    page.query_params.pop("k", None)
    page.run()
    assert page.number_input(key="k").value == 7
    assert page.query_params["k"] in ("7", ["7"])
