"""More than 5,000 features of the same variance, which no leading eigenvector tells apart."""

import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.solvers import best, wide
from tests.benchmarks.data import alike_blocks

pytestmark = pytest.mark.slow

SIZE, K = 20, 5


def alike():
    """Return samples of features that vary together in blocks, each block more or less so."""
    return alike_blocks(100, 5100, 1, size=SIZE)


@pytest.fixture(scope="module")
def cov():
    return nnspca.Covariance.from_data(alike(), standardize=True)


@pytest.fixture(scope="module")
def of_blocks(cov):
    """The variances of the best components within blocks, largest first: the best three of all are among them.

    K features have at most the sum of the K largest |entries| of a row: blocks with less are not looked at.
    """
    found: list[float] = []
    blocks = np.arange(cov.n_features).reshape(-1, SIZE)
    most = [np.sort(np.abs(cov.block(block, block)))[:, -K:].sum(axis=1).max() for block in blocks]
    for at in np.argsort(most)[::-1]:
        if len(found) >= 3 and most[at] < found[2]:
            break
        found = sorted([*found, nnspca.solve(cov.restrict(blocks[at]), K).variance], reverse=True)
    return found


@pytest.mark.parametrize("nonnegative", [True, False])
def test_the_best_of_many_blocks_of_equal_variances_is_found(cov, of_blocks, nonnegative):
    assert cov.n_features > best.WIDE
    part = nnspca.solve(cov, K, nonnegative=nonnegative, seed=1)
    assert part.variance >= of_blocks[0] * (1 - 1e-9)


def test_sparse_words_in_topics_are_found_as_dense_ones_are():
    rng = np.random.default_rng(0)
    X = (rng.random((200, 5200)) < 0.01).astype(float)
    for first in range(0, 5200, SIZE):
        about = rng.choice(200, rng.integers(4, 9), replace=False)
        X[np.ix_(about, np.arange(first, first + SIZE))] = rng.random((len(about), SIZE)) < 0.7
    of_dense, of_sparse = (nnspca.Covariance.from_data(S, True) for S in (X, scipy.sparse.csr_array(X)))
    known = max(nnspca.solve(of_dense, 8, seed=seed).variance for seed in range(2))
    assert nnspca.solve(of_sparse, 8, seed=1).variance >= known * (1 - 1e-9)


@pytest.mark.parametrize("deflation", ["disjoint", "together"])
def test_the_best_blocks_are_found_one_by_one_and_together(cov, of_blocks, deflation):
    parts = nnspca.decompose(cov, 3, K, deflation=deflation, starts=2)
    assert sum(part.variance for part in parts.parts) >= sum(of_blocks[:3]) * (1 - 1e-9)


def test_a_feature_included_has_its_place(cov):
    part = nnspca.solve(cov, K, include=[17], exclude=[0, 1])
    assert np.count_nonzero(np.delete(part.loadings, 17)) <= K - 1 and not part.loadings[:2].any()


@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_the_unit_of_the_data_does_not_matter(scale):
    plain, scaled = (nnspca.Covariance.from_data(X, standardize=False) for X in (alike(), alike() * scale))
    assert (nnspca.solve(scaled, K).support == nnspca.solve(plain, K).support).all()


def test_every_point_that_is_reported_has_unit_norm(cov):
    problem, norms = Problem(cov, K), []
    monitor = Monitor(on_found=lambda x, _: norms.append(np.linalg.norm(x)))
    for seed in range(2):
        wide.best_of_rows(problem, np.random.default_rng(seed), monitor, 4)
    np.testing.assert_allclose(norms, 1, rtol=1e-14)
