"""The compare page of solvers, driven as a person would, without a browser; and what it says against its numbers."""

from dataclasses import replace

import numpy as np
import pytest

from nnspca import datasets
from nnspca.result import rounded
from nnspca.studies.racing import BARRED, FINISHED, RUNNING, Fall, Lane, Mark, Race
from nnspca.view import ledger, say
from nnspca.view.compare import figures, race
from nnspca.view.figures.style import DARK
from nnspca.view.link.state import AS_IS, FIRST_RACE, STANDARDISED, TITLES
from tests import shelf
from tests.pages.conftest import drawn, jobs, settle, subject, texts

PAGE = "pages/compare.py"
QUICK = {"what": "solvers", "data": "pitprops", "k": 4, "racers": ["best", "em", "greedy", "pca"], "seed": 1}


def test_a_race_is_drawn_and_told_by_its_numbers_runs_again_from_its_code(open_page, short_proofs):
    page = settle(open_page(PAGE, take=True, **QUICK).button(key="start-race").click().run())
    (way,) = drawn(page)
    lanes = {trace["name"]: trace for trace in way["data"]}
    solvers = [TITLES[name] for name in QUICK["racers"][:3]]
    assert set(lanes) == {*solvers, figures.BOUND, figures.FLAG, figures.LOWEST}
    assert max(max(lanes[name]["y"]) for name in solvers) <= 100 and lanes[figures.BOUND]["y"][-1] >= 0
    assert way["layout"]["meta"]["alt"].startswith(way["layout"]["title"]["text"])

    best = subject("pitprops", k=4).known_at()
    standing = jobs(page)[0].results[0]
    assert [lane.method for lane in standing.lanes if lane.state == BARRED] == ["pca"]
    assert all(line in page.caption[0].value for line in race.missing_solvers(standing))
    said = page.markdown[0].value.replace("\u00a0", " ")
    assert f"**{say.capital(rounded.proven_share(best.lower, best.upper))}**" in said
    assert best.upper <= standing.upper  # what the race has proven is in the ledger
    assert best.lower >= max(lane.variance for lane in standing.lanes) * (1 - 1e-12)

    (frame,) = page.dataframe
    assert len(frame.value) == sum(len(lane.marks) for lane in standing.lanes) + len(standing.falls)
    (code,) = [block.value for block in page.code]
    scope: dict = {"print": lambda *shown: None}
    exec(code, scope)
    assert [lane.state for lane in scope["ended"].lanes] == [FINISHED] * 3 + [BARRED]

    again = open_page(PAGE, **QUICK, take=True)
    assert not jobs(again) and again.dataframe[0].value.equals(frame.value)  # once run it is shown again
    again.button(key="start-race").click().run()
    assert jobs(settle(again))[0].results[0] is not standing  # and run anew on request


@pytest.mark.parametrize(("name", "scale", "k"), [("pitprops", AS_IS, 4), ("lfw-faces", STANDARDISED, 40)])
def test_a_stored_race_opens_without_a_run_and_says_no_more_than_the_ledger(open_page, name, scale, k):
    page = open_page(PAGE, what="solvers", data=name, k=k, scale=scale, take=True)
    assert not jobs(page) and race.origin() in texts(page)
    (way,) = drawn(page)
    assert {TITLES["best"], TITLES["em"], figures.BOUND} <= {trace["name"] for trace in way["data"]}
    best = subject(name, k=k, scale=scale).known_at()
    said = page.markdown[0].value.replace("\u00a0", " ")
    assert said.startswith(f"**{say.capital(rounded.proven_share(best.lower, best.upper))}**")
    if name == "pitprops":
        other = open_page(PAGE, what="solvers", data=name, k=3)
        assert not jobs(other) and drawn(other) == [way] and "At k = 4" in texts(other).replace("\u00a0", " ")
        without = open_page(PAGE, what="solvers", data=name, k=3, scale=STANDARDISED)
        assert not jobs(without) and not drawn(without) and without.button(key="start-race").label == "Race at k = 3"
        page.button(key="start-race").click().run()
        assert jobs(settle(page))[0].results and race.origin() not in texts(page)


def test_every_stored_race_is_of_a_view_that_a_data_set_opens_with_and_says_no_more_than_the_ledger():
    opening = {(*r.problem, r.opening): r for key, r in shelf.records().items() if key == ledger.default_view(r.name)}
    assert len(race.stored_races()["races"]) >= 5 and race.stored_races()["races"].keys() <= opening.keys()
    for record in opening.values():
        scale = STANDARDISED if record.standardise else AS_IS
        if not next(info.local for info in datasets.available() if info.name == record.name):
            continue
        about = subject(record.name, k=record.opening, scale=scale)
        best, (_, ended) = about.known_at(), race.ended(about, FIRST_RACE)
        assert max(lane.variance for lane in ended.lanes) <= best.lower <= best.upper <= ended.upper
        near, same = race.ended(replace(about, now=replace(about.now, seed=1, k=1)), FIRST_RACE)
        assert near.now == about.now and same.upper == ended.upper


def lane(name, state, seconds, *marks, reason=""):
    return Lane(name, state, seconds, tuple(Mark(at, share, 1) for at, share in marks), reason)


@pytest.mark.parametrize("lowest", [1.0, 0.9])
def test_every_share_is_of_the_lowest_bound_known_none_is_over_100_and_the_bound_falls_in_a_panel_of_its_own(lowest):
    lanes = (lane("em", FINISHED, 4.0, (1.0, 0.5), (3.0, 0.8)), lane("best", FINISHED, 4.0, (2.0, 0.7)))
    standing = Race(lanes, (Fall(0.5, 2.0), Fall(2.5, 1.0)), FINISHED, 5.0)
    shown = figures.race(standing, ("em", "best"), DARK, lowest)
    (bound,) = [trace for trace in shown.data if trace.yaxis == "y2"]
    assert list(bound.x) == [0.5, 2.5, 5.0] and bound.name == figures.BOUND
    assert list(bound.y) == pytest.approx([200 / lowest - 100, 100 / lowest - 100, 100 / lowest - 100])
    lines = {trace.name: trace for trace in shown.data}
    assert lines["EM"].y[0] == pytest.approx(50 / lowest) and set(lines[figures.LOWEST].y) == {100}
    assert max(max(trace.y) for trace in shown.data if trace.yaxis != "y2" and trace.y[0] is not None) <= 100
    low, high = shown.layout.yaxis.range
    assert low < 70 / lowest < 100 < high and shown.layout.yaxis.domain[0] > shown.layout.yaxis2.domain[1]


def test_before_an_upper_bound_there_are_axes_and_nothing_is_claimed():
    shown = figures.race(Race((lane("em", RUNNING, 1.0, (0.5, 0.5)),)), ("em",), DARK, np.inf)
    assert not shown.data
