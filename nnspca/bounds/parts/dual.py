"""The joint dual: an upper bound on the total variance of r parts with disjoint supports (MATH B11).

**The bound.** Let x_1 … x_r be unit vectors of disjoint supports J_1 … J_r, at most k features
each. Take any symmetric L, any nonnegative M with ``M_ij M_ji >= (L_ij⁺)²`` for i ≠ j, and a price
v_j >= 0 for each feature. The mean inequality of :mod:`nnspca.bounds.pair_scaled` in each part, its
shares reckoned less the prices, gives

    x_c'Lx_c <= Σ_i x_ci² (L_ii + Σ_{j∈J_c∖i} M_ij)
             =  Σ_i x_ci² (L_ii − v_i + Σ_{j∈J_c∖i} (M_ij − v_j)) + Σ_{j∈J_c} v_j,

since Σ_i x_ci² = 1. With ``g_i = L_ii − v_i + the k−1 largest (M_ij − v_j)⁺``, the weights Σ_c
x_ci² are at most 1 and add up to r, and the supports hold at most rk features. The x_c are
orthonormal, so if ``A − L ⪯ tI + VV'``, then
``Σ_c x_c'(A − L)x_c <= rt + Σ_c ‖V'x_c‖² <= rt + ‖V‖²`` (Frobenius). Together

    Σ_c x_c'Ax_c <= rt + ‖V‖² + [the r largest g_i] + [the rk largest v_j].

V is made of the r − 1 leading eigenvectors of A − L, and t is its r-th eigenvalue: then
``rt + ‖V‖²`` is Ky Fan's sum of the r largest, yet nothing about eigenvalues has to be believed but
that one matrix is positive semidefinite. Without the sign constraint |L_ij| stands for L_ij⁺.

**Finding L, M and v.** They are the multipliers of a relaxation over X (for Σ_c x_c x_c') and Y
(Y_ij for X_ii times "j shares the part of i"): that of one part with the Fantope
``0 ⪯ X ⪯ I, tr X = r`` for the spectraplex, and with

    X_jj + Σ_{i≠j} Y_ij <= 1,

as a feature serves one part: v_j is its multiplier (:mod:`nnspca.bounds.parts.splitting`).

**Levelling.** The r dearest rows count, so whatever a row costs less than the r-th dearest is added
to its L_ii: the sum stays, and A − L loses a matrix that is positive semidefinite.

**What is decided.** If it is known which features share i's part, the companions of i contain them:
row i costs their ``M_ij − v_j``, whatever the sign, and the largest others up to k−1 in all.
Features known to be in use count in the sum of the v_j for sure, so theirs may be negative. For a
pair known not to share a part, ``x_ci x_cj = 0``: it asks nothing of M, and L_ij is free.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.linalg

from nnspca.bounds import eigenvalues
from nnspca.bounds.pair_scaled import CHECK, least_products
from nnspca.bounds.parts.decided import Decided
from nnspca.bounds.parts.splitting import Splitting
from nnspca.certificates.proofs import PairProof
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.numerics.feasible import sum_of_largest
from nnspca.result import Bound

PATIENCE = 30  # bounds without a relative gain of 1e-6 before the search rests
FEW_PAYS = 100  # features from which a few eigenpairs cost less than all


def tighten(
    problem: Problem,
    X: np.ndarray,
    *,
    steps: int,
    goal: float,
    monitor: Monitor,
    warm_start: PairProof | None = None,
) -> Iterator[Bound]:
    """Yield ever smaller bounds, each proven, until the steps are spent, the goal is met, or nothing is gained.

    Parameters
    ----------
    problem : Problem
        Of each part alone; its covariance is held as a matrix.
    X : ndarray, shape (r, n)
        The best parts known, to start from.
    steps : int
    goal : float
        Stop once a bound is this small.
    monitor : Monitor
    warm_start : PairProof, optional
        What proved a bound at a neighbouring k or r: the multipliers start there.
    """
    splitting = Splitting(problem.cov.entries, problem.k, X, problem.nonnegative)
    if warm_start is not None and warm_start.v is not None:
        splitting.begin_at(warm_start.L, warm_start.M, warm_start.v)
    least, idle = np.inf, 0
    for step in range(1, steps + 1):
        splitting.advance()
        if step % CHECK and step != steps and not monitor.stop():
            continue
        value, proof = proof_of(problem, len(X), *splitting.multipliers())
        idle = 0 if value < least * (1 - 1e-6) else idle + 1
        if value < least:
            least = value
            yield Bound(
                "joint-dual",
                value,
                detail=(
                    "Every pair of features splits its covariance between its two rows, and a price on each feature "
                    f"accounts for its use in one part only. This bounds the variance of {len(X)} parts ({step:,} "
                    "steps of splitting)."
                ),
                ingredients=proof,
            )
        if least <= goal or idle >= PATIENCE or monitor.stop():
            return


def proof_of(
    problem: Problem,
    r: int,
    L: np.ndarray,
    M: np.ndarray,
    v: np.ndarray,
    decided: Decided | None = None,
    *,
    level: bool = True,
) -> tuple[float, PairProof]:
    """The bound of any L, M and v: products enforced, rows levelled, the rest of A bounded.

    ``level=False`` leaves the slack of the cheaper rows unused, for a caller that spends it elsewhere.
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    decided = Decided.nothing(len(L)) if decided is None else decided
    L = (L + L.T) / 2
    asked = np.where(decided.apart, 0.0, L)
    M = rounding.covering(least_products(asked, np.where(decided.apart, 0.0, M), nonnegative))
    v = np.where(decided.used, v, np.maximum(v, 0.0))
    if level:
        costs = row_costs(L, M, v, k, decided)
        L[np.diag_indices(len(L))] += np.maximum(np.sort(costs)[-r] - costs, 0.0)
    sizes = float(np.abs(L).sum(axis=1).max()) + float(np.abs(cov.entries).sum(axis=1).max())
    error = rounding.sums(4, sizes) + cov.room()
    tail, V = fan(cov.entries - L, r, error)
    rows = row_costs(L, M, v, k, decided)
    reach = np.abs(L.diagonal()) + k * (M.max(axis=1) + np.abs(v).max())
    proof = PairProof(L, M, tail, v, V)
    return summed(proof, rows + rounding.sums(4 * (k + 8), reach), r, k, decided), proof


