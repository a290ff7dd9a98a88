"""What every good answer has: asked on demand, proven in a run of its own, drawn on the component and listed."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Necessity, Progress
from nnspca.view import foreign, words
from nnspca.view.certificate import component as drawn
from nnspca.view.explore import figures
from nnspca.view.explore.choices import KEYS
from nnspca.view.session import charts, downloads, machines, runs, scene, store
from nnspca.view.session.job import Job, Work
from nnspca.view.session.state import State
from nnspca.view.session.widgets import choose

QUESTION = "Which features does every good answer have?"
STOPPED = "Stopped. What was proven by then is shown; the rest is not decided."
SHOWN = 300  # most rows of the list


def panel(proof: Certificate, data: Dataset, now: State) -> None:
    """Ask how near to the best an answer has to be, prove what all such answers share, and show it."""
    st.markdown(
        "Other components may be as good as this one. What do they all have in common? For each feature, a proof is "
        "sought that **no** component comes near the best without it, or an example that does."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        percent = choose(
            KEYS["within"],
            "Good: it lacks at most this much of the best found (%)",
            help="The variance that a good component may lack. Less: more features turn out to be needed.",
            width=380,
        )
        within = percent / 100
        key = _key(data, now, within)
        job = runs.on_demand(
            "need",
            key,
            lambda: _work(proof, data, now, within),
            "Some seconds, at most about half a minute. Stop it at any time: what is proven stays proven.",
            ":material/push_pin:",
        )
    if job is not None:
        runs.follow("need", job, STOPPED)
    need = job.arrived[-1] if job is not None and job.arrived else store.results().get(key)
    if need is not None:
        _answer(need, data, now)


def _key(data: Dataset, now: State, within: float) -> tuple[Hashable, ...]:
    return ("need", *store.subject_key(data, now), now.k, now.seed, within)


def _work(proof: Certificate, data: Dataset, now: State, within: float) -> Work:
    """Return the work: publishes the Necessity, and keeps it unless it was stopped."""
    cov, key = store.covariance(data, now), _key(data, now, within)

    def work(job: Job) -> None:
        def listen(told: Progress) -> None:
            job.report(dataclasses.replace(told, stage=told.stage[:1].upper() + told.stage[1:]))

        need = machines.call(
            nnspca.necessity,
            cov,
            now.k,
            within,
            nonnegative=now.nonnegative,
            component=proof.component,
            seed=now.seed,
            should_stop=job.should_stop,
            on_progress=listen,
        )
        if not need.stopped:
            store.results().put(key, need)
        job.publish(need)

    return work


def _answer(need: Necessity, data: Dataset, now: State) -> None:
    """Say it in words, draw it on the component, and list every feature."""
    st.markdown(said(need, scene.noun(data)))
    sight, listed = st.columns([1, 1.25], gap="large")
    with sight:
        charts.figure(figures.marked(drawn.figure(need.component, data), need, charts.palette()), "needed")
    with listed:
        rows = listing(need, data)
        st.dataframe(
            [{name: foreign.line(v) if isinstance(v, str) else v for name, v in row.items()} for row in rows[:SHOWN]],
            hide_index=True,
            height=400,
            alt="What is known of each feature: the component's own first, then those that could hold most.",
        )
    st.caption(
        f"“Can hold at most” is proven for every good component whose loadings are the best on their own "
        f"{scene.noun(data)}: the share of weight, its loading squared. “Not decided”: neither a proof nor an "
        "example was found."
    )
    stem = f"{data.name}-k{need.k}-needed"
    charts.csv_button(downloads.table_csv(rows), "csv-need", f"{stem}.csv", "Every feature (CSV)")
    st.code("\n".join([*downloads.data_lines(now), _call(need)]), language="python", wrap_lines=True)


def _call(need: Necessity) -> str:
    return (
        f"need = nnspca.necessity(cov, {need.k}, within={need.within}, nonnegative={need.nonnegative})\n"
        "print(need.essential.nonzero()[0], need.limit)"
    )


def said(need: Necessity, noun: str) -> str:
    """Say what every good component has, and what is left open, in plain words.

    ``noun`` is what the features are called.
    """
    used = need.component.loadings != 0
    essential, spared, left = (np.count_nonzero(which & used) for which in states(need))
    share = words.fixed(100 * (1 - need.within), 1).removesuffix(".0")
    near = f"keeps {share} % of the best found" if need.within else "is as good as the best found"
    have = f"{'is' if essential == 1 else 'are'} in every component that {near}"
    some = f"### Proven: {essential:,} of these {used.sum():,} {noun} {have}"
    if not essential:
        some = f"### None of these {used.sum():,} {noun} is proven to be in every component that {near}"
    which = "Each" if spared == used.sum() else f"{spared:,}"
    parts = [f"{which} can be done without: a component as near was found"] if spared else []
    parts += [f"{left:,} {'is' if left == 1 else 'are'} not decided"] if left else []
    outside = need.limit[~used].max(initial=0.0)
    most = (
        f" None of the other {noun} can hold more than {words.at_most(100 * outside, 1)} % of one." if outside else ""
    )
    return some + f".\n\n{'; '.join(parts)}{'.' if parts else ''}{most}"


def states(need: Necessity) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which features are essential, dispensable and undecided."""
    return need.essential, need.dispensable, need.undecided


def listing(need: Necessity, data: Dataset) -> list[dict[str, object]]:
    """Return a row for each feature: the component's own by falling loading, then the others by falling limit."""
    x = need.component.loadings
    order = np.lexsort((-need.limit, -np.abs(x)))
    return [
        {
            "feature": str(data.feature_names[i]),
            "loading": float(x[i]),
            "every good one": figures.STATES[figures.state_of(need, i)],
            "can hold at most": f"{words.at_most(100 * need.limit[i], 2)} %",
        }
        for i in order
    ]
