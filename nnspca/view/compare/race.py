"""Solvers on one clock: which ones, their recorded race or a live one, the answer, and what goes home."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

import nnspca
from nnspca.result import Progress, rounded, wording
from nnspca.studies import race
from nnspca.studies.racing import BARRED, RUNNING, STOPPED, Fall, Lane, Mark, Race, reason_excluded
from nnspca.view import cache, sanitize, say, session
from nnspca.view.compare import figures
from nnspca.view.figures.style import Figure, Look
from nnspca.view.jobs import Job
from nnspca.view.ledger import Known
from nnspca.view.link import canvas, state
from nnspca.view.link.state import State
from nnspca.view.link.widgets import DeltaGenerator, choose, write_answer
from nnspca.view.running import Task
from nnspca.view.subject import Subject
from nnspca.view.ui import charts, downloads

KEYS = state.keys_of("compare")
CLOCK = "Solvers run one after another; each clock counts its own solver's seconds only."
PROOF = "the proof (upper bound)"
RUNNING_YET = "No solver has finished yet."
SECONDS = 10  # of processor time after which each solver, and the proof of the upper bound, is stopped
LOOK_MILLISECONDS = 500  # between two looks of the browser at a race
_standing = canvas.component("standing", canvas.SHARED, ("standing.js",), ("shown.js", "news.js"))
FILE = Path(__file__).with_name("races.json")  # written by `python -m tests.stored races`


def ask() -> tuple[str, ...]:
    """Draw the choice of solvers."""
    racers: tuple[str, ...] = choose(
        KEYS["racers"],
        "Solvers",
        format_func=state.TITLES.__getitem__,
        help=f"Up to {state.MOST_RACERS}, each for up to {SECONDS} seconds. A solver that cannot solve this problem "
        f"does not start. {CLOCK}",
    )
    return racers


def options(racers: Sequence[str], now: State) -> dict[str, dict[str, object]]:
    """Return what solvers are called with: those that work in few directions take the sidebar's number of them."""
    ranked = (name for name in racers if any(option.name == "rank" for option in nnspca.METHODS[name].options))
    return {name: {"rank": now.d} for name in ranked}


def task(subject: Subject, racers: Sequence[str]) -> Task:
    """Return the live race, which tells its standing."""
    key, how = subject.key("race", subject.now.d, racers), options(racers, subject.now)
    return subject.task("race", key, race, subject.k, racers, seconds=SECONDS, options=how, on_look=_look)


def _look(job: Job, standing: Race) -> None:
    """Tell how a race stands."""
    if any(lane.marks or lane.state != RUNNING for lane in standing.lanes):  # until then nothing can be drawn
        job.live = standing
    count = sum(lane.state == RUNNING for lane in standing.lanes)
    going = [wording.plural(count, "solver")] * bool(count) + ["the proof"] * (standing.proof_state == RUNNING)
    job.report(Progress(standing.fraction, f"Running: {' and '.join(going)}"))


def under_way(job: Job, racers: Sequence[str], subject: Subject) -> None:
    """Show how a live race stands, as the browser asks for it: without a run of the page."""
    palette = charts.palette()

    def look(version: str) -> dict[str, object] | None:
        standing: Race | None = job.live
        now = "" if standing is None else str(standing.fraction)
        if now and version == now:
            return None
        best, title = subject.known_at(), state.TITLES.__getitem__
        figure = figures.race_curves(standing, racers, palette, _upper(standing, best))
        said = {
            lane.method: f"{rounded.percent(lane.variance / subject.total, 2)} of the total variance, "
            f"{rounded.seconds(lane.seconds)}{' …' * (lane.state == RUNNING)}"
            for lane in (standing.lanes if standing is not None else ())
            if lane.marks
        }
        lanes = [
            [Look.of(name, i, palette).colour, f"{title(name)}: {said.get(name, '…')}"] for i, name in enumerate(racers)
        ]
        words = RUNNING_YET if standing is None else first_near_best(standing, best)
        return {"version": now, "words": words, "lanes": lanes, "drawn": charts.figure_sketch(figure, palette)}

    address = session.current().publish("race-standing", look)
    _standing(key="race-standing", data={**(look("") or {}), "address": address, "every": LOOK_MILLISECONDS})


@functools.cache
def stored_races() -> dict[str, Any]:
    """Return when and where races were recorded, with which settings, and the races themselves, by problem and k."""
    records = json.loads(FILE.read_text(encoding="utf-8"))
    return records | {"races": {(*one["problem"], one["k"]): _unpacked(one["race"]) for one in records["races"]}}


def _unpacked(record: dict[str, Any]) -> Race:
    lanes = (lane | {"marks": tuple(Mark(**mark) for mark in lane["marks"])} for lane in record["lanes"])
    falls = tuple(Fall(**fall) for fall in record["falls"])
    return Race(**record | {"lanes": tuple(Lane(**lane) for lane in lanes), "falls": falls}, fraction=1.0)


