"""Each allowance covers the exact arithmetic it stands for, on random numbers and on those that round the worst way.

Where a + in one of them is turned into a −, what is returned falls below the exact value: every case here has sums
whose rounding is not nothing.
"""

from fractions import Fraction

import numpy as np
import pytest

import nnspca
from nnspca.bounds import eigenvalues, pair_scaled
from nnspca.components import _deflate
from nnspca.covariance.covariance import derived
from nnspca.covariance.factor import DenseFactor
from nnspca.covariance.forms import HeldMatrix
from nnspca.covariance.problem import Problem
from nnspca.covariance.provenance import Provenance
from nnspca.numerics import rounding
from nnspca.spannogram import sphere as cells
from nnspca.spannogram.sphere import ROOM, Search
from tests.oracle import exact

U = 2.0**-53


def lost(count):
    """1 and numbers that a sum from the left loses, one by one: the exact sum is (count − 1) u above it."""
    return np.array([1.0, *[U] * (count - 1)])


def from_the_left(values):
    """The sum in the worst order."""
    most = 0.0
    for value in values:
        most += value
    return most


def cases(count):
    """Numbers to add: those that are lost, and random ones of even and of uneven sizes."""
    rng = np.random.default_rng(count)
    return [lost(count), rng.random(count), 10.0 ** rng.uniform(-17, 0, count), np.full(count, 0.1)]


@pytest.mark.parametrize("count", [2, 3, 10, 400])
def test_a_raised_sum_is_not_below_the_exact_one(count):
    for values in cases(count):
        truth = sum(exact(values))
        computed = from_the_left(values)
        for terms in (count, 4 * (count + 8)):
            assert truth <= Fraction(rounding.raised(computed, terms)) <= truth * (1 + 8 * terms * Fraction(U))
    assert Fraction(from_the_left(lost(count))) < sum(exact(lost(count)))
    assert rounding.raised(1.0, 2) > 1.0 > rounding.raised(-1.0, 2)


@pytest.mark.parametrize("count", [2, 3, 10, 400])
def test_a_sum_is_off_by_no_more_than_its_allowance(count):
    for values in cases(count):
        signed = values * np.where(np.arange(count) % 2, -1.0, 1.0)
        for each in (values, signed):
            off = abs(Fraction(from_the_left(each)) - sum(exact(each)))
            assert off <= Fraction(rounding.sums(count, float(np.abs(each).sum())))
    assert rounding.sums(3, 1.0) == 3 * 2 * U


@pytest.mark.parametrize("k", [2, 3, 10, 400])
def test_the_cost_of_a_row_is_not_below_the_exact_one(k):
    for shares in cases(max(k - 1, 2))[: 1 if k == 2 else 4]:
        shares = shares[: k - 1]
        for own in (0.0, 1.0, 0.1, -0.3, -1.0, 1e-17, 1e17, -1e17):
            truth = Fraction(own) + sum(exact(shares))
            made = rounding.row_costs(np.array([own]), np.array([from_the_left(shares)]), k)[0]
            size = Fraction(abs(own)) + sum(exact(shares))
            assert (
                truth + size * 2 * (k + 4) * Fraction(U) <= Fraction(made) <= truth + size * 16 * (k + 8) * Fraction(U)
            )
            same = rounding.row_costs(
                np.array([own]), np.array([from_the_left(shares)]), k, np.array([abs(own) + from_the_left(shares)])
            )
            assert same[0] == made


def test_the_total_is_not_below_the_exact_one_and_leaves_the_judge_room():
    rng = np.random.default_rng(0)
    for _ in range(300):
        tail, costs = rng.standard_normal() * 10.0 ** rng.uniform(-9, 9), rng.standard_normal(5)
        truth = Fraction(tail) + max(exact(costs))
        size = Fraction(abs(tail)) + abs(max(exact(costs)))
        made = Fraction(rounding.total(tail, costs))
        assert truth + 8 * size * Fraction(U) <= made <= truth + 32 * size * Fraction(U)
    assert rounding.total(1.0, np.array([-1.0])) > 0


