"""The stage of the Explore page: the player, which follows the runs that go on, and what a press in it chooses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from nnspca.datasets import Dataset
from nnspca.view import sanitize
from nnspca.view.explore import content, path, run, sentences
from nnspca.view.explore.choices import Choices
from nnspca.view.explore.content import View
from nnspca.view.explore.samples.panels import SUPERSEDED_PRESS
from nnspca.view.jobs.job import Job
from nnspca.view.link import canvas, visits
from nnspca.view.link.state import State, assign, assignments, reassign
from nnspca.view.results import known
from nnspca.view.sources import store
from nnspca.view.ui import scene
from nnspca.view.words import fixed

HOME = Path(__file__).parent / "browser"
SCRIPTS = ("path.js", "curve.js", "player.js", "component.js")
HEIGHT = 580  # pixels, on a phone as on a desk: what stands below is not moved when the player arrives
POLL_SECONDS = 0.6  # between two looks at runs that go on

_mount = canvas.component("play", HOME, SCRIPTS)


def question(data: Dataset, now: State) -> str:
    """Return what the picture answers, with the data's own words."""
    noun = scene.noun(data)
    scaled = "standardised " if now.standardise else ""
    return (
        f"**{sanitize.plain(data.title)}**: which {now.k:,} of {data.n_features:,} {scaled}{noun} vary together most, "
        "and how close to the optimum is that choice?"
    )


def is_mounted() -> bool:
    """Tell whether the player is there already: what changes in it is then shown piece by piece."""
    return "play" in st.session_state


def first_results(data: Dataset, now: State, choice: Choices) -> int:
    """Return how many results the first drawing waits for: none where the ledger has the picture already."""
    stored = choice.solver.method == "best" and known.at(data, now).found
    return 0 if stored else 1


def view(data: Dataset, now: State, choice: Choices, page: Job, along: Job, others: Job | None) -> View:
    """Return all that is known by now, from the ledger and from the runs of this page."""
    latest, curves = run.latest(page), path.by_solver(others)
    method = choice.solver.method
    ks = {*choice.ks, now.k, *path.live(along).parts}
    rows = known.along(data, now, sorted(ks))
    if method == "best":
        parts = {k: row.component for k, row in rows.items() if row.found}
    else:
        parts = dict(curves.get(method, {}))
        if latest.part is not None:
            parts[now.k] = latest.part
            curves[method] = {**curves.get(method, {}), now.k: latest.part}
    other_curves = {name: curves.get(name, {}) for name in choice.others}
    return View(
        data,
        store.leading(data, now),
        now.k,
        method,
        rows,
        parts,
        path.live(along),
        other_curves,
        choice.log,
        store.covariance(data, now).features,
        sentences.further_facts(parts.get(now.k), data, now),
    )


def render(
    data: Dataset, now: State, choice: Choices, page: Job, along: Job, others: Job | None, longer: Job | None
) -> None:
    """Show the player, which asks by itself for what is new while a run of this view goes on."""
    jobs = [job for job in (along, others, longer) if job is not None and not job.done]

    def packed() -> dict[str, Any]:
        """Return what is known now."""
        for job in jobs:
            job.wait(0.0)
        running = any(not job.done for job in jobs)  # before the rest is read: what a run has at its end is in it
        seen = view(data, now, choice, page, along, others)
        packed_ = content.payload(
            seen,
            store.mean(data),
            about=f"{along.key} {choice.solver.method}",
            note=_note(along, others),
            live_text=sentences.live(run.latest(page), seen.leading, done=page.done),
        )
        return {**packed_, "running": running, "version": f"{packed_['signature']} {running}"}

    def news(version: str) -> dict[str, Any] | None:
        """Return what is known now, None where the player has it."""
        known_now = packed()
        return None if known_now["version"] == version else known_now

    _mount(
        key="play",
        data={
            **packed(),
            "address": visits.current().publish("play", news) if jobs else "",
            "every": round(1000 * POLL_SECONDS),
            "assignments": assignments(),
        },
        height=HEIGHT,
        on_k_change=_choose_k,
        on_point_change=_choose_point,
        on_why_change=_ask_why,
        on_ended_change=_keep_choices,
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
    """Ask why a feature is in the component: the part of the page that answers opens."""
    feature = canvas.sent("play", "why")
    if feature is not None:
        st.query_params["why"] = str(int(feature) + 1)
        assign(samples=True)
        st.session_state[SUPERSEDED_PRESS] = canvas.sent("sheet", "why")
        st.session_state["_asked"] = st.session_state.get("_asked", 0) + 1


def _keep_choices() -> None:
    """Keep choices that the browser had not learned of when it asked for the page anew, at the end of all runs."""
    seen = canvas.sent("play", "ended")
    if seen is not None:
        reassign(int(seen))


def _note(along: Job, others: Job | None) -> str:
    """Say how far the live run along k has come; once it has ended, that of the other solvers."""
    if along.problem:
        return along.problem
    running = [job for job in (along, others) if job is not None and not job.done]
    return f"{running[0].stage} ({fixed(100 * min(running[0].progress.fraction, 1.0), 0)} %)" if running else ""
