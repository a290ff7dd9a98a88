"""The Explore page: one number for one problem, live runs that read nothing stored, and curves of other solvers."""

import threading
import time

import numpy as np
import pytest

import nnspca
from nnspca.view import cache, ledger, say, subject, tasks
from nnspca.view.certificate import proofs
from nnspca.view.explore import run, stage
from nnspca.view.ledger import Ledger
from nnspca.view.link.state import STANDARDISED, State
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject
from tests.pages.conftest import played, said_at, settle

FACES = {"data": "lfw-faces", "k": 40, "scale": STANDARDISED}  # whose thorough runs come with the package


@pytest.fixture(autouse=True)
def nothing_found_by_other_tests():
    cache.results.clear()


@pytest.fixture
def empty(monkeypatch):
    """A ledger without what comes with the package."""
    book = Ledger()
    monkeypatch.setattr(ledger, "shared", lambda: book)
    ledger.shared.clear = book._accounts.clear
    return book


def pitprops(k=4):
    return catalogue.dataset("pitprops"), State(data="pitprops", k=k)


def live_of(page):
    """Return what the live runs found, without how long they took."""
    return played(settle(page, path=True))["live"]


def test_sentence_and_chart_say_the_ledgers_number_at_each_k(open_page):
    page = settle(open_page("pages/explore.py", data="pitprops", k=4, ks="2, 6, 9"), path=True)
    shown, (data, now) = played(page), pitprops()
    rows, unit = Subject(data, now).along(shown["ks"]), Subject(data, now).leading
    for at, k in enumerate(shown["ks"]):
        assert say.proven_share(rows[k].ratio) in shown["says"][at]
        assert f"{say.at_least(100 * rows[k].lower / unit, 1)} % of λ₁" in shown["says"][at]
        assert shown["shares"][at] <= rows[k].lower / unit <= shown["shares"][at] + 1e-6
        band = shown["band"]
        assert band["gaps"][band["ks"].index(k)] == shown["gaps"][at] >= 1 - rows[k].ratio - 1e-12


def test_the_first_picture_has_its_whole_band_before_anything_has_run(open_page, monkeypatch):
    going, solve = threading.Event(), nnspca.solve
    monkeypatch.setattr(nnspca, "solve", lambda *given, **more: going.wait(60) and solve(*given, **more))
    page = open_page("pages/explore.py", **FACES, ks="10, 40, 80")
    shown = played(page)
    going.set()
    assert shown["live"]["ks"] == []
    assert shown["band"]["ks"] == [10, 40, 80]
    assert shown["band"]["proven"] == [True, True, True]
    assert shown["band"]["stored"]
    assert said_at(page, 40).count("(stored proof)") == 1


def test_the_live_line_says_live_and_has_the_live_runs_own_numbers():
    part = nnspca.solve(nnspca.Covariance.from_matrix(np.diag([3.0, 2.0])), 1)
    proof = nnspca.certify(nnspca.Covariance.from_matrix(np.diag([3.0, 2.0])), 1)
    assert stage.live(None, None, 4.0, done=False) == "Live: solving …"
    assert stage.live(None, None, 4.0, done=True) == ""
    said = stage.live(part, None, 4.0, done=False)
    assert said.startswith("Live: 75.0 % of λ₁ found in ") and said.endswith("; computing the upper bound …")
    assert stage.live(part, proof, 4.0, done=True).startswith("Live: 75.0 % of λ₁ found in ")
    assert ", proven optimal in " in stage.live(part, proof, 4.0, done=True)


def test_live_runs_read_nothing_that_is_stored(open_page, empty):
    asked = {"data": "pitprops", "k": 4, "ks": "2, 4, 9"}
    plain = live_of(open_page("pages/explore.py", **asked))
    cache.results.clear()
    empty._accounts.clear()
    data, now = pitprops()
    one = np.zeros(13)
    one[0] = 1.0
    for k in range(1, 14):  # what no run finds: too little variance, and too low an upper bound
        poor = nnspca.result.Component(one, 1e-6, "best", k)
        empty.record(Subject(data, now).problem, k, poor, 1e-3, stored=True)
    page = open_page("pages/explore.py", **asked)
    assert live_of(page) == plain
    assert min(played(page)["band"]["upper"]) < min(plain["upper"])


def test_solve_live_starts_from_nothing_and_the_ledger_stays(open_page, monkeypatch):
    page = settle(open_page("pages/explore.py", data="pitprops", k=4, ks="2, 4, 9", methods=["best", "em"]), path=True)
    data, now = pitprops()
    before, rows = played(page), Subject(data, now).along((2, 4, 9))
    asked, solved = [], []
    path, certify_path, solve = subject.path, subject.certify_path, nnspca.solve

    def watched(cov, ks, **more):
        asked.extend(more["known"](k, name) for k in ks for name in more.get("methods", ("best",)))
        return path(cov, ks, **more)

    def proven(*given, ks=None, known=None, **more):
        asked.extend(known(k) for k in ks)
        return certify_path(*given, ks=ks, known=known, **more)

    monkeypatch.setattr(subject, "path", watched)
    monkeypatch.setattr(subject, "certify_path", proven)
    monkeypatch.setattr(nnspca, "solve", lambda *given, **more: solved.append(given) or solve(*given, **more))
    page.button(key="start-explore").click().run()
    assert played(page)["says"] == before["says"]  # while it runs: what is known stays known
    page = settle(page, path=True)
    assert solved
    assert len(asked) > 6
    assert not any(asked)
    assert Subject(data, now).along((2, 4, 9)).keys() == rows.keys()
    assert all(Subject(data, now).at(k).lower >= rows[k].lower for k in rows)
    assert played(page)["live"] == before["live"]