def exact_norm_bound(E):
    """The Frobenius norm, squared, of a matrix of fractions: not below the spectral norm's square."""
    return sum(e * e for e in E.ravel())


@pytest.mark.parametrize("n", [1, 2, 9])
def test_what_is_subtracted_and_shifted_is_off_by_no_more(n):
    rng = np.random.default_rng(n)
    for size in (1e-9, 1.0, 1e9):
        A, L = rng.standard_normal((n, n)), rng.standard_normal((n, n)) * size
        A, L = A + A.T, L + L.T
        off = exact(A - L) - (exact(A) - exact(L))
        most = max(sum(abs(e) for e in row) for row in off)  # the largest row sum: not below the spectral norm
        assert most <= Fraction(rounding.subtraction(L)) + Fraction(float(np.abs(A).sum(axis=1).max())) * Fraction(U)
        assert Fraction(rounding.subtraction(L)) >= 4 * Fraction(U) * Fraction(float(np.abs(L).sum(axis=1).max()))
        t = float(rng.standard_normal()) / 3
        moved = t * np.eye(n) - A
        off = max(abs(Fraction(float(moved[i, i])) - (Fraction(t) - Fraction(float(A[i, i])))) for i in range(n))
        assert 2 * off <= Fraction(rounding.shift(t, A.diagonal()))
        assert rounding.shift(t, A.diagonal()) == rounding.shift(-t, -A.diagonal()) > 0


@pytest.mark.parametrize("d", [1, 3, 8])
def test_a_part_of_low_rank_is_taken_out_with_no_more_error(d):
    rng = np.random.default_rng(d)
    for size in (1e-9, 1.0, 1e9):
        A, V = rng.standard_normal((7, 7)) * size, rng.standard_normal((7, d)) * 10.0 ** rng.uniform(-3, 3, d)
        A = A + A.T
        off = exact(A - V @ V.T) - (exact(A) - exact(V).dot(exact(V).T))
        allowed = Fraction(rounding.low_rank(float(np.linalg.norm(A)), V))
        assert allowed > 0
        assert 0 < exact_norm_bound(off) <= allowed**2
    assert allowed <= (d + 4) * 2 * Fraction(U) * Fraction(float(np.linalg.norm(A)) + float((V * V).sum()))


@pytest.mark.parametrize("m", [1, 5, 60])
def test_an_inner_product_is_off_by_no_more(m):
    rng = np.random.default_rng(m)
    for _ in range(30):
        x, y = rng.standard_normal((2, m)) * 10.0 ** rng.uniform(-3, 3, m)
        off = abs(Fraction(from_the_left(x * y)) - exact(x).dot(exact(y)))
        assert 2 * off <= Fraction(rounding.inner_products(m)) * Fraction(float(np.linalg.norm(x) * np.linalg.norm(y)))


def test_the_largest_row_sum_is_not_below_the_exact_one():
    for n in (2, 10, 400):
        for row in cases(n):
            assert sum(exact(row)) <= Fraction(rounding.row_sums(n, from_the_left(row)))


@pytest.mark.parametrize("n", [1, 2, 6])
def test_a_factorisation_that_ends_proves_what_is_said(n):
    """M is singular up to its rounding: it may have an eigenvalue just below zero and be factorised all the same."""
    rng = np.random.default_rng(n)
    below = 0
    for _ in range(300):
        Z = rng.standard_normal((n, n))
        Z[-1] = 3 * Z[0] if n > 1 else 1.0
        M = Z @ Z.T + np.eye(n) * rng.choice([0.0, 1e-16])
        M = (M + M.T) / 2
        e = eigenvalues.positive_by_cholesky(M)
        if e is None:
            continue
        assert e == rounding.factorisation(M.diagonal()) > 0
        vector = exact(np.linalg.eigh(M)[1][:, 0])
        least = vector.dot(exact(M)).dot(vector) / vector.dot(vector)
        assert least >= -Fraction(e)
        below += least < 0
    assert n == 1 or below > 0, "without the allowance the least eigenvalue would be claimed to be at least zero"


