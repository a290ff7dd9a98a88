"""Every result goes home as JSON too: what was asked, what was found, each number as the library has it."""

import json

import numpy as np
import pytest

import nnspca
from nnspca.view.session import charts, downloads
from tests.pages.conftest import settle

pytestmark = pytest.mark.usefixtures("short_proofs")


@pytest.fixture
def offered(monkeypatch):
    """What the page's button would give, by its key."""
    made = {}
    monkeypatch.setattr(charts, "json_button", lambda make, key, file_name, about=None: made.update({key: make}))
    return lambda key: json.loads(made[key]())


def test_curves_go_home_with_what_was_asked(open_page, offered):
    settle(open_page("pages/variance.py", data="pitprops", ks="2, 5", methods=["best"], take=True))
    told = offered("json-pitprops-variance")
    assert (told["data"], told["standardise"], told["nonnegative"]) == ("pitprops", False, True)
    assert [point["k"] for point in told["points"]] == [2, 5]
    assert all(point["variance"] <= point["upper"] <= told["leading"] * (1 + 1e-9) for point in told["points"])


def test_parts_go_home_with_their_features_and_loadings(open_page, offered):
    settle(open_page("pages/parts.py", data="pitprops", k=3, r=2, use=True, use_view="downloads", **{"with": ["best"]}))
    solvers, names = offered("json-parts")["solvers"], nnspca.datasets.load("pitprops").feature_names
    assert "best" in solvers
    for found in solvers.values():
        first, second = found["parts"]
        for part in (first, second):
            assert part["features"] == [names[i] for i in part["support"]]
            assert np.linalg.norm(part["loadings"]) == pytest.approx(1)
        assert not set(first["support"]) & set(second["support"])


def test_a_comparison_goes_home_as_its_two_tables(open_page, offered):
    settle(open_page("pages/compare.py", vs=["pitprops", "digits"], by=["em"], fine="few", take=True))
    about, points = offered("json-compare")["tables"]
    assert {row["data"] for row in points["rows"]} == {"pitprops", "digits"} == {row["data"] for row in about["rows"]}
    assert all(row["variance"] <= row["ceiling"] for row in points["rows"])


def test_what_json_has_no_number_for_is_null():
    said = json.loads(downloads.json_of({"a": np.float64("inf"), "b": [np.nan, np.int64(3)], "c": np.array([True])}))
    assert said == {"a": None, "b": [None, 3], "c": [True]}
