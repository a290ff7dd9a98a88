"""Indispensable features of a component or of several parts: asked for, proven one part after the other, shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

import nnspca
from nnspca.components import deflated_problem
from nnspca.datasets import Dataset
from nnspca.result import Component, Components, Necessity, rounded
from nnspca.view import running, say
from nnspca.view.jobs import Job, part_of_report
from nnspca.view.link.state import keys_of
from nnspca.view.link.widgets import choose
from nnspca.view.subject import DISJOINT, JOINT, TOGETHER, Subject
from nnspca.view.ui import component

WITHIN = keys_of("explore")["within"]
STOPPED = "Stopped. What was proven by then is shown; the rest is not decided."


@dataclass(frozen=True, eq=False)
class Needed:
    """What is proven by now."""

    proven: Mapping[int, Necessity]  # by part, on all features
    stopped: bool = False  # whether more was to be proven


def is_bounded(parts: Components) -> bool:
    """Tell whether every part was sought alone, so that an upper bound speaks about it."""
    return parts.deflation not in (JOINT, "quasi-orthogonal") and nnspca.METHODS[parts.method].feasible


def part_alone(cov: nnspca.Covariance, parts: Components, r: int) -> tuple[nnspca.Covariance, Component]:
    """Return the covariance on which part r is a problem of its own, and the part on it.

    Where parts are found together, it is that of the features that the other parts leave free.
    """
    if parts.deflation != TOGETHER:
        return deflated_problem(cov, parts, r)
    others, part = np.delete(parts.loadings, r, axis=1), parts.parts[r]
    left = nnspca.deflate(cov, others, DISJOINT)
    x = part.loadings[~others.any(axis=1)]
    return left, replace(part, loadings=x, variance=left.variance(x), k=min(part.k, left.n_features))


def panel(parts: Components, subject: Subject) -> None:
    """Ask for the tolerance, prove which features every part within it has, and show them."""
    if not is_bounded(parts):
        st.markdown("Nothing is proven of parts that a solver finds all at once, or that may share features.")
        return
    others = "" if len(parts.parts) == 1 else " The other parts stay as they are."
    st.markdown(
        "Which features are indispensable? Another part may be as good without some of its features. For each "
        f"feature, ask for a proof or a counterexample.{others}"
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        within = choose(
            WITHIN,
            "Tolerance (% below the best found)",
            help="How far below the best a part may be. The smaller, the more features are indispensable.",
            width=380,
        )
        key = subject.key("indispensable", parts.deflation, np.packbits(parts.loadings != 0).tobytes(), within)
        task = running.found("need", key, lambda job: find(job, parts, subject, within))
        about = "Some seconds, at most about half a minute a part. Stop at any time: what is proven is kept."
        job = running.offer(task, running.compute_button(about, ":material/push_pin:"))
    needed = running.answer(task, job, STOPPED)
    if needed is not None and needed.proven:
        _answer(needed, parts, subject)


def find(job: Job, parts: Components, subject: Subject, within: float) -> Needed:
    """Prove one part after the other; publish what is known after each."""
    proven: dict[int, Necessity] = {}
    count = len(parts.parts)
    for r in range(count):
        if job.should_stop() and proven:
            return Needed(proven, stopped=True)
        proven = {**proven, r: _needed(job, parts, r, within, subject)}
        if r + 1 < count:
            job.publish(Needed(proven))
    return Needed(proven, any(need.stopped for need in proven.values()))


def _needed(job: Job, parts: Components, r: int, within: float, subject: Subject) -> Necessity:
    """Prove which features every near-best part has, among parts made of the features that the others leave free."""
    cov, count = subject.cov, len(parts.parts)
    left, own = part_alone(cov, parts, r)
    said = str if count == 1 else lambda at: f"Indispensable to part {r + 1}: {at}"
    span = part_of_report(job.report, r / count, (r + 1) / count, said)
    how: dict[str, Any] = {"nonnegative": own.nonnegative, "component": own, "on_progress": span}
    need = subject.call(job, nnspca.necessity, own.k, within / 100, cov=left, **how)
    n = cov.n_features
    if left.n_features == n:
        return need
    others = np.delete(parts.loadings, r, axis=1) if parts.deflation == TOGETHER else parts.loadings[:, :r]
    places = np.flatnonzero(~others.any(axis=1))
    essential, dispensable, limit = np.zeros(n, dtype=bool), np.ones(n, dtype=bool), np.zeros(n)
    essential[places], dispensable[places], limit[places] = need.essential, need.dispensable, need.limit
    whole = replace(need.component, loadings=parts.loadings[:, r])
    return replace(need, component=whole, essential=essential, dispensable=dispensable, limit=limit)


def _answer(needed: Needed, parts: Components, subject: Subject) -> None:
    """Say it in words, draw it on the parts, and list every feature."""
    data = subject.data
    st.markdown(summary(needed, parts, component.called(data)))
    r = len(parts.parts)
    upper, found = subject.known_parts((r,))[r].upper, float(parts.cumulative_variance[-1])
    layers = component.of(parts, data, rounded.decimals(found, upper, parts.total or 1.0))  # those of the headline
    for r, need in needed.proven.items():
        used = need.component.loadings != 0
        layers[r] = replace(layers[r], sure=need.essential & used, open=need.undecided & used)
    component.show(layers, data, "needed", note="Framed: indispensable, proven. Dashed: not decided.")
    component.table(
        feature_rows(needed, data),
        "Each feature: a part's own first, then the others by their largest possible loading.",
    )
    st.caption(
        f"“Squared loading at most” is proven for every part within the tolerance whose loadings are the best for its "
        f"{component.called(data)}. “Not decided”: neither a proof nor a counterexample was found."
    )


def summary(needed: Needed, parts: Components, noun: str) -> str:
    """Say which features are indispensable, and which are not decided; ``noun`` is what they are called."""
    if len(parts.parts) == 1:
        return _of_one(needed.proven[0], noun)
    counts = {r: _counts(need) for r, need in needed.proven.items()}
    essential, used = sum(c[0] for c in counts.values()), sum(c[3] for c in counts.values())
    each = "; ".join(f"part {r + 1} **{c[0]:,}** of {c[3]:,}" for r, c in counts.items())
    undecided = sum(c[2] for c in counts.values())
    left = f" {undecided:,} {'is' if undecided == 1 else 'are'} not decided." if undecided else ""
    head = f"### {essential:,} of {used:,} {noun} {'is' if essential == 1 else 'are'} indispensable (proven)"
    return f"{head}\n\n{say.capital(each)}.{left}"


def _counts(need: Necessity) -> tuple[int, int, int, int]:
    """Return how many of a part's features are indispensable, dispensable, not decided, and how many it has."""
    used = need.component.loadings != 0
    states = need.essential, need.dispensable, need.undecided
    essential, spared, undecided = (int(np.count_nonzero(which & used)) for which in states)
    return essential, spared, undecided, int(used.sum())