def test_a_triangle_is_off_by_no_more():
    rng = np.random.default_rng(0)
    for n, side in ((40, 3), (200, 5), (3000, 2)):
        Y = rng.standard_normal((n, side))
        Y[:] = Y[0] if n == 3000 else Y  # of equal rows, whose rounding goes one way
        R = np.linalg.qr(Y, mode="r")
        off = exact(R).T.dot(exact(R)) - exact(Y).T.dot(exact(Y))
        assert 0 < exact_norm_bound(off) <= Fraction(rounding.triangular(n, side, float((Y * Y).sum()))) ** 2
    assert rounding.triangular(10, 2, 1.0) == 4 * (10 + 2) * 2 * 2 * U


def test_an_eigenvalue_upper_bound_adds_each_of_its_allowances_twice(monkeypatch):
    B = np.diag([2.0, 1.0])
    bare = eigenvalues.of_matrix(B)
    assert eigenvalues.of_matrix(B, error=0.25) - bare == pytest.approx(0.5, rel=1e-12)
    assert eigenvalues.of_matrix(np.zeros((2, 2)), error=0.25) == 0.5
    monkeypatch.setattr(eigenvalues.rounding, "shift", lambda t, diagonal: 0.5)
    assert eigenvalues.of_matrix(B) - bare == pytest.approx(1.0, rel=1e-12)
    monkeypatch.setattr(eigenvalues, "positive_by_cholesky", lambda M: 0.125)
    assert eigenvalues.of_matrix(B) - bare == pytest.approx(1.25, rel=1e-12)
    monkeypatch.setattr(eigenvalues, "positive_by_cholesky", lambda M: None)
    assert eigenvalues.of_matrix(B, error=0.25) == pytest.approx(2.5, rel=1e-12)
    assert eigenvalues.of_matrix(B) > 2.0


def test_a_pair_scaled_proof_adds_the_rounding_of_what_is_subtracted(monkeypatch):
    cov = nnspca.Covariance.from_matrix(np.diag([3.0, 2.0]) + 1.0)
    L = np.ones((2, 2))
    bare = pair_scaled.proof_of(Problem(cov, 2), L, L - np.eye(2))[0]
    monkeypatch.setattr(pair_scaled.rounding, "subtraction", lambda L: 0.25)
    assert pair_scaled.proof_of(Problem(cov, 2), L, L - np.eye(2))[0] - bare == pytest.approx(0.5, rel=1e-9)


@pytest.mark.parametrize("d", [1, 3, 8])
def test_a_projection_on_a_direction_is_off_by_no_more(d):
    rng = np.random.default_rng(d)
    for _ in range(100):
        c, v = rng.standard_normal((2, d)) * 10.0 ** rng.uniform(-3, 3, d)
        c = c / np.linalg.norm(c)
        off = abs(Fraction(from_the_left(c * v)) - exact(c).dot(exact(v)))
        assert 2 * off <= Fraction(rounding.projections(d)) * Fraction(float(np.linalg.norm(v)))
    assert rounding.projections(d) == (d + 4) * 2 * U