def test_what_another_visit_has_found_is_not_sought_again_until_solve_live(open_page, monkeypatch):
    settle(open_page("pages/explore.py", data="pitprops", k=4, ks="2, 4, 9"), path=True)
    sought, solve = [], nnspca.solve
    monkeypatch.setattr(nnspca, "solve", lambda *given, **more: sought.append(given) or solve(*given, **more))
    page = settle(open_page("pages/explore.py", data="pitprops", k=4, ks="2, 4, 9"), path=True)
    assert played(page)["live_says"].startswith("Live: ")
    assert not sought


def test_other_solvers_have_a_curve_each_with_gaps_where_a_bound_is_proven(open_page):
    asked = {"data": "pitprops", "k": 4, "ks": "2, 4, 9", "methods": ["best", "em", "thresholding"]}
    shown = played(settle(open_page("pages/explore.py", **asked), path=True))
    band = shown["band"]
    proven = dict(zip(band["ks"], band["proven"], strict=True))
    upper = dict(zip(band["ks"], band["upper"], strict=True))
    lower = dict(zip(band["ks"], band["lower"], strict=True))
    assert [(curve["method"], curve["title"], curve["ks"]) for curve in shown["curves"]] == [
        ("em", "EM", [2, 4, 9]),
        ("thresholding", "Thresholded PCA", [2, 4, 9]),
    ]
    for curve in shown["curves"]:
        for k, share, gap in zip(curve["ks"], curve["shares"], curve["gaps"], strict=True):
            assert share <= lower[k] + 1e-6 <= upper[k] + 2e-6
            assert (gap is None) == (not proven[k])


def test_another_solver_takes_the_picture_and_the_best_known_keeps_the_band(open_page):
    asked = {"data": "digits", "k": 9, "ks": "4, 9, 20", "methods": ["best"], "method": "thresholding"}
    shown = played(settle(open_page("pages/explore.py", **asked), path=True))
    assert shown["ks"] == [4, 9, 20]
    lower = dict(zip(shown["band"]["ks"], shown["band"]["lower"], strict=True))
    assert all(share <= lower[k] for k, share in zip(shown["ks"], shown["shares"], strict=True))
    assert any(share < lower[k] - 1e-6 for k, share in zip(shown["ks"], shown["shares"], strict=True))
    assert [curve["method"] for curve in shown["curves"]] == ["thresholding"]


def test_a_component_that_breaks_the_rules_is_shown_for_contrast_and_proves_nothing(open_page):
    page = settle(open_page("pages/explore.py", data="pitprops", k=4, ks="4", method="pca", sign="any sign"), path=True)
    assert said_at(page, 4).endswith("Shown for contrast: it does not satisfy the limit k = 4.")
    data = catalogue.dataset("pitprops")
    now = State(data="pitprops", k=4, sign="any sign")
    assert Subject(data, now).at().component.cardinality <= 4


def test_values_of_k_are_those_typed_and_the_k_that_is_shown(open_page):
    page = settle(open_page("pages/explore.py", data="pitprops", k=4, ks="1, 5, 9-13:2"), path=True)
    assert played(page)["ks"] == [1, 4, 5, 9, 11, 13]
    page.text_input(key="ks").set_value("3").run()
    page = settle(page, path=True)
    assert played(page)["ks"] == [3, 4]


def test_a_run_that_ends_while_its_page_is_drawn_is_shown_at_once(open_page, monkeypatch):
    page = settle(open_page(data="pitprops", k=4, ks="2, 4"), path=True)
    solve = nnspca.solve
    monkeypatch.setattr(nnspca, "solve", lambda *given, **more: time.sleep(1.0) or solve(*given, **more))
    monkeypatch.setattr(tasks, "PATIENCE", 20.0)  # the page waits for so quick an end
    page.number_input(key="k").set_value(7).run()
    assert played(page)["ks"] == [2, 4, 7]


def test_k_that_are_carried_and_not_proven_are_said_to_be_so(open_page, empty):
    data, now = pitprops()
    cov = Subject(data, now).cov
    for k in (3, 4, 5):
        empty.record(Subject(data, now).problem, k, nnspca.solve(cov, k))
    empty.record(Subject(data, now).problem, 5, None, nnspca.certify(cov, 5).upper)
    rows = Subject(data, now).along((3, 4, 5))
    parts = {k: row.component for k, row in rows.items()}
    choice = run.Choices(run.Solver("best", ()), ("best",), (3, 4, 5), log=True)
    view = stage.View(data, now, choice, rows, parts, run.Live({}, {}))
    sent = stage.payload(view, None, about="x", note="", live_text="")
    assert sent["band"]["ks"] == [3, 4, 5]
    assert sent["band"]["proven"] == [False, False, True]
    assert view.band.proven == {5}


def test_a_longer_proof_under_way_lowers_the_band_at_once(empty):
    data, now = catalogue.dataset("digits"), State(data="digits", k=9)
    cov = Subject(data, now).cov
    loose = nnspca.certify(cov, 9)
    proofs.keep(loose, Subject(data, now))
    seen = []

    class Watched:
        about, trace = None, ()

        def should_stop(self):
            return False

        def report(self, progress):
            seen.append((progress.upper, Subject(data, now).at().upper))

        def publish(self, fall):
            seen.append((fall.after.upper, Subject(data, now).at().upper))

    proofs.tightening("tighten", (9,), (9,), Subject(data, now), 1.0).make()(Watched())
    assert len(seen) > 1
    assert all(upper is None or at <= upper for upper, at in seen)