def _of_one(need: Necessity, noun: str) -> str:
    essential, spared, undecided, used = _counts(need)
    share = rounded.fixed(100 * need.within, 1).removesuffix(".0")
    near = f"within {share} % of the best found" if need.within else "as good as the best found"
    verb, them = ("is", "it") if essential == 1 else ("are", "them")
    some = f"### None of these {used:,} {noun} is proven indispensable"
    if essential:
        some = f"### {essential:,} of these {used:,} {noun} {verb} indispensable (proven)"
        some += f": every component {near} has {them}"
    which = "Each" if spared == used else f"{spared:,}"
    verb = "is" if spared == 1 or which == "Each" else "are"
    one_by_one = "" if verb == "is" else "for each, "
    said = [f"{which} {verb} dispensable: {one_by_one}a component without it is {near}"] if spared else []
    said += [f"{undecided:,} {'is' if undecided == 1 else 'are'} not decided"] if undecided else []
    outside = need.limit[need.component.loadings == 0].max(initial=0.0)
    most = f" Elsewhere no squared loading exceeds {rounded.percent(outside, 1, up=True)}." if outside else ""
    return some + f".\n\n{'; '.join(said)}{'.' if said else ''}{most}"


def feature_rows(needed: Needed, data: Dataset) -> list[dict[str, object]]:
    """Return a row for each part and feature: its own by falling loading, then the others by falling limit."""
    several = len(needed.proven) > 1
    rows: list[dict[str, object]] = []
    for r, need in needed.proven.items():
        x = need.component.loadings
        order = np.lexsort((-need.limit, -np.abs(x)))[: np.count_nonzero(x) if several else component.ROWS]
        names = component.feature_names(data, order)
        rows += [
            ({"part": r + 1} if several else {})
            | {
                "feature": names[i],
                "loading": float(x[i]),
                "state": need.state(i),
                "squared loading at most": rounded.percent(need.limit[i], 2, up=True),
            }
            for i in order
        ]
    return rows