def test_eigenvalues_and_singular_values_are_off_by_no_more():
    """Of integer rows of rank one less than their number: exactly zero is the least, and their sum the trace."""
    moved = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 12))
        Z = rng.integers(-9, 10, (n, n - 1)).astype(float)
        values, sizes = np.linalg.eigvalsh(Z @ Z.T), np.linalg.svd(np.column_stack([Z, Z[:, 0]]))[1]
        largest, longest = max(values[-1], 1.0), max(sizes[0], 1.0)
        assert abs(values[0]) <= rounding.eigenvalues(n, largest)
        assert sizes[-1] <= rounding.eigenvalues(n, longest)
        moved += values[0] != 0
        column = Z[:, :1]
        frobenius = float(np.linalg.norm(column))
        off = Fraction(float(np.linalg.norm(column, 2))) ** 2 - sum(exact(column).ravel() ** 2)
        assert 2 * abs(off) <= Fraction(rounding.singular_value(n, 1, frobenius)) * 2 * Fraction(frobenius)
    assert moved > 30, "a least eigenvalue that is zero is rarely computed as zero"
    assert rounding.eigenvalues(5, 2.0) == 5 * 2 * U * 2
    assert rounding.singular_value(7, 3, 2.0) == (4 * 5 + 2 * 7 * 3) * 2 * U * 2


@pytest.mark.parametrize("count, d", [(1500, 3), (2168, 3), (8296, 2), (19550, 4)])
def test_the_singular_value_of_many_equal_rows_is_off_by_no_more(count, d):
    """Their sums are long and all round the same way: off by more than a number without the count of rows."""
    farthest = 0.0
    for seed in range(40):
        row = np.random.default_rng(seed).standard_normal(d)
        rows = np.tile(row, (count, 1))
        size, frobenius = float(np.linalg.norm(rows, 2)), float(np.linalg.norm(rows))
        true = count * sum(exact(row[:, None]).ravel() ** 2)
        allowed = Fraction(rounding.singular_value(count, d, frobenius))
        assert (Fraction(size) + allowed) ** 2 >= true >= (Fraction(size) - allowed) ** 2
        farthest = max(farthest, abs(float(Fraction(size) ** 2 / true - 1)) / 2)
    assert farthest > 4 * d * U, "rounding that is not there need not be allowed for"


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e12])
@pytest.mark.parametrize("m", [2, 3, 50])
def test_a_covariance_of_data_is_off_by_no_more(m, offset):
    rng = np.random.default_rng(m)
    given = offset + rng.standard_normal((m, 4)) * 10.0 ** rng.uniform(-2, 2, 4)
    for X in (given, np.array(given, order="F")):  # columns of another layout are summed in another order
        cov = nnspca.Covariance.from_data(X, standardize=False)
        Z = exact(X)
        Z = Z - Z.sum(axis=0) / m
        truth = Z.T.dot(Z) / m
        off = exact(cov.matrix) - truth
        assert 0 < exact_norm_bound(off) <= Fraction(cov.representation_error) ** 2
        assert cov.representation_error == rounding.of_data(m, DenseFactor.of_data(X, False).rounding_scale)
        each = Fraction(rounding.of_data(m, 1.0))
        assert all(off[i, j] ** 2 <= each**2 * truth[i, i] * truth[j, j] for i in range(4) for j in range(4))
        assert cov.held.provenance.relative_drift == 2.02 * (m + 16) * 2 * U
    assert rounding.of_data(m, 3.0) == (m + 16) * 2 * U * 3.0


@pytest.mark.parametrize("n", [2, 4, 8])
def test_a_repaired_matrix_is_off_by_no_more(n):
    """Eigenvectors of ±1 (Hadamard's) and whole eigenvalues: what is nearest is known exactly."""
    H = np.ones((1, 1))
    while len(H) < n:
        H = np.block([[H, H], [H, -H]])
    rng = np.random.default_rng(n)
    for _ in range(30):
        values = rng.integers(-9, 10, n)
        values[0], values[1] = -3, 5
        A = (H * values) @ H.T  # of whole numbers: n times the matrix of these eigenvalues
        truth = exact((H * np.maximum(values, 0)) @ H.T)
        cov = nnspca.Covariance.from_matrix(A, repair=True)
        most = rounding.repaired(n, float(np.linalg.norm(A)))
        assert exact_norm_bound(exact(cov.matrix) - truth) <= (Fraction(most) / 2) ** 2
        assert cov.held.drift == most == 32 * n * 2 * U * float(np.linalg.norm(A)) > 0
        off = rounding.eigenvalues(n, float(np.linalg.eigvalsh(cov.matrix)[-1]))
        least = np.linalg.eigvalsh(cov.matrix)[0]
        assert cov.representation_error == n * max(0.0, off - least)
        assert cov.held.error_elsewhere == n * max(0.0, 4 * off + most - least)


