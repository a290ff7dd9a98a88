"""The argument ``start_from``: components from which a decomposition continues."""

from __future__ import annotations

import numpy as np

from nnspca.certificates.judge import validated
from nnspca.control.arguments import check_columns
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.result import Component, Components


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
