"""How stable one part or several are: how often their features return when the samples are drawn again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Components, Stability, sentences, wording
from nnspca.view import cache, tasks, words
from nnspca.view.jobs import machines
from nnspca.view.jobs.job import Job, stretch
from nnspca.view.link.state import State, chosen, keys_of
from nnspca.view.link.widgets import choose
from nnspca.view.tasks import Key, Subject, Task
from nnspca.view.ui import asked, component, downloads

RESAMPLES = keys_of("explore")["resamples"]
STOPPED = "Stopped. The resamples so far are shown."
STARTS = 3  # of the search for parts together, in each resample
LOOKS = 5  # times that a run under way is drawn anew


@dataclass(frozen=True, eq=False)
class Sought:
    """Parts, and what finds them again."""

    parts: Components
    solver: str
    title: str = ""  # what the page calls the way in which they were found
    options: tuple[tuple[str, Any], ...] = ()  # of the search, besides k and seed

    @property
    def arguments(self) -> dict[str, Any]:
        """What the search in each resample is called with."""
        fewer = {"starts": STARTS} if self.parts.deflation == "together" else {}
        return {**dict(self.options), **fewer}


def panel(sought: Sought, data: Dataset, now: State) -> None:
    """Ask how often to draw, start the run, and show how often each feature returns."""
    noun = component.noun(data)
    what = "component" if len(sought.parts.parts) == 1 else "parts"
    st.markdown(
        f"Draw {data.X.shape[0]:,} samples with replacement, find the {what} again, and count how often each of the "
        f"{noun} returns. This is an estimate and proves nothing."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        draws = choose(
            RESAMPLES, "Resamples", help="More resamples take longer; the estimate is more precise.", width=260
        )
        key = _key(sought, data, now, draws)
        task = Task("stable", key, lambda: tasks.kept(key, _find(sought, data, now, draws)))
        about = "Some seconds to some minutes. Stop at any time: what was drawn by then is shown."
        job = tasks.offer(task, tasks.compute(about, ":material/casino:"))
    stability = tasks.answer(task, job, STOPPED)
    if stability is not None and stability.resamples:
        _answer(stability, sought, data, now, draws)
    elif job is not None and job.stopped and job.done:
        st.info("No resample was drawn before it was stopped.", icon=":material/casino:")


def known(sought: Sought | None, data: Dataset, now: State) -> Stability | None:
    """Return how often the features of these parts return, where that was estimated; else None."""
    if sought is None:
        return None
    stability = cache.results().get(_key(sought, data, now, chosen(RESAMPLES)))
    same = stability is not None and np.array_equal(stability.parts.loadings != 0, sought.parts.loadings != 0)
    return stability if same else None


def clause(stability: Stability | None) -> str:
    """Say how many parts are stable, where that was estimated; else nothing."""
    if stability is None or not stability.resamples:
        return ""
    stable, r = stability.suggested_r, len(stability.parts.parts)
    if r == 1:
        return f" It is {'' if stable else 'not '}stable over {stability.resamples:,} resamples (an estimate)."
    which = "All" if stable == r else f"{wording.spelled(stable).capitalize()} of the {wording.spelled(r)}"
    return f" {which} are stable over {stability.resamples:,} resamples (an estimate)."


def _key(sought: Sought, data: Dataset, now: State, draws: int) -> Key:
    how = sought.solver, sought.options, len(sought.parts.parts)
    return Subject(data, now).key("stable", how, draws)


def _find(sought: Sought, data: Dataset, now: State, draws: int) -> Callable[[Job], Stability]:
    """Return what draws the samples again; it publishes what is known a few times on the way."""

    def find(job: Job) -> Stability:
        def look(stability: Stability) -> None:
            if stability.resamples % -(-draws // LOOKS) == 0 and stability.resamples < draws:
                job.publish(stability)

        return nnspca.bootstrap(
            data,
            now.k,
            len(sought.parts.parts),
            draws,
            sought.solver,
            standardize=now.standardise,
            nonnegative=now.nonnegative and sought.solver != "pca",
            parts=sought.parts,
            seed=now.seed,
            executor=machines.executor(),
            on_resample=look,
            should_stop=job.should_stop,
            on_progress=stretch(job.report, 0.0, 1.0, words.capital),
            **sought.arguments,
        )

    return find


def _answer(stability: Stability, sought: Sought, data: Dataset, now: State, draws: int) -> None:
    """Say it in words, draw it on the features, and list every feature."""
    noun = component.noun(data)
    st.markdown(summary(stability, noun))
    often = np.where(
        stability.recurrence.argmax(axis=1)[:, None] == np.arange(stability.recurrence.shape[1]),
        stability.recurrence,
        0.0,
    )
    layers = [
        component.Layer(100 * column, f"returns: {words.percent(share)}", most=100.0)
        for column, share in zip(often.T, stability.mean_recurrence, strict=True)
    ]
    note = f"Strength: in how many resamples each of the {noun} returns."
    component.show(layers, data, "recurrence", what="% of resamples", note=note)
    asked.features(listing(stability, data), "Each feature of each part: how often it returns, and its loading.")
    few = f" with {STARTS} starts each" if "starts" in sought.arguments else ""
    matched = "" if len(layers) == 1 else " The parts of each resample are matched with these by shared features."
    st.caption(f"{sought.title} {stability.resamples:,} resamples{few}.{matched}".strip())
    extra = "".join(f", {name}={value!r}" for name, value in sought.arguments.items())
    call = (
        f"found = nnspca.bootstrap(data, {now.k}, {len(layers)}, {draws}, {sought.solver!r}, "
        f"standardize={now.standardise}, nonnegative={now.nonnegative and sought.solver != 'pca'}, "
        f"seed={now.seed}{extra})\n"
        "print(found.mean_recurrence, found.error, found.suggested_r)"
    )
    st.code("\n".join([*downloads.data_lines(now), call]), language="python", wrap_lines=True)


def summary(stability: Stability, noun: str) -> str:
    """Say how many parts are stable, and which is most and which least stable, in plain words."""
    r, mean, error = len(stability.mean_recurrence), stability.mean_recurrence, stability.error
    stable, bar = stability.suggested_r, words.fixed(100 * stability.threshold, 0)
    head = f"### {stable} of {r} {'part' if r == 1 else 'parts'} {'returns' if stable == 1 else 'return'}"
    head += f" with at least {bar} % of {'its' if stable == 1 else 'their'} {noun}"
    each = "; ".join(
        f"part {c + 1} **{words.percent(mean[c])}**"
        + (f" ± {words.at_most(100 * error[c], 0)}" if np.isfinite(error[c]) else "")
        for c in np.argsort(stability.ranks, kind="stable")
    )
    lines = [
        f"{head} (probable, not proven)",
        f"The share of a part's {noun} that returns, on average, the most stable part first: {each}.",
    ]
    if r == 1:
        lines[1] = sentences.stability(stability)
    elif stable < r:
        lines.append(f"Resampling suggests **{stable} {'part' if stable == 1 else 'parts'}**, not {r}.")
    if stability.degenerate:
        some = "One resample consists" if stability.degenerate == 1 else f"{stability.degenerate:,} resamples consist"
        lines.append(f"{some} of one sample, repeated: no feature returns there.")
    return "\n\n".join(lines)


def listing(stability: Stability, data: Dataset) -> list[dict[str, object]]:
    """Return a row for each part and feature that it ever had, its own and the most frequent first."""
    several = len(stability.parts.parts) > 1
    return [
        ({"part": row["part"]} if several else {})
        | {
            "feature": str(data.feature_names[int(str(row["feature"]))]),
            asked.SHARE: words.floor(100 * float(str(row["recurrence"])), 1),
            "loading": row["loading"],
        }
        for row in stability.to_records()
    ]
