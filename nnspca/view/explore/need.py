"""Indispensable features: proven on demand in a run of its own, drawn on the component and listed."""

from __future__ import annotations

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Necessity
from nnspca.view import words
from nnspca.view.explore import figures, sentences
from nnspca.view.explore.choices import KEYS
from nnspca.view.jobs import machines, runs
from nnspca.view.jobs.job import Job, Work, stretch
from nnspca.view.link.state import State
from nnspca.view.link.widgets import choose
from nnspca.view.sources import store
from nnspca.view.ui import asked, charts, scene

STOPPED = "Stopped. What was proven by then is shown; the rest is not decided."


def panel(proof: Certificate, data: Dataset, now: State) -> None:
    """Ask for the tolerance, prove which features every component within it has, and show them."""
    st.markdown(
        "Which features are indispensable? Another component may be as good as this one without some of its features. "
        "For each feature, ask for a proof or a counterexample."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        percent = choose(
            KEYS["within"],
            "Tolerance (% below the best found)",
            help="How far below the best a component may be. The smaller, the more features are indispensable.",
            width=380,
        )
        within = percent / 100
        key = sentences.indispensable_key(data, now, within)
        job = runs.on_demand(
            "need",
            key,
            lambda: _work(proof, data, now, within),
            "Some seconds, at most about half a minute. Stop at any time: what is proven is kept.",
            ":material/push_pin:",
        )
    need = asked.latest("need", key, job, STOPPED)
    if need is not None:
        _answer(need, data, now)


def _work(proof: Certificate, data: Dataset, now: State, within: float) -> Work:
    cov = store.covariance(data, now)

    def find(job: Job) -> Necessity:
        return machines.call(
            nnspca.necessity,
            cov,
            now.k,
            within,
            nonnegative=now.nonnegative,
            component=proof.component,
            seed=now.seed,
            should_stop=job.should_stop,
            on_progress=stretch(job.report, 0.0, 1.0, words.capital),
        )

    return asked.keeping(sentences.indispensable_key(data, now, within), find)


def _answer(need: Necessity, data: Dataset, now: State) -> None:
    """Say it in words, draw it on the component, and list every feature."""
    st.markdown(summary(need, scene.noun(data)))
    sight, listed = st.columns([1, 1.25], gap="large")
    with sight:
        charts.figure(figures.marked(charts.component(need.component, data), need, charts.palette()), "needed")
    with listed:
        rows = listing(need, data)
        asked.features(
            rows, "Each feature: the component's own first, then the others by their largest possible loading."
        )
    st.caption(
        f"“Squared loading at most” is proven for every component within the tolerance whose loadings are the best for "
        f"its {scene.noun(data)}. “Not decided”: neither a proof nor a counterexample was found."
    )
    call = (
        f"need = nnspca.necessity(cov, {need.k}, within={need.within}, nonnegative={need.nonnegative})\n"
        "print(need.essential.nonzero()[0], need.limit)"
    )
    asked.take_home(rows, "csv-need", f"{data.name}-k{need.k}-needed.csv", "Every feature (CSV)", call, now)


def summary(need: Necessity, noun: str) -> str:
    """Say which features are indispensable, and which are not decided.

    ``noun`` is what the features are called.
    """
    used = need.component.loadings != 0
    states = need.essential, need.dispensable, need.undecided
    essential, spared, undecided = (np.count_nonzero(which & used) for which in states)
    share = words.fixed(100 * need.within, 1).removesuffix(".0")
    near = f"within {share} % of the best found" if need.within else "as good as the best found"
    verb, them = ("is", "it") if essential == 1 else ("are", "them")
    some = f"### None of these {used.sum():,} {noun} is proven indispensable"
    if essential:
        some = f"### {essential:,} of these {used.sum():,} {noun} {verb} indispensable (proven)"
        some += f": every component {near} has {them}"
    which = "Each" if spared == used.sum() else f"{spared:,}"
    verb = "is" if spared == 1 or which == "Each" else "are"
    one_by_one = "" if verb == "is" else "for each, "
    parts = [f"{which} {verb} dispensable: {one_by_one}a component without it is {near}"] if spared else []
    parts += [f"{undecided:,} {'is' if undecided == 1 else 'are'} not decided"] if undecided else []
    outside = need.limit[~used].max(initial=0.0)
    most = f" Outside the component, no squared loading exceeds {words.at_most(100 * outside, 1)} %." if outside else ""
    return some + f".\n\n{'; '.join(parts)}{'.' if parts else ''}{most}"


def listing(need: Necessity, data: Dataset) -> list[dict[str, object]]:
    """Return a row for each feature: the component's own by falling loading, then the others by falling limit."""
    x = need.component.loadings
    order = np.lexsort((-need.limit, -np.abs(x)))
    return [
        {
            "feature": str(data.feature_names[i]),
            "loading": float(x[i]),
            "state": words.necessity(need, i),
            "squared loading at most": f"{words.at_most(100 * need.limit[i], 2)} %",
        }
        for i in order
    ]
