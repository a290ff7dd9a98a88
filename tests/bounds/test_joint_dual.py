"""The joint dual: whatever L, M and prices it is given, and whatever is decided, it never falls below the truth."""

from itertools import combinations

import numpy as np
import pytest

import nnspca
from nnspca.bounds import branch, pair_scaled
from nnspca.bounds.branch import Decided
from nnspca.bounds.splitting import Splitting
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics.fantope import Fantope
from tests import oracle, problems

SIGNS = pytest.mark.parametrize("nonnegative", [True, False])


# ---------------------------------------------------------------------- the Fantope


@pytest.mark.parametrize("seed", range(8))
def test_the_nearest_matrix_of_the_fantope_is_in_it_and_no_other_is_nearer(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    r = int(rng.integers(1, n + 1))
    B = rng.standard_normal((n, n)) * 10.0 ** rng.uniform(-2, 2)
    B = B + B.T
    projector = Fantope(r)
    X = projector.nearest(B)
    values = np.linalg.eigvalsh(X)
    assert values.min() >= -1e-12
    assert values.max() <= 1 + 1e-12
    assert np.trace(X) == pytest.approx(r)
    assert projector.rank >= r
    for _ in range(50):
        Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
        weights = rng.dirichlet(np.ones(n)) * r
        if weights.max() <= 1:
            other = (Q * weights) @ Q.T
            assert np.sum((B - X) * (other - X)) <= 1e-9 * np.abs(B).max()  # the angle at a projection is obtuse


# ---------------------------------------------------------------------- what is decided


def test_what_is_decided_of_two_holds_for_all_that_are_with_them():
    known = Decided.nothing(6).joined(0, 1).joined(2, 3).parted(1, 2)
    assert known.largest == 2
    assert known.apart[np.ix_([0, 1], [2, 3])].all()
    assert not known.apart[:, 4:].any()
    known = known.joined(3, 4)
    assert known.same[2, 4]
    assert known.apart[0, 4]
    assert known.apart[4, 1]
    assert known.largest == 3
    assert known.used.tolist() == [True] * 5 + [False]
    assert (known.same == known.same.T).all()
    assert (known.apart == known.apart.T).all()


# ---------------------------------------------------------------------- the dual


@SIGNS
@pytest.mark.parametrize("seed", range(40))
def test_any_multipliers_prove_a_bound(seed, nonnegative):
    rng = np.random.default_rng(seed)
    problem = problems.MATRICES[seed % len(problems.MATRICES)](rng, 6)
    k, r = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    size = problem.cov.trace
    L = rng.standard_normal((6, 6)) * size * 10.0 ** rng.uniform(-3, 0)
    M, v = np.abs(rng.standard_normal((6, 6))) * size, np.maximum(rng.standard_normal(6), 0.0) * size / 10
    value, _ = pair_scaled.proof_of(Problem(problem.cov, k, nonnegative), L, M, v, r=r)
    rows = oracle.optima_of_parts(problem.A, k, r, nonnegative)[-1][1]
    assert oracle.allows(value, sum(problem.exact(x) for x in rows))


@SIGNS
@pytest.mark.parametrize("seed", range(8))
def test_what_is_decided_bounds_the_parts_that_agree_with_it(seed, nonnegative):
    rng = np.random.default_rng(seed)
    n, k, r = 6, 3, 2
    problem = problems.any_rank(rng, n)
    (a, b), (c, d) = rng.permutation(list(combinations(range(n), 2)))[:2]
    known = Decided.nothing(n).joined(a, b)
    if not known.same[c, d] and not known.apart[c, d]:
        known = known.parted(c, d)
    best = best_in_agreement(problem, k, known, nonnegative)
    start = np.zeros((r, n))
    start[0, a], start[1, c if c not in (a, b) else d] = 1.0, 1.0
    posed = Problem(problem.cov, k, nonnegative)
    decided = {"same": known.same, "apart": known.apart}
    splitting = Splitting(posed, start, **decided)
    for _ in range(3):
        for _ in range(30):
            splitting.advance()
        value, _ = pair_scaled.proof_of(posed, *splitting.multipliers(), r=r, **decided)
        assert value >= best * (1 - 1e-12)


def best_in_agreement(problem, k, known, nonnegative):
    """The largest sum over two parts that agree with what is decided, by trying all pairs of supports."""
    values, _ = oracle.on_every_support(problem.A, k, nonnegative)
    best = -np.inf
    for first in np.flatnonzero(np.isfinite(values)):
        for second in np.flatnonzero(np.isfinite(values)):
            if not first & second and agrees(first, second, known):
                best = max(best, values[first] + values[second])
    return best


def agrees(first, second, known):
    n = len(known.same)
    part = [1 if first >> i & 1 else 2 if second >> i & 1 else 0 for i in range(n)]
    together = np.array([[part[i] > 0 and part[i] == part[j] for j in range(n)] for i in range(n)])
    return together[known.same].all() and not together[known.apart].any()


@pytest.mark.slow
def test_the_bounds_on_pit_props_are_those_of_a_general_solver(pitprops):
    for (k, r), ratio in {(3, 2): 1.0, (5, 2): 0.9950, (2, 6): 0.9927, (3, 4): 0.9861, (4, 3): 0.9918}.items():
        parts = nnspca.decompose(pitprops, r, k, deflation="together", starts=6)
        *_, last = pair_scaled.dual_bounds(
            Problem(pitprops, k), parts.padded(r), steps=400, goal=0.0, monitor=Monitor()
        )
        assert parts.variances.sum() / last.value == pytest.approx(ratio, abs=2e-3)


def test_the_tree_comes_down_to_the_optimum(pitprops):
    found = nnspca.decompose(pitprops, 2, 4, deflation="together")
    optimum = found.variances.sum()
    met = []
    falling = branch.branch_and_bound(
        Problem(pitprops, 4),
        found.padded(2),
        goal=optimum * (1 + 1e-4),
        monitor=Monitor().within(8.0),
        consider=met.append,
    )
    values = [bound.value for bound in falling]
    assert values == sorted(values, reverse=True)
    assert optimum <= values[-1] <= optimum * (1 + 1.1e-4)
    assert all(rows.shape == (2, 13) for rows in met)
