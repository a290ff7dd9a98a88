"""Notices end with the data they are about; where a way to deal with missing values fails, the others stay."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import settle, texts
from tests.pages.test_upload import brought, said

ALONE = """
import streamlit as st
from nnspca.view.frame import sidebar
from nnspca.view.link import state, widgets
sidebar.sidebar(st.session_state["page"])
if st.session_state["page"] == "explore":
    options = state.methods_for(True, 625 if state.current().data == "lfw-faces" else 13)
    widgets.choose(state.keys_of("explore")["method"], "Solver", options=options)
widgets.notes()
"""


@pytest.mark.parametrize("elsewhere", ["explore", "data"])
def test_a_notice_about_k_or_a_solver_goes_with_the_data_that_caused_it(elsewhere):
    page = AppTest.from_string(ALONE, default_timeout=30)
    page.session_state["page"] = "explore"
    page.query_params.update({"data": "lfw-faces", "k": "9000", "method": "exact"})
    page.run()
    assert "k, nonzero loadings: “9000” cannot be used here" in texts(page)
    assert "“exact” cannot be used here" in texts(page)
    page.session_state["page"] = elsewhere
    page.run()
    assert "k, nonzero loadings: “9000” cannot be used here" in texts(page)
    page.selectbox(key="data").set_value("pitprops").run()
    assert not page.exception
    assert "cannot be used here" not in texts(page)


def test_where_a_way_to_deal_with_missing_values_leaves_nothing_the_others_can_still_be_chosen(open_page):
    page = brought(open_page("pages/data.py"), ("gaps.csv", b"a,b,c\n1,,2\n3,5,\n,4,1\n"))
    (choice,) = page.radio
    settle(choice.set_value("drop rows").run())
    assert "without these samples, 0 would be left" in said(page)
    (choice,) = page.radio
    settle(choice.set_value("mean").run())
    assert page.session_state["session"].uploads["gaps"].shape == (3, 3)
    page = brought(open_page("pages/data.py"), ("nans.csv", b"a,b\nNaN,NaN\nNaN,NaN\n"))
    assert "none of its 2 × 2 values is a number" in said(page)
    assert not page.radio
