"""Rounding allowances: every one that a bound rests on, with its inequality and the reason for it.

u = EPS/2 is the unit roundoff: an operation on doubles gives its exact result times 1 + δ,
|δ| <= u. A sum of t doubles in any order, or an inner product of t terms, is off by at most (t
u)/(1 − t u) times the sum of the magnitudes (Higham 2002, §3.1 and §4.2); for t u <= 1/100 that is
below ``t · EPS`` times it, so each allowance here is at least twice the bound: the rest covers
its own rounding, and that of a second derivation that sums in another order. The judge has its own
allowances.
"""

from __future__ import annotations

import numpy as np

EPS = float(np.finfo(float).eps)
COVERED = 5e-13  # five times the allowance within a written cover
VANISHING = 1e-150  # added to a norm of numbers near 1, it covers squares lost to underflow: n of them, below 1e-307


def raised(value, terms: int):
    """Return a number not below the exact sum that ``value`` was computed for.

    ``value`` is a sum of ``terms`` numbers of one sign (none negative), each computed with two
    roundings at most: exact <= value (1 + (terms + 1) u / (1 − …)) <= value (1 + terms EPS), for
    terms >= 2.

    Examples
    --------
    >>> raised(1.0, 4) > 1.0
    True
    """
    return value * (1 + terms * EPS)


def sums(terms: int, size):
    """Bound on what rounding moves a sum, or an inner product, of ``terms`` terms of magnitudes that add to ``size``.

    (t u)/(1 − t u) size <= t EPS size.
    """
    return terms * EPS * size


def row_costs(own: np.ndarray, shares: np.ndarray, k: int, size: np.ndarray | None = None) -> np.ndarray:
    """Return upper bounds on ``own_i +`` (the exact sum of the k − 1 entries that ``shares_i`` was computed from).

    The sum is off by (k − 2) u · shares, adding ``own`` by u (|own| + shares); the entries are not
    negative, or ``size`` bounds the sum of their magnitudes and that of ``own``.
    """
    return own + shares + 4 * (k + 8) * EPS * (np.abs(own) + shares if size is None else size)


def added(*numbers: float) -> float:
    """Return an upper bound on the exact sum of a few numbers, which adding them in any order may round below it.

    Examples
    --------
    >>> tiny = 2.0**-60
    >>> 1.0 + tiny == 1.0, added(1.0, tiny) > 1.0
    (True, True)
    """
    return float(sum(numbers) + sums(2 * len(numbers), sum(map(abs, numbers))))


def covered(inner: float) -> float:
    """Return a bound on the sphere a little higher, so that a cover in whole numbers, whose points round, reaches it.

    Examples
    --------
    >>> 0 < covered(1.0) - 1.0 < 1e-12
    True
    """
    return inner * (1 + COVERED)


def total(tail: float, costs: np.ndarray) -> float:
    """Return an upper bound on the exact sum of ``tail`` and the largest of ``costs``: two numbers, one rounding."""
    most = float(np.max(costs))
    return float(tail + most + 8 * EPS * (abs(tail) + abs(most)))


def covering(M: np.ndarray) -> np.ndarray:
    """Return M a little larger, so that products of its entries cover what they were computed to equal.

    ``M_ij = m s / r`` with ``r = √(m m')`` rounded has M_ij M_ji = s² (1 + δ), |δ| <= 8u; each
    entry grows by 16 EPS, their product by 32 EPS.
    """
    return M * (1 + 16 * EPS)


def subtraction(L: np.ndarray) -> float:
    """Upper bound on the spectral norm of the rounding in A − L, as far as A's own entries do not exceed what is left.

    Each entry is rounded once, by u |A_ij − L_ij| <= u |L_ij| + u |A_ij|; a symmetric matrix has no
    eigenvalue beyond its largest row sum of magnitudes. A's share is among the allowances of the
    eigenvalue upper bound.
    """
    return 2 * EPS * float(np.abs(L).sum(axis=1).max())


def shift(t: float, diagonal: np.ndarray) -> float:
    """Bound on the spectral norm of the rounding in tI − B: a diagonal entry is rounded once, by u (|t| + |B_ii|)."""
    return 2 * EPS * (abs(t) + float(np.abs(diagonal).max()))


def factorisation(diagonal: np.ndarray) -> float:
    """Return e with λ_min(M) >= −e for any M of this diagonal whose Cholesky factorisation ran to its end.

    Rump (2006), after Demmel (1989): e = γ/(1 − γ) tr M with γ = (n + 1) u/(1 − (n + 1) u), below
    (n + 2) EPS tr M.
    """
    return 2 * (len(diagonal) + 2) * EPS * float(np.abs(diagonal).sum())


