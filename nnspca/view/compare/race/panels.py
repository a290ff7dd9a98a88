"""Panels of a comparison of solvers: the answer, the race beside one component, every solver, and downloads."""

from __future__ import annotations

import math

import streamlit as st

from nnspca.datasets import Dataset
from nnspca.studies.race_state import BARRED, FINISHED, GAIN, RUNNING, STOPPED, Race
from nnspca.view import sanitize, words
from nnspca.view.compare.race import figures, run
from nnspca.view.compare.race.choices import CLOCK, Choices
from nnspca.view.figures.style import Figure
from nnspca.view.jobs.job import Job
from nnspca.view.link import state
from nnspca.view.link.solver import TITLES, title
from nnspca.view.link.state import State
from nnspca.view.link.widgets import DeltaGenerator
from nnspca.view.results import known
from nnspca.view.results.ledger import Known, share
from nnspca.view.ui import charts, downloads

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


def track(
    job: Job,
    choice: Choices,
    data: Dataset,
    now: State,
    opened: tuple[str | None, int],
    answer: DeltaGenerator,
    *,
    ready: bool,
) -> Figure:
    """Draw the answer, the race, one component and every solver, as they are now; return the figure.

    ``opened`` is the solver and the step whose component is shown.
    """
    who, mark = opened
    standing, best = run.standing(job), known.at(data, now)
    answer.markdown(RUNNING_YET if standing is None else winner(standing, best))
    upper = _upper(standing, best)
    drawn = figures.race(standing, choice.racers, charts.palette(), None if who is None else (who, mark), upper)
    way, beside = st.columns([1.7, 1], gap="medium")
    with way:
        _clickable(drawn, ready=ready)
    with beside:
        _picture(standing, who or _leader(standing), mark if who else 0, data, best)
    with st.expander("Every solver: proven share, seconds, and which did not finish", icon=":material/list:"):
        st.markdown("  \n".join([*([] if standing is None else details(standing, upper)), CLOCK]))
    return drawn


def _upper(standing: Race | None, best: Known) -> float:
    """Return the lowest upper bound known: the ledger's, which has this race's too once it is written."""
    return min(best.upper, math.inf if standing is None or standing.upper is None else standing.upper)


def _clickable(figure: Figure, *, ready: bool) -> None:
    """Show the race; once it has ended, a click on a point opens its component."""

    def take() -> None:
        points = st.session_state["race"]["selection"]["points"]
        if points and points[0].get("customdata"):
            who, mark, *_ = points[0]["customdata"]
            state.assign(who=str(who), mark=int(mark))

    if ready:
        charts.figure(figure, "race", first=True, on_select=take, selection_mode="points")
    else:
        charts.figure(figure, "race-running", first=True)


def _leader(standing: Race | None) -> str | None:
    """Return the solver that was first to have the most variance known by now."""
    ways = [lane for lane in standing.lanes if lane.marks] if standing is not None else []
    most = max((lane.variance for lane in ways), default=0.0)
    there = [(at, lane.method) for lane in ways if (at := lane.arrival(most)) is not None]
    return min(there)[1] if there else None


def _picture(standing: Race | None, who: str | None, mark: int, data: Dataset, best: Known) -> None:
    upper = _upper(standing, best)
    part = standing.component(who, mark) if standing is not None and who is not None else None
    if who is None or part is None:
        st.caption("No component yet." if who is None else f"{title(who)} has no component yet.")
        return
    figure = charts.component(part, data, f"{title(who)}, {words.seconds(part.seconds)}")
    heading = figure.layout.title.text.replace(": ", "<br>", 1)  # it stands in a narrow place
    charts.figure(figure.update_layout(title={"text": heading, "font": {"size": 13}}), "race-picture")
    live = " live" if _is_beaten(part.variance, best) else ""
    proven = f"{live}: {words.proven_share(share(part.variance, upper))}" if math.isfinite(upper) else ""
    st.caption(f"{part.cardinality:,} of {data.n_features:,} features{proven}.")


