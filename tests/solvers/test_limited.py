"""Groups and largest loadings: feasible, as good as brute force on small problems, never above the bound."""

import itertools

import numpy as np
import pytest

import nnspca
from tests import oracle

BOTH = pytest.mark.parametrize("nonnegative", [True, False])
GROUPS = [([0, 1, 2], 1), ([3, 4, 5], 2)]


def covariance(seed, n=8):
    rng = np.random.default_rng(seed)
    return nnspca.Covariance.from_data(rng.normal(size=(20, n)) @ rng.normal(size=(n, n)))


def optimum_within(A, k, nonnegative, groups):
    """By every support that the groups allow."""
    allowed = [
        list(S)
        for S in itertools.combinations(range(len(A)), k)
        if all(len(set(S) & set(features)) <= most for features, most in groups)
    ]
    return max(oracle.optimum(A[np.ix_(S, S)], k, nonnegative)[0] for S in allowed)


@BOTH
@pytest.mark.parametrize("seed", range(8))
def test_groups_against_every_support_that_they_allow(seed, nonnegative):
    cov, k = covariance(seed), 1 + seed % 5
    cert = nnspca.certify(cov, k, nonnegative=nonnegative, groups=GROUPS)
    x = cert.component.loadings
    assert all(np.count_nonzero(x[features]) <= most for features, most in GROUPS)
    optimum = optimum_within(cov.matrix, k, nonnegative, GROUPS)
    assert optimum * (1 - 1e-9) <= cert.lower <= optimum * (1 + 1e-9) <= cert.upper * (1 + 1e-9)
    nnspca.verify(cert, cov)
    assert "without these limits" in cert.component.note


@BOTH
@pytest.mark.parametrize("seed", [0, 1, 4])
def test_a_largest_loading_against_a_grid_on_the_sphere(seed, nonnegative):
    cov, k = covariance(seed, n=3), 2 + seed % 2
    cap = 0.75 + 0.04 * seed if k == 2 else 0.6 + 0.06 * seed
    a, b = np.meshgrid(np.linspace(0, np.pi, 721), np.linspace(0, 2 * np.pi, 1441))
    grid = np.stack([np.cos(a), np.sin(a) * np.cos(b), np.sin(a) * np.sin(b)], axis=-1).reshape(-1, 3)
    grid = np.concatenate([grid, *(np.roll(_circle(), i, axis=1) for i in range(3))])
    grid[np.abs(grid) < 1e-9] = 0.0
    inside = (np.abs(grid) <= cap).all(axis=1) & (np.count_nonzero(grid, axis=1) <= k)
    inside &= (grid >= 0).all(axis=1) if nonnegative else True
    part = nnspca.solve(cov, k, nonnegative=nonnegative, max_loading=cap)
    assert np.abs(part.loadings).max() <= cap * (1 + 1e-12) and part.cardinality <= k
    best = np.einsum("ri,ij,rj->r", grid[inside], cov.matrix, grid[inside]).max()
    assert part.variance >= best * (1 - 1e-9)
    assert part.variance <= best * (1 + 0.02)
    cert = nnspca.certify(cov, k, nonnegative=nonnegative, max_loading=cap)
    assert cert.component.loadings == pytest.approx(part.loadings) and cert.upper >= best


def _circle():
    turns = np.linspace(0, 2 * np.pi, 200_001)
    return np.column_stack([np.cos(turns), np.sin(turns), np.zeros_like(turns)])


def test_limits_go_together_and_with_features_excluded():
    cov = covariance(9)
    part = nnspca.solve(cov, 4, groups=GROUPS, max_loading=0.6, exclude=[7])
    assert part.loadings[7] == 0 and part.loadings.max() <= 0.6 * (1 + 1e-12)
    assert np.linalg.norm(part.loadings) == pytest.approx(1) and np.count_nonzero(part.loadings[:3]) <= 1
    loose = nnspca.solve(cov, 4, groups=[([0], 1)], max_loading=1)
    assert loose.variance == pytest.approx(nnspca.solve(cov, 4).variance)
    stopped = nnspca.solve(cov, 4, max_loading=0.6, should_stop=lambda: True)
    assert stopped.stopped and stopped.loadings.max() <= 0.6 * (1 + 1e-12)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"groups": [([0, 1], 1), ([1, 2], 1)]}, "share feature 1"),
        ({"groups": [(range(8), 2)]}, "allow 2 features"),
        ({"groups": [3]}, "pairs"),
        ({"max_loading": 0.4}, "from 0.5 to 1"),
        ({"max_loading": 0.6, "include": [1]}, "include"),
        ({"max_loading": 0.6, "method": "em"}, "'best' alone"),
        ({"max_loading": 0.6, "restarts": 3}, "options"),
    ],
)
def test_limits_that_contradict_are_refused(given, said):
    with pytest.raises(ValueError, match=said):
        nnspca.solve(covariance(0), 4, **given)


def test_a_component_beyond_the_limits_is_no_lower_bound():
    cov = covariance(0)
    with pytest.raises(ValueError, match="not within the limits"):
        nnspca.certify(cov, 3, component=nnspca.solve(cov, 1), max_loading=0.7)
    with pytest.raises(ValueError, match=r"from 0\.5773502691896258 to 1"):  # a limit that would itself be allowed
        nnspca.solve(cov, 3, max_loading=0.57735)
