"""What is noticed in a table before anything is computed from it."""

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest
import scipy.sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

import nnspca
from nnspca.datasets import inspect, read
from tests.tables import TABLES


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("people", {"identifiers": ["person_id"], "dominant": ["income"]}),
        ("gapminder", {"dates": ["year"], "dominant": ["pop"]}),
        ("sensors", {"dates": ["timestamp"], "constant": ["firmware"], "duplicates": ["power_copy"]}),
    ],
)
def test_what_is_left_out_or_dominates_is_named_by_its_kind(name, kinds):
    """What is left out, and whether the rest is standardised, is held against a statistician's in test_tables."""
    table, about = TABLES[name], [*kinds.get("identifiers", ()), *kinds.get("dates", ())]
    columns = dict.fromkeys(about, "feature")
    data = read(table.make(), table.filename, label=table.label, columns=columns, series="levels")
    seen = inspect(data)
    assert {note.kind: [data.feature_names[i] for i in note.features] for note in seen.notes if note.features} == kinds
    assert "identifier" not in str(seen.note("scales"))


@pytest.mark.parametrize(
    ("load", "standardise"), [(load_wine, True), (load_breast_cancer, True), (load_diabetes, False)]
)
def test_tables_of_a_package_are_standardised_where_their_units_differ(load, standardise):
    data = load()
    seen = inspect(data.data, list(map(str, data.feature_names)))
    assert seen.standardise == standardise
    assert not seen.left_out


@pytest.mark.parametrize("factor", [1e-8, 1.0, 1e9])
def test_the_unit_of_all_columns_together_changes_nothing(factor):
    X = np.random.default_rng(1).standard_normal((60, 5)) * [1, 2, 3, 40, 5]
    kinds = [note.kind for note in inspect(factor * X).notes]
    assert kinds == [note.kind for note in inspect(X).notes]
    assert "scales" in kinds


def test_counts_are_told_from_grades_and_from_negative_numbers():
    rng = np.random.default_rng(2)
    counts = rng.poisson(rng.gamma(2.0, 8.0, 30), (80, 30))
    assert inspect(counts).note("counts").choice == "offer log1p"
    assert inspect(scipy.sparse.csr_array(counts.astype(float))).note("counts") is not None
    assert inspect(rng.integers(1, 6, (80, 8))).note("counts") is None
    assert inspect(counts - 10).note("counts") is None


def test_signs_say_how_many_features_each_sign_would_bring():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((100, 1)) * [1, 1, 1, -1, -1] + 0.3 * rng.standard_normal((100, 5))
    assert "'feature 3' against 'feature 4', 'feature 5'" in inspect(X).note("signs").says
    assert inspect(np.abs(X[:, :3])).note("signs") is None or inspect(X[:, :3]).note("signs") is None


def test_samples_in_columns_are_noticed():
    rng = np.random.default_rng(4)
    genes = np.exp(rng.normal(5, 1.5, (4000, 1))) * np.exp(rng.normal(0, 0.1, (4000, 20)))
    assert inspect(genes).note("orientation").choice == "offer transpose"
    assert inspect(genes.T).note("orientation") is None


def test_images_spectra_and_matrices_keep_their_own_rules():
    assert not inspect(nnspca.datasets.load("lfw-faces")).standardise
    assert inspect(nnspca.datasets.load("pitprops")).notes == ()
    assert not inspect(nnspca.datasets.load("digits")).standardise


@pytest.mark.parametrize("X", [np.ones((3, 2)), [[1.0, 2.0]], np.zeros((4, 1)), [[1, 2], [3, 4]]])
def test_degenerate_tables_are_looked_at_without_a_warning(X):
    seen = inspect(X)
    assert seen.shape == np.shape(X)
    assert seen.note("few samples") is not None


def test_a_column_without_numbers_is_named_and_truth_values_are_numbers():
    with pytest.raises(nnspca.DataError, match=r"column 'b': data must be real numbers; got x of type str"):
        inspect(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}))
    assert inspect(pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [True, False, True]})).left_out == ()


def test_tables_of_arrow_and_polars_are_inspected_by_their_names():
    columns = {"id": [1, 2, 3, 4, 5, 6], "a": [1.0, 5, 2, 4, 2, 0], "b": [2.0, 1, 1, 3, 4, 1]}
    for table in (pyarrow.table(columns), polars.DataFrame(columns)):
        seen = inspect(table)
        assert seen.feature_names == ("id", "a", "b") and seen.left_out == (0,)
        assert nnspca.datasets.Dataset(name="t", X=table).feature_names == ("id", "a", "b")


