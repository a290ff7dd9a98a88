"""Re-derives joint bounds on masses, stage by stage, from A, the prices and one attained variance."""

from __future__ import annotations

import numpy as np

from nnspca.certificates.numbers import array, feature_indices, largest_sums
from nnspca.certificates.proofs import BoxProof
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps
WIDEST = 2400  # features whose entries are held at once
STAGES = 16
PRICES = 1e-20, 1e20  # between which no square of one is out of range
VANISHING = 1e-150  # more than what products of numbers near 1 can lose to underflow
HEIGHT = 100  # rows at a time


def joint_masses(boxes: object, own: np.ndarray, lower_bound: float, problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """The features of the proof, and upper bounds on their masses; ``own`` are those by variance alone.

    For λ > 0, ``(1 − A_ii) x_i + λ x_i²/2 <= λ/2 + Φ``, all in units of the variance attained: the companions' loadings
    favour row i by A_ij each and cost λ/2 times their square, 1 − x_i² together.
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    if type(boxes) is not BoxProof:
        raise CertificateError(f"the boxes are a {type(boxes).__name__}")
    chosen = feature_indices(boxes.features, "the features of the boxes", cov.n_features)
    if not 2 <= k < len(chosen) <= WIDEST:
        raise CertificateError(
            f"the boxes have {len(chosen):,} features; more than k = {k} and at most {WIDEST:,} are needed"
        )
    prices = array(boxes.prices, "the prices of weight", (None, len(chosen)))
    if not 1 <= len(prices) <= STAGES or not (PRICES[0] <= prices.min() and prices.max() <= PRICES[1]):
        raise CertificateError(f"the prices must be of 1 to {STAGES} stages, from {PRICES[0]:g} to {PRICES[1]:g}")
    rows = _rows(cov, chosen, lower_bound, nonnegative)
    beyond = float(np.delete(own, chosen).max(initial=0.0))
    terms = (cov.held.form.terms + 2) * EPS
    company = float(np.sort(cov.diagonal)[::-1][: k - 1].sum())
    error = terms * np.sqrt(cov.diagonal[chosen] / lower_bound) * np.sqrt(company / lower_bound)
    error += cov.representation_error / lower_bound + VANISHING
    gap = 1 - own[chosen] - 2 * EPS
    masses = np.minimum(own[chosen], 1.0)
    for stage in prices:
        root = np.sqrt(masses) * (1 + 2 * EPS)
        for start in range(0, len(chosen), HEIGHT):
            part = slice(start, start + HEIGHT)
            price, entries = stage[part, None], rows[part]
            bounded = entries >= price * root
            favour = np.where(bounded, root * (entries - price * root / 2), entries * (entries / price) / 2)
            favour = np.maximum(favour, np.sqrt(own[chosen][part, None]) * beyond) * (1 + 16 * EPS)
            most = stage[part] / 2 + largest_sums(favour, k - 1) * (1 + (k + 8) * EPS) + error[part]
            room = np.maximum(gap[part], 0.0)
            x = 2 * most / (room + np.sqrt(room * room + 2 * stage[part] * most)) * (1 + 16 * EPS)
            masses[part] = np.where(gap[part] > 0, np.minimum(masses[part], x * x * (1 + 4 * EPS)), masses[part])
    if not np.isfinite(masses).all():
        raise CertificateError("what a feature can hold is no number")
    return chosen, masses


def _rows(cov: Covariance, chosen: np.ndarray, lower_bound: float, nonnegative: bool) -> np.ndarray:
    """Rows of the features among each other, in units of the attained variance."""
    block = np.array(cov.block(chosen, chosen)) / lower_bound
    np.fill_diagonal(block, 0.0)
    return np.maximum(block, 0.0) if nonnegative else np.abs(block)
