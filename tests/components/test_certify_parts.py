"""A joint certificate is never below the optimum by brute force; the judge passes the honest ones and no forgery."""

import dataclasses
import math
import threading
import time
from fractions import Fraction

import numpy as np
import pytest

import nnspca
from nnspca.bounds import branch, pair_scaled
from nnspca.bounds.plan import PLANS
from nnspca.certificates.proofs import CarriedProof, EachProof, PairProof, ScaleProof
from nnspca.covariance import samples as making
from nnspca.tasks import _rounds
from tests import budgets, oracle, problems
from tests.certificates.test_judge import altered, rejected

NAN, INF = math.nan, math.inf
SIGNS = pytest.mark.parametrize("nonnegative", [True, False])
KINDS = (*problems.MATRICES, *problems.DATA)
replace = dataclasses.replace


def made_brief(patch):
    brief = replace(PLANS["live"], features=450, relaxation=0.6, trees=0.15, closed=-1)
    patch.setattr(_rounds, "PLANS", dict.fromkeys(PLANS, brief))
    budgets.at_any_gap(patch)
    patch.setattr(branch, "NODE_STEPS", 20)
    budgets.few_starts(patch)


@pytest.fixture
def brief(monkeypatch):
    """Every bound is made, none for long."""
    made_brief(monkeypatch)


@pytest.fixture
def short(monkeypatch):
    """As much as brings pit props near the optimum."""
    budgets.of_live_parts(monkeypatch, relaxation=3.0, trees=0.3)
    budgets.few_starts(monkeypatch)


@pytest.mark.parametrize("seed", range(len(KINDS)))
def test_no_bound_falls_below_the_optimum_by_brute_force(seed, brief):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    problem, nonnegative = KINDS[seed % len(KINDS)](rng, n), bool(rng.random() < 0.7)
    k, r = int(rng.integers(1, n + 1)), int(rng.integers(1, min(4, n) + 1))
    attained = sum(problem.exact(x) for x in oracle.optima_of_parts(problem.A, k, r, nonnegative)[-1][1])
    cert = nnspca.certify_parts(problem.cov, r, k, nonnegative=nonnegative)
    for bound in cert.bounds:
        assert oracle.allows(bound.value, attained), bound.name
    nnspca.verify(cert, problem.cov)


# For each k about the most parts that brute force counts soon, and one.
@pytest.mark.parametrize(("k", "counts"), [(1, (6,)), (2, (6,)), (3, (5,)), (4, (1, 3)), (7, (2,)), (13, (1,))])
def test_pit_props_are_certified_to_the_optimum(k, counts, pitprops, short):
    optima = oracle.optima_of_parts(pitprops.matrix, k, counts[-1])
    for r in counts:
        cert = nnspca.certify_parts(pitprops, r, k)
        attained = sum(oracle.exact_variance(pitprops.matrix, x) for x in optima[r - 1][1])
        assert oracle.allows(cert.upper, attained)
        assert cert.ratio >= 0.985
        nnspca.verify(cert, pitprops)


@pytest.mark.slow
def test_branching_proves_pit_props_optimal_where_the_dual_does_not(pitprops):
    cert = nnspca.certify_parts(pitprops, 2, 4, effort="thorough")
    assert cert.ratio >= 0.9999
    assert cert.winner.name == "joint-branch"
    assert cert.lower / cert.bound("joint-dual").value < 0.985
    nnspca.verify(cert, pitprops)


@SIGNS
def test_a_factored_covariance_is_certified_too(nonnegative, brief, monkeypatch):
    monkeypatch.setattr(making, "DENSE_FEATURES", 6)
    for seed in range(4):
        problem = problems.factored(np.random.default_rng(seed), 9, sparse=seed % 2 == 1)
        assert problem.cov.matrix is None
        rows = oracle.optima_of_parts(problem.A, 2, 3, nonnegative)[-1][1]
        cert = nnspca.certify_parts(problem.cov, 3, 2, nonnegative=nonnegative)
        assert oracle.allows(cert.upper, sum((problem.exact(x) for x in rows), Fraction(0)))
        nnspca.verify(cert, problem.cov)


