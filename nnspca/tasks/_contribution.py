"""What is said of components at hand: the role of a feature in one, and each beside the proven maximum."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from nnspca.bounds.plan import PLANS
from nnspca.certificates.judge import checked
from nnspca.control.arguments import (
    Effort,
    Seed,
    check_choice,
    check_columns,
    check_flag,
    check_instance,
    check_whole,
    is_table,
    places_by_name,
)
from nnspca.control.stopping import interruptible
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import Covariance
from nnspca.covariance.input import numbers, places_among, read_given
from nnspca.covariance.problem import Problem
from nnspca.machines import Executor
from nnspca.numerics import feasible
from nnspca.numerics.doubles import read_only
from nnspca.result import Certificate, Component, Components, Contribution, Judgement, OnProgress, ShouldStop
from nnspca.solvers.climb import larger_eigenvalue, optimise_on_support
from nnspca.tasks._certify import certify
from nnspca.tasks._solve import check_covariance, check_seed, check_sizes, monitor_of

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
    i = check_whole("feature", places_by_name("feature", feature, cov.feature_names), 0, n - 1)
    part = checked(component, "component", Problem(cov, n, component.nonnegative))
    x, place = part.loadings, _Place(cov, part.loadings, float(part.variance), part.nonnegative)
    unit, others = place.value or 1.0, np.setdiff1d(np.flatnonzero(x), [i])
    with one_blas_thread():
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
        pulls = feasible.allowed(cov.apply(rest)[outside], self.nonnegative) if len(others) else np.zeros(len(outside))
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
        pulls = feasible.allowed(np.where(spare, (gradient[i] - weights * row) / np.sqrt(scale), 0.0), self.nonnegative)
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


@interruptible
def certify_loadings(
    cov: Covariance,
    loadings: Any,
    k: int | Iterable[int] | None = None,
    *,
    nonnegative: bool | None = None,
    effort: Effort = "live",
    seed: Seed = 0,
    executor: Executor = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> Judgement:
    """Compare loadings that another program found with the proven maximum for as many features and the same signs.

    Each component is judged by itself, as if it had been sought alone: a second one that was kept uncorrelated with
    the first, as PCA's is, falls short of the maximum for that reason.

    Parameters
    ----------
    cov : Covariance
        Of the data that the loadings were sought on, of n features; standardised if those were.
    loadings : array_like, data frame, estimator, Component or Components
        One component, shape (n,); several as columns, shape (n, r); or a fitted estimator of scikit-learn with
        ``components_``, such as PCA, SparsePCA or NMF, or of abess. Of any length but 0: they are normalised. A pandas
        frame (of R's ``rotation``, for one) whose index names the features is aligned with the data by name.
    k : int or iterable of int, optional
        How many features the maximum may use, for all components or for each; as many as the component when None.
    nonnegative : bool, optional
        Whether the maximum is over loadings >= 0. None: for a component whose loadings are all of one sign.
    effort, seed, executor, should_stop, on_progress
        As for :func:`nnspca.certify`, once for each cardinality and sign.

    Returns
    -------
    Judgement

    Raises
    ------
    ValueError, DataError
        Loadings of another number of features, of other features, not finite, or all zero; a component with more
        than k features, or of both signs where ``nonnegative=True``.

    Examples
    --------
    >>> import nnspca
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.decomposition import SparsePCA
    >>> from sklearn.preprocessing import scale
    >>> X, names = scale(load_wine().data), load_wine().feature_names
    >>> found = SparsePCA(n_components=1, alpha=5, random_state=0).fit(X)
    >>> print(nnspca.certify_loadings(nnspca.Covariance.from_data(X, names=names), found).summary())
    Component 1 has at least ... % of the optimum of nine features of any sign; gap at most ... % (proven); ...
    """
    monitor, started = monitor_of(cov, should_stop, on_progress), time.perf_counter()
    check_choice("effort", effort, PLANS)
    seed = check_seed(seed)
    X = _columns(cov, loadings).T
    if nonnegative is not None:
        nonnegative = check_flag("nonnegative", nonnegative)
    parts = tuple(
        _given(cov, c, x, size, nonnegative)
        for c, (x, size) in enumerate(zip(X, check_sizes(k, len(X)), strict=True), 1)
    )
    proven: dict[tuple[int, bool], Certificate] = {}
    asked = sorted({(part.k, part.nonnegative) for part in parts})
    for done, (size, sign) in enumerate(asked):
        span = monitor.part(done / len(asked), (done + 1) / len(asked))
        how: dict[str, Any] = {"effort": effort, "seed": seed, "executor": executor, "should_stop": should_stop}
        proven[size, sign] = certify(cov, size, nonnegative=sign, on_progress=span.relay, **how)
    certificates = tuple(proven[part.k, part.nonnegative] for part in parts)
    stopped = any(certificate.stopped for certificate in certificates)
    return Judgement(parts, certificates, stopped, time.perf_counter() - started)


def _columns(cov: Covariance, loadings: Any) -> np.ndarray:
    """Loadings of anything that has some, as columns in the order of the features."""
    names = getattr(loadings, "feature_names_in_", None)
    names = None if names is None else tuple(map(str, names))
    if isinstance(loadings, Component | Components):
        names = None if loadings.features is None else loadings.features.given_names
        loadings = loadings.loadings
    elif hasattr(loadings, "components_"):
        loadings = np.asarray(loadings.components_).T
    elif hasattr(loadings, "coef_"):  # of abess
        loadings = np.asarray(loadings.coef_)
    elif hasattr(loadings, "fit"):
        raise ValueError(f"{type(loadings).__name__} has no components_; fit it first, or give loadings as columns")
    elif hasattr(loadings, "to_frame") or is_table(loadings):
        table = read_given((loadings.to_frame() if loadings.ndim == 1 else loadings).T)
        loadings, names = numbers(table.values).T, table.names
    columns = np.asarray(loadings)
    columns = columns[:, None] if columns.ndim == 1 else columns
    if columns.ndim == 2 and not columns.shape[1]:
        raise ValueError(f"loadings have shape {columns.shape}: give one column at least")
    if columns.ndim == 2 and names is None and len(columns) != cov.n_features == columns.shape[1]:
        raise ValueError(f"loadings have shape {columns.shape}; components are columns here: give loadings.T")
    order = places_among(names, cov.feature_names, "cov")
    if names is None or order is None:
        return check_columns("loadings", columns, cov.n_features)
    columns = check_columns("loadings", columns, len(names))
    if (others := np.setdiff1d(np.flatnonzero(columns.any(axis=1)), order)).size:
        raise ValueError(f"the loadings have a feature {names[others[0]]!r:.40}, which cov has not")
    return columns[order]


def _given(cov: Covariance, c: int, x: np.ndarray, k: object, nonnegative: bool | None) -> Component:
    """One component as it is judged: normalised, and of its own cardinality and sign unless others are asked for."""
    if not x.any():
        raise ValueError(f"component {c} of the loadings is all zero: leave it out")
    x = feasible.orient(feasible.unit(np.ascontiguousarray(x))) + 0.0
    one_sign = bool((x >= 0).all())
    if nonnegative and not one_sign:
        raise ValueError(f"component {c} has loadings of both signs; give nonnegative=False or None")
    count = int(np.count_nonzero(x))
    size = count if k is None else check_whole("k", k, count, cov.n_features, more=f"as component {c} has {count}")
    nonnegative = one_sign if nonnegative is None else nonnegative
    return Component(read_only(x), cov.variance(x), "given", size, nonnegative, features=cov.features)
