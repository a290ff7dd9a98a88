"""Figures of the Parts page: what the first parts explain together, a sample beside its parts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from nnspca.datasets import Axis
from nnspca.result import rounded
from nnspca.view.figures.style import PIXELS_X, PIXELS_Y, Look, Palette, axis_words, set_layout

GAP = 2  # pixels between two images


def cumulative(cumulative: Mapping[str, np.ndarray], digits: int, palette: Palette) -> go.Figure:
    """Draw the share of the total variance that the first parts explain together, one line for each solver."""
    figure = go.Figure()
    for i, (name, shares) in enumerate(cumulative.items()):
        look = Look.of(name, i, palette)
        figure.add_scatter(
            x=np.arange(1, len(shares) + 1),
            y=100 * shares,
            name=name,
            mode="lines+markers",
            line={"color": look.colour, "dash": look.dash, "width": 2},
            marker={"size": 9, "symbol": look.symbol, "line": {"width": 2}},
            customdata=[
                (f"first {count} parts" if count > 1 else "first part", rounded.percent(share, digits))
                for count, share in enumerate(shares.tolist(), start=1)
            ],
            hovertemplate="%{customdata[0]}<br>%{customdata[1]} of the total variance<extra>" + name + "</extra>",
        )
    title = "What the parts explain together"
    return set_layout(
        figure,
        palette,
        title=title,
        alt=f"{title}, of the total variance: "
        + "; ".join(f"{name} {rounded.percent(shares[-1], digits)}" for name, shares in cumulative.items()),
        height=320,
        x={"title_text": "number of parts", "dtick": 1},
        y={"title_text": "share of the total variance (%)", "rangemode": "tozero"},
    )


def image_of_sum(
    original: np.ndarray, steps: np.ndarray, shape: tuple[int, int], palette: Palette, *, title: str, says: str
) -> go.Figure:
    """Draw a sample beside its reconstruction from parts, in greys on one scale."""
    rows, columns = shape
    sheet = np.full((rows, 2 * columns + GAP), np.nan)
    sheet[:, :columns] = original.reshape(shape)
    sheet[:, columns + GAP :] = steps.reshape(shape)
    figure = go.Figure(
        go.Heatmap(
            z=sheet,
            zmin=float(original.min()),
            zmax=float(original.max()),
            colorscale="gray",
            showscale=False,
            hoverongaps=False,
            hovertemplate="%{z:.4g}<extra></extra>",
        )
    )
    set_layout(
        figure,
        palette,
        title=title,
        alt=f"{title}: the image on the left, its reconstruction on the right. {says}",
        height=280,
        x=PIXELS_X,
        y=PIXELS_Y,
    )
    figure.layout.margin.b = 8
    return figure


def curve_of_sum(
    original: np.ndarray, approximation: np.ndarray, axis: Axis, palette: Palette, *, title: str, says: str
) -> go.Figure:
    """Draw a sample along its axis, and its reconstruction from parts."""
    name, _, along = axis_words(axis)
    order = np.argsort(axis.values, kind="stable")
    figure = go.Figure()
    for y, label, colour, dash in (
        (original, "the sample", palette.quiet, "solid"),
        (approximation, "from its parts", palette.found, "dash"),
    ):
        figure.add_scatter(
            x=axis.values[order], y=y[order], mode="lines", name=label, line={"color": colour, "dash": dash, "width": 2}
        )
    return set_layout(
        figure,
        palette,
        title=title,
        alt=f"{title}: two curves along {name}. {says}",
        height=320,
        x={"title_text": along},
        y={"title_text": "value"},
    )
