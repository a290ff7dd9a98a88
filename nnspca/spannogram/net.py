"""The ε-net of Asteris et al. (2014, Alg. 3): random directions of the rank-d range, and what they promise.

For the optimum x of the rank-d problem let c* be the direction of V'x. A sample c at angle θ to ±c* finds
a point of value at least ``(c'V'x)² = cos²θ ‖V'x‖²``, so it is within the factor 1 − ε when sin²θ <= ε.
For a uniformly random direction sin²θ follows a Beta((d−1)/2, 1/2) law, hence one sample succeeds with
probability ``p = I_ε((d−1)/2, 1/2)`` and all m fail with probability ``(1−p)^m``. The theorem's own count,
ε^{-d} ln n, is far more than that asks for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import betainc

from nnspca import cone

ENTRIES = 2_000_000  # entries of Vc held at a time


def samples_of_theorem(epsilon: float, d: int, n: int) -> int:
    """Number of samples of Theorem 2: ``ceil(ε^{-d} ln n)``, at least 1.

    Examples
    --------
    >>> samples_of_theorem(0.1, 3, 361)
    5889
    """
    return max(1, math.ceil(epsilon**-d * math.log(max(n, 2)) - 1e-9))


def failure_probability(epsilon: float, d: int, samples: int) -> float:
    """Probability that ``samples`` random directions all miss the factor 1 − ε, at most.

    Examples
    --------
    >>> round(failure_probability(0.5, 3, 2), 12)
    0.5
    """
    if d == 1:
        return 0.0
    return float((1.0 - betainc((d - 1) / 2, 0.5, epsilon)) ** samples)


def search(
    V: np.ndarray, k: int, samples: int, rng: np.random.Generator, *, nonnegative: bool = True
) -> Iterator[tuple[int, float, np.ndarray]]:
    """Solve the rank-one problem at random directions, batch by batch.

    Yields
    ------
    done : int
        Samples used so far.
    value : float
        Largest ``‖V'x‖²`` so far.
    loadings : ndarray, shape (n,)
        Attains it.
    """
    n, d = V.shape
    best, loadings, done = -1.0, np.zeros(n), 0
    while done < samples:
        batch = min(samples - done, max(1, ENTRIES // n))
        c = cone.unit(rng.standard_normal((batch, d)))
        x = cone.rank_one(c @ V.T, k, nonnegative)
        values = ((x @ V) ** 2).sum(axis=1)
        leader = int(values.argmax())
        if values[leader] > best:
            best, loadings = float(values[leader]), x[leader]
        done += batch
        yield done, best, loadings
