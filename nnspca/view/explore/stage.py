"""The stage of the Explore page: the view that its parts read, and the player, which follows the runs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component, Stability, sentences, wording
from nnspca.result.features import Features
from nnspca.view import robust, sanitize, say, session, tasks
from nnspca.view.explore import run
from nnspca.view.explore.run import Choices, Live, Runs
from nnspca.view.figures import band
from nnspca.view.jobs import Job
from nnspca.view.ledger import Known, band_of
from nnspca.view.link import canvas, state
from nnspca.view.link.state import assign, assignments
from nnspca.view.robust import Sought
from nnspca.view.say import at_least, ceils, fixed, floors, proven_share, seconds
from nnspca.view.subject import Subject
from nnspca.view.ui import component

COMPUTING = "Computing the upper bound …"
NAMED = 4  # maximum number of features named in a sentence


def explained(part: Component, data: Dataset, leading: float) -> str:
    """Say how many features a component has, and which share of λ₁, which is ``leading``, it explains."""
    noun, used = component.noun(data), part.cardinality
    which = f"{used:,} of {data.n_features:,} {noun if data.n_features != 1 else noun.removesuffix('s')}"
    return say.explains(which, used, part.variance, leading, "λ₁")


def indispensable(part: Component | None, subject: Subject) -> str:
    """Say which features are indispensable, where that was proven of this component; else nothing."""
    needed = None if part is None else robust.need_known(robust.only(part, subject.cov.trace), subject)
    return "" if needed is None else sanitize.line(sentences.necessity(needed.proven[0]))


def sought(part: Component, subject: Subject) -> Sought:
    """Return a component with what finds it again."""
    return Sought(robust.only(part, subject.cov.trace), part.method)


def stability_of(part: Component | None, subject: Subject) -> Stability | None:
    """Return the stability estimate of this component, or None if there is none."""
    return None if part is None else robust.stability_known(sought(part, subject), subject)


def sentence(part: Component, known: Known, data: Dataset, leading: float, features: Features | None = None) -> str:
    """Say what a component is made of and explains, and how close to the optimum it is proven to be.

    ``features`` has the names of the features; without it only their number is given.
    """
    text = explained(part, data, leading)
    if features is not None and features.total and part.cardinality:
        clause = sanitize.line(sentences.clause(dataclasses.replace(part, features=features), NAMED))
        of_total = at_least(100 * part.variance / features.total, 1)
        these = "This" if part.cardinality == 1 else "These"
        text = f"{clause}. {these} {text} and {of_total} % of the total variance"
    if part.method != "best":
        text = f"{state.TITLES[part.method]}: {text}"
    fewer = ""
    if part.cardinality < part.k:
        why = "more would need negative loadings" if part.nonnegative else "more would add nothing"
        fewer = f" The component uses {part.cardinality:,} of {part.k:,}: {why}."
    if not nnspca.METHODS[part.method].feasible and part.cardinality > part.k:
        return f"{text}. Shown for contrast: it does not satisfy the limit k = {part.k:,}."
    if not math.isfinite(known.upper):
        return f"{text}. {COMPUTING}{fewer}"
    return f"{text}. {say.proven(part.variance, known.upper, leading, stored=known.stored)}{fewer}"


def live(part: Component | None, proof: Certificate | None, leading: float, *, done: bool) -> str:
    """Say what the live run has found and proven for the k that is shown."""
    if part is None:
        return "" if done else "Live: solving …"
    text = f"Live: {at_least(100 * part.variance / leading, 1)} % of λ₁ found in {seconds(part.seconds)}"
    if proof is None or (proof.stopped and not done):
        return f"{text}; {COMPUTING[0].lower()}{COMPUTING[1:]}" if not done else f"{text}."
    return f"{text}, {proven_share(say.share(part.variance, proof.upper))} in {seconds(proof.seconds)}."


LISTED = 24  # names sent for each k where features are a list
DIGITS = 7  # of a share: bounds are rounded up, variances down


@dataclass(frozen=True, eq=False)
class View(Subject):
    """What the page shows: one value that every part of it reads."""

    choice: Choices
    known: Mapping[int, Known]  # what the ledger knows at each k
    parts: Mapping[int, Component]  # the components that the picture plays: the best known, or those of another solver
    live: Live  # what the live run of the portfolio has found
    others: Mapping[str, Mapping[int, Component]] = field(default_factory=dict)  # the curves of other solvers

    @property
    def part(self) -> Component | None:
        """The component that is shown."""
        return self.parts.get(self.k)

    @cached_property
    def besides(self) -> str:
        """What else is known of it: indispensable features, and how often it is found again."""
        found = stability_of(self.part, self)
        again = "" if found is None else sentences.stability(found)
        return sentences.join(indispensable(self.part, self), again)

    @cached_property
    def band(self) -> band.Band:
        """What is known along k, in shares of λ₁."""
        return band_of(self.known.values(), self.leading)

    @property
    def curves(self) -> dict[str, dict[int, float]]:
        """For each solver by its title, the shares of λ₁ along k; the best known first."""
        unit = self.leading
        best = {k: row.lower / unit for k, row in self.known.items() if row.found}
        return {"best known": best} | {
            state.TITLES[name]: {k: part.variance / unit for k, part in sorted(points.items())}
            for name, points in self.others.items()
        }


def payload(view: View, backdrop: np.ndarray | None, *, about: str, note: str, live_text: str) -> dict[str, Any]:
    """Return all the browser needs; shares are of λ₁, upper bounds rounded up, gaps too.

    ``about`` tells one view from another, ``note`` what is under way, and ``live_text`` what the live run
    has found for the k that is shown.
    """
    data, unit = view.data, view.leading or 1.0
    ks = sorted(k for k in view.parts if k in view.known)
    content = {
        "about": about,
        "n": data.n_features,
        "k": view.k,
        "noun": component.noun(data),
        "note": note,
        "live_says": live_text,
        "log": view.choice.log,
        "ks": ks,
        "says": [sentence_at(view, k) for k in ks],
        "shares": floors([view.parts[k].variance / unit for k in ks], DIGITS),
        "gaps": band.gaps([(view.parts[k].variance, view.known[k].upper) for k in ks], DIGITS),
        "band": _band(view, unit),
        "closed": band.closed(view.band),
        "curves": _curves(view, unit),
        "live": _live(view, unit),
        **_packed([view.parts[k] for k in ks], data, backdrop),
    }
    return canvas.signed(content)


def sentence_at(view: View, k: int) -> str:
    """Return the sentence about the component at k."""
    text = sentence(view.parts[k], view.known[k], view.data, view.leading or 1.0, view.cov.features)
    return f"{text} {view.besides}".strip() if k == view.k else text


def _band(view: View, unit: float) -> dict[str, Any]:
    rows, optimal = [row for row in view.known.values() if row.found and row.bounded], set(view.band.optimal)
    return {
        "ks": [row.at for row in rows],
        "lower": floors([row.lower / unit for row in rows], DIGITS),
        "upper": _capped([row.upper / unit for row in rows]),
        "gaps": band.gaps([(row.lower, row.upper) for row in rows], DIGITS),
        "optimal": [row.at in optimal for row in rows],
        "proven": [row.proven for row in rows],
        "stored": any(row.stored for row in rows),
    }


def _capped(shares: Sequence[float]) -> list[float]:
    """Round upper bounds up; λ₁ itself is one: what rounding adds to its share is not shown."""
    return [min(share, 1.0) for share in ceils(shares, DIGITS)]


def _curves(view: View, unit: float) -> list[dict[str, Any]]:
    curves = []
    for name, points in view.others.items():
        found = [(points[k].variance, view.known[k]) for k in sorted(points)]
        curves.append(
            {
                "method": name,
                "title": state.TITLES[name],
                "ks": sorted(points),
                "shares": floors([variance / unit for variance, _ in found], DIGITS),
                "gaps": band.gaps([(low, row.upper if row.proven else math.inf) for low, row in found], DIGITS),
            }
        )
    return curves


def _live(view: View, unit: float) -> dict[str, Any]:
    parts, certificates = sorted(view.live.parts.items()), sorted(view.live.certificates.items())
    return {
        "ks": [k for k, _ in parts],
        "shares": floors([part.variance / unit for _, part in parts], DIGITS),
        "proven": [k for k, _ in certificates],
        "upper": _capped([proof.upper / unit for _, proof in certificates]),
        "gaps": band.gaps([(proof.lower, proof.upper) for _, proof in certificates], DIGITS),
    }


def _packed(parts: list[Component], data: Dataset, backdrop: np.ndarray | None) -> dict[str, Any]:
    supports = [part.support for part in parts]
    loadings = [part.loadings[part.support] for part in parts]
    heavy = {i for part in parts for i in wording.heaviest(part)[:LISTED]}
    return {
        "starts": canvas.pack(np.cumsum([0, *map(len, supports)]), "i4"),
        "support": canvas.pack(np.concatenate([*supports, []]), "i4"),
        "weights": canvas.pack(np.concatenate([*loadings, []]), "f4"),
        "scene": component.packed_scene(data, backdrop, sorted(heavy)),
    }


HOME = Path(__file__).parent / "browser"
SCRIPTS = ("path.js", "curve.js", "player.js")
HEIGHT = 580  # pixels on every device, so that the content below does not shift when the player loads
POLL_SECONDS = 0.6  # between two polls of running jobs

_mount = canvas.component("play", HOME, SCRIPTS)


def question(subject: Subject) -> str:
    """Return what the picture answers, with the data's own words."""
    data = subject.data
    noun = component.noun(data)
    scaled = "standardised " if subject.standardise else ""
    return (
        f"**{sanitize.plain(data.title)}**: which {subject.k:,} of {data.n_features:,} {scaled}{noun} vary together "
        "most, and how close to the optimum is that choice?"
    )


