"""The judge: re-derives a certificate's two numbers from its ingredients; trusts no solver and no bound.

Nothing here is shared with the code that made the certificate, beyond the covariance and the definition of
the feasible set: eigenvalue ceilings are re-derived through LDL' factors and inertia or through eigenvalues
where the maker used Cholesky factors, row sums are read in full, and every cell of the sphere's cover is
bounded again from values of h computed afresh.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import scipy.linalg

from nnspca import cone
from nnspca.covariance import Covariance
from nnspca.errors import CertificateError
from nnspca.result import Bound, Certificate, EntryProof, RankProof
from nnspca.threads import one_blas_thread

EPS = np.finfo(float).eps
ROWS = 256  # rows of A read at a time
DENSE_EIGEN = 800  # above, definiteness is told by a Cholesky factorisation
BLOCK = 8000  # side of the largest block formed


def verify(cert: Certificate, cov: Covariance) -> None:
    """Check that ``cert`` proves what it says about ``cov``.

    Parameters
    ----------
    cert : Certificate
    cov : Covariance
        The covariance it was made for.

    Raises
    ------
    CertificateError
        Names the first claim that fails.

    Examples
    --------
    >>> import dataclasses, nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> cert = nnspca.certify(cov, k=1)
    >>> nnspca.verify(cert, cov)
    >>> nnspca.verify(dataclasses.replace(cert, upper=cert.upper - 1e-6), cov)
    Traceback (most recent call last):
    nnspca.errors.CertificateError: the upper bound 1.99... is below the least proven one, 2.0...
    """
    if cert.fingerprint != cov.fingerprint:
        raise CertificateError("it was made for other data: the fingerprints differ")
    if not 1 <= cert.k <= cov.n_features:
        raise CertificateError(f"k = {cert.k} is outside 1..{cov.n_features}")
    with one_blas_thread():
        _check_lower(cert, cov)
        proven = []
        for bound in cert.bounds:
            if bound.deterministic:
                _check_bound(bound, cert, cov)
                proven.append(bound.value)
    if not proven:
        raise CertificateError("it holds no deterministic bound")
    if cert.upper < min(proven):
        raise CertificateError(f"the upper bound {cert.upper!r} is below the least proven one, {min(proven)!r}")
    if cert.lower > cert.upper:
        raise CertificateError(f"the lower bound {cert.lower!r} exceeds the upper bound {cert.upper!r}")


def _check_lower(cert: Certificate, cov: Covariance) -> None:
    x = np.asarray(cert.component.loadings, dtype=np.float64)
    if x.shape != (cov.n_features,):
        raise CertificateError(f"the component has shape {x.shape}, not ({cov.n_features},)")
    reason = cone.infeasibility(x, cert.k, cert.nonnegative)
    if reason:
        raise CertificateError(f"the component is not feasible: {reason}")
    attained = float(x @ cov.apply(x))
    if not abs(attained - cert.lower) <= 1e-9 * abs(attained):
        raise CertificateError(f"the component attains {attained!r}, not {cert.lower!r}")


def _check_bound(bound: Bound, cert: Certificate, cov: Covariance) -> None:
    proof = bound.ingredients
    if isinstance(proof, RankProof):
        needed = _rank_bound(proof, cert, cov)
    elif isinstance(proof, EntryProof):
        needed = _entry_bound(proof, cert, cov)
    else:
        raise CertificateError(f"bound {bound.name!r} carries nothing to re-derive it from")
    if not bound.value >= needed:
        raise CertificateError(f"bound {bound.name!r} claims {bound.value!r}; its ingredients prove {needed!r} only")


# ---------------------------------------------------------------------- low rank, cut and rest


def _rank_bound(proof: RankProof, cert: Certificate, cov: Covariance) -> float:
    """What the split A = L + (low rank) + rest proves, after checking each of its claims."""
    V = np.asarray(proof.V, dtype=np.float64)
    if V.ndim != 2 or len(V) != cov.n_features or not np.isfinite(V).all():
        raise CertificateError("the low-rank part does not fit the data")
    cut = 0.0
    if proof.rho is not None:
        if not proof.rho >= 0:
            raise CertificateError(f"the cut is at {proof.rho!r}, below zero")
        cut = proof.rho * cert.k * (1 + 4 * EPS)
    _check_tail(proof, V, cert.nonnegative, cov)
    if V.shape[1] and V.any():
        _check_cover(proof, V, cert)
    elif proof.inner < 0:
        raise CertificateError("the low-rank part is empty, yet claims a negative variance")
    return cut + proof.tail + proof.inner


def _check_tail(proof: RankProof, V: np.ndarray, nonnegative: bool, cov: Covariance) -> None:
    """Check A − L − VV' ⪯ tail·I."""
    tail = proof.tail
    if proof.rho is None and not V.any() and tail >= cov.trace * (1 + cov.n_features * EPS) + cov.representation_error:
        return
    if proof.rho is not None:
        least = _least_after_cut(proof, V, nonnegative, cov)
    elif cov.matrix is not None:
        least = _least(cov.matrix, V, tail - cov.representation_error)
    else:
        least = _least_factored(V, tail, cov)
    if not least >= 0:
        raise CertificateError(f"the rest of A exceeds the claimed {tail!r} by {-least:.3g}")


