"""The paper's own bound holds with the probability that it says, and is called proven nowhere."""

import numpy as np
import pytest

import nnspca
from nnspca.spannogram import net
from nnspca.studies import paper_bound


def test_it_never_exceeds_the_first_eigenvalue():
    cov = nnspca.Covariance.from_matrix(np.eye(5) + 1)
    bound = paper_bound(cov, 2)
    assert bound.value <= cov.eigenpairs(1)[0][0]
    assert not bound.deterministic
    assert "not proven" in bound.detail


@pytest.mark.parametrize("samples", [1, 10, 100, 100_000])
def test_it_knows_the_probability_that_it_holds_with(samples):
    """d = 2, ε = 0.1: a random direction of the plane is near enough with probability (2/π) arcsin √ε."""
    cov = nnspca.Covariance.from_matrix(np.diag([3.0, 2.0, 1.0]))
    bound = paper_bound(cov, 2, max_samples=samples, rank=2, epsilon=0.1)
    drawn = min(samples, 110)  # ε^{-2} ln 3
    missed = (1 - 2 / np.pi * np.arcsin(np.sqrt(0.1))) ** drawn
    assert bound.probability == pytest.approx(1 - missed)
    assert bound.probability < 1.0


def test_it_asks_after_every_few_entries_whether_to_stop(monkeypatch):
    cov = nnspca.Covariance.from_data(np.random.default_rng(0).standard_normal((12, 300)))
    seen, stops = [], []
    rank_one = net.feasible.rank_one
    monkeypatch.setattr(net.feasible, "rank_one", lambda w, *rest: seen.append(w.size) or rank_one(w, *rest))
    paper_bound(cov, 20, should_stop=lambda: stops.append(0) or False)
    assert max(seen) <= 2 * net.BATCH_ENTRIES
    assert len(stops) >= len(seen) > 10