@SIGNS
@pytest.mark.parametrize("seed", range(4))
def test_a_core_of_features_speaks_for_all_of_them(seed, nonnegative, monkeypatch):
    budgets.of_live_parts(monkeypatch, most=8, features=1, relaxation=0.8, trees=0, closed=-1)
    rng = np.random.default_rng(seed)
    problem = (problems.spiked, problems.correlation, problems.few_samples, problems.many_samples)[seed % 4](rng, 10)
    attained = sum(problem.exact(x) for x in oracle.optima_of_parts(problem.A, 2, 2, nonnegative)[-1][1])
    cert = nnspca.certify_parts(problem.cov, 2, 2, nonnegative=nonnegative)
    for bound in cert.bounds:
        assert oracle.allows(bound.value, attained), bound.name
    nnspca.verify(cert, problem.cov)
    held = [bound for bound in cert.bounds if getattr(bound.ingredients, "features", None) is not None]
    for bound in held:
        proof = bound.ingredients
        assert len(proof.features) < 10
        for wrong in (
            replace(proof, limits=proof.limits * 2),
            replace(proof, limits=np.where(proof.features == proof.features[0], 0.0, proof.limits)),
            replace(proof, limits=proof.limits[:-1]),
            replace(proof, features=proof.features[::-1]),
            replace(proof, features=proof.features + 0.5),
            replace(proof, features=np.roll(proof.features, 1)),
            replace(proof, limits=None),
            replace(proof, M=proof.M * 0.9),
            replace(proof, tail=proof.tail * 0.9),
        ):
            forged = replace(bound, ingredients=wrong, value=bound.value * (1 - 1e-9))
            rejected(replace(cert, bounds=(forged,), upper=forged.value), problem.cov)


def test_whoever_stops_in_the_middle_of_a_step_has_the_bounds_made_by_then(pitprops, monkeypatch):
    """A step of many features runs in a thread, and is abandoned."""
    monkeypatch.setattr(pair_scaled, "LARGE", 1)
    monkeypatch.setattr(pair_scaled.Splitting, "advance", lambda self: time.sleep(0.5))
    parts, stopping = nnspca.decompose(pitprops, 2, 3, starts=0), threading.Event()
    threading.Timer(0.2, stopping.set).start()
    cert = nnspca.certify_parts(pitprops, 2, 3, parts, should_stop=stopping.is_set)
    assert cert.stopped
    assert {bound.name for bound in cert.bounds} == {"variances", "eigenvalues"}
    nnspca.verify(cert, pitprops)


def test_more_parts_than_a_core_has_features_keep_the_bounds_made_before(monkeypatch):
    budgets.of_live_parts(monkeypatch, most=260, features=60, relaxation=0.5)
    X = np.zeros((6, 340))
    X[:, :40] = np.random.default_rng(0).standard_normal((6, 40)) * np.linspace(1, 3, 40)
    cov = nnspca.Covariance.from_data(X)
    cert = nnspca.certify_parts(cov, 190, 2, nnspca.decompose(cov, 190, 2, starts=0))
    assert cert.upper >= cert.lower
    nnspca.verify(cert, cov)


@pytest.mark.slow
def test_given_parts_are_what_is_certified(pitprops, monkeypatch):
    greedy = nnspca.decompose(pitprops, 3, 4)
    cert = nnspca.certify_parts(pitprops, 3, 4, greedy)
    assert cert.lower == pytest.approx(greedy.variances.sum())
    assert 7.1286 <= cert.upper <= 7.14
    nnspca.verify(cert, pitprops)
    budgets.brief(monkeypatch)
    assert nnspca.certify_parts(pitprops, 3, 4, greedy.parts[:2]).lower < cert.lower


@pytest.mark.slow
def test_a_neighbours_certificate_is_a_good_start(pitprops, short):
    near = nnspca.certify_parts(pitprops, 3, 3)
    for r, k in ((3, 4), (2, 3), (4, 3)):
        cert = nnspca.certify_parts(pitprops, r, k, warm_start=near)
        assert cert.ratio >= 0.985
        nnspca.verify(cert, pitprops)
    other = nnspca.Covariance.from_matrix(pitprops.matrix * 2)
    with pytest.raises(ValueError, match="warm_start"):
        nnspca.certify_parts(other, 2, 3, warm_start=near)


def test_upper_bounds_fall_while_it_runs(pitprops, brief):
    told = []
    cert = nnspca.certify_parts(pitprops, 3, 4, on_progress=told.append)
    uppers = [p.upper for p in told if p.upper is not None]
    assert uppers == sorted(uppers, reverse=True)
    assert uppers[-1] == cert.upper


def test_parts_that_do_not_fit_are_refused(pitprops):
    parts = nnspca.decompose(pitprops, 2, 3).parts
    for wrong, words in (
        ((), "0 parts"),
        ((*parts, parts[0]), "3 parts"),
        ((parts[0], parts[0]), "shares feature"),
        ((replace(parts[0], loadings=-parts[0].loadings),), "below zero"),
        ((replace(parts[0], loadings=np.ones(3)),), r"shape \(3,\); it must be 13"),
        ((replace(parts[0], loadings=np.full(13, NAN)),), "must be finite numbers"),
    ):
        with pytest.raises(ValueError, match=words):
            nnspca.certify_parts(pitprops, 2, 3, wrong)
    with pytest.raises(ValueError, match="more than k = 2"):
        nnspca.certify_parts(pitprops, 2, 2, parts)
    with pytest.raises(ValueError, match="effort='much'"):
        nnspca.certify_parts(pitprops, 2, 3, effort="much")