def ended(subject: Subject, racers: Sequence[str]) -> tuple[Subject, Race | None]:
    """Return the race known without a run, and what it is of: recorded, of any visit, or recorded at the nearest k.

    It says no more than the ledger: no variance is larger and no upper bound lower than the one that other pages show.
    """
    records, here = stored_races(), cache.results().get(task(subject, racers).key)
    ks = [k for *problem, k in records["races"] if tuple(problem) == subject.problem]
    k = min(ks, key=lambda k: max(k / subject.k, subject.k / k), default=0)
    at = replace(subject, now=replace(subject.now, k=k, seed=records["seed"], d=records["rank"]))
    if not ks or (here is not None and at.now != subject.now):
        return subject, here
    whole, best = records["races"][*subject.problem, k], at.known_at()
    n, sign = at.data.n_features, at.nonnegative
    lanes = {name: Lane(name, BARRED, reason=why) for name in racers if (why := reason_excluded(name, n, sign))}
    for lane in whole.lanes:
        marks = (replace(mark, variance=min(mark.variance, best.lower)) for mark in lane.marks)
        lanes[lane.method] = replace(lane, marks=tuple(marks))
    if not lanes.keys() >= set(racers):
        return subject, here
    falls = tuple(replace(fall, upper=max(fall.upper, best.upper)) for fall in whole.falls)
    return at, replace(whole, lanes=tuple(lanes[name] for name in racers), falls=falls)


def race_figure(known: Race | None, racers: Sequence[str], subject: Subject, place: DeltaGenerator, k: int) -> Figure:
    """Draw the answer and a race that has ended, perhaps of another ``k``, and say which solvers did not end."""
    best = subject.known_at()
    where = "" if subject.k == k else f"**At k\u00a0=\u00a0{subject.k:,}**, the nearest with a stored race: "
    write_answer(place, "compare", RUNNING_YET if known is None else where + first_near_best(known, best))
    drawn = figures.race_curves(known, racers, charts.palette(), _upper(known, best))
    charts.figure(drawn, "race", first=True)
    st.caption("  \n".join([*([] if known is None else missing_solvers(known)), CLOCK]))
    return drawn


def origin() -> str:
    """Say when and where the races were recorded that are shown without a run."""
    words = ":material/inventory_2: **A stored race** of {made}, on one core ({machine}), seed {seed}."
    return words.format(**stored_races())


def _upper(standing: Race | None, best: Known) -> float:
    """Return the lowest upper bound known: the ledger's, which has this race's too once it is written."""
    return min(best.upper, math.inf if standing is None or standing.upper is None else standing.upper)


def first_near_best(standing: Race, best: Known) -> str:
    """Say how near the optimum the finished solvers came, and which was the first to come as near as that.

    What is said at the digits shown decides: who has the same words was as good.
    """
    upper, lanes = _upper(standing, best), [lane for lane in standing.finished if lane.marks]
    go_on = any(lane.state == RUNNING for lane in standing.lanes)
    if not lanes:
        return RUNNING_YET if go_on or standing.proof_state == RUNNING else "No solver has finished."
    bounded, most = math.isfinite(upper), max(lane.variance for lane in lanes)
    said = rounded.proven_share(most, upper)
    arrived = {
        lane.method: mark.seconds
        for lane in lanes
        for mark in reversed(lane.marks)
        if mark.variance >= most or (bounded and rounded.proven_share(mark.variance, upper) == said)
    }
    first = min(arrived, key=arrived.__getitem__)
    count = len(standing.finished)
    among = "" if not go_on else f" ({count} solvers have finished)" if count > 1 else " (no other has finished)"
    by = f"first reached by **{state.TITLES[first]}** after {rounded.seconds(arrived[first])}{among}"
    if not bounded:
        return f"The most variance was {by}; no upper bound is proven yet."
    sure = "" if rounded.optimal(most, upper) else " (proven)"
    known = rounded.proven_share(best.lower, best.upper) if best.bounded else said
    more = "" if known == said else f"  \nA longer run found more: **{known}**."
    return f"**{say.capital(said)}**{sure}, {by}.{more}".replace(" %", "\u00a0%")


def missing_solvers(standing: Race) -> list[str]:
    """Say which solvers did not start or did not end, and why, and how far the proof has come."""
    lines = []
    for how, words_of in ((STOPPED, "Not finished"), (BARRED, "Did not start")):
        if lanes := [lane for lane in standing.lanes if lane.state == how]:
            each = "; ".join(f"{state.TITLES[lane.method]} ({sanitize.plain(lane.reason)})" for lane in lanes)
            lines.append(f"{words_of}: {each}.")
    if standing.proof_state == STOPPED:
        spent = rounded.seconds(standing.proof_seconds)
        lines.append(f"The proof was stopped after {spent}: the upper bound holds, and a longer proof may lower it.")
    return [sentence.replace(" %", "\u00a0%") for sentence in lines]


def race_files(standing: Race, figure: Figure, subject: Subject, racers: Sequence[str]) -> None:
    """Offer every point, the figure and the code."""
    rows = [
        {name.replace("_", " "): cell for name, cell in row.items()} | {"who": state.TITLES.get(str(row["who"]), PROOF)}
        for row in standing.to_records(subject.known_at().upper)
    ]
    downloads.offer_table(f"{subject.data.name}-k{subject.k}-race", rows, figure, _code(subject.now, racers))


def _code(now: State, racers: Sequence[str]) -> str:
    facts = {"k": now.k, "racers": racers, "options": options(racers, now), "seconds": SECONDS}
    return downloads.program("race", now, **facts)
