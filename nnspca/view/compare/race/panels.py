"""The race page's panels: the race beside one solver's picture, who has won, and what to take home."""

from __future__ import annotations

import streamlit as st

from nnspca.datasets import Dataset
from nnspca.studies.standing import BARRED, FINISHED, RUNNING, STOPPED, Race
from nnspca.view import foreign, words
from nnspca.view.certificate import component
from nnspca.view.certificate.proofs import proven_optimal
from nnspca.view.compare.race import choices, figures, run
from nnspca.view.compare.race.choices import Choices
from nnspca.view.figures.style import Figure
from nnspca.view.session import charts, downloads, runs
from nnspca.view.session.job import Job
from nnspca.view.session.state import State

CLOCK = (
    "They take turns on one processor, and each clock counts only the seconds its own solver has used: "
    "nobody is slowed by the others."
)


def track(job: Job, choice: Choices, data: Dataset, who: str | None, mark: int, *, ready: bool) -> Figure:
    """Draw the race, the picture that is open and who has won, again and again while it runs; return the figure."""
    last: dict[str, Figure] = {}

    def draw() -> None:
        """Draw the race as it stands."""
        standing = run.standing(job)
        open_ = who or _leader(standing)
        ring = None if who is None else (who, mark)
        last["race"] = figures.race(standing, choice.racers, charts.palette(), ring)
        said = verdict(standing) if standing is not None else ["Nobody has started yet."]
        st.markdown(said[0])
        way, beside = st.columns([1.7, 1], gap="medium")
        with way:
            _clickable(last["race"], ready=ready)
        with beside:
            _picture(standing, open_, mark if who else 0, data)
        st.markdown("  \n".join(said[1:]))

    runs.watched(None if ready else job, draw)
    return last["race"]


def _clickable(drawn: Figure, *, ready: bool) -> None:
    """Show the race; once it has ended, a click on a point opens its picture."""

    def take() -> None:
        points = st.session_state["race"]["selection"]["points"]
        if points and points[0].get("customdata"):
            who, mark, *_ = points[0]["customdata"]
            choices.take(str(who), int(mark))

    if ready:
        charts.figure(drawn, "race", first=True, on_select=take, selection_mode="points")
    else:
        charts.figure(drawn, "race-running", first=True)


def _leader(standing: Race | None) -> str | None:
    """Return the solver that was first to have the most variance known by now."""
    ways = [lane for lane in standing.lanes if lane.marks] if standing is not None else []
    most = max((lane.variance for lane in ways), default=0.0)
    there = [(at, lane.method) for lane in ways if (at := lane.arrival(most)) is not None]
    return min(there)[1] if there else None


def _picture(standing: Race | None, who: str | None, mark: int, data: Dataset) -> None:
    """Show what a solver had at one of its marks."""
    part = standing.component(who, mark) if standing is not None and who is not None else None
    if standing is None or part is None:
        st.caption(f"{who} has found nothing yet." if who else "The picture of whoever leads stands here.")
        return
    drawn = component.figure(part, data, f"{who}, {words.seconds(part.seconds)}")
    charts.figure(drawn.update_layout(title_font_size=13), "race-picture")
    kept = (
        f", at least {words.percent(part.variance / standing.upper, 2)} of the best possible" if standing.upper else ""
    )
    st.caption(f"{part.cardinality:,} of {data.n_features:,} features{kept}.")


def verdict(standing: Race) -> list[str]:
    """Say who has won among those that finished, who has not, and what is proven; nothing about who still runs."""
    said = [_winner(standing)]
    upper, winners = standing.upper, standing.winners
    behind = sorted((lane for lane in standing.finished if lane not in winners), key=lambda lane: -lane.variance)
    if behind and upper:
        ways = (f"{lane.method} {_share(lane.variance, upper)} in {words.seconds(lane.seconds)}" for lane in behind)
        said.append("Also finished: " + "; ".join(ways) + ".")
    late = [lane for lane in standing.lanes if lane.state == STOPPED]
    if late:
        said.append("Not finished: " + "; ".join(f"{lane.method} ({lane.reason})" for lane in late) + ".")
    running = [lane.method for lane in standing.lanes if lane.state == RUNNING]
    if running:
        said.append(f"Still running: {', '.join(running)}. Nothing is said of them yet.")
    out = [lane for lane in standing.lanes if lane.state == BARRED]
    if out:
        said.append(
            "Did not start: " + "; ".join(f"{lane.method}, as {foreign.plain(lane.reason)}" for lane in out) + "."
        )
    if upper is not None:
        said.append(_ceiling(standing))
    return [sentence.replace(" %", "\u00a0%") for sentence in said]


