"""How stable the parts are: how often their features return over resamples, beside the indispensable ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Components, Necessity, Stability, wording
from nnspca.view import cache, words
from nnspca.view.figures.style import Figure
from nnspca.view.jobs import machines, runs
from nnspca.view.jobs.job import Job, Work, stretch
from nnspca.view.link.state import State, chosen
from nnspca.view.link.widgets import choose
from nnspca.view.parts import run
from nnspca.view.parts.choices import KEYS, TOGETHER, Choices, title_of
from nnspca.view.parts.figures.recurrence import recurrence
from nnspca.view.sources import store
from nnspca.view.ui import asked, charts, scene

STOPPED = "Stopped. The resamples and proofs so far are shown."
STARTS = 3  # of the search for parts together, in each resample
LOOKS = 5  # times that a run under way is drawn anew
DRAWING = 0.6  # share of the progress that the resamples take
WIDTH = 420  # pixels of the picture


@dataclass(frozen=True, eq=False)
class Found:
    """What is known by now."""

    resampled: Stability
    proven: Mapping[int, Necessity]  # by part: its indispensable features, as proven on all features
    stopped: bool = False  # whether more was to be found

    def essential(self) -> np.ndarray:
        """Return which features are proven to be needed by which part, shape (n, r)."""
        needed = np.zeros(self.resampled.recurrence.shape, dtype=bool)
        for part, need in self.proven.items():
            needed[:, part] = need.essential
        return needed


def panel(parts: Components | None, data: Dataset, now: State, choice: Choices) -> dict[str, Figure]:
    """Ask how often to draw, start the run, and show how often each feature of the lead's parts returns."""
    if parts is None:
        st.markdown("No part is found yet.")
        return {}
    if data.kind == "covariance" or (choice.lead == "nmf" and run.of_samples(data, now)):
        st.markdown("There are no samples to draw again.")
        return {}
    m, noun = data.X.shape[0], scene.noun(data)
    st.markdown(
        f"Draw {m:,} samples with replacement, find the parts again, and count how often each of the {noun} returns. "
        f"This is an estimate and proves nothing. The **indispensable** {noun}, shown beside it, are proven."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        draws = choose(
            KEYS["resamples"], "Resamples", help="More resamples take longer; the estimate is more precise.", width=260
        )
        within = choose(
            KEYS["within"],
            "Tolerance (% below the best)",
            help="A feature is indispensable if every part within this tolerance of the best has it.",
            width=300,
        )
        key = _key(data, now, choice, draws, within)
        job = runs.on_demand(
            "stable",
            key,
            lambda: _work(parts, data, now, choice, draws, within),
            "Some seconds to some minutes. Stop it at any time: the resamples so far are shown.",
            ":material/casino:",
        )
    result = asked.latest("stable", key, job, STOPPED)
    if result is not None and result.resampled.resamples:
        return _answer(result, data, now, choice, draws)
    if job is not None and job.stopped and job.done:
        st.info("No resample was drawn before it was stopped.", icon=":material/casino:")
    return {}


def known(parts: Components | None, data: Dataset, now: State, choice: Choices) -> Stability | None:
    """Return how often the features of these parts return, where that was estimated; else None."""
    result = cache.results().get(_key(data, now, choice, chosen(KEYS["resamples"]), chosen(KEYS["within"])))
    same = (
        parts is not None
        and result is not None
        and np.array_equal(result.resampled.parts.loadings != 0, parts.loadings != 0)
    )
    return result.resampled if same else None


def clause(resampled: Stability | None) -> str:
    """Say how many parts are stable, where that was estimated; else nothing."""
    if resampled is None or not resampled.resamples:
        return ""
    stable, r = resampled.suggested_r, len(resampled.parts.parts)
    if r == 1:
        return f" It is {'' if stable else 'not '}stable over {resampled.resamples:,} resamples (an estimate)."
    which = "All" if stable == r else f"{wording.spelled(stable).capitalize()} of the {wording.spelled(r)}"
    return f" {which} are stable over {resampled.resamples:,} resamples (an estimate)."


def _key(data: Dataset, now: State, choice: Choices, draws: int, within: float) -> tuple[Hashable, ...]:
    way = choice.lead, run.arguments(choice.lead, choice, now), choice.r
    return ("stable", *store.subject_key(data, now), now.k, now.seed, way, draws, within)


def _work(parts: Components, data: Dataset, now: State, choice: Choices, draws: int, within: float) -> Work:
    """Return the work: it publishes a `Found` a few times on the way, and keeps the final one."""
    cov, solver = store.covariance(data, now), choice.lead
    fewer = {"starts": STARTS} if parts.deflation == TOGETHER else {}

    def find(job: Job) -> Found:
        def look(resampled: Stability) -> None:
            if resampled.resamples % -(-draws // LOOKS) == 0 and resampled.resamples < draws:
                job.publish(Found(resampled, {}))

        resampled = nnspca.bootstrap(
            data,
            now.k,
            choice.r,
            draws,
            solver,
            standardize=now.standardise,
            nonnegative=now.nonnegative and solver != "pca",
            parts=parts,
            seed=now.seed,
            executor=machines.executor(),
            on_resample=look,
            should_stop=job.should_stop,
            on_progress=stretch(job.report, 0.0, DRAWING, words.capital),
            **{**dict(run.arguments(solver, choice, now)), **fewer},
        )
        proven: dict[int, Necessity] = {}
        job.publish(Found(resampled, proven))
        count = len(parts.parts) if run.provable(parts) else 0
        for r in range(count):
            if job.should_stop():
                return Found(resampled, {}, stopped=True)
            low, high = (DRAWING + (1 - DRAWING) * (r + more) / count for more in (0, 1))
            proven = {**proven, r: _needed(cov, parts, r, within, job, (low, high))}
        return Found(resampled, proven, resampled.stopped or any(need.stopped for need in proven.values()))

    return asked.keeping(_key(data, now, choice, draws, within), find)


def _needed(
    cov: nnspca.Covariance, parts: Components, r: int, within: float, job: Job, span: tuple[float, float]
) -> Necessity:
    """Prove which features every near-best part has, among parts made of the features that the others leave free."""
    left, own = run.alone(cov, parts, r)
    need = machines.call(
        nnspca.necessity,
        left,
        own.k,
        within / 100,
        nonnegative=own.nonnegative,
        component=own,
        should_stop=job.should_stop,
        on_progress=stretch(job.report, *span, lambda at: f"Indispensable to part {r + 1}: {at}"),
    )
    n = cov.n_features
    if left.n_features == n:
        return need
    others = np.delete(parts.loadings, r, axis=1) if parts.deflation == TOGETHER else parts.loadings[:, :r]
    places = np.flatnonzero(~others.any(axis=1))
    essential, dispensable = np.zeros(n, dtype=bool), np.ones(n, dtype=bool)
    essential[places], dispensable[places] = need.essential, need.dispensable
    return dataclasses.replace(need, essential=essential, dispensable=dispensable)


def _answer(result: Found, data: Dataset, now: State, choice: Choices, draws: int) -> dict[str, Figure]:
    """Say it in words, draw it on the features, and list every feature."""
    resampled = result.resampled
    st.markdown(summary(result, scene.noun(data)))
    names = [f"{c + 1} · {words.percent(share)}" for c, share in enumerate(resampled.mean_recurrence)]
    sight, listed = st.columns([1.15, 1], gap="large")
    with sight:
        figure = recurrence(
            resampled.recurrence, result.essential(), scene.drawn(data), charts.palette(), names=names, width=WIDTH
        )
        charts.figure(figure, "recurrence")
    rows = listing(result, data)
    with listed:
        asked.features(rows, "Each feature of each part: how often it returns, and what is proven of it.", 420)
    few = f" with {STARTS} starts each" if resampled.parts.deflation == TOGETHER else ""
    st.caption(
        f"{title_of(choice.lead, choice)}, {resampled.resamples:,} resamples{few}; the parts of each resample are "
        "matched with these by shared features. Above each picture: the mean share of the part's features that return. "
        "“Indispensable” is proven for these samples, with the other parts fixed."
    )
    name = f"{data.name}-parts-stability.csv"
    asked.take_home(rows, "csv-stable", name, "Every feature (CSV)", _call(now, choice, draws), now)
    return {"recurrence": figure}


def summary(result: Found, noun: str) -> str:
    """Say how many parts are stable, which is most and which least stable, and what is proven, in plain words."""
    resampled = result.resampled
    r, mean, error = len(resampled.mean_recurrence), resampled.mean_recurrence, resampled.error
    stable, bar = resampled.suggested_r, words.fixed(100 * resampled.threshold, 0)
    head = f"### {stable} of {r} {'part' if r == 1 else 'parts'} {'returns' if stable == 1 else 'return'}"
    head += f" with at least {bar} % of {'its' if stable == 1 else 'their'} {noun}"
    each = "; ".join(
        f"part {c + 1} **{words.percent(mean[c])}**"
        + (f" ± {words.at_most(100 * error[c], 0)}" if np.isfinite(error[c]) else "")
        for c in np.argsort(resampled.ranks, kind="stable")
    )
    average = f"The share of a part's {noun} that returns, on average, the most stable part first: {each}."
    lines = [f"{head} (probable, not proven)", average]
    if stable < r:
        lines.append(f"Resampling suggests **{stable} {'part' if stable == 1 else 'parts'}**, not {r}.")
    if resampled.degenerate:
        some = "One resample consists" if resampled.degenerate == 1 else f"{resampled.degenerate:,} resamples consist"
        lines.append(f"{some} of one sample, repeated: no feature returns there.")
    if result.proven:
        needed = int(result.essential().sum())
        used = int(np.count_nonzero(resampled.parts.loadings[:, sorted(result.proven)]))
        lines.append(f"**Proven**, of these samples: {needed:,} of {used:,} {noun} are indispensable.")
    return "\n\n".join(lines)


def listing(result: Found, data: Dataset) -> list[dict[str, object]]:
    """Return a row for each part and feature that it ever had, its own and the most frequent first."""
    rows: list[dict[str, object]] = []
    for row in result.resampled.to_records():
        need = result.proven.get(int(str(row["part"])) - 1)
        i = int(str(row["feature"]))
        state = words.necessity(need, i) if need is not None and row["loading"] else ""
        share = float(str(row["recurrence"]))
        rows.append(
            {
                "part": row["part"],
                "feature": str(data.feature_names[i]),
                asked.SHARE: words.floor(100 * share, 1),
                "loading": row["loading"],
                "indispensable": state,
            }
        )
    return rows


def _call(now: State, choice: Choices, draws: int) -> str:
    options = dict(run.arguments(choice.lead, choice, now))
    extra = "".join(f", {name}={value!r}" for name, value in options.items())
    extra += f", starts={STARTS}" if options.get("deflation") == TOGETHER else ""
    return (
        f"found = nnspca.bootstrap(data, {now.k}, {choice.r}, {draws}, {choice.lead!r}, "
        f"standardize={now.standardise}, nonnegative={now.nonnegative and choice.lead != 'pca'}, "
        f"seed={now.seed}{extra})\n"
        "print(found.mean_recurrence, found.error, found.suggested_r)"
    )
