"""A bound at another k: as it is from a larger one, in proportion from a smaller one."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import nnspca
from nnspca.bounds import carried
from nnspca.certificates.derivations import derive
from nnspca.certificates.exact import needs_second_checker
from nnspca.certificates.proofs import CarriedProof, ScaleProof
from nnspca.covariance.problem import Problem
from nnspca.result import Bound
from tests import oracle, problems
from tests.test_check import checkable, npy, npz, with_one_bound
from tests.test_check_more import accepted, beyond_the_first, checked

SIGNS = pytest.mark.parametrize("nonnegative", [True, False])


@pytest.mark.parametrize("make", [*problems.MATRICES, *problems.DATA])
@SIGNS
def test_no_upper_bound_in_proportion_falls_below_the_brute_force_optimum(make, nonnegative):
    """Taken over from the optimum itself, the least bound there can be."""
    for seed in range(4):
        problem = make(np.random.default_rng(seed), 7)
        least = carried.least_variance(problem.cov)
        optima = {k: problem.attained(k, nonnegative) for k in range(1, 8)}
        for q in range(2, 8):
            for k in range(q, 8):
                above = float(optima[q]) * (1 + 1e-12) + problem.cov.representation_error
                assert carried.at_larger(above, q, k, least) >= optima[k]


def test_features_that_are_all_alike_meet_it_and_a_constant_one_does_not_count():
    A = np.zeros((9, 9))
    A[:8, :8] = 0.5 + 0.5 * np.eye(8)
    cov = nnspca.Covariance.from_matrix(A)
    optimum = [oracle.optimum(A, k, True)[0] for k in range(9)]
    least = carried.least_variance(cov)
    assert 1 - 1e-12 < least <= 1
    for q in range(2, 8):
        for k in range(q, 8):
            assert optimum[k] <= carried.at_larger(optimum[q], q, k, least) <= optimum[k] * (1 + 1e-12)


@SIGNS
def test_upper_bounds_along_a_curve_are_the_least_that_follow_from_those_known(nonnegative):
    problem = problems.correlation(np.random.default_rng(3), 8)
    optima = {k: oracle.optimum(problem.A, k, nonnegative)[0] for k in range(1, 9)}
    least = carried.least_variance(problem.cov)
    known = {1: optima[1] + 1e-9, 3: optima[3] + 1e-9, 6: optima[6] + 1e-9}
    at, values = np.array(list(known)), np.array(list(known.values()))
    found = [float(carried.following(k, at, values, least).min()) for k in optima]
    assert all(value >= optima[k] for k, value in zip(optima, found, strict=True))
    assert found[:3] == [known[1], known[3], known[3]]
    assert found[3:5] == [min(known[6], carried.at_larger(known[3], 3, k, least)) for k in (4, 5)]
    assert found[6:] == [carried.at_larger(known[6], 6, k, least) for k in (7, 8)]
    assert carried.following(2, np.array([1]), np.array([1.0]), least) == np.inf, "one feature tells nothing of pairs"


def one_bound(cert, bound):
    """The same certificate with one bound, beside the one that every certificate has."""
    every = cert.bound("eigenvalue")
    return replace(cert, upper=min(bound.value, every.value), bounds=(every, bound))


def curve(cov, ks, nonnegative):
    return {k: nnspca.certify(cov, k, nonnegative=nonnegative) for k in ks}


def loosened(cert):
    """The same certificate with nothing but the bound on every direction."""
    return one_bound(cert, cert.bound("eigenvalue"))


def alike(rng, m):
    """Ten features of about one variance that vary together."""
    return rng.standard_normal((m, 10)) + 1.5 * rng.standard_normal((m, 1))


HELD = {
    "matrix": lambda rng: nnspca.Covariance.from_data(alike(rng, 40)),
    "factor": lambda rng: problems.held_as_factor(alike(rng, 4)),
    "constant features": lambda rng: nnspca.Covariance.from_data(alike(rng, 40) * (np.arange(10) != 4)),
    "tiny": lambda rng: nnspca.Covariance.from_data(1e-70 * alike(rng, 40)),
    "huge": lambda rng: nnspca.Covariance.from_data(1e60 * alike(rng, 40)),
}


@pytest.mark.parametrize("held", HELD)
@SIGNS
def test_what_is_carried_verifies_survives_the_file_and_is_no_less_than_the_optimum(held, nonnegative):
    cov = HELD[held](np.random.default_rng(5))
    made = curve(cov, (2, 3, 4, 8), nonnegative)
    proven = {k: cert if k in (3, 8) else loosened(cert) for k, cert in made.items()}
    brought = dict(carried.improved_by_carried(proven, cov))
    assert {k: cert.winner.name for k, cert in brought.items() if k in (2, 4)} == {2: "larger-k", 4: "smaller-k"}
    assert brought[4].winner.ingredients.k == 3
    A = cov.block(np.arange(cov.n_features))
    for k, cert in brought.items():
        assert cert.upper < proven[k].upper
        assert cert.upper >= oracle.optimum(A, k, nonnegative)[0]
        nnspca.verify(cert, cov)
        oracle.read_back(cert, cov)
    assert not dict(carried.improved_by_carried({**proven, **brought}, cov)), "and nothing is left to bring down"


@pytest.mark.parametrize("k", [1, 0, 11, 3.0, True, None])
def test_a_k_that_proves_nothing_here_is_refused(k):
    cov = HELD["matrix"](np.random.default_rng(0))
    small, own = nnspca.certify(cov, 4), nnspca.certify(cov, 3)
    bound = Bound("smaller-k", own.upper * 3, ingredients=CarriedProof(3, own.winner.ingredients))
    nnspca.verify(one_bound(small, bound), cov)
    with pytest.raises(nnspca.CertificateError, match=r"is carried is .*, not a whole number from 2 to 10"):
        nnspca.verify(one_bound(small, replace(bound, ingredients=replace(bound.ingredients, k=k))), cov)


@pytest.mark.parametrize("reading", ["matrix", "centred", "standardised"])
def test_a_stranger_derives_it_exactly(reading):
    rng = np.random.default_rng(2)
    X = alike(rng, 30) * (np.arange(10) != 6)
    if reading == "matrix":
        X = np.cov(X.T, bias=True)
    made = (
        nnspca.Covariance.from_matrix(X) if reading == "matrix" else nnspca.Covariance.from_data(X, reading[0] == "s")
    )
    certs = {k: checkable(cert, made, more=True) for k, cert in curve(made, (3, 5), True).items()}
    (cert,) = (cert for k, cert in carried.improved_by_carried({3: certs[3], 5: loosened(certs[5])}, made) if k == 5)
    alone = with_one_bound(cert, cert.winner)
    assert needs_second_checker(alone, made) == beyond_the_first(npz(alone, made), npy(X)) is True
    assert accepted(alone, made, X)
    low = with_one_bound(cert, replace(cert.winner, value=cert.upper * (1 - 1e-6)))
    with pytest.raises(Exception, match="is claimed, one of"):
        checked(npz(low, made), npy(X))


def test_the_formula_in_fractions():
    rng = np.random.default_rng(0)
    for value, least, q, k in zip(
        rng.uniform(1, 9, 200),
        rng.uniform(-1e-3, 1, 200),
        rng.integers(2, 9, 200),
        rng.integers(9, 99, 200),
        strict=True,
    ):
        exact = Fraction(least) + (Fraction(value) - Fraction(least)) * Fraction(int(k) - 1, int(q) - 1)
        assert exact <= Fraction(carried.at_larger(value, int(q), int(k), least)) <= exact * (1 + Fraction(1, 10**12))


def test_the_judge_derives_no_less_than_the_fractions_say():
    rng = np.random.default_rng(4)
    for _ in range(60):
        Z = rng.standard_normal((12, 7)) + rng.standard_normal((12, 1))
        cov = nnspca.Covariance.from_matrix(Z.T @ Z)
        value, least = derive(ScaleProof(np.ones(7)), Problem(cov, 3)), min(map(Fraction, cov.diagonal))
        exact = least + (Fraction(value) - least) * Fraction(4, 2)
        found = Fraction(derive(CarriedProof(3, ScaleProof(np.ones(7))), Problem(cov, 5)))
        assert exact <= found <= exact * (1 + Fraction(1, 10**12))
