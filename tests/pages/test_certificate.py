"""Certificates in the app: every bound, the opened certificate, marks, and proofs that tighten."""

import dataclasses
import io
import re
import runpy
import sys
import time

import numpy as np
import pytest

import nnspca
from nnspca import check
from nnspca.view import cache, ledger, say
from nnspca.view.certificate import panels, proofs
from nnspca.view.explore import run
from nnspca.view.ledger import Ledger
from nnspca.view.link.state import ANY_SIGN, AS_IS, NONNEGATIVE, STANDARDISED, State
from nnspca.view.subject import Subject
from tests.pages.conftest import drawn, jobs, played, said_at, settle, texts, traces

EASY = {"data": "digits", "k": 2}  # closed within milliseconds
BOUNDS = {"proof": True, "proof_view": "bounds"}
OPEN = {"data": "lfw-faces", "k": 40}  # a proof of many seconds


def certificate_of(page):
    """Return the certificate the explore run of this session handed over."""
    (job,) = [job for job in jobs(page) if job.key[0] == "solve"]
    return run.latest(job)[1]


def upper_of(cert):
    """Return a certificate's upper bound as the page says it."""
    return say.number(cert.upper, up=True, telling=panels.TELLING)


def longer(page):
    """Return the session's longer proof."""
    (job,) = [job for job in jobs(page) if job.key[0] == "tighten"]
    return job


@pytest.fixture(autouse=True)
def no_proofs_from_other_tests():
    cache.results.clear()


@pytest.fixture
def nothing_stored(monkeypatch):
    """The ledger of a data set that no thorough run has seen."""
    book = Ledger()
    monkeypatch.setattr(ledger, "shared", lambda: book)
    ledger.shared.clear = book._accounts.clear
    return book


@pytest.fixture
def hasty(monkeypatch, nothing_stored):
    """Live certificates of the first three bounds only: valid, loose, and quickly tightened."""
    certify = nnspca.certify

    def loose(*args, **options):
        cert = certify(*args, **options)
        if cert.effort == "live":
            few = cert.bounds[:3]
            cert = dataclasses.replace(cert, bounds=few, upper=min(b.value for b in few))
        return cert

    monkeypatch.setattr(nnspca, "certify", loose)
    monkeypatch.setattr(sys.modules["nnspca.tasks._sweep"], "certify_one", loose)


@pytest.mark.parametrize("name", list(nnspca.BOUNDS))
def test_every_bound_is_explained_in_two_to_five_sentences(name):
    assert 2 <= nnspca.BOUNDS[name].argument.count(". ") + 1 <= 5


def test_the_reader_is_never_told_less_than_the_upper_bound():
    cert = nnspca.certify(nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.00001]]), 1)
    above, found = map(float, re.findall(r"\*\*([\d.]+)\*\*", panels.claim(cert, 2))[:2])
    assert above >= cert.upper and found <= cert.lower


def test_every_upper_bound_is_a_line_of_its_own_on_request(open_page):
    asked = {"data": "pitprops", "k": 4, "ks": "2, 5", **BOUNDS}
    plain = settle(open_page("pages/explore.py", **asked), path=True)
    titles = {info.title for info in nnspca.BOUNDS.values()}
    assert not titles & {t.get("name") for t in traces(plain)}
    page = settle(open_page("pages/explore.py", bounds=True, **asked), path=True)
    drawn = {t.get("name"): t for t in traces(page)}
    shown = {name for name in drawn if name in titles}
    assert {"First eigenvalue", "Balanced row sums", "Leading direction"} <= shown
    assert all(name in drawn[name]["hovertemplate"] for name in shown)


def test_the_toggle_of_every_upper_bound_holds_on_other_pages_and_in_the_link(open_page):
    page = settle(open_page(data="pitprops", bounds="true", proof="true", proof_view="bounds"))
    assert page.toggle(key="bounds").value is True
    page.switch_page("parts.py").run()
    page.switch_page("explore.py").run()
    assert page.toggle(key="bounds").value is True


def test_a_dot_marks_the_lowest_upper_bound_at_each_k(open_page):
    asked = {"data": "pitprops", "k": 4, "ks": "1, 4, 13", "bounds": True, **BOUNDS}
    page = settle(open_page("pages/explore.py", **asked), path=True)
    (race,) = [f for f in drawn(page) if "How near the best found" in f["layout"]["title"].get("text", "")]
    dots = {t["name"]: [k for k, size in zip(t["x"], t["marker"]["size"], strict=True) if size] for t in race["data"]}
    assert 1 in dots["Balanced row sums"]
    assert {k for ks in dots.values() for k in ks} == {1, 4, 13}
    assert not [name for name, ks in dots.items() if ks and "not proven" in name]


