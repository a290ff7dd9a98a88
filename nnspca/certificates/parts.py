"""Re-derives what is proven of several parts together: a definiteness test, a product test, sums of sorted rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nnspca import feasible
from nnspca.certificates.pairs import check_products
from nnspca.certificates.proofs import EntryProof, FanProof, LargerProof, PartsProof, PartsTreeProof
from nnspca.certificates.ranks import least_of_factored_rest, least_of_rest
from nnspca.covariance import Covariance
from nnspca.errors import CertificateError
from nnspca.result import PartsCertificate

EPS = np.finfo(float).eps


def check_parts(cert: PartsCertificate, cov: Covariance) -> None:
    """Check that the parts are feasible, share no feature, and attain the lower bound."""
    r, n = cert.n_components, cov.n_features
    if not 1 <= len(cert.parts) <= r:
        raise CertificateError(f"it holds {len(cert.parts)} parts; 1 to {r} are allowed")
    X = np.array([numbers(part.loadings, (n,), "the loadings of a part") for part in cert.parts])
    for place, x in enumerate(X):
        reason = feasible.infeasibility(x, cert.k, cert.nonnegative)
        if reason:
            raise CertificateError(f"part {place + 1} is not feasible: {reason}")
    if not np.count_nonzero(X, axis=0).max() <= 1:
        raise CertificateError("two parts use the same feature")
    attained = float(sum(x @ cov.apply(x) for x in X))
    if not abs(attained - cert.lower) <= 1e-9 * abs(attained):
        raise CertificateError(f"the parts attain {attained!r}, not {cert.lower!r}")


def parts_bound(proof: object, cert: PartsCertificate, cov: Covariance) -> float:
    """The value that the ingredients prove for any r parts."""
    r, k, n = cert.n_components, cert.k, cov.n_features
    if isinstance(proof, LargerProof):
        whole = isinstance(proof.k, int) and not isinstance(proof.k, bool)
        if not whole or not k <= proof.k <= n or isinstance(proof.proof, LargerProof):
            raise CertificateError(f"a bound of k = {proof.k!r} says nothing about k = {k}")
        return parts_bound(proof.proof, replace(cert, k=proof.k), cov)
    if isinstance(proof, EntryProof) and proof.rule == "diagonal":
        return _variances(cov, min(r * k, n)) + cov.representation_error * r
    if isinstance(proof, FanProof):
        return _fan(proof, r, cov)
    if cov.matrix is None:
        raise CertificateError("the proof does not fit the data")
    if isinstance(proof, PartsProof):
        nobody = np.zeros((n, n), dtype=bool)
        return _joint(proof, r, k, cert.nonnegative, cov, nobody, nobody)
    if isinstance(proof, PartsTreeProof):
        return _tree(proof, r, k, cert.nonnegative, cov)
    raise CertificateError("a bound carries nothing to re-derive it from")


def numbers(values: object, shape: tuple[int, ...], what: str) -> np.ndarray:
    """Return an array of finite real numbers; CertificateError for anything else."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiu" or array.shape != shape:
        raise CertificateError(f"{what}: not real numbers of shape {shape}")
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        raise CertificateError(f"{what}: a number is not finite")
    return array


def _variances(cov: Covariance, count: int) -> float:
    """The largest variances of single features, summed."""
    terms = 0 if cov.factor is None else 4 * cov.factor.shape[0]
    return float(np.sort(cov.diagonal)[cov.n_features - count :].sum()) * (1 + (count + terms) * EPS)


def _low_rank(V: object, n: int) -> np.ndarray:
    held = np.asarray(V)
    if held.ndim != 2:
        raise CertificateError("the low-rank part does not fit the data")
    return numbers(held, (n, held.shape[1]), "the low-rank part")


def _fan(proof: FanProof, r: int, cov: Covariance) -> float:
    """``r·tail + ‖V‖²`` once ``A ⪯ tail·I + VV'`` holds."""
    V = _low_rank(proof.V, cov.n_features)
    tail = float(numbers(proof.tail, (), "the tail"))
    if cov.matrix is not None:
        room = least_of_rest(cov.matrix, V, tail - cov.representation_error)
    else:
        room = least_of_factored_rest(V, tail, cov)
    if not room >= 0:
        raise CertificateError(f"the rest of A exceeds the claimed {tail!r} by {-room:.3g}")
    return _summed(r, tail, V)


