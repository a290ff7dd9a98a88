"""What features can hold beside each other: never less than the best component has, never more than their rows tell."""

import dataclasses
from decimal import Decimal, localcontext

import numpy as np
import pytest

import nnspca
from nnspca import check_more
from nnspca.bounds import elimination, masses
from nnspca.bounds.selection import Limits
from nnspca.certificates.boxes import joint_masses
from nnspca.certificates.derivations import derive
from nnspca.certificates.proofs import BoxProof
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from tests import oracle, problems
from tests.test_check_more import accepted

QUIET = Monitor()


def beside(problem, low, **options):
    """Boxes that begin with what the variances tell."""
    return masses.beside_each_other(problem, low, masses.by_variance(problem.cov, low), QUIET, **options)


def by_rows(problem, low):
    return masses.MassRanking(problem, low, QUIET).largest(problem.n, allowed=problem.n)


def exactly(A, own, k, features, prices):
    """The same with fifty digits, by sorting, a sum for each feature: nothing but the formula."""
    with localcontext() as context:
        context.prec = 50
        A = [[Decimal(float(v)) for v in row] for row in A]
        beyond = max((Decimal(float(v)) for j, v in enumerate(own) if j not in features), default=Decimal(0))
        own = [Decimal(float(own[i])) for i in features]
        held = [min(v, Decimal(1)) for v in own]
        for stage in prices:
            root = [v.sqrt() for v in held]
            for i, mine in enumerate(own):
                price, room = Decimal(float(stage[i])), 1 - mine
                if room <= 0:
                    continue
                at = [min(r, a / price) for a, r in zip(A[i], root, strict=True)]
                gains = [max(a * x - price * x * x / 2, mine.sqrt() * beyond) for a, x in zip(A[i], at, strict=True)]
                b = price / 2 + sum(sorted(gains)[-(k - 1) :])
                held[i] = min(held[i], (2 * b / (room + (room * room + 2 * price * b).sqrt())) ** 2)
        return held


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("widest", [3, 5, 100])
def test_no_box_is_smaller_than_what_the_optimum_holds(nonnegative, widest, monkeypatch):
    monkeypatch.setattr(masses, "WIDEST", widest)
    rng = np.random.default_rng(widest)
    makers, told = problems.MATRICES + problems.DATA, 0
    for trial in range(120):
        problem = makers[trial % len(makers)](rng, int(rng.integers(3, 10)))
        n = problem.cov.n_features
        k = int(rng.integers(1, n + 1))
        _, x = oracle.optimum(problem.A, k, nonnegative)
        low = masses.attained(problem.cov, x) * float(rng.choice([1.0, 1.0, 0.9]))
        made = beside(Problem(problem.cov, k, nonnegative), low, stages=int(rng.integers(1, 9))) if low > 0 else None
        if made is None:
            continue
        told += 1
        # some masses are what the optimum holds to a dozen digits, where brute force gives half of them
        assert (x[made.proof.features] ** 2 <= made.masses * (1 + 1e-6) + 1e-12).all(), (problem.kind, k)
    assert told > 10


@pytest.mark.parametrize("nonnegative", [True, False])
def test_nor_than_what_any_support_near_the_best_holds(nonnegative, monkeypatch):
    """Below the optimum the boxes are those of every component of that variance that is best on its own support."""
    monkeypatch.setattr(masses, "WIDEST", 6)
    for seed in range(8):
        cov = nnspca.Covariance.from_data(problems.few_large(seed, n=8))
        low = 0.8 * oracle.optimum(cov.matrix, 3, nonnegative)[0]
        made = beside(Problem(cov, 3, nonnegative), low)
        places, met = made.proof.features, 0
        for size in (2, 3):
            for support in oracle.combinations(range(8), size):
                block = cov.matrix[np.ix_(support, support)]
                values, vectors = np.linalg.eigh(block)
                top = vectors[:, -1] * np.sign(vectors[:, -1].sum())
                if values[-1] < low or (nonnegative and (top < 0).any()):
                    continue
                met += 1
                x = np.zeros(8)
                x[list(support)] = top
                assert (x[places] ** 2 <= made.masses * (1 + 1e-9)).all()
        assert met


@pytest.mark.parametrize("nonnegative", [True, False])
def test_boxes_tell_no_more_than_rows_and_each_stage_no_more_than_the_one_before(nonnegative):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = (rng.standard_normal((14, 80)) + rng.standard_normal((14, 1))) * np.geomspace(1, 0.05, 80)
        cov = nnspca.Covariance.from_data(X)
        problem = Problem(cov, 6, nonnegative)
        low = masses.attained(cov, nnspca.solve(cov, 6, nonnegative=nonnegative).loadings)
        before, stages = by_rows(problem, low), []
        for count in range(1, 7):
            held = beside(problem, low, stages=count).masses
            assert (held <= before * (1 + 1e-9)).all()
            stages.append(np.sort(held)[:-6].sum())  # of all but those that matter
            before = held
        assert stages[-1] < 0.97 * np.sort(by_rows(problem, low))[:-6].sum()


