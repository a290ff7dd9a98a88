"""Components that are there before a decomposition begins, and stay as they are."""

from __future__ import annotations

import numpy as np

from nnspca.calls.arguments import check_columns
from nnspca.certificates.judge import validated
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.result import Component, Components


def check_begun(
    start_from: object, cov: Covariance, sizes: list[int], nonnegative: bool, deflation: str
) -> tuple[Component, ...]:
    """Return the components that are given; ValueError where they are none of those that are asked for."""
    if start_from is None:
        return ()
    if deflation in ("together", "joint"):
        raise ValueError(f"deflation {deflation!r} seeks all components at once, and takes no start_from")
    given = tuple(_components(start_from, cov))
    if not len(given) < len(sizes):
        raise ValueError(
            f"start_from has {len(given)} component(s), which are counted among n_components={len(sizes)}: give a "
            "larger n_components, or fewer of them"
        )
    named = [f"component {i + 1} of start_from" for i in range(len(given))]
    checked = tuple(
        validated(part, what, Problem(cov, k, nonnegative)) for part, what, k in zip(given, named, sizes, strict=False)
    )
    used = np.count_nonzero([part.loadings for part in checked], axis=0)
    if deflation == "disjoint" and used.max(initial=0) > 1:
        raise ValueError(
            f"{int((used > 1).sum())} feature(s) are in more than one component of start_from, which deflation "
            "'disjoint' does not allow; give another deflation"
        )
    return checked


def _components(given: object, cov: Covariance) -> list[Component]:
    if isinstance(given, Component):
        return [given]
    if isinstance(given, Components):
        return list(given)
    columns = given.reshape(-1, 1) if isinstance(given, np.ndarray) and given.ndim == 1 else given
    U = check_columns("start_from", columns, cov.n_features)
    return [Component(np.ascontiguousarray(x), cov.variance(x), "given", cov.n_features) for x in U.T]
