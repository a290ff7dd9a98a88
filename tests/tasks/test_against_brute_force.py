"""Against all supports: no component above the optimum and no bound below it, whatever kind of problem it is."""

import numpy as np
import pytest

import nnspca
from nnspca import METHODS
from nnspca.covariance import samples as making
from nnspca.numerics import feasible
from tests import budgets, oracle, problems

BOTH = pytest.mark.parametrize("nonnegative", [True, False])
KINDS = {make.__name__: make for make in problems.MATRICES + problems.DATA} | {
    "factor": lambda rng, n: problems.factored(rng, max(n, 5), sparse=False),
    "sparse factor": lambda rng, n: problems.factored(rng, max(n, 5), sparse=True),
}


@BOTH
@pytest.mark.parametrize("kind", KINDS)
def test_no_component_is_above_and_no_bound_below_the_optimum(kind, nonnegative, monkeypatch):
    """Of one feature and of several: every method, and every bound within a small budget."""
    budgets.small(monkeypatch, pair_steps=20)
    if "factor" in kind:
        monkeypatch.setattr(making, "DENSE_FEATURES", 1)
    rng = np.random.default_rng(2014)
    for n in (1, int(rng.integers(2, 8))):
        problem = KINDS[kind](rng, n)
        assert (problem.cov.matrix is None) == ("factor" in kind)
        n = problem.cov.n_features
        for k in {1, int(rng.integers(1, n + 1)), n}:
            best = float(problem.attained(k, nonnegative))
            room = 2 * problem.cov.representation_error
            hold(problem, k, nonnegative, "thorough" if k == n else "live", seed=k)
            for method, info in METHODS.items():
                if nonnegative not in info.signs:
                    continue
                part = nnspca.solve(problem.cov, k, method, nonnegative=nonnegative)
                well_made(part, problem.cov, k, nonnegative)
                assert not info.feasible or part.variance <= best * (1 + 1e-9) + room, method
                if method == "exact":
                    assert part.variance >= best * (1 - 1e-8) - room and "none left" in part.note


def hold(problem, k, nonnegative, effort, seed=0):
    """State of a certificate that each bound holds, and that its judge agrees."""
    attained = problem.attained(k, nonnegative)
    cert = nnspca.certify(problem.cov, k, nonnegative=nonnegative, effort=effort, seed=seed)
    for bound in cert.bounds:
        if bound.deterministic:
            assert oracle.allows(bound.value, attained), (bound.name, bound.value, float(attained))
    assert cert.upper == cert.winner.value == min(b.value for b in cert.bounds if b.deterministic)
    assert all(bound.detail for bound in cert.bounds)
    assert cert.lower <= float(attained) * (1 + 1e-9) + 1e-9 * problem.cov.representation_error
    assert cert.lower <= cert.upper
    nnspca.verify(cert, problem.cov)


def well_made(part, cov, k, nonnegative):
    """State of a component that it is a unit vector, feasible, and what it says of itself."""
    info = METHODS[part.method]
    assert part.loadings.shape == (cov.n_features,) and not part.loadings.flags.writeable
    assert abs(np.linalg.norm(part.loadings) - 1) <= 1e-12
    if info.feasible:
        assert feasible.infeasibility(part.loadings, k, nonnegative) == ""
    if not nonnegative:
        assert part.loadings[np.abs(part.loadings).argmax()] > 0
    assert not np.signbit(part.loadings[part.loadings == 0]).any()
    assert part.variance == pytest.approx(cov.variance(part.loadings), rel=1e-12)
    assert part.history and list(part.history) == sorted(part.history)
    assert part.history[-1] <= part.variance * (1 + 1e-9)
    assert (part.k, part.nonnegative, part.stopped) == (k, nonnegative, False)
    assert part.support.tolist() == np.flatnonzero(part.loadings).tolist() and part.cardinality == len(part.support)
    assert set(part.options) == {option.name for option in info.options}


@pytest.mark.parametrize("nonnegative", [True, False])
def test_rank_one_is_solved_exactly_by_all_but_samplers(nonnegative):
    a = np.array([3.0, -4.0, 1.0, 2.0, -0.5])
    cov = nnspca.Covariance.from_matrix(np.outer(a, a))
    for method, info in METHODS.items():
        if nonnegative in info.signs:
            part = nnspca.solve(cov, 2, method, nonnegative=nonnegative)
            well_made(part, cov, 2, nonnegative)
            assert not info.feasible or part.variance == pytest.approx(16.25 if nonnegative else 25.0, rel=1e-9), method
