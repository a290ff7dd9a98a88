"""Balanced rows with the eigenvalues shrunk: for data whose noise has as much variance in every direction as is sought.

YY' ⪯ tI + WW' for some directions W of the samples. Then a component has at most t more of A = Y'Y than of
B = Y'W (tI + W'W)⁻¹ W'Y (docs/mathematics/rows.md, "Shrunk eigenvalues"), whose rows are balanced instead of A's. W are
the leading eigenvectors of YY', each as long as leaves nothing above t: B has λ − t for every larger eigenvalue λ.

Of a matrix that is held, a core on B begins multipliers L and M on all features, which prove a bound on A themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from operator import itemgetter

import numpy as np
import scipy.linalg

from nnspca.bounds import balanced, core, eigenvalues, levelled, pair_scaled
from nnspca.bounds.plan import BOUND_GAIN
from nnspca.certificates.eigenvalues import COMBINED, LARGEST
from nnspca.certificates.proofs import PairProof, ScaleProof
from nnspca.control.progress import Monitor
from nnspca.control.stopping import Stopped, run_cancellable
from nnspca.covariance import Covariance
from nnspca.covariance.factor import DenseFactor, Factor
from nnspca.covariance.held import DENSE_PRODUCT
from nnspca.covariance.problem import Problem
from nnspca.covariance.provenance import Provenance
from nnspca.numerics import rounding
from nnspca.result import Bound

# Of the variance found, tried as t one after the other while the work suffices. With 0.2 and 0.45 as well: 0 on texts
# standardised, k = 50, +.0007 on genotypes, 1,800 × 10,000 standardised, k = 200.
TAILS = (0.35, 0.6)
# The same for a core on B: that of the lower rows. At 0.3 alone: −.0044 on abstracts standardised, k = 50.
CORES = (0.25, 0.35)
WORTH = 0.02  # relative gain that they have to promise. Half, double: 0 on texts standardised, k = 50.

# of prices, measured, and of memory
WIDEST = 3000  # features of a matrix on all of which L and M are held: 72 MB each
EIGENPAIRS = 3e-10  # seconds that all eigenpairs of YY' take, per m³


def of_factor(problem: Problem, x: np.ndarray, rows: Bound, monitor: Monitor) -> Iterator[Bound]:
    """Yield decreasing bounds below ``rows``, the bound by balanced rows of A; none where none is promised."""
    cov, proof = problem.cov, rows.ingredients
    factor = cov.held.factor
    if factor is None or not isinstance(proof, ScaleProof):
        return
    m, n = factor.shape
    work = EIGENPAIRS * m**3 + DENSE_PRODUCT * n * m * m
    heavy = np.flatnonzero(levelled.cost_limits(problem, proof.weights) > rows.value)
    if not len(heavy) or m > LARGEST or n * m > COMBINED or not monitor.affords(work):
        return
    monitor.pay(work)
    found, least = cov.variance(x), rows.value
    try:
        gram = run_cancellable(factor.gram, monitor)
        values, vectors = run_cancellable(partial(np.linalg.eigh, gram), monitor)
    except Stopped:
        return
    error = rounding.sums(2 * max(m, n), factor.rounding_scale) + cov.held.room()
    along = (vectors.T @ factor.forward(x)) ** 2  # of x's variance
    for tail in (share * found for share in TAILS):
        used, goal = values > tail, least * (1 - WORTH)
        attained = float(along[used] @ (1.0 - tail / values[used]))
        if tail + attained > goal:
            continue
        d = np.count_nonzero(used)
        monitor.pay(DENSE_PRODUCT * (m * d * (n + m + d) + m**3 / 3))
        W = vectors[:, used] * np.sqrt(values[used] - tail)
        try:
            products = rounding.low_rank(float(np.linalg.norm(gram)), W)
            proven = partial(eigenvalues.of_matrix, gram - W @ W.T, products + error, tail)  # YY' ⪯ tI + WW'
            tail = run_cancellable(proven, monitor)
            rest = replace(problem, cov=run_cancellable(partial(_shrunk, factor, W, tail), monitor))
        except Stopped:
            return
        if monitor.stop() or not monitor.affords(levelled.seconds(rest, heavy)):
            return
        bound = balanced.balanced_rows(rest, lower=rest.cov.variance(x) * (1 - BOUND_GAIN), monitor=monitor)
        value, shares = rounding.added(tail, bound.value, cov.held.room()), bound.ingredients
        if value < least and isinstance(shares, ScaleProof):
            least = value
            detail = (
                f"Every direction is allowed {tail:.6g}; of what the {W.shape[1]:,} leading ones have beyond, each "
                "pair of features splits its covariance in the ratio of their scales. The largest row of that, its "
                "own variance and k − 1 largest shares, is added."
            )
            yield replace(bound, value=value, detail=detail, ingredients=replace(shares, directions=W, tail=tail))


def of_matrix(problem: Problem, x: np.ndarray, least: float, budget: float, monitor: Monitor) -> Iterator[Bound]:
    """Yield the bound of a core on B, extended to all features of a matrix that is held; none where none is promised.

    ``budget`` is the work of the core's splitting in counted seconds.
    """
    A, found, n = problem.cov.held.entries, problem.cov.variance(x), problem.n
    work, size = eigenvalues.seconds(problem.cov, 0), float(problem.cov.diagonal.max())
    if n > WIDEST or not found > 0 or not monitor.affords(work):
        return
    monitor.pay(work)
    single = (A / size).astype(np.float32)  # any directions do
    largest = partial(scipy.linalg.eigh, single, subset_by_value=(CORES[0] * found / size, np.inf), driver="evr")
    try:
        values, vectors = run_cancellable(largest, monitor)
    except (Stopped, scipy.linalg.LinAlgError):
        return
    values, vectors, begun = values.astype(float) * size, vectors.astype(float), []
    for tail in (share * found for share in CORES):
        used = values > tail
        W = vectors[:, used] * np.sqrt(values[used] - tail)
        attained = float(np.sum((x @ W) ** 2))
        if tail + attained <= least * (1 - WORTH):
            rest = replace(problem, cov=Covariance(DenseFactor(W.T), Provenance()))
            rows = balanced.balanced_rows(rest, lower=attained * (1 - BOUND_GAIN), monitor=monitor)
            begun.append((tail + rows.value, attained, rest, rows))
    if not begun or monitor.stop():
        return
    _, attained, rest, rows = min(begun, key=itemgetter(0))
    assert isinstance(rows.ingredients, ScaleProof)
    order, d = np.argsort(-rows.ingredients.weights, kind="stable"), rows.ingredients.weights
    cores = partial(core.bounds, budget=budget, goal=attained, monitor=monitor, read=n, flat=True)
    made = list(cores(rest, x, order, d, rows.value))
    if not made or monitor.stop():
        return
    assert isinstance(made[-1].ingredients, PairProof)
    L, M = core.multipliers_on_all(rest, made[-1].ingredients)
    value, proof = pair_scaled.proof_of(problem, L, M, balance=0, monitor=monitor)
    yield replace(made[-1], value=value, ingredients=proof)


def _shrunk(factor: Factor, W: np.ndarray, tail: float) -> Covariance:
    """B, with an allowance for what rounding does to the directions: the columns of W are nearly orthogonal."""
    terms = factor.shape[0] + 8
    inner = np.abs(W.T @ W)
    own = inner.diagonal().copy()
    np.fill_diagonal(inner, 0.0)
    norms = np.sqrt(own)
    least = tail + own - inner.sum(axis=1) - rounding.sums(8 * terms, norms * norms.sum() + tail)
    combined = W / np.sqrt(least)
    V = factor.backward(combined.T)
    off = rounding.sums(8 * terms, float(np.linalg.norm(combined)) * np.sqrt(factor.rounding_scale))
    error = off * (2 * float(np.linalg.norm(V)) + off)
    return Covariance(DenseFactor(V), Provenance(representation_error=error))