def exactly_left(A, U, deflation):
    """PAP, or A − AU (U'AU)⁻¹ U'A, for one or two columns of fractions."""
    G = U.T.dot(U) if deflation == "projection" else U.T.dot(A).dot(U)
    if len(G) == 1:
        inverse = np.array([[1 / G[0, 0]]])
    else:
        (a, b), (c, e) = G
        inverse = np.array([[e, -b], [-c, a]]) / (a * e - b * c)
    if deflation == "schur":
        return A - A.dot(U).dot(inverse).dot(U.T).dot(A)
    P = exact(np.eye(len(A))) - U.dot(inverse).dot(U.T)
    return P.dot(A).dot(P)


@pytest.mark.parametrize("deflation", ["projection", "schur"])
@pytest.mark.parametrize("r", [1, 2])
def test_what_is_taken_out_leaves_no_more_rounding(r, deflation):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((9, 5)) * 10.0 ** rng.uniform(-2, 2, 5)
        Y = DenseFactor.of_data(X, False)
        held = nnspca.Covariance.from_matrix(Y.cross()), nnspca.Covariance(Y)
        columns = rng.standard_normal((5, r))
        columns /= np.linalg.norm(columns, axis=0)
        for cov in held:
            left = nnspca.deflate(cov, columns, deflation)
            A = exact(Y.Y).T.dot(exact(Y.Y)) if cov.held.factor else exact(cov.matrix)
            B = exact(left.held.factor.Y).T.dot(exact(left.held.factor.Y)) if cov.held.factor else exact(left.matrix)
            off = B - exactly_left(A, exact(columns), deflation)
            size = float(np.linalg.norm(cov.matrix)) if cov.held.factor is None else Y.rounding_scale
            terms = 5 if cov.held.factor is None else 14
            allowed = rounding.deflated(r, terms, 1.0, size)
            assert 0 < exact_norm_bound(off) <= Fraction(allowed) ** 2
            assert allowed == 8 * (r + 1) * (terms + 8) * 2 * U * size
            times = 5 if cov.held.factor is None else 1
            assert left.representation_error >= cov.representation_error + times * allowed * (1 - 1e-12)


def test_an_error_that_a_deflation_enlarges_counts_for_as_much(monkeypatch):
    A = np.diag([4.0, 2.0, 1.0]) + 0.25
    cov = nnspca.Covariance.from_matrix(A)
    Y = nnspca.Covariance(DenseFactor(np.linalg.cholesky(A).T), Provenance(representation_error=0.5))
    seen = []
    monkeypatch.setattr(_deflate.rounding, "deflated", lambda *given: seen.append(given) or 0.25)
    columns = np.array([[1.0], [1.0], [0.0]]) / np.sqrt(2)
    left = nnspca.deflate(cov, columns, "projection")
    assert left.representation_error == cov.representation_error + 3 * 0.25
    nnspca.deflate(cov, columns, "schur")
    enlarged = nnspca.deflate(Y, columns, "schur")
    assert [(r, terms) for r, terms, *_ in seen] == [(1, 3), (1, 3), (1, 6)]
    assert seen[0][2:] == (1.0, float(np.linalg.norm(A)))
    assert seen[1][2] >= 1.0
    turned = seen[2][2]
    assert turned > 1.0
    assert enlarged.representation_error == pytest.approx(2 * turned**2 * 0.5 + 0.25, rel=1e-12)


