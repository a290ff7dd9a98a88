"""What solvers, bounds and judges read of a covariance: how A is held, what reading costs, how far A may be off.

A solver or a bound takes a :class:`nnspca.Covariance` and finds this as its ``held``; a caller of the library needs
none of it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np

from nnspca.covariance.factor import DenseFactor, Factor, SparseFactor
from nnspca.covariance.forms import Form, HeldMatrix
from nnspca.covariance.provenance import Provenance
from nnspca.numerics.doubles import read_only
from nnspca.numerics.feasible import sum_of_largest

STRIP, STRIP_ENTRIES = 256, 4_000_000  # most rows, and entries of rows, that are read at a time
BATCH_ENTRIES = 1_200_000  # of vectors that A is applied to at a time
SPARSE_ROW = 5e5  # products whose time a row of sparse data takes beside its own
SELECTED, DENSE_PRODUCT, SPARSE_PRODUCT = 5e-9, 7e-11, 1e-8  # seconds an entry, and a product behind it
DENSE_PRODUCTS, SPARSE_PRODUCTS = 400_000_000, 50_000_000  # with the numbers held, at a time


class Held:
    """A of n features as it is held: its form, and its provenance, which has what rounding did to A."""

    def __init__(self, form: Form, provenance: Provenance) -> None:
        self.form, self.provenance = form, provenance
        # a variance below zero by rounding is none, and a write to it would change what is proven
        self.diagonal = read_only(np.maximum(form.diagonal, 0.0))
        self._n = len(self.diagonal)

    @property
    def moved(self) -> float:
        """How far a repair moved the matrix given, in the Frobenius norm: certificates speak about the one held."""
        return self.provenance.moved

    @property
    def drift(self) -> float:
        """Bound on what A is off by on any other machine, in the Frobenius norm."""
        return self.provenance.drift

    @property
    def error_elsewhere(self) -> float:
        """Bound on ``representation_error`` on any machine."""
        return self.provenance.error_elsewhere

    @property
    def entries(self) -> np.ndarray:
        """A itself, shape (n, n); TypeError where it is not held: ask :attr:`holds_entries` first."""
        if isinstance(self.form, HeldMatrix):
            return self.form.A
        raise TypeError(f"the {self._n} × {self._n} entries are not held: read blocks of them")

    @property
    def holds_entries(self) -> bool:
        """Whether A is held entry by entry."""
        return isinstance(self.form, HeldMatrix)

    @property
    def factor(self) -> Factor | None:
        """Y with A = Y'Y where A is not held, ``forward(x)`` is Yx and ``backward(z)`` is Y'z; None otherwise."""
        return self.form if isinstance(self.form, Factor) else None

    @property
    def strip(self) -> int:
        """How many whole rows of A are read at a time, so that they fit in memory and take no tenth of a second."""
        return max(1, min(STRIP, STRIP_ENTRIES // self._n))

    @cached_property
    def batch(self) -> int:
        """How many vectors A is applied to at a time, so that a step of each takes no tenth of a second."""
        sparse = self.factor is not None and not isinstance(self.factor, DenseFactor)
        products = SPARSE_PRODUCTS if sparse else DENSE_PRODUCTS
        return max(1, min(BATCH_ENTRIES // self._n, products // self._stored))

    @property
    def _stored(self) -> int:
        return sum(array.size for array in self.form.arrays())

    @property
    def row_cost(self) -> float:
        """About how many products it takes to read a whole row of A."""
        if self.holds_entries:
            return float(self._n)
        stored = float(self._stored)
        if self.factor is None or isinstance(self.factor, DenseFactor):
            return stored
        m, n = self.factor.shape
        return max(stored * stored / (m * n), SPARSE_ROW)

    def reading_seconds(self, rows: np.ndarray) -> float:
        """About how many seconds it takes to read these rows of A and to select from them, on one core of 2024."""
        each = len(rows) * self._n * SELECTED
        if self.holds_entries:
            return each
        if isinstance(self.factor, SparseFactor):
            m, _ = self.factor.shape
            stored = np.diff(self.factor.by_columns.indptr)
            return each + SPARSE_PRODUCT * float(stored[rows].sum()) * float(stored.sum()) / m
        return each + DENSE_PRODUCT * len(rows) * self.row_cost

    def room(self, entries: int = 1) -> float:
        """What a bound that sums so many entries of A, or takes one eigenvalue, is raised by.

        A judge on another machine holds A' with ‖A' − A‖ <= drift in the Frobenius norm, hence entry by entry and in
        the spectral norm, and adds its own representation error to what it derives: whatever is proven of A here is
        derived from A' at ``error_elsewhere + entries · drift`` more, at most.
        """
        return self.error_elsewhere + entries * self.drift

    def drift_of_rows(self, weights: np.ndarray, k: int) -> np.ndarray:
        """What the sum of any k entries of each row, each times its column's weight, may drift by, shape (n,)."""
        any_entry = np.full(self._n, self.drift * float(sum_of_largest(weights, k)))
        relative = self.provenance.relative_drift
        if not np.isfinite(relative):
            return any_entry
        s = np.sqrt(self.diagonal)
        return np.minimum(any_entry, relative * s * float(sum_of_largest(s * weights, k)))

    @property
    def stands_for(self) -> Literal["centred", "standardised", "matrix"] | None:
        """What a file of numbers stands for from which anyone can form this covariance anew.

        ``"centred"`` or ``"standardised"``: of the data given to ``from_data``, samples as rows. ``"matrix"``: of
        :attr:`entries`. None where it was made of another covariance and is not held.
        """
        operation = self.provenance.operation
        if "data centred" in operation:
            return "standardised" if operation.endswith("standardised") else "centred"
        return "matrix" if self.holds_entries else None
