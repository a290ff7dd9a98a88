"""Certificates in the app: every ceiling, the opened certificate, marks, and proofs that tighten."""

import dataclasses
import io
import runpy
import sys
import time

import numpy as np
import pytest

import nnspca
from nnspca import check
from nnspca.view import words
from nnspca.view.certificate import claims, panels, proofs
from nnspca.view.explore import run
from nnspca.view.session import store
from nnspca.view.session.job import Job
from nnspca.view.session.state import ANY_SIGN, AS_IS, NONNEGATIVE, STANDARDISED, State
from tests.pages.conftest import jobs, settle, texts
from tests.pages.test_pages import figures, traces

pytestmark = pytest.mark.usefixtures("short_searches")

EASY = {"data": "digits", "k": 2}  # closed within milliseconds
OPEN = {"data": "lfw-faces", "k": 40}  # a proof of many seconds


def certificate_of(page):
    """Return the certificate the explore run of this session handed over."""
    (job,) = [job for job in jobs(page) if job.key[0] == "solve"]
    return run.arrived(job)[1]


def longer(page):
    """Return the session's longer proof."""
    (job,) = [job for job in jobs(page) if job.key[0] == "tighten"]
    return job


@pytest.fixture(autouse=True)
def no_proofs_from_other_tests():
    store.results.clear()


@pytest.fixture
def hasty(monkeypatch):
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


def test_the_reader_is_never_told_less_than_the_ceiling():
    cert = nnspca.certify(nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.00001]]), 1)
    said = claims.claim(cert, 2)
    assert "above **2.001**" in said
    assert float(words.number(2.00001, up=True)) >= 2.00001


@pytest.mark.parametrize("path", ["pages/explore.py", "pages/variance.py"])
def test_every_ceiling_is_a_line_of_its_own_on_request(open_page, path):
    params = {"ks": "2, 5"} if "variance" in path else {"closer": True}
    plain = settle(open_page(path, data="pitprops", k=4, **params))
    titles = {info.title for info in nnspca.BOUNDS.values()}
    assert not titles & {t.get("name") for t in traces(plain)}
    page = settle(open_page(path, data="pitprops", k=4, bounds=True, **params))
    drawn = {t.get("name"): t for t in traces(page)}
    shown = {name for name in drawn if name in titles}
    assert {"First eigenvalue", "Largest variances", "Row sums", "Balanced row sums"} <= shown
    assert all(name in drawn[name]["hovertemplate"] for name in shown)


def test_the_toggle_of_every_ceiling_holds_on_both_pages_and_in_the_link(open_page):
    page = settle(open_page(data="pitprops", bounds="true"))
    assert page.toggle(key="bounds").value is True
    page.switch_page("pages/variance.py").run()
    assert page.toggle(key="bounds").value is True


def test_a_dot_marks_the_lowest_ceiling_at_each_k(open_page):
    page = settle(open_page("pages/variance.py", data="pitprops", ks="1, 4, 13", bounds=True))
    (race,) = [f for f in figures(page) if "Who wins where" in f["layout"]["title"].get("text", "")]
    dots = {t["name"]: [k for k, size in zip(t["x"], t["marker"]["size"], strict=True) if size] for t in race["data"]}
    assert 1 in dots["Largest variances"]
    assert {k for ks in dots.values() for k in ks} == {1, 4, 13}
    assert not [name for name, ks in dots.items() if ks and "not proven" in name]


def test_the_opened_certificate_says_what_by_which_bound_and_why(open_page):
    page = settle(open_page("pages/explore.py", data="digits", k=9, certificate=True))
    cert, said = certificate_of(page), texts(page)
    assert words.number(cert.upper, up=True) in said
    assert nnspca.BOUNDS[cert.winner.name].argument in said
    (chance,) = [b.probability for b in cert.bounds if not b.deterministic]
    assert f"holds with probability {words.percent(chance, 2)}, not proven" in said
    (table,) = [d.value for d in page.dataframe if "Ceiling" in d.value.columns]
    assert len(table) == len(cert.bounds)
    assert table["Ceiling"][0] == words.title(cert.winner.name) + " ← lowest proven"
    assert list(table["÷ λ₁"]) == sorted(table["÷ λ₁"], key=float)
    assert set(table["Holds"]) == {"always (proven)", f"with probability {words.percent(chance, 2)}"}


def test_a_closed_certificate_stays_out_of_the_way_and_out_of_the_work(open_page):
    page = settle(open_page("pages/explore.py", data="digits", k=9))
    assert "What was proven" not in texts(page)


def test_a_closed_gap_is_told_as_proven_optimal(open_page):
    page = settle(open_page("pages/explore.py", closer=True, **EASY))
    assert "Proven optimal: no such component has more variance (to 1 part in 10,000)" in texts(page)
    assert not [b for b in page.button if b.key == "start-tighten"]


def test_a_solver_short_of_the_optimum_is_not_called_optimal(open_page):
    page = settle(open_page("pages/explore.py", method="thresholding", data="digits", k=9))
    assert "Proven optimal" not in texts(page)
    assert "A better one is known" in texts(page)


