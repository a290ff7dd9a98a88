"""Certificates in the app: every bound, the opened certificate, marks, and proofs that tighten."""

import dataclasses
import io
import itertools
import math
import re
import runpy
import sys
import threading

import numpy as np
import pytest

import nnspca
from nnspca import check
from nnspca.result import rounded
from nnspca.view import cache, say, stored
from nnspca.view.certificate import panels, proofs
from nnspca.view.certificate.proofs import FOLDER
from nnspca.view.explore import choices, work
from nnspca.view.jobs import Job
from nnspca.view.link.state import ANY_SIGN, AS_IS, NONNEGATIVE, STANDARDISED, State
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject
from nnspca.view.ui import downloads
from tests.ledger import shown
from tests.pages.conftest import job_of, jobs, redrawn, said_at, settle, subject, texts
from tests.pages.test_stored_ledger import FETCHED

pytestmark = pytest.mark.usefixtures("nothing_found")

DIAGONAL = Subject(nnspca.datasets.Dataset(name="x", X=np.eye(2)), State(k=1))
SHARE = "% of the total variance"


def digits(**more):
    return subject("digits", **{"k": 9} | more)


def upper_of(cert):
    """Return a certificate's upper bound as the page says it."""
    return rounded.number(cert.upper, up=True, telling=rounded.TELLING)


@pytest.fixture
def hasty(monkeypatch, nothing_stored):
    """Live certificates of the first three bounds only: valid, loose, and quickly tightened."""
    certify = nnspca.certify

    def loose(*args, **options):
        if options.get("effort", "live") == "live":
            options["on_progress"] = None  # which tells of all bounds
        cert = certify(*args, **options)
        few = cert.bounds[:3]
        upper = min(bound.value for bound in few)
        return dataclasses.replace(cert, bounds=few, upper=upper) if cert.effort == "live" else cert

    monkeypatch.setattr(nnspca, "certify", loose)
    monkeypatch.setattr(sys.modules["nnspca.tasks._sweep"], "certify_one", loose)


def test_the_reader_is_never_told_less_than_the_upper_bound():
    cert = nnspca.certify(nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.00001]]), 1)
    said = panels.claim(cert, DIAGONAL)
    above, found = map(float, re.findall(r"\*\*([\d.]+)\*\*", said)[:2])
    assert above >= cert.upper and found <= cert.lower
    assert "optimal" in said and "%" not in said  # a percentage, rounded the other way, would contradict it


def test_the_opened_certificate_says_what_by_which_bound_and_why_and_a_closed_one_stays_out_of_the_way(open_page):
    page = open_page("pages/explore.py", data="digits", k=9)
    claim = panels.claim(digits().known_at(), digits())
    assert claim not in texts(page)
    page.session_state["proof"] = True
    page = settle(redrawn(page).button(key="start-prove").click().run())  # nothing was run for what is stored
    cert, said = proofs.certificate_at(digits(), 9), texts(page)
    assert claim in said and upper_of(cert) in said and nnspca.BOUNDS[cert.winner.name].argument in said
    (table,) = [d.value for d in page.dataframe if "Upper bound" in d.value.columns]
    assert len(table) == len(cert.bounds)
    assert table["Upper bound"][0].startswith(say.title(cert.winner.name))
    assert [i for i, name in enumerate(table["Upper bound"]) if "←" in name] == [0]
    assert list(table[SHARE]) == sorted(table[SHARE], key=float)
    name = f"digits-k9-ratio-{rounded.floor(cert.ratio, 4):g}-certificate.npz"
    assert any(f"check.py {name} digits.npy" in code.value for code in page.code)
    page.button(key="start-verify-explore").click().run()  # by the second route
    assert any("Confirmed" in element.value for element in settle(page).success)