def _least(A: np.ndarray, V: np.ndarray, tail: float) -> float:
    """Least eigenvalue of tail·I − A + VV', less what rounding may have hidden; −∞ if Cholesky says no."""
    B = A - V @ V.T
    n = len(B)
    margin = (n + V.shape[1] + 8) * EPS * (float(np.abs(B.diagonal()).sum()) + n * abs(tail)) / 8
    margin += (V.shape[1] + 3) * EPS * (float(np.linalg.norm(A)) + float((V * V).sum()))
    shifted = (tail - margin) * np.eye(n) - B
    if n <= DENSE_EIGEN:
        return float(scipy.linalg.eigvalsh(shifted, subset_by_index=[0, 0])[0])
    try:
        np.linalg.cholesky(shifted)
    except np.linalg.LinAlgError:
        return -np.inf
    return 0.0


def _least_after_cut(proof: RankProof, V: np.ndarray, nonnegative: bool, cov: Covariance) -> float:
    """The same for what lies above the cut, on the features that reach above it."""
    assert proof.rho is not None
    deviations = np.sqrt(cov.diagonal)
    kept = np.flatnonzero((deviations * deviations.max() * (1 + 1e-9) > proof.rho) | V.any(axis=1))
    if len(kept) > BLOCK:
        raise CertificateError(f"{len(kept)} features reach above the cut: too many to check")
    reading = cov.representation_error
    if cov.factor is not None:
        reading += 2 * (cov.factor.shape[0] + 4) * EPS * cov.factor.rounding_scale()
    if not len(kept):
        return proof.tail - reading
    A = cov.block(kept, kept)
    above = np.maximum(A - proof.rho, 0.0)
    if not nonnegative:
        above -= np.maximum(-A - proof.rho, 0.0)
    return min(_least(above, V[kept], proof.tail - reading), proof.tail - reading)


def _least_factored(V: np.ndarray, tail: float, cov: Covariance) -> float:
    """The same for A = Y'Y with few samples, on the samples' side."""
    assert cov.factor is not None
    Y = cov.factor.columns(np.arange(cov.n_features))
    m, n = Y.shape
    t = tail - (n + m) * EPS * (cov.factor.rounding_scale() + tail) - cov.representation_error
    gram = t * np.eye(m) - Y @ Y.T
    if V.shape[1]:
        root = np.linalg.cholesky(t * np.eye(V.shape[1]) + V.T @ V)
        half = scipy.linalg.solve_triangular(root, (Y @ V).T, lower=True)
        gram += half.T @ half
    return float(np.linalg.eigvalsh(gram)[0])


def _check_cover(proof: RankProof, V: np.ndarray, cert: Certificate) -> None:
    """Re-split the orthants along the tree, and bound every leaf from fresh values of h."""
    V = V[:, np.abs(V).max(axis=0) > 0]
    d = V.shape[1]
    cells = _leaves(np.asarray(proof.tree, dtype=bool), d, cert.nonnegative)
    corners, index = np.unique(cells.reshape(-1, d), axis=0, return_inverse=True)
    index = index.reshape(len(cells), d)
    heights, tops, spare = _heights(V, corners, cert.k, cert.nonnegative)
    claimed = np.sqrt(proof.inner)
    bounds = _interpolated(cells, heights[index], spare, claimed)
    for r in np.flatnonzero(~(bounds * (1 + 8 * EPS) <= claimed)):
        sets = tops[index[r]]
        if not (sets == sets[0]).all():
            raise CertificateError(f"cell {r} of the cover is bounded by {bounds[r] ** 2!r}, above {proof.inner!r}")
        rows = V[sets[0]]
        slack = (d + 4) * EPS * (np.sqrt(cert.k * d) * np.sqrt((V**2).sum(axis=1).max()) + 4 * np.linalg.norm(rows))
        top = np.sqrt(max(float(np.linalg.eigvalsh(rows.T @ rows)[-1]), 0.0)) if len(rows) else 0.0
        if not top * (1 + 4 * d * EPS) + slack <= claimed:
            raise CertificateError(f"cell {r} of the cover has a support of variance {top**2!r}, above {proof.inner!r}")


