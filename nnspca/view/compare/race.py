"""Solvers on one clock: which ones, their run, the answer, and what goes home."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import streamlit as st

import nnspca
from nnspca.result import Progress, wording
from nnspca.studies import race
from nnspca.studies.racing import BARRED, RUNNING, STOPPED, Race
from nnspca.view import cache, machines, sanitize, say, tasks
from nnspca.view.compare import figures
from nnspca.view.figures import style
from nnspca.view.figures.style import Figure
from nnspca.view.jobs import Job
from nnspca.view.ledger import Known
from nnspca.view.link import state
from nnspca.view.link.state import State
from nnspca.view.link.widgets import DeltaGenerator, choose
from nnspca.view.say import share
from nnspca.view.session import Content
from nnspca.view.subject import Subject
from nnspca.view.tasks import Task
from nnspca.view.ui import charts, downloads

KEYS = state.keys_of("compare")
CLOCK = "Solvers run one after another; each clock counts its own solver's seconds only."
PROOF = "the proof (upper bound)"
RUNNING_YET = "No solver has finished yet."
HEADINGS = {  # of the table, by the names in its file
    "who": "Found or proven by",
    "seconds": "Seconds",
    "variance": "Variance",
    "share_of_upper_bound": "Variance ÷ lowest upper bound",
    "features": "Features",
    "state": "State",
}


@dataclass(frozen=True)
class Choices:
    """Which solvers run, and after how many seconds of its own each is stopped, by their keys in the link."""

    racers: tuple[str, ...]
    limit: int

    def options(self, now: State) -> dict[str, dict[str, object]]:
        """What the solvers are called with: those that work in few directions take the sidebar's number of them."""
        ranked = (name for name in self.racers if any(o.name == "rank" for o in nnspca.METHODS[name].options))
        return {name: {"rank": now.d} for name in ranked}


def ask(which: DeltaGenerator, limit: DeltaGenerator) -> Choices:
    """Draw the choice of solvers and of their time."""
    with which:
        racers = choose(
            KEYS["racers"],
            "Solvers",
            allowed=f"up to {state.MOST_RACERS} of {', '.join(state.METHODS)}",
            format_func=state.TITLES.__getitem__,
            help=f"Up to {state.MOST_RACERS}. A solver that cannot solve this problem does not start. {CLOCK}",
        )
    with limit:
        seconds = choose(
            KEYS["limit"],
            "Seconds per solver",
            help="Processor time after which each solver, and the proof of the upper bound, is stopped.",
        )
    return Choices(racers, seconds)


def start(subject: Subject, choice: Choices) -> Job:
    """Draw the button that solves live; return the page's job, or end the page here.

    Its work keeps the standing in ``about``, and publishes the race once it has ended.
    """
    key = subject.key("race", subject.now.d, choice.racers, choice.limit)
    cov, results = subject.cov, cache.results()

    def work(job: Job) -> None:
        write = _writer(subject)

        def look(standing: Race) -> None:
            write(standing)
            if any(lane.marks or lane.state != RUNNING for lane in standing.lanes):  # until then nothing can be drawn
                job.about = standing
            job.report(Progress(standing.fraction, _stage(standing)))

        ended = results.get(key) or machines.call(
            race,
            cov,
            subject.k,
            choice.racers,
            nonnegative=subject.nonnegative,
            seed=subject.seed,
            options=choice.options(subject.now),
            seconds=choice.limit,
            should_stop=job.should_stop,
            here=True,
            on_look=look,
        )
        write(ended)
        if not ended.stopped:
            results.put(key, ended)
        job.publish(ended)

    return tasks.ask(Task("race", key, lambda: work, lambda: results.drop(key)), tasks.solve())


def _writer(subject: Subject):
    """Return what writes to the ledger each better component and each lower upper bound of a race."""
    best, lowest = 0.0, float("inf")

    def write(standing: Race) -> None:
        nonlocal best, lowest
        lane = max(standing.lanes, key=lambda lane: lane.variance)
        if lane.variance > best and (component := standing.component(lane.method)) is not None:
            best = lane.variance
            subject.record(component)
        if standing.upper is not None and standing.upper < lowest:
            lowest = standing.upper
            subject.record_upper(subject.k, lowest)

    return write


def _stage(standing: Race) -> str:
    count = sum(lane.state == RUNNING for lane in standing.lanes)
    running = [wording.plural(count, "solver")] if count else []
    return "Running: " + " and ".join([*running, *(["the proof"] if standing.proof_state == RUNNING else [])])


