"""Writer: the arrays that a proof refers to, and factors R that show an eigenvalue bound as a sum of squares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg

from nnspca.covariance import Covariance

EPS = np.finfo(float).eps
BITS = 58  # of R's largest entry: products of two, summed, are a few machine words
LARGEST = 6000  # side of the largest matrix whose factor is written


class UnsupportedProof(Exception):
    """The checkers know no form of this proof."""


@dataclass(frozen=True, eq=False)
class Writer:
    """Writes arrays into one file; an array that is already there is referred to, not repeated."""

    nonnegative: bool
    arrays: dict[str, np.ndarray]
    include: tuple[int, ...] = ()  # features that every support contains, for a proof that can use it
    named: set[str] = field(default_factory=set)  # each once: the checker uses them up

    def witness(self, array: np.ndarray) -> dict[str, str]:
        """Return the reference to an array in the file."""
        for name, stored in self.arrays.items():
            if stored is array and name not in self.named:
                self.named.add(name)
                return {"witness": f"{name}.npy"}
        name = f"check{len(self.arrays)}"
        self.named.add(name)
        self.arrays[name] = array
        return {"witness": f"{name}.npy"}

    def factor(self, t: float, B: np.ndarray, V: np.ndarray | None = None) -> dict[str, Any]:
        """R and V and their grid: whole multiples of 2^-shift, with R'R a little below tI − B + VV'."""
        n = len(B)
        if n > LARGEST:
            raise UnsupportedProof
        live = np.zeros((n, 0)) if V is None else V[:, V.any(axis=0)]
        S = t * np.eye(n) - B + live @ live.T
        spare = n * EPS * float(np.abs(S.diagonal()).sum())
        for step in (-32, -1, 0, 1):  # with room for the rounding in A, if t leaves it; beyond, t is no upper bound
            try:
                lower = scipy.linalg.cholesky(S + step * spare * np.eye(n), lower=True)
                break
            except scipy.linalg.LinAlgError:
                continue
        else:
            raise UnsupportedProof
        largest = max(float(np.abs(lower).max()), float(np.linalg.norm(live)))
        shift = BITS - int(np.frexp(largest)[1])
        record = {"R": self.witness(_whole(lower[np.tril_indices(n)], shift)), "shift": shift}
        return record | ({"V": self.witness(_whole(live, shift))} if live.size else {})


def _whole(values: np.ndarray, shift: int) -> np.ndarray:
    return np.rint(np.ldexp(values, shift)).astype(np.int64)


def entries_of(cov: Covariance) -> np.ndarray:
    """A's entries, symmetric, formed if A is held as data."""
    if cov.holds_entries:
        return cov.entries
    if cov.n_features > LARGEST:
        raise UnsupportedProof
    every = np.arange(cov.n_features)
    A = cov.block(every, every)
    return (A + A.T) / 2
