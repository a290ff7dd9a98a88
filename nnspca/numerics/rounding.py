"""The rounding allowances of all bounds, each with its inequality and the reason for it.

u = EPS/2 is the unit roundoff: an operation on doubles gives its exact result times 1 + δ,
|δ| <= u. A sum of t doubles in any order, or an inner product of t terms, is off by at most (t
u)/(1 − t u) times the sum of the magnitudes (Higham 2002, §3.1 and §4.2); for t u <= 1/100 that is
below ``t · EPS`` times it. Each allowance here is at least twice that bound, to cover its own rounding
and a second derivation that sums in another order. The certificate checker has its own allowances.
"""

from __future__ import annotations

import numpy as np

EPS = float(np.finfo(float).eps)
VANISHING = 1e-150  # added to a norm of numbers near 1, it covers squares lost to underflow: n of them, below 1e-307


def raised(value, terms: int):
    """Return a number not below the exact sum that ``value`` was computed for.

    ``value`` is a sum of ``terms`` numbers of one sign (none negative), each computed with two roundings at most: exact
    <= value (1 + (terms + 1) u / (1 − …)) <= value (1 + terms EPS), for terms >= 2.

    Examples
    --------
    >>> raised(1.0, 4) > 1.0
    True
    """
    return value * (1 + terms * EPS)


