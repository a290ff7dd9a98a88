"""Covariances to search on: of some of the samples, or entry by entry."""

import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca.solvers import best, reduced


def data(m=400, n=60, density=0.2, seed=0):
    return scipy.sparse.random_array((m, n), density=density, rng=np.random.default_rng(seed), format="csr")


@pytest.mark.parametrize("sparse", [True, False])
def test_some_samples_have_nearly_the_covariance_of_all(sparse, monkeypatch):
    X = data(4000, 7000, 0.01)
    cov = nnspca.Covariance.from_data(X if sparse else X[:1500].toarray())
    rng = np.random.default_rng(0)
    monkeypatch.setattr(reduced, "BATCH_ENTRIES", 10**9)
    assert reduced.of_some_samples(cov, rng) is cov
    held = X.nnz if sparse else cov.n_samples * cov.n_features
    monkeypatch.setattr(reduced, "BATCH_ENTRIES", held // 2)
    some = reduced.of_some_samples(cov, rng)
    assert some.n_samples in (cov.n_samples // 2, cov.n_samples // 2 - 1)
    assert some.trace == pytest.approx(cov.trace, rel=0.1)


def test_a_covariance_held_as_its_entries_is_not_thinned(monkeypatch):
    monkeypatch.setattr(reduced, "BATCH_ENTRIES", 1)
    cov = nnspca.Covariance.from_data(data())
    assert reduced.of_some_samples(cov, np.random.default_rng(0)) is cov


def test_entries_of_few_features_are_those_of_the_whole(monkeypatch):
    cov = nnspca.Covariance.from_data(data(5000, 8000, 0.002), standardize=True)
    assert cov.held.factor is not None
    features = np.array([7, 3, 4999, 12])
    few = reduced.entry_by_entry(cov, features)
    assert few.held.holds_entries
    np.testing.assert_allclose(few.matrix, cov.block(features, features), rtol=1e-12, atol=1e-15)
    monkeypatch.setattr(reduced, "SPARSE", 0.0)
    shares = []
    dense = reduced.entry_by_entry(cov, features, shares.append)
    assert shares[0] == 0.0
    np.testing.assert_allclose(dense.matrix, few.matrix, atol=1e-6 * few.trace)
    monkeypatch.setattr(reduced, "FORMED", 3)
    assert not reduced.entry_by_entry(cov, features).held.holds_entries


@pytest.mark.slow
def test_a_search_that_chooses_features_by_some_samples_ends_as_well(monkeypatch):
    rng = np.random.default_rng(1)
    X = data(500, 300, 0.1, seed=1).toarray()
    X[:, :10] += 0.4 * rng.random((500, 1)) * (rng.random((500, 10)) < 0.5)
    X = scipy.sparse.csr_array(np.hstack([X, 0.01 * data(500, 5800, 0.002, seed=2).toarray()]))
    cov = nnspca.Covariance.from_data(X)
    assert cov.held.factor is not None and cov.n_features > best.WIDE
    stages = []
    whole = nnspca.solve(cov, 8, on_progress=stages.append)
    monkeypatch.setattr(reduced, "BATCH_ENTRIES", X.nnz // 3)
    part = nnspca.solve(cov, 8)
    assert part.variance == pytest.approx(cov.variance(part.loadings), rel=1e-14)
    assert part.variance >= whole.variance * (1 - 1e-9)
    assert [p.fraction for p in stages] == sorted(p.fraction for p in stages)
    assert any(p.stage == best.CHOOSING for p in stages)
