"""Rows of every awkward kind: ties, duplicates, zeros, poor rank, steep scales."""

import numpy as np


def sample(rng, n, d, kind):
    V = rng.standard_normal((n, d))
    if kind == "ties":
        V = rng.integers(-1, 2, (n, d)).astype(float)
    elif kind == "equal rows":
        V = V[rng.integers(0, max(1, n // 2), n)]
    elif kind == "opposite rows":
        V[n // 2 :] = -V[: n - n // 2]
    elif kind == "zero rows":
        V[rng.random(n) < 0.4] = 0.0
    elif kind == "poor rank":
        V = rng.standard_normal((n, max(1, d - 1))) @ rng.standard_normal((max(1, d - 1), d))
    elif kind == "zero column":
        V[:, rng.integers(d)] = 0.0
    elif kind == "uneven":
        V = V * 10.0 ** rng.uniform(-9, 0, d)
    elif kind == "one sign":
        V = np.abs(V)
    elif kind == "scaled":
        V = V * 10.0 ** rng.uniform(-30, 30)
    return V


KINDS = (
    "plain",
    "ties",
    "equal rows",
    "opposite rows",
    "zero rows",
    "poor rank",
    "zero column",
    "uneven",
    "one sign",
    "scaled",
)
