"""Re-derives the pair-scaled bound, of one component or of r parts: a product test, row sums, one definiteness test."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from nnspca.certificates.eigenvalues import least_of_rest
from nnspca.certificates.numbers import (
    UNDERFLOW,
    UpperBound,
    array,
    at_most,
    feature_indices,
    formed,
    held_entries,
    real,
    whole,
)
from nnspca.certificates.proofs import PairProof, SeriesProof, TreeProof
from nnspca.certificates.rows import cover_outside
from nnspca.covariance.problem import Problem
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps
MARKS = 2**29  # most marks, n² a node, that a tree of pairs may ask for: several times what the widest of ours do


@dataclass(frozen=True, eq=False)
class Fixed:
    """What a case fixes: companions of each row for sure, those that are none, (n, n), and features in use, (n,)."""

    sure: np.ndarray
    barred: np.ndarray
    used: np.ndarray

    @classmethod
    def inside(cls, features: list[int], n: int) -> Fixed:
        """Features that every support contains; their prices are as any other's."""
        sure = np.zeros((n, n), dtype=bool)
        sure[:, features] = True
        np.fill_diagonal(sure, False)
        return cls(sure, np.zeros((n, n), dtype=bool), np.zeros(n, dtype=bool))


def pair_bound(proof: PairProof, r: int, problem: Problem, known: Fixed | None = None) -> float:
    """The bound that L, M, v, V and tail prove, after all checks; ``known`` are the features to include if not given.

    Nothing of the proof itself is read after its check: what was checked is what is added up.
    """
    if type(proof) is not PairProof:
        raise CertificateError("L and M are missing")
    cov, k, n = problem.cov, problem.k, problem.n
    if proof.features is None:
        chosen, (A, error), limits, beyond = np.arange(n), held_entries(cov), None, 0.0
    else:
        chosen = feature_indices(proof.features, "the working set", n)
        limits, beyond = array(proof.limits, "the limits", (len(chosen),)), cov.representation_error
        if not (limits > 0).all():
            raise CertificateError("every feature of the working set needs a positive limit")
        A, error = formed(cov, chosen)
    known = known or Fixed.inside([] if limits is not None else list(problem.include), len(A))
    used = known.used
    L, M, tail = array(proof.L, "L", A.shape), array(proof.M, "M", A.shape), real(proof.tail, "the tail")
    v = np.zeros(len(A)) if proof.v is None else array(proof.v, "v", (len(A),))
    V = np.zeros((len(A), 0)) if proof.V is None else array(proof.V, "the low-rank part", (len(A), None))
    if not (L == L.T).all():
        raise CertificateError("L is not symmetric")
    if not (M >= 0).all() or M.diagonal().any():
        raise CertificateError("M has a negative entry, or a nonzero diagonal")
    if not (v[~used] >= 0).all():
        raise CertificateError("a price is negative")
    check_products(np.where(known.barred, 0.0, L), M, problem.nonnegative)
    forming = 2 * EPS * (float(np.abs(A).sum(axis=1).max()) + float(np.abs(L).sum(axis=1).max()))
    room = least_of_rest(A - L, V, tail - error - forming)
    if not at_most(0.0, room):
        raise CertificateError(f"the largest eigenvalue of A − L exceeds the claimed {tail!r} by {-room:.3g}")
    rows = _costs(L.diagonal(), M, v, k, known, limits)
    if limits is not None and len(chosen) < n:
        most = UpperBound()
        cover_outside(most, problem, chosen, limits, v, proof.weights)
        outside = (most.value - tail) + 2 * EPS * (abs(most.value) + abs(tail))
        rows = np.concatenate([rows, np.full(r, outside)])
    largest = np.sort(rows)[::-1][:r]  # a NaN comes first
    priced = float(v[used].sum() + np.sort(v[~used])[::-1][: max(0, r * k - int(used.sum()))].sum())
    top = float(np.sort((V * V).ravel()).sum())
    size = (r + 4) * (r * abs(tail) + float(np.abs(largest).sum()))
    size += (V.size + 4) * top + 2 * (len(v) + r + 4) * float(np.abs(v).sum())
    total = r * tail + top + float(largest.sum()) + priced + EPS * size + r * beyond
    return total if np.isfinite(total) else np.inf


