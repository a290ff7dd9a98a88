"""A solver is a module and an entry: what solve, sweep and decompose know of it, they read there."""

import numpy as np
import pytest

import nnspca
from nnspca.numerics import feasible
from nnspca.result import Component
from nnspca.solvers.registry import METHODS, MethodInfo, OptionInfo


def largest(problem, *, rng, monitor, power):
    """The features of largest variance, weighted by a power of it."""
    x = feasible.argmax(problem.cov.diagonal**power, problem.k, problem.nonnegative)
    value = problem.cov.variance(x)
    return Component(x, value, "largest", problem.k, problem.nonnegative, history=(value,))


@pytest.fixture
def with_largest(monkeypatch):
    option = OptionInfo("power", float, 0.5, "How much a feature's variance counts.", 0.0, 2.0)
    info = MethodInfo("largest", "Largest variances", "Keeps them.", "this test", (option,), largest)
    monkeypatch.setitem(METHODS, "largest", info)


def test_a_new_entry_is_solved_swept_and_decomposed_like_any_other(with_largest):
    G = np.random.default_rng(0).standard_normal((20, 8))
    cov = nnspca.Covariance.from_data(G * np.arange(1, 9))
    part = nnspca.solve(cov, 3, "largest", power=1.0)
    assert part.support.tolist() == np.sort(np.argsort(-cov.diagonal)[:3]).tolist()
    assert dict(part.options) == {"power": 1.0}
    rows = nnspca.sweep(cov, (2, 4), methods=("largest", "best")).to_records()
    assert [row["method"] for row in rows] == ["largest", "best"] * 2
    assert all(row["variance"] <= row["upper"] for row in rows)
    parts = nnspca.decompose(cov, 2, 3, "largest", nonnegative=False)
    assert parts.overlap < 1e-12
    with pytest.raises(ValueError, match="power=3"):
        nnspca.solve(cov, 3, "largest", power=3)
