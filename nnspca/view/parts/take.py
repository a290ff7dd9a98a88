"""What to do with parts: rebuild a sample, and what goes home."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Components, rounded
from nnspca.view import export, sanitize
from nnspca.view.certificate import proofs
from nnspca.view.figures import style
from nnspca.view.figures.style import Figure
from nnspca.view.link.widgets import choose
from nnspca.view.parts import figures, panels, run
from nnspca.view.parts.run import KEYS, Choices, View, title_of
from nnspca.view.subject import Subject, is_disjoint
from nnspca.view.ui import charts, component, downloads


def samples(view: View) -> None:
    """Rebuild a sample from the parts."""
    data, results, choice = view.data, view.results, view.choice
    if data.kind == "covariance":
        st.markdown("A covariance has no samples to reconstruct.")
        return
    way = next(iter(results))
    if choice.lead in results:
        way = choose(
            KEYS["from"],
            "Which parts",
            options=list(results),
            format_func=lambda name: title_of(name, choice),
            horizontal=True,
        )
    parts = results[way]
    if data.image_shape is None and data.axis is None:
        st.markdown("Only images and curves are drawn again.")
    else:
        _reconstruction(parts, view)


def _reconstruction(parts: Components, subject: Subject) -> None:
    """Rebuild a sample from the mean and its parts, as a slider adds them."""
    data = subject.data
    which, many = st.columns(2)
    with which:
        number = _sample(data)
    with many:
        used = choose(
            KEYS["used"],
            "Parts used",
            usual=len(parts.parts),
            high=len(parts.parts),
            help="0: the mean alone. Each further part adds what it explains.",
        )
    sample = data.rows(slice(number - 1, number))[0]
    U = parts.loadings[:, :used]
    mean = data.means
    spread = np.where(data.deviations > 0, data.deviations, 1.0) if subject.standardise else np.ones(data.n_features)
    away = (sample - mean) / spread
    near = U @ np.linalg.lstsq(U, away, rcond=None)[0] if used else np.zeros_like(away)
    approximation = mean + spread * near
    left = float((away - near) @ (away - near)) / (float(away @ away) or 1.0)
    title = f"{called(data, number)}, rebuilt from {used} {'part' if used == 1 else 'parts'}"
    what = component.SAMPLES.get(data.kind, "sample")
    says = f"The mean alone. Parts explain how this {what} differs from the mean."
    if used:
        these = "This part explains" if used == 1 else "These parts explain"
        says = f"{these} {rounded.percent(1 - left)} of this {what}'s squared distance from the mean."
    told: dict[str, Any] = {"title": title, "says": says}
    if data.image_shape is not None:
        figure = figures.rebuilt(sample, approximation, data.image_shape, charts.palette(), **told)
    else:
        assert data.axis is not None
        figure = figures.retraced(sample, approximation, data.axis, charts.palette(), **told)
    charts.figure(figure, "rebuilt")
    st.markdown(says)


def _sample(data: Dataset) -> int:
    """Let the person choose a sample: by name where samples have names, else by number."""
    about = "The sample to reconstruct from the parts."
    if not data.sample_names:
        return int(choose(KEYS["sample"], "Sample", high=data.shape[0], help=about))
    by_name = replace(KEYS["sample"], kind="one", widget="", low=None)
    numbers = tuple(range(1, data.shape[0] + 1))
    return int(choose(by_name, "Sample", options=numbers, format_func=lambda number: called(data, number), help=about))


def called(data: Dataset, number: int) -> str:
    """Return what a sample is called: its name beside its number, counted from 1."""
    name = sanitize.line(data.sample_names[number - 1], sanitize.NAME) if data.sample_names else ""
    return f"Sample {number}{f' ({name})' if name else ''}"


def takeaway(view: View, drawn: Mapping[str, Figure]) -> None:
    """Show the table of parts, and offer everything as files."""
    results, choice = view.results, view.choice
    st.dataframe(export.rows(results), hide_index=True, alt="One row for each part of each solver.")
    way = choice.lead if choice.lead in results else next(iter(results))
    ordered = {way: results[way], **results}
    apart = nnspca.DEFLATIONS[results[way].deflation].summary
    answer = export.Answer(
        ordered,
        view,
        verdict=panels.headline(replace(view, done=True)),
        method=f"{title_of(way, choice)}. Kept apart: {apart}",
        code=_whole_code(results, view, choice),
        known=view.best if is_disjoint(results[way]) else None,
        prove=functools.partial(proofs.made, view, results[way], choice.r) if is_disjoint(results[way]) else None,
    )
    more = {f"{name}.html": functools.partial(style.page, figure) for name, figure in drawn.items()}
    export.offer(f"{view.data.name}-parts", answer, more)


def _whole_code(results: Mapping[str, Components], subject: Subject, choice: Choices) -> str:
    """Return the Python that finds the first solver's parts again; NMF takes the samples themselves apart."""
    first = next(iter(results))
    method, options = results[first].method, dict(run.arguments(first, choice, subject.now))
    extra = "".join(f", {name}={value!r}" for name, value in options.items())
    setting = f"nonnegative={subject.nonnegative and method != 'pca'}"
    call = [
        f"parts = nnspca.decompose(cov, {choice.r}, {subject.k}, {method!r}, {setting}, seed={subject.seed}{extra})"
    ]
    if first == "nmf" and run.of_samples(subject):
        imported = "from nnspca.solvers import nmf"
        call = [imported, f"parts = nmf.nmf_of_samples(data.X, cov, {choice.r}, seed={subject.seed})"]
    return "\n".join(
        [
            *downloads.data_lines(subject.now),
            *call,
            "print(parts.cardinalities, parts.variances, parts.cumulative_variance / parts.total)",
            "print(parts.overlap, parts.angles)",
        ]
    )
