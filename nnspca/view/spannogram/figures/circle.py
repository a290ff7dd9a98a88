"""The spannogram as a figure that plays by itself: what a person can take along and open anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from nnspca.view import foreign
from nnspca.view.figures.style import Palette, dress, set_axes
from nnspca.view.spannogram.figures import playing
from nnspca.view.spannogram.geometry import TINTS
from nnspca.view.words import fixed as decimal

SAMPLES = 96  # points of a curve over half a circle
SINGLED = 12  # largest set whose curves are drawn in colours; larger ones show their values only
PER_HALF = 72  # frames over half a circle


def animation(
    V: np.ndarray,
    sets: Sequence[tuple[float, float, np.ndarray]],
    objective: np.ndarray,
    palette: Palette,
    *,
    k: int,
    nonnegative: bool,
    drawn: np.ndarray,
    tints: np.ndarray,
    envelope: np.ndarray | None,
    best: float,
    names: Sequence[str] = (),
) -> go.Figure:
    """Draw the curves of V (n, 2) over a whole turn, with frames that move only the set.

    Parameters
    ----------
    V : ndarray, shape (n, 2)
    sets : sequence of (from, to, set)
        The regions in turn, −90° to 270°.
    objective : ndarray
        g at evenly spaced angles over that turn.
    palette : Palette
    k : int
    nonnegative : bool
    drawn : ndarray of int
    tints : ndarray of int, shape (n,)
        Which of ``TINTS`` each curve has while it is in the set.
    envelope : ndarray, shape (2, samples), or None
        The lowest and the highest value of the other curves.
    best : float
        The angle of the optimum.
    names : sequence of str
        The names of the rows; numbered from 1 when empty.
    """
    start, end = sets[0][0], sets[-1][1]
    figure = go.Figure()
    angles = np.linspace(start, end, 2 * SAMPLES + 1)
    if envelope is not None:
        _add_envelope(figure, envelope, start, end, len(V) - len(drawn), palette)
    figure.add_scatter(
        **_joined(angles, _heights(V[drawn], angles, nonnegative)),
        mode="lines",
        line={"color": palette.quiet, "width": 1},
        opacity=0.75 if len(drawn) <= 40 else 0.25,
        name=f"{len(drawn)} curves",
        hoverinfo="skip",
    )
    _add_changes(figure, V, sets, palette, nonnegative)
    _add_objective(figure, objective, start, end, best, palette)
    moments = np.linspace(start, end, 2 * PER_HALF, endpoint=False) + (end - start) / (4 * PER_HALF)
    peak = 1.08 * float(np.hypot(V[:, 0], V[:, 1]).max())
    moving = [_moment(V, sets, phi, palette, k, nonnegative, tints, names, peak) for phi in moments]
    playing.add_frames(figure, moments, moving)
    title = f"Spannogram: the {k} highest curves as the direction turns"
    alt = f"{title}. {len(V)} curves; the set changes {len(sets) - 1} times. Press Play to turn the direction."
    dress(figure, palette, title=title, alt=alt, height=760)
    _arrange(figure, palette, nonnegative, peak)
    return figure


def _add_objective(
    figure: go.Figure, objective: np.ndarray, start: float, end: float, best: float, palette: Palette
) -> None:
    """Draw the objective below the curves, a star at its maximum."""
    fine = np.linspace(start, end, len(objective))
    best = start + (best - start) % (2 * np.pi)
    figure.add_scatter(
        x=np.degrees(fine).round(3),
        y=objective.round(6),
        yaxis="y2",
        mode="lines",
        line={"color": palette.ink, "width": 1.6},
        name="objective: sum of squares of the values in the set",
        hovertemplate="φ = %{x:.1f}°<br>objective %{y:.5g}<extra></extra>",
    )
    figure.add_scatter(
        x=[np.degrees(best)],
        y=[float(np.interp(best, fine, objective))],
        yaxis="y2",
        mode="markers",
        marker={"symbol": "star", "size": 16, "color": palette.ceiling},
        name="optimum",
        hovertemplate="optimum, φ = %{x:.1f}°<extra></extra>",
    )


def _add_envelope(
    figure: go.Figure, envelope: np.ndarray, start: float, end: float, others: int, palette: Palette
) -> None:
    """Shade the range of the curves that are not drawn one by one."""
    x = np.degrees(np.linspace(start, end, envelope.shape[1])).round(2)
    look = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    figure.add_scatter(x=x, y=envelope[0].astype(np.float32), showlegend=False, **look)
    figure.add_scatter(
        x=x,
        y=envelope[1].astype(np.float32),
        fill="tonexty",
        fillcolor="rgba(120, 135, 148, 0.2)",
        name=f"{others:,} other curves",
        **look,
    )


def _heights(V: np.ndarray, angles: np.ndarray, nonnegative: bool) -> np.ndarray:
    """Values of the curves, shape (n, angles)."""
    w = V @ np.stack([np.sin(angles), np.cos(angles)])
    return w if nonnegative else np.abs(w)


def _joined(angles: np.ndarray, heights: np.ndarray) -> dict[str, np.ndarray]:
    """Many curves as one: a gap after each."""
    gap = np.full((len(heights), 1), np.nan)
    x = np.hstack([np.tile(np.degrees(angles), (len(heights), 1)), gap])
    y = np.hstack([heights, gap])
    return {"x": x.ravel().round(2).astype(np.float32), "y": y.ravel().astype(np.float32)}


def _add_changes(figure: go.Figure, V: np.ndarray, sets: Sequence, palette: Palette, nonnegative: bool) -> None:
    """Ring the crossings at which the set changes."""
    x, y = [], []
    for (_, edge, before), (_, _, after) in pairwise(sets):
        changed = np.setxor1d(before, after)
        if len(changed):
            x.append(np.degrees(edge))
            y.append(float(_heights(V[changed[:1]], np.array([edge]), nonnegative)[0, 0]))
    figure.add_scatter(
        x=x,
        y=y,
        mode="markers",
        marker={
            "size": 8 if len(x) < 80 else 4,
            "color": palette.paper,
            "line": {"color": palette.ceiling, "width": 1.6},
        },
        name="crossings that change the set",
        hovertemplate="the set changes at φ = %{x:.1f}°<extra></extra>",
    )


def _moment(
    V: np.ndarray,
    sets: Sequence[tuple[float, float, np.ndarray]],
    phi: float,
    palette: Palette,
    k: int,
    nonnegative: bool,
    tints: np.ndarray,
    names: Sequence[str],
    peak: float,
) -> list[go.Scatter]:
    """What moves, at one angle: the curves in the set, their values, the cursor, the objective's dot, the words."""
    top = next(support for left, right, support in sets if left <= phi <= right)
    heights = _heights(V[top], np.array([phi]), nonnegative)[:, 0]
    x = np.degrees(phi)
    return [
        *(_in_set(V, top, tints, nonnegative, palette) if k <= SINGLED else []),
        _cursor(x, peak, nonnegative, palette),
        go.Scatter(
            x=np.full(len(top), x),
            y=heights,
            mode="markers",
            marker={"color": [palette.series[TINTS[tints[i]]] for i in top], "size": 10 if k <= 24 else 5},
            name=f"the {k} highest",
            hoverinfo="skip",
        ),
        go.Scatter(
            x=[x],
            y=[float((heights**2).sum())],
            yaxis="y2",
            mode="markers",
            marker={"color": palette.found, "size": 11},
            showlegend=False,
            hoverinfo="skip",
        ),
        _words(x, peak, top, k, names, palette),
    ]


