"""The samples page's panels: the linked pictures on one sheet, and what to take home."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from nnspca.datasets import Dataset
from nnspca.result import Component
from nnspca.view import foreign
from nnspca.view.samples import choices, claims, content, figures, run
from nnspca.view.samples.choices import Choices
from nnspca.view.samples.run import Lie
from nnspca.view.session import canvas, charts, downloads, scene
from nnspca.view.session.state import State

HOME = Path(__file__).parent / "browser"
SCRIPTS = ("samples.js", "marks.js", "ladder.js", "cloud.js", "cards.js", "sheet.js")
WITHOUT = (
    "These data are a covariance matrix: it holds no samples, so there are no scores to show, and no classes to tell "
    "apart. Why a feature is in the part, and what the part would be without it, can be asked all the same."
)

_mount = canvas.component("sheet", HOME, SCRIPTS)


def question(data: Dataset, now: State) -> str:
    """Return what the page shows, with the data's own words."""
    part = f"the part of at most {now.k:,} of {data.n_features:,} {scene.noun(data)}"
    if data.kind == "covariance":
        return f"**{foreign.plain(data.title)}**: {part}. Click one and ask why it is there."
    do = f"Click a {scene.noun(data).removesuffix('s')} and ask why; drag over samples to find them in every picture."
    return f"**{foreign.plain(data.title)}**: {part}, and the samples that have most and least of it. {do}"


def sheet(first: Component, second: Component | None, lie: Lie | None, data: Dataset, now: State) -> None:
    """Show all linked pictures; a brush stays in the browser, and a question draws nothing but this anew."""

    def draw() -> None:
        feature, pressed = choices.explained_feature(data), getattr(st.session_state.get("sheet"), "why", None)
        if pressed and pressed["about"] == choices.about(data):  # the link that the browser wrote comes after this
            feature = int(pressed["feature"])
        told = run.why(data, now, first, int(np.abs(first.loadings).argmax()) if feature is None else feature)
        packed = content.payload(first, second, lie, told, data, now, asked=feature is not None)
        _mount(key="sheet", data=packed, on_why_change=_nothing)

    st.fragment(draw)()


def _nothing() -> None:
    """Register a state name; its change needs no action of its own: the link says what was asked."""


def takeaway(
    first: Component, second: Component | None, lie: Lie | None, data: Dataset, now: State, choice: Choices
) -> None:
    """Offer the scores, the figures and the code."""
    stem = f"{data.name}-k{now.k}-{first.method}"
    if lie is not None:
        with st.container(horizontal=True):
            charts.csv_button(
                scores_csv(lie, data),
                "csv-samples",
                f"{stem}-scores.csv",
                "Scores (CSV)",
                "Every sample with its class, its score and its place in their order.",
            )
            drawn: dict[str, Callable[[], figures.Figure]] = {
                "Samples by score (HTML)": partial(figures.ladder, lie, _names(data), charts.palette()),
                "Two scores (HTML)": partial(figures.cloud, lie, _names(data), charts.palette()),
            }
            for label, make in drawn.items():
                if lie.second is not None or "Two" not in label:
                    name = label.split()[0].lower()
                    charts.figure_button(make, f"html-samples-{name}", f"{stem}-{name}.html", label)
    st.markdown("The same with the library:")
    st.code(_code(lie, data, now, choice), language="python", wrap_lines=True)


def _names(data: Dataset) -> list[str]:
    """Return the class of each sample."""
    if data.labels is None:
        return []
    return [claims.class_name(data, c) if c >= 0 else "no class" for c in data.labels.tolist()]


def scores_csv(lie: Lie, data: Dataset) -> bytes:
    """Return the samples in the data's order."""
    names, rank = _names(data), {int(s): r + 1 for r, s in enumerate(lie.order)}
    return downloads.table_csv(
        {"sample": s + 1}
        | ({"class": names[s]} if names else {})
        | {"rank": rank[s], "score": float(lie.scores[s])}
        | ({} if lie.second is None else {"second_score": float(lie.second[s])})
        for s in range(len(lie.scores))
    )


def _code(lie: Lie | None, data: Dataset, now: State, choice: Choices) -> str:
    """Return the Python that finds the same."""
    asked = f"{choice.method!r}, nonnegative={now.nonnegative}, seed={now.seed}{choice.arguments}"
    lines = [*downloads.data_lines(now), f"part = nnspca.solve(cov, {now.k}, {asked})"]
    if lie is not None:
        lines.append(f"scores = nnspca.scores(data.X, part.loadings, mean='own', standardize={now.standardise})")
    if lie is not None and data.labels is not None:
        lines.append("print(nnspca.separation(scores, data.labels))  # each class against all others")
    lines.append("why = nnspca.contribution(cov, part, int(part.support[0]))  # of any feature")
    lines.append("print(why.held, why.loss, why.partner, why.loss_exchanged)")
    return "\n".join(lines)