def test_proven_optima_and_no_others_wear_a_ring_on_the_curve(open_page, hasty):
    page = settle(open_page("pages/variance.py", data="digits", ks="1, 5", methods=["best"]))
    (ring,) = [t for t in traces(page) if str(t.get("name")).startswith("proven optimal")]
    assert list(ring["x"]) == [1]
    assert "open" in ring["marker"]["symbol"]


def test_a_longer_proof_comes_down_and_outlives_the_session(open_page, hasty):
    page = settle(open_page("pages/explore.py", data="digits", k=4, certificate=True))
    live = certificate_of(page)
    page.button(key="start-tighten").click().run()
    page = settle(page)
    (fall,) = longer(page).arrived
    assert fall.after.upper < fall.before.upper == live.upper
    data = nnspca.datasets.load("digits")
    nnspca.verify(fall.after, nnspca.Covariance.from_dataset(data))
    assert claims.fallen(fall.before, fall.after, fall.seconds)[:20] in "\n".join(e.value for e in page.success)
    other = settle(open_page("pages/explore.py", data="digits", k=4, certificate=True))
    assert words.number(fall.after.upper, up=True) in texts(other)


def test_stop_keeps_what_a_longer_proof_has_shown(open_page, short_proofs):
    page = settle(open_page("pages/explore.py", certificate=True, **OPEN))
    live = certificate_of(page)
    page.button(key="start-tighten").click().run()
    job = longer(page)
    deadline = time.monotonic() + 60
    while not job.done and not any(u is not None and u < live.upper for *_, u in job.trace):
        assert time.monotonic() < deadline, job.progress
        time.sleep(0.05)
    page.run()
    page.button(key="stop-tighten").click().run()
    assert job.wait(5)
    page = settle(page)
    (fall,) = job.arrived
    assert fall.after.upper < live.upper
    assert "Stopped. Every ceiling proven by then is kept." in texts(page)
    assert words.number(fall.after.upper, up=True) in texts(page)


def test_while_a_proof_tightens_the_ceiling_is_drawn_where_it_is(open_page):
    cert = nnspca.certify(nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops")), 4)
    cert = dataclasses.replace(cert, upper=1.2 * cert.lower)
    job = Job(("tighten",))
    job.about = 4
    middle = (cert.lower + cert.upper) / 2
    for upper in (cert.upper * 2, middle, cert.lower * 0.9):
        job.report(nnspca.Progress(0.5, "proving", cert.lower, upper))
        seen = proofs.falling(cert, job)
        assert cert.lower <= seen.upper <= cert.upper
    assert proofs.falling(cert, job).upper == cert.lower
    job.about = 5
    assert proofs.falling(cert, job) is cert


def test_the_curve_is_tightened_widest_gap_first(open_page, hasty):
    page = settle(open_page("pages/variance.py", data="digits", ks="1, 2, 5", methods=["best"], patience=1))
    (sweep,) = jobs(page)
    ratio = {p.k: p.certificate.ratio for p in sweep.arrived if p.certificate is not None}
    left = sorted((k for k, r in ratio.items() if r < 1 - proofs.PROVEN_OPTIMAL), key=ratio.get)
    assert len(left) == 2
    page.button(key="start-tighten-all").click().run()
    page = settle(page)
    falls = longer(page).arrived
    assert [fall.before.k for fall in falls] == left
    assert all(fall.after.upper <= fall.before.upper for fall in falls)
    assert "ceilings came down" in "\n".join(e.value for e in page.success)


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
    _, ceiling = check.check(content, panels.data_npy(nnspca.datasets.load("digits"), cov), say=lambda line: None)
    assert float(ceiling) == cert.upper
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
    page = settle(open_page("pages/explore.py", data="pitprops", k=4, certificate=True))
    assert any("python check.py pitprops-k4-certificate.npz pitprops.npy" in code.value for code in page.code)
    page.button(key="verify-explore").click().run()
    assert any("Confirmed" in element.value for element in settle(page).success)


def test_a_point_of_the_curve_has_its_certificate_too(open_page):
    page = settle(open_page("pages/variance.py", data="pitprops", ks="2, 5", point="5 · best", certificate=True))
    assert "What was proven" in texts(page)
    assert "at most 5 nonzero loadings" in texts(page)


def test_a_certificate_file_opens_without_pickles():
    cert = nnspca.certify(nnspca.Covariance.from_matrix(np.eye(3)), 2)
    held = np.load(io.BytesIO(panels.certificate_npz(cert)), allow_pickle=False)
    assert "certificate" in held.files


def test_every_loose_ceiling_of_a_curve_comes_down_and_wears_its_ring(open_page, hasty):
    page = settle(open_page("pages/variance.py", data="digits", ks="2, 4", methods=["best"]))
    assert not [t for t in traces(page) if str(t.get("name")).startswith("proven optimal")]
    page.button(key="start-tighten-all").click().run()
    page = settle(page)
    assert all(fall.after.upper < fall.before.upper for fall in longer(page).arrived)
    (ring,) = [t for t in traces(page) if str(t.get("name")).startswith("proven optimal")]
    assert list(ring["x"]) == [2, 4]