def _winner(standing: Race) -> str:
    """Say who had most variance first, of those that finished."""
    winners = standing.winners
    if not winners:
        return "No solver has finished yet." if standing.proof_state == RUNNING else "No solver has finished."
    first, most = winners[0], max(lane.variance for lane in winners)
    at = {lane.method: words.seconds(lane.arrival(most) or 0.0) for lane in winners}
    count = len(standing.finished)
    among = "the only one that finished" if count == 1 else f"of the {count} that finished"
    kept = ""
    if standing.upper is not None:
        kept = (
            ": proven optimal, to 1 part in 10,000"
            if proven_optimal(most, standing.upper)
            else f": at least {_share(most, standing.upper)} of the best possible, proven"
        )
    if len(winners) == 1:
        return f"**{first.method} wins**, {among}{kept}. It was there after {at[first.method]}."
    others = ", ".join(f"{lane.method} ({at[lane.method]})" for lane in winners[1:])
    return (
        f"**{first.method} wins**, {among}{kept}. It was there first, after {at[first.method]}; the same variance, "
        f"to 1 part in a million: {others}."
    )


def _share(variance: float, upper: float) -> str:
    return f"**{words.percent(min(variance / upper, 1.0), 2)}**"


def _ceiling(standing: Race) -> str:
    """Say how far the proof has come."""
    spent = words.seconds(standing.proof_seconds)
    if standing.proof_state == FINISHED:
        return f"The proof of the ceiling ended after {spent}: no component with this k and these signs passes it."
    if standing.proof_state == RUNNING:
        return "The ceiling is proven as it stands and still coming down: every share can only rise."
    return f"The proof was ended after {spent}: the ceiling holds as it stands; a longer one may bring it down."


def takeaway(standing: Race, drawn: Figure, data: Dataset, now: State, choice: Choices) -> None:
    """Offer every point, the race as JSON, the figure and the code."""
    rows = standing.to_records()
    stem = f"{data.name}-k{now.k}-race"
    st.dataframe(rows, hide_index=True, alt="One row for each better component and each ceiling.")
    with st.container(horizontal=True):
        charts.csv_button(downloads.table_csv(rows), "csv-race", f"{stem}.csv", "Every point (CSV)")
        charts.json_button(lambda: _json(standing, data, now, choice), "json-race", f"{stem}.json")
        charts.figure_button(drawn, "html-race", f"{stem}.html")
    st.markdown("The same with the library:")
    st.code(_code(now, choice), language="python", wrap_lines=True)


def _json(standing: Race, data: Dataset, now: State, choice: Choices) -> bytes:
    """Return what was asked, and the whole race with the loadings of every mark."""
    return downloads.json_of(
        {
            **downloads.data_record(data, now),
            "k": now.k,
            "options": choice.options(now),
            "seconds_allowed": choice.limit,
            "upper": standing.upper,
            "stopped": standing.stopped,
            "solvers": [
                {
                    "method": lane.method,
                    "state": lane.state,
                    "reason": lane.reason,
                    "seconds": lane.seconds,
                    "marks": [
                        {"seconds": m.seconds, "variance": m.variance, "support": m.support, "loadings": m.weights}
                        for m in lane.marks
                    ],
                }
                for lane in standing.lanes
            ],
            "ceilings": [{"seconds": fall.seconds, "upper": fall.upper} for fall in standing.falls],
        }
    )


def _code(now: State, choice: Choices) -> str:
    """Return the Python that runs this race again."""
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
