"""The stage of the Explore page: the player, redrawn while runs go on, and what a press in it chooses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from nnspca.datasets import Dataset
from nnspca.view import sanitize
from nnspca.view.explore import content, path, run, sentences
from nnspca.view.explore.choices import Choices
from nnspca.view.explore.content import View
from nnspca.view.explore.samples.panels import ASKED_BEFORE
from nnspca.view.results import known
from nnspca.view.session import canvas, scene, store
from nnspca.view.session.job import Job
from nnspca.view.session.state import State
from nnspca.view.words import fixed

HOME = Path(__file__).parent / "browser"
SCRIPTS = ("path.js", "curve.js", "player.js", "component.js")
HEIGHT = 580  # pixels, on a phone as on a desk: what stands below is not moved when the player arrives
PRESSED = "_pressed"  # whether a press in the player asks for more than the player to be drawn anew
POLL_SECONDS = 1.2  # between two looks at runs that go on

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
        sentences.besides(parts.get(now.k), data, now),
    )


def render(
    data: Dataset, now: State, choice: Choices, page: Job, along: Job, others: Job | None, longer: Job | None
) -> None:
    """Show the player, again and again while a run of this view goes on."""
    jobs = [job for job in (along, others, longer) if job is not None and not job.done]

    def draw() -> None:
        """Draw what is known now, and the whole page again once nothing runs any more."""
        running = [job for job in jobs if not job.done]
        if st.session_state.get("k", now.k) != now.k or st.session_state.pop(PRESSED, False):
            st.rerun()
        seen = view(data, now, choice, page, along, others)
        packed = content.payload(
            seen,
            store.mean(data),
            about=f"{along.key} {choice.solver.method}",
            note=_note(along),
            live_text=sentences.live(run.latest(page), seen.leading, done=page.done),
        )
        _mount(
            key="play",
            data=packed,
            height=HEIGHT,
            on_k_change=_choose_k,
            on_point_change=_choose_point,
            on_why_change=_ask_why,
        )
        if jobs and not running:
            st.rerun()

    # a fragment whether or not anything runs: the player would lose its place by moving out of one
    st.fragment(draw, run_every=POLL_SECONDS if jobs else None)()


def _setting(what: str) -> Any:
    return getattr(st.session_state["play"], what)


def _choose_k() -> None:
    k = _setting("k")
    if k is not None:
        st.session_state["k"] = int(k)


def _choose_point() -> None:
    """Show the component of a point of a curve: its k, and the solver that found it."""
    point = _setting("point")
    if point is not None:
        st.session_state[PRESSED] = True
        st.session_state["k"], st.session_state["method"] = int(point["k"]), str(point["method"])


def _ask_why() -> None:
    """Ask why a feature is in the component: the part of the page that answers opens."""
    feature = _setting("why")
    if feature is not None:
        st.session_state[PRESSED] = True
        st.query_params["why"] = str(int(feature) + 1)
        st.session_state["samples"] = True
        st.session_state[ASKED_BEFORE] = getattr(st.session_state.get("sheet"), "why", None)
        st.session_state["_asked"] = st.session_state.get("_asked", 0) + 1


def _note(job: Job) -> str:
    """Say how far the live run along k has come."""
    if job.problem:
        return job.problem
    return "" if job.done else f"{job.stage} ({fixed(100 * min(job.progress.fraction, 1.0), 0)} %)"