def low_rank(A_norm: float, V: np.ndarray) -> float:
    """Upper bound on the spectral norm of the rounding in A − VV'; ``A_norm`` is the Frobenius norm of A.

    Entry (i, j) of VV' is an inner product of d terms, off by d u ‖v_i‖ ‖v_j‖; their Frobenius norm
    is d u Σ‖v_i‖². The subtraction adds u (|A_ij| + ‖v_i‖ ‖v_j‖) an entry.
    """
    return (V.shape[1] + 3) * EPS * (A_norm + float(np.sum(V * V)))


def row_sums(n: int, largest: float) -> float:
    """Bound on the largest eigenvalue of an n × n matrix whose largest row sum of magnitudes was computed as this.

    The sum is off by (n − 1) u of it, and what is returned by 2u: n EPS of it would do. Twice that
    is added, for a judge whose algorithm has its own error of n EPS.
    """
    return largest * (1 + 2 * n * EPS)


def inner_products(terms: int) -> float:
    """Upper bound on the rounding in ``y_i'y_j``, an inner product of ``terms`` terms, relative to ‖y_i‖ ‖y_j‖.

    (t u)/(1 − t u) of it, and as much again, of the second order, for norms that are computed too:
    t EPS of it would do. It is twice that: a second reader of the same entry, which sums in another order,
    may be off by as much on the other side.
    """
    return 2 * terms * EPS


def triangular(n: int, side: int, blocks: int, scale: float) -> float:
    """Upper bound on what Householder's factorisation of n rows, block by block, moves RR' of its triangle R.

    Each block is factorised, below the triangle of those before it, exactly up to a relative (rows
    · side) u in the Frobenius norm (Higham 2002, §19.3); their rows add to n and a triangle's
    ``side`` a block, RR' is off by twice as much, and the rest is to spare. ``scale`` is the sum of
    squares of all n rows.
    """
    return 4 * (n + side * blocks) * side * EPS * scale


def entries(roundings: int, norm: float) -> float:
    """Upper bound on the Frobenius norm of what a matrix is off by whose entries were each rounded so many times.

    ``roundings`` u |A_ij| each; ``norm`` is the Frobenius norm of A.
    """
    return roundings * EPS * norm


def projections(d: int) -> float:
    """Bound on the rounding in ``c'v``, c a direction of d coordinates of norm 1 but for rounding, relative to ‖v‖.

    d u ‖c‖ ‖v‖, with ‖c‖ <= 1 + (d/2 + 2) u; of k such numbers, each off by its own v's share, the
    norm is off by the norm of the shares.
    """
    return (d + 4) * EPS


def eigenvalues(n: int, largest: float) -> float:
    """Upper bound on what rounding moves an eigenvalue of a symmetric n × n matrix by, or a singular value of side n.

    LAPACK's are those of a matrix p(n) u ‖A‖ away, p "a modest function" that stays below n in
    practice (Anderson et al. 1999, §4.7 and §4.9): 2n is taken. ``largest`` is the largest of them
    in magnitude, ‖A‖ itself.
    """
    return n * EPS * largest


def singular_value(rows: int, d: int, frobenius: float) -> float:
    """Bound on the rounding in the largest singular value of so many rows of length d; ``frobenius`` is their norm.

    LAPACK factorises the rows first, exactly up to a relative (rows · d) u in the Frobenius norm
    (Higham 2002, §19.3; the sums are long, and of equal rows they round the same way: 1.7 times
    what the triangle alone accounts for was seen), four of which are taken. The rest is as for
    :func:`eigenvalues`, with 8 (d + 2) for p(d).
    """
    return (4 * (d + 2) + 2 * rows * d) * EPS * frobenius


def of_data(m: int, scale: float) -> float:
    """Upper bound on the rounding in the entries of ``Y'Y``, Y being m samples centred and scaled in doubles.

    Entry (i, j) is off by (2m + 12) u ‖y_i‖ ‖y_j‖: the inner product by m u, each column by 4u (two
    subtractions, the division by √m and that root) and, where it is standardised, by (m + 4)/2 u
    with its deviation. What rounding the mean leaves in a column is at right angles to every
    centred column, so that it counts by its square. In the Frobenius norm that is (2m + 12) u
    ``scale``, the sum of all squares; for one entry, ``scale`` is ‖y_i‖ ‖y_j‖.
    """
    return (m + 16) * EPS * scale


def of_weighted(m: int, scale: float) -> float:
    """Upper bound on the rounding in the entries of ``Y'Y``, Y being m samples of different weight, centred and scaled.

    Beside what :func:`of_data` says: weights are divided by the largest and then by their sum, so
    that a share is off by (m + 2) u. It weighs every product of the two columns: an entry is off by
    as much of ‖y_i‖ ‖y_j‖. Its root and the product with it add 2u to each column, and the
    deviations of a standardised pair (m + 6) u: (4m + 24) u in all, below (2m + 20) EPS.
    """
    return (2 * m + 32) * EPS * scale