# ---------------------------------------------------------------------- the judge


@pytest.fixture(scope="module")
def cert(pitprops):
    with pytest.MonkeyPatch.context() as patch:
        made_brief(patch)
        made = nnspca.certify_parts(pitprops, 2, 4)
    single = nnspca.certify(pitprops, 4)
    each = nnspca.Bound("each", 2 * single.upper * (1 + 1e-15), ingredients=EachProof(single.winner.ingredients))
    return replace(made, bounds=(*(b for b in made.bounds if b.name != "each"), each))


def with_bound(cert, name, **changes):
    """One bound alone, changed."""
    bound = altered(cert.bound(name), **changes)
    return replace(cert, bounds=(bound,), upper=bound.value)


def spoiled(array, value, where=(0, 1)):
    out = np.array(array, dtype=float)
    out[where[: out.ndim]] = value
    return out


NAMES = list(nnspca.bounds.registry.PARTS_BOUNDS)


def test_the_honest_certificate_passes_and_holds_every_bound(cert, pitprops):
    nnspca.verify(cert, pitprops)
    assert {b.name for b in cert.bounds} == set(NAMES)
    for name in NAMES:
        nnspca.verify(with_bound(cert, name), pitprops)


def test_another_number_of_parts_is_refused(cert, pitprops):
    """Fields that a certificate of one component has, too: ``tests/certificates/test_judge.py``."""
    for value in (0, 14, -1, 1, 3, 2.5, True, NAN, None, "2"):
        rejected(replace(cert, n_components=value), pitprops)
    for field in ("upper", "lower", "k", "nonnegative"):
        rejected(replace(cert, **{field: NAN}), pitprops)


@pytest.mark.parametrize("share", [1e-6, 1e-9, 1e-13])
def test_a_bound_moved_by_any_share_is_refused(cert, pitprops, share):
    assert "below the least proven one" in rejected(replace(cert, upper=cert.upper * (1 - share)), pitprops)
    if share > 1e-13:
        for sign in (1, -1):
            assert "the parts attain" in rejected(replace(cert, lower=cert.lower * (1 + sign * 10 * share)), pitprops)
        for name in NAMES:
            lower = with_bound(cert, name, value=cert.bound(name).value * (1 - share))
            assert f"bound '{name}' claims" in rejected(lower, pitprops)


def test_the_sign_flag_cannot_be_turned_over(cert, pitprops, brief):
    rejected(with_bound(replace(cert, nonnegative=False), "joint-dual"), pitprops)
    signed = nnspca.certify_parts(pitprops, 2, 4, nonnegative=False)
    nnspca.verify(signed, pitprops)
    rejected(replace(signed, nonnegative=True), pitprops)


@pytest.mark.parametrize("value", [NAN, INF, -0.1])
def test_changed_loadings_are_refused(cert, pitprops, value):
    x = spoiled(cert.parts[1].loadings, value, (int(cert.parts[1].support[0]),))
    rejected(replace(cert, parts=(cert.parts[0], replace(cert.parts[1], loadings=x))), pitprops)


def test_parts_that_are_not_disjoint_or_too_many_or_none_are_refused(cert, pitprops):
    first, second = cert.parts
    twice = replace(cert, parts=(first, first), lower=2 * first.variance)
    assert "same feature" in rejected(twice, pitprops)
    assert "tuple of 1 to 2" in rejected(replace(cert, parts=(first, second, first)), pitprops)
    assert "tuple of 1 to 2" in rejected(replace(cert, parts=()), pitprops)
    assert "shape" in rejected(replace(cert, parts=(first, replace(second, loadings=second.loadings[:-1]))), pitprops)
    words = replace(second, loadings=np.array(["a"] * 13))
    rejected(replace(cert, parts=(first, words)), pitprops)
    rejected(replace(cert, parts=None), pitprops)
    assert "no deterministic bound" in rejected(replace(cert, bounds=()), pitprops)


STRANGE = (NAN, INF, -INF, None, "1", 1j, np.zeros((2, 2)), np.zeros((13, 13), dtype=complex), object())