def test_the_opened_certificate_says_what_by_which_bound_and_why(open_page):
    page = settle(open_page("pages/explore.py", data="digits", k=9, proof=True))
    cert, said = certificate_of(page), texts(page)
    assert upper_of(cert) in said
    assert nnspca.BOUNDS[cert.winner.name].argument in said
    (table,) = [d.value for d in page.dataframe if "Upper bound" in d.value.columns]
    assert len(table) == len(cert.bounds)
    assert table["Upper bound"][0] == say.title(cert.winner.name) + " ← lowest proven"
    assert list(table["% of λ₁"]) == sorted(table["% of λ₁"], key=float)


def test_a_certificate_of_a_live_run_says_what_a_lower_upper_bound_known_says(open_page, hasty, nothing_stored):
    data, now = nnspca.datasets.load("digits"), State(data="digits", k=9)
    cov = nnspca.Covariance.from_dataset(data)
    cert = nnspca.certify(cov, 9)
    nothing_stored.record(Subject(data, now).problem, 9, cert.component, cert.lower * 1.00005, stored=True)
    said = texts(settle(open_page("pages/explore.py", data="digits", k=9, proof=True)))
    assert "This certificate is from the live run: at least" in said
    assert "The stored proof is tighter: proven optimal." in said


def test_a_closed_certificate_stays_out_of_the_way_and_out_of_the_work(open_page):
    page = settle(open_page("pages/explore.py", data="digits", k=9))
    assert "What was proven" not in texts(page)


def test_a_closed_gap_is_told_as_proven_optimal(open_page):
    page = settle(open_page("pages/explore.py", proof=True, **EASY))
    assert "This is proven optimal, to 1 part in 10,000" in said_at(page, 2)
    assert played(page)["closed"].startswith("proven optimal at ")
    assert page.button(key="start-tighten").disabled


def test_a_solver_short_of_the_optimum_is_not_called_optimal(open_page):
    page = settle(open_page("pages/explore.py", method="thresholding", data="digits", k=9))
    assert "optimal" not in said_at(page, 9)
    about = Subject(nnspca.datasets.load("digits"), State(data="digits", k=9))
    shown = played(page)
    assert shown["shares"][shown["ks"].index(9)] <= about.at().lower / about.leading


def test_a_gap_counts_as_closed_where_the_best_is_proven_optimal_and_nowhere_else(open_page, hasty):
    page = settle(open_page("pages/explore.py", data="digits", k=5, ks="1, 5"), path=True)
    band = played(page)["band"]
    assert dict(zip(band["ks"], (gap < say.OPTIMAL for gap in band["gaps"]), strict=True)) == {1: True, 5: False}
    assert played(page)["closed"] == "proven optimal at 1 of 2 values of k"


def test_a_longer_proof_comes_down_and_outlives_the_session(open_page, hasty):
    page = settle(open_page("pages/explore.py", data="digits", k=4, proof=True))
    live = certificate_of(page)
    page.button(key="start-tighten").click().run()
    page = settle(page)
    (fall,) = longer(page).arrived
    assert fall.after.upper < fall.before.upper == live.upper
    data = nnspca.datasets.load("digits")
    nnspca.verify(fall.after, nnspca.Covariance.from_dataset(data))
    assert panels.brought(fall.before, fall.after, fall.seconds)[:20] in "\n".join(e.value for e in page.success)
    assert said_at(page, 4).endswith(f"{say.proven_share(fall.after.ratio)}.") or fall.after.ratio > 1 - say.OPTIMAL
    other = settle(open_page("pages/explore.py", data="digits", k=4, proof=True))
    assert upper_of(fall.after) in texts(other)
    assert said_at(other, 4) == said_at(page, 4)


