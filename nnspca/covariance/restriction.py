"""Restriction: the features that a support has to contain, and those it must not, as one problem on the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nnspca.control.arguments import check_names, check_places, check_whole, shown
from nnspca.covariance import Covariance
from nnspca.covariance.matrices import check_scale
from nnspca.covariance.problem import Problem

Features = Sequence[int | str] | np.ndarray | str | int | None


def check_restriction(
    cov: Covariance, k: object, include: Features, exclude: Features
) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return k and places of the features to include and to exclude, ascending; ValueError where none fit."""
    ins, outs = places_of("include", include, cov.n_features, cov.feature_names), check_excluded(cov, exclude)
    if both := sorted(set(ins) & set(outs)):
        raise ValueError(f"include and exclude share feature {both[0]}; give each feature to one of them at most")
    left = cov.n_features - len(outs)
    count = check_whole("k", k, 1, left, more=f"as exclude leaves {left} features" if outs else "")
    if len(ins) > count:
        raise ValueError(f"include names {len(ins)} features, more than k={count}; give {count} at most, or a larger k")
    if ins or outs:
        check_variances(cov.diagonal[features_left(cov.n_features, count, ins, outs)])
    return count, ins, outs


def check_excluded(cov: Covariance, exclude: Features) -> tuple[int, ...]:
    """Return the places of the features to exclude, ascending; ValueError for all of them, and unknown ones."""
    outs = places_of("exclude", exclude, cov.n_features, cov.feature_names)
    if len(outs) == cov.n_features:
        raise ValueError(f"exclude names all {cov.n_features} features; leave one at least")
    return outs


def check_variances(variances: np.ndarray) -> None:
    """Raise ValueError unless the features that are left vary."""
    if not variances.any():
        raise ValueError("the features that include and exclude leave have no variance; leave one that varies")
    check_scale(float(variances.sum()))


def features_left(n: int, k: int, include: tuple[int, ...], exclude: tuple[int, ...]) -> np.ndarray:
    """The features that may have a loading, ascending: those included alone where they take all k places."""
    if include and len(include) == k:
        return np.array(include)
    return np.setdiff1d(np.arange(n), np.array(exclude, dtype=np.intp))


def restricted(problem: Problem, include: tuple[int, ...], exclude: tuple[int, ...]) -> tuple[Problem, np.ndarray]:
    """Return the problem on the features that are left, and these features."""
    left = features_left(problem.n, problem.k, include, exclude)
    part = problem.restrict(left) if len(left) < problem.n else problem
    places = () if len(include) == problem.k else tuple(np.searchsorted(left, include).tolist())
    return replace(part, include=places), left


def widened(x: np.ndarray, left: np.ndarray, n: int) -> np.ndarray:
    """Return loadings on the features left as loadings on all, zero elsewhere."""
    out = np.zeros(n)
    out[left] = x
    return out


def places_of(name: str, value: Features, n: int, names: tuple[str, ...] | None) -> tuple[int, ...]:
    """Return features given by place, name or mask, ascending; ValueError for unknown ones and for repeated ones."""
    if value is None or (isinstance(value, list | tuple) and not value):
        return ()
    given = check_names(name, value, names)
    alone = isinstance(given, int | np.integer) and not isinstance(given, bool)
    places = np.sort(check_places(name, [given] if alone else given, n))
    if (twice := places[1:][places[1:] == places[:-1]]).size:
        raise ValueError(f"{name}={shown(value)} names feature {twice[0]} twice; give each feature once")
    return tuple(places.tolist())
