"""How stable the component is: how often each of its features returns when the samples are drawn again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Component, Components, Stability, sentences
from nnspca.view import words
from nnspca.view.explore.choices import KEYS
from nnspca.view.explore.sentences import stability_key
from nnspca.view.jobs import machines, runs
from nnspca.view.jobs.job import Job, Work
from nnspca.view.link.state import State
from nnspca.view.link.widgets import choose
from nnspca.view.sources import store
from nnspca.view.ui import asked, charts, scene

STOPPED = "Stopped. The resamples so far are shown."
PUBLISHED = 5  # intermediate results of a run


def panel(part: Component | None, data: Dataset, now: State) -> None:
    """Ask for the number of resamples, start the run, and show how often each feature returns."""
    if part is None or not nnspca.METHODS[part.method].feasible:
        st.markdown("Stability is estimated only for components with at most k loadings of the allowed signs.")
        return
    noun = scene.noun(data)
    st.markdown(
        f"Draw {data.X.shape[0]:,} samples with replacement, find the component again, and count how often each of its "
        f"{noun} returns. This is an estimate and proves nothing."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        draws = choose(
            KEYS["resamples"], "Resamples", help="More resamples take longer; the estimate is more precise.", width=260
        )
        key = stability_key(data, now, part.method, draws)
        job = runs.on_demand(
            "stable",
            key,
            lambda: _work(part, data, now, draws),
            "Some seconds to some minutes. Stop at any time: what was drawn by then is shown.",
            ":material/casino:",
        )
    stability = asked.latest("stable", key, job, STOPPED)
    if stability is not None and stability.resamples:
        _show(stability, data, now)
    elif job is not None and job.stopped and job.done:
        st.info("No resample was drawn before it was stopped.", icon=":material/casino:")


def _work(part: Component, data: Dataset, now: State, draws: int) -> Work:
    """Return the work: publishes a Stability a few times on the way, and keeps the last one."""
    total = store.covariance(data, now).trace
    parts = Components((part,), np.array([part.variance]), total, part.method, "disjoint", nonnegative=part.nonnegative)

    def find(job: Job) -> Stability:
        def publish(stability: Stability) -> None:
            if stability.resamples % -(-draws // PUBLISHED) == 0 and stability.resamples < draws:
                job.publish(stability)

        return nnspca.bootstrap(
            data,
            now.k,
            1,
            draws,
            part.method,
            standardize=now.standardise,
            nonnegative=part.nonnegative,
            parts=parts,
            seed=now.seed,
            executor=machines.executor(),
            on_resample=publish,
            should_stop=job.should_stop,
            on_progress=job.report,
        )

    return asked.keeping(stability_key(data, now, part.method, draws), find)


def _show(stability: Stability, data: Dataset, now: State) -> None:
    """Say it in words, draw it on the features, and list them."""
    part, noun, rows = stability.parts.parts[0], scene.noun(data), listing(stability, data)
    often = int((stability.recurrence[part.support, 0] >= sentences.RETURNED).sum())
    share, verb = f"{words.fixed(100 * sentences.RETURNED, 0)} %", "returns" if often == 1 else "return"
    st.markdown(
        f"### {often:,} of {part.cardinality:,} {noun} {verb} in at least {share} of the resamples "
        f"(probable, not proven)\n\n{sentences.stability(stability)}"
    )
    picture, table = st.columns([1, 1.25], gap="large")
    with picture:
        returned = replace(part, loadings=np.where(part.loadings != 0, stability.recurrence[:, 0], 0.0))
        figure = charts.component(returned, data, "How often each feature returns", ghost=False)
        charts.figure(figure, "stability")
    with table:
        asked.features(rows, "Each feature: how often it returns, and its loading.")
    call = (
        f"stability = nnspca.bootstrap(data, {part.k}, 1, {stability.resamples}, {part.method!r}, "
        f"standardize={now.standardise},\n"
        f"                             nonnegative={part.nonnegative}, seed={now.seed})\n"
        "print(stability.recurrence[:, 0], stability.agreement[:, 0])"
    )
    name = f"{data.name}-k{part.k}-stability.csv"
    asked.take_home(rows, "csv-stability", name, "Every feature (CSV)", call, now)


def listing(stability: Stability, data: Dataset) -> list[dict[str, object]]:
    """Return a row for each feature that was ever found, the most frequent first."""
    return [
        {
            "feature": str(data.feature_names[int(str(row["feature"]))]),
            asked.SHARE: words.floor(100 * float(str(row["recurrence"])), 1),
            "loading": row["loading"],
        }
        for row in stability.to_records()
    ]