def wait(job: Job, subject: Subject, choice: Choices) -> None:
    """Wait for the first result of a run, unless the ledger has it or the player is mounted: then changes appear."""
    if "play" not in st.session_state:
        stored = choice.solver.method == "best" and subject.at().found
        job.wait_for_first(tasks.FIRST, 0 if stored else 1)


def view(subject: Subject, choice: Choices, runs: Runs) -> View:
    """Return all that is known by now, from the ledger and from the runs of this page."""
    (latest, _), curves, live = run.latest(runs.page), run.by_solver(runs.others), run.live(runs.along)
    method = choice.solver.method
    rows = subject.along(sorted({*choice.ks, subject.k, *live.parts}))
    if method == "best":
        parts = {k: row.component for k, row in rows.items() if row.found}
    else:
        parts = dict(curves.get(method, {}))
        if latest is not None:
            parts[subject.k] = latest
            curves[method] = {**curves.get(method, {}), subject.k: latest}
    others = {name: curves.get(name, {}) for name in choice.others}
    return View(subject.data, subject.now, choice, rows, parts, live, others)


def render(shown: View, runs: Runs, longer: Job | None) -> None:
    """Show the player, which polls for new results while a run of this view, or a longer proof, is under way."""
    # Whether they run is asked before their results are read, so that those of a finished one are complete.
    jobs = [job for job in (runs.along, runs.others, longer) if job is not None and not job.done]

    def packed(shown: View, running: bool) -> dict[str, Any]:
        content = payload(
            shown,
            component.backdrop(shown.data),
            about=f"{runs.along.key} {shown.choice.solver.method}",
            note=_note(runs),
            live_text=live(*run.latest(runs.page), shown.leading, done=runs.page.done),
        )
        return {**content, "running": running, "version": f"{content['signature']} {running}"}

    def news(version: str) -> dict[str, Any] | None:
        """Return what is known now, None where the player has it."""
        running = not all([job.wait(0.0) for job in jobs])
        known_now = packed(view(shown, shown.choice, runs), running)
        return None if known_now["version"] == version else known_now

    _mount(
        key="play",
        data={
            **packed(shown, bool(jobs)),
            "address": session.current().publish("play", news) if jobs else "",
            "every": round(1000 * POLL_SECONDS),
            "assignments": assignments(),
        },
        height=HEIGHT,
        on_k_change=_choose_k,
        on_point_change=_choose_point,
        on_why_change=_ask_why,
        on_ended_change=lambda: canvas.keep_choices("play", "ended"),
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


def _note(runs: Runs) -> str:
    """Say how far the live run along k has come; once it has ended, that of the other solvers."""
    if runs.along.problem:
        return runs.along.problem
    running = [job for job in (runs.along, runs.others) if job is not None and not job.done]
    return f"{running[0].stage} ({fixed(100 * min(running[0].progress.fraction, 1.0), 0)} %)" if running else ""
