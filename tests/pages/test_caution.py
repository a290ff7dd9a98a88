"""A column that holds nearly all the variance is warned of on every page until it is standardised or accepted."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from nnspca.datasets import Dataset, inspect
from nnspca.view.session import Session
from tests.pages.conftest import texts


def people(dominant=True):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4)) + rng.standard_normal((60, 1))
    X[:, 1] *= 1000 if dominant else 1
    return Dataset(name="people", X=X, feature_names=("age", "income", "height", "spend"))


@pytest.fixture
def warned():
    """A page with such a table in use as it is."""
    script = """
import streamlit as st
from nnspca.view.link import state
from nnspca.view.sources import uploads
uploads.warn(state.current())
st.caption(f"scale: {state.current().scale}")
"""
    data = people()
    page = AppTest.from_string(script, default_timeout=30)
    page.session_state["session"] = Session(uploads={data.name: data}, inspected={data.name: inspect(data)})
    page.session_state["data"] = data.name
    page.session_state["scale"] = "as is"
    return page.run()


def test_it_is_said_with_the_name_of_the_column_and_its_share(warned):
    assert "'income' alone would have 99.9 % of the total variance" in texts(warned)


def test_standardise_is_one_press_away(warned):
    warned.button(key="caution-standardise").click().run()
    assert "alone would have" not in texts(warned)
    assert "scale: standardised" in texts(warned)


def test_accepting_it_is_one_press_away(warned):
    warned.button(key="caution-keep").click().run()
    assert "alone would have" not in texts(warned)
    assert "scale: as is" in texts(warned)


def test_a_table_of_one_scale_and_a_standardised_one_are_not_warned_of(warned):
    warned.session_state["scale"] = "standardised"
    assert "alone would have" not in texts(warned.run())
    warned.session_state["scale"] = "as is"
    warned.session_state["session"].inspected = {"people": inspect(people(dominant=False))}
    assert "alone would have" not in texts(warned.run())
