"""A longer proof: the quick answer first, and a gap that closes from both sides."""

import dataclasses
import re
import threading

import pytest

import nnspca
from nnspca.view import cache
from nnspca.view.certificate import panels, proofs
from nnspca.view.explore import run
from nnspca.view.explore.run import Solver
from nnspca.view.jobs import Job
from nnspca.view.link.state import ANY_SIGN, State
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject
from tests.pages.conftest import jobs, played, settle, texts

NOW = State(data="digits", k=9)


@pytest.fixture(autouse=True)
def nothing_known():
    cache.results.clear()


def digits():
    data = catalogue.dataset("digits")
    return data, Subject(data, NOW).cov


def test_a_longer_proof_looks_for_a_better_component_first_and_says_so():
    data, cov = digits()
    poor = nnspca.solve(cov, 9, "thresholding")
    before = nnspca.certify(cov, 9, component=poor)
    assert before.lower == poor.variance
    job = Job("tighten")
    proofs.keep(before, Subject(data, NOW))
    proofs.tightening("tighten", (9,), (9,), Subject(data, NOW)).make()(job)
    (fall,) = job.arrived
    assert fall.after.lower > poor.variance
    assert fall.after.component.variance == fall.after.lower
    nnspca.verify(fall.after, cov)
    assert "A better component was found: " in panels.brought(fall.before, fall.after, fall.seconds)
    assert "better component" not in panels.brought(fall.before, dataclasses.replace(fall.before), 1.0)


def test_of_two_certificates_the_better_component_is_kept():
    data, cov = digits()
    poor = nnspca.solve(cov, 9, "thresholding")
    cert = nnspca.certify(cov, 9)
    loose = dataclasses.replace(cert, lower=poor.variance, component=poor)
    assert cert.lower > poor.variance
    for first, second in ((cert, loose), (loose, cert)):
        cache.results.clear()
        proofs.keep(first, Subject(data, NOW))
        assert proofs.keep(second, Subject(data, NOW)).component is cert.component
    nnspca.verify(proofs.certificate_at(Subject(data, NOW), 9), cov)


def test_a_first_upper_bound_is_shown_at_once_and_nothing_is_built_on_it(open_page, monkeypatch):
    going, certify = threading.Event(), nnspca.certify

    def held_up(*args, **options):
        assert going.wait(60)
        return certify(*args, **options)

    monkeypatch.setattr(nnspca, "certify", held_up)
    page = open_page("pages/explore.py", data="digits", k=9, proof=True)
    (job,) = [job for job in jobs(page) if job.key[0] == "solve"]
    assert job.wait_for_first(60, 2)
    page.run()
    part, certificate = run.latest(job)
    assert certificate.stopped
    assert certificate.upper > part.variance
    assert re.fullmatch(r"Live: [\d.]+ % of λ₁ found in .+; computing the upper bound …", played(page)["live_says"])
    assert "What was proven." not in texts(page)
    going.set()
    page = settle(page)
    _, proof = run.latest(job)
    assert proof.upper < certificate.upper
    assert not proof.stopped
    assert re.fullmatch(
        r"Live: .+ found in .+, (at least [\d.]+ % of the optimum|proven optimal) in .+\.",
        played(page)["live_says"],
    )
    assert "What was proven." in texts(page)


@pytest.mark.parametrize("method", ["em", "pca"])
def test_what_another_solver_finds_never_becomes_the_certificates_own(method):
    now = dataclasses.replace(NOW, sign=ANY_SIGN)
    job = Job("other")
    run.ExploreJob(Subject(catalogue.dataset("digits"), now), Solver(method, ())).work(job)
    part, certificate = run.latest(job)
    assert len(job.arrived) == 2
    assert part.method == method
    assert certificate.component is not part
    assert certificate.lower <= certificate.upper
    if method == "pca":  # all features at once: no component of the problem, and so none of the ledger's
        assert part.variance > certificate.upper >= Subject(catalogue.dataset("digits"), now).at().lower
