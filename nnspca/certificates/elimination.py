"""Re-derives an elimination by masses: bounds on the mass of each feature outside, from A and one attained variance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nnspca.certificates.boxes import joint_masses
from nnspca.certificates.numbers import UpperBound, array, feature_indices, formed, largest_sums, real, rows_of, whole
from nnspca.certificates.pairs import series_cardinalities
from nnspca.certificates.proofs import EliminationProof, PairProof, ScaleProof, SeriesProof, TreeProof
from nnspca.covariance import Covariance
from nnspca.covariance.forms import HeldMatrix
from nnspca.covariance.problem import Problem
from nnspca.covariance.provenance import Provenance
from nnspca.errors import CertificateError
from nnspca.numerics import feasible

EPS = np.finfo(float).eps
LEAST_LEFT = 1e-6  # of 1 − ε: below, nothing is proven
VANISHING = 1e-150  # more than the root of what squares of numbers near 1 can lose to underflow

Derive = Callable[[object, Problem], float]


def elimination_bound(proof: EliminationProof, problem: Problem, derive: Derive) -> float:
    """The largest bound over the numbers of features outside; ``derive`` proves those on the features inside."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    chosen = feature_indices(proof.features, "the features kept", cov.n_features)
    lower_bound = _attained(proof, problem)
    if type(proof.proofs) is not tuple or type(proof.cardinalities) is not tuple or not proof.proofs:
        raise CertificateError("the cases and their cardinalities must be tuples, and not empty")
    if len(proof.proofs) != len(proof.cardinalities):
        raise CertificateError(f"there are {len(proof.proofs)} cases and {len(proof.cardinalities)} cardinalities")
    block, forming = formed(cov, chosen)
    part, error = Covariance(HeldMatrix(block), Provenance(representation_error=forming)), cov.representation_error
    claims = [
        (inner, cardinality)
        for inner, given in zip(proof.proofs, proof.cardinalities, strict=True)
        for cardinality in _cardinalities(inner, given, min(k, len(chosen)))
    ]
    if len(claims) > k + 1:
        raise CertificateError(f"there are {len(claims):,} cases, more than numbers of features outside")
    proven = [(c, derive(inner, Problem(part, c, nonnegative)) + error) for inner, c in claims]
    member = np.zeros(cov.n_features, dtype=bool)
    member[chosen] = True
    row_skip_threshold = real(proof.light, "the mass from which rows are read", least=0.0, most=1.0)
    excluded_mass = _excluded_mass(problem, ~member, lower_bound, row_skip_threshold, proof.boxes)
    most = UpperBound()
    for q, mass in enumerate(excluded_mass):
        if 1 - mass < LEAST_LEFT:
            raise CertificateError(f"{q} features outside could hold all of a component, or almost all: {mass:.6g}")
        if q == k:
            continue  # they would hold all of it, and were found to hold less
        inside = min(k - q, len(chosen))
        upper_bound = min((value for cardinality, value in proven if cardinality >= inside), default=np.inf)
        most.cover(bound_on_all(upper_bound, mass, error))
    return most.value


def _cardinalities(inner: object, given: object, most: int) -> tuple[int, ...]:
    """The numbers of features that a proof on T is about: one, or those of a series, the first of which is given."""
    first = whole(given, "the cardinality of a case", 1, most)
    if not isinstance(inner, SeriesProof):
        if type(inner) not in (PairProof, TreeProof, ScaleProof):
            raise CertificateError(f"a case holds a {type(inner).__name__}, which proves nothing there")
        return (first,)
    claimed = series_cardinalities(inner, most)
    if claimed[0] != first:
        raise CertificateError(f"a series begins at {claimed[0]} features, and {first} stands beside it")
    return claimed


def bound_on_all(upper_bound: float, mass: float, error: float) -> float:
    """The bound on all features from one on those inside and this mass outside, rounded up."""
    return (upper_bound + error * mass) / (1 - mass - 2 * EPS) * (1 + 8 * EPS)


def _attained(proof: EliminationProof, problem: Problem) -> float:
    """A lower bound on the variance of the given point, and so on the optimum."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    support = feature_indices(proof.support, "the support of the point", cov.n_features)
    x = np.zeros(cov.n_features)
    x[support] = array(proof.loadings, "the loadings of the point", (len(support),))
    reason = feasible.infeasibility(x, k, nonnegative)
    if reason:
        raise CertificateError(f"the point is not feasible: {reason}")
    size = max(cov.trace, cov.held.form.rounding_scale)
    off = 4 * (cov.held.form.terms + len(support) + 8) * EPS * size + cov.representation_error
    lower_bound = float((x @ cov.apply(x) - off) / (float(x @ x) * (1 + (len(support) + 4) * EPS)))
    if not lower_bound > 0:
        raise CertificateError("the point attains no variance")
    return lower_bound


def _excluded_mass(
    problem: Problem, outside: np.ndarray, lower_bound: float, row_skip_threshold: float, boxes: object
) -> list[float]:
    """The sums of the 0, 1, …, k largest masses outside.

    x_i² <= A_ii/OPT, so that rows are read by falling mass until no other can be among the k largest, or until their
    variances leave no more than ``row_skip_threshold``. The boxes, if there are any, bound some masses without rows.
    """
    cov, k = problem.cov, problem.k
    own = (cov.diagonal * (1 + 2 * (cov.held.form.terms + 2) * EPS) + cov.representation_error) / lower_bound
    mass, settled = own.copy(), np.zeros(len(own), dtype=bool)
    if boxes is not None:
        features, bounded = joint_masses(boxes, own, lower_bound, problem)
        mass[features], settled[features] = bounded, True
    others = np.flatnonzero(outside)
    others = others[np.argsort(-mass[others], kind="stable")]
    largest, step = np.zeros(0), cov.held.strip
    for start in range(0, len(others), step):
        if mass[others[start]] <= row_skip_threshold or (len(largest) == k and mass[others[start]] <= largest[0]):
            largest = np.sort(np.concatenate([largest, np.minimum(mass[others[start : start + k]], 1.0)]))[-k:]
            break
        rows = others[start : start + step]
        read = rows[~settled[rows]]
        mass[read] = np.minimum(_by_rows(problem, read, own[read], lower_bound), own[read])
        largest = np.sort(np.concatenate([largest, np.minimum(mass[rows] * (1 + 4 * EPS), 1.0)]))[-k:]
    if not np.isfinite(largest).all():
        raise CertificateError("a mass is no number")
    return [0.0, *(np.cumsum(largest[::-1]) * (1 + (k + 4) * EPS)).tolist()]


def _by_rows(problem: Problem, rows: np.ndarray, own: np.ndarray, lower_bound: float) -> np.ndarray:
    """With (Ax)_i = OPT x_i: (OPT − A_ii) x_i <= b_i √(1 − x_i²), b_i the norm of the k−1 largest others of row i."""
    cov, k = problem.cov, problem.k
    _, shares = rows_of(problem, rows)
    shares /= lower_bound
    company = float(np.sort(cov.diagonal)[::-1][: k - 1].sum())
    reading = (
        (cov.held.form.terms + 2) * EPS * np.sqrt(cov.diagonal[rows] / lower_bound) * np.sqrt(company / lower_bound)
    )
    b = np.sqrt(largest_sums(shares * shares, k - 1) * (1 + (k + 4) * EPS))
    b += reading + cov.representation_error / lower_bound + VANISHING
    gap = 1 - own - 2 * EPS
    tangent = b / np.where(gap > 0, gap, 1.0)
    return np.where(gap > 0, tangent**2 / (1 + tangent**2) * (1 + 8 * EPS), 1.0)