def sums(terms: int, size):
    """Bound on the rounding in a sum, or an inner product, of ``terms`` terms; ``size`` is the sum of their magnitudes.

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
    """Return an upper bound on the exact sum of a few numbers, added in any order.

    Examples
    --------
    >>> tiny = 2.0**-60
    >>> 1.0 + tiny == 1.0, added(1.0, tiny) > 1.0
    (True, True)
    """
    return float(sum(numbers) + sums(2 * len(numbers), sum(map(abs, numbers))))


def total(tail: float, costs: np.ndarray) -> float:
    """Return an upper bound on the exact sum of ``tail`` and the largest of ``costs``: two numbers, one rounding."""
    largest = float(np.max(costs))
    return float(tail + largest + 8 * EPS * (abs(tail) + abs(largest)))


def subtraction(L: np.ndarray) -> float:
    """Upper bound on the spectral norm of the rounding in A − L, without the share of A's entries.

    Each entry is rounded once, by u |A_ij − L_ij| <= u |L_ij| + u |A_ij|; a symmetric matrix has no eigenvalue beyond
    its largest row sum of magnitudes. The share u |A_ij| is part of the allowances of the eigenvalue bound.
    """
    return 2 * EPS * float(np.abs(L).sum(axis=1).max())


def shift(t: float, diagonal: np.ndarray) -> float:
    """Bound on the spectral norm of the rounding in tI − B: a diagonal entry is rounded once, by u (|t| + |B_ii|)."""
    return 2 * EPS * (abs(t) + float(np.abs(diagonal).max()))


def factorisation(diagonal: np.ndarray) -> float:
    """Return e with λ_min(M) >= −e for any M of this diagonal whose Cholesky factorisation was completed.

    Rump (2006), after Demmel (1989): e = γ/(1 − γ) tr M with γ = (n + 1) u/(1 − (n + 1) u), below (n + 2) EPS tr M.
    """
    return 2 * (len(diagonal) + 2) * EPS * float(np.abs(diagonal).sum())


def low_rank(A_norm: float, V: np.ndarray) -> float:
    """Upper bound on the spectral norm of the rounding in A − VV'; ``A_norm`` is the Frobenius norm of A.

    Entry (i, j) of VV' is an inner product of d terms, off by d u ‖v_i‖ ‖v_j‖; their Frobenius norm
    is d u Σ‖v_i‖². The subtraction adds u (|A_ij| + ‖v_i‖ ‖v_j‖) an entry.
    """
    return (V.shape[1] + 3) * EPS * (A_norm + float(np.sum(V * V)))


def row_sums(n: int, largest: float) -> float:
    """Bound on the largest eigenvalue of an n × n matrix, from its largest row sum of magnitudes as computed.

    The relative error of the sum is (n − 1) u, and that of the result 2u: n EPS is enough. Twice that
    is added, since a checker's own algorithm has an error of n EPS too.
    """
    return largest * (1 + 2 * n * EPS)


def inner_products(terms: int) -> float:
    """Upper bound on the rounding in ``y_i'y_j``, an inner product of ``terms`` terms, relative to ‖y_i‖ ‖y_j‖.

    The relative error is (t u)/(1 − t u), and computed norms add the same to second order: t EPS is enough. Twice that
    is returned, since a checker that sums in another order may err by as much in the opposite direction.
    """
    return 2 * terms * EPS


def single_products(terms: int, together: int) -> float:
    """Upper bound on the rounding in ``y_i'y_j`` computed in single precision, relative to ‖y_i‖ ‖y_j‖.

    Inner products of ``together`` of the terms are computed at a time, and then added. With U = 2⁻²⁴ and
    s = min(terms, together) + terms/together, each number is rounded to single precision first, by U, and the sum is
    off by s U: in all less than (s + 4) U to first order. Twice that is returned.
    """
    return (min(terms, together) + terms // together + 8) * EPS * 2.0**29


def single_underflow(terms: int) -> float:
    """Upper bound on what underflow takes from sums of so many products of numbers in single precision.

    A product, and a number rounded to single precision, loses less than 2⁻¹²⁵ each.
    """
    return terms * 2.0**-120


def triangular(n: int, side: int, scale: float) -> float:
    """Upper bound on the rounding in RR', R the triangle of a Householder factorisation of n rows.

    Its relative error is (n · side) u in the Frobenius norm (Higham 2002, §19.3), that of RR' twice as large; a factor
    of two is to spare. ``scale`` is the sum of squares of all rows.
    """
    return 4 * (n + side) * side * EPS * scale


def entries(roundings: int, norm: float) -> float:
    """Upper bound on the Frobenius norm of the error of a matrix whose entries were rounded ``roundings`` times.

    ``roundings`` u |A_ij| each; ``norm`` is the Frobenius norm of A.
    """
    return roundings * EPS * norm


def projections(d: int) -> float:
    """Bound on the rounding in ``c'v``, relative to ‖v‖, for c of d coordinates with ‖c‖ = 1 up to rounding.

    d u ‖c‖ ‖v‖, with ‖c‖ <= 1 + (d/2 + 2) u. The error of the norm of k such numbers is at most the
    norm of their errors.
    """
    return (d + 4) * EPS


def eigenvalues(n: int, largest: float) -> float:
    """Upper bound on the rounding in an eigenvalue of a symmetric n × n matrix, or in a singular value of side n.

    LAPACK's values are exact for a matrix within p(n) u ‖A‖, where p is "a modest function" that stays
    below n in practice (Anderson et al. 1999, §4.7 and §4.9); here p = 2n. ``largest`` is the largest
    of them in magnitude, ‖A‖ itself.
    """
    return n * EPS * largest


def singular_value(rows: int, d: int, frobenius: float) -> float:
    """Bound on the rounding in the largest singular value of ``rows`` rows of length d; ``frobenius`` is their norm.

    LAPACK factorises the rows first, with a relative error of (rows · d) u in the Frobenius norm
    (Higham 2002, §19.3); four times that is returned, since the sums over equal rows round in the same
    direction. The rest is as for :func:`eigenvalues`, with 8 (d + 2) for p(d).
    """
    return (4 * (d + 2) + 2 * rows * d) * EPS * frobenius


def of_data(m: int, scale: float) -> float:
    """Upper bound on the rounding in the entries of ``Y'Y``, Y being m samples centred and scaled in doubles.

    Entry (i, j) is off by (2m + 12) u ‖y_i‖ ‖y_j‖: the inner product by m u, each column by 4u (two subtractions, the
    division by √m and that root) and, if standardised, by (m + 4)/2 u with its deviation. The rounding of the mean adds
    a constant to a column, which is orthogonal to every centred column, so it counts by its square. In the Frobenius
    norm that is (2m + 12) u ``scale``, the sum of all squares; for one entry, ``scale`` is ‖y_i‖ ‖y_j‖.
    """
    return (m + 16) * EPS * scale


def of_weighted(m: int, scale: float) -> float:
    """Upper bound on the rounding in the entries of ``Y'Y``, Y being m samples of different weight, centred and scaled.

    In addition to :func:`of_data`: weights are divided by the largest and then by their sum, so a share has a relative
    error of (m + 2) u, and so has every product of the two columns. The root of the share and the product with it add
    2u to each column, and the deviations of a standardised pair (m + 6) u: (4m + 24) u in all, below (2m + 20) EPS.
    """
    return (2 * m + 32) * EPS * scale


def of_sums(m: int, scale: float, *, sparse: bool = False, weighted: bool = False) -> float:
    """Bound on the rounding in the entries of A as a sum over blocks of rows, each centred on its own mean.

    A block of r rows adds products of columns centred on it, w_i its share of ‖y_i‖ and b_i that of the blocks' means,
    w_i² + b_i² = 1. The inner product is off by r u w_i w_j, each column by 4u as in :func:`of_data`, and the rounding
    of a block's mean, r u w_j, is multiplied by b_i: r u (b_i w_j + w_i b_j). These add to less than 1.62 r u; adding
    the other blocks gives u each, at most m − r; and 12u: in all less than (1.62 m + 14) u ‖y_i‖ ‖y_j‖. Standardised,
    twice that. The result is (2m + 32) EPS, twice that of :func:`of_data`.

    A sparse block is multiplied without centring, and the product of its means is subtracted: 3 (r + 3) u for columns
    whose norm is at most √5 times that of their deviations, and √5 (r + 1) u for the mean: less than (18 m + 60) u,
    standardised twice that. Weights add the terms of :func:`of_weighted`. ``scale`` is as for :func:`of_data`.
    """
    return (20 if sparse else 2) * (of_weighted if weighted else of_data)(m, scale)


def coarse(value: float) -> float:
    """Return a number above ``value``, by less than 2⁻¹⁸ of it, the same whatever order it was summed in.

    It has 20 bits, up from ``value`` and 2⁻³⁰ of it, so that no whole number lies on an edge between two.

    >>> coarse(500.0 * (1 - 1e-13)) == coarse(500.0 * (1 + 1e-13)) > 500
    True
    """
    share, power = np.frexp(value * (1 + 2.0**-30))
    return float(np.ldexp(np.ceil(np.ldexp(share, 20)), power - 20))


def repaired(n: int, norm: float) -> float:
    """Bound on the Frobenius distance of two machines' nearest positive semidefinite matrices.

    Each is V₊Λ₊V₊' with eigenpairs that are exact for a matrix within p(n) u ‖A‖, p(n) <= 2n as for
    :func:`eigenvalues`; the projection onto semidefinite matrices does not increase distances. V is
    orthonormal up to p(n) u, which changes the product by 2 p(n) u; square roots change it by 2u and the
    product by n u: less than 8n u each, 16n EPS for two; a factor of two is to spare. ``norm`` is the
    Frobenius norm of A.
    """
    return 32 * n * EPS * norm


def deflated(r: int, terms: int, growth: float, size: float) -> float:
    """Upper bound on the rounding, in the Frobenius norm, of a covariance from which r directions are removed.

    Each direction costs an inner product of ``terms`` terms, an outer product and a subtraction on
    either side of A, below 4 (terms + 4) u of ``size``, its norm or sum of squares; the directions
    are orthonormal up to the same again. ``growth`` is the factor by which an error in them grows.
    """
    return 8 * (r + 1) * (terms + 8) * EPS * growth * size


def variances(terms: int, size: float) -> float:
    """Upper bound on the rounding in x'Ax, ‖x‖ = 1, computed from a factor or from the entries.

    From a factor, ‖Yx‖² with an error in Yx of ``terms`` u times ‖|Y||x|‖ <= ‖Y‖_F, and a sum of squares;
    from entries, a double sum of magnitudes |x_i||A_ij||x_j| <= tr A for a semidefinite A. ``size`` is
    the larger of tr A and the sum of squares to which the rounding in the factor is relative: less than
    4 (terms + 8) u of it in both cases, with a factor of four to spare.
    """
    return 16 * (terms + 8) * EPS * size


def eliminated(value: float, mass: float, error: float) -> float:
    """Return an upper bound on ``(value + error mass) / (1 − mass)``.

    The absolute error of 1 − mass is at most u and the relative error of the other operations 4u: EPS and 4 EPS are
    enough. The certificate checker computes the same with 2 EPS and 8 EPS; twice that is used here, so that the claimed
    bound is not below the checker's. Infinite if 1 − mass is too close to zero.
    """
    denominator = 1.0 - mass - 4 * EPS
    return float("inf") if denominator <= 1e-6 else (value + error * mass) / denominator * (1 + 16 * EPS)


def in_proportion(value, least: float, share):
    """Return an upper bound on ``least + share (value − least)``, ``share`` >= 1 the quotient of two whole numbers.

    The quotient, the difference, the product and the sum are rounded once each: below 4u (1 +
    share) of the magnitudes |value| + |least|, and eight times that is added.

    Examples
    --------
    >>> round(in_proportion(3.0, 1.0, 2.0), 9)
    5.0
    """
    return least + share * (value - least) + 16 * EPS * (1 + share) * (abs(value) + abs(least))
