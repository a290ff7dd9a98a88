"""The ε-net: how many samples, and what they promise."""

import math

import numpy as np
import pytest

from nnspca.numerics import feasible
from nnspca.spannogram import net
from tests import oracle


def test_directions_are_epsilon_to_the_minus_d_times_log_n():
    assert net.samples_of_theorem(0.1, 3, 361) == math.ceil(1000 * math.log(361))
    assert net.samples_of_theorem(0.5, 2, 8) == math.ceil(4 * math.log(8))
    assert net.samples_of_theorem(0.9, 1, 1) == 1


@pytest.mark.parametrize(("epsilon", "d"), [(0.1, 1), (0.1, 2), (0.3, 3), (0.5, 4), (0.2, 5)])
def test_the_failure_probability_is_what_random_directions_show(epsilon, d):
    """A direction fails when its angle to the optimum's, either sign, has a squared sine above ε."""
    c = feasible.unit(np.random.default_rng(d).standard_normal((200_000, d)))
    missed = float((1 - c[:, 0] ** 2 > epsilon).mean())
    assert net.failure_probability(epsilon, d, 1) == pytest.approx(missed, abs=5e-3)
    assert net.failure_probability(epsilon, d, 7) == pytest.approx(net.failure_probability(epsilon, d, 1) ** 7)


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_every_point_is_feasible_and_below_the_optimum(seed, nonnegative):
    rng = np.random.default_rng(seed)
    V = rng.standard_normal((7, 3))
    best = oracle.optimum_of_rows(V, 3, nonnegative)[0]
    for _, value, x in net.random_search(V, 3, 4000, rng, nonnegative=nonnegative):
        assert feasible.infeasibility(x, 3, nonnegative) == ""
        assert value == pytest.approx(((x @ V) ** 2).sum())
        assert value <= best * (1 + 1e-12)
    assert value >= 0.97 * best


def test_batches_are_counted_and_the_value_never_falls(monkeypatch):
    monkeypatch.setattr(net, "BATCH_ENTRIES", 50)
    V = np.random.default_rng(0).standard_normal((10, 2))
    seen = [(done, value) for done, value, _ in net.random_search(V, 3, 23, np.random.default_rng(1))]
    assert [done for done, _ in seen] == [5, 10, 15, 20, 23]
    assert sorted(value for _, value in seen) == [value for _, value in seen]
