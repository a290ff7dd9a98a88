"""The stage of the Explore page: the player, which follows the running jobs, and the callbacks for clicks in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from nnspca.datasets import Dataset
from nnspca.view import sanitize, session, tasks
from nnspca.view.explore import content, path, run
from nnspca.view.explore.choices import Choices
from nnspca.view.explore.content import View
from nnspca.view.jobs import progress
from nnspca.view.jobs.job import Job
from nnspca.view.link import canvas
from nnspca.view.link.state import State, assign, assignments
from nnspca.view.results import known
from nnspca.view.sources import store
from nnspca.view.ui import component
from nnspca.view.words import fixed

HOME = Path(__file__).parent / "browser"
SCRIPTS = ("path.js", "curve.js", "player.js")
HEIGHT = 580  # pixels on every device, so that the content below does not shift when the player loads
POLL_SECONDS = 0.6  # between two polls of running jobs

_mount = canvas.component("play", HOME, SCRIPTS)


def question(data: Dataset, now: State) -> str:
    """Return what the picture answers, with the data's own words."""
    noun = component.noun(data)
    scaled = "standardised " if now.standardise else ""
    return (
        f"**{sanitize.plain(data.title)}**: which {now.k:,} of {data.n_features:,} {scaled}{noun} vary together most, "
        "and how close to the optimum is that choice?"
    )


def wait(job: Job, data: Dataset, now: State, choice: Choices) -> None:
    """Wait for the first result of a run, unless the ledger has it or the player is mounted: then changes appear."""
    if "play" not in st.session_state:
        stored = choice.solver.method == "best" and known.at(data, now).found
        job.wait_for_first(tasks.FIRST, 0 if stored else 1)


def view(data: Dataset, now: State, choice: Choices, page: Job, path_job: Job, others: Job | None) -> View:
    """Return all that is known by now, from the ledger and from the runs of this page."""
    (latest, _), curves = run.latest(page), path.by_solver(others)
    method = choice.solver.method
    ks = {*choice.ks, now.k, *path.live(path_job).parts}
    rows = known.along(data, now, sorted(ks))
    if method == "best":
        parts = {k: row.component for k, row in rows.items() if row.found}
    else:
        parts = dict(curves.get(method, {}))
        if latest is not None:
            parts[now.k] = latest
            curves[method] = {**curves.get(method, {}), now.k: latest}
    other_curves = {name: curves.get(name, {}) for name in choice.others}
    return View(
        data,
        store.leading(data, now),
        now.k,
        method,
        rows,
        parts,
        path.live(path_job),
        other_curves,
        choice.log,
        store.covariance(data, now).features,
        content.further_facts(parts.get(now.k), data, now),
    )


def render(
    data: Dataset, now: State, choice: Choices, page: Job, path_job: Job, others: Job | None, longer: Job | None
) -> None:
    """Show the player, which polls for new results while a job of this view is running."""
    jobs = [job for job in (path_job, others, longer) if job is not None and not job.done]

    def packed() -> dict[str, Any]:
        """Return what is known now."""
        for job in jobs:
            job.wait(0.0)
        # Evaluated before the results are read, so that those of a finished job are complete.
        running = any(not job.done for job in jobs)
        current_view = view(data, now, choice, page, path_job, others)
        content_ = content.payload(
            current_view,
            store.mean(data),
            about=f"{path_job.key} {choice.solver.method}",
            note=_note(path_job, others),
            live_text=content.live(*run.latest(page), current_view.leading, done=page.done),
        )
        return {**content_, "running": running, "version": f"{content_['signature']} {running}"}

    def news(version: str) -> dict[str, Any] | None:
        """Return what is known now, None where the player has it."""
        known_now = packed()
        return None if known_now["version"] == version else known_now

    _mount(
        key="play",
        data={
            **packed(),
            "address": session.current().publish("play", news) if jobs else "",
            "every": round(1000 * POLL_SECONDS),
            "assignments": assignments(),
        },
        height=HEIGHT,
        on_k_change=_choose_k,
        on_point_change=_choose_point,
        on_why_change=_ask_why,
        on_ended_change=lambda: progress.keep_choices("play", "ended"),
    )


def _choose_k() -> None:
    k = canvas.sent("play", "k")
    if k is not None:
        assign(k=int(k))


def _choose_point() -> None:
    """Show the component of a point of a curve: its k, and the solver that found it."""
    point = canvas.sent("play", "point")
    if point is not None:
        assign(k=int(point["k"]), method=str(point["method"]))


def _ask_why() -> None:
    """Ask why a feature is in the component, and open the section with the answer."""
    feature = canvas.sent("play", "why")
    if feature is not None:
        st.query_params["why"] = str(int(feature) + 1)
        assign(samples=True)
        session.current().asked += 1


def _note(path_job: Job, others: Job | None) -> str:
    """Say how far the live run along k has come; once it has ended, that of the other solvers."""
    if path_job.problem:
        return path_job.problem
    running = [job for job in (path_job, others) if job is not None and not job.done]
    return f"{running[0].stage} ({fixed(100 * min(running[0].progress.fraction, 1.0), 0)} %)" if running else ""
