"""Re-derives the pair-scaled bound: a product test, partial row sums, one definiteness test."""

from __future__ import annotations

import itertools

import numpy as np

from nnspca.certificates.numbers import UNDERFLOW, UpperBound, array, at_most, held_entries, number, whole
from nnspca.certificates.proofs import BranchProof, PairProof, SeriesProof
from nnspca.covariance.problem import Problem
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps
DENSE_EIGEN = 400  # above, definiteness is proven by a Cholesky factorisation


def branch_bound(proof: BranchProof, problem: Problem) -> float:
    """The largest bound over the leaves of a tree that covers all cases."""
    cov, k = problem.cov, problem.k
    n = cov.n_features
    if not (type(proof.splits) is tuple and type(proof.leaves) is tuple):
        raise CertificateError("the tree of cases and its proofs must be tuples")
    if len(proof.splits) != 2 * len(proof.leaves) - 1:  # so that no more is walked than is proven
        raise CertificateError(f"a tree of {len(proof.splits):,} cases does not fit {len(proof.leaves):,} proofs")
    splits = iter([whole(i, "a feature the cases are split at", -1, n - 1) for i in proof.splits])
    leaves = iter(proof.leaves)
    most = UpperBound()
    cases: list[tuple[frozenset[int], frozenset[int]]] = [
        (frozenset(), frozenset(problem.include))
    ]  # left out, known to be in
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
        leaf = next(leaves, None)
        if type(leaf) is not PairProof:
            raise CertificateError("a case has no proof")
        full = len(inside) == k
        remaining = sorted(inside) if full else [i for i in range(n) if i not in out]
        known = [place for place, i in enumerate(remaining) if i in inside]
        most.cover(pair_bound(leaf, problem.restrict(np.array(remaining)), known))
    if next(splits, None) is not None or next(leaves, None) is not None:
        raise CertificateError("the tree of cases goes on after its end")
    return most.value


def pair_bound(proof: PairProof, problem: Problem, inside: list[int] | None = None) -> float:
    """The bound that (L, M) prove, after all checks; ``inside``, or ``include``, are features of every support."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    A, error = held_entries(cov)
    L, M, tail = check_pairs(proof, nonnegative, A, error)
    return tail_and_rows(tail, L, _shares(M, k, list(problem.include) if inside is None else inside), k)


def series_bound(proof: SeriesProof, problem: Problem) -> float:
    """The bound that a series proves for the fewest of its cardinalities that are no less than k."""
    cardinalities = series_cardinalities(proof, problem.n)
    places = [place for place, c in enumerate(cardinalities) if c >= problem.k]
    if not places:
        raise CertificateError(f"the series proves nothing for {problem.k} features")
    shape = (problem.n, problem.n)
    L, M = array(proof.L, "L", shape), array(proof.M, "M", shape)
    if L.diagonal().any():
        raise CertificateError("the diagonal of L is not zero")
    tail = number(proof.tails[places[-1]], "the tail")
    of_one = SeriesProof(L, M, (cardinalities[places[-1]],), (tail,)).pairs(0)
    return pair_bound(of_one, problem)


def series_cardinalities(proof: SeriesProof, most: int) -> tuple[int, ...]:
    """The cardinalities of a series, after a check that they fall and that each has a tail."""
    given, tails = proof.cardinalities, proof.tails
    if type(given) is not tuple or type(tails) is not tuple or not given or len(given) != len(tails):
        raise CertificateError("a series needs as many cardinalities as tails, both as tuples, and not empty")
    found = tuple(whole(c, "a cardinality of a series", 1, most) for c in given)
    if any(one <= other for one, other in itertools.pairwise(found)):
        raise CertificateError("the cardinalities of a series do not fall")
    return found


def tail_and_rows(tail: float, L: np.ndarray, shares: np.ndarray, k: int) -> float:
    """``tail + max_i [L_ii + shares_i]``, rounded up."""
    own = L.diagonal()
    rows = UpperBound()
    rows.cover(own + shares + (k + 2) * EPS * (np.abs(own) + shares))
    return tail + rows.value + 2 * EPS * (abs(tail) + abs(rows.value))


def check_pairs(
    proof: PairProof, nonnegative: bool, A: np.ndarray, error: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return L, M and the tail after checking all claims for A, which is known up to ``error`` in norm."""
    if type(proof) is not PairProof:
        raise CertificateError("L and M are missing")
    L, M = array(proof.L, "L", A.shape), array(proof.M, "M", A.shape)
    tail = number(proof.tail, "the tail")
    if not (L == L.T).all():
        raise CertificateError("L is not symmetric")
    if not (M >= 0).all() or M.diagonal().any():
        raise CertificateError("M has a negative entry, or a nonzero diagonal")
    check_products(L, M, nonnegative)
    _check_tail(A, L, tail - error)
    return L, M, tail


def _shares(M: np.ndarray, k: int, inside: list[int]) -> np.ndarray:
    """The largest cost of the k−1 companions of each row, with those known to be in among them."""
    if not inside:
        return np.sort(M, axis=1)[:, ::-1][:, : k - 1].sum(axis=1)
    shares = np.zeros(len(M))
    for i in range(len(M)):
        sure = [f for f in inside if f != i]
        others = np.delete(M[i], [*sure, i])
        shares[i] = M[i, sure].sum() + np.sort(others)[::-1][: k - 1 - len(sure)].sum()
    return shares


def check_products(L: np.ndarray, M: np.ndarray, nonnegative: bool) -> None:
    """Check ``M_ij M_ji >= (L_ij⁺)²`` off the diagonal, by roots, which neither overflow nor vanish.

    Entries of L below ``UNDERFLOW`` are let pass: what they add is part of what every derivation is
    raised by.
    """
    needed = np.maximum(L, 0.0) if nonnegative else np.abs(L)
    roots = np.sqrt(M)
    holds = (roots * roots.T * (1 - 4 * EPS) >= needed) | (needed <= UNDERFLOW)
    np.fill_diagonal(holds, True)
    if not holds.all():
        i, j = np.argwhere(~holds)[0]
        raise CertificateError(f"M_ij M_ji is below the square of L_ij at ({i}, {j})")


def _check_tail(A: np.ndarray, L: np.ndarray, tail: float) -> None:
    """Check A − L ⪯ tail·I."""
    n = len(A)
    shifted = L - A
    forming = 2 * EPS * (float(np.abs(A).sum(axis=1).max()) + float(np.abs(L).sum(axis=1).max()) + abs(tail))
    shifted[np.diag_indices(n)] += tail - forming
    if n <= DENSE_EIGEN:
        values = np.linalg.eigvalsh(shifted)
        holds = at_most((n + 8) * EPS * float(np.abs(values).max()) / 2, float(values[0]))
    else:
        # a factorisation that runs to its end proves the least eigenvalue above −(n+1)u·trace (Rump
        # 2006)
        shifted[np.diag_indices(n)] -= (n + 2) * EPS * float(np.abs(shifted.diagonal()).sum())
        holds = factorises(shifted)
    if not holds:
        raise CertificateError(f"the largest eigenvalue of A − L exceeds the claimed {tail!r}")


def factorises(B: np.ndarray) -> bool:
    """Whether the Cholesky factorisation succeeds with finite numbers."""
    try:
        return bool(np.isfinite(np.linalg.cholesky(B)).all())  # some libraries let a NaN on the diagonal pass
    except np.linalg.LinAlgError:
        return False
