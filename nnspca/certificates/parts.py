"""Re-derives bounds on several parts: a definiteness test, a product test, sums of sorted rows."""

from __future__ import annotations

import numpy as np

from nnspca.certificates.numbers import UpperBound, array, at_most, feature_indices, formed, held_entries, number
from nnspca.certificates.pairs import check_products
from nnspca.certificates.proofs import PartsProof, PartsTreeProof, PartsWorkingProof, VariancesProof
from nnspca.certificates.ranks import least_of_rest, summed
from nnspca.certificates.working import cover_outside
from nnspca.covariance.problem import Problem
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps
MARKS = 2**29  # most marks, n² a node, that a tree of pairs may ask for: several times what the widest of ours do


def variances_bound(proof: VariancesProof, r: int, problem: Problem) -> float:
    """The sum of the largest variances of single features."""
    cov, k = problem.cov, problem.k
    count = min(r * k, cov.n_features)
    terms = 4 * cov.form.terms
    largest = float(np.sort(cov.diagonal)[cov.n_features - count :].sum()) * (1 + (count + terms) * EPS)
    return largest + cov.representation_error * r


def joint_bound(proof: PartsProof, r: int, problem: Problem) -> float:
    """The bound that (L, M, v, V, tail) prove for r parts."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    A, error = held_entries(cov)
    no_pairs = np.zeros(A.shape, dtype=bool)
    checked = _checked(proof, nonnegative, A, error, no_pairs, no_pairs)
    return _together(checked, _rows(checked, k, no_pairs, no_pairs), r, k, no_pairs)


def parts_working_bound(proof: PartsWorkingProof, r: int, problem: Problem) -> float:
    """The same on a working set: pairs across share by the limits, pairs outside evenly."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    n, parts = cov.n_features, proof.parts
    chosen = feature_indices(proof.features, "the working set", n)
    limits = array(proof.limits, "the limits", (len(chosen),))
    if not (limits > 0).all() or type(parts) is not PartsProof:
        raise CertificateError("every feature of the working set needs a positive limit, and all of them a proof")
    block, forming = formed(cov, chosen)
    no_pairs = np.zeros(block.shape, dtype=bool)
    checked = _checked(parts, nonnegative, block, forming, no_pairs, no_pairs)
    rows = _rows(checked, k, no_pairs, no_pairs, limits)
    most = UpperBound()
    cover_outside(most, problem, chosen, limits, checked.v)
    outside = (most.value - checked.tail) + 2 * EPS * (abs(most.value) + abs(checked.tail))
    rows = np.concatenate([rows, np.full(r if len(chosen) < n else 0, outside)])
    return _together(checked, rows, r, k, no_pairs) + r * cov.representation_error


def _checked(
    proof: PartsProof, nonnegative: bool, A: np.ndarray, error: float, same: np.ndarray, apart: np.ndarray
) -> PartsProof:
    """(L, M, v, V, tail) as plain doubles, after checking their claims for an A known up to ``error``.

    Nothing of the proof itself is read afterwards: what was checked is what is added up.
    """
    n = len(A)
    L, M, v = array(proof.L, "L", (n, n)), array(proof.M, "M", (n, n)), array(proof.v, "v", (n,))
    V, tail = array(proof.V, "the low-rank part", (n, None)), number(proof.tail, "the tail")
    if not (L == L.T).all():
        raise CertificateError("L is not symmetric")
    if not ((M >= 0).all() and not M.diagonal().any()):
        raise CertificateError("M has a negative entry, or a nonzero diagonal")
    if not (v[~same.any(axis=1)] >= 0).all():
        raise CertificateError("a price is negative")
    check_products(np.where(apart, 0.0, L), M, nonnegative)
    forming = 2 * EPS * (float(np.abs(A).sum(axis=1).max()) + float(np.abs(L).sum(axis=1).max()))
    room = least_of_rest(A - L, V, tail - error - forming)
    if not at_most(0.0, room):
        raise CertificateError(f"the rest of A exceeds the claimed {tail!r} by {-room:.3g}")
    return PartsProof(L, M, v, V, tail)


def _rows(
    checked: PartsProof, k: int, same: np.ndarray, apart: np.ndarray, limits: np.ndarray | None = None
) -> np.ndarray:
    """The cost of each row if some pairs share a part and some do not.

    With ``limits``, any companion of a row may cost that much instead.
    """
    L, M, v, n = checked.L, checked.M, checked.v, len(checked.L)
    theta = np.zeros(n) if limits is None else limits
    rows = np.array([_row(M[i] - v, same[i], apart[i], theta[i], i, k) for i in range(n)]) + L.diagonal() - v
    return rows + 2 * (k + 4) * EPS * (np.abs(L.diagonal()) + np.abs(v) + k * (M.max(axis=1) + np.abs(v).max() + theta))


def _together(checked: PartsProof, rows: np.ndarray, r: int, k: int, same: np.ndarray) -> float:
    """The bound on r parts that follows from the costs of rows."""
    V, v, used = checked.V, checked.v, same.any(axis=1)
    dearest = float(np.sort(rows)[::-1][:r].sum())
    others = np.sort(v[~used])[::-1]
    priced = float(v[used].sum() + others[: max(0, r * k - int(used.sum()))].sum())
    rounding = 2 * (len(v) + r + 4) * EPS * (float(np.abs(v).sum()) + float(np.sort(np.abs(rows))[::-1][:r].sum()))
    return summed(r, checked.tail, V) + dearest + priced + rounding


def _row(shares: np.ndarray, same: np.ndarray, apart: np.ndarray, theta: float, i: int, k: int) -> float:
    """The cost of the companions of a row: those known to be there, and the largest of the possible ones."""
    open_to = ~(same | apart)
    open_to[i] = False
    dear = np.sort(np.concatenate([np.maximum(shares[open_to], 0.0), np.full(k - 1, theta)]))[::-1]
    return float(shares[same].sum() + dear[: k - 1 - int(same.sum())].sum())


def parts_tree_bound(proof: PartsTreeProof, r: int, problem: Problem) -> float:
    """The largest bound over the leaves of a tree that covers all cases."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    n = cov.n_features
    A, error = held_entries(cov)
    splits = array(proof.splits, "the tree", (None, 2), "iu")
    if not ((splits >= -1) & (splits < n)).all() or type(proof.leaves) is not tuple:
        raise CertificateError("the tree must be a list of pairs of features, its leaves a tuple")
    # no path decides upon a pair twice, and no more is walked than is proven
    allowed = min(len(proof.leaves) * n * n, MARKS // (n * n))
    if np.count_nonzero((splits == -1).all(axis=1)) != len(proof.leaves) or len(splits) > allowed:
        raise CertificateError(f"a tree of pairs of {len(splits):,} nodes does not fit {len(proof.leaves):,} proofs")
    nodes, leaves = iter(splits.astype(int).tolist()), iter(proof.leaves)
    most = UpperBound()
    cases = [(np.arange(n), np.zeros((n, n), dtype=bool))]  # a name for each feature's group, pairs apart
    while cases:
        group, apart = cases.pop()
        i, j = next(nodes, (-2, -2))
        if (i, j) == (-1, -1):
            leaf = next(leaves, None)
            if type(leaf) is not PartsProof:
                raise CertificateError("a case has no proof")
            same = (group[:, None] == group) & ~np.eye(n, dtype=bool)
            checked = _checked(leaf, nonnegative, A, error, same, apart)
            most.cover(_together(checked, _rows(checked, k, same, apart), r, k, same))
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