def test_a_certificate_that_is_looser_than_what_is_stored_shows_no_second_number(open_page, hasty, nothing_stored):
    about = digits()
    cert = proofs.prove(about, Job("certificate"))
    nothing_stored.record(about.problem, 9, cert.component, cert.lower * 1.00005, stored=True)
    said = texts(settle(open_page("pages/explore.py", data="digits", k=9, proof=True)))
    assert panels.claim(about.known_at(), about) in said and upper_of(cert) not in said


def test_a_longer_proof_comes_down_and_outlives_the_session(open_page, hasty):
    page = settle(open_page("pages/explore.py", data="digits", k=4, proof=True))
    live = proofs.certificate_at(digits(), 4)
    assert rounded.gap(live.lower, live.upper) in page.button(key="start-tighten").help  # what can be gained at most
    page.button(key="start-tighten").click().run()
    page = settle(page)
    (fall,) = job_of(page, "tighten").results
    assert fall.after.upper < fall.before.upper == live.upper
    nnspca.verify(fall.after, digits().cov)
    assert proofs.gain_in_words(fall, digits().total) in [element.value for element in page.success]
    lower, upper = fall.after.lower, fall.after.upper
    assert f"{rounded.proven_share(lower, upper)}" in said_at(page, 4) or rounded.optimal(lower, upper)
    other = settle(open_page("pages/explore.py", data="digits", k=4, proof=True))
    assert upper_of(fall.after) in texts(other) and said_at(other, 4) == said_at(page, 4)


def test_a_longer_proof_looks_for_a_better_component_first_and_lowers_the_band_at_once(nothing_stored):
    about, cov = digits(), digits().cov
    poor, job, seen = nnspca.solve(cov, 9, "thresholding"), Job("tighten"), []
    before = nnspca.certify(cov, 9, component=poor)
    assert before.lower == poor.variance
    report = job.report
    job.report = lambda progress: (report(progress), seen.append((progress.upper, about.known_at().upper)))
    proofs.keep_best(before, about)
    threading.Timer(1.0, job.stop).start()
    job.run(proofs.tighten_task(about).work)
    (fall,) = job.results
    assert seen and all(upper is None or at <= upper for upper, at in seen)
    assert fall.after.component.variance == fall.after.lower > poor.variance
    nnspca.verify(fall.after, cov)


def test_a_run_that_stays_above_the_stored_bound_is_told_beside_that_bound(nothing_stored):
    about, cov, job = digits(), digits().cov, Job("tighten")
    live = nnspca.certify(cov, 9, time_limit=1e-6)
    stored = nnspca.certify(cov, 9).upper
    nothing_stored.record(about.problem, 9, live.component, stored, stored=True)
    proofs.keep_best(live, about)
    job.stop()
    fall = proofs.tighten_task(about).work(job)
    assert fall.after.upper > stored == about.known_at().upper
    total, shown = about.total, rounded.decimals(live.lower, stored, about.total)
    most, own = (rounded.percent(upper / total, shown, up=True) for upper in (stored, fall.after.upper))
    assert f"maximum is {most}" in say.nearness(about.known_at().lower, stored, total) or about.known_at().optimal
    slow = dataclasses.replace(fall, seconds=10.0, begun=3 * fall.after.upper - 2 * stored)
    assert slow.missing == pytest.approx(5.0) and math.isinf(fall.missing)  # as fast as it fell; this one did not fall
    assert all(number in proofs.gain_in_words(slow, total) for number in (most, own, rounded.seconds(5.0)))


def test_of_two_certificates_the_tighter_one_is_kept():
    about, cov = digits(), digits().cov
    cert, poor = nnspca.certify(cov, 9), nnspca.solve(cov, 9, "thresholding")
    few = dataclasses.replace(cert, bounds=cert.bounds[:2], upper=min(b.value for b in cert.bounds[:2]))
    loose = dataclasses.replace(cert, lower=poor.variance, component=poor)
    for pair in (pair for other in (few, loose) for pair in itertools.permutations((cert, other))):
        cache.results.clear()
        assert [proofs.keep_best(one, about) for one in pair][1] is proofs.certificate_at(about, 9) is cert


