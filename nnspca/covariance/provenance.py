"""Where a covariance comes from, what rounding did to it, and a hash of that which is the same on every machine."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse

AT_A_TIME = 4_000_000  # numbers hashed at a time


@dataclass(frozen=True, eq=False)
class Provenance:
    """What was done with which data, how far the outcome is off, and the provenance of what it was done to.

    The arrays are known to the last bit wherever the covariance is made again; where they are not kept, ``digest`` is
    their fingerprint.
    """

    operation: str = ""  # empty where nothing is known
    arrays: tuple[np.ndarray, ...] = ()
    parent: Provenance | None = None
    digest: str = ""
    n_samples: int | None = None  # None of a matrix
    moved: float = 0.0  # how far a repair moved the matrix given, in the Frobenius norm
    representation_error: float = 0.0  # bound on the spectral norm of A as held less A of the data as given
    # bound on the Frobenius norm of A as held here less A on any other machine, where other routines sum in another
    # order: each is within its own error of the exact A, and these errors agree to more digits than two
    drift: float = np.nan
    relative_drift: float = np.inf  # of any entry A_ij, relative to sqrt(A_ii A_jj); infinite where none is known
    error_elsewhere: float = np.nan  # bound on ``representation_error`` on any machine; as drift, it follows where NaN
    mean: np.ndarray | None = None  # taken off the samples
    scale: np.ndarray | None = None  # what they were divided by

    def __post_init__(self) -> None:
        if np.isnan(self.drift):
            object.__setattr__(self, "drift", 2.02 * self.representation_error)
        if np.isnan(self.error_elsewhere):
            object.__setattr__(self, "error_elsewhere", 1.01 * self.representation_error)

    @cached_property
    def fingerprint(self) -> str:
        """32 hexadecimal digits."""
        parent = self.parent.fingerprint if self.parent is not None else ""
        return self.digest or hash_of(self.operation, *self.arrays, parent=parent)

    def derived(
        self, operation: str, argument: np.ndarray, *, growth: float = 1.0, rounding: float = 0.0, times: int = 1
    ) -> Provenance:
        """Return that of what is made by an operation on an argument, of the same samples.

        ``growth`` is by how much an error grows, ``rounding`` what the operation adds to it, in the Frobenius norm, and
        ``times`` how often a bound that sums variances meets that rounding. The argument is reproducible to the last
        bit, as its hash is in the fingerprint.
        """
        exact, more = growth == 1.0 and not rounding, times * rounding
        return Provenance(
            operation if self.operation else "",
            (np.array(argument),) if self.operation else (),
            self if self.operation else None,
            n_samples=self.n_samples,
            moved=self.moved,
            representation_error=growth * self.representation_error + more,
            drift=self.drift if exact else 1.01 * (growth * self.drift + 2 * rounding),
            relative_drift=self.relative_drift if exact else np.inf,
            error_elsewhere=self.error_elsewhere if exact else 1.01 * (growth * self.error_elsewhere + more),
        )


def of_data(rows: np.ndarray | scipy.sparse.sparray, standardize: bool, sparse: bool) -> tuple[str, str]:
    """Return the operation and the hash of data, samples as rows, by how they are held.

    Sparse data are hashed as they are stored in order, without explicit zeros, and others row by row. Rounding is
    allowed for by how data are held, so that the hash says it, too.
    """
    made = f"centred{' and standardised' if standardize else ''}"
    if not sparse:
        return f"data {made}", hash_of(f"data {made}", rows)
    stored = scipy.sparse.csr_array(rows)
    if not (stored.has_canonical_format and stored.data.all()):
        stored = stored.copy()
        stored.sum_duplicates()
        stored.eliminate_zeros()
    arrays = np.array(stored.shape), stored.indptr, stored.indices, stored.data
    return f"sparse data {made}", hash_of(f"sparse data {made}", *arrays)


def hash_of(operation: str, *arrays: np.ndarray | scipy.sparse.sparray, parent: str = "") -> str:
    """Hash shapes, and numbers row by row with the least significant byte first; −0 counts as 0."""
    digest = hashlib.blake2b(f"{operation}|{parent}".encode(), digest_size=16)
    for array in arrays:
        plain = "<f8" if array.dtype.kind == "f" else "<i8"
        digest.update(f"|{array.shape}{plain}|".encode())
        flat: Any = array if array.ndim else array[None]
        step = max(1, AT_A_TIME // max(1, math.prod(flat.shape[1:])))
        for start in range(0, flat.shape[0], step):
            part = flat[start : start + step]
            part = part.toarray() if scipy.sparse.issparse(part) else part
            digest.update(np.ascontiguousarray(part + 0, dtype=plain).data)
    return digest.hexdigest()
