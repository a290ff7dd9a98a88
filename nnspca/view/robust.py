"""How far an answer holds, for one part or several: indispensable features, proven; stability, estimated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

import nnspca
from nnspca.components import deflated_problem
from nnspca.control.arguments import Deflation
from nnspca.datasets import Dataset
from nnspca.result import Component, Components, Necessity, Stability, rounded, wording
from nnspca.view import sanitize, say, tasks
from nnspca.view.jobs import Job, stretch
from nnspca.view.link.state import keys_of
from nnspca.view.link.widgets import choose
from nnspca.view.subject import Subject
from nnspca.view.tasks import Key
from nnspca.view.ui import component

SHARE = "in resamples (%)"  # the column that is drawn as bars
ROWS = 300  # most rows of a table


def features(rows: Sequence[dict[str, object]], alt: str, height: int = 400) -> None:
    """List features, the first of many."""
    st.dataframe(
        [{name: sanitize.line(v) if isinstance(v, str) else v for name, v in row.items()} for row in rows[:ROWS]],
        hide_index=True,
        height=height,
        column_config={SHARE: st.column_config.ProgressColumn(min_value=0, max_value=100, format="%d")},
        alt=alt,
    )


WITHIN = keys_of("explore")["within"]
NEED_STOPPED = "Stopped. What was proven by then is shown; the rest is not decided."
JOINT: Deflation = "joint"
TOGETHER: Deflation = "together"
DISJOINT: Deflation = "disjoint"


@dataclass(frozen=True, eq=False)
class Needed:
    """What is proven by now."""

    proven: Mapping[int, Necessity]  # by part, on all features
    stopped: bool = False  # whether more was to be proven


def only(part: Component, total: float) -> Components:
    """Return a component as a decomposition into one part."""
    return Components((part,), np.array([part.variance]), total, part.method, DISJOINT, nonnegative=part.nonnegative)


def provable(parts: Components) -> bool:
    """Tell whether every part was sought alone, so that an upper bound speaks about it."""
    return parts.deflation not in (JOINT, "quasi-orthogonal") and nnspca.METHODS[parts.method].feasible


def alone(cov: nnspca.Covariance, parts: Components, r: int) -> tuple[nnspca.Covariance, Component]:
    """Return what part r can be held against on its own, and the part as it stands there.

    Where parts are found together, it is the features that the other parts leave free.
    """
    if parts.deflation != TOGETHER:
        return deflated_problem(cov, parts, r)
    others, part = np.delete(parts.loadings, r, axis=1), parts.parts[r]
    left = nnspca.deflate(cov, others, DISJOINT)
    x = part.loadings[~others.any(axis=1)]
    return left, replace(part, loadings=x, variance=left.variance(x), k=min(part.k, left.n_features))


def need_panel(parts: Components, subject: Subject) -> None:
    """Ask for the tolerance, prove which features every part within it has, and show them."""
    if not provable(parts):
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
        key = _need_key(parts, subject, within)
        task = tasks.kept("need", key, lambda job: _need_find(job, parts, subject, within))
        about = "Some seconds, at most about half a minute a part. Stop at any time: what is proven is kept."
        job = tasks.offer(task, tasks.compute(about, ":material/push_pin:"))
    needed = tasks.answer(task, job, NEED_STOPPED)
    if needed is not None and needed.proven:
        _need_answer(needed, parts, subject)


def _need_key(parts: Components, subject: Subject, within: float) -> Key:
    used = np.packbits(parts.loadings != 0).tobytes()
    return subject.key("indispensable", parts.deflation, used, within)


def _need_find(job: Job, parts: Components, subject: Subject, within: float) -> Needed:
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
    left, own = alone(cov, parts, r)
    said = say.capital if count == 1 else lambda at: f"Indispensable to part {r + 1}: {at}"
    need = subject.call(
        job,
        nnspca.necessity,
        own.k,
        within / 100,
        cov=left,
        nonnegative=own.nonnegative,
        component=own,
        on_progress=stretch(job.report, r / count, (r + 1) / count, said),
    )
    n = cov.n_features
    if left.n_features == n:
        return need
    others = np.delete(parts.loadings, r, axis=1) if parts.deflation == TOGETHER else parts.loadings[:, :r]
    places = np.flatnonzero(~others.any(axis=1))
    essential, dispensable, limit = np.zeros(n, dtype=bool), np.ones(n, dtype=bool), np.zeros(n)
    essential[places], dispensable[places], limit[places] = need.essential, need.dispensable, need.limit
    whole = replace(need.component, loadings=parts.loadings[:, r])
    return replace(need, component=whole, essential=essential, dispensable=dispensable, limit=limit)


def _need_answer(needed: Needed, parts: Components, subject: Subject) -> None:
    """Say it in words, draw it on the parts, and list every feature."""
    data = subject.data
    st.markdown(need_summary(needed, parts, component.noun(data)))
    r = len(parts.parts)
    upper, found = subject.parts_along((r,))[r].upper, float(parts.cumulative_variance[-1])
    layers = component.of(parts, data, rounded.digits(found, upper, parts.total or 1.0))  # as many as the headline has
    for r, need in needed.proven.items():
        used = need.component.loadings != 0
        layers[r] = replace(layers[r], sure=need.essential & used, open=need.undecided & used)
    component.show(layers, data, "needed", note="Framed: indispensable, proven. Dashed: not decided.")
    features(
        need_listing(needed, data),
        "Each feature: a part's own first, then the others by their largest possible loading.",
    )
    st.caption(
        f"“Squared loading at most” is proven for every part within the tolerance whose loadings are the best for its "
        f"{component.noun(data)}. “Not decided”: neither a proof nor a counterexample was found."
    )


def need_summary(needed: Needed, parts: Components, noun: str) -> str:
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


def need_listing(needed: Needed, data: Dataset) -> list[dict[str, object]]:
    """Return a row for each part and feature: its own by falling loading, then the others by falling limit."""
    several = len(needed.proven) > 1
    rows: list[dict[str, object]] = []
    for r, need in needed.proven.items():
        x = need.component.loadings
        order = np.lexsort((-need.limit, -np.abs(x)))
        rows += [
            ({"part": r + 1} if several else {})
            | {
                "feature": str(data.feature_names[i]),
                "loading": float(x[i]),
                "state": need.state(i),
                "squared loading at most": rounded.percent(need.limit[i], 2, up=True),
            }
            for i in (order[: np.count_nonzero(x)] if several else order)
        ]
    return rows


RESAMPLES = keys_of("explore")["resamples"]
STABILITY_STOPPED = "Stopped. The resamples so far are shown."
STARTS = 3  # of the search for parts together, in each resample
LOOKS = 5  # times that a run under way is drawn anew


@dataclass(frozen=True, eq=False)
class Sought:
    """Parts, and what finds them again."""

    parts: Components
    solver: Any
    title: str = ""  # what the page calls the way in which they were found
    options: tuple[tuple[str, Any], ...] = ()  # of the search, besides k and seed

    @property
    def arguments(self) -> dict[str, Any]:
        """What the search in each resample is called with."""
        fewer = {"starts": STARTS} if self.parts.deflation == "together" else {}
        return {**dict(self.options), **fewer}


def stability_panel(sought: Sought, subject: Subject) -> None:
    """Ask how often to draw, start the run, and show how often each feature returns."""
    noun = component.noun(subject.data)
    what = "component" if len(sought.parts.parts) == 1 else "parts"
    st.markdown(
        f"Draw {subject.data.X.shape[0]:,} samples with replacement, find the {what} again, and count how often each "
        f"of the {noun} returns. This is an estimate and proves nothing."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        draws = choose(
            RESAMPLES, "Resamples", help="More resamples take longer; the estimate is more precise.", width=260
        )
        key = _stability_key(sought, subject, draws)
        task = tasks.kept("stable", key, lambda job: _stability_find(job, sought, subject, draws))
        about = "Some seconds to some minutes. Stop at any time: what was drawn by then is shown."
        job = tasks.offer(task, tasks.compute(about, ":material/casino:"))
    stability = tasks.answer(task, job, STABILITY_STOPPED)
    if stability is not None and stability.resamples:
        _stability_answer(stability, sought, subject)
    elif job is not None and job.stopped and job.done:
        st.info("No resample was drawn before it was stopped.", icon=":material/casino:")


def _stability_key(sought: Sought, subject: Subject, draws: int) -> Key:
    how = sought.solver, sought.options, len(sought.parts.parts)
    return subject.key("stable", how, draws)


def _stability_find(job: Job, sought: Sought, subject: Subject, draws: int) -> Stability:
    """Draw the samples again; publish what is known a few times on the way."""

    def look(stability: Stability) -> None:
        if stability.resamples % -(-draws // LOOKS) == 0 and stability.resamples < draws:
            job.publish(stability)

    settings = sought.arguments | subject.many(job)
    settings["on_progress"] = stretch(job.report, 0.0, 1.0, say.capital)
    return nnspca.bootstrap(
        subject.data,
        subject.k,
        n_components=len(sought.parts.parts),
        resamples=draws,
        method=sought.solver,
        standardize=subject.standardise,
        nonnegative=subject.nonnegative and sought.solver != "pca",
        parts=sought.parts,
        on_resample=look,
        **settings,
    )


def _stability_answer(stability: Stability, sought: Sought, subject: Subject) -> None:
    """Say it in words, draw it on the features, and list every feature."""
    data = subject.data
    noun = component.noun(data)
    st.markdown(stability_summary(stability))
    often = np.where(
        stability.recurrence.argmax(axis=1)[:, None] == np.arange(stability.recurrence.shape[1]),
        stability.recurrence,
        0.0,
    )
    layers = [
        component.Layer(100 * column, f"returns: {rounded.percent(share, 0)}", most=100.0)
        for column, share in zip(often.T, stability.mean_recurrence, strict=True)
    ]
    note = f"Strength: in how many resamples each of the {noun} returns."
    component.show(layers, data, "recurrence", what="% of resamples", note=note)
    features(stability_listing(stability, data), "Each feature of each part: how often it returns, and its loading.")
    few = f" with {STARTS} starts each" if "starts" in sought.arguments else ""
    matched = "" if len(layers) == 1 else " The parts of each resample are matched with these by shared features."
    st.caption(f"{sought.title} {stability.resamples:,} resamples{few}.{matched}".strip())


def stability_summary(stability: Stability) -> str:
    """Say how many parts are stable, and how often the features of each return beside chance."""
    r, stable = len(stability.parts), int(stability.stable.sum())
    which = f"{stable} of {wording.plural(r, 'part')} {'is' if stable == 1 else 'are'} stable"
    lines = [f"### {which} (probable, not proven)", sanitize.plain(stability.summary())]
    if stability.degenerate:
        some = "One resample consists" if stability.degenerate == 1 else f"{stability.degenerate:,} resamples consist"
        lines.append(f"{some} of one sample, repeated: no feature returns there.")
    return "\n\n".join(lines)


def stability_listing(stability: Stability, data: Dataset) -> list[dict[str, object]]:
    """Return a row for each part and feature that it ever had, its own and the most frequent first."""
    several = len(stability.parts.parts) > 1
    return [
        ({"part": row["part"]} if several else {})
        | {
            "feature": str(data.feature_names[int(str(row["feature"]))]),
            SHARE: rounded.floor(100 * float(str(row["recurrence"])), 1),
            "loading": row["loading"],
        }
        for row in stability.to_records()
    ]