def news(job: Job) -> Hashable:
    """Return what changes whenever the race has something new to draw."""
    return len(job.arrived), job.progress.fraction if job.about is not None else 0.0


def standing(job: Job) -> Race | None:
    """Return the race as it is known now."""
    return job.arrived[0] if job.arrived else job.about


def track(job: Job, choice: Choices, subject: Subject, answer: DeltaGenerator, given: Mapping[str, float]) -> Figure:
    """Draw the answer and the race as they are now, and say which solvers did not end; return the figure."""
    now_known, best = standing(job), subject.at()
    answer.markdown(RUNNING_YET if now_known is None else winner(now_known, best))
    drawn = figures.race(now_known, choice.racers, charts.palette(), _upper(now_known, best), given)
    charts.figure(drawn, "race" if job.done else "race-running", first=True)
    st.caption("  \n".join([*([] if now_known is None else unfinished(now_known)), CLOCK]))
    return drawn


def _upper(standing: Race | None, best: Known) -> float:
    """Return the lowest upper bound known: the ledger's, which has this race's too once it is written."""
    return min(best.upper, math.inf if standing is None or standing.upper is None else standing.upper)


def winner(standing: Race, best: Known) -> str:
    """Say how near the optimum the finished solvers came, and which was the first to come as near as that.

    What is said at the digits shown decides: who has the same words was as good.
    """
    upper, lanes = _upper(standing, best), [lane for lane in standing.finished if lane.marks]
    running = any(lane.state == RUNNING for lane in standing.lanes)
    if not lanes:
        return RUNNING_YET if running or standing.proof_state == RUNNING else "No solver has finished."
    bounded, most = math.isfinite(upper), max(lane.variance for lane in lanes)
    said = say.proven_share(share(most, upper))
    arrived = {
        lane.method: mark.seconds
        for lane in lanes
        for mark in reversed(lane.marks)
        if mark.variance >= most or (bounded and say.proven_share(share(mark.variance, upper)) == said)
    }
    first = min(arrived, key=arrived.__getitem__)
    count = len(standing.finished)
    among = "" if not running else f" ({count} solvers have finished)" if count > 1 else " (no other has finished)"
    by = f"first reached by **{state.TITLES[first]}** after {say.seconds(arrived[first])}{among}"
    if not bounded:
        return f"The most variance was {by}; no upper bound is proven yet."
    sure = " (proven)" if said.startswith("at least") else ""
    known = say.proven_share(best.ratio) if best.bounded else said
    more = "" if known == said else f"  \nA longer run found more: **{known}**."
    return f"**{say.capital(said)}**{sure}, {by}.{more}".replace(" %", "\u00a0%")


def unfinished(standing: Race) -> list[str]:
    """Say which solvers did not start or did not end, and why, and how far the proof has come."""
    lines = []
    for how, words_of in ((STOPPED, "Not finished"), (BARRED, "Did not start")):
        if lanes := [lane for lane in standing.lanes if lane.state == how]:
            each = "; ".join(f"{state.TITLES[lane.method]} ({sanitize.plain(lane.reason)})" for lane in lanes)
            lines.append(f"{words_of}: {each}.")
    if standing.proof_state == STOPPED:
        spent = say.seconds(standing.proof_seconds)
        lines.append(f"The proof was stopped after {spent}: the upper bound holds, and a longer proof may lower it.")
    return [sentence.replace(" %", "\u00a0%") for sentence in lines]


def takeaway(standing: Race, figure: Figure, subject: Subject, choice: Choices) -> None:
    """Offer every point, the figure and the code."""
    rows = standing.to_records(subject.at().upper)
    stem = f"{subject.data.name}-k{subject.k}-race"
    st.dataframe(
        [
            {HEADINGS[key]: cell for key, cell in row.items()}
            | {HEADINGS["who"]: state.TITLES.get(str(row["who"]), PROOF)}
            for row in rows
        ],
        hide_index=True,
        alt="One row for each better component and each upper bound.",
    )
    held: dict[str, Content] = {
        "points.csv": lambda: downloads.table_csv(rows),
        "race.html": lambda: style.page(figure).encode(),
    }
    downloads.offer(stem, held, _code(subject.now, choice))


def _code(now: State, choice: Choices) -> str:
    return "\n".join(
        [
            *downloads.data_lines(now),
            "from nnspca.studies import race",
            "",
            f"ended = race(cov, {now.k}, {choice.racers!r}, nonnegative={now.nonnegative},",
            f"             seed={now.seed}, options={choice.options(now)!r}, seconds={choice.limit})",
            "for row in ended.to_records():",
            "    print(row)",
        ]
    )
