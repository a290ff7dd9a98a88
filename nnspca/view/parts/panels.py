"""The parts page's panels: the parts over the mean, side by side, what is proven of each, what to take home."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Components
from nnspca.view import words
from nnspca.view.figures.style import Figure
from nnspca.view.parts import face
from nnspca.view.parts.choices import IN_TURN, KEYS, TOGETHER, Choices, title_of
from nnspca.view.parts.figures import several
from nnspca.view.parts.figures.over_mean import Scene, over_mean
from nnspca.view.parts.hands import hands
from nnspca.view.session import charts
from nnspca.view.session.job import Job
from nnspca.view.session.widgets import choose

RIGHT = 89.95  # degrees from which an angle counts as a right one
PAGE = 860  # pixels a page has for its columns, about


def scene(data: Dataset) -> Scene:
    """Return what the features of a data set stand for."""
    axis = None if data.axis is None else (data.axis.values, data.axis.name, data.axis.unit)
    mean = None if data.kind == "covariance" else data.means
    return Scene(tuple(map(str, data.feature_names)), data.image_shape, axis, mean)


def whole(results: Mapping[str, Components], data: Dataset, choice: Choices) -> Figure:
    """Show the lead's parts in colours over the mean of the data; return them as a figure to take home."""
    way = choice.lead if choice.lead in results else next(iter(results))
    parts = results[way]
    shares = parts.variances / parts.total
    labels = [f"part {i + 1}: {words.percent(share, 1)}" for i, share in enumerate(shares)]
    title = f"{title_of(way, choice)}: {len(labels)} {'part' if len(labels) == 1 else 'parts'}"
    drawn = over_mean(parts.loadings, scene(data), charts.palette(), labels=labels, title=title, width=PAGE // 2)
    if (parts.loadings >= 0).all():
        face.show(title, parts, data)
    else:
        charts.figure(drawn, "parts-whole")
        st.caption("Click a part in the list to hide it, double-click to see it alone.")
    return drawn


def changed(results: Mapping[str, Components], data: Dataset, choice: Choices) -> dict[str, Figure]:
    """Show which features are in another part, or newly in one, once the parts are sought together."""
    seen = hands(results[IN_TURN], results[choice.lead])
    if not (seen.moved or seen.joined or seen.left):
        st.markdown("None: found one after the other, the parts have the same features.")
        return {}
    st.markdown(
        f"Of {data.n_features:,} features **{seen.moved:,}** went from one part to another, **{seen.joined:,}** are "
        f"newly used and **{seen.left:,}** no longer. Only these are coloured; a part has one colour in both pictures."
    )
    drawn: dict[str, Figure] = {}
    columns = st.columns(2, gap="medium")
    both = ((IN_TURN, seen.before), (choice.lead, seen.after))
    for column, (way, loadings) in zip(columns, both, strict=True):
        counts = np.count_nonzero(loadings, axis=0)
        labels = [f"part {i + 1}: {count:,}" for i, count in enumerate(counts)]
        with column:
            figure = over_mean(
                loadings, scene(data), charts.palette(), labels=labels, title=title_of(way, choice), width=PAGE // 2
            )
            charts.figure(figure, f"hands-{way}")
            drawn[f"hands-{way}"] = figure
    return drawn


def side_by_side(results: Mapping[str, Components], data: Dataset, choice: Choices) -> dict[str, Figure]:
    """Show each way's parts in its own column, as many as one slider says; return the figures."""
    drawn: dict[str, Figure] = {}
    shown = choice.r
    if choice.r > 1:
        shown = choose(KEYS["shown"], "Parts shown", usual=choice.r, high=choice.r, help="Of every way at once.")
    columns = st.columns(len(results), gap="medium")
    for column, (way, parts) in zip(columns, results.items(), strict=True):
        with column:
            first = parts.loadings[:, :shown]
            drawn[way] = _picture(first, data, title_of(way, choice), PAGE // len(columns))
            charts.figure(drawn[way], f"parts-{way}")
            count = first.shape[1]
            share = 100 * parts.cumulative_variance[count - 1] / parts.total
            st.caption(
                f"{nnspca.DEFLATIONS[parts.deflation].title}. {count} {'part' if count == 1 else 'parts'} of "
                f"{_range(parts.cardinalities[:count])} features explain {words.fixed(share, 1)} % of all variance; "
                f"overlap {words.fixed(parts.overlap, 2)}; {words.seconds(parts.seconds)}."
                + (f" Note: {parts.note}." if parts.note else "")
            )
    return drawn


def _range(counts: np.ndarray) -> str:
    """Say how many features the parts use."""
    low, high = int(counts.min()), int(counts.max())
    return f"{high:,}" if low == high else f"{low:,} to {high:,}"


def _picture(U: np.ndarray, data: Dataset, title: str, width: int) -> Figure:
    """Draw parts as the kind of data asks."""
    look, nonnegative = charts.palette(), bool((U >= 0).all())
    if data.image_shape is not None:
        return several.tiles(U, data.image_shape, look, nonnegative=nonnegative, title=title, width=width)
    if data.axis is not None:
        axis = (data.axis.values, data.axis.name, data.axis.unit)
        return several.stretches(U, axis, look, title=title)
    return several.chart(U, data.feature_names, look, nonnegative=nonnegative, title=title)


def comparison(results: Mapping[str, Components], choice: Choices) -> Figure:
    """Show what the parts explain together, and the angles between them where they share anything."""
    asked = KEYS["angles"].key in st.query_params
    several_parts = {way: parts for way, parts in results.items() if len(parts.parts) > 1}
    leaning = {way: parts for way, parts in several_parts.items() if asked or _leans(parts)}
    places = st.columns([1.2, 1], gap="large") if leaning else [st.container()]
    with places[0]:
        lines = {title_of(way, choice): p.cumulative_variance / p.total for way, p in results.items()}
        drawn = several.together(lines, charts.palette())
        charts.figure(drawn, "together")
        st.caption("Parts that overlap are not credited twice: this is the variance of the space they span.")
    if leaning:
        with places[1]:
            way = choose(KEYS["angles"], "Angles between the parts of", options=list(leaning), horizontal=True)
            title = "90° share nothing, 0° are the same"
            charts.figure(several.angles(leaning[way].angles, charts.palette(), title=title), "angles-drawn")
    return drawn


def _leans(parts: Components) -> bool:
    """Tell whether some parts are not at right angles."""
    apart = parts.angles[~np.eye(len(parts.parts), dtype=bool)]
    return bool((apart < RIGHT).any())


def proven(job: Job, way: str, choice: Choices) -> None:
    """Say what was proven of each part alone."""
    left = (
        "that the features not in the other parts could make"
        if choice.apart_for(way) == TOGETHER
        else "that was left for it once the parts before were taken out"
    )
    for r, cert in enumerate(job.arrived):
        st.markdown(
            f"Part {r + 1} of {way}: at least **{words.percent(cert.ratio, 2)}** of the best {left} "
            f"({nnspca.BOUNDS[cert.winner.name].title.lower()})."
        )
