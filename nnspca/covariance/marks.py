"""A mark that names the rows of data however they are cut: each row has its own, and those of all rows are added.

Two sums of 64 bits. A row's number is its values' bits, folded and multiplied each by a fixed odd
number of its column; it is mixed with the row's place before it is added. Rows that lie elsewhere
can so be marked elsewhere, and a zero counts for nothing, so that sparse rows have the mark of the
same rows written out. It tells data apart that differ by accident. Two tables of one mark can be
made with effort: no proof rests on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy.sparse

from nnspca.numerics.doubles import read_only

FULL = 2**64
STEPS = np.array([0x9E3779B97F4A7C15, 0xD1B54A32D192ED03], dtype=np.uint64)  # odd: any row's place differs
AT_A_TIME = 2**17  # numbers folded at a time, so that they stay in the processor's cache


@dataclass(frozen=True)
class Mark:
    """Of some rows; those of all are the sum.

    Examples
    --------
    >>> rows = np.arange(6.0).reshape(3, 2)
    >>> of_rows(rows, 0) == of_rows(rows[:1], 0) + of_rows(rows[1:], 1)
    True
    >>> of_rows(rows, 0) == of_rows(rows[::-1].copy(), 0)
    False
    """

    first: int = 0
    second: int = 0

    def __add__(self, other: Mark) -> Mark:
        return Mark((self.first + other.first) % FULL, (self.second + other.second) % FULL)

    def numbers(self) -> np.ndarray:
        """Return it as whole numbers of 64 bits, to be hashed."""
        return np.array([self.first, self.second], dtype=np.uint64).view(np.int64)


def of_rows(rows: np.ndarray, start: int, weights: np.ndarray | None = None) -> Mark:
    """Mark rows of doubles, −0 nowhere among them, the first of which is row ``start`` of the data."""
    keys = _keys(rows.shape[1] + 1)
    hashes = np.empty((len(rows), 2), dtype=np.uint64)
    step = max(1, AT_A_TIME // rows.shape[1])
    for at in range(0, len(rows), step):
        folded = _folded(rows[at : at + step])
        for which in range(2):
            np.einsum("ij,j->i", folded, keys[which, :-1], out=hashes[at : at + step, which])
    if weights is not None:
        hashes += _folded(weights)[:, None] * keys[:, -1]
    return _placed(hashes, start)


def of_sparse(rows: scipy.sparse.csr_array, start: int) -> Mark:
    """Mark sparse rows of doubles, each place stored once, as the same rows written out."""
    folded = scipy.sparse.csr_array((_folded(rows.data), rows.indices, rows.indptr), shape=rows.shape)
    return _placed(folded @ _keys(rows.shape[1] + 1)[:, :-1].T, start)


def _placed(hashes: np.ndarray, start: int) -> Mark:
    places = np.arange(start, start + len(hashes), dtype=np.uint64)[:, None]
    placed = mixed(hashes + (places + np.uint64(1)) * STEPS)
    first, second = (int(v) for v in placed.sum(axis=0, dtype=np.uint64))
    return Mark(first, second)


def _folded(values: np.ndarray) -> np.ndarray:
    """Bits of doubles, the upper half also in the lower: signs and exponents reach every bit of a product."""
    bits = np.ascontiguousarray(values).view(np.uint64)
    return (bits >> np.uint64(32)) ^ bits


def mixed(values: np.ndarray) -> np.ndarray:
    """Spread every bit over all 64 (the finaliser of splitmix64, Steele, Lea and Flood 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


@cache
def _keys(count: int) -> np.ndarray:
    """Return fixed odd numbers, two for each column, shape (2, count)."""
    numbers = np.arange(1, count + 1, dtype=np.uint64)[None, :] * STEPS[:, None]
    return read_only(mixed(numbers) | np.uint64(1))
