"""The compare page of solvers, driven as a person would, without a browser; and what it says against its numbers."""

import numpy as np
import pytest

import nnspca
from nnspca.studies.racing import BARRED, FINISHED, RUNNING, Fall, Lane, Mark, Race
from nnspca.view import say
from nnspca.view.compare import figures
from nnspca.view.figures.style import DARK
from nnspca.view.link.state import State
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject
from tests.pages.conftest import drawn, jobs, settle, texts

PAGE = "pages/compare.py"
QUICK = {"what": "solvers", "data": "pitprops", "k": 4, "racers": ["best", "em", "greedy", "pca"], "limit": 2}


def test_a_race_is_drawn_and_told_by_its_numbers_runs_again_from_its_code(open_page, short_proofs):
    page = settle(open_page(PAGE, take=True, **QUICK))
    (way,) = drawn(page)
    lanes = {trace["name"]: trace for trace in way["data"]}
    solvers = ("Multistart (default)", "EM", "Greedy (PathSPCA)")
    assert set(lanes) == {*solvers, figures.BOUND, figures.BAND, figures.FLAG, figures.LOWEST}
    assert max(max(lanes[name]["y"]) for name in solvers) <= 100 <= lanes[figures.BOUND]["y"][-1]
    assert way["layout"]["meta"]["alt"].startswith(way["layout"]["title"]["text"])
    assert "Did not start: PCA (it uses every feature" in texts(page)

    best, standing = Subject(catalogue.dataset("pitprops"), State(data="pitprops", k=4)).at(), jobs(page)[0].arrived[0]
    assert f"**{say.capital(say.proven_share(best.ratio))}**" in page.markdown[0].value.replace("\u00a0", " ")
    assert best.upper <= standing.upper, "what the race has proven is in the ledger"
    assert best.lower >= max(lane.variance for lane in standing.lanes) * (1 - 1e-12)

    (frame,) = page.dataframe
    assert len(frame.value) == sum(len(lane.marks) for lane in standing.lanes) + len(standing.falls)
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops"))
    for mark in (mark for lane in standing.lanes for mark in lane.marks):
        x = np.zeros(cov.n_features)
        x[mark.support] = mark.weights
        assert cov.variance(x) == pytest.approx(mark.variance)
        assert mark.variance <= standing.upper
    (code,) = [block.value for block in page.code]
    scope: dict = {"print": lambda *shown: None}
    exec(code, scope)
    assert [lane.state for lane in scope["ended"].lanes] == [FINISHED] * 3 + [BARRED]

    again = settle(open_page(PAGE, **QUICK))
    assert jobs(again)[0].arrived[0] is standing, "once run it is shown again"
    again.button(key="start-race").click().run()
    assert jobs(settle(again))[0].arrived[0] is not standing, "and run anew on request"


def test_without_a_solver_the_page_says_what_to_do(open_page):
    assert "Choose at least one solver to start." in texts(open_page(PAGE, what="solvers", data="pitprops", racers=[]))


def lane(name, state, seconds, *marks, reason=""):
    ways = tuple(Mark(at, share, np.array([0]), np.array([1.0])) for at, share in marks)
    return Lane(name, state, seconds, ways, reason)


def test_every_share_is_of_the_lowest_upper_bound_known():
    lanes = (lane("em", FINISHED, 1.0, (0.5, 0.8)),)
    shown = figures.race(Race(1, True, 2, lanes, (Fall(0.1, 1.0),), FINISHED, 2.0), ("em",), DARK, 0.9)
    lines = {trace.name: trace for trace in shown.data}
    assert lines["EM"].y[0] == pytest.approx(100 * 0.8 / 0.9)
    assert lines[figures.BOUND].y[-1] == pytest.approx(100 / 0.9)
    assert set(lines[figures.LOWEST].y) == {100}


def test_the_band_lies_between_the_best_component_and_the_upper_bound_by_then():
    lanes = (lane("em", FINISHED, 4.0, (1.0, 0.5), (3.0, 0.8)), lane("best", FINISHED, 4.0, (2.0, 0.7)))
    standing = Race(1, True, 2, lanes, (Fall(0.5, 2.0), Fall(2.5, 1.0)), FINISHED, 5.0)
    shown = figures.race(standing, ("em", "best"), DARK, 1.0)
    (band,) = [trace for trace in shown.data if trace.name == figures.BAND]
    corners = list(zip(band.x, band.y, strict=True))
    assert corners[:4] == [(1.0, 200.0), (2.5, 200.0), (2.5, 100.0), (5.0, 100.0)]
    assert corners[4:] == [(5.0, 80.0), (3.0, 80.0), (3.0, 70.0), (2.0, 70.0), (2.0, 50.0), (1.0, 50.0)]
    low, high = shown.layout.yaxis.range
    assert low < 70 < 100 < high


def test_before_an_upper_bound_there_are_axes_and_nothing_is_claimed():
    shown = figures.race(Race(1, True, 2, (lane("em", RUNNING, 1.0, (0.5, 0.5)),)), ("em",), DARK, np.inf)
    assert not shown.data
    assert "Nothing has been found yet" in shown.layout.meta["alt"]
