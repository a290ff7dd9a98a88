"""Where a covariance comes from, as a hash that is the same on every machine, whatever the last bits of A there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse

AT_A_TIME = 4_000_000  # numbers hashed at a time


@dataclass(frozen=True, eq=False)
class Origin:
    """An operation, what it was done with, and the origin of what it was done to; hashed when it is asked for.

    ``arrays`` are known to the last bit wherever the covariance is made again; where they are not kept, ``digest``
    is their fingerprint.

    >>> whole = Origin("matrix", (np.eye(2),))
    >>> part = Origin("restrict", (np.array([1]),), whole)
    >>> part.fingerprint == Origin("restrict", (np.array([0]),), whole).fingerprint
    False
    """

    operation: str
    arrays: tuple[np.ndarray, ...]
    parent: Origin | None = None
    digest: str = ""

    @cached_property
    def fingerprint(self) -> str:
        """32 hexadecimal digits."""
        parent = self.parent.fingerprint if self.parent is not None else ""
        return self.digest or _digest(self.operation, parent, self.arrays)


def of_data(rows: np.ndarray | scipy.sparse.sparray, standardize: bool) -> Origin:
    """Return the origin of data, samples as rows, which are hashed at once and not kept.

    Sparse data are hashed as they are stored in order, without explicit zeros. Which data are held sparse is a
    matter of their numbers alone (:func:`nnspca.covariance.samples.by_cost`), so equal numbers have one fingerprint.
    """
    made = f"centred{' and standardised' if standardize else ''}"
    if scipy.sparse.issparse(rows):
        stored = scipy.sparse.csr_array(rows)
        if not (stored.has_canonical_format and stored.data.all()):
            stored = stored.copy()
            stored.sum_duplicates()
            stored.eliminate_zeros()
        shape = np.array(stored.shape)
        return hashed(f"sparse data {made}", shape, stored.indptr, stored.indices, stored.data)
    return hashed(f"data {made}", np.asarray(rows))


def hashed(operation: str, *arrays: np.ndarray) -> Origin:
    """Return the origin of arrays that are hashed at once and not kept."""
    return Origin(operation, (), digest=_digest(operation, "", arrays))


def _digest(operation: str, parent: str, arrays: Iterable[np.ndarray]) -> str:
    """Hash shapes, and numbers row by row with the least significant byte first; −0 counts as 0."""
    digest = hashlib.blake2b(f"{operation}|{parent}".encode(), digest_size=16)
    for array in arrays:
        plain = "<f8" if array.dtype.kind == "f" else "<i8"
        digest.update(f"|{array.shape}{plain}|".encode())
        flat = array if array.ndim else array[None]
        step = max(1, AT_A_TIME // max(1, flat[:1].size))
        for start in range(0, len(flat), step):
            digest.update(np.ascontiguousarray(flat[start : start + step] + 0, dtype=plain).data)
    return digest.hexdigest()