def summed(proof: PairProof, rows: np.ndarray, r: int, k: int, decided: Decided | None = None) -> float:
    """The bound on r parts from the costs of rows, rounded up."""
    assert proof.v is not None and proof.V is not None
    v, top = proof.v, float(np.sum(proof.V * proof.V))
    used = np.zeros(len(v), dtype=bool) if decided is None else decided.used
    dearest = np.sort(rows)[-r:]
    terms = r * abs(proof.tail) + top + float(np.sort(np.abs(rows))[-r:].sum()) + float(np.abs(v).sum())
    value = r * proof.tail + top + dearest.sum() + prices(v, r * k, used)
    return float(value + rounding.sums(4 * (len(v) * (r + 1) + 8), terms))


def fan(B: np.ndarray, r: int, error: float) -> tuple[float, np.ndarray]:
    """A proven t and V with ``B ⪯ tI + VV'`` for which ``rt + ‖V‖²`` is near the sum of the r largest eigenvalues."""
    n = len(B)
    if n < FEW_PAYS:
        values, vectors = np.linalg.eigh(B)
        values, vectors = values[-r:], vectors[:, -r:]
    else:
        values, vectors = scipy.linalg.eigh(B, driver="evr", subset_by_index=(n - r, n - 1), check_finite=False)
    V = vectors[:, 1:] * np.sqrt(values[1:] - values[0])
    forming = rounding.sums(V.shape[1] + 4, float(np.sum(V * V)) + float(np.abs(B).max()))
    return eigenvalues.of_matrix(B - V @ V.T, error + n * forming, estimate=float(values[0])), V


def row_costs(L: np.ndarray, M: np.ndarray, v: np.ndarray, k: int, decided: Decided) -> np.ndarray:
    """g_i: what each row costs with its k − 1 dearest companions, those decided upon among them."""
    shares = M - v
    np.fill_diagonal(shares, 0.0)
    open_shares = np.maximum(shares, 0.0)
    if not decided.same.any():
        return L.diagonal() - v + sum_of_largest(np.where(decided.apart, 0.0, open_shares), k - 1)
    sure = np.where(decided.same, shares, 0.0).sum(axis=1)
    falling = -np.sort(-np.where(decided.same | decided.apart, 0.0, open_shares), axis=1)
    sums = np.cumsum(np.hstack([np.zeros((len(L), 1)), falling]), axis=1)
    places = k - 1 - decided.same.sum(axis=1)
    return L.diagonal() - v + sure + sums[np.arange(len(L)), np.minimum(places, len(L))]


def prices(v: np.ndarray, count: int, used: np.ndarray) -> float:
    """What ``count`` features cost at most, those in use among them."""
    others = np.sort(v[~used])[::-1]
    return float(v[used].sum() + others[: max(0, count - int(used.sum()))].sum())
