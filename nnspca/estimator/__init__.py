"""The scikit-learn face: nonnegative sparse PCA as an estimator."""

from nnspca.estimator.pca import NonnegativeSparsePCA

__all__ = ["NonnegativeSparsePCA"]