def of_sums(m: int, scale: float, *, sparse: bool = False, weighted: bool = False) -> float:
    """Bound on the rounding in the entries of A made of sums over blocks of rows, each about its own mean.

    A block of r rows adds products of columns centred on it, w_i its share of ‖y_i‖ and b_i that of
    the blocks' means, w_i² + b_i² = 1. The inner product is off by r u w_i w_j, each column by 4u as
    in :func:`of_data`, and what rounding leaves of a block's mean, r u w_j, meets b_i: r u (b_i w_j +
    w_i b_j). In all that is below 1.62 r u, u for each of the other blocks that is added, at most m −
    r, and 12u: below (1.62 m + 14) u ‖y_i‖ ‖y_j‖. Standardised, twice that. (2m + 32) EPS are taken,
    twice what :func:`of_data` takes.

    A sparse block is multiplied as it is, less the product of its means: 3 (r + 3) u of columns whose
    norm is at most √5 times their deviations', and the mean by √5 (r + 1) u: below (18 m + 60) u, or
    twice that. Weights add what :func:`of_weighted` says. ``scale`` is as for :func:`of_data`.
    """
    return (20 if sparse else 2) * (of_weighted if weighted else of_data)(m, scale)


def repaired(n: int, norm: float) -> float:
    """Upper bound on how far two machines' nearest positive semidefinite matrices are apart, in the Frobenius norm.

    Each is V₊Λ₊V₊' of eigenpairs exact for a matrix p(n) u ‖A‖ away, p(n) <= 2n as for
    :func:`eigenvalues`; taking the nearest semidefinite matrix moves no two matrices further apart.
    V is orthonormal up to p(n) u, which moves the product by 2 p(n) u, the square roots by 2u and
    the product itself by n u: below 8n u each, 16n EPS apart; the rest is to spare. ``norm`` is the
    Frobenius norm of A.
    """
    return 32 * n * EPS * norm


def deflated(r: int, terms: int, growth: float, size: float) -> float:
    """Upper bound on what rounding moves a covariance by, in the Frobenius norm, when r directions are taken out of it.

    Each direction costs an inner product of ``terms`` terms, an outer product and a subtraction on
    either side of A, below 4 (terms + 4) u of ``size``, its norm or sum of squares; the directions
    are orthonormal up to as much again. ``growth`` is by how much an error in them is enlarged.
    """
    return 8 * (r + 1) * (terms + 8) * EPS * growth * size


def variances(terms: int, size: float) -> float:
    """Upper bound on what rounding moves a computed x'Ax by, ‖x‖ = 1, in each of two routes to it.

    Of a factor, ‖Yx‖² with Yx off by ``terms`` u times ‖|Y||x|‖ <= ‖Y‖_F and a sum of squares; of
    entries, a double sum of magnitudes |x_i||A_ij||x_j| <= tr A for a semidefinite A. ``size`` is
    the larger of tr A and the sum of squares that rounding in the factor is relative to: below 4
    (terms + 8) u of it either way, with a factor of four to spare.
    """
    return 16 * (terms + 8) * EPS * size


def eliminated(value: float, mass: float, error: float) -> float:
    """Return an upper bound on ``(value (1 − mass) + error mass) / (1 − 2 mass)``: a few roundings, none that cancels.

    1 − 2 mass is off by 2u at most, absolutely, and the other operations by 5u relatively, for
    which EPS and 4 EPS would do. The judge, who computes the same, takes 2 EPS off the one and adds
    8 EPS to the other, so that twice as much as that is taken here: what is claimed is not below
    what the judge makes of it. Infinite where too little is left of 1 − 2 mass to be told from
    zero.
    """
    left = 1.0 - 2.0 * mass - 4 * EPS
    return float("inf") if left <= 1e-6 else (value * (1.0 - mass) + error * mass) / left * (1 + 16 * EPS)


def in_proportion(value: float, least: float, share: float) -> float:
    """Return an upper bound on ``least + share (value − least)``, ``share`` >= 1 the quotient of two whole numbers.

    The quotient, the difference, the product and the sum are rounded once each: below 4u (1 +
    share) of the magnitudes |value| + |least|, eight times which is added.

    Examples
    --------
    >>> round(in_proportion(3.0, 1.0, 2.0), 9)
    5.0
    """
    return least + share * (value - least) + 16 * EPS * (1 + share) * (abs(value) + abs(least))
