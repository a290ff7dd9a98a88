"""The Explore page: one number for one problem, live runs that read nothing stored, and curves of other solvers."""

import threading
import time

import numpy as np
import pytest

import nnspca
from nnspca.view import cache, ledger, say, subject, tasks
from nnspca.view.explore import run, stage
from nnspca.view.jobs import FairSemaphore, Ticket
from nnspca.view.ledger import Ledger
from nnspca.view.link.state import STANDARDISED, State
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject
from tests.pages.conftest import played, said_at, settle

FACES = {"data": "lfw-faces", "k": 40, "scale": STANDARDISED}  # whose thorough runs come with the package
SMALL = {"data": "pitprops", "k": 4}
THREE = {**SMALL, "ks": "2, 4, 9"}


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


@pytest.fixture
def explored(open_page):
    """Return ``explored(**state)``: the page once its runs have ended."""
    return lambda **asked: settle(open_page("pages/explore.py", **asked), path=True)


def pitprops(**more):
    return Subject(catalogue.dataset("pitprops"), State(data="pitprops", k=4, **more))


def at_each_k(band, name):
    return dict(zip(band["ks"], band[name], strict=True))


def test_sentence_chart_and_curves_say_the_ledgers_number_at_each_k(explored):
    shown, about = played(explored(**THREE, methods=["best", "em", "thresholding"])), pitprops()
    rows, unit, band = about.along(shown["ks"]), about.leading, shown["band"]
    for at, k in enumerate(shown["ks"]):
        assert say.proven_share(rows[k].ratio) in shown["says"][at]
        assert f"{say.at_least(100 * rows[k].lower / unit, 1)} % of λ₁" in shown["says"][at]
        assert shown["shares"][at] <= rows[k].lower / unit <= shown["shares"][at] + 1e-6
        assert at_each_k(band, "gaps")[k] == shown["gaps"][at] >= 1 - rows[k].ratio - 1e-12
    lower, upper, proven = (at_each_k(band, name) for name in ("lower", "upper", "proven"))
    assert [(curve["method"], curve["title"], curve["ks"]) for curve in shown["curves"]] == [
        ("em", "EM", [2, 4, 9]),
        ("thresholding", "Thresholded PCA", [2, 4, 9]),
    ]
    for curve in shown["curves"]:
        for k, share, gap in zip(curve["ks"], curve["shares"], curve["gaps"], strict=True):
            assert share <= lower[k] + 1e-6 <= upper[k] + 2e-6
            assert (gap is None) == (not proven[k])


def test_the_first_picture_has_its_whole_band_before_anything_has_run(open_page, monkeypatch):
    going, solve = threading.Event(), nnspca.solve
    monkeypatch.setattr(nnspca, "solve", lambda *given, **more: going.wait(60) and solve(*given, **more))
    page = open_page("pages/explore.py", **FACES, ks="10, 40, 80")
    shown = played(page)
    going.set()
    assert shown["live"]["ks"] == []
    assert shown["band"]["ks"] == [10, 40, 80] and shown["band"]["proven"] == [True, True, True]
    assert shown["band"]["stored"] and said_at(page, 40).count("(stored proof)") == 1


def test_a_page_that_waits_for_a_worker_says_so_shows_the_stored_picture_and_then_the_live_run(
    open_page, monkeypatch, short_proofs
):
    workers, others = FairSemaphore(1), Ticket()
    assert workers.acquire(others, lambda: False)
    monkeypatch.setattr(tasks, "shared_workers", lambda: workers)
    page = open_page("pages/explore.py", **FACES, seed=8642)
    waiting = played(page)
    assert "(stored proof)" in said_at(page, 40) and len(waiting["band"]["ks"]) > 5
    assert (waiting["live"]["ks"], waiting["live_says"]) == ([], "Live: solving …")
    assert waiting["note"]
    workers.release()
    shown = played(settle(page, path=True))
    assert shown["live_says"].startswith("Live: ") and "of λ₁ found in" in shown["live_says"]
    assert 40 in shown["live"]["ks"] and shown["note"] == ""


def test_the_live_line_says_live_and_has_the_live_runs_own_numbers():
    cov = nnspca.Covariance.from_matrix(np.diag([3.0, 2.0]))
    part, proof = nnspca.solve(cov, 1), nnspca.certify(cov, 1)
    assert stage.live(None, None, 4.0, done=False) == "Live: solving …"
    assert stage.live(None, None, 4.0, done=True) == ""
    said = stage.live(part, None, 4.0, done=False)
    assert said.startswith("Live: 75.0 % of λ₁ found in ") and said.endswith("; computing the upper bound …")
    assert stage.live(part, proof, 4.0, done=True).startswith("Live: 75.0 % of λ₁ found in ")
    assert ", proven optimal in " in stage.live(part, proof, 4.0, done=True)


