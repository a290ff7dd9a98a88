"""PCA and thresholded PCA, for comparison: the leading eigenvector, whole or cut to k loadings."""

from __future__ import annotations

import numpy as np

from nnspca import cone
from nnspca.covariance import Covariance
from nnspca.result import Component
from nnspca.solvers.climb import settle
from nnspca.watch import Watch


def pca(cov: Covariance, k: int, *, nonnegative: bool, rng: np.random.Generator, watch: Watch) -> Component:
    """Leading eigenvector: no sign constraint, and every feature takes part whatever k is."""
    x = cone.orient(cone.unit(cov.eigenpairs(1)[1][:, 0]))
    value = cov.variance(x)
    return Component(x, value, "pca", k, False, history=(value,), note="k is not used: all features take part")


def thresholding(
    cov: Covariance, k: int, *, nonnegative: bool, rng: np.random.Generator, watch: Watch, renormalise: bool
) -> Component:
    """Cut the leading eigenvector to the k loadings that keep most of it (Cadima & Jolliffe 1995).

    With the sign constraint these are the k largest positive entries of u₁ or of −u₁; the weights are
    then made optimal on the features kept, if asked.
    """
    x = cone.rank_one(cov.eigenpairs(1)[1][:, 0], k, nonnegative)
    history = [cov.variance(x)]
    if renormalise:
        x = settle(cov, x, nonnegative=nonnegative, watch=watch)
        history.append(cov.variance(x))
    if not nonnegative:
        x = cone.orient(x)
    return Component(x, history[-1], "thresholding", k, nonnegative, history=tuple(history), stopped=watch.stop())