@pytest.mark.parametrize("widest", [5, 100])
@pytest.mark.parametrize("nonnegative", [True, False])
def test_the_library_the_judge_and_fifty_digits_agree(widest, nonnegative, monkeypatch):
    monkeypatch.setattr(masses, "WIDEST", widest)
    for seed in range(4):
        cov = problems.held_as_factor(problems.few_large(seed, n=9))
        problem = Problem(cov, 4, nonnegative)
        low = masses.attained(cov, nnspca.solve(cov, 4, nonnegative=nonnegative).loadings)
        made = beside(problem, low)
        features = made.proof.features
        own = cov.diagonal / low
        A = cov.block(features, features) / low
        A = np.maximum(A, 0) if nonnegative else np.abs(A)
        np.fill_diagonal(A, 0)
        truth = exactly(A, own, 4, features.tolist(), made.proof.prices)
        places, judged = joint_masses(made.proof, own * (1 + 1e-14), low, Problem(cov, 4, nonnegative))
        assert (places == features).all()
        for mine, other, exact in zip(made.masses, judged, truth, strict=True):
            assert float(exact) * (1 - 1e-15) <= mine <= float(exact) * (1 + 1e-10)
            assert float(exact) * (1 - 1e-15) <= other <= float(exact) * (1 + 1e-10)


def test_masses_beside_each_other_are_what_the_hand_computes():
    """Two features beside one: A = [[3, 1], [1, 1]], k = 2, λ_max = 2 + √2; the price 1 of the row of feature 1."""
    cov = nnspca.Covariance.from_matrix([[3.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.5]])
    low = 2 + 2**0.5
    proof = BoxProof(np.arange(3), np.ones((1, 3)))
    _, held = joint_masses(proof, cov.diagonal / low, low, Problem(cov, 2))
    a = 1 / low  # below the root of what feature 0 can hold: at the price 1 it pays a²/2
    b, room = 0.5 + a * a / 2, 1 - 1 / low
    assert held[1] == pytest.approx(min((2 * b / (room + (room**2 + 2 * b) ** 0.5)) ** 2, 1 / low))


def test_nothing_is_told_of_one_feature_or_where_all_may_be_used():
    cov = nnspca.Covariance.from_data(problems.few_large(0, n=5))
    for k in (1, 5):
        assert beside(Problem(cov, k), float(cov.diagonal.max())) is None
    assert beside(Problem(cov, 2), float(cov.diagonal.max()), stages=0) is None


@pytest.mark.parametrize("asked", range(12))
def test_whoever_asks_to_stop_once_and_no_more_is_told_nothing_false(asked, monkeypatch):
    monkeypatch.setattr("nnspca.covariance.held.STRIP", 7)
    monkeypatch.setattr(masses, "STRIP", 7)
    cov = nnspca.Covariance.from_data(problems.few_large(0, n=30))
    problem, low = Problem(cov, 4), masses.attained(cov, nnspca.solve(cov, 4).loadings)
    answers = iter([*[False] * asked, True])
    held = masses.by_variance(cov, low)
    made = masses.beside_each_other(problem, low, held, Monitor(lambda: next(answers, False)))
    if made is not None:
        _, judged = joint_masses(made.proof, cov.diagonal / low, low, Problem(cov, 4))
        assert (made.masses >= judged * (1 - 1e-9)).all()


# ---------------------------------------------------------------------- as part of an elimination


@pytest.fixture(scope="module")
def crowded():
    """Data of which a few hundred features matter, and the elimination they need boxes for."""
    rng = np.random.default_rng(4)
    X = (rng.standard_normal((14, 500)) + 2 * rng.standard_normal((14, 1))) * np.geomspace(1, 0.2, 500)
    cov = problems.held_as_factor(X)
    part = nnspca.solve(cov, 12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elimination, "SMALLEST", 400)  # any T is small enough
        plain = elimination.choose(Problem(cov, 12), part.loadings, np.inf, Limits(400, 1e-3), QUIET)
        patch.setattr(elimination, "SMALLEST", 1)  # none is
        made = elimination.choose(Problem(cov, 12), part.loadings, np.inf, Limits(400, 1e-3), QUIET)
    return X, cov, part, made, plain


def test_an_elimination_leaves_less_outside_with_boxes_and_keeps_no_more(crowded):
    _, _, _, made, plain = crowded
    assert made.boxes is not None
    assert plain.boxes is None
    assert len(made.inside) <= len(plain.inside)
    assert made.excluded_mass[-1] < 0.9 * plain.excluded_mass[-1]


def test_it_verifies_and_survives_a_file(crowded):
    _, cov, part, made, _ = crowded
    bound = made.bound()
    assert derive(bound.ingredients, Problem(cov, 12)) <= bound.value
    cert = nnspca.certify(cov, 12, component=part, should_stop=lambda: True)
    whole = dataclasses.replace(cert, bounds=(*cert.bounds, bound), upper=min(cert.upper, bound.value))
    read = oracle.read_back(whole, cov)
    assert (read.bounds[-1].ingredients.boxes.prices == bound.ingredients.boxes.prices).all()


def test_the_exact_checker_accepts_it(crowded):
    X, _, part, made, _ = crowded
    cov = nnspca.Covariance.from_data(X)
    cert = nnspca.certify(cov, 12, component=part, should_stop=lambda: True)
    bound = made.bound()
    assert accepted(dataclasses.replace(cert, bounds=(bound,), upper=bound.value), cov, X)


def test_the_exact_checker_refuses_what_is_no_price(crowded):
    X, _, _, _, _ = crowded
    checker = check_more.Checker(True, lambda line: None)
    A = check_more.check.covariance(X[:, :20].tolist(), "centred")
    p = {"C": tuple(range(20)), "prices": [[0.0] * 20]}
    with pytest.raises(check_more.check.Refused, match="a price is not positive"):
        checker.boxes(p, 3, A, check_more.Fraction(10**9), {i: check_more.Fraction(1, 100) for i in range(20)})
    with pytest.raises(check_more.check.Refused, match="C has 20 features"):
        checker.boxes(p, 20, A, check_more.Fraction(10**9), {})