def _summed(r: int, tail: float, V: np.ndarray) -> float:
    top = float(np.sort((V * V).ravel()).sum())
    return r * tail + top + (V.size + 4) * EPS * (r * abs(tail) + top)


def _joint(
    proof: PartsProof, r: int, k: int, nonnegative: bool, cov: Covariance, same: np.ndarray, apart: np.ndarray
) -> float:
    """What (L, M, v, V, tail) prove of r parts in which some pairs share one, and some do not."""
    A = cov.matrix
    assert A is not None
    n = len(A)
    L, M = numbers(proof.L, (n, n), "L"), numbers(proof.M, (n, n), "M")
    v, V, tail = numbers(proof.v, (n,), "v"), _low_rank(proof.V, n), float(numbers(proof.tail, (), "the tail"))
    used = same.any(axis=1)
    if not (L == L.T).all():
        raise CertificateError("L is not symmetric")
    if not ((M >= 0).all() and not M.diagonal().any()):
        raise CertificateError("M has a negative entry, or a nonzero diagonal")
    if not (v[~used] >= 0).all():
        raise CertificateError("a price is negative")
    check_products(np.where(apart, 0.0, L), M, nonnegative)
    forming = 2 * EPS * (float(np.abs(A).sum(axis=1).max()) + float(np.abs(L).sum(axis=1).max()))
    room = least_of_rest(A - L, V, tail - cov.representation_error - forming)
    if not room >= 0:
        raise CertificateError(f"the rest of A exceeds the claimed {tail!r} by {-room:.3g}")
    rows = np.array([_row(M[i] - v, same[i], apart[i], i, k) for i in range(n)]) + L.diagonal() - v
    sizes = np.abs(L.diagonal()) + np.abs(v) + k * (M.max(axis=1) + np.abs(v).max())
    rows += 2 * (k + 4) * EPS * sizes
    dearest = float(np.sort(rows)[n - r :].sum())
    others = np.sort(v[~used])[::-1]
    priced = float(v[used].sum() + others[: max(0, r * k - int(used.sum()))].sum())
    rounding = 2 * (n + r + 4) * EPS * (float(np.abs(v).sum()) + float(np.sort(np.abs(rows))[n - r :].sum()))
    return _summed(r, tail, V) + dearest + priced + rounding


def _row(shares: np.ndarray, same: np.ndarray, apart: np.ndarray, i: int, k: int) -> float:
    """What the companions of a row cost: those known to be there, and the dearest of those that may be."""
    open_to = ~(same | apart)
    open_to[i] = False
    dear = np.sort(np.maximum(shares[open_to], 0.0))[::-1]
    return float(shares[same].sum() + dear[: k - 1 - int(same.sum())].sum())


def _tree(proof: PartsTreeProof, r: int, k: int, nonnegative: bool, cov: Covariance) -> float:
    """The largest bound over the leaves of a tree that leaves no case out."""
    n = cov.n_features
    splits = np.asarray(proof.splits)
    if splits.dtype.kind != "i" or splits.ndim != 2 or splits.shape[1] != 2:
        raise CertificateError("the tree must be a list of pairs of features")
    nodes, leaves = iter(splits.tolist()), iter(proof.leaves)
    worst = -np.inf
    cases = [(np.arange(n), np.zeros((n, n), dtype=bool))]  # a name for each feature's group, pairs apart
    while cases:
        group, apart = cases.pop()
        i, j = next(nodes, (-2, -2))
        if (i, j) == (-1, -1):
            leaf = next(leaves, None)
            if not isinstance(leaf, PartsProof):
                raise CertificateError("a case has no proof")
            same = (group[:, None] == group) & ~np.eye(n, dtype=bool)
            worst = max(worst, _joint(leaf, r, k, nonnegative, cov, same, apart))
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
    return worst
