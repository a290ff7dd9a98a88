"""The data sets that come with installed packages or are written out here: no file, no network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnspca.control.arguments import check_several, check_whole, real, shown
from nnspca.datasets.dataset import Content, Dataset

_PITPROPS_NAMES = (
    "topdiam", "length", "moist", "testsg", "ovensg", "ringtop", "ringbut",
    "bowmax", "bowdist", "whorls", "clear", "knots", "diaknot",
)  # fmt: skip
# Jeffers (1967), in thousandths: each row holds the correlations of one variable with those before
# it.
_PITPROPS = """
954
364 297
342 284 882
-129 -118 -148 220
313 291 153 381 364
496 503 -29 174 296 813
424 419 -54 -59 4 90 372
592 648 125 137 -39 211 465 482
545 569 -81 -14 37 274 679 557 526
84 76 162 97 -91 -36 -113 61 85 -319
-19 -36 220 169 -145 24 -232 -357 -127 -368 29
134 144 126 15 -208 -329 -424 -202 -76 -291 7 184
"""


def lfw_faces(with_negatives: bool = False) -> Content:
    """Return 100 faces of 25×25 pixels, grey values from 0 to 1, followed by 100 non-faces if wanted."""
    from skimage.data import lfw_subset

    images = lfw_subset()
    X = images.reshape(len(images), -1)
    if not with_negatives:
        return Content(X=X[:100], image_shape=(25, 25))
    labels = np.repeat([0, 1], [100, 100])
    return Content(X=X, image_shape=(25, 25), labels=labels, label_names=("face", "non-face"))


def digits() -> Content:
    """Return 1797 handwritten digits of 8×8 pixels, grey values from 0 to 16."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    names = tuple(map(str, bunch.target_names))
    return Content(X=bunch.data, image_shape=(8, 8), labels=bunch.target, label_names=names)


def pitprops() -> Content:
    """Return the correlation matrix of 13 measurements on 180 pit props."""
    R = np.eye(len(_PITPROPS_NAMES))
    for i, row in enumerate(_PITPROPS.strip().splitlines(), start=1):
        R[i, :i] = R[:i, i] = np.array(row.split(), dtype=float) / 1000
    return Content(X=R, feature_names=_PITPROPS_NAMES)


def spiked(
    n_samples: int = 300,
    n_features: int = 120,
    *,
    cardinalities: Sequence[int] = (8, 12, 20),
    variances: Sequence[float] = (12.0, 8.0, 5.0),
    noise: float = 1.0,
    seed: int = 0,
) -> Dataset:
    r"""Make data with known nonnegative sparse directions hidden in noise.

    Each sample is :math:`\sum_j \sqrt{\theta_j}\, z_j v_j + \sigma \epsilon` with independent
    standard normal :math:`z_j` and :math:`\epsilon`, so the true covariance is
    :math:`\sigma^2 I + \sum_j \theta_j v_j v_j'`. The unit vectors :math:`v_j` are nonnegative and
    their supports are disjoint.

    Parameters
    ----------
    n_samples, n_features : int
        Shape of the data, at least 2 samples.
    cardinalities : sequence of int
        Number of nonzero loadings of each planted direction; together at most ``n_features``.
    variances : sequence of float
        :math:`\theta_j`, the variance each planted direction adds, one for each cardinality.
    noise : float
        :math:`\sigma`, the standard deviation of the noise in every feature.
    seed : int
        The same seed gives the same data.

    Returns
    -------
    Dataset
        With ``planted`` of shape (n_features, r): the directions :math:`v_j` in columns.

    Raises
    ------
    ValueError
        When the sizes do not fit or a variance or the noise is negative.

    Examples
    --------
    >>> ds = spiked(50, 10, cardinalities=(3, 2), variances=(4, 2))
    >>> ds.X.shape, (ds.planted > 0).sum(axis=0)
    ((50, 10), array([3, 2]))
    >>> np.round(ds.planted.T @ ds.planted, 12)
    array([[1., 0.],
           [0., 1.]])
    """
    n_samples = check_whole("n_samples", n_samples, 2)
    n_features = check_whole("n_features", n_features, 1)
    allowed = f"whole numbers of at least 1, together at most {n_features} features"
    several = check_several("cardinalities", cardinalities, "several", allowed)
    cardinalities = [check_whole("a cardinality", k, 1) for k in several]
    variances = check_several("variances", variances, "several", "positive numbers, one for each cardinality")
    seed = check_whole("seed", seed, 0)
    _check_spiked(n_features, cardinalities, variances, noise)
    rng = np.random.default_rng(seed)
    r = len(cardinalities)
    V = np.zeros((n_features, r))
    supports = np.split(rng.permutation(n_features)[: sum(cardinalities)], np.cumsum(cardinalities)[:-1])
    for j, support in enumerate(supports):
        V[support, j] = rng.uniform(0.5, 1.0, size=len(support))
    V /= np.linalg.norm(V, axis=0)
    scores = rng.standard_normal((n_samples, r)) * np.sqrt(variances)
    X = scores @ V.T + noise * rng.standard_normal((n_samples, n_features))
    truth = ", ".join(f"{k} features (variance {v:g})" for k, v in zip(cardinalities, variances, strict=True))
    return Dataset(
        X=X,
        planted=V,
        name="synthetic-spiked",
        title="Synthetic: planted directions",
        kind="table",
        description=(
            f"Made-up data with a known answer: {r} hidden nonnegative directions on separate "
            f"groups of {truth}, in noise of standard deviation {noise:g}. A good method finds the "
            "groups again."
        ),
        citation="None needed: made by nnspca.",
        terms="Free to use.",
        source=f"made by nnspca (seed {seed})",
    )


def _check_spiked(n_features: int, cardinalities: Sequence[int], variances: Sequence[float], noise: float) -> None:
    if not cardinalities or sum(cardinalities) > n_features:
        raise ValueError(
            f"cardinalities {tuple(cardinalities)} must each be at least 1 and together at most {n_features} features"
        )
    *sizes, deviation = (np.nan if (number := real(value)) is None else number for value in (*variances, noise))
    positive = all(0 < size < np.inf for size in sizes) and 0 <= deviation < np.inf
    if not positive or len(variances) != len(cardinalities):
        raise ValueError(
            f"variances {shown(tuple(variances))} must be positive, one for each of the "
            f"{len(cardinalities)} cardinalities, and noise={shown(noise)} not negative"
        )
