"""Series: one L and one M bound every number of features, each of the bounds as valid as any."""

from dataclasses import replace

import numpy as np
import pytest

import nnspca
from nnspca.bounds import elimination, masses, pair_scaled
from nnspca.bounds.pair_scaled import Series
from nnspca.bounds.selection import Limits
from nnspca.bounds.splitting import Splitting
from nnspca.certificates.derivations import derive
from nnspca.certificates.proofs import EliminationProof, SeriesProof
from nnspca.control.progress import Monitor
from nnspca.covariance.forms import HeldMatrix
from nnspca.covariance.problem import Problem
from nnspca.result import Bound
from tests import oracle, problems
from tests.problems import few_large, held_as_factor
from tests.test_check import checked, npy, npz

QUIET = Monitor()


def multipliers(problem, x, steps):
    """What a few steps of a splitting prove."""
    splitting = Splitting(problem, x)
    for _ in range(steps):
        splitting.advance()
    return pair_scaled.proof_of(problem, *splitting.multipliers())


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("scale", [1.0, 1e-90, 1e90])
def test_no_series_proves_less_than_the_optimum_of_any_number_of_features(nonnegative, scale):
    rng = np.random.default_rng(0)
    for seed in range(4):
        A = np.cov(few_large(seed, n=9).T, bias=True) * scale
        A = np.kron(A[:5, :5], np.ones((2, 2)))[:9, :9] if seed == 3 else A  # equal features
        cov = nnspca.Covariance(HeldMatrix(A))
        k = int(rng.integers(2, 9))
        _, x = oracle.optimum(A, k, nonnegative)
        problem = Problem(cov, k, nonnegative)
        value, proof = multipliers(problem, x, int(rng.integers(1, 30)))
        series = Series(Problem(cov, 9, nonnegative), proof)
        for c in range(9, 0, -1):
            proven, of_one = series.proven(c)
            assert proven >= oracle.optimum(A, c, nonnegative)[0] * (1 - 1e-12)
            assert derive(of_one, Problem(cov, c, nonnegative)) <= proven
            assert proven == pytest.approx(series.estimate(c), rel=1e-4)
        assert series.proven(k)[0] == pytest.approx(value, rel=3e-6)


def test_a_series_of_several_cardinalities_proves_each_and_for_fewer_what_it_proves_for_more():
    cov = nnspca.Covariance.from_data(few_large(0, n=9))
    cov = nnspca.Covariance.from_matrix(cov.block(np.arange(9)))
    part = nnspca.solve(cov, 5)
    proof = multipliers(Problem(cov, 5), part.loadings, 20)[1]
    series = Series(Problem(cov, 5), proof)
    five, three = series.proven(5), series.proven(3)
    both = SeriesProof(five[1].L, five[1].M, (5, 3), (*five[1].tails, *three[1].tails))
    assert derive(both, Problem(cov, 5)) <= five[0]
    assert derive(both, Problem(cov, 4)) <= five[0]
    assert derive(both, Problem(cov, 3)) <= three[0]
    assert derive(both, Problem(cov, 2)) <= three[0]
    with pytest.raises(nnspca.CertificateError, match="nothing for 6 features"):
        derive(both, Problem(cov, 6))


def test_a_file_keeps_a_series_apart_from_the_proof_that_its_multipliers_are_of():
    cov = nnspca.Covariance.from_data(few_large(0, n=9))
    problem, live = Problem(cov, 5), nnspca.certify(cov, 5)
    x, used = live.component.loadings, live.component.support
    proof = multipliers(problem, x, 20)[1]
    proofs = proof, Series(problem, proof).proven(4)[1]
    made = EliminationProof(np.arange(9), used, x[used], (5, 4), proofs, 0.0, None)
    bound = Bound("elimination", derive(made, problem), ingredients=made)
    made = replace(live, upper=bound.value, bounds=(bound, live.bound("eigenvalue")))
    assert float(checked(npz(made, cov), npy(few_large(0, n=9)))[1]) == bound.value


@pytest.mark.parametrize("nonnegative", [True, False])
def test_no_step_of_an_elimination_proves_less_than_the_optimum(nonnegative):
    proven = of_series = 0
    for seed in range(4):
        X = few_large(seed, n=11)
        A, cov = np.cov(X.T, bias=True), held_as_factor(X)
        attained = problems.Problem("few large", cov, A, lambda x, X=X: oracle.exact_variance_of_data(X, x), X).attained
        for k in (2, 3, 5):
            x = oracle.optimum(A, k, nonnegative)[1]
            posed = Problem(cov, k, nonnegative)
            made = elimination.choose(posed, x, np.inf, Limits(10, 3e-3, k + 1), QUIET)
            if made is None:
                continue
            assert set(made.cases) == {0}
            for _ in range(12):
                if not made.work(0.0, False):
                    break
                bound = made.bound()
                of_series += any(isinstance(proof, SeriesProof) for proof in bound.ingredients.proofs)
                if np.isfinite(bound.value):
                    proven += 1
                    assert oracle.allows(bound.value, attained(k, nonnegative))
                    assert derive(bound.ingredients, posed) <= bound.value
    assert proven > 10
    assert of_series > 3


def test_a_certificate_at_a_large_k_proves_more_than_balanced_rows():
    rng = np.random.default_rng(0)
    scales = np.exp(0.8 * rng.standard_normal(900))
    X = (rng.standard_normal((40, 4)) @ rng.random((4, 900)) + rng.standard_normal((40, 900))) * scales
    cov = nnspca.Covariance.from_data(X)
    cert = nnspca.certify(cov, 30)
    nnspca.verify(cert, cov)
    assert cert.winner.name == "elimination"
    assert cert.ratio > 0.999
    assert cert.lower < 0.995 * cert.bound("balanced-rows").value
    low = masses.attained(cov, cert.component.loadings)
    assert low <= cert.lower <= cert.upper