def test_live_runs_read_nothing_that_is_stored(explored, empty):
    plain = played(explored(**THREE))["live"]
    cache.results.clear()
    empty._accounts.clear()
    for k in range(1, 14):  # what no run finds: too little variance, and too low an upper bound
        poor = nnspca.result.Component(np.eye(13)[0], 1e-6, "best", k)
        empty.record(pitprops().problem, k, poor, 1e-3, stored=True)
    shown = played(explored(**THREE))
    assert shown["live"] == plain
    assert min(shown["band"]["upper"]) < min(plain["upper"])


def test_what_another_visit_has_found_is_sought_again_by_solve_live_alone_from_nothing_and_the_ledger_stays(
    explored, monkeypatch
):
    explored(**THREE, methods=["best", "em"])
    about, asked, solved = pitprops(), [], []
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
    page = explored(**THREE, methods=["best", "em"])
    before, rows = played(page), about.along((2, 4, 9))
    assert before["live_says"].startswith("Live: ") and not solved
    asked.clear()
    page.button(key="start-explore").click().run()
    assert played(page)["says"] == before["says"]  # while it runs: what is known stays known
    page = settle(page, path=True)
    assert solved and len(asked) > 6 and not any(asked)
    assert all(about.at(k).lower >= rows[k].lower for k in rows)
    assert played(page)["live"] == before["live"]


def test_another_solver_takes_the_picture_and_the_best_known_keeps_the_band_without_calling_it_optimal(explored):
    page = explored(data="digits", k=9, ks="4, 9, 20", methods=["best"], method="thresholding")
    shown = played(page)
    assert shown["ks"] == [4, 9, 20]
    lower = at_each_k(shown["band"], "lower")
    assert all(share <= lower[k] for k, share in zip(shown["ks"], shown["shares"], strict=True))
    assert [curve["method"] for curve in shown["curves"]] == ["thresholding"]
    assert "optimal" not in said_at(page, 9)


def test_a_closed_gap_is_told_as_proven_optimal_and_leaves_nothing_to_tighten(explored):
    page = explored(data="digits", k=2, ks="2", proof=True)
    assert "This is proven optimal, to 1 part in 10,000" in said_at(page, 2)
    assert played(page)["closed"].startswith("proven optimal at ")
    assert page.button(key="start-tighten").disabled


def test_a_component_that_breaks_the_rules_is_shown_for_contrast_and_proves_nothing(explored):
    page = explored(**SMALL, ks="4", method="pca", sign="any sign")
    assert said_at(page, 4).endswith("Shown for contrast: it does not satisfy the limit k = 4.")
    assert pitprops(sign="any sign").at().component.cardinality <= 4


def test_values_of_k_are_those_typed_and_the_k_that_is_shown_and_without_solvers_the_best_known_is_drawn_alone(
    explored,
):
    page = explored(**SMALL, ks="1, 5, 9-13:2", methods=[])
    assert played(page)["ks"] == [1, 4, 5, 9, 11, 13] and played(page)["curves"] == []
    page.text_input(key="ks").set_value("3").run()
    assert played(settle(page, path=True))["ks"] == [3, 4]


def test_a_run_that_ends_while_its_page_is_drawn_is_shown_at_once(open_page, monkeypatch):
    page = settle(open_page(**SMALL, ks="2, 4"), path=True)
    solve = nnspca.solve
    monkeypatch.setattr(nnspca, "solve", lambda *given, **more: time.sleep(1.0) or solve(*given, **more))
    monkeypatch.setattr(tasks, "PATIENCE", 20.0)  # the page waits for so quick an end
    page.number_input(key="k").set_value(7).run()
    assert played(page)["ks"] == [2, 4, 7]


def test_a_suggestion_is_marked_as_one_says_why_and_is_taken_with_one_press(explored, short_proofs):
    shown = explored(**SMALL)
    button = shown.button(key="suggest-k")
    suggested = int(button.label.removeprefix("Suggested k: "))
    assert suggested != 4 and not button.disabled
    settle(button.click().run())
    assert shown.session_state["k"] == suggested


def test_k_that_are_carried_and_not_proven_are_said_to_be_so(empty):
    about = pitprops()
    cov, problem = about.cov, about.problem
    for k in (3, 4, 5):
        empty.record(problem, k, nnspca.solve(cov, k), nnspca.certify(cov, 5).upper if k == 5 else np.inf)
    rows = about.along((3, 4, 5))
    parts = {k: row.component for k, row in rows.items()}
    choice = run.Choices(run.Solver("best", ()), ("best",), (3, 4, 5), log=True)
    view = stage.View(about.data, about.now, choice, rows, parts, run.Live({}, {}))
    band = stage.payload(view, None, about="x", note="", live_text="")["band"]
    assert (band["ks"], band["proven"]) == ([3, 4, 5], [False, False, True])
    assert view.band.proven == {5}
