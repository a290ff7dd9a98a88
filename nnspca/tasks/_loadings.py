"""Entry point for what others found: each component beside the proven maximum for its cardinality and sign."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from nnspca.bounds.plan import PLANS
from nnspca.control.arguments import (
    Effort,
    Seed,
    check_callables,
    check_choice,
    check_columns,
    check_flag,
    check_whole,
    is_table,
)
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.input import aligned, numbers, opened
from nnspca.numerics import feasible
from nnspca.numerics.doubles import read_only
from nnspca.result import Certificate, Component, Components, Judgement, OnProgress, ShouldStop
from nnspca.tasks._certify import certify
from nnspca.tasks._solve import check_covariance, check_seed


def certify_loadings(
    cov: Covariance,
    loadings: Any,
    k: int | Iterable[int] | None = None,
    *,
    nonnegative: bool | None = None,
    effort: Effort = "live",
    seed: Seed = 0,
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
        ``components_``, such as PCA, SparsePCA or NMF. Of any length but 0: they are normalised. A pandas frame (of
        R's ``rotation``, for one) whose index names the features is aligned with the data by name.
    k : int or iterable of int, optional
        How many features the maximum may use, for all components or for each; as many as the component when None.
    nonnegative : bool, optional
        Whether the maximum is over loadings >= 0. None: for a component whose loadings are all of one sign.
    effort, seed, should_stop, on_progress
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
    Component 1 has at least ... % of the variance that nine features of any sign can have (proven); flavanoids, ...
    """
    check_covariance(cov)
    check_callables(should_stop=should_stop, on_progress=on_progress)
    check_choice("effort", effort, PLANS)
    seed, started = check_seed(seed), time.perf_counter()
    X = _columns(cov, loadings).T
    sizes = [k] * len(X) if k is None or not isinstance(k, Iterable) else list(k)
    if len(sizes) != len(X):
        raise ValueError(f"k has {len(sizes)} values; give one whole number, or {len(X)}, one for each component")
    if nonnegative is not None:
        nonnegative = check_flag("nonnegative", nonnegative)
    parts = tuple(_given(cov, c, x, size, nonnegative) for c, (x, size) in enumerate(zip(X, sizes, strict=True), 1))
    proven: dict[tuple[int, bool], Certificate] = {}
    asked, monitor = sorted({(part.k, part.nonnegative) for part in parts}), Monitor(should_stop, on_progress)
    for done, at in enumerate(asked):
        proven[at] = certify(
            cov,
            at[0],
            nonnegative=at[1],
            effort=effort,
            seed=seed,
            should_stop=should_stop,
            on_progress=monitor.part(done / len(asked), (done + 1) / len(asked)).relay,
        )
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
    elif hasattr(loadings, "fit"):
        raise ValueError(f"{type(loadings).__name__} has no components_; fit it first, or give loadings as columns")
    elif hasattr(loadings, "to_frame") or is_table(loadings):
        table = opened((loadings.to_frame() if loadings.ndim == 1 else loadings).T)
        loadings, names = numbers(table.values).T, table.names
    columns = np.asarray(loadings)
    columns = columns[:, None] if columns.ndim == 1 else columns
    if columns.ndim == 2 and not columns.shape[1]:
        raise ValueError(f"loadings have shape {columns.shape}: give one column at least")
    if columns.ndim == 2 and names is None and len(columns) != cov.n_features == columns.shape[1]:
        raise ValueError(f"loadings have shape {columns.shape}; components are columns here: give loadings.T")
    order = aligned(names, cov.feature_names, "cov")
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
