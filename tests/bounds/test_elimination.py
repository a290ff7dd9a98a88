"""Elimination by masses: valid whatever is kept, lossless where the rest can hold next to nothing."""

import dataclasses

import numpy as np
import pytest

import nnspca
from nnspca.bounds import branch, elimination, masses
from nnspca.bounds.cases import Elimination
from nnspca.bounds.companions import Companions
from nnspca.bounds.elimination import Budget
from nnspca.bounds.plan import BOUND_GAIN, PLANS
from nnspca.bounds.selection import Limits, cumulative_masses
from nnspca.certificates import elimination as judged
from nnspca.certificates.derivations import derive
from nnspca.certificates.proofs import PairProof, TreeProof
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.forms import HeldMatrix
from nnspca.covariance.problem import Problem
from nnspca.covariance.provenance import Provenance
from nnspca.numerics import rounding
from tests import oracle, problems
from tests.problems import few_large, held_as_factor

QUIET = Monitor()


def begun(problem, x, inside):
    """An elimination that keeps these features, with masses as a certificate computes them; None without a proof."""
    low = masses.attained(problem.cov, x)
    if low <= 0:
        return None
    light = 0.0 if len(inside) % 2 else 0.1  # whether rows of features of small variance are read or not
    beside = (
        masses.beside_each_other(problem, low, masses.by_variance(problem.cov, low), QUIET) if len(inside) % 3 else None
    )
    held = masses.MassRanking(problem, low, QUIET, row_skip_threshold=light, joint=beside).largest(
        problem.n, allowed=problem.n
    )
    outside = np.setdiff1d(np.arange(problem.n), inside)
    lost = cumulative_masses(-np.sort(-held[outside])[: problem.k])
    return Elimination(problem, x, low, inside, lost, light, None if beside is None else beside.proof)


def kept(rng, problem, x):
    """Random features; most often, those of the point among them, without which little is proven."""
    chosen = rng.random(problem.n) < rng.uniform(0.2, 1.0)
    if rng.random() < 0.8:
        chosen |= x != 0
    chosen[np.argmax(problem.cov.diagonal)] = True
    return np.flatnonzero(chosen)


def held(problem, A, k, nonnegative, rng):
    """Bounds on the way of one random elimination, each held against brute force and against the judge."""
    attained = problem.attained(k, nonnegative)
    x = oracle.optimum(A, k, nonnegative)[1]
    if rng.random() < 0.3:
        x = np.eye(len(A))[int(rng.integers(len(A)))]
    posed = Problem(problem.cov, k, nonnegative)
    made = begun(posed, x, kept(rng, posed, x))
    if made is None:
        return 0
    proven = 0
    for _ in range(int(rng.integers(1, 10))):
        bound = made.bound()
        if np.isfinite(bound.value):
            proven += 1
            assert oracle.allows(bound.value, attained), (problem.kind, k, nonnegative)
            derived = derive(bound.ingredients, Problem(problem.cov, k, nonnegative))
            assert derived <= bound.value
            assert oracle.allows(derived, attained)
        if not made.work(0.0, bool(rng.random() < 0.4)):
            break
    return proven


@pytest.fixture(autouse=True)
def few_side_by_side(monkeypatch):
    """Of the problems here, which are small, some features stay outside the boxes."""
    monkeypatch.setattr(masses, "WIDEST", 6)


@pytest.fixture(autouse=True)
def short_roots(monkeypatch):
    """Trees of few steps prove as much about trees."""
    monkeypatch.setattr(branch, "NODE_STEPS", 20)


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("make", problems.MATRICES + problems.DATA, ids=lambda make: make.__name__)
def test_no_elimination_proves_less_than_the_optimum(make, nonnegative):
    rng = np.random.default_rng(11)
    proven = 0
    for _ in range(2):
        problem = make(rng, int(rng.integers(2, 9)))
        n = problem.cov.n_features
        proven += held(problem, problem.A, int(rng.integers(1, n + 1)), nonnegative, rng)
    assert proven


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_nor_does_one_that_sets_most_features_aside(seed, nonnegative):
    rng = np.random.default_rng(seed)
    X = few_large(seed, n=11)
    for cov in (nnspca.Covariance.from_data(X), held_as_factor(X)):
        A = np.cov(X.T, bias=True)
        problem = problems.Problem("few large", cov, A, lambda x: oracle.exact_variance_of_data(X, x), X)
        assert sum(held(problem, A, k, nonnegative, rng) for k in (1, 2, 3, 5, 11))