def _leaves(tree: np.ndarray, d: int, nonnegative: bool) -> np.ndarray:
    """Corners of every leaf, shape (leaves, d, d); the tree must be whole and of the right number of roots."""
    signs = [s for s in product((1.0, -1.0), repeat=d) if nonnegative or s[0] > 0]
    levels = _levels(tree, len(signs))
    cells = np.array([np.diag(s) for s in signs])
    pairs = np.array(list(combinations(range(d), 2)))
    leaves = []
    for splits in levels:
        leaves.append(cells[~splits])
        parents = cells[splits]
        if not len(parents):
            continue
        if d == 1:
            raise CertificateError("the cover splits a point")
        lengths = np.square(parents[:, pairs[:, 0]] - parents[:, pairs[:, 1]]).sum(axis=2)
        longest = pairs[np.argmax(lengths >= lengths.max(axis=1)[:, None] * (1 - 1e-9), axis=1)]
        rows = np.arange(len(parents))
        middle = parents[rows, longest[:, 0]] + parents[rows, longest[:, 1]]
        middle /= np.linalg.norm(middle, axis=1)[:, None]
        cells = np.repeat(parents, 2, axis=0)
        cells[2 * rows, longest[:, 1]] = middle
        cells[2 * rows + 1, longest[:, 0]] = middle
    return np.concatenate(leaves)


def _levels(tree: np.ndarray, roots: int) -> list[np.ndarray]:
    """Turn preorder bits into one array of bits a level, in the order of their parents."""
    levels: list[list[bool]] = [[]]
    stack = [0] * roots  # depth of each cell still to be listed
    for splits in tree.tolist():
        if not stack:
            raise CertificateError("the cover lists more cells than the sphere has")
        depth = stack.pop()
        if depth == len(levels):
            levels.append([])
        levels[depth].append(splits)
        if splits:
            stack += [depth + 1, depth + 1]
    if stack:
        raise CertificateError(f"the cover leaves {len(stack)} part(s) of the sphere unproven")
    return [np.array(level, dtype=bool) for level in levels]


def _heights(V: np.ndarray, corners: np.ndarray, k: int, nonnegative: bool) -> tuple[np.ndarray, np.ndarray, float]:
    """Upper values of h at the corners, the top set of each as a mask, and a few roundings of h."""
    n, d = V.shape
    heights, tops = np.zeros(len(corners)), np.zeros((len(corners), n), dtype=bool)
    largest = np.sort((V**2).sum(axis=1))[::-1][:k].sum()
    step = max(1, 2_000_000 // n)
    for start in range(0, len(corners), step):
        w = corners[start : start + step] @ V.T
        w = np.maximum(w, 0.0) if nonnegative else np.abs(w)
        order = np.argsort(-w, axis=1, kind="stable")[:, :k]
        values = np.take_along_axis(w, order, axis=1)
        heights[start : start + step] = np.sqrt((values**2).sum(axis=1))
        mask = np.zeros(w.shape, dtype=bool)
        np.put_along_axis(mask, order, values > 0, axis=1)
        tops[start : start + step] = mask
    slack = (d + 4) * EPS * float(np.sqrt(largest))
    return heights * (1 + (k + 8) * EPS) + slack, tops, 16 * slack


def _interpolated(C: np.ndarray, h: np.ndarray, spare: float, claimed: float) -> np.ndarray:
    """Least norm over y with C y >= h among the minimisers on sets of tight corners, for each cell.

    All sets are tried, largest first, until a cell's bound is below what is claimed.
    """
    d = C.shape[1]
    least = np.full(len(C), np.inf)
    for size in range(d, 0, -1):
        for tight in combinations(range(d), size):
            open_cells = np.flatnonzero(~(least * (1 + 8 * EPS) <= claimed))
            if not len(open_cells):
                return least
            cell, top = C[open_cells], h[open_cells]
            y = (np.linalg.pinv(cell[:, tight], rcond=1e-13) @ (top[:, tight, None] + spare))[..., 0]
            reach = np.einsum("rij,rj->ri", cell, y)
            norm = np.sqrt((y**2).sum(axis=1))
            reach -= (d + 4) * EPS * norm[:, None]
            with np.errstate(divide="ignore", invalid="ignore"):
                found = norm * np.maximum((top / reach).max(axis=1), 1.0)
            found = np.where((reach > 0).all(axis=1), found, np.inf)
            least[open_cells] = np.minimum(least[open_cells], found)
    return least


# ---------------------------------------------------------------------- entries


def _entry_bound(proof: EntryProof, cert: Certificate, cov: Covariance) -> float:
    """The entry bounds, read in full."""
    k, n = cert.k, cov.n_features
    terms = 0 if cov.factor is None else 4 * cov.factor.shape[0]
    if proof.rule == "diagonal":
        return float(np.sort(cov.diagonal)[n - k :].sum()) * (1 + (k + terms) * EPS) + cov.representation_error
    if proof.rule != "rows":
        raise CertificateError(f"unknown rule {proof.rule!r}")
    most = 0.0
    for start in range(0, n, ROWS):
        chosen = np.arange(start, min(start + ROWS, n))
        block = np.array(cov.block(chosen))
        if not cert.nonnegative:
            block = np.abs(block)
        own = block[chosen - start, chosen].copy()
        block[chosen - start, chosen] = 0.0
        block = np.maximum(block, 0.0)
        companions = np.partition(block, n - k, axis=1)[:, n - k + 1 :] if k > 1 else block[:, :0]
        most = max(most, float((own + companions.sum(axis=1)).max()))
    return most * (1 + (k + terms) * EPS) + cov.representation_error