def _in_set(V: np.ndarray, top: np.ndarray, tints: np.ndarray, nonnegative: bool, palette: Palette) -> list[go.Scatter]:
    """The curves of the set, those of one colour as one line."""
    angles = np.linspace(-np.pi / 2, 3 * np.pi / 2, 2 * SAMPLES + 1)
    return [
        go.Scatter(
            **_joined(angles, _heights(V[top[tints[top] == tint]], angles, nonnegative)),
            mode="lines",
            line={"color": palette.series[colour], "width": 3},
            showlegend=False,
            hoverinfo="skip",
        )
        for tint, colour in enumerate(TINTS)
    ]


def _cursor(x: float, peak: float, nonnegative: bool, palette: Palette) -> go.Scatter:
    """The line at the direction, over all heights that are drawn."""
    return go.Scatter(
        x=[x, x],
        y=[-peak if nonnegative else 0.0, peak],
        mode="lines",
        line={"color": palette.ink, "width": 1.5},
        showlegend=False,
        hoverinfo="skip",
    )


def _words(x: float, peak: float, top: np.ndarray, k: int, names: Sequence[str], palette: Palette) -> go.Scatter:
    """The direction and its set in words; a set of many features is only counted."""
    called = [foreign.label(str(names[i])) if names else str(i + 1) for i in top]
    words = f"{{{', '.join(called)}}}" if len(top) <= 6 else f"{len(top)} features"
    return go.Scatter(
        x=[-88.0],
        y=[1.1 * peak],
        mode="text",
        text=[f"φ = {decimal(x, 0)}°   the {k} highest: {words if len(top) else 'nothing'}".replace("-", "−")],
        textposition="middle right",
        textfont={"color": palette.ink, "size": 14},
        showlegend=False,
        hoverinfo="skip",
    )


def _arrange(figure: go.Figure, palette: Palette, nonnegative: bool, peak: float) -> None:
    """Axes, Play and the slider."""
    set_axes(
        figure,
        "x",
        range=[-90, 270],
        tickvals=list(range(-90, 271, 45)),
        ticktext=[f"{a}°".replace("-", "−") for a in range(-90, 271, 45)],
        title={
            "text": "direction φ (beyond 90°: the opposite direction, −v)",
            "standoff": 4,
        },
        anchor="y2",
    )
    figure.update_layout(
        yaxis={
            "domain": [0.34, 1],
            "range": [-peak if nonnegative else 0, 1.2 * peak],
            "title": "value of each feature",
        },
        yaxis2={
            "domain": [0, 0.26],
            "rangemode": "tozero",
            "title": "objective",
            "gridcolor": palette.grid,
            "linecolor": palette.grid,
            "automargin": True,
        },
        margin_t=104,
        updatemenus=[playing.buttons(palette)],
        sliders=[playing.slider([frame.name for frame in figure.frames])],
    )
