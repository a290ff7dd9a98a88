"""Pairs the parts of two sets, each with its counterpart."""

from __future__ import annotations

import numpy as np


def paired(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return for each column of ``first`` (n, r) its counterpart in ``second`` (n, r), shape (r,).

    The pairing has the most shared nonzero rows; ties are resolved by the similarity of the columns.

    >>> U = np.eye(4)[:, :3]
    >>> paired(U, U[:, [2, 0, 1]])
    array([1, 2, 0])
    """
    from scipy.optimize import linear_sum_assignment  # slow to import

    shared = (first != 0).T.astype(float) @ (second != 0)
    norms = np.linalg.norm(first, axis=0)[:, None] * np.linalg.norm(second, axis=0)
    alike = np.abs(first.T @ second) / np.where(norms > 0, norms, 1.0)
    _, columns = linear_sum_assignment(-(shared + alike / (2 * len(alike))))  # the second term stays below one row
    return np.asarray(columns)
