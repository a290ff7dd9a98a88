"""Nonnegative sparse PCA as a scikit-learn estimator."""

from nnspca.estimator.pca import NonnegativeSparsePCA

__all__ = ["NonnegativeSparsePCA"]
