"""The samples on the Explore page: linked pictures on one sheet, and what to take home."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from nnspca.datasets import Dataset
from nnspca.result import Component
from nnspca.view import sanitize
from nnspca.view.explore.samples import choices, claims, content, figures, run
from nnspca.view.explore.samples.run import Lie
from nnspca.view.jobs import runs
from nnspca.view.link import canvas
from nnspca.view.link.state import State
from nnspca.view.ui import charts, downloads

HOME = Path(__file__).parent / "browser"
SCRIPTS = ("samples.js", "marks.js", "ladder.js", "cloud.js", "cards.js", "sheet.js")
TITLE = "Samples and features: which samples score highest, why a feature is used"
WITHOUT = (
    "These data are a covariance matrix: there are no samples, and so no scores. Why a feature is included can be "
    "asked all the same."
)
PICKER = "why-picker"
LISTED = 2000  # features up to which all can be asked about by name
ASKED_BEFORE = "_asked_before"  # what the sheet had asked when the player was pressed

_mount = canvas.component("sheet", HOME, SCRIPTS)


def panel(first: Component, data: Dataset, now: State) -> None:
    """Show the samples by their scores, why a feature is in the component, and downloads."""
    if data.kind == "covariance":
        st.info(WITHOUT, icon=":material/table:")
        sheet(first, None, None, data, now)
        return
    deflation = choices.second_deflation()
    job = run.start(first, data, now, deflation)
    job.wait_for_first(runs.FIRST)
    runs.follow("samples", job, first=1)
    second = job.arrived[0] if job.arrived else None
    lie = run.lie(data, now, first, second)
    sheet(first, second, lie, data, now)
    if lie is not None:
        _downloads(first, lie, data, now)


def sheet(first: Component, second: Component | None, lie: Lie | None, data: Dataset, now: State) -> None:
    """Show all linked pictures; a brush stays in the browser, and a question draws nothing but this anew."""

    def draw() -> None:
        feature, pressed = choices.explained_feature(data), canvas.sent("sheet", "why")
        # The link that the browser wrote comes after this; what was asked before a press in the player is past.
        if pressed and pressed != st.session_state.get(ASKED_BEFORE) and pressed["about"] == choices.about(data):
            feature = int(pressed["feature"])
        _picker(first, feature, data)
        role = run.why(data, now, first, int(np.abs(first.loadings).argmax()) if feature is None else feature)
        packed = content.payload(first, second, lie, role, data, now, requested=feature is not None)
        packed["focus"] = st.session_state.get("_asked", 0)
        _mount(key="sheet", data=packed, on_why_change=_nothing)

    st.fragment(draw)()


def _picker(part: Component, feature: int | None, data: Dataset) -> None:
    """Offer to ask about a feature by its name, found by typing; of many features, those of the component."""
    own = np.argsort(-np.abs(part.loadings), kind="stable")[: part.cardinality].tolist()
    others = [i for i in range(data.n_features) if not part.loadings[i]] if data.n_features <= LISTED else []
    if feature is not None and feature not in own and feature not in others:
        others = [feature]
    st.session_state[PICKER] = feature
    names = {i: sanitize.line(str(data.feature_names[i]), sanitize.NAME) for i in (*own, *others)}
    st.selectbox(
        "Why this feature?",
        [*own, *others],
        key=PICKER,
        format_func=names.__getitem__,
        placeholder="Type a name",
        on_change=_picked,
        width=380,
    )


def _picked() -> None:
    """Ask why the feature that was chosen is in the component, as a press in the player does."""
    feature = st.session_state[PICKER]
    if feature is not None:
        st.query_params["why"] = str(feature + 1)
        st.session_state[ASKED_BEFORE] = canvas.sent("sheet", "why")


def _nothing() -> None:
    """Register a state name; its change needs no action of its own: the link says what was asked."""


def _downloads(first: Component, lie: Lie, data: Dataset, now: State) -> None:
    """Offer the scores and the figures."""
    stem = f"{data.name}-k{now.k}-{first.method}"
    pictures: dict[str, Callable[[], figures.Figure]] = {
        "Samples by score (HTML)": partial(figures.ladder, lie, _names(data), charts.palette()),
        "Two scores (HTML)": partial(figures.cloud, lie, _names(data), charts.palette()),
    }
    with st.container(horizontal=True):
        charts.csv_button(
            scores_csv(lie, data),
            "csv-samples",
            f"{stem}-scores.csv",
            "Scores (CSV)",
            "Every sample with its class, its score and its rank.",
        )
        for label, make in pictures.items():
            if lie.second is not None or "Two" not in label:
                name = label.split()[0].lower()
                charts.figure_button(make, f"html-samples-{name}", f"{stem}-{name}.html", label)
    st.code(_code(data, now), language="python", wrap_lines=True)


def _names(data: Dataset) -> list[str]:
    """Return the class of each sample."""
    if data.labels is None:
        return []
    each = {c: claims.class_name(data, c) if c >= 0 else "no class" for c in set(data.labels.tolist())}
    return [each[c] for c in data.labels.tolist()]


def scores_csv(lie: Lie, data: Dataset) -> bytes:
    """Return the samples in the data's order."""
    names, rank = _names(data), {int(s): r + 1 for r, s in enumerate(lie.order)}
    return downloads.table_csv(
        {"sample": s + 1}
        | ({"name": data.sample_names[s]} if data.sample_names else {})
        | ({"class": names[s]} if names else {})
        | {"rank": rank[s], "score": float(lie.scores[s])}
        | ({} if lie.second is None else {"second_score": float(lie.second[s])})
        for s in range(len(lie.scores))
    )


def _code(data: Dataset, now: State) -> str:
    """Return the Python that finds the same."""
    lines = [
        *downloads.data_lines(now),
        f"part = nnspca.solve(cov, {now.k}, nonnegative={now.nonnegative}, seed={now.seed})",
        f"scores = nnspca.scores(data.X, part.loadings, mean='own', standardize={now.standardise})",
    ]
    if data.labels is not None:
        lines.append("print(nnspca.separation(scores, data.labels))  # each class against all others")
    lines.append("why = nnspca.contribution(cov, part, int(part.support[0]))  # of any feature")
    lines.append("print(why.held, why.loss, why.partner, why.loss_exchanged)")
    return "\n".join(lines)