@pytest.mark.parametrize("d", [2, 3, 5])
def test_a_plane_over_a_cell_is_not_below_the_heights_at_its_corners(d):
    rng = np.random.default_rng(d)
    C = rng.standard_normal((40, d, d))
    C /= np.linalg.norm(C, axis=2, keepdims=True)
    h = rng.random((40, d)) + 0.5
    found = cells.least_norm(C, h, 0.0)
    checked = 0
    for corners, heights, y in zip(C, h, found, strict=True):
        if np.isfinite(y).all():
            spare = Fraction(rounding.projections(d)) / 2 * Fraction(float(np.linalg.norm(y)))
            assert all(exact(corners).dot(exact(y)) >= exact(heights) + spare)
            checked += 1
    assert checked >= 20
    assert float(rounding.raised(1.0, 4)) == 1 + 8 * U


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("d", [2, 4])
def test_heights_and_bounds_on_the_sphere_leave_room_for_rounding(d, nonnegative, monkeypatch):
    k = 3
    rng = np.random.default_rng(d)
    V = rng.standard_normal((7, d)) * 10.0 ** rng.uniform(-2, 0, d)
    search = Search(V, k, nonnegative)
    for _ in range(3):
        search.split()
    norms = np.sort((search.V**2).sum(axis=1))[::-1]
    slack = rounding.projections(d) * float(np.sqrt(norms[:k].sum()))
    assert search.slack == pytest.approx(slack, rel=1e-9)
    assert search.row_slack == pytest.approx(rounding.projections(d) * float(np.sqrt(norms[0])), rel=1e-9)
    assert search.spare == 16 * search.slack
    for c, height in zip(search.directions, search.heights, strict=True):
        w = exact(search.V).dot(exact(c))
        squares = sorted((max(v, 0) if nonnegative else abs(v)) ** 2 for v in w)
        least = Fraction(float(height)) * (1 - (k + 4) * 2 * Fraction(U)) - Fraction(slack) / 4
        assert least > 0 or sum(squares[-k:]) == 0
        assert least <= 0 or least**2 >= sum(squares[-k:])
    rows = search.V[:k]
    sets = np.concatenate([np.packbits(np.arange(7) < k), np.packbits(np.zeros(7, dtype=bool))])
    monkeypatch.setattr(rounding, "singular_value", lambda rows, d, frobenius: 0.25 * frobenius)
    excess = 0.25 * np.linalg.norm(rows) + np.sqrt(k * d) * search.row_slack
    search.supports.clear()
    assert search._support_bound(sets) == pytest.approx(np.linalg.norm(rows, 2) + 2 * excess, rel=1e-15)
    search.row_slack = 0.5
    search.supports.clear()
    wider = np.linalg.norm(rows, 2) + 2 * (0.25 * np.linalg.norm(rows) + np.sqrt(k * d) * 0.5)
    assert search._support_bound(sets) == pytest.approx(wider, rel=1e-12)


def test_each_allowance_counts_what_its_derivation_counts():
    """What of them a looser case would not miss: every term is there."""
    V = np.array([[3.0, 0.0, 4.0], [0.0, 0.0, 12.0]])
    assert rounding.low_rank(7.0, V) == (3 + 3) * 2 * U * (7.0 + 169.0)
    assert rounding.low_rank(7.0, V[:, :1]) == (1 + 3) * 2 * U * (7.0 + 9.0)
    assert rounding.factorisation(np.array([1.0, -2.0, 4.0])) == 2 * (3 + 2) * 2 * U * 7.0
    assert rounding.shift(-4.0, np.array([1.0, -3.0])) == 2 * 2 * U * (4.0 + 3.0)
    assert rounding.shift(0.0, np.array([1.0, -3.0])) == 2 * 2 * U * 3.0
    assert rounding.row_sums(5, 8.0) == 8.0 * (1 + 2 * 5 * 2 * U)
    assert rounding.inner_products(7) == 2 * 7 * 2 * U
    assert rounding.eliminated(3.0, 0.25, 0.5) == 3.125 / (0.75 - 4 * 2 * U) * (1 + 16 * 2 * U)
    for k in (1, 5):
        made = rounding.row_costs(np.array([-1.0, 1.0]), np.array([1.0, -1.0]), k)
        assert (made == 4 * (k + 8) * 2 * U * np.array([2.0, 0.0])).all()


