"""The upper bound of Asteris et al. (2014): the scaled value of the ε-net plus λ_{d+1}. It holds with a probability."""

from __future__ import annotations

import math

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.control.stopping import run_cancellable
from nnspca.covariance import Covariance
from nnspca.result import Bound, ShouldStop
from nnspca.spannogram import net

RANK, EPSILON = 3, 0.1  # the settings of Asteris et al. 2014, section 7


def paper_bound(
    cov: Covariance,
    k: int,
    *,
    nonnegative: bool = True,
    rank: int = RANK,
    epsilon: float = EPSILON,
    max_samples: int = 20_000,
    seed: int = 0,
    should_stop: ShouldStop | None = None,
) -> Bound:
    """``min(λ₁, value_d/(1−ε) + λ_{d+1})``, value_d the largest variance met along random directions.

    Parameters
    ----------
    cov : Covariance
    k : int
        Most nonzero loadings.
    nonnegative : bool
    rank : int
        d, the number of leading eigenvectors.
    epsilon : float
        ε of the net.
    max_samples : int
        Most directions; the theorem asks for ``ε^-d ln n``, far more than its probability needs.
    seed : int
    should_stop : callable, optional
        Ends the search early: fewer directions, a smaller probability.

    Returns
    -------
    Bound
        Not deterministic: it holds with its ``probability``, and counts in no certificate.

    Examples
    --------
    >>> cov = Covariance.from_matrix([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
    >>> bound = paper_bound(cov, 2)
    >>> bound.deterministic, round(bound.value, 6)
    (False, 3.0)
    """
    monitor = Monitor(should_stop)
    d = min(rank, cov.n_features)
    values, vectors = run_cancellable(lambda: cov.eigenpairs(min(d + 1, cov.n_features)), monitor)
    next_eigenvalue = float(values[d]) if d < len(values) else 0.0
    samples = min(net.samples_of_theorem(epsilon, d, cov.n_features), max_samples)
    V = vectors[:, :d] * np.sqrt(values[:d])
    value, done = 0.0, 0
    for batch in net.search(V, k, samples, np.random.default_rng(seed), nonnegative=nonnegative):
        done, value, _ = batch
        if monitor.stop():
            break
    failure = net.failure_probability(epsilon, d, done)
    return Bound(
        "paper",
        min(float(values[0]), value / (1 - epsilon) + next_eigenvalue),
        deterministic=False,
        detail=f"ε-net of {done:,} random directions, d = {d}, ε = {epsilon:g}; not proven.",
        probability=min(1 - failure, math.nextafter(1.0, 0.0)),  # what is not proven never rounds up to certainty
    )