def test_a_longer_proof_lowers_the_bound_as_it_goes_and_stop_keeps_it(open_page, short_proofs, nothing_stored):
    page = settle(open_page("pages/explore.py", proof=True, **OPEN))
    live = certificate_of(page)
    page.button(key="start-tighten").click().run()
    job = longer(page)
    deadline = time.monotonic() + 60
    problem = (nnspca.datasets.load(OPEN["data"]).content_hash, True, True)
    while nothing_stored.at(problem, OPEN["k"], 0.0).upper >= live.upper:
        assert not job.done
        assert time.monotonic() < deadline, job.progress
        time.sleep(0.05)
    page.run()
    page.button(key="stop-tighten").click().run()
    assert job.wait(5)
    page = settle(page)
    (fall,) = job.arrived
    assert fall.after.upper < live.upper
    assert upper_of(fall.after) in texts(page)


def test_every_k_is_tightened_widest_gap_first(open_page, hasty):
    asked = {"data": "digits", "k": 5, "ks": "1, 5, 10", "patience": 1, **BOUNDS}
    page = settle(open_page("pages/explore.py", **asked), path=True)
    band = played(page)["band"]
    before = dict(zip(band["ks"], band["gaps"], strict=True))
    left = sorted((k for k in before if before[k] >= say.OPTIMAL), key=before.get, reverse=True)
    assert set(left) == {5, 10}
    page.button(key="start-tighten-all").click().run()
    page = settle(page, path=True)
    falls = longer(page).arrived
    assert [fall.before.k for fall in falls] == left
    assert all(fall.after.upper <= fall.before.upper for fall in falls)
    band = played(page)["band"]
    after = dict(zip(band["ks"], band["gaps"], strict=True))
    assert all(after[k] <= before[k] for k in before)
    assert sum(after.values()) < sum(before.values())
    assert page.button(key="start-tighten-all").disabled == (max(band["gaps"]) < say.OPTIMAL)


def test_two_certificates_make_one_that_holds():
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("digits"))
    live = nnspca.certify(cov, 5)
    few = dataclasses.replace(live, bounds=live.bounds[:2], upper=min(b.value for b in live.bounds[:2]))
    for pair in ((live, few), (few, live)):
        both = proofs.joined(*pair)
        assert both.upper == live.upper
        assert len(both.bounds) == len(live.bounds)
        nnspca.verify(both, cov)


@pytest.mark.parametrize("standardise", [False, True])
@pytest.mark.parametrize("nonnegative", [False, True])
def test_the_downloaded_certificate_and_script_check_it_elsewhere(
    tmp_path, monkeypatch, capsys, standardise, nonnegative
):
    now = State(
        data="digits", k=3, scale=STANDARDISED if standardise else AS_IS, sign=NONNEGATIVE if nonnegative else ANY_SIGN
    )
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("digits"), standardize=standardise)
    cert = nnspca.certify(cov, 3, nonnegative=nonnegative)
    (tmp_path / "kept.npz").write_bytes(panels.certificate_npz(cert, cov))
    (tmp_path / "check.py").write_text(panels.verifier_code(now, "kept.npz", "component"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    runpy.run_path("check.py")
    said = capsys.readouterr().out
    # the stand-alone checker takes the same file, and the data's beside it
    content = (tmp_path / "kept.npz").read_bytes()
    _, upper_bound = check.check(content, panels.data_npy(nnspca.datasets.load("digits"), cov), say=lambda line: None)
    assert float(upper_bound) == cert.upper
    assert f"{cert.lower:.9g}" in said
    assert f"{cert.upper:.9g}" in said


def test_the_script_refuses_a_forged_certificate(tmp_path, monkeypatch):
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops"))
    cert = nnspca.certify(cov, 4)
    forged = dataclasses.replace(cert, upper=cert.lower * (1 - 1e-3))
    (tmp_path / "kept.npz").write_bytes(panels.certificate_npz(forged))
    (tmp_path / "check.py").write_text(panels.verifier_code(State(data="pitprops", k=4), "kept.npz", "component"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(nnspca.CertificateError):
        runpy.run_path("check.py")


def test_the_certificate_can_be_checked_by_the_second_route(open_page):
    page = settle(open_page("pages/explore.py", data="pitprops", k=4, proof=True))
    assert any("python check.py pitprops-k4-certificate.npz pitprops.npy" in code.value for code in page.code)
    page.button(key="start-verify-explore").click().run()
    assert any("Confirmed" in element.value for element in settle(page).success)


def test_a_certificate_file_opens_without_pickles():
    cert = nnspca.certify(nnspca.Covariance.from_matrix(np.eye(3)), 2)
    held = np.load(io.BytesIO(panels.certificate_npz(cert)), allow_pickle=False)
    assert "certificate" in held.files
