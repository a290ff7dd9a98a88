"""The n curves of a rank-2 problem over an angle, and their crossings with each other and with zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

ZERO = -1  # "index" of the zero curve, and of no curve at all


def values(V: np.ndarray, phi: np.ndarray | float) -> np.ndarray:
    """Return v(φ) for each angle, shape (..., n).

    Examples
    --------
    >>> values(np.array([[1.0, 0.0], [0.0, 2.0]]), 0.0)
    array([0., 2.])
    """
    phi = np.asarray(phi)
    return np.stack([np.sin(phi), np.cos(phi)], axis=-1) @ V.T


@dataclass(frozen=True, eq=False)
class Crossings:
    """Crossings of two curves, or of one with zero, by angle in (−π/2, π/2]."""

    angles: np.ndarray  # ascending
    i: np.ndarray  # a curve
    j: np.ndarray  # the curve that it meets; −1 for a crossing with zero
    mirrored: np.ndarray  # without sign: whether v_i = −v_j, so that the magnitudes meet
    heights: np.ndarray  # value of curve i at the crossing


def crossings(V: np.ndarray, *, nonnegative: bool = True) -> Crossings:
    """Return all crossings, n(n+1)/2 of them with the zero curve; n(n−1) of magnitudes without sign.

    Curves that are equal everywhere do not cross.

    Examples
    --------
    >>> meet = crossings(np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> np.round(meet.angles / np.pi, 2)
    array([0.  , 0.25, 0.5 ])
    """
    i, j = np.triu_indices(len(V), 1)
    pairs = [(i, j, V[i] - V[j], False)]
    if nonnegative:
        every = np.arange(len(V))
        pairs.append((every, np.full(len(V), ZERO), V, False))
    else:
        pairs.append((i, j, V[i] + V[j], True))
    angle_lists, first, second, mirrors = [], [], [], []
    for a, b, difference, mirrored in pairs:
        distinct = difference.any(axis=1)
        angle_lists.append(_root(difference[distinct]))
        first.append(a[distinct])
        second.append(b[distinct])
        mirrors.append(np.full(int(distinct.sum()), mirrored))
    angles = np.concatenate(angle_lists)
    order = np.argsort(angles, kind="stable")
    angles, curve = angles[order], np.concatenate(first)[order]
    heights = V[curve, 0] * np.sin(angles) + V[curve, 1] * np.cos(angles)
    return Crossings(angles, curve, np.concatenate(second)[order], np.concatenate(mirrors)[order], heights)


def _root(difference: np.ndarray) -> np.ndarray:
    """Angle in (−π/2, π/2] at which a sin φ + b cos φ is zero, for rows (a, b)."""
    a, b = difference[:, 0], difference[:, 1]
    flip = np.where((a < 0) | ((a == 0) & (b < 0)), -1.0, 1.0)
    phi = np.arctan2(-b * flip, a * flip)
    return np.where(phi <= -np.pi / 2, np.pi / 2, phi + 0.0)  # + 0.0: no negative zero
