"""L and M of a pair-scaled proof on a grid: a few bytes of their upper halves in a file stand for both.

M is no more than L asks for, so of M_ij and M_ji the larger is enough: the other is L_ij² divided by it. Any L and
M prove a bound, so both may be rounded before what they prove is computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

# Features up to which nearly all binary digits of doubles are kept, and how many beyond. At 17 a proof loses 10⁻⁶ of
# its bound (LFW standardised, k = 40). Half: 2·10⁻³, in files of half the size; double: none, in three times the size.
FINE_SIDE = 100
DIGITS = (46, 17)
TILE = 96  # side of the blocks in which pairs are visited
WIDTH = 6  # most bytes of a number: whole numbers of as many are doubles
GROWN = 16 * float(np.finfo(float).eps)  # what covers the rounding in a quotient and in the roots of a product


def tiles(n: int) -> Iterator[tuple[tuple[slice, slice], tuple[slice, slice]]]:
    """Yield where blocks of pairs are, and their mirror images: both stay in the cache, and a pair is visited once."""
    for i in range(0, n, TILE):
        for j in range(i, n, TILE):
            yield (slice(i, i + TILE), slice(j, j + TILE)), (slice(j, j + TILE), slice(i, i + TILE))


def rounded(L: np.ndarray, M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a symmetric L and M on a grid, (n, n), with ``M_ij M_ji >= L_ij²`` where that is given, roughly.

    Elsewhere, as on its diagonal, M is zero; L's diagonal stays.

    Examples
    --------
    >>> L, M = rounded(np.array([[5.0, 2.0], [2.0, 7.0]]), np.array([[0.0, 4.0], [1.0, 0.0]]))
    >>> bool(M[0, 1] * M[1, 0] >= L[0, 1] ** 2)
    True
    """
    own, L = L.diagonal().copy(), L.copy()
    np.fill_diagonal(L, 0.0)
    top, least = max(float(L.max(initial=0.0)), float(M.max(initial=0.0))), float(L.min(initial=0.0))
    down, near = DIGITS[len(L) > FINE_SIDE] - int(np.frexp(max(top, -least))[1]), np.empty_like(M)
    for above, below in tiles(len(L)):
        entries, a, b = np.rint(_scaled(L[above], down)), M[above], M[below].T
        is_larger = a >= b if above != below else np.triu(a >= b) | np.tril(a > b)
        # more than |L_ij|, so that it stays the larger
        larger = np.maximum(np.rint(_scaled(np.maximum(a, b), down)), np.abs(entries) + 1)
        larger = _scaled(larger * (((a > 0) | (b > 0)) & (entries != 0)), -down)
        entries = _scaled(entries, -down)
        smaller = _smaller(entries, larger)
        L[above], L[below] = entries, entries.T
        near[above], near[below] = np.where(is_larger, larger, smaller), np.where(is_larger, smaller, larger).T
    np.fill_diagonal(L, own)
    return L, near


def _smaller(L: np.ndarray, larger: np.ndarray) -> np.ndarray:
    """The smaller of each M_ij and M_ji from the larger, a symmetric array; zero where that is."""
    given = larger > 0
    size = np.abs(L) * given
    return size / (larger + ~given) * size * (1 + GROWN)


def _scaled(x: np.ndarray, exponent: int) -> np.ndarray:
    """x times 2^exponent, as ``np.ldexp`` has it, in a tenth of the time; 2^exponent itself need not be a double."""
    half = exponent // 2
    return x * 2.0**half * 2.0 ** (exponent - half)


@dataclass(frozen=True, eq=False)
class Halves:
    """What is above the diagonals of L and M, row by row, as bytes: first the lowest of all numbers, then the next.

    Examples
    --------
    >>> L, M = rounded(np.array([[5.0, 2.0], [2.0, 7.0]]), np.array([[0.0, 4.0], [1.0, 0.0]]))
    >>> again = Halves.of(L, M).both()
    >>> bool((again[0] == L).all() and (again[1] == M).all())
    True
    """

    L: np.ndarray  #: of L's entries, in whole multiples of 2^exponent
    M: np.ndarray  #: likewise of the larger of M_ij and M_ji, negative where that is M_ji
    own: np.ndarray  #: (n,), L's diagonal
    exponent: int

    @classmethod
    def of(cls, L: np.ndarray, M: np.ndarray) -> Halves | None:
        """Return what stands for L and M, (n, n), bit for bit; None where nothing does."""
        upper = np.triu_indices(len(L), 1)
        entries, first, second = L[upper], M[upper], M.T[upper]
        signed = np.where(first >= second, first, -second)
        used = np.abs(np.concatenate([entries, signed]))
        digits, exponents = np.frexp(used[used > 0])
        whole = np.ldexp(digits, 53).astype(np.int64)
        lowest = exponents - 54 + np.frexp((whole & -whole).astype(float))[1]
        exponent = int(lowest.min()) if whole.size else 0
        width = (int(exponents.max(initial=exponent)) - exponent) // 8 + 1
        if width > WIDTH:
            return None
        numbers = (np.ldexp(half, -exponent).astype("<i8").view(np.uint8).reshape(-1, 8) for half in (entries, signed))
        of_L, of_M = (np.ascontiguousarray(each[:, :width].T).ravel() for each in numbers)
        found = cls(of_L, of_M, L.diagonal().copy(), exponent)
        again = found.both()
        return found if (again[0] == L).all() and (again[1] == M).all() else None

    def both(self) -> tuple[np.ndarray, np.ndarray]:
        """Return L and M; ValueError if the bytes are not those of as many features as L's diagonal has."""
        n = len(self.own)
        entries, signed = (np.ldexp(_whole(half, n * (n - 1) // 2), self.exponent) for half in (self.L, self.M))
        upper = np.triu_indices(n, 1)
        L, larger, is_larger = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n), dtype=bool)
        L[upper], larger[upper], is_larger[upper], is_larger.T[upper] = entries, np.abs(signed), signed >= 0, signed < 0
        L, larger = L + L.T, larger + larger.T
        M = np.where(is_larger, larger, _smaller(L, larger))
        np.fill_diagonal(L, self.own)
        return L, M


def _whole(half: np.ndarray, count: int) -> np.ndarray:
    """The whole numbers that bytes stand for, as doubles."""
    width = len(half) // max(count, 1)
    if half.dtype != np.uint8 or half.ndim != 1 or width * count != len(half) or width > WIDTH or (count and not width):
        raise ValueError(f"{half.size} entries of {half.dtype} do not stand for {count} numbers")
    bits = np.zeros((count, 8), dtype=np.uint8)
    bits[:, 8 - width :] = half.reshape(width, count).T
    return (bits.view("<i8").ravel() >> (64 - 8 * width)).astype(float)  # the sign is that of the highest byte
