"""Pairs the parts of two sets, each with its counterpart."""

from __future__ import annotations

import numpy as np


def paired(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return for each column of ``first`` (n, r) its counterpart in ``second`` (n, r), shape (r,).

    The pairs share as many nonzero rows as any pairing could; among those that share as many, the
    one whose columns are the most alike is taken.

    Examples
    --------
    >>> U = np.eye(4)[:, :3]
    >>> paired(U, U[:, [2, 0, 1]])
    array([1, 2, 0])
    """
    from scipy.optimize import linear_sum_assignment  # takes as long to load as all the rest

    shared = (first != 0).T.astype(float) @ (second != 0)
    norms = np.linalg.norm(first, axis=0)[:, None] * np.linalg.norm(second, axis=0)
    alike = np.abs(first.T @ second) / np.where(norms > 0, norms, 1.0)
    _, columns = linear_sum_assignment(-(shared + alike / (2 * len(alike))))  # never worth a whole row
    return np.asarray(columns)