def test_a_plane_and_its_norm_are_raised_after_they_are_computed(monkeypatch):
    V = np.array([[2.0, 0.5], [0.3, 1.0], [1.0, 1.0], [0.2, 0.7]])
    C, h = np.eye(2)[None] * 1.0, np.array([[1.0, 2.0]])
    plane, plainly = cells.least_norm(C, h, 0.0), Search(V, 2, True)
    raised = rounding.raised
    monkeypatch.setattr(rounding, "raised", lambda value, terms: 3 * value if terms == 4 else raised(value, terms))
    assert np.allclose(cells.least_norm(C, h, 0.0), 3 * plane, rtol=1e-12)
    monkeypatch.setattr(Search, "_support_bound", lambda self, sets: np.inf)
    assert Search(V, 2, True).bounds[0] >= 8.9 * plainly.bounds[0] > 0
    assert plainly.upper() >= (plainly.bounds.max() * plainly.scale) ** 2 * (1 + ROOM / 2)


def test_errors_of_a_covariance_add_up():
    form = HeldMatrix(np.eye(2))
    cov = nnspca.Covariance(form, Provenance(representation_error=0.5, drift=0.25, error_elsewhere=0.75))
    assert (cov.held.room(), cov.held.room(3)) == (0.75 + 0.25, 0.75 + 3 * 0.25)
    left = derived(cov, form, "made", np.zeros(1), growth=2.0, rounding=0.125, times=4)
    assert left.representation_error == 2 * 0.5 + 4 * 0.125
    assert left.held.drift == 1.01 * (2 * 0.25 + 2 * 0.125)
    assert left.held.error_elsewhere == 1.01 * (2 * 0.75 + 4 * 0.125)
    alone = nnspca.Covariance(form, Provenance(representation_error=0.5))
    assert (alone.held.drift, alone.held.error_elsewhere) == (2.02 * 0.5, 1.01 * 0.5)


@pytest.mark.parametrize("mass", [0.0, 1e-17, 0.1, 0.5, 0.9999, 0.9999989, 1.0, 1.4])
@pytest.mark.parametrize("value", [1.0, 1 / 3, 1e-120, 7e120])
def test_an_eliminated_upper_bound_is_not_below_the_exact_one(value, mass):
    made = rounding.eliminated(value, mass, 1e-3 * value)
    if mass >= 1.0 - 9e-7:
        assert made == np.inf
        return
    of, share = Fraction(value), Fraction(mass)
    truth = (of + Fraction(1e-3 * value) * share) / (1 - share)
    assert truth <= Fraction(made) <= truth * (1 + 64 * Fraction(U) / (1 - share))


@pytest.mark.parametrize("terms", [3, 40, 500])
def test_a_variance_is_off_by_no_more_than_its_allowance(terms):
    rng = np.random.default_rng(terms)
    for scale in (1.0, 1e-60, 1e60):
        Y, x = scale * rng.standard_normal((terms, 6)), np.abs(rng.standard_normal(6))
        x /= np.linalg.norm(x)
        computed = [from_the_left(np.array([from_the_left(row * x) for row in Y]) ** 2), float((Y @ x) @ (Y @ x))]
        rows = [sum(a * b for a, b in zip(exact(row), exact(x), strict=True)) for row in Y]
        truth = sum(row**2 for row in rows)
        allowed = rounding.variances(terms + 6, float(np.sum(Y * Y)))
        for value in computed:
            assert 4 * abs(Fraction(value) - truth) <= Fraction(allowed)
    assert rounding.variances(3, 7.0) == 16 * (3 + 8) * 2 * U * 7.0
