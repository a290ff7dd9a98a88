"""From parts back to samples: what parts make of a sample, and the classes along a part."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Components
from nnspca.view import sanitize, words
from nnspca.view.link.state import State
from nnspca.view.link.widgets import choose
from nnspca.view.parts import figures
from nnspca.view.parts.choices import KEYS, Choices, title_of
from nnspca.view.ui import charts

NOUNS = {"faces": "face", "images": "image", "spectra": "spectrum"}


def samples(results: Mapping[str, Components], data: Dataset, now: State, choice: Choices) -> None:
    """Show what the parts say about samples: a reconstruction, or the classes along each part."""
    if data.kind == "covariance":
        st.markdown("A covariance has no samples to reconstruct.")
        return
    way = next(iter(results))
    if choice.lead in results:
        kept_apart = [
            "" if (how := nnspca.DEFLATIONS[parts.deflation].title) == title_of(name, choice) else how.lower()
            for name, parts in results.items()
        ]
        way = choose(
            KEYS["from"],
            "Which parts",
            options=list(results),
            format_func=lambda name: title_of(name, choice),
            horizontal=True,
            captions=kept_apart,
        )
    parts = results[way]
    if data.image_shape is not None or data.axis is not None:
        _reconstruction(parts, data, now)
    if data.labels is not None:
        _classes(parts, data, now)


def _reconstruction(parts: Components, data: Dataset, now: State) -> None:
    """Rebuild a sample from the mean and its parts, as a slider adds them."""
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
    spread = np.where(data.deviations > 0, data.deviations, 1.0) if now.standardise else np.ones(data.n_features)
    away = (sample - mean) / spread
    near = U @ np.linalg.lstsq(U, away, rcond=None)[0] if used else np.zeros_like(away)
    approximation = mean + spread * near
    left = float((away - near) @ (away - near)) / (float(away @ away) or 1.0)
    title = f"{called(data, number)}, and its reconstruction from {used} {'part' if used == 1 else 'parts'}"
    if data.image_shape is not None:
        figure = figures.rebuilt(sample, approximation, data.image_shape, charts.palette(), title=title)
    else:
        assert data.axis is not None
        figure = figures.retraced(sample, approximation, data.axis, charts.palette(), title=title)
    charts.figure(figure, "rebuilt")
    what, these = NOUNS.get(data.kind, "sample"), "This part explains" if used == 1 else "These parts explain"
    if used:
        st.markdown(f"{these} **{words.percent(1 - left)}** of this {what}'s squared distance from the mean.")
    else:
        st.markdown(f"The mean alone. Parts explain how this {what} differs from the mean.")


def _sample(data: Dataset) -> int:
    """Let the person choose a sample: by name where samples have names, else by number."""
    about = "The sample to reconstruct from the parts."
    if not data.sample_names:
        return int(choose(KEYS["sample"], "Sample", high=data.shape[0], help=about))
    by_name = dataclasses.replace(KEYS["sample"], kind="one", widget="", low=None)
    numbers = tuple(range(1, data.shape[0] + 1))
    return int(choose(by_name, "Sample", options=numbers, format_func=lambda number: called(data, number), help=about))


def called(data: Dataset, number: int) -> str:
    """Return what a sample is called: its name beside its number, counted from 1."""
    name = sanitize.line(data.sample_names[number - 1], sanitize.NAME) if data.sample_names else ""
    return f"Sample {number}{f' ({name})' if name else ''}"


def _classes(parts: Components, data: Dataset, now: State) -> None:
    """Show the samples along one part, class by class."""
    part = 1
    if len(parts.parts) > 1:
        part = choose(
            KEYS["along"],
            "Part whose scores are drawn",
            high=len(parts.parts),
            help="Samples far to the right have much of this part.",
        )
    labels = [str(data.label_names[i]) if data.label_names else str(i) for i in np.asarray(data.labels)]
    values = nnspca.scores(data.X, parts.loadings[:, part - 1], mean="own", standardize=now.standardise)
    title = f"The samples along part {part}"
    charts.figure(figures.along_part(values, labels, charts.palette(), title=title), "scores")
