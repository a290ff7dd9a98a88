"""Stability of one component or of several parts: samples drawn again, how often each feature returns; an estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Components, Stability, rounded, wording
from nnspca.view import running, sanitize
from nnspca.view.jobs import Job
from nnspca.view.link.state import keys_of
from nnspca.view.link.widgets import choose
from nnspca.view.running import Key, Task
from nnspca.view.subject import TOGETHER, Subject
from nnspca.view.ui import component

RESAMPLES = keys_of("explore")["resamples"]
STOPPED = "Stopped. The resamples so far are shown."
STARTS = 3  # of the search for parts together, in each resample
LOOKS = 5  # times that a run under way is drawn anew


def panel(parts: Components, subject: Subject, options: Sequence[tuple[str, Any]] = (), title: str = "") -> None:
    """Ask how often to draw, start the run, and show how often each feature returns.

    ``options`` found the parts, besides solver, k and seed; ``title`` says how.
    """
    noun = component.called(subject.data)
    what = "component" if len(parts.parts) == 1 else "parts"
    st.markdown(
        f"Draw {subject.data.X.shape[0]:,} samples with replacement, find the {what} again, and count how often each "
        f"of the {noun} returns. This is an estimate and proves nothing."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        draws = choose(
            RESAMPLES, "Resamples", help="More resamples take longer; the estimate is more precise.", width=260
        )
        key = subject.key("stable", parts.method, options, len(parts.parts), draws)
        search = dict(options) | ({"starts": STARTS} if parts.deflation == TOGETHER else {})
        task = finding(key, parts, subject, draws, search)
        about = "Some seconds to some minutes. Stop at any time: what was drawn by then is shown."
        job = running.offer(task, running.compute_button(about, ":material/casino:"))
    stability = running.answer(task, job, STOPPED)
    if stability is not None and stability.resamples:
        _answer(stability, subject)
        few = f" with {STARTS} starts each" if "starts" in search else ""
        matched = " The parts of each resample are matched with these by shared features." * (len(parts.parts) > 1)
        st.caption(f"{title} {stability.resamples:,} resamples{few}.{matched}".strip())
    elif job is not None and job.stopped and job.done:
        st.info("No resample was drawn before it was stopped.", icon=":material/casino:")


def finding(key: Key, parts: Components, subject: Subject, draws: int, search: Mapping[str, Any]) -> Task:
    """Return the task of drawing the samples again, which publishes what is known a few times on the way."""

    def look(job: Job, stability: Stability) -> None:
        if stability.resamples % -(-draws // LOOKS) == 0 and stability.resamples < draws:
            job.publish(stability)

    settings = {"n_components": len(parts.parts), "resamples": draws, "method": parts.method, "parts": parts, **search}
    settings |= {"on_resample": look, "nonnegative": subject.nonnegative and parts.method != "pca"}
    return subject.task("stable", key, nnspca.bootstrap, subject.k, **settings)


def _answer(stability: Stability, subject: Subject) -> None:
    """Say it in words, draw it on the features, and list every feature."""
    data = subject.data
    noun = component.called(data)
    st.markdown(summary(stability))
    often = np.where(
        stability.recurrence.argmax(axis=1)[:, None] == np.arange(stability.recurrence.shape[1]),
        stability.recurrence,
        0.0,
    )
    layers = [
        component.DrawnPart(100 * column, f"returns: {rounded.percent(share, 0)}", most=100.0)
        for column, share in zip(often.T, stability.mean_recurrence, strict=True)
    ]
    note = f"Strength: in how many resamples each of the {noun} returns."
    component.show(layers, data, "recurrence", what="% of resamples", note=note)
    component.table(frequencies(stability, data), "Each feature of each part: how often it returns, and its loading.")


def summary(stability: Stability) -> str:
    """Say how many parts are stable, and how often the features of each return beside chance."""
    r, stable = len(stability.parts), int(stability.stable.sum())
    which = f"{stable} of {wording.plural(r, 'part')} {'is' if 1 in (stable, r) else 'are'} stable"
    lines = [f"### {which} (probable, not proven)", sanitize.plain(stability.summary())]
    if stability.degenerate:
        some = "One resample consists" if stability.degenerate == 1 else f"{stability.degenerate:,} resamples consist"
        lines.append(f"{some} of one sample, repeated: no feature returns there.")
    return "\n\n".join(lines)


def frequencies(stability: Stability, data: Dataset) -> list[dict[str, object]]:
    """Return a row for each part and feature that it ever had, its own and the most frequent first."""
    several, records = len(stability.parts.parts) > 1, stability.to_records()
    names = component.feature_names(data, [int(str(row["feature"])) for row in records])
    return [
        ({"part": row["part"]} if several else {})
        | {
            "feature": names[int(str(row["feature"]))],
            component.SHARE: rounded.floor(100 * float(str(row["recurrence"])), 1),
            "loading": row["loading"],
        }
        for row in records
    ]
