"""Problem: the covariance, k and signs as one; what include and exclude leave; what the span of several explains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nnspca.control.arguments import check_places, check_whole, places_by_name, shown
from nnspca.covariance import Covariance
from nnspca.covariance.forms import check_scale
from nnspca.numerics import feasible
from nnspca.numerics.doubles import read_only
from nnspca.result import Component, Components

SPANNED = 1e-10  # below this share of itself a column's fresh part is rounding
SomeFeatures = Sequence[int | str] | np.ndarray | str | int | None


@dataclass(frozen=True, eq=False)
class Problem:
    """Maximise x'Ax over unit vectors x with at most k nonzeros, and x >= 0 if ``nonnegative``.

    It trusts what it is given: the public functions check first.
    """

    cov: Covariance
    k: int
    nonnegative: bool = True
    include: tuple[int, ...] = ()  # features that every support contains, fewer than k

    @property
    def n(self) -> int:
        """Number of features."""
        return self.cov.n_features

    @property
    def included(self) -> np.ndarray:
        """Whether each feature is one of ``include``, shape (n,)."""
        mask = np.zeros(self.n, dtype=bool)
        mask[list(self.include)] = True
        return mask

    def widest(self) -> np.ndarray:
        """Return the unit vector at the feature of largest variance."""
        x = np.zeros(self.n)
        x[int(self.cov.diagonal.argmax())] = 1.0
        return x

    def best(self, g: np.ndarray) -> np.ndarray:
        """Maximise ``g'x`` over the feasible set, for each row of g."""
        return feasible.argmax(g, self.k, self.nonnegative, self.include)

    def infeasibility(self, x: np.ndarray) -> str:
        """Return why ``x`` is not feasible; an empty string if it is."""
        reason, places = feasible.infeasibility(x, self.k, self.nonnegative), self.k - len(self.include)
        others = np.count_nonzero(x[~self.included])
        if reason or others <= places:
            return reason
        return f"{others} loadings are nonzero beside those included, which leave {places} of k = {self.k}"

    def component(
        self, x: np.ndarray, method: str, history: Iterable[float] = (), *, stopped: bool = False, note: str = ""
    ) -> Component:
        """Return a feasible point that a method found: oriented without sign constraint, no zero negative."""
        x = read_only((x if self.nonnegative else feasible.orient(x)) + 0.0)
        variance = self.cov.variance(x)
        return Component(
            x, variance, method, self.k, self.nonnegative, history=tuple(history), stopped=stopped, note=note
        )

    def restrict(self, features: np.ndarray) -> Problem:
        """Return the problem on some of the features, with as many nonzeros as they allow, and none included.

        Without ``include`` it is a relaxation: what bounds it from above bounds this one.
        """
        return replace(self, cov=self.cov.restrict(features), k=min(self.k, len(features)), include=())


def check_restriction(
    cov: Covariance, k: object, include: SomeFeatures, exclude: SomeFeatures
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


def check_excluded(cov: Covariance, exclude: SomeFeatures) -> tuple[int, ...]:
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


def on_all(x: np.ndarray, left: np.ndarray, n: int) -> np.ndarray:
    """Return loadings on the features left as loadings on all, zero elsewhere."""
    out = np.zeros(n)
    out[left] = x
    return out


def places_of(name: str, value: SomeFeatures, n: int, names: tuple[str, ...] | None) -> tuple[int, ...]:
    """Return features given by place, name or mask, ascending; ValueError for unknown ones and for repeated ones."""
    if value is None or (isinstance(value, list | tuple) and not value):
        return ()
    given = places_by_name(name, value, names)
    alone = isinstance(given, int | np.integer) and not isinstance(given, bool)
    places = np.sort(check_places(name, [given] if alone else given, n))
    if (twice := places[1:][places[1:] == places[:-1]]).size:
        raise ValueError(f"{name}={shown(value)} names feature {twice[0]} twice; give each feature once")
    return tuple(places.tolist())


def with_joint_variance(
    cov: Covariance, parts: Sequence[Component], method: str, deflation: str, nonnegative: bool, **more: Any
) -> Components:
    """Return components with the variance that the first 1, 2, …, r of them explain together."""
    explained = cumulative_variance(cov, np.column_stack([part.loadings for part in parts]))
    return Components(tuple(parts), explained, cov.trace, method, deflation, nonnegative, **more)


def cumulative_variance(cov: Covariance, loadings: np.ndarray) -> np.ndarray:
    """Return the variance of the span of the first 1, 2, …, r columns of ``loadings``, shape (r,).

    ``tr(Q'AQ)`` with Q an orthonormal basis of the span, built column by column: what a component adds is the variance
    of its part orthogonal to those before it. A column that lies in the span of those before it adds nothing.
    """
    explained = [0.0 if q is None else max(cov.variance(q), 0.0) for q in _fresh(loadings)]
    return read_only(np.cumsum(explained))


def orthonormal(columns: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of the span of ``columns`` (n, r), shape (n, s) with s <= r, in their order.

    A column that lies in the span of those before it gives no direction, where a plain QR
    factorisation would make one up of its rounding.
    """
    basis = [q for q in _fresh(columns) if q is not None]
    return np.column_stack(basis) if basis else np.zeros((len(columns), 0))


def _fresh(columns: np.ndarray) -> Iterator[np.ndarray | None]:
    """The unit direction that each column adds to the span of those before it; None where it adds none."""
    basis = np.zeros((0, len(columns)))
    for column in columns.T:
        fresh = column.copy()
        for _ in range(2):  # once more, for the digits the first projection loses
            fresh = fresh - basis.T @ (basis @ fresh)
        length = float(np.linalg.norm(fresh))
        if length > SPANNED * float(np.linalg.norm(column)):
            basis = np.vstack([basis, fresh / length])
            yield basis[-1]
        else:
            yield None
