"""What the judge derives is no less than the same bound in fractions, also where rounding loses most."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

import nnspca
from nnspca.certificates.derivations import derive
from nnspca.certificates.proofs import PairProof, ScaleProof
from nnspca.covariance.problem import Problem
from nnspca.numerics.halves import GROWN
from tests.oracle import exact

N = 6
LOST = np.eye(N) + 2.0**-54 * (1 - np.eye(N))  # 1 + 2⁻⁵⁴ is 1 in doubles


def random(seed):
    X = np.random.default_rng(seed).standard_normal((9, N))
    return (X.T @ X + (X.T @ X).T) / 2


def largest_row(own, shares, k):
    """The largest of own_i and the k − 1 largest shares of row i, in fractions."""
    return max(o + sum(sorted(row, reverse=True)[: k - 1]) for o, row in zip(own, shares, strict=True))


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("k", range(1, N + 1))
@pytest.mark.parametrize("A", [LOST, random(0), random(1)], ids=["lost", "0", "1"])
def test_rows_cost_the_judge_no_less_than_they_do(A, k, nonnegative):
    d = np.random.default_rng(k).uniform(0.5, 2.0, N) if A is not LOST else np.ones(N)
    problem = Problem(nnspca.Covariance.from_matrix(A), k, nonnegative)
    E, w = exact(A), [Fraction(v) for v in d]
    part = (lambda v: max(v, Fraction(0))) if nonnegative else abs
    shares = [[part(E[i][j]) * w[j] / w[i] for j in range(N) if j != i] for i in range(N)]
    truth = largest_row([E[i][i] for i in range(N)], shares, k)
    assert truth <= Fraction(derive(ScaleProof(d, 0.0), problem)) <= truth * (1 + Fraction(1e-12))


@pytest.mark.parametrize("k", range(1, N + 1))
@pytest.mark.parametrize("A", [LOST, random(2)], ids=["lost", "2"])
def test_pairs_cost_the_judge_no_less_than_they_do(A, k):
    M = np.maximum(A, 0.0) * (1 - np.eye(N)) * (1 + GROWN)
    tail = 1e-12 * float(np.abs(A).sum())
    problem = Problem(nnspca.Covariance.from_matrix(A), k, True)
    F = exact(M)
    shares = [[F[i][j] for j in range(N) if j != i] for i in range(N)]
    truth = Fraction(tail) + largest_row([Fraction(v) for v in A.diagonal()], shares, k)
    assert truth <= Fraction(derive(PairProof(A, M, tail), problem)) <= truth * (1 + Fraction(1e-12))


@pytest.mark.parametrize("included", [(0,), (1, 4)])
def test_a_row_has_every_included_feature_as_a_companion(included):
    A = np.cov(np.random.default_rng(5).standard_normal((9, N)).T)
    M = np.maximum(A, 0.0) * (1 - np.eye(N)) * (1 + GROWN)
    tail, k = 1e-12 * float(np.abs(A).sum()), 4
    problem = Problem(nnspca.Covariance.from_matrix(A), k, True, include=included)
    F, rows = exact(M), []
    for i in range(N):
        sure = [f for f in included if f != i]
        others = sorted((F[i][j] for j in range(N) if j not in (i, *sure)), reverse=True)
        rows.append(Fraction(A[i, i]) + sum(F[i][f] for f in sure) + sum(others[: k - 1 - len(sure)]))
    truth = Fraction(tail) + max(rows)
    assert truth <= Fraction(derive(PairProof(A, M, tail), problem)) <= truth * (1 + Fraction(1e-12))


def test_what_is_proven_holds_with_certainty():
    cov = nnspca.Covariance.from_matrix(random(3))
    cert = nnspca.certify(cov, 2)
    doubtful = [dataclasses.replace(b, probability=0.9) if b.deterministic else b for b in cert.bounds]
    with pytest.raises(nnspca.CertificateError, match="probability"):
        nnspca.verify(dataclasses.replace(cert, bounds=tuple(doubtful)), cov)