@pytest.mark.parametrize("nonnegative", [True, False])
def test_a_mass_is_not_below_what_the_optimum_holds(nonnegative):
    rng = np.random.default_rng(2)
    for trial in range(60):
        makers = problems.MATRICES + problems.DATA
        problem = makers[trial % len(makers)](rng, int(rng.integers(2, 9)))
        n = problem.cov.n_features
        k = int(rng.integers(1, n + 1))
        value, x = oracle.optimum(problem.A, k, nonnegative)
        # an optimum of a multiple eigenvalue need not be that of its support alone, but each has its masses
        low = masses.attained(problem.cov, x)
        if low <= 0:
            continue
        assert low <= value * (1 + 1e-12)
        all_masses = masses.MassRanking(Problem(problem.cov, k, nonnegative), low, QUIET).largest(n, allowed=n)
        assert (x**2 <= all_masses * (1 + 1e-9) + 1e-12).all()


def test_masses_are_what_the_hand_computes():
    """A = [[4, 1, 0], [1, 3, 1], [0, 1, 1]], k = 2: the best is on features 1 and 2, λ = (7 + √5)/2."""
    cov = nnspca.Covariance.from_matrix([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 1.0]])
    low = (7 + 5**0.5) / 2
    found = masses.MassRanking(Problem(cov, 2), low, QUIET).largest(3, allowed=3)
    rows = [1 / (1 + (low - a) ** 2) for a in (4.0, 3.0, 1.0)]
    assert found == pytest.approx([min(rows[0], 4 / low), min(rows[1], 3 / low), min(rows[2], 1 / low)])


def test_rows_are_read_only_while_they_can_be_among_the_largest(monkeypatch):
    X = np.random.default_rng(0).standard_normal((10, 3000)) * np.geomspace(3, 1e-3, 3000)
    cov = nnspca.Covariance.from_data(X)
    read = []
    norms = Companions.norms
    monkeypatch.setattr(Companions, "norms", lambda self, rows: (read.append(len(rows)), norms(self, rows))[1])
    masses.MassRanking(Problem(cov, 3), float(cov.diagonal.max()), QUIET).largest(20, allowed=3000)
    assert sum(read) == cov.held.strip


def test_what_matters_little_is_set_aside_without_loss():
    """With the five features that vary kept, the bound on fourteen is the bound on five."""
    for seed in range(6):
        X = few_large(seed) * np.r_[np.ones(5), np.full(9, 1e-3)]
        cov = held_as_factor(X)
        part = nnspca.solve(cov, 3)
        made = begun(Problem(cov, 3), part.loadings, np.arange(5))
        while made.work(0.0, True) and made.bound().value > part.variance * (1 + 1e-6):
            pass
        assert part.variance / made.bound().value > 1 - 1e-4


def test_too_many_heavy_features_are_told_at_once():
    cov = held_as_factor(np.random.default_rng(0).standard_normal((8, 14)))
    part = nnspca.solve(cov, 3)
    assert elimination.choose(Problem(cov, 3), part.loadings, np.inf, Limits(4, 1e-3), QUIET) is None


def test_rows_that_were_read_are_read_on_a_machine_that_sees_the_covariance_as_far_off_as_it_may_be():
    """There the feature varies less by the drift, the point has more, and no error of A is known of."""
    A, x, i = np.diag([3.0, 2.8, 0.5]), np.eye(3)[0], 1
    here = Covariance(HeldMatrix(A.copy()), Provenance(drift=0.06, error_elsewhere=0.0))
    there = Covariance(HeldMatrix(A + here.held.drift / np.sqrt(2) * np.diag([1.0, -1.0, 0.0])))
    low = masses.attained(here, x)
    light = float(masses.by_variance(here, low)[i]) * (1 - 1e-12)  # the row is read, and only just
    problem, lost = Problem(here, 2), np.array([0.0, 0.1, 0.2])
    claimed = Elimination(problem, x, low, np.array([0, 2]), lost, light).bound().ingredients
    attained = judged._attained(claimed, Problem(there, 2))
    assert claimed.light > 0.5
    assert there.diagonal[i] / attained > claimed.light


