"""Each allowance covers the exact arithmetic it stands for, on random numbers and on those that round the worst way.

Where a + in one of them is turned into a −, what is returned falls below the exact value: every case here has sums
whose rounding is not nothing.
"""

from fractions import Fraction

import numpy as np
import pytest

import nnspca
from nnspca import rounding
from nnspca.bounds import ceiling, pair_scaled
from nnspca.problem import Problem
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


def test_products_that_should_be_equal_cover_what_they_stand_for():
    rng = np.random.default_rng(1)
    short = 0
    for _ in range(400):
        a, b, needed = 10.0 ** rng.uniform(-8, 8, 3)
        root = np.sqrt(a * b)
        pair = np.array([a * needed / root, b * needed / root])
        short += np.prod(exact(pair)) < Fraction(needed) ** 2
        raised = rounding.covering(pair)
        assert Fraction(needed) ** 2 * (1 + 16 * Fraction(U)) <= np.prod(exact(raised))
        assert np.prod(exact(raised)) <= Fraction(needed) ** 2 * (1 + 128 * Fraction(U))
    assert short > 50, "products computed to be equal often fall short: without the allowance they prove nothing"


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
        e = ceiling.positive_by_cholesky(M)
        if e is None:
            continue
        assert e == rounding.factorisation(M.diagonal()) > 0
        vector = exact(np.linalg.eigh(M)[1][:, 0])
        least = vector.dot(exact(M)).dot(vector) / vector.dot(vector)
        assert least >= -Fraction(e)
        below += least < 0
    assert n == 1 or below > 0, "without the allowance the least eigenvalue would be claimed to be at least zero"


def test_a_triangle_built_block_by_block_is_off_by_no_more():
    rng = np.random.default_rng(0)
    for n, side, rows in ((40, 3, 7), (200, 5, 16)):
        Y = rng.standard_normal((n, side))
        R = np.zeros((0, side))
        for start in range(0, n, rows):
            R = np.linalg.qr(np.vstack([R, Y[start : start + rows]]), mode="r")
        off = exact(R).T.dot(exact(R)) - exact(Y).T.dot(exact(Y))
        allowed = Fraction(rounding.triangular(n, side, n // rows, float((Y * Y).sum())))
        assert allowed > 0
        assert 0 < exact_norm_bound(off) <= allowed**2
    assert rounding.triangular(10, 2, 3, 1.0) == 4 * (10 + 2 * 5) * 2 * U


def test_an_eigenvalue_ceiling_adds_each_of_its_allowances_twice(monkeypatch):
    B = np.diag([2.0, 1.0])
    bare = ceiling.of_matrix(B)
    assert ceiling.of_matrix(B, error=0.25) - bare == pytest.approx(0.5, rel=1e-12)
    monkeypatch.setattr(ceiling.rounding, "shift", lambda t, diagonal: 0.5)
    assert ceiling.of_matrix(B) - bare == pytest.approx(1.0, rel=1e-12)
    monkeypatch.setattr(ceiling, "positive_by_cholesky", lambda M: 0.125)
    assert ceiling.of_matrix(B) - bare == pytest.approx(1.25, rel=1e-12)
    monkeypatch.setattr(ceiling, "positive_by_cholesky", lambda M: None)
    assert ceiling.of_matrix(B, error=0.25) == pytest.approx(2.5, rel=1e-12)
    assert ceiling.of_matrix(B) > 2.0


def test_a_pair_scaled_proof_adds_the_rounding_of_what_is_subtracted(monkeypatch):
    cov = nnspca.Covariance.from_matrix(np.diag([3.0, 2.0]) + 1.0)
    L = np.ones((2, 2))
    bare = pair_scaled.proof_of(Problem(cov, 2), L, L - np.eye(2))[0]
    monkeypatch.setattr(pair_scaled.rounding, "subtraction", lambda L: 0.25)
    assert pair_scaled.proof_of(Problem(cov, 2), L, L - np.eye(2))[0] - bare == pytest.approx(0.5, rel=1e-9)
