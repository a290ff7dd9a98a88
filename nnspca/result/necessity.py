"""Necessity: the features of every near-best component, and the largest weight of each feature in one."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nnspca.result import wording
from nnspca.result.component import Component
from nnspca.result.shown import Shown
from nnspca.result.tables import frame
from nnspca.result.values import ByValue


@dataclass(frozen=True, eq=False, repr=False)
class Necessity(Shown, ByValue):
    """Proven facts about each of n features in all near-best components.

    A *near-best* component is feasible and of at least ``threshold``: within the share ``within``
    of the best found, and so every component within that share of the unknown optimum is one.

    Attributes
    ----------
    k : int
        Cardinality allowed.
    nonnegative : bool
        Whether the sign constraint is on.
    within : float
        Share of the best found that a near-best component may lack.
    lower : float
        What ``component`` is proven to attain, rounding included.
    threshold : float
        ``(1 - within) * lower``, rounded down.
    component : Component
        The best found.
    essential : ndarray of bool, shape (n,)
        Every near-best component has the feature: a proven bound without it lies below
        ``threshold``.
    dispensable : ndarray of bool, shape (n,)
        Some near-best component does without it: one was found.
    limit : ndarray, shape (n,)
        Proven bound on the share of weight ``x_i²`` in any near-best component that is best on
        its own support, rounded up: 1 where nothing is known.
    bounds : ndarray, shape (n,)
        No component without the feature has more variance than this, or than ``threshold``,
        whichever is larger; NaN where no such bound was sought.
    fingerprint : str
        Hash of its covariance.
    seconds : float
        Wall-clock time, the search for the component included.
    stopped : bool
        True when ``should_stop`` ended the call early: what is said is proven all the same, and
        more is left open.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[4.0, 2.0, 0.0], [2.0, 3.0, 0.0], [0.0, 0.0, 1.0]])
    >>> nnspca.necessity(cov, k=2, within=0.01).essential
    array([ True,  True, False])
    """

    k: int
    nonnegative: bool
    within: float
    lower: float
    threshold: float
    component: Component
    essential: np.ndarray
    dispensable: np.ndarray
    limit: np.ndarray
    upper_bounds: np.ndarray
    fingerprint: str
    seconds: float = field(default=0.0, compare=False)
    stopped: bool = False

    @property
    def undecided(self) -> np.ndarray:
        """Features of which neither is known, shape (n,): the bound is not low enough for a proof."""
        return ~(self.essential | self.dispensable)

    @property
    def essential_names(self) -> tuple[str, ...]:
        """Names of the features that every near-best component has."""
        return tuple(self.component.feature_name(i) for i in np.flatnonzero(self.essential).tolist())

    def to_frame(self):
        """Return a pandas DataFrame with a row for each feature: its status, its loading and its limit."""
        places = range(len(self.limit))
        columns = {
            "state": [self._state(i) for i in places],
            "loading": self.component.loadings,
            "limit": self.limit,
            "upper_bound_without": self.upper_bounds,
        }
        return frame(columns, index=[self.component.feature_name(i) for i in places], name="feature")

    def summary(self) -> str:
        """Return plain sentences about the features of every near-best component."""
        within = f"within {wording.percent(self.within)} of the best found"
        inside = [i for i in self.component.support.tolist() if self.undecided[i]]
        if names := self.essential_names:
            text = f"Every component {within} has {wording.listed(names[:12], max(0, len(names) - 12))} (proven)."
        else:
            text = f"No feature is proven to be in every component {within}."
        return text + (f" Of {wording.counted(len(inside), 'feature')} it is not known." if inside else "")

    def plot(self):
        """Return a Plotly figure: each feature's weight, and the most that any near-best component can give it."""
        from nnspca.figures.features import necessity

        order = wording.heaviest(self.component)
        states = [self._state(i) for i in order]
        names = [self.component.feature_name(i) for i in order]
        return necessity(names, self.component.loadings[order] ** 2, self.limit[order], states)

    def _state(self, i: int) -> str:
        return "essential" if self.essential[i] else "dispensable" if self.dispensable[i] else "undecided"

    def _lines(self) -> list[str]:
        counts = [f"{int(v.sum())} {n}" for n, v in (("essential", self.essential), ("undecided", self.undecided))]
        head = f"Necessity: k = {self.k}, {wording.sign(self.nonnegative)}, {len(self.limit)} features: "
        stopped = ", stopped before its end" if self.stopped else ""
        return [head + ", ".join(counts) + f", the others dispensable{stopped}", self.summary()]

    def _picture(self) -> str:
        return self.component._picture()
