"""Validates the arguments of a decomposition; the errors say which values are allowed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from nnspca.bounds.plan import PLANS
from nnspca.certificates.judge import validated
from nnspca.components._deflate import check_deflation
from nnspca.control.arguments import check_choice, check_columns, check_whole
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.covariance.restriction import Features, check_restriction
from nnspca.result import Component, Components
from nnspca.solvers.registry import METHODS, MethodInfo
from nnspca.tasks._solve import check_cardinality, check_includes


def check_count(n_components: object, n: int) -> int:
    """Return the number of components; ValueError unless it is a whole number from 1 to n."""
    return check_whole("n_components", n_components, 1, n)


def check_sizes(cov: Covariance, k: object, count: int) -> list[int]:
    """One cardinality for each component."""
    if isinstance(k, str) or not isinstance(k, Iterable) or not getattr(k, "ndim", 1):
        return [check_cardinality(cov, k)] * count
    sizes = [check_cardinality(cov, each) for each in k]
    if len(sizes) != count:
        raise ValueError(f"k has {len(sizes)} values; give one whole number, or {count}, one for each component")
    return sizes


def check_choices(info: MethodInfo, deflation: str, certify: str | None, sizes: list[int]) -> None:
    """Raise ValueError for a choice that does not go with another."""
    check_deflation(deflation)
    check_choice("certify", certify, PLANS, none=True)
    if deflation == "joint" and not info.multi:
        able = " or ".join(f"method={name!r}" for name, other in METHODS.items() if other.multi)
        raise ValueError(
            f"method {info.name!r} finds one component at a time; give a deflation other than 'joint', or {able}"
        )
    if deflation == "joint" and (certify is not None or len(set(sizes)) > 1):
        raise ValueError("deflation 'joint' takes one k for all components, and no certify: they were not sought alone")
    if deflation == "together" and (not info.feasible or len(set(sizes)) > 1):
        raise ValueError(
            f"deflation 'together' takes one k for all parts, and a method that keeps to it; got k = {sizes} and "
            f"method {info.name!r}"
        )
    if deflation == "quasi-orthogonal" and certify is not None:
        raise ValueError(
            "components with a least angle have no certificate: no bound takes that constraint into account"
        )
    if certify is not None and not info.feasible:
        raise ValueError(f"method {info.name!r} does not keep to k and sign: its components have no certificate")


def check_included(
    info: MethodInfo, include: Features, cov: Covariance, sizes: list[int], deflation: str
) -> tuple[int, ...]:
    """Return the places of features to include; ValueError unless one component is sought, by itself."""
    _, ins, _ = check_restriction(cov, sizes[0], include, None)
    check_includes(info, ins)
    if ins and (len(sizes) > 1 or deflation in ("joint", "together")):
        raise ValueError(
            f"include names features of one component; got {len(sizes)} with deflation {deflation!r}: give "
            "n_components=1 and deflation='disjoint'"
        )
    return ins


def check_start_from(
    start_from: object, cov: Covariance, sizes: list[int], nonnegative: bool, deflation: str
) -> tuple[Component, ...]:
    """Return the components of ``start_from``; ValueError if they are not feasible for this decomposition."""
    if start_from is None:
        return ()
    if deflation in ("together", "joint"):
        raise ValueError(f"deflation {deflation!r} seeks all components at once, and takes no start_from")
    components = tuple(_components(start_from, cov))
    if not len(components) < len(sizes):
        raise ValueError(
            f"start_from has {len(components)} component(s), which are counted among n_components={len(sizes)}: give a "
            "larger n_components, or fewer of them"
        )
    titles = [f"component {i + 1} of start_from" for i in range(len(components))]
    checked = tuple(
        validated(part, what, Problem(cov, k, nonnegative))
        for part, what, k in zip(components, titles, sizes, strict=False)
    )
    used = np.count_nonzero([part.loadings for part in checked], axis=0)
    if deflation == "disjoint" and used.max(initial=0) > 1:
        raise ValueError(
            f"{int((used > 1).sum())} feature(s) are in more than one component of start_from, which deflation "
            "'disjoint' does not allow; give another deflation"
        )
    return checked


def _components(start_from: object, cov: Covariance) -> list[Component]:
    if isinstance(start_from, Component):
        return [start_from]
    if isinstance(start_from, Components):
        return list(start_from)
    columns = start_from.reshape(-1, 1) if isinstance(start_from, np.ndarray) and start_from.ndim == 1 else start_from
    U = check_columns("start_from", columns, cov.n_features)
    return [Component(np.ascontiguousarray(x), cov.variance(x), "given", cov.n_features) for x in U.T]