def _costs(
    own: np.ndarray, M: np.ndarray, v: np.ndarray, k: int, known: Fixed, limits: np.ndarray | None
) -> np.ndarray:
    """What each row costs with its k − 1 dearest companions, those known among them; any other costs a limit."""
    shares = M - v
    np.fill_diagonal(shares, 0.0)
    dear = np.where(known.sure | known.barred, 0.0, np.maximum(shares, 0.0))
    if limits is not None:
        dear = np.hstack([dear, np.repeat(limits[:, None], k - 1, axis=1)])
    falling = np.sort(dear, axis=1)[:, ::-1][:, : k - 1]
    count = known.sure.sum(axis=1)
    if count.any():
        falling = np.where(np.arange(falling.shape[1]) < (k - 1 - count)[:, None], falling, 0.0)
    certain = np.where(known.sure, shares, 0.0)
    size = np.abs(own) + np.abs(v) + np.abs(certain).sum(axis=1) + falling.sum(axis=1)
    return own - v + certain.sum(axis=1) + falling.sum(axis=1) + (k + 4) * EPS * size


def check_products(L: np.ndarray, M: np.ndarray, nonnegative: bool) -> None:
    """Check ``M_ij M_ji >= (L_ij⁺)²`` off the diagonal, by roots, which neither overflow nor vanish.

    Entries of L below ``UNDERFLOW`` are let pass: what they add is part of what every derivation is raised by.
    """
    needed = np.maximum(L, 0.0) if nonnegative else np.abs(L)
    roots = np.sqrt(M)
    holds = (roots * roots.T * (1 - 4 * EPS) >= needed) | (needed <= UNDERFLOW)
    np.fill_diagonal(holds, True)
    if not holds.all():
        i, j = np.argwhere(~holds)[0]
        raise CertificateError(f"M_ij M_ji is below the square of L_ij at ({i}, {j})")


def series_bound(proof: SeriesProof, r: int, problem: Problem) -> float:
    """The bound that a series proves for the fewest of its cardinalities that are no less than k."""
    cardinalities = series_cardinalities(proof, problem.n)
    places = [place for place, c in enumerate(cardinalities) if c >= problem.k]
    if not places:
        raise CertificateError(f"the series proves nothing for {problem.k} features")
    shape = (problem.n, problem.n)
    L, M = array(proof.L, "L", shape), array(proof.M, "M", shape)
    if L.diagonal().any():
        raise CertificateError("the diagonal of L is not zero")
    tail = real(proof.tails[places[-1]], "the tail")
    of_one = SeriesProof(L, M, (cardinalities[places[-1]],), (tail,)).pairs(0)
    return pair_bound(of_one, r, problem)


def series_cardinalities(proof: SeriesProof, most: int) -> tuple[int, ...]:
    """The cardinalities of a series, after a check that they fall and that each has a tail."""
    given, tails = proof.cardinalities, proof.tails
    if type(given) is not tuple or type(tails) is not tuple or not given or len(given) != len(tails):
        raise CertificateError("a series needs as many cardinalities as tails, both as tuples, and not empty")
    found = tuple(whole(c, "a cardinality of a series", 1, most) for c in given)
    if any(one <= other for one, other in itertools.pairwise(found)):
        raise CertificateError("the cardinalities of a series do not fall")
    return found