def test_features_outside_are_granted_twice_what_the_covariance_may_be_off_by(monkeypatch):
    cov, asked = Covariance(HeldMatrix(np.diag([3.0, 2.0])), Provenance(representation_error=0.02)), []
    monkeypatch.setattr(rounding, "eliminated", lambda value, mass, error: asked.append(error) or value)
    Elimination(Problem(cov, 1), np.eye(2)[0], 2.5, np.array([0]), np.array([0.0, 0.1])).upper_bounds()
    assert asked == [2 * cov.held.room()] * 2


# ---------------------------------------------------------------------- as part of a certificate


@pytest.fixture(scope="module")
def wide():
    cov = problems.wide(30)
    return cov, nnspca.certify(cov, 6)


def test_a_certificate_with_an_elimination_verifies_and_survives_a_file(wide):
    cov, cert = wide
    assert cert.winner.name == "elimination"
    assert cert.ratio > 0.99
    assert oracle.read_back(cert, cov).bound("elimination").value == cert.bound("elimination").value


def refused(proof, k, cov):
    with pytest.raises(nnspca.CertificateError) as caught:
        derive(proof, Problem(cov, k))
    return str(caught.value)


def lowered(inner):
    """A proof on T that claims a little more than it may."""
    if isinstance(inner, TreeProof):
        return dataclasses.replace(inner, leaves=tuple(map(lowered, inner.leaves)))
    return dataclasses.replace(inner, tail=inner.tail * (1 - 1e-6)) if isinstance(inner, PairProof) else inner


def test_every_case_is_checked_by_its_own_proof(wide):
    cov, cert = wide
    proof = cert.bound("elimination").ingredients
    assert any(isinstance(inner, PairProof) for inner in proof.proofs)
    assert "exceeds the claimed" in refused(
        dataclasses.replace(proof, proofs=tuple(map(lowered, proof.proofs))), 6, cov
    )
    # a case left out leaves its numbers of features to the cases above, or to none
    first = dataclasses.replace(proof, proofs=proof.proofs[:1], cardinalities=proof.cardinalities[:1])
    assert derive(first, Problem(cov, 6)) >= derive(proof, Problem(cov, 6))
    without = dataclasses.replace(proof, proofs=proof.proofs[1:], cardinalities=proof.cardinalities[1:])
    assert not proof.proofs[1:] or not np.isfinite(derive(without, Problem(cov, 6)))


@pytest.mark.slow
def test_a_live_certificate_of_few_features_branches():
    cov = Covariance.from_dataset(nnspca.datasets.load("lfw-faces"))
    cert = nnspca.certify(cov, 20)
    elimination_proof = next(b.ingredients for b in cert.bounds if b.name == "elimination")
    assert any(isinstance(proof, TreeProof) for proof in elimination_proof.proofs)
    assert 1 - cert.ratio < 1e-3  # 2.5e-3 without, 5e-4 by the processor
    nnspca.verify(cert, cov)


def test_a_thorough_elimination_goes_on_below_the_gain_that_a_live_one_asks_for():
    """LFW faces at k = 40 stayed at .99998: what is left to gain there was called too little to begin."""
    cov = nnspca.Covariance.from_data(np.random.default_rng(0).standard_normal((40, 30)) * 0.8 ** np.arange(30))
    part = nnspca.solve(cov, 3)
    least = part.variance * (1 + BOUND_GAIN / 2)
    posed, how = (Problem(cov, 3), part.loadings, least, Limits(20, 3e-4)), {"goal": part.variance, "monitor": QUIET}
    few, more = (list(elimination.eliminate(*posed, Budget(1.0, gain=gain), **how)) for gain in (BOUND_GAIN, 1e-6))
    assert not few
    assert more[-1].value < least
    assert PLANS["thorough"].gain < PLANS["live"].gain == BOUND_GAIN
