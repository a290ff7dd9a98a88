"""The Explore page: one number for one problem, no run where it is known, and curves of other solvers."""

import gzip
import json
import time
from dataclasses import replace

import numpy as np
import pytest

import nnspca
from nnspca.bounds import carried
from nnspca.result import rounded
from nnspca.view import cache, ledger, running, stored
from nnspca.view.certificate import proofs
from nnspca.view.explore import choices, payload
from nnspca.view.explore.view import View, sentence
from nnspca.view.jobs import FairSemaphore, Job
from nnspca.view.link.state import STANDARDISED, TITLES
from tests.pages.conftest import job_of, jobs, played, said_at, sent, settle, subject, unpacked

pytestmark = pytest.mark.usefixtures("nothing_found")

VIEW = {"k": 40, "scale": STANDARDISED}
FACES = {"data": "lfw-faces", **VIEW}  # whose thorough runs come with the package
SMALL = {"data": "pitprops", "k": 4}
THREE = {**SMALL, "ks": "2, 4, 9"}


@pytest.fixture
def explored(open_page):
    """Return ``explored(**state)``: the page once its runs have ended."""
    return lambda **asked: settle(open_page("pages/explore.py", **asked), path=True)


def pitprops(**more):
    return subject("pitprops", k=4, **more)


def at_each_k(band, name):
    return dict(zip(band["ks"], band[name], strict=True))


def test_sentence_chart_and_curves_say_the_ledgers_number_at_each_k(explored):
    shown, about = played(explored(**THREE, methods=["best", "em", "thresholding"])), pitprops()
    rows, unit, band = about.known_along(shown["ks"]), about.total, shown["band"]
    for at, k in enumerate(shown["ks"]):
        assert rounded.proven_share(rows[k].ratio) in shown["says"][at]
        said = rounded.fixed(100 * rows[k].lower / unit, at_each_k(band, "digits")[k], down=True)
        assert f" {said} % " in shown["says"][at]
        assert shown["shares"][at] <= rows[k].lower / unit <= shown["shares"][at] + 1e-6
        assert at_each_k(band, "gaps")[k] == shown["gaps"][at] >= 1 - rows[k].ratio - 1e-12
    lower, upper, proven = (at_each_k(band, name) for name in ("lower", "upper", "proven"))
    assert [curve["method"] for curve in shown["curves"]] == ["em", "thresholding"]
    for curve in shown["curves"]:
        assert (curve["title"], curve["ks"]) == (TITLES[curve["method"]], [2, 4, 9])
        for k, share, gap in zip(curve["ks"], curve["shares"], curve["gaps"], strict=True):
            assert share <= lower[k] + 1e-6 <= upper[k] + 2e-6
            assert (gap is None) == (not proven[k])


def test_where_the_ledger_answers_no_run_begins_and_solve_live_tells_how_it_goes_on_one_clock(open_page, short_proofs):
    page = open_page("pages/explore.py", **FACES, ks="10, 40, 80")
    shown, before = played(page), said_at(page, 40)
    assert not jobs(page, path=True)
    assert shown["band"]["ks"] == [10, 40, 80] and shown["band"]["proven"] == [True, True, True]
    known = subject("lfw-faces", **VIEW).known_at()
    assert known.stored and before.count(known.source) == 1 and shown["live"] == {"says": ""} and not shown["address"]
    workers, others = FairSemaphore(1), Job("others")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "shared_workers", lambda: workers)
        assert workers.acquire(others, lambda: False)
        page.button(key="start-explore").click().run()
        assert played(page)["address"] and played(page)["live"]["says"] == ""  # it waits for a worker
        workers.release()
        page = settle(page)
    told = proofs.live(job_of(page, "solve"))
    seconds = [at for at, _ in told.falls]
    assert told.ended and told.seconds <= seconds[0] and seconds == sorted(seconds)
    assert [upper for _, upper in told.falls] == sorted((upper for _, upper in told.falls), reverse=True)
    assert told.found == pytest.approx(told.known, rel=proofs.SAME)
    assert played(page)["live"].keys() == {"says"} and rounded.seconds(told.seconds) in played(page)["live"]["says"]
    assert said_at(page, 40) == before  # the best known stays the only number


def test_between_stored_k_a_bound_is_carried_no_proof_is_made_and_the_counts_stay(open_page):
    ks = stored.cardinalities(subject("lfw-faces", **VIEW).problem)
    page = open_page("pages/explore.py", **FACES)
    before = played(page)
    assert tuple(before["band"]["ks"]) == ks
    k = next(k for k in range(ks[0], ks[-1]) if k not in ks)
    page = open_page("pages/explore.py", **FACES | {"k": k})
    assert {job.key[0] for job in jobs(page, path=True)} == {"find"}
    shown = played(settle(page))
    at, row = shown["ks"].index(k), subject("lfw-faces", **VIEW | {"k": k}).known_at()
    assert row.component.cardinality == k and not row.proven and not shown["proven"][at]
    assert row.source in said_at(page, k)
    assert shown["gaps"][at] < 0.015 and shown["band"] == before["band"] and shown["closed"] == before["closed"]


