"""Searching on: the quick answer first, better ones as they are met, and a gap that closes from both sides."""

import dataclasses
import threading

import numpy as np
import pytest

import nnspca
from nnspca.result import Certificate, Component
from nnspca.view.certificate import claims, proofs
from nnspca.view.explore import run
from nnspca.view.session import catalogue, store
from nnspca.view.session.job import Job
from nnspca.view.session.solver import Solver
from nnspca.view.session.state import ANY_SIGN, State
from tests.pages.conftest import jobs, settle, texts

pytestmark = pytest.mark.usefixtures("short_searches")

NOW = State(data="digits", k=9)


@pytest.fixture(autouse=True)
def nothing_known():
    store.results.clear()


def digits():
    data = catalogue.dataset("digits")
    return data, store.covariance(data, NOW)


def test_a_search_hands_over_the_quick_answer_and_its_proof_before_it_goes_on(monkeypatch):
    data, cov = digits()
    solve, asked = nnspca.solve, []

    def poor_first(cov, k, *args, **options):
        asked.append(options["search"])
        found = solve(cov, k, "best" if options["search"] else "thresholding", nonnegative=True)
        if on_found := options["on_found"]:
            on_found(np.asarray(found.loadings), found.variance)
        return dataclasses.replace(found, method="best")

    monkeypatch.setattr(nnspca, "solve", poor_first)
    job = Job("search")
    run._Way(data, NOW, Solver("best", (("search", 3),))).work(job)
    assert asked == [0, 3]
    quick, (early, _), (proof, _), *better = job.arrived
    assert early.stopped
    assert early.upper >= proof.upper
    assert proof.lower >= quick.variance
    assert [c.variance for c in better] == sorted(c.variance for c in better)
    part, certificate, _ = run.arrived(job)
    assert part.variance == max(c.variance for c in better) > quick.variance
    assert certificate.lower >= part.variance
    assert certificate.upper == proof.upper
    nnspca.verify(certificate, cov)
    again = Job("again")
    run._Way(data, NOW, Solver("best", (("search", 3),))).work(again)
    assert asked == [0, 3]  # what the search found is kept
    assert run.arrived(again)[0].variance == part.variance


def test_a_longer_proof_looks_for_a_better_component_first_and_says_so():
    data, cov = digits()
    poor = nnspca.solve(cov, 9, "thresholding")
    before = nnspca.certify(cov, 9, component=poor)
    assert before.lower == poor.variance
    job = Job("tighten")
    proofs.tighten(before, data, NOW)(job)
    (fall,) = job.arrived
    assert fall.after.lower > poor.variance
    assert fall.after.component.variance == fall.after.lower
    nnspca.verify(fall.after, cov)
    assert "Searching on met a better component: " in claims.fallen(fall.before, fall.after, fall.seconds)
    assert "better component" not in claims.fallen(fall.before, dataclasses.replace(fall.before), 1.0)


def test_only_what_best_found_is_replaced_by_a_better_one():
    _, cov = digits()
    poor = nnspca.solve(cov, 9, "thresholding")
    cert = nnspca.certify(cov, 9)
    assert isinstance(cert, Certificate)
    assert cert.lower > poor.variance
    assert proofs.better_of(poor, cert) is poor
    best: Component = dataclasses.replace(poor, method="best")
    assert proofs.better_of(best, cert) is cert.component
    assert proofs.better_of(best, None) is best
    assert proofs.attained(cert, poor) is cert


def test_a_first_ceiling_is_shown_at_once_and_nothing_is_built_on_it(open_page, monkeypatch):
    going, certify = threading.Event(), nnspca.certify

    def held_up(*args, **options):
        assert going.wait(60)
        return certify(*args, **options)

    monkeypatch.setattr(nnspca, "certify", held_up)
    page = open_page("pages/explore.py", data="digits", k=9, certificate=True)
    (job,) = [job for job in jobs(page) if job.key[0] == "solve"]
    assert job.wait_for_first(60, 2)
    page.run()
    part, early, _ = run.arrived(job)
    assert early.stopped
    assert early.upper > part.variance
    assert "What was proven." not in texts(page)
    going.set()
    page = settle(page)
    proof = run.arrived(job)[1]
    assert proof.upper < early.upper
    assert not proof.stopped
    assert "What was proven." in texts(page)


@pytest.mark.parametrize("method", ["em", "pca"])
def test_what_another_solver_finds_never_becomes_the_certificates_own(method):
    now = dataclasses.replace(NOW, sign=ANY_SIGN)
    job = Job("other")
    run._Way(catalogue.dataset("digits"), now, Solver(method, ())).work(job)
    part, certificate, _ = run.arrived(job)
    assert len(job.arrived) == 2
    assert part.method == method
    assert certificate.component is not part
    assert certificate.lower <= certificate.upper
    assert method != "pca" or part.variance > certificate.upper  # all features at once
