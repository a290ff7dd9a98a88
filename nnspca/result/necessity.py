"""Single features: those of every near-best component, the largest weight of each, and the role of one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nnspca.result import rounded, wording
from nnspca.result.component import Component, Features
from nnspca.result.wording import DataFrame, Display, Figure


@dataclass(frozen=True, eq=False, repr=False)
class Necessity(Display):
    """Proven facts about each of n features in all near-best components.

    A *near-best* component is feasible and its variance is at least ``threshold``, that is, within the share ``within``
    of the best found. This includes all components within that share of the optimum.

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
        """Return a data frame with a row for each feature: state, loading, limit and upper bound without it."""
        places = range(len(self.limit))
        columns = {
            "state": [self.state(i) for i in places],
            "loading": self.component.loadings,
            "limit": self.limit,
            "upper_bound_without": self.upper_bounds,
        }
        return self._frame(columns, index=[self.component.feature_name(i) for i in places], name="feature")

    def summary(self) -> str:
        """Return plain sentences about the features of every near-best component."""
        within = f"within {rounded.percent(self.within)} of the best found"
        inside = [i for i in self.component.support.tolist() if self.undecided[i]]
        if names := self.essential_names:
            text = f"Every component {within} has {wording.listed(names[:12], max(0, len(names) - 12))} (proven)."
        else:
            text = f"No feature is proven to be in every component {within}."
        return text + (f" For {wording.counted(len(inside), 'feature')} this is undecided." if inside else "")

    def _figure(self, figures: Any) -> Figure:
        """Each feature's ``x_i²``, and its proven maximum in any near-best component."""
        order = wording.heaviest(self.component)
        states = [self.state(i) for i in order]
        names = [self.component.feature_name(i) for i in order]
        return figures.necessity(names, self.component.loadings[order] ** 2, self.limit[order], states)

    def state(self, i: int) -> str:
        """Return what is proven of a feature, in a word."""
        return "indispensable" if self.essential[i] else "dispensable" if self.dispensable[i] else "undecided"

    def _lines(self) -> list[str]:
        counts = [f"{int(v.sum())} {n}" for n, v in (("indispensable", self.essential), ("undecided", self.undecided))]
        head = f"Necessity: k = {self.k}, {wording.sign_in_words(self.nonnegative)}, {len(self.limit)} features: "
        return [head + ", ".join(counts) + f", the others dispensable{self._ended}", self.summary()]


@dataclass(frozen=True, eq=False, repr=False)
class Contribution(Display):
    """The role of one feature in a component, and what changes if it is removed or added.

    The variance x'Ax is a sum over pairs of features: ``own`` and ``shares`` are the terms of
    feature i in it. ``switched`` and ``exchanged`` are variances of points that were found, so the losses
    derived from them are upper bounds.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> role = nnspca.contribution(cov, nnspca.solve(cov, k=2), 0)
    >>> round(role.own, 3), role.others, round(role.switched, 3)
    (0.333, array([1]), 2.0)
    """

    feature: int  #: i
    loading: float  #: x_i; 0 if the component does not have the feature
    variance: float  #: x'Ax of the component
    own: float  #: x_i² A_ii as a share of the variance
    others: np.ndarray  #: The component's other features, ascending
    covariances: np.ndarray  #: A_ij with each of them
    shares: np.ndarray  #: 2 x_i x_j A_ij with each of them, as a share of the variance
    #: (Ax)_i less A_ii x_i: how the feature co-varies with the rest of the component, each weighed by its loading
    pull: float
    #: Best variance found once the feature changes sides and the loadings follow: without it where the component
    #: has it (0 where nothing is left), with it added where it has not
    switched: float
    #: The best replacement outside the component; for a feature outside, the member that it replaces best. None if
    #: no exchange gives it a loading.
    partner: int | None
    exchanged: float  #: Best variance found after that exchange; ``switched`` or 0 if there is no partner
    features: Features | None = field(default=None, compare=False)  #: Names, mean and scale of the features

    @property
    def held(self) -> float:
        """Share of the variance that involves the feature: its own and its covariances with all others."""
        return float(self.own + self.shares.sum())

    @property
    def loss(self) -> float:
        """Upper bound on the share of the variance lost if the feature changes sides; negative for a gain."""
        return 1.0 - self.switched / self.variance if self.variance else 0.0

    @property
    def loss_exchanged(self) -> float:
        """Upper bound on the share of the variance lost by the exchange; negative for a gain."""
        return 1.0 - self.exchanged / self.variance if self.variance else 0.0

    @property
    def name(self) -> str:
        """Name of the feature."""
        return self._feature_name(self.feature)

    def to_frame(self) -> DataFrame:
        """Return a data frame with a row for each other feature of the component, the largest share first."""
        order = np.argsort(-np.abs(self.shares), kind="stable")
        columns = {"covariance": self.covariances[order], "share": self.shares[order], "place": self.others[order]}
        return self._frame(columns, index=[self._feature_name(i) for i in self.others[order].tolist()], name="feature")

    def summary(self) -> str:
        """Return plain sentences: the variance that involves the feature, and the loss without it."""
        name = wording.short(self.name)
        if not self.loading:
            gain = max(-self.loss, 0.0)
            return f"{name} is not in the component; adding it gives {rounded.percent(gain)} more variance."
        text = f"{rounded.percent(self.held)} of the component's variance goes through {name}; "
        text += f"without it {rounded.percent(max(self.loss, 0.0), up=True)} is lost, at most"
        if self.partner is not None:
            loss, partner = max(self.loss_exchanged, 0.0), self._feature_name(self.partner)
            text += f", and {rounded.percent(loss, up=True)} if {partner} replaces it"
        return text + "."

    def _figure(self, figures: Any) -> Figure:
        """What of the variance the feature makes by itself, and with each other feature."""
        names = [self.name, *map(self._feature_name, self.others.tolist())]
        return figures.shares(names, np.append(self.own, self.shares))

    def _feature_name(self, i: int) -> str:
        return f"x{i}" if self.features is None else self.features.name(i)

    def _lines(self) -> list[str]:
        return [f"Contribution of {self.name} (loading {self.loading:.2f})", self.summary()]
