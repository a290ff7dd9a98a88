"""The comparison of data sets: what it measures is its definition, and what it says is proven."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import nnspca
from nnspca import Covariance, datasets
from nnspca.datasets import Dataset
from nnspca.view.compare import profile as profiles

matrices = hnp.arrays(
    np.float64, st.tuples(st.integers(2, 6), st.integers(2, 7)), elements=st.integers(-5, 5).map(float)
)


def measured(X, standardize=False):
    data = Dataset(name="x", X=X)
    cov = Covariance.from_data(X, standardize=standardize)
    return profiles.profile(data, cov), np.cov(X.T, bias=True).reshape(X.shape[1], X.shape[1])


@given(matrices)
def test_signs_and_correlations_are_their_definitions(X):
    assume(np.ptp(X, axis=0).any())
    about, A = measured(X)
    off = A[~np.eye(len(A), dtype=bool)]
    if np.abs(off).sum() > 1e-9:
        assert about.positive == pytest.approx(np.maximum(off, 0).sum() / np.abs(off).sum())
    varying = A[np.ix_(A.diagonal() > 1e-12, A.diagonal() > 1e-12)]
    if len(varying) > 1:
        D = np.sqrt(varying.diagonal())
        R = (varying / np.outer(D, D))[~np.eye(len(varying), dtype=bool)]
        assert about.correlation == pytest.approx(np.abs(R).mean(), abs=1e-9)
    assert 0.5 - 1e-12 <= about.one_sign <= 1 + 1e-12


def test_what_is_read_by_blocks_is_what_is_read_at_once(monkeypatch):
    X = np.random.default_rng(0).standard_normal((9, 40))
    whole, _ = measured(X)
    monkeypatch.setattr(profiles, "ROWS", 7)
    parts, _ = measured(X)
    assert parts.positive == pytest.approx(whole.positive)
    assert parts.correlation == pytest.approx(whole.correlation)


def test_features_that_only_add_up_are_of_one_sign():
    rng = np.random.default_rng(1)
    common = rng.standard_normal((50, 1))
    about, _ = measured(common @ rng.uniform(0.5, 1.0, (1, 6)))
    assert about.one_sign == pytest.approx(1)
    assert about.positive == pytest.approx(1)
    assert about.correlation == pytest.approx(1)
    assert about.first_share == pytest.approx(1)
    assert about.promised(1) == pytest.approx(1), "rank one is solved exactly"


def test_features_that_never_vary_correlate_with_nothing():
    about, _ = measured(np.array([[1.0, 5.0, 0.0], [2.0, 5.0, 1.0], [4.0, 5.0, 3.0]]))
    assert about.correlation == pytest.approx(1), "of the one pair that varies"


def of(name, methods, shares, nonnegative=True):
    data = datasets.load(name)
    cov = Covariance.from_dataset(data)
    about = profiles.profile(data, cov)
    curve = nnspca.sweep(cov, profiles.cardinalities(data.n_features, shares), methods, nonnegative=nonnegative)
    return profiles.tables([about], [(about, point) for point in curve.points])


def test_a_promise_grows_with_k_and_is_kept_by_what_is_proven():
    about, points = of("digits", ("best",), (0.1, 0.5, 1.0))
    assert about.column("data") == ["digits"]
    frame = points.frame
    assert set(frame) | set(about.frame) <= set(profiles.HEADINGS)
    assert (frame["normalized_variance"] <= frame["normalized_upper"]).all()
    shares = frame["normalized_variance"] / frame["normalized_upper"]
    assert frame["ratio"].to_numpy() == pytest.approx(shares.to_numpy())
    assert (frame["promised"] <= 1).all() and (frame["cardinality"] <= frame["k"]).all()
    assert frame["promised"].is_monotonic_increasing


def test_pca_keeps_no_cardinality_so_nothing_is_proven_of_it():
    _, points = of("pitprops", ("pca", "best"), (0.3,), nonnegative=False)
    proven = dict(zip(points.column("method"), points.column("ratio"), strict=True))
    assert proven["pca"] is None
    assert proven["best"] > 0.99
