"""Features that every optimal component must use: what is left once they are known is bounded far tighter.

Leave out feature i and bound the optimum of the rest by the pair-scaled dual, warm from the whole problem's
multipliers. If that bound v_i is below the variance already found, no optimal x does without i. Let F be a set
of such features. An x either misses some i in F, and then ``x'Ax <= v_i``; or its support J holds F, and then in

    x'Lx <= Σ_{i∈J} x_i² (L_ii + Σ_{j∈J∖i} M_ij)

the companions J∖i of each row contain F∖i: the row costs its entries in F∖i and its largest ``k − 1 − |F∖i|`` others,
not its k−1 largest. So ``OPT <= max(max_{i∈F} v_i, the dual with those rows)``. Neighbouring pixels of a face leave the
plain relaxation a few parts in a thousand of freedom at small k; knowing five of ten features takes most of it away.

Each round tries the features of the best x that are not yet in F, heaviest first, and each search uses what
the rounds before have shown.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nnspca.bounds.pair_scaled import CHECK, Splitting, proof_of
from nnspca.covariance import Covariance
from nnspca.proofs import BranchProof, PairProof
from nnspca.result import Bound
from nnspca.watch import Watch

ROOT, WITHOUT, WITH = 300, 120, 400  # steps of the splittings: of the whole, without a feature, with F
LARGEST = 40  # most features of x tried


def tighten(
    cov: Covariance, k: int, x: np.ndarray, lower: float, *, nonnegative: bool, goal: float, watch: Watch
) -> Iterator[Bound]:
    """Yield bounds as features are shown to be in every optimal support; nothing where none can be.

    Parameters
    ----------
    cov : Covariance
        Held as a matrix.
    k : int
        At least 2.
    x : ndarray, shape (n,)
        The best feasible point known, of variance ``lower``.
    nonnegative : bool
    goal : float
        Stop once a bound is this small.
    watch : Watch
    """
    assert cov.matrix is not None
    support = np.flatnonzero(x)
    if not 2 <= len(support) <= LARGEST:
        return
    root = Splitting(cov.matrix, k, x, nonnegative)
    for _ in range(ROOT):
        root.advance()
        if watch.stop():
            return
    forced = np.zeros(cov.n_features, dtype=bool)
    without: dict[int, tuple[float, PairProof]] = {}
    least = np.inf
    for feature in support[np.argsort(-np.abs(x[support]), kind="stable")]:
        if forced.sum() >= k - 1 or watch.stop():
            break
        value, proof = _without(cov, k, x, int(feature), root, lower, nonnegative, watch)
        if value > max(lower, goal):
            continue
        without[int(feature)] = value, proof
        forced[feature] = True
        if forced.sum() < min(4, len(support) - 1):  # with few of them known there is little to gain
            continue
        bound = _with(cov, k, x, forced, without, root, goal, nonnegative, watch)
        if bound.value < least:
            least = bound.value
            yield bound
        if least <= goal:
            return


def _without(
    cov: Covariance, k: int, x: np.ndarray, feature: int, root: Splitting, lower: float, nonnegative: bool, watch: Watch
) -> tuple[float, PairProof]:
    """Least bound met on the covariance without one feature; given up once it is below what was found."""
    kept = np.delete(np.arange(cov.n_features), feature)
    part = cov.restrict(kept)
    assert part.matrix is not None
    start = x[kept]
    splitting = Splitting(part.matrix, k, start / np.linalg.norm(start), nonnegative)
    splitting.follow(root, kept)
    best = None
    for step in range(1, WITHOUT + 1):
        splitting.advance()
        if step % CHECK == 0 or watch.stop():
            made = proof_of(part, k, *splitting.multipliers(), nonnegative=nonnegative)
            best = made if best is None or made[0] < best[0] else best
            if best[0] <= lower or watch.stop():
                break
    assert best is not None
    return best


def _with(
    cov: Covariance,
    k: int,
    x: np.ndarray,
    forced: np.ndarray,
    without: dict[int, tuple[float, PairProof]],
    root: Splitting,
    goal: float,
    nonnegative: bool,
    watch: Watch,
) -> Bound:
    """The bound with a set of features known to be in."""
    assert cov.matrix is not None
    splitting = Splitting(cov.matrix, k, x, nonnegative, forced)
    splitting.follow(root, np.arange(cov.n_features))
    best, idle = None, 0
    for step in range(1, WITH + 1):
        splitting.advance()
        if step % CHECK == 0 or watch.stop():
            made = proof_of(cov, k, *splitting.multipliers(), nonnegative=nonnegative, forced=forced)
            idle = 0 if best is None or made[0] < best[0] * (1 - 1e-5) else idle + 1
            best = made if best is None or made[0] < best[0] else best
            if best[0] <= goal or idle >= 8 or watch.stop():
                break
    assert best is not None
    known = tuple(without)
    value = max(best[0], *(without[i][0] for i in known))
    return Bound(
        "forced",
        value,
        detail=(
            f"{len(known)} of the {k} features are in every optimal component: without any one of them less variance "
            "is possible than was found. With them in, the other places are worth no more than this."
        ),
        ingredients=BranchProof(known, tuple(without[i][1] for i in known), best[1]),
    )