def test_what_a_live_run_finds_is_in_the_ledger_for_the_next_visit(explored, open_page, nothing_stored):
    page, about = explored(**THREE), pitprops()
    assert {job.key[0] for job in jobs(page, path=True)} == {"solve", "path"}
    rows = about.known_along((2, 4, 9))
    assert all(row.found and row.bounded for row in rows.values())
    assert played(page)["live"]["says"] == ""  # unasked, it says nothing beside the best known
    again = open_page("pages/explore.py", **THREE)
    assert not jobs(again, path=True) and played(again)["says"] == played(page)["says"]
    assert jobs(open_page("pages/explore.py", **THREE, proof=True)) == []  # its certificate is kept
    cache.results.clear()
    assert [job.key[0] for job in jobs(open_page("pages/explore.py", **THREE, proof=True))] == ["solve"]
    alone = played(explored(**SMALL, ks="2, 4, 7"))
    assert alone["band"]["ks"] == [2, 4, 7]  # only what is missing is sought


def test_a_run_that_goes_on_is_drawn_in_the_chart_with_its_falling_bound():
    told = proofs.Live(2.0, 1.9, 0.5, ((0.6, 3.0), (1.0, 2.5)))
    choice = choices.Choices("best", (), ("best",), (4,))
    about = pitprops()
    point = payload.live_point(View(about.data, about.now, choice, {}, {}, {}, told))
    assert point["k"] == 4 and point["gap"] == pytest.approx(1 - 1.9 / 2.5)
    assert point["share"] <= 1.9 / about.total <= 2.5 / about.total <= point["upper"]
    ended = View(about.data, about.now, choice, {}, {}, {}, replace(told, ended=True))
    assert payload.live_point(ended).keys() == {"says"}  # once it has ended the best known stands alone
    assert rounded.proven_share(1.9, 2.5) in payload.live_point(ended)["says"]


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
    assert any(played(page)["band"]["optimal"]) and played(page)["closed"]
    assert "start-tighten" not in [button.key for button in page.button]


def test_a_component_that_breaks_the_rules_is_shown_for_contrast_and_proves_nothing(explored):
    page = explored(**SMALL, ks="4", method="pca", sign="any sign")
    shown, best = job_of(page, "solve").result, pitprops(sign="any sign").known_at()
    assert shown.cardinality > 4 >= best.component.cardinality
    about = pitprops()
    assert said_at(page, 4) == sentence(shown, best, about.data, about.total, about.cov.features)
    assert "better" not in played(page)["live"]["says"]


def test_values_of_k_are_those_typed_and_the_k_that_is_shown_and_without_solvers_the_best_found_is_drawn_alone(
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
    monkeypatch.setattr(running, "PATIENCE", 20.0)  # the page waits for so quick an end
    page.number_input(key="k").set_value(7).run()
    assert played(page)["ks"] == [2, 4, 7]


def test_a_suggestion_is_marked_as_one_says_why_and_is_taken_with_one_press(explored, short_proofs):
    shown = explored(**SMALL)
    button = shown.button(key="suggest-k")
    suggested = int(button.label.removeprefix("Suggested k: "))
    assert suggested != 4 and not button.disabled
    settle(button.click().run())
    assert shown.session_state["k"] == suggested


def test_a_bound_that_a_certificate_carries_from_another_k_is_not_one_of_its_own(nothing_stored):
    about = pitprops()
    proven, found = nnspca.certify(about.cov, 5), nnspca.solve(about.cov, 4)
    made, _ = carried.carried_certificate(4, found, [proven], carried.least_variance(about.cov))
    about.record(proven, made)
    row = about.known_at(4)
    assert (row.upper, row.proven, row.carried) == (proven.upper, False, 5)


def test_a_redraw_sends_one_component_however_many_are_known_and_the_browser_fetches_the_others_once_for_each_find(
    open_page,
):
    asked = {"data": "pitprops", "k": 4, "ks": "1-13"}
    page = settle(open_page("pages/explore.py", **asked), path=True)
    here = page.session_state["session"]
    first, fetched = sent(page, "play"), json.loads(gzip.decompress(here.file("play", "path.json").read()))
    assert first["here"]["ks"] == [4] and fetched["ks"] == first["ks"] == list(range(1, 14))
    cov, starts = pitprops().cov, unpacked(fetched["starts"])
    for s, k in enumerate(fetched["ks"]):
        own = slice(starts[s], starts[s + 1])
        loadings = np.zeros(13)
        loadings[unpacked(fetched["support"])[own]] = unpacked(fetched["levels"])[own]
        shown = cov.variance(loadings / np.linalg.norm(loadings)) / cov.trace
        assert shown == pytest.approx(first["shares"][first["ks"].index(k)], rel=1e-5)
    page.session_state["k"] = 5
    settle(page)
    assert sent(page, "play")["path"] == first["path"] and sent(page, "play")["here"]["ks"] == [5]
    pitprops().record_upper(9, pitprops().known_at(9).lower * (1 + 1e-12))
    page.run()
    assert sent(page, "play")["path"] != first["path"]


@pytest.mark.parametrize("loadings", [[0.8, 0.6, 1e-9], [0.0, 0.0, 0.0]])
def test_a_loading_that_is_all_but_zero_keeps_its_place_among_those_the_browser_fetches(loadings):
    about, part = pitprops(), nnspca.Component(np.array(loadings + [0.0] * 10), 1.0, "best", 4)
    rows = {4: ledger.Known(4, (part,), part.variance, found=True)}
    choice = choices.Choices("best", (), ("best",), (4,))
    cache.results.clear()
    told = payload.component_rows(View(about.data, about.now, choice, rows, rows), [4])
    assert unpacked(told["starts"]).tolist() == [0, part.cardinality]
    assert len(unpacked(told["levels"])) == len(unpacked(told["support"])) == part.cardinality
