"""What is handed over as data is recognised before it is converted, and names stay with the numbers."""

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse
import xarray

import nnspca

X = np.random.default_rng(0).normal(size=(12, 4))
NAMES = ("height", "width", "depth", "weight")


def annotated(values=X):
    import anndata

    return anndata.AnnData(values, var=pandas.DataFrame(index=list(NAMES)))


@pytest.mark.parametrize(
    "make",
    [
        lambda: pandas.DataFrame(X, columns=list(NAMES)),
        lambda: polars.DataFrame(X, schema=list(NAMES)),
        lambda: pyarrow.table(dict(zip(NAMES, X.T, strict=True))),
        lambda: pyarrow.RecordBatch.from_pydict(dict(zip(NAMES, X.T, strict=True))),
        lambda: xarray.DataArray(X, dims=("sample", "feature"), coords={"feature": list(NAMES)}),
        lambda: nnspca.datasets.Dataset(name="mine", X=X, feature_names=NAMES),
        annotated,
        lambda: annotated(scipy.sparse.csr_array(X)),
    ],
)
def test_names_travel_from_any_table_to_every_result(make):
    given = make()
    cov = nnspca.Covariance.from_data(given)
    plain = nnspca.Covariance.from_data(X)
    assert cov.feature_names == NAMES
    assert np.allclose(cov.matrix, plain.matrix)
    part = nnspca.solve(cov, k=2)
    assert part.names == tuple(NAMES[i] for i in part.support)
    assert nnspca.certify(cov, 2).component.names == part.names
    assert nnspca.bootstrap(given, 2, resamples=3).parts[0].names == part.names
    assert np.allclose(nnspca.scores(given, part), nnspca.scores(X, part.loadings, mean="own"))
    assert nnspca.NonnegativeSparsePCA(n_components=1, n_nonzero=2).fit(given).components_.shape == (1, 4)


def test_what_only_counts_its_columns_names_none_and_features_are_called_as_scikit_learn_does():
    for given in (X, pandas.DataFrame(X), scipy.sparse.csr_array(X)):
        cov = nnspca.Covariance.from_data(given)
        assert cov.feature_names is None
        part = nnspca.solve(cov, k=2)
        assert part.names == tuple(f"x{i}" for i in part.support)
    own = nnspca.datasets.Dataset(name="mine", X=X)  # one name a feature: those that its tables have
    assert nnspca.Covariance.from_data(own).feature_names == own.feature_names


READ = (
    nnspca.Covariance.from_data,
    lambda data: nnspca.bootstrap(data, 2, resamples=1),
    lambda data: nnspca.cross_validate(data, [1], folds=2),
    lambda data: nnspca.NonnegativeSparsePCA(n_components=1).fit(data),
)


@pytest.mark.parametrize(
    "make",
    [
        lambda: polars.DataFrame(X).lazy(),
        lambda: xarray.Dataset({"a": (("m", "n"), X)}),
        lambda: annotated(None)[:, []],
    ],
)
def test_what_is_no_table_of_numbers_in_memory_is_refused(make):
    given = make()
    for call in (*READ, lambda data: nnspca.scores(data, np.ones(4), mean="own")):
        with pytest.raises(nnspca.DataError):
            call(given)


def test_a_matrix_takes_its_names_from_a_table_or_from_whoever_gives_it():
    A = X.T @ X
    assert nnspca.Covariance.from_matrix(pandas.DataFrame(A, NAMES, NAMES)).feature_names == NAMES
    assert nnspca.Covariance.from_matrix(A, names=NAMES).feature_names == NAMES
    pitprops = nnspca.datasets.load("pitprops")
    for cov in (nnspca.Covariance.from_data(pitprops), nnspca.Covariance.from_dataset(pitprops)):
        assert cov.feature_names == pitprops.feature_names
    with pytest.raises(ValueError, match=r"names=.* is not allowed; give 4 names"):
        nnspca.Covariance.from_matrix(A, names=["a", "b"])
    with pytest.raises(nnspca.DataError, match="takes no sample_weight"):
        nnspca.Covariance.from_data(pitprops, sample_weight=np.ones(13))


def test_features_are_asked_for_by_name_and_an_unknown_one_is_answered_with_the_nearest():
    cov = nnspca.Covariance.from_data(pandas.DataFrame(X, columns=list(NAMES)))
    few = cov.restrict(["weight", "width"])
    assert few.feature_names == ("weight", "width")
    assert np.array_equal(few.matrix, cov.matrix[np.ix_([3, 1], [3, 1])])
    assert few.restrict([0]).feature_names == ("weight",)
    assert nnspca.contribution(cov, nnspca.solve(cov, 2), "width").name == "width"
    with pytest.raises(ValueError, match="feature='weigth' is not known; the nearest are 'weight'"):
        nnspca.contribution(cov, nnspca.solve(cov, 2), "weigth")
    with pytest.raises(ValueError, match="have no names; give their places"):
        nnspca.contribution(nnspca.Covariance.from_data(X), nnspca.solve(cov, 2), "width")
    with pytest.raises(ValueError, match=r"name of 2 features; give a place, one of \[0, 1\]"):
        nnspca.Covariance.from_data(X, names=["a", "a", "b", "c"]).restrict(["a"])


def test_components_found_after_a_deflation_name_all_features():
    cov = nnspca.Covariance.from_data(X, names=NAMES)
    for deflation in nnspca.DEFLATIONS:
        method = "nmf" if deflation == "joint" else "best"
        for part in nnspca.decompose(cov, 2, 2, method, deflation=deflation):
            assert set(part.names) <= set(NAMES)
            assert part.features is cov.features
    left = nnspca.deflate(cov, nnspca.solve(cov, 2).loadings[:, None])
    assert set(left.feature_names) < set(NAMES)
    assert left.features.total == cov.trace


def test_names_say_nothing_about_which_covariance_it_is():
    assert nnspca.Covariance.from_data(X, names=NAMES).fingerprint == nnspca.Covariance.from_data(X).fingerprint
