"""The judge: re-derives a certificate's two numbers from its ingredients; trusts no solver and no bound.

Nothing here is shared with the code that made the certificate, beyond the covariance and the definition of
the feasible set: eigenvalue ceilings are re-derived (through eigenvalues while that is quick, and through an
orthonormal basis where A is held as a factor), row sums are read in full, and every cell of the sphere's cover
is bounded again from values of h computed afresh. Whatever is missing, malformed or not a number fails.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from nnspca import cone
from nnspca.covariance import Covariance
from nnspca.errors import CertificateError
from nnspca.rederive.pairs import branch_bound, pair_bound
from nnspca.rederive.scales import scale_bound
from nnspca.result import Bound, BranchProof, Certificate, EntryProof, PairProof, RankProof, ScaleProof
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
    if isinstance(cert.k, bool) or not isinstance(cert.k, int | np.integer) or not 1 <= cert.k <= cov.n_features:
        raise CertificateError(f"k = {cert.k} is outside 1..{cov.n_features}")
    if not isinstance(cert.nonnegative, bool | np.bool_):
        raise CertificateError(f"its sign constraint is {cert.nonnegative!r}, neither True nor False")
    with one_blas_thread(), np.errstate(all="ignore"):
        try:
            _check_lower(cert, cov)
            proven, leading = _proven_values(cert, cov)
            lower, upper, claimed = float(cert.lower), float(cert.upper), float(cert.leading)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise CertificateError(f"its ingredients are malformed: {error}") from error
    # each comparison is written so that a NaN fails it
    if not min(proven) <= upper < np.inf:
        raise CertificateError(f"the upper bound {upper!r} is below the least proven one, {min(proven)!r}")
    if not lower <= upper:
        raise CertificateError(f"the lower bound {lower!r} exceeds the upper bound {upper!r}")
    if not leading <= claimed < np.inf:
        raise CertificateError(f"the largest eigenvalue is claimed to be {claimed!r}; only {leading!r} is proven")


def _proven_values(cert: Certificate, cov: Covariance) -> tuple[list[float], float]:
    """Values of the deterministic bounds, each checked, and the least of them that holds for every direction."""
    proven, leading = [], np.inf
    for bound in cert.bounds:
        if bound.deterministic:
            _check_bound(bound, cert, cov)
            proven.append(float(bound.value))
            proof = bound.ingredients
            if isinstance(proof, RankProof) and proof.rho is None and not np.any(proof.V):
                leading = min(leading, float(bound.value))
    if not proven:
        raise CertificateError("it holds no deterministic bound")
    return proven, leading


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
    elif isinstance(proof, PairProof):
        needed = pair_bound(proof, cert.k, cert.nonnegative, cov)
    elif isinstance(proof, BranchProof):
        needed = branch_bound(proof, cert.k, cert.nonnegative, cov)
    elif isinstance(proof, ScaleProof):
        needed = scale_bound(proof, cert.k, cert.nonnegative, cov)
    elif isinstance(proof, EntryProof):
        needed = _entry_bound(proof, cert, cov)
    else:
        raise CertificateError(f"bound {bound.name!r} carries nothing to re-derive it from")
    if not needed <= bound.value < np.inf:
        raise CertificateError(f"bound {bound.name!r} claims {bound.value!r}; its ingredients prove {needed!r} only")


# ---------------------------------------------------------------------- low rank, cut and rest


def _rank_bound(proof: RankProof, cert: Certificate, cov: Covariance) -> float:
    """What the split A = L + (low rank) + rest proves, after checking each of its claims."""
    V = np.asarray(proof.V, dtype=np.float64)
    if V.ndim != 2 or len(V) != cov.n_features or not np.isfinite(V).all():
        raise CertificateError("the low-rank part does not fit the data")
    if not (np.isfinite(proof.tail) and 0 <= proof.inner < np.inf):
        raise CertificateError(f"it claims a rest of {proof.tail!r} and a low-rank part of {proof.inner!r}")
    cut = 0.0
    if proof.rho is not None:
        if not 0 <= proof.rho < np.inf:
            raise CertificateError(f"the cut is at {proof.rho!r}; it must be a finite number of at least 0")
        cut = proof.rho * cert.k * (1 + 4 * EPS)
    _check_tail(proof, V, cert.nonnegative, cov)
    if V.any():
        _check_cover(proof, V, cert)
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
    n, d = V.shape
    B = A - V @ V.T
    shifted = tail * np.eye(n) - B
    forming = (d + 2) * EPS / 2 * (float(np.linalg.norm(A)) + float((V * V).sum()))
    forming += EPS * (abs(tail) + float(np.abs(B.diagonal()).max()))
    if n <= DENSE_EIGEN:
        values = np.linalg.eigvalsh(shifted)
        return float(values[0]) - (n + 8) * EPS * float(np.abs(values).max()) - forming
    # a factorisation that runs to its end proves the least eigenvalue above −(n+1)u·trace (Rump 2006)
    forming += (n + 2) * EPS * float(np.abs(shifted.diagonal()).sum())
    try:
        np.linalg.cholesky(shifted - forming * np.eye(n))
    except np.linalg.LinAlgError:
        return -np.inf
    return 0.0


def _least_after_cut(proof: RankProof, V: np.ndarray, nonnegative: bool, cov: Covariance) -> float:
    """The same for what lies above the cut, on the features that reach above it."""
    assert proof.rho is not None
    if cov.matrix is not None:
        reach = np.maximum(cov.matrix.max(axis=1), -cov.matrix.min(axis=1))
    else:  # A is Y'Y, so that no entry exceeds the product of two deviations
        deviations = np.sqrt(cov.diagonal)
        reach = deviations * deviations.max() * (1 + 1e-9)
    kept = np.flatnonzero((reach > proof.rho) | V.any(axis=1))
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
    """The same for A = Y'Y with few samples, in the span of V and of the samples.

    With ``[V, Y'] = Q [R, T]``, Q of orthonormal columns, ``Y'Y − VV' = Q (TT' − RR') Q'``.
    """
    assert cov.factor is not None
    Y = cov.factor.columns(np.arange(cov.n_features))
    m, n = Y.shape
    scale = cov.factor.rounding_scale() + float((V * V).sum())
    if V.any():
        triangle = np.asarray(np.linalg.qr(np.hstack([V, Y.T]), mode="r"))
        R, T = triangle[:, : V.shape[1]], triangle[:, V.shape[1] :]
        most = float(np.linalg.eigvalsh(T @ T.T - R @ R.T)[-1])
    else:
        most = float(np.linalg.eigvalsh(Y @ Y.T)[-1])
    return tail - cov.representation_error - 2 * (n + m) * EPS * scale - max(most, 0.0)


def _check_cover(proof: RankProof, V: np.ndarray, cert: Certificate) -> None:
    """Re-split the orthants along the tree, and bound every leaf from fresh values of h."""
    V = V[:, np.abs(V).max(axis=0) > 0]
    d = V.shape[1]
    cells, depth = _leaves(np.asarray(proof.tree, dtype=bool), d, cert.nonnegative)
    grace = 1 + (8 + 4 * depth) * EPS  # a rounded midpoint may leave a sliver of two roundings' width uncovered
    corners, index = np.unique(cells.reshape(-1, d), axis=0, return_inverse=True)
    heights, spare = _heights(V, corners, cert.k, cert.nonnegative)
    claimed = np.sqrt(proof.inner)
    bounds = _interpolated(cells, heights[index.reshape(len(cells), d)], spare, claimed, grace)
    above = np.flatnonzero(~(bounds * grace <= claimed))
    step = max(1, 2_000_000 // V.size)
    known: dict[bytes, float] = {}
    for start in range(0, len(above), step):
        chosen = above[start : start + step]
        constant, tops = _constant_supports(V, cells[chosen], cert.k, cert.nonnegative)
        for r, steady, top in zip(chosen.tolist(), constant, tops, strict=True):
            if not steady:
                raise CertificateError(f"cell {r} of the cover is bounded by {bounds[r] ** 2!r}, above {proof.inner!r}")
            key = np.packbits(top).tobytes()
            if key not in known:
                known[key] = _largest_singular_value(V, V[top], cert.k)
            if not known[key] * grace <= claimed:
                raise CertificateError(
                    f"cell {r} of the cover has a support of variance {known[key] ** 2!r}, above {proof.inner!r}"
                )


def _constant_supports(V: np.ndarray, C: np.ndarray, k: int, nonnegative: bool) -> tuple[np.ndarray, np.ndarray]:
    """Whether one support is the best all over each cell, and the support at its middle, as a mask.

    The k largest (positive) entries of Vc in the middle must be the largest at every corner, with the signs
    they have in the middle: these comparisons are linear in c, so they carry over to the cell.
    """
    (n, d), r = V.shape, len(C)
    middle = C.sum(axis=1) @ V.T
    score = np.maximum(middle, 0.0) if nonnegative else np.abs(middle)
    order = np.argsort(-score, axis=1, kind="stable")[:, :k]
    tops = np.zeros((r, n), dtype=bool)
    np.put_along_axis(tops, order, np.take_along_axis(score, order, axis=1) > 0, axis=1)
    w = C @ V.T  # (cells, corners, n)
    inside = np.where(tops[:, None], w * np.where(middle < 0, -1.0, 1.0)[:, None], np.inf).min(axis=2)
    outside = np.where(tops[:, None], 0.0, np.maximum(w, 0.0) if nonnegative else np.abs(w)).max(axis=2)
    full = (tops.sum(axis=1) == k)[:, None]
    tolerance = (d + 4) * EPS * np.sqrt((V**2).sum(axis=1).max())
    steady = (inside >= np.where(full, outside, 0.0) - tolerance) & (full | (outside <= tolerance))
    # at most k rows that count anywhere in the cell are a support as well
    count = ((w if nonnegative else np.abs(w)) > tolerance).any(axis=1)
    few = count.sum(axis=1) <= k
    return few | steady.all(axis=1), np.where(few[:, None], count, tops)


def _largest_singular_value(V: np.ndarray, rows: np.ndarray, k: int) -> float:
    """Of the rows of a constant support, with what rounding may add to h over the cell."""
    d = V.shape[1]
    # comparisons may be off by the tolerance and by two roundings, in k places, with weights of sum √d at most
    slack = 2 * (d + 4) * EPS * np.sqrt(k * d) * np.sqrt((V**2).sum(axis=1).max())
    top = float(np.linalg.norm(rows, 2)) if len(rows) else 0.0
    return top * (1 + 4 * d * EPS) + 4 * (d + 4) * EPS * float(np.linalg.norm(rows)) + slack


def _leaves(tree: np.ndarray, d: int, nonnegative: bool) -> tuple[np.ndarray, int]:
    """Corners of every leaf, shape (leaves, d, d), and the depth of the tree, which must be whole."""
    if tree.ndim != 1 or len(tree) < 2 ** (d if nonnegative else d - 1):
        raise CertificateError("the cover leaves part of the sphere unproven")
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
    return np.concatenate(leaves), len(levels)


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


def _heights(V: np.ndarray, corners: np.ndarray, k: int, nonnegative: bool) -> tuple[np.ndarray, float]:
    """Upper values of h at the corners, and a few roundings of h."""
    n, d = V.shape
    heights = np.zeros(len(corners))
    largest = np.sort((V**2).sum(axis=1))[::-1][:k].sum()
    step = max(1, 2_000_000 // n)
    for start in range(0, len(corners), step):
        w = corners[start : start + step] @ V.T
        w = np.maximum(w, 0.0) if nonnegative else np.abs(w)
        largest_k = np.sort(w, axis=1)[:, n - k :]
        heights[start : start + step] = np.sqrt((largest_k**2).sum(axis=1))
    slack = (d + 4) * EPS * float(np.sqrt(largest))
    return heights * (1 + (k + 8) * EPS) + slack, 16 * slack


def _interpolated(C: np.ndarray, h: np.ndarray, spare: float, claimed: float, grace: float) -> np.ndarray:
    """Least norm over y with C y >= h among the minimisers on sets of tight corners, for each cell.

    All sets are tried, largest first, until a cell's bound is below what is claimed.
    """
    d = C.shape[1]
    least = np.full(len(C), np.inf)
    for size in range(d, 0, -1):
        for tight in combinations(range(d), size):
            open_cells = np.flatnonzero(~(least * grace <= claimed))
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
