"""Every result goes home as JSON too: what was asked, what was found, each number as the library has it."""

import csv
import io
import json

import numpy as np
import pytest

import nnspca
from nnspca.view.ui import downloads
from tests.pages.conftest import settle

pytestmark = pytest.mark.usefixtures("short_proofs")


def test_a_component_goes_home_with_what_was_asked_found_and_proven(open_page, taken):
    settle(open_page("pages/explore.py", data="pitprops", k=4, more=True))
    told = json.loads(taken("component.json"))
    assert (told["data"], told["standardise"], told["nonnegative"], told["k"]) == ("pitprops", False, True, 4)
    proven = told["proven"]
    assert told["variance"] <= proven["upper"] <= proven["leading"] * (1 + 1e-9)


def test_curves_go_home_as_a_table_of_each_k_and_solver(open_page, taken):
    page = open_page("pages/explore.py", data="pitprops", k=4, ks="2, 5", methods=["best", "em"], more=True)
    settle(page, path=True)
    rows = list(csv.DictReader(io.StringIO(taken("curves.csv").decode())))
    assert {(row["method"], int(row["k"])) for row in rows} == {
        (name, k) for name in ("best known", "em") for k in (2, 4, 5)
    } - {("em", 4)}
    assert all(float(row["lower"]) <= float(row["upper"]) for row in rows)
    assert all(float(row["variance"]) <= float(row["upper"]) for row in rows)
    assert all(0 < float(row["ratio"]) <= 1 for row in rows)


def test_parts_go_home_with_their_features_and_loadings(open_page, taken):
    settle(open_page("pages/parts.py", data="pitprops", k=3, r=2, use=True, use_view="downloads", **{"with": ["best"]}))
    solvers, names = json.loads(taken("parts.json"))["solvers"], nnspca.datasets.load("pitprops").feature_names
    assert "best" in solvers
    for found in solvers.values():
        first, second = found["parts"]
        for part in (first, second):
            assert part["features"] == [names[i] for i in part["support"]]
            assert np.linalg.norm(part["loadings"]) == pytest.approx(1)
        assert not set(first["support"]) & set(second["support"])


def test_a_comparison_goes_home_as_its_two_tables(open_page, taken):
    settle(open_page("pages/compare.py", vs=["pitprops", "digits"], by=["em"], fine="few", take=True))
    about, points = json.loads(taken("compare.json"))["tables"]
    assert {row["data"] for row in points["rows"]} == {"pitprops", "digits"} == {row["data"] for row in about["rows"]}
    assert all(row["variance"] <= row["upper"] for row in points["rows"])


def test_what_json_has_no_number_for_is_null():
    said = json.loads(downloads.json_of({"a": np.float64("inf"), "b": [np.nan, np.int64(3)], "c": np.array([True])}))
    assert said == {"a": None, "b": [None, 3], "c": [True]}