@pytest.mark.parametrize("name", NAMES)
def test_a_bound_of_which_any_part_is_not_what_it_was_is_refused(cert, pitprops, name):
    """Its value, its proof, and whatever that holds: nothing, no number, another kind or shape, one wrong entry."""
    for value in (NAN, INF, -INF, 0.0):
        rejected(with_bound(cert, name, value=value), pitprops)
    for proof in (None, {}, "rows", ScaleProof(np.ones(13)), EachProof(None), CarriedProof(3, None)):
        rejected(with_bound(cert, name, ingredients=proof), pitprops)
    held = cert.bound(name).ingredients
    for part in [part for part in ("L", "M", "v", "V", "tail") if getattr(held, part, None) is not None]:
        entries = [spoiled(getattr(held, part), value, (0, 0)) for value in (NAN, INF, -INF) if part != "tail"]
        for changed in (*STRANGE, *entries):
            rejected(with_bound(cert, name, **{part: changed}), pitprops)


def test_a_bound_carried_from_another_k_proves_nothing_about_several_parts(cert, pitprops):
    for k in (3, 4, 5):
        taken = CarriedProof(k, cert.bound("joint-dual").ingredients)
        assert "several parts" in rejected(with_bound(cert, "joint-dual", ingredients=taken), pitprops)


@pytest.mark.parametrize("name", ["eigenvalues", "joint-dual"])
def test_a_lower_tail_and_a_smaller_low_rank_part_are_refused(cert, pitprops, name):
    """The bound lowered with the tail, as a forger would."""
    bound = cert.bound(name)
    for by in (0.1 * bound.value, 1e-4 * bound.value, 1e-8 * bound.value):
        lower = with_bound(cert, name, value=bound.value - 2 * by, tail=bound.ingredients.tail - by)
        assert "exceeds the claimed" in rejected(lower, pitprops)
    assert "exceeds the claimed" in rejected(with_bound(cert, name, V=bound.ingredients.V * 0.9), pitprops)
    rejected(with_bound(cert, name, V=bound.ingredients.V[:, :0]), pitprops)


def test_multipliers_that_do_not_fit_each_other_are_refused(cert, pitprops):
    proof = cert.bound("joint-dual").ingredients
    assert "below the square" in rejected(with_bound(cert, "joint-dual", M=proof.M * 0.9), pitprops)
    assert "a price is negative" in rejected(with_bound(cert, "joint-dual", v=spoiled(proof.v, -1.0)), pitprops)
    rejected(with_bound(cert, "joint-dual", L=proof.L - 0.01 * np.eye(13)), pitprops)


def test_a_leaf_of_the_tree_does_not_pass_for_the_whole(cert, pitprops):
    for leaf in cert.bound("joint-branch").ingredients.leaves:
        assert isinstance(leaf, PairProof)
        forged = with_bound(cert, "joint-dual", ingredients=leaf, value=cert.lower)
        rejected(forged, pitprops)


def test_a_certificate_survives_its_file(cert, pitprops):
    back = oracle.read_back(cert, pitprops)
    assert isinstance(back, nnspca.PartsCertificate)
    assert (back.lower, back.upper, back.k, back.n_components) == (cert.lower, cert.upper, 4, 2)
    assert (back.loadings == cert.loadings).all()
    assert [b.name for b in back.bounds] == [b.name for b in cert.bounds]
    assert back.ratio == cert.ratio == 1 - cert.gap
    with pytest.raises(KeyError, match="no bound 'magic'"):
        back.bound("magic")


@pytest.mark.parametrize("zero", [False, True])
def test_a_poor_part_of_a_factor_gets_a_certificate_that_its_judge_accepts(monkeypatch, zero):
    """Of one direction and a part that explains nothing, rows of the working set once had no limit for the others."""
    monkeypatch.setattr("nnspca.covariance.samples.DENSE_FEATURES", 1)
    X = np.outer([1.0, -1.0], np.random.default_rng(0).standard_normal(5))
    X[:, -1] *= not zero
    cov = nnspca.Covariance.from_data(X, standardize=False)
    assert not cov.held.holds_entries
    for place in (0, 4):
        part = nnspca.Component(np.eye(5)[place], float(cov.diagonal[place]), "given", 4)
        nnspca.verify(nnspca.certify_parts(cov, 2, 4, [part]), cov)


@pytest.mark.parametrize("effort", [np.str_("live"), np.str_("thorough")])
def test_an_effort_that_is_a_string_of_numpy_is_one_that_verifies(effort):
    cov = nnspca.Covariance.from_matrix(np.diag([3.0, 2.0, 1.0]) + 0.1)
    found = nnspca.decompose(cov, 2, 1, deflation="together", certify=effort)
    for certificate in (nnspca.certify_parts(cov, 2, 1, effort=effort), found.certificate):
        nnspca.verify(certificate, cov)