def test_a_quantity_in_two_units_is_used_once():
    rng = np.random.default_rng(0)
    cm, kg, age = rng.normal(170, 9, 200), rng.normal(70, 9, 200), rng.normal(40, 9, 200)
    names = ["cm", "kg", "inch", "age"]
    seen = inspect(np.c_[cm, kg, cm / 2.54, age], names)
    assert seen.left_out == (2,)
    assert "unit: 'inch'" in str(seen)
    opposite = inspect(np.c_[cm, kg, -cm, age], names)
    assert opposite.note("duplicates") is None  # a nonnegative component can use one of the two only
    assert inspect(np.c_[cm, kg, cm, cm / 2.54], names).left_out == (2, 3)


@pytest.mark.parametrize("store", [np.asarray, scipy.sparse.csr_array])
def test_a_constant_column_of_decimals_does_not_vary(store):
    X = np.column_stack([np.full(37, 0.1), np.full(37, 1e9 / 3), np.arange(37.0)])
    seen = inspect(nnspca.datasets.Dataset(name="constants", X=store(X)))
    assert seen.note("constant").features == (0, 1) and not seen.standardise


def test_a_constant_pixel_stays_in_its_picture_and_a_constant_reading_is_left_out():
    X = np.random.default_rng(0).random((9, 6))
    X[:, 0] = 0.0
    images = nnspca.datasets.Dataset(name="i", X=X, image_shape=(2, 3), kind="images")
    seen = inspect(images)
    assert (seen.note("constant").features, seen.left_out) == ((0,), ())
    axis = nnspca.datasets.Axis(np.arange(6.0), "wavelength")
    spectra = nnspca.datasets.Dataset(name="s", X=X, axis=axis, kind="spectra")
    assert inspect(spectra).left_out == (0,)


def test_features_of_every_kind_can_be_left_out():
    X, kept = np.random.default_rng(0).random((9, 6)), [0, 2, 3, 5]
    axis = nnspca.datasets.Axis(np.arange(6.0), "wavelength")
    spectra = nnspca.datasets.Dataset(name="s", X=X, axis=axis, kind="spectra")
    fewer = nnspca.datasets.leave_out(spectra, [1, 4])
    assert (fewer.kind, fewer.axis.values.tolist()) == ("spectra", [0.0, 2.0, 3.0, 5.0])
    images = nnspca.datasets.Dataset(name="i", X=X, image_shape=(2, 3), kind="images")
    fewer = nnspca.datasets.leave_out(images, ["row 1, column 2", 4])
    assert (fewer.kind, fewer.image_shape) == ("table", None)
    np.testing.assert_array_equal(fewer.X, X[:, kept])
    matrix = nnspca.datasets.Dataset(name="c", X=X.T @ X, kind="covariance")
    np.testing.assert_array_equal(nnspca.datasets.leave_out(matrix, [1, 4]).X, (X.T @ X)[np.ix_(kept, kept)])


def test_a_column_that_is_left_out_is_not_named_as_the_one_that_dominates():
    rng = np.random.default_rng(0)
    cm, kg, age = rng.normal(1.7, 0.09, 200), rng.normal(70, 9, 200), rng.normal(40, 9, 200)
    seen = inspect(np.c_[cm, kg, 10_000 * cm, age], ["m", "kg", "tenth of a mm", "age"])
    assert seen.left_out == (2,)
    assert seen.note("dominant") is None
    twice = inspect(np.c_[1e3 * kg, kg, 1e3 * kg, age], ["g", "kg", "g again", "age"])
    assert twice.note("dominant") is None or not set(twice.note("dominant").features) & set(twice.left_out)


def test_totals_and_classes_are_left_out_and_dominate_nothing():
    rng = np.random.default_rng(1)
    X = rng.uniform(1, 2, (50, 4))
    seen = inspect(np.c_[X, X.sum(axis=1), rng.integers(0, 3, 50)], ["a", "b", "c", "d", "total", "group"])
    assert seen.note("totals").features == (4,) and seen.note("classes").features == (5,)
    assert seen.left_out == (4, 5) and seen.note("dominant") is None
    partial = inspect(np.c_[X[:, :2], X[:, :2].sum(axis=1), X[:, 2:]], ["a", "b", "sum", "c", "d"])
    assert partial.left_out == (2,)


def test_items_of_opposite_direction_are_named_with_both_answers():
    rng = np.random.default_rng(3)
    mood = rng.standard_normal((80, 1))
    items = np.c_[mood + 0.5 * rng.standard_normal((80, 3)), -mood + 0.5 * rng.standard_normal((80, 2))]
    note = inspect(items, ["calm", "glad", "safe", "sad", "tense"]).note("signs")
    assert "'calm', 'glad', 'safe' against 'sad', 'tense'" in note.says


def test_noise_has_no_opposite_directions_and_no_scales():
    seen = [inspect(np.random.default_rng(seed).standard_normal((30, 12))) for seed in range(20)]
    assert sum(found.note("signs") is not None or found.note("scales") is not None for found in seen) <= 3
