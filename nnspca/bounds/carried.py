"""Carried bounds: upper bounds at one k that follow from one proven at another (docs/mathematics/carried.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from nnspca.certificates.proofs import CarriedProof
from nnspca.covariance import Covariance
from nnspca.numerics import rounding
from nnspca.result import Bound, Certificate, Component


def least_variance(cov: Covariance) -> float:
    """Return a lower bound on the variance of every feature, on any machine; rounding may make it negative.

    Features whose row of A is zero do not count, up to as many as are read at a time: an optimal x does without them.
    """
    variances = cov.held.form.diagonal
    idle = np.flatnonzero(variances == 0)[: cov.held.strip]
    counted = np.delete(variances, idle[~cov.block(idle).any(axis=1)])
    return (
        float(counted.min() - rounding.sums(8 * cov.held.form.terms, float(np.abs(variances).max()))) - cov.held.room()
    )


def at_larger(value, smaller, k: int, least: float):
    """Return the upper bound at k that follows from one, or from each of an array, at a smaller k >= 2.

    ``least`` is the least variance.

    Examples
    --------
    >>> round(float(at_larger(3.0, 2, 4, 1.0)), 9)  # equal correlations: each feature adds as much
    7.0
    """
    return np.maximum(value, rounding.in_proportion(value, least, (k - 1) / np.maximum(smaller - 1, 1)))


def following(k: int, at: np.ndarray, values: np.ndarray, least: float) -> np.ndarray:
    """Return the upper bound at k that follows from each of those known ``at`` other k; infinite where none does."""
    return np.where(at >= k, values, np.where(at >= 2, at_larger(values, at, k, least), np.inf))


def _best(k: int, proven: Iterable[Certificate], least: float) -> tuple[Bound, Certificate] | None:
    return min(bounds_at(k, proven, least), key=lambda carried: carried[0].value, default=None)


def improved_by_carried(proven: Mapping[int, Certificate], cov: Covariance) -> Iterator[tuple[int, Certificate]]:
    """Yield each k whose bound improves by one carried from another k, with its certificate that includes it."""
    least = least_variance(cov)
    for k in sorted(proven, reverse=True):
        best = _best(k, proven.values(), least)
        if best is not None and best[0].value < proven[k].upper:
            yield k, replace(proven[k], upper=best[0].value, bounds=(*proven[k].bounds, best[0]))


def carried_certificate(
    k: int, component: Component, proven: Iterable[Certificate], least: float
) -> tuple[Certificate, Certificate] | None:
    """Return a certificate at k by the best bound carried from another k, and the one it is carried from.

    None where there is none. ``component`` is feasible at k, and ``least`` the least variance of a feature.
    """
    best = _best(k, proven, least)
    if best is None:
        return None
    bound, source = best
    bounds = (*(other for other in source.bounds if other.holds_everywhere), bound)
    upper = min(other.value for other in bounds)
    carried = replace(source, k=k, lower=component.variance, upper=upper, component=component, bounds=bounds)
    return replace(carried, seconds=0.0), source


def bounds_at(k: int, proven: Iterable[Certificate], least: float) -> Iterator[tuple[Bound, Certificate]]:
    """Yield the bounds at k that follow from those proven at other k themselves, each with its certificate."""
    for other in proven:
        own = [b for b in other.bounds if b.deterministic and not isinstance(b.ingredients, CarriedProof)]
        if not own or not (other.k > k or 2 <= other.k < k):
            continue
        bound = min(own, key=lambda bound: bound.value)
        if other.k > k:
            name, value = "larger-k", bound.value
            detail = f"At k = {other.k} no component has more, and a component of at most {k} features is one of those."
        else:
            name, value = "smaller-k", float(at_larger(bound.value, other.k, k, least))
            detail = f"The upper bound {bound.value:.6g} at k = {other.k}, raised in proportion to {k} features."
        yield Bound(name, value, detail=detail, ingredients=CarriedProof(other.k, bound.ingredients)), other
