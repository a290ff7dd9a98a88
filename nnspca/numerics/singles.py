"""Inner products of the columns of an array in single precision."""

from __future__ import annotations

import numpy as np

SINGLE_ROWS = 256  # rows of the array that are summed in single precision before their sum is added to the others


class SingleProducts:
    """Y'Y in single precision, Y of shape (m, n); ``rounding.single_products`` bounds the error of its entries.

    Examples
    --------
    >>> SingleProducts(np.array([[1.0, 2.0], [3.0, 4.0]])).at(slice(0, 1), slice(None))
    array([[10., 14.]], dtype=float32)
    """

    def __init__(self, Y: np.ndarray) -> None:
        self._parts = [Y[at : at + SINGLE_ROWS].astype(np.float32) for at in range(0, len(Y), SINGLE_ROWS)]

    def at(self, rows: np.ndarray | slice, columns: np.ndarray | slice) -> np.ndarray:
        """Return the entries at rows × columns, an array of its own."""
        first, *others = self._parts
        block = first[:, rows].T @ first[:, columns]
        for part in others:
            block += part[:, rows].T @ part[:, columns]
        return block
