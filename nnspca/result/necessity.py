"""Necessity: the features of every near-best component, and the largest weight of each feature in one."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nnspca.result import wording
from nnspca.result.component import Component
from nnspca.result.display import DataFrame, Display, Figure, frame


@dataclass(frozen=True, eq=False, repr=False)
class Necessity(Display):
    """Proven facts about each of n features in all near-best components.

    A *near-best* component is feasible and its variance is at least ``threshold``, that is, within
    the share ``within`` of the best found. This includes all components within that share of the
    optimum.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[4.0, 2.0, 0.0], [2.0, 3.0, 0.0], [0.0, 0.0, 1.0]])
    >>> nnspca.necessity(cov, k=2, within=0.01).essential
    array([ True,  True, False])
    """

    k: int  #: Cardinality allowed
    nonnegative: bool  #: Whether the sign constraint is on
    within: float  #: Share by which a near-best component may fall below the best found
    lower: float  #: Variance that ``component`` provably attains, rounding included
    threshold: float  #: ``(1 - within) * lower``, rounded down
    component: Component  #: The best found
    #: Booleans, shape (n,). Every near-best component has the feature: without it, a proven upper bound lies below
    #: ``threshold``.
    essential: np.ndarray
    dispensable: np.ndarray  #: Booleans, shape (n,). A near-best component without the feature was found.
    #: Shape (n,). Proven upper bound on ``x_i²`` in any near-best component that is optimal on its own support,
    #: rounded up; 1 where nothing better is known.
    limit: np.ndarray
    #: Shape (n,). No component without the feature has more variance than the larger of this and ``threshold``; NaN
    #: where no such bound was computed.
    upper_bounds: np.ndarray
    fingerprint: str  #: Hash of its covariance
    seconds: float = field(default=0.0, compare=False)  #: Wall-clock time, the search for the component included
    #: True when ``should_stop`` ended the call early: more features are undecided, the others are proven all the
    #: same
    stopped: bool = False

    @property
    def undecided(self) -> np.ndarray:
        """Features that are neither essential nor dispensable as far as is proven, shape (n,)."""
        return ~(self.essential | self.dispensable)

    @property
    def essential_names(self) -> tuple[str, ...]:
        """Names of the features that every near-best component has."""
        return tuple(self.component.feature_name(i) for i in np.flatnonzero(self.essential).tolist())

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with a row for each feature: state, loading, limit and upper bound without it."""
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
        return text + (f" For {wording.counted(len(inside), 'feature')} this is undecided." if inside else "")

    def plot(self) -> Figure:
        """Return a Plotly figure: each feature's ``x_i²``, and its proven maximum in any near-best component."""
        from nnspca.figures.loadings import necessity

        order = wording.heaviest(self.component)
        states = [self._state(i) for i in order]
        names = [self.component.feature_name(i) for i in order]
        return necessity(names, self.component.loadings[order] ** 2, self.limit[order], states)

    def _state(self, i: int) -> str:
        return "indispensable" if self.essential[i] else "dispensable" if self.dispensable[i] else "undecided"

    def _lines(self) -> list[str]:
        counts = [f"{int(v.sum())} {n}" for n, v in (("indispensable", self.essential), ("undecided", self.undecided))]
        head = f"Necessity: k = {self.k}, {wording.sign(self.nonnegative)}, {len(self.limit)} features: "
        stopped = ", stopped before its end" if self.stopped else ""
        return [head + ", ".join(counts) + f", the others dispensable{stopped}", self.summary()]

    def _picture(self) -> str:
        return self.component._picture()
