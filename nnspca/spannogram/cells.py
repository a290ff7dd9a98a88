"""Cells of the sphere: cones over d corners, their splits, and the plane that bounds a convex h on one."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from nnspca.numerics import rounding


def orthants(d: int, nonnegative: bool) -> np.ndarray:
    """Return the root cells as indices into (e₁ … e_d, −e₁ … −e_d), shape (2^d or 2^{d−1}, d)."""
    signs = np.array(list(product((0, 1), repeat=d)))
    if not nonnegative:
        signs = signs[signs[:, 0] == 0]
    return np.arange(d) + d * signs


def longest_edges(C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for each simplex (r, d, d) the two corners of its longest edge, i < j; ties to the first.

    Lengths within a relative 1e-9 count as tied, so that a second split along the same tree does
    not depend on the last digit.
    """
    pairs = np.array(list(combinations(range(C.shape[1]), 2)))
    lengths = ((C[:, pairs[:, 0]] - C[:, pairs[:, 1]]) ** 2).sum(axis=2)
    longest = pairs[(lengths >= lengths.max(axis=1, keepdims=True) * (1 - 1e-9)).argmax(axis=1)]
    return longest[:, 0], longest[:, 1]


def least_norm(C: np.ndarray, h: np.ndarray, spare: float) -> np.ndarray:
    """Return for each cell a short y with C y >= h, proven despite rounding.

    With all d inequalities tight, y solves C y = h. If that y lies outside the cone of the cell (a
    multiplier is negative), the inequalities with negative multipliers are dropped.

    C (r, d, d) has the corners as rows, h (r, d) their heights; the equations are solved for
    ``h + spare``: a few rounding errors of h are enough. Infinite if no such y was found.
    """
    target = h + spare
    y = np.linalg.solve(C, target[..., None])[..., 0]
    multipliers = np.linalg.solve(np.swapaxes(C, 1, 2), y[..., None])[..., 0]
    y = _raised(C, h, y)
    active = multipliers >= 0
    for _ in range(C.shape[1] - 1):
        outside = np.flatnonzero(~active.all(axis=1) & active.any(axis=1))
        if not len(outside):
            break
        remaining = active[outside]
        inverse = np.linalg.pinv(C[outside] * remaining[..., None], rcond=1e-13)
        candidate = (inverse @ (target[outside] * remaining)[..., None])[..., 0]
        raised = _raised(C[outside], h[outside], candidate)
        better = (raised**2).sum(axis=1) < (y[outside] ** 2).sum(axis=1)
        y[outside[better]] = raised[better]
        multipliers = (np.swapaxes(inverse, 1, 2) @ candidate[..., None])[..., 0]
        shrunk = remaining & (multipliers >= 0)
        stable = (shrunk == remaining).all(axis=1)
        active[outside] = shrunk
        active[outside[stable]] = True
    return y


def _raised(C: np.ndarray, h: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Scale each y up until C y >= h holds despite rounding; infinite if no scale suffices."""
    off = rounding.projections(C.shape[1]) * np.sqrt((y**2).sum(axis=1))[:, None]
    reach = (C @ y[..., None])[..., 0] - off
    with np.errstate(divide="ignore", invalid="ignore"):
        lift = rounding.raised(np.maximum((h / reach).max(axis=1), 1.0), 4)
        return np.where((reach > 0).all(axis=1)[:, None], y * lift[:, None], np.inf)
