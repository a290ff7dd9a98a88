"""Entry point for contributions: why a component has a feature, and its loss without it."""

from __future__ import annotations

import numpy as np

from nnspca.certificates.judge import validated
from nnspca.control.arguments import check_instance, check_names, check_whole
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.result import Component, Contribution
from nnspca.solvers.climb import optimise_on_support
from nnspca.solvers.polish import larger_eigenvalue
from nnspca.tasks._solve import check_covariance

TRIED = 8  # most promising exchanges whose loadings are optimised


def contribution(cov: Covariance, component: Component, feature: int | str) -> Contribution:
    """Explain why a component has a feature, or lacks it, and what changes otherwise.

    Parameters
    ----------
    cov : Covariance
        Of n features: what the component was sought on.
    component : Component
    feature : int or str
        0 <= feature < n, in the component or not; or its name, where the data had names.

    Returns
    -------
    Contribution
        Its covariances with the component's other features, its share of the variance, and the best
        variance found without it, and with another feature in its place; for a feature outside,
        with it, and in another's place. Every exchange is weighed by the variance that the rest
        keeps and the new feature adds at first; the eight best are worked out in full.

    Raises
    ------
    TypeError
        No covariance or no component.
    ValueError
        A feature that there is not, or a component of another problem.

    Examples
    --------
    Two features vary together; the third stands in for either, at a loss:

    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0, 0.5], [1.0, 2.0, 0.5], [0.5, 0.5, 2.0]])
    >>> why = contribution(cov, nnspca.solve(cov, k=2), 0)
    >>> why.others, why.covariances, round(why.held, 9)
    (array([1]), array([1.]), 0.666666667)
    >>> why.switched, why.partner, round(why.exchanged, 9)
    (2.0, 2, 2.5)
    """
    check_covariance(cov)
    check_instance("component", component, Component, "one that nnspca.solve gave")
    n = cov.n_features
    i = check_whole("feature", check_names("feature", feature, cov.feature_names), 0, n - 1)
    part = validated(component, "component", Problem(cov, n, component.nonnegative))
    with one_blas_thread():
        return _contribution_of(_Place(cov, part.loadings, float(part.variance), part.nonnegative), i)


def _contribution_of(place: _Place, i: int) -> Contribution:
    """Gather what is known of feature i."""
    cov, x, unit = place.cov, place.x, place.value or 1.0
    others = np.setdiff1d(np.flatnonzero(x), [i])
    covariances = cov.block(np.array([i]), others)[0] if len(others) else np.zeros(0)
    switched, partner, exchanged = place.out(i, others) if x[i] else place.into(i, others)
    return Contribution(
        feature=i,
        loading=float(x[i]),
        variance=place.value,
        own=float(x[i] ** 2 * cov.diagonal[i] / unit),
        others=others,
        covariances=covariances,
        shares=2 * x[i] * x[others] * covariances / unit,
        pull=float(covariances @ x[others]),
        switched=switched,
        partner=partner,
        exchanged=exchanged,
        features=cov.features,
    )


class _Place:
    """A feasible point, with the moves of one feature into or out of it."""

    def __init__(self, cov: Covariance, x: np.ndarray, value: float, nonnegative: bool) -> None:
        self.cov, self.x, self.value, self.nonnegative = cov, x, value, nonnegative

    def out(self, i: int, others: np.ndarray) -> tuple[float, int | None, float]:
        """Remove feature i, then try each feature from outside in its place."""
        cov, n = self.cov, self.cov.n_features
        outside = np.setdiff1d(np.flatnonzero(self.x == 0), [i])
        remaining, rest = 0.0, np.zeros(n)
        if len(others):
            rest = self._best(feasible.unit(np.where(np.arange(n) == i, 0.0, self.x)))
            remaining = float(cov.variance(rest))
        if not len(outside):
            return remaining, None, remaining
        pulls = self._gains(cov.apply(rest)[outside]) if len(others) else np.zeros(len(outside))
        prices = larger_eigenvalue(remaining, pulls, cov.diagonal[outside])
        tried = outside[np.argsort(-prices, kind="stable")[:TRIED]].tolist()
        partner, best = self._best_of([(j, self._joined(rest, remaining, j), j) for j in tried])
        return (remaining, partner, best) if partner is not None and best > remaining else (remaining, None, remaining)

    def into(self, i: int, others: np.ndarray) -> tuple[float, int | None, float]:
        """Add feature i to all others, then in the place of each of them."""
        cov, x, value = self.cov, self.x, self.value
        best_value = max(value, float(cov.variance(self._best(self._joined(x, value, i)))))
        weights = x[others]
        remaining_norms = 1.0 - weights**2
        gradient, row = cov.apply(x), cov.block(np.array([i]), others)[0]
        spare = remaining_norms > 1e-12  # a feature that is all of x leaves nothing behind
        scale = np.where(spare, remaining_norms, 1.0)
        rest = np.where(spare, (value - 2 * weights * gradient[others] + weights**2 * cov.diagonal[others]) / scale, 0)
        pulls = self._gains(np.where(spare, (gradient[i] - weights * row) / np.sqrt(scale), 0.0))
        prices = larger_eigenvalue(rest, pulls, cov.diagonal[i])
        tried = []
        for at in np.argsort(-prices, kind="stable")[:TRIED]:
            y = feasible.unit(np.where(np.arange(cov.n_features) == others[at], 0.0, x))
            tried.append((int(others[at]), self._joined(y, float(rest[at]), i), i))
        partner, best = self._best_of(tried)
        return best_value, partner, best

    def _best_of(self, tried: list[tuple[int, np.ndarray, int]]) -> tuple[int | None, float]:
        """Optimise the candidates; return the best one in which the new feature has a loading, and that feature."""
        optimised = [(who, self._best(start), new) for who, start, new in tried]
        candidates = [(who, float(self.cov.variance(y))) for who, y, new in optimised if y[new] != 0]
        return max(candidates, key=lambda pair: pair[1], default=(None, 0.0))

    def _gains(self, pulls: np.ndarray) -> np.ndarray:
        """The gain of a feature from its covariances; zero if that would need a negative loading."""
        return np.maximum(pulls, 0.0) if self.nonnegative else np.abs(pulls)

    def _joined(self, y: np.ndarray, value: float, j: int) -> np.ndarray:
        """The best mixture of y, of the given variance, and feature j."""
        pull = float(self.cov.apply(y)[j])
        if self.nonnegative:
            pull = max(pull, 0.0)
        angle = np.arctan2(2 * pull, value - self.cov.diagonal[j]) / 2 if y.any() else np.pi / 2
        z = y * np.cos(angle)
        z[j] = np.sin(angle)
        return feasible.unit(z)

    def _best(self, start: np.ndarray) -> np.ndarray:
        return optimise_on_support(self.cov, start, nonnegative=self.nonnegative)
