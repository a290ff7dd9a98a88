"""One component: a sparse unit vector, and how it was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class Component:
    """One component: a unit vector with at most ``k`` nonzero loadings, and how it was found.

    Attributes
    ----------
    loadings : ndarray, shape (n,)
        Unit Euclidean norm. Nonnegative exactly when ``nonnegative``; otherwise signed so that
        the loading of largest magnitude is positive.
    variance : float
        ``x'Ax``, in the squared units of the data.
    method : str
        A key of ``nnspca.METHODS``; "given" for loadings of your own.
    k : int
        The cardinality that was asked for.
    nonnegative : bool
        Whether the sign constraint was on.
    options : mapping
        The options the solver ran with.
    seconds : float
        Wall-clock time of the solve.
    history : tuple of float
        The best variance known after each step of the method; it never decreases.
    stopped : bool
        True when ``should_stop`` ended the call early; the loadings are then the best so far. So it
        is of a point of a curve that is still to be searched in full.
    note : str
        What the method has to say about its own run, in plain words.
    """

    loadings: np.ndarray
    variance: float
    method: str
    k: int
    nonnegative: bool = True
    options: Mapping[str, object] = field(default_factory=dict)
    seconds: float = 0.0
    history: tuple[float, ...] = ()
    stopped: bool = False
    note: str = ""

    @property
    def support(self) -> np.ndarray:
        """Indices of the nonzero loadings, ascending."""
        return np.flatnonzero(self.loadings)

    @property
    def cardinality(self) -> int:
        """Number of nonzero loadings."""
        return int(np.count_nonzero(self.loadings))
