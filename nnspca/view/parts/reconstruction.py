"""A sample rebuilt from the parts: what each adds, and what is left."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from nnspca.datasets import Dataset
from nnspca.result import Components, rounded
from nnspca.view import sanitize
from nnspca.view.link.widgets import choose
from nnspca.view.parts import figures
from nnspca.view.parts.choices import KEYS, title_of
from nnspca.view.parts.view import View
from nnspca.view.subject import Subject
from nnspca.view.ui import charts, component


def reconstruction(view: View) -> None:
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
    title = f"{label(data, number)}, rebuilt from {used} {'part' if used == 1 else 'parts'}"
    what = component.SAMPLES.get(data.kind, "sample")
    says = f"The mean alone. Parts explain how this {what} differs from the mean."
    if used:
        these = "This part explains" if used == 1 else "These parts explain"
        says = f"{these} {rounded.percent(1 - left)} of this {what}'s squared distance from the mean."
    words: dict[str, Any] = {"title": title, "says": says}
    if data.image_shape is not None:
        figure = figures.image_of_sum(sample, approximation, data.image_shape, charts.palette(), **words)
    else:
        assert data.axis is not None
        figure = figures.curve_of_sum(sample, approximation, data.axis, charts.palette(), **words)
    charts.figure(figure, "rebuilt")
    st.markdown(says)


def _sample(data: Dataset) -> int:
    """Let the person choose a sample: by name where samples have names, else by number."""
    about = "The sample to reconstruct from the parts."
    if not data.sample_names:
        return int(choose(KEYS["sample"], "Sample", high=data.shape[0], help=about))
    by_name = replace(KEYS["sample"], kind="one", widget="", low=None)
    numbers = tuple(range(1, data.shape[0] + 1))
    return int(choose(by_name, "Sample", options=numbers, format_func=lambda number: label(data, number), help=about))


def label(data: Dataset, number: int) -> str:
    """Return what a sample is called: its name beside its number, counted from 1."""
    name = sanitize.line(data.sample_names[number - 1], sanitize.NAME) if data.sample_names else ""
    return f"Sample {number}{f' ({name})' if name else ''}"