def winner(standing: Race, best: Known) -> str:
    """Say which of the finished solvers has most variance, when it had it first, and how near the optimum that is."""
    winners, upper = standing.winners, _upper(standing, best)
    if not winners:
        still = standing.proof_state == RUNNING or any(lane.state == RUNNING for lane in standing.lanes)
        return RUNNING_YET if still else "No solver has finished."
    first, most = winners[0], max(lane.variance for lane in winners)
    name = f"The {title('best').lower()}" if first.method == "best" else title(first.method)
    count = len(standing.finished)
    running = any(lane.state == RUNNING for lane in standing.lanes)
    among = "" if not running else f" ({count} solvers have finished)" if count > 1 else " (no other has finished)"
    proven = words.proven_share(share(most, upper)) if math.isfinite(upper) else "no upper bound is proven yet"
    sure = " (proven)" if proven.startswith("at least") else ""
    live, rest = "", ""
    if _is_beaten(most, best):
        live, rest = " of this live run", f"  \nThe best known: **{words.proven_share(best.ratio)}**."
    text = (
        f"**{name}** was the first to reach the best component{live}, after {words.seconds(first.arrival(most) or 0.0)}"
        f"{among}: **{proven}**{sure}.{rest}"
    )
    return text.replace(" %", "\u00a0%")


def _is_beaten(variance: float, best: Known) -> bool:
    """Tell whether a better component is known than one of this variance, by more than rounding can be."""
    return best.bounded and best.lower > variance * (1 + GAIN)


def details(standing: Race, upper: float) -> list[str]:
    """Say of every solver what it found and when, which did not finish, and how far the upper bound has come."""
    winners, lines = standing.winners, []
    if len(winners) > 1:
        most = max(lane.variance for lane in winners)
        same = (f"{title(lane.method)} ({words.seconds(lane.arrival(most) or 0.0)})" for lane in winners[1:])
        lines.append(f"Same variance as the best, to 1 part in a million: {', '.join(same)}.")
    behind = sorted((lane for lane in standing.finished if lane not in winners), key=lambda lane: -lane.variance)
    if behind and math.isfinite(upper):
        ways = (
            f"{title(lane.method)} {words.proven_share(share(lane.variance, upper))}, {words.seconds(lane.seconds)}"
            for lane in behind
        )
        lines.append(f"Also finished, live: {'; '.join(ways)}.")
    for how, words_of in ((STOPPED, "Not finished"), (BARRED, "Did not start")):
        if lanes := [lane for lane in standing.lanes if lane.state == how]:
            each = "; ".join(f"{title(lane.method)} ({sanitize.plain(lane.reason)})" for lane in lanes)
            lines.append(f"{words_of}: {each}.")
    if running := [title(lane.method) for lane in standing.lanes if lane.state == RUNNING]:
        lines.append(f"Still running: {', '.join(running)}.")
    if standing.upper is not None:
        lines.append(_proof(standing))
    return [sentence.replace(" %", "\u00a0%") for sentence in lines]


def _proof(standing: Race) -> str:
    """Say how far this run's own proof has come."""
    spent = words.seconds(standing.proof_seconds)
    if standing.proof_state == FINISHED:
        return f"The proof of the upper bound ended after {spent}."
    if standing.proof_state == RUNNING:
        return "The upper bound is proven and still coming down: the shares can only rise."
    return f"The proof was stopped after {spent}: the upper bound holds, and a longer proof may lower it."


def takeaway(standing: Race, figure: Figure, data: Dataset, now: State, choice: Choices) -> None:
    """Offer every point, the race as JSON, the figure and the code."""
    rows = standing.to_records(known.at(data, now).upper)
    stem = f"{data.name}-k{now.k}-race"
    st.dataframe(
        [
            {HEADINGS[key]: cell for key, cell in row.items()} | {HEADINGS["who"]: TITLES.get(str(row["who"]), PROOF)}
            for row in rows
        ],
        hide_index=True,
        alt="One row for each better component and each upper bound.",
    )
    with st.container(horizontal=True):
        charts.download("Every point (CSV)", downloads.table_csv(rows), "csv-race", f"{stem}.csv")
        charts.json_button(lambda: _json(standing, data, now, choice), "json-race", f"{stem}.json")
        charts.figure_button(figure, "html-race", f"{stem}.html")
    st.markdown("The same with the library:")
    st.code(_code(now, choice), language="python", wrap_lines=True)


def _json(standing: Race, data: Dataset, now: State, choice: Choices) -> bytes:
    """Return what was asked, and the whole race with the loadings of every step."""
    return downloads.json_of(
        {
            **downloads.data_record(data, now),
            "k": now.k,
            "options": choice.options(now),
            "seconds_allowed": choice.limit,
            "upper": standing.upper,
            "lowest_upper_known": known.at(data, now).upper,
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
            "upper_bounds": [{"seconds": fall.seconds, "upper": fall.upper} for fall in standing.falls],
        }
    )


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