@pytest.mark.parametrize("method", ["em", "pca"])
def test_what_another_solver_finds_never_becomes_the_certificates_own(method, nothing_stored):
    about, job = digits(sign=ANY_SIGN), Job("other")
    work.task(about, choices.Choices(method, (), (method,), (9,))).work(job)
    part, certificate = job.result, proofs.certificate_at(about, 9)
    assert part.method == method
    assert certificate.component is not part and certificate.lower <= certificate.upper
    if method == "pca":  # all features at once: no component of the problem, and so none of the ledger's
        assert part.variance > certificate.upper >= about.known_at().lower


@pytest.mark.parametrize("standardise", [False, True])
@pytest.mark.parametrize("nonnegative", [False, True])
def test_the_downloaded_certificate_and_script_check_it_elsewhere_and_refuse_a_forged_one(
    tmp_path, monkeypatch, capsys, standardise, nonnegative
):
    scale, sign = STANDARDISED if standardise else AS_IS, NONNEGATIVE if nonnegative else ANY_SIGN
    about = digits(k=3, scale=scale, sign=sign)
    cov, cert = about.cov, nnspca.certify(about.cov, 3, nonnegative=nonnegative)
    content = panels.certificate_npz(cert, about)
    (tmp_path / "kept.npz").write_bytes(content)
    code = downloads.program("certificate", about.now, file=repr("kept.npz"))
    (tmp_path / "check.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    runpy.run_path("check.py")
    said = capsys.readouterr().out
    assert f"{cert.lower:.9g}" in said and f"{cert.upper:.9g}" in said
    # the stand-alone checker takes the same file, and the data's beside it
    _, upper_bound = check.check(content, panels.data_npy(about.data, cov), say=lambda line: None)
    assert float(upper_bound) == cert.upper
    assert "certificate" in np.load(io.BytesIO(content), allow_pickle=False).files
    forged = dataclasses.replace(cert, upper=cert.lower * (1 - 1e-3))
    (tmp_path / "kept.npz").write_bytes(panels.certificate_npz(forged, about))
    with pytest.raises(nnspca.CertificateError):
        runpy.run_path("check.py")


SHOWN = [pytest.param(*one, marks=pytest.mark.real_data if one[0] in FETCHED else ()) for one in dict.fromkeys(shown())]


def subject_of(name, standardise, k):
    if not catalogue.infos()[name].local:
        pytest.skip(f"{name} is not on this machine")
    return subject(name, scale=STANDARDISED if standardise else AS_IS, k=k)


@pytest.mark.parametrize("name, standardise, k", SHOWN)
def test_the_certificate_of_what_is_shown_has_its_numbers_and_is_verified(name, standardise, k):
    about = subject_of(name, standardise, k)
    known, proof = about.known_at(), proofs.certificate_at(about, k)
    assert known.stored and proof.upper == known.upper and proof.lower == pytest.approx(known.lower, rel=1e-8)
    nnspca.verify(proof, about.cov)
    assert panels.claim(proof, about) == panels.claim(known, about)


def test_all_of_them_are_small():
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 4_000_000
    assert max(file.stat().st_size for file in FOLDER.iterdir()) < 1_500_000


def test_a_stored_certificate_is_opened_and_without_one_the_proof_says_its_day_and_is_made_on_request(open_page):
    for k in (16, 15):
        about = subject("digits", k=k)
        page = settle(open_page("pages/explore.py", data="digits", k=k, proof=True))
        assert not jobs(page) and panels.claim(about.known_at(), about) in texts(page)
    known = about.known_at()
    assert stored.problems()[about.problem].made(15).day in texts(page)
    settle(page.button(key="start-prove").click().run())
    proof = proofs.certificate_at(about, 15)
    assert proof.upper <= known.upper or (proof.ratio >= 1 - rounded.OPTIMAL and known.optimal)
    assert panels.claim(proof, about) in texts(redrawn(page))
