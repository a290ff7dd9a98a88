"""Contribution: the role of one feature in a component, and the loss without it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nnspca.result import wording
from nnspca.result.display import DataFrame, Display, frame
from nnspca.result.features import Features


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
        """Return a pandas DataFrame with a row for each other feature of the component, the largest share first."""
        order = np.argsort(-np.abs(self.shares), kind="stable")
        columns = {"covariance": self.covariances[order], "share": self.shares[order], "place": self.others[order]}
        return frame(columns, index=[self._feature_name(i) for i in self.others[order].tolist()], name="feature")

    def summary(self) -> str:
        """Return plain sentences: the variance that involves the feature, and the loss without it."""
        name = wording.short(self.name)
        if not self.loading:
            gain = max(-self.loss, 0.0)
            return f"{name} is not in the component; adding it gives {wording.percent(gain)} more variance."
        text = f"{wording.percent(self.held)} of the component's variance goes through {name}; "
        text += f"without it {wording.percent(max(self.loss, 0.0))} is lost, at most"
        if self.partner is not None:
            loss, partner = max(self.loss_exchanged, 0.0), self._feature_name(self.partner)
            text += f", and {wording.percent(loss)} if {partner} replaces it"
        return text + "."

    def _feature_name(self, i: int) -> str:
        return f"x{i}" if self.features is None else self.features.name(i)

    def _lines(self) -> list[str]:
        return [f"Contribution of {self.name} (loading {self.loading:.2f})", self.summary()]
