"""Which k the samples ask for: what components keep of samples that were held out while they were sought."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import CrossValidation, suggestions
from nnspca.solvers.registry import METHODS
from nnspca.view import cache, tasks, words
from nnspca.view.explore import figures
from nnspca.view.explore.choices import KEYS, Choices
from nnspca.view.explore.content import View, stability_of
from nnspca.view.figures.style import Figure
from nnspca.view.jobs import machines
from nnspca.view.jobs.job import Job
from nnspca.view.link.state import State, remembered
from nnspca.view.link.widgets import choose
from nnspca.view.tasks import Key, Subject, Task
from nnspca.view.ui import charts, downloads

MOST = 12  # values of k that are tried
STOPPED = "Stopped. The results so far are shown."


def panel(data: Dataset, now: State, choice: Choices) -> Figure | None:
    """Ask for the number of folds, start the run, and show what each k explains of the held-out samples."""
    m, ks, solver = data.X.shape[0], few(choice.ks), _solver(choice)
    st.markdown(
        "More features never explain less of **these** samples, but may explain less of new ones. Here a share of the "
        "samples is held out, the component is found on the others, and its variance is measured on those held out. "
        "That is sampling: an estimate with an error, **not a proof**."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        folds = choose(
            KEYS["folds"],
            "Folds",
            usual=_usual_folds(m),
            options=[f for f in KEYS["folds"].options if f <= max(m, 2)],
            help="Into how many groups the samples are split at random; each group is held out once.",
            width=260,
        )
        key = _key(data, now, ks, solver, folds)
        task = Task("which", key, lambda: tasks.kept(key, _find(data, now, ks, solver, folds)))
        about = "Takes as long as the curve, once for each fold. Stop at any time: the results so far are shown."
        job = tasks.offer(task, tasks.compute(about, ":material/content_cut:"))
    result = tasks.answer(task, job, STOPPED)
    return None if result is None else _answer(result, data, now, solver, folds, log=choice.log)


def suggestion(view: View, data: Dataset, now: State, choice: Choices) -> suggestions.Suggestion | None:
    """Suggest k by the curve, held-out samples and resamples, as far as they are known."""
    curve = ((k, row.lower, row.upper) for k, row in view.known.items() if row.found)
    held_out = known(data, now, choice)
    return suggestions.features(curve, held_out, lambda k: stability_of(view.parts.get(k), data, replace(now, k=k)))


def known(data: Dataset, now: State, choice: Choices) -> CrossValidation | None:
    """Return what was measured on held-out samples for these choices; None where it was not."""
    if data.kind == "covariance":
        return None
    folds = remembered(KEYS["folds"]) or _usual_folds(data.X.shape[0])
    return cache.results().get(_key(data, now, few(choice.ks), _solver(choice), folds))


def _solver(choice: Choices) -> str:
    """Return the first solver of the chart whose components keep to the constraints."""
    return next((name for name in choice.methods if METHODS[name].feasible), choice.methods[0])


def _usual_folds(m: int) -> int:
    return min(KEYS["folds"].default, max(folds for folds in KEYS["folds"].options if folds <= max(m, 2)))


def few(ks: tuple[int, ...]) -> tuple[int, ...]:
    """Return at most ``MOST`` of the k, evenly.

    >>> few(tuple(range(1, 23, 2)))
    (1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21)
    """
    if len(ks) <= MOST:
        return ks
    return tuple(sorted({ks[round(i * (len(ks) - 1) / (MOST - 1))] for i in range(MOST)}))


def _key(data: Dataset, now: State, ks: tuple[int, ...], solver: str, folds: int) -> Key:
    return Subject(data, now).along("held-out", now.seed, ks, solver, folds)


def _find(data: Dataset, now: State, ks: tuple[int, ...], solver: str, folds: int) -> Callable[[Job], CrossValidation]:
    """Return what measures each k on held-out samples; it publishes whenever a k is known for every fold."""

    def find(job: Job) -> CrossValidation:
        published = 0

        def look(result: CrossValidation) -> None:
            nonlocal published
            whole = int(np.isfinite(result.fitted).all(axis=0).sum())
            if published < whole < len(result.ks):
                published = whole
                job.publish(result)

        return nnspca.cross_validate(
            data,
            ks,
            folds,
            solver,
            standardize=now.standardise,
            nonnegative=now.nonnegative,
            seed=now.seed,
            executor=machines.executor(),
            on_point=look,
            should_stop=job.should_stop,
            on_progress=job.report,
        )

    return find


def _answer(result: CrossValidation, data: Dataset, now: State, solver: str, folds: int, *, log: bool) -> Figure | None:
    """Say which k it is, and draw what each keeps."""
    if result.best_k is None:
        st.info("Nothing was held out before it was stopped.", icon=":material/content_cut:")
        return None
    st.markdown(summary(result))
    figure = figures.held_out(result, charts.palette(), log=log)
    charts.figure(figure, "held-out")
    st.caption(
        f"{METHODS[solver].title}, {folds} folds. “Share”: how much of the held-out samples' squared distance from the "
        "training mean the component explains. The bars are one standard error of the mean over the folds."
    )
    call = (
        f"found = nnspca.cross_validate(data, {list(result.ks)}, {folds}, {solver!r},\n"
        f"                              standardize={now.standardise}, nonnegative={now.nonnegative}, "
        f"seed={now.seed})\n"
        "print(found.suggested_k, found.best_k, found.mean, found.error)"
    )
    st.dataframe(result.to_records(), hide_index=True, alt="One row for each k: its share of each part of the samples.")
    st.code("\n".join([*downloads.data_lines(now), call]), language="python", wrap_lines=True)
    return figure


def summary(result: CrossValidation) -> str:
    """Say which k the samples ask for, in plain words."""
    best, suggested = result.best_k, result.suggested_k
    assert best is not None
    assert suggested is not None
    at, least = result.ks.index(best), result.ks.index(suggested)
    error = result.error[at]
    few = f" ± {words.at_most(100 * error, 2)}" if np.isfinite(error) else ""
    head = f"### {'Suggested' if suggested < best else 'Best'} k: {suggested}"
    most = f"k = {best} explains the most of the held-out samples: **{words.percent(result.mean[at], 2)}**{few}."
    if suggested != best:
        most += f" k = {suggested} explains {words.percent(result.mean[least], 2)}, which is less by at most one "
        most += "standard error."
    lines = [f"{head} (probable, not proven)", most]
    if best == result.ks[-1]:
        lines.append("The share still rises at the largest k tried.")
    return "\n\n".join(lines)
