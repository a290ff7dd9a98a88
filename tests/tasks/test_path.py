"""A path of k: coarse first, never falling, and certified like any sweep."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import nnspca
from nnspca.bounds import carried
from nnspca.certificates.proofs import CarriedProof
from nnspca.tasks._sweep import certify_path, coarse_first, path
from tests import budgets
from tests.bounds.test_carried import loosened
from tests.problems import DATA, MATRICES

WAYS = pytest.mark.parametrize("rest", [{}, {"anchors": 3}], ids=["plain", "anchors"])


def covariance(seed, m=30, n=14):
    return nnspca.Covariance.from_data(np.random.default_rng(seed).standard_normal((m, n)))


@pytest.mark.parametrize("ks", [range(1, 2), range(1, 3), range(3, 40), (1, 2, 4, 7, 13, 25, 48)])
def test_the_levels_hold_every_k_once_the_ends_first(ks):
    levels = coarse_first(ks)
    assert sorted(k for level in levels for k in level) == sorted(ks)
    assert set(levels[0]) == {min(ks), max(ks)}


@pytest.mark.parametrize(("seed", "nonnegative"), [(0, True), (1, False)])
@WAYS
def test_the_best_never_falls_as_k_grows_and_lies_below_every_upper_bound(seed, nonnegative, rest):
    cov = covariance(seed)
    bare = path(cov, range(1, 15), nonnegative=nonnegative, **rest)
    shares = [p.component.variance for p in bare.points]
    assert shares == sorted(shares)
    assert not bare.stopped
    done = certify_path(cov, bare, ks=(1, 5, 14))
    assert set(done.certificates) == {1, 5, 14}
    for k, certificate in done.certificates.items():
        nnspca.verify(certificate, cov)
        assert all(p.component.variance <= certificate.upper for p in done.points if p.k <= k)
    for p in bare.points:
        x = p.component.loadings
        assert np.count_nonzero(x) <= p.k
        assert abs(np.linalg.norm(x) - 1) < 1e-12
        assert not nonnegative or x.min() >= 0


def test_nobody_waits_for_the_end_of_a_level_who_could_work(monkeypatch):
    """EM begins with nothing that others have found: all of it is done while one search of ``best`` still goes on."""
    ended, late = [], threading.Event()

    def watch(info):
        def solver(problem, **options):
            if (problem.k, info.name) == (1, "best") and not late.wait(20):
                pytest.fail("EM waited for best")
            found = info.solver(problem, **options)
            ended.append((problem.k, info.name))
            if {(k, "em") for k in range(1, 15)} <= set(ended):
                late.set()
            return found

        monkeypatch.setitem(nnspca.METHODS, info.name, replace(info, solver=solver))

    for name in ("best", "em"):
        watch(nnspca.METHODS[name])
    bare = path(covariance(6), range(1, 15), ("best", "em"))
    assert len(bare.points) == 28
    assert not bare.stopped
    assert {at for at in ended[:14] if at[1] == "best"} <= {(14, "best")}  # the others begin with what it finds


def test_a_upper_bound_taken_over_can_be_taken_over_again():
    cov = nnspca.Covariance.from_data(np.random.default_rng(0).standard_normal((9, 8)))
    whole = {k: nnspca.certify(cov, k) for k in (2, 3, 4)}
    loose = {k: loosened(cert) for k, cert in whole.items()}
    first = dict(carried.improved_by_carried({3: loose[3], 4: whole[4]}, cov))
    assert first[3].winner.name == "larger-k"
    then = dict(carried.improved_by_carried({2: loose[2], 3: first[3], 4: whole[4]}, cov))
    assert then[2].winner.name == "larger-k"
    for cert in (first[3], *then.values()):
        nnspca.verify(cert, cov)


@WAYS
def test_a_path_goes_on_from_what_an_earlier_one_found(rest):
    cov, seen, fractions = covariance(7), {}, []

    def note(point):
        if not point.component.stopped:
            seen.setdefault((point.k, point.method), point.component)

    path(cov, range(1, 15), on_point=note, should_stop=lambda: len(seen) >= 5, **rest)
    before = dict(seen)
    assert 0 < len(before) < 14
    whole = path(cov, range(1, 15), **rest)
    again = path(
        cov,
        range(1, 15),
        known=lambda k, method: seen.get((k, method)),
        on_point=note,
        **rest,
        on_progress=lambda told: fractions.append(told.fraction),
    )
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1
    assert all(seen[at] is before[at] for at in before)
    for one, two in zip(whole.points, again.points, strict=True):
        assert np.array_equal(one.component.loadings, two.component.loadings)


def test_what_a_stopped_path_carries_over_is_no_finished_point(monkeypatch):
    """Or another run would go on from it, and end with less than it finds by itself."""
    cov, info = covariance(9), nnspca.METHODS["best"]

    def cut_short(problem, **options):
        found = info.solver(problem, **options)
        if problem.k == 1:
            return found
        x = np.zeros(cov.n_features)
        x[int(cov.diagonal.argmin())] = 1.0
        return replace(found, loadings=x, variance=cov.variance(x), stopped=True)

    monkeypatch.setitem(nnspca.METHODS, "best", replace(info, solver=cut_short))
    done = path(cov, (1, 14))
    assert [p.component.variance for p in done.points] == [done.points[0].component.variance] * 2
    assert [p.component.stopped for p in done.points] == [False, True]
    assert done.stopped


@pytest.mark.slow
@pytest.mark.parametrize("make", [MATRICES[0], DATA[0]])
@pytest.mark.parametrize("nonnegative", [True, False])
def test_a_k_whose_carried_bound_is_close_enough_gets_no_proof_of_its_own(make, nonnegative, monkeypatch):
    budgets.hurried(monkeypatch)
    problem = make(np.random.default_rng(0), 9)
    bare = path(problem.cov, range(1, 10), nonnegative=nonnegative)
    done = certify_path(problem.cov, bare, within=0.2)
    with ThreadPoolExecutor(3) as pool:
        there = certify_path(problem.cov, bare, within=0.2, executor=pool)
    assert {k: c.upper for k, c in there.certificates.items()} == {k: c.upper for k, c in done.certificates.items()}
    assert set(done.certificates) == set(range(1, 10))
    for k, certificate in done.certificates.items():
        nnspca.verify(certificate, problem.cov)
        assert certificate.upper >= problem.attained(k, nonnegative)
    carried = [one for one in done.certificates.values() if isinstance(one.bounds[-1].ingredients, CarriedProof)]
    assert carried
    for certificate in carried:
        assert certificate.upper <= certificate.lower * 1.2
        assert certificate.bounds[-1].ingredients.k != certificate.k


def test_without_a_tolerance_every_k_gets_a_proof_of_its_own():
    cov = nnspca.Covariance.from_matrix(np.eye(9))

    def own(**more):
        found = certify_path(cov, path(cov, range(1, 10)), **more).certificates.items()
        return [k for k, cert in found if not any(isinstance(b.ingredients, CarriedProof) for b in cert.bounds)]

    assert own() == list(range(1, 10))
    assert own(within=1e-9) == [1, 9]