def tree_bound(proof: TreeProof, r: int, problem: Problem) -> float:
    """The largest bound over the leaves of a tree that covers all cases."""
    if type(proof.leaves) is not tuple:
        raise CertificateError("the tree of cases and its proofs must be tuples")
    if type(proof.splits) is not tuple:
        return _tree_of_pairs(proof, r, problem)
    if r > 1:
        raise CertificateError("a tree of features proves nothing about several parts")
    k, n = problem.k, problem.n
    if len(proof.splits) != 2 * len(proof.leaves) - 1:  # so that no more is walked than is proven
        raise CertificateError(f"a tree of {len(proof.splits):,} cases does not fit {len(proof.leaves):,} proofs")
    splits = iter([whole(i, "a feature the cases are split at", -1, n - 1) for i in proof.splits])
    leaves, most = iter(proof.leaves), UpperBound()
    cases: list[tuple[frozenset[int], frozenset[int]]] = [(frozenset(), frozenset(problem.include))]
    while cases:
        out, inside = cases.pop()
        feature = next(splits, None)
        if feature is None:
            raise CertificateError("the tree of cases ends too early")
        if feature >= 0:
            if feature in out or feature in inside:
                raise CertificateError(f"feature {feature} is split at twice on one path")
            if len(inside) >= k or len(out) >= n - 1:
                raise CertificateError("a case that is already decided is split again")
            cases += [(out, inside | {feature}), (out | {feature}, inside)]
            continue
        leaf = _leaf(leaves)
        remaining = sorted(inside) if len(inside) == k else [i for i in range(n) if i not in out]
        known = Fixed.inside([place for place, i in enumerate(remaining) if i in inside], len(remaining))
        most.cover(pair_bound(leaf, 1, problem.restrict(np.array(remaining)), known))
    if next(splits, None) is not None or next(leaves, None) is not None:
        raise CertificateError("the tree of cases goes on after its end")
    return most.value


def _leaf(leaves: object) -> PairProof:
    leaf = next(leaves, None)  # type: ignore[call-overload]
    if type(leaf) is not PairProof or leaf.features is not None:
        raise CertificateError("a case has no proof")
    return leaf


def _tree_of_pairs(proof: TreeProof, r: int, problem: Problem) -> float:
    """Check a tree of pairs of features, which share a part or do not."""
    k, n = problem.k, problem.n
    splits = array(proof.splits, "the tree", (None, 2), "iu").astype(int)
    if not ((splits >= -1) & (splits < n)).all():
        raise CertificateError("the tree must be a list of pairs of features")
    # no path decides upon a pair twice, and no more is walked than is proven
    allowed = min(len(proof.leaves) * n * n, MARKS // (n * n))
    if np.count_nonzero((splits == -1).all(axis=1)) != len(proof.leaves) or len(splits) > allowed:
        raise CertificateError(f"a tree of pairs of {len(splits):,} nodes does not fit {len(proof.leaves):,} proofs")
    nodes, leaves, most = iter(splits.tolist()), iter(proof.leaves), UpperBound()
    cases = [(np.arange(n), np.zeros((n, n), dtype=bool))]  # a name for each feature's group, pairs apart
    while cases:
        group, apart = cases.pop()
        i, j = next(nodes, (-2, -2))
        if (i, j) == (-1, -1):
            same = (group[:, None] == group) & ~np.eye(n, dtype=bool)
            most.cover(pair_bound(_leaf(leaves), r, problem, Fixed(same, apart, same.any(axis=1))))
            continue
        if not (0 <= i < n and 0 <= j < n):
            raise CertificateError("the tree of cases ends too early, or splits at no feature of the data's")
        if group[i] == group[j] or apart[i, j]:
            raise CertificateError(f"features {i} and {j}, already decided upon, are split at")
        mine, yours = group == group[i], group == group[j]
        parted = apart | (np.outer(mine, yours) | np.outer(yours, mine))
        both = mine | yours
        shunned = apart[both].any(axis=0)
        joined = apart | np.outer(both, shunned) | np.outer(shunned, both)
        if both.sum() <= k:
            cases.append((np.where(both, group[i], group), joined))
        cases.append((group, parted))
    if next(nodes, None) is not None or next(leaves, None) is not None:
        raise CertificateError("the tree of cases goes on after its end")
    return most.value
