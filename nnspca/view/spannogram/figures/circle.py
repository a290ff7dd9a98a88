"""The spannogram as a figure that plays by itself: what a person can take along and open anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from nnspca.view import foreign
from nnspca.view.figures.style import Palette, dress, set_axes
from nnspca.view.words import fixed as decimal

SAMPLES = 96  # points of a curve over half a circle
LIT_CURVES = 12  # largest set whose curves are lit; larger ones show their values only
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
    best: float,
    names: Sequence[str] = (),
) -> go.Figure:
    """Draw the curves of V (n, 2) over the angle, with frames that move only what is lit.

    Parameters
    ----------
    V : ndarray, shape (n, 2)
    sets : sequence of (from, to, top set)
        The regions in turn; they cover the range that is played.
    objective : ndarray
        g at evenly spaced angles over that range.
    palette : Palette
    k : int
    nonnegative : bool
    drawn : ndarray of int
        Curves to draw.
    best : float
        The angle of the optimum.
    names : sequence of str
        What rows are called; numbered from 1 when empty.
    """
    start, end = sets[0][0], sets[-1][1]
    halves = round((end - start) / np.pi)
    figure = go.Figure()
    angles = np.linspace(start, end, halves * SAMPLES + 1)
    figure.add_scatter(
        **_joined(angles, _heights(V[drawn], angles, nonnegative)),
        mode="lines",
        line={"color": palette.quiet, "width": 1},
        opacity=0.75 if len(drawn) <= 40 else 0.25,
        name=f"{len(drawn)} of {len(V)} curves" if len(drawn) < len(V) else f"{len(V)} curves",
        hoverinfo="skip",
    )
    _add_changes(figure, V, sets, palette, nonnegative)
    _add_objective(figure, objective, start, end, best, palette)
    moments = np.linspace(start, end, halves * PER_HALF, endpoint=False) + (end - start) / (2 * halves * PER_HALF)
    peak = 1.08 * float(np.hypot(V[:, 0], V[:, 1]).max())
    moving = [_moment(V, sets, phi, palette, k, nonnegative, names, peak) for phi in moments]
    _add_frames(figure, moments, moving)
    title = "Spannogram: the top set lit as the direction turns"
    alt = f"{title}. {len(V)} curves, {len(sets)} regions; press Play to turn the direction."
    dress(figure, palette, title=title, alt=alt, height=760)
    _arrange(figure, palette, nonnegative, peak)
    return figure


def _add_objective(
    figure: go.Figure, objective: np.ndarray, start: float, end: float, best: float, palette: Palette
) -> None:
    """Draw the objective below the curves, a star at its maximum."""
    fine = np.linspace(start, end, len(objective))
    figure.add_scatter(
        x=np.degrees(fine).round(3),
        y=objective.round(6),
        yaxis="y2",
        mode="lines",
        line={"color": palette.ink, "width": 1.6},
        name="objective: the sum of squares of the lit values",
        hovertemplate="φ = %{x:.1f}°<br>objective %{y:.5g}<extra></extra>",
    )
    figure.add_scatter(
        x=[np.degrees(best)],
        y=[float(np.interp(best, fine, objective))],
        yaxis="y2",
        mode="markers",
        marker={"symbol": "star", "size": 16, "color": palette.ceiling},
        name="its maximum: the optimum",
        hovertemplate="the optimum, φ = %{x:.1f}°<extra></extra>",
    )


def _add_frames(figure: go.Figure, moments: np.ndarray, moving: Sequence[list[go.Scatter]]) -> None:
    """Add what moves as it is at first, and a frame for each moment that draws nothing else anew."""
    fixed = len(figure.data)
    figure.add_traces(moving[0])
    which = list(range(fixed, fixed + len(moving[0])))
    figure.frames = [
        go.Frame(data=traces, traces=which, name=f"{decimal(np.degrees(phi), 0)}°")
        for phi, traces in zip(moments, moving, strict=True)
    ]


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
    """Ring the crossings at which the top set changes."""
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
        name="crossings that change the top set",
        hovertemplate="the top set changes at φ = %{x:.1f}°<extra></extra>",
    )


def _moment(
    V: np.ndarray,
    sets: Sequence[tuple[float, float, np.ndarray]],
    phi: float,
    palette: Palette,
    k: int,
    nonnegative: bool,
    names: Sequence[str],
    peak: float,
) -> list[go.Scatter]:
    """What moves, at one angle: the lit curves, their values, the cursor, the objective's dot, the words."""
    top = next(support for left, right, support in sets if left <= phi <= right)
    heights = _heights(V[top], np.array([phi]), nonnegative)[:, 0]
    x = np.degrees(phi)
    return [
        *([_lit(V[top], sets, nonnegative, palette)] if k <= LIT_CURVES else []),
        _cursor(x, peak, nonnegative, palette),
        go.Scatter(
            x=np.full(len(top), x),
            y=heights,
            mode="markers",
            marker={"color": palette.found, "size": 10 if k <= 24 else 5},
            name=f"the top {k}",
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


def _lit(
    V: np.ndarray, sets: Sequence[tuple[float, float, np.ndarray]], nonnegative: bool, palette: Palette
) -> go.Scatter:
    """The curves of the top set."""
    angles = np.linspace(sets[0][0], sets[-1][1], 2 * SAMPLES + 1)
    lit = _joined(angles, _heights(V, angles, nonnegative))
    return go.Scatter(**lit, mode="lines", line={"color": palette.found, "width": 3}, name="top set", hoverinfo="skip")


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
    """The direction and its top set in words; a set of many features is only counted."""
    called = [foreign.label(str(names[i])) if names else str(i + 1) for i in top]
    words = f"{{{', '.join(called)}}}" if len(top) <= 6 else f"{len(top)} features"
    return go.Scatter(
        x=[-88.0],
        y=[1.1 * peak],
        mode="text",
        text=[f"φ = {decimal(x, 0)}°   top {k}: {words if len(top) else 'nothing'}".replace("-", "−")],
        textposition="middle right",
        textfont={"color": palette.ink, "size": 14},
        showlegend=False,
        hoverinfo="skip",
    )


def _arrange(figure: go.Figure, palette: Palette, nonnegative: bool, peak: float) -> None:
    """Axes, Play and the slider."""
    last = 270 if nonnegative else 90
    set_axes(
        figure,
        "x",
        range=[-90, last],
        tickvals=list(range(-90, last + 1, 45)),
        ticktext=[f"{a}°".replace("-", "−") for a in range(-90, last + 1, 45)],
        title={
            "text": "direction φ" + (" (beyond 90° the curves are those of −v)" if nonnegative else ""),
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
        updatemenus=[_buttons(palette)],
        sliders=[_slider([frame.name for frame in figure.frames])],
    )


def _buttons(palette: Palette) -> dict[str, object]:
    """Play and Pause, above the picture on the left."""
    return {
        "type": "buttons",
        "direction": "left",
        "x": 0,
        "xanchor": "left",
        "y": 1.02,
        "yanchor": "bottom",
        "showactive": False,
        "bgcolor": palette.empty,
        "font": {"color": palette.ink},
        "buttons": [
            {"label": "▶ Play", "method": "animate", "args": [None, _pace(110)]},
            {"label": "❚❚ Pause", "method": "animate", "args": [[None], _at_once()]},
        ],
    }


def _slider(frames: Sequence[str]) -> dict[str, object]:
    """The slider over all frames, beside the buttons; its labels would overlap, so they are not to be seen."""
    return {
        "x": 0.22,
        "len": 0.78,
        "y": 1.02,
        "yanchor": "bottom",
        "pad": {"t": 0, "b": 0},
        "currentvalue": {"visible": False},
        "ticklen": 0,
        "minorticklen": 0,
        "font": {"color": "rgba(0,0,0,0)", "size": 1},
        "steps": [{"label": name, "method": "animate", "args": [[name], _at_once()]} for name in frames],
    }


def _at_once() -> dict[str, object]:
    """How a frame that was chosen follows: whatever plays is broken off."""
    return {**_pace(0), "mode": "immediate"}


def _pace(milliseconds: int) -> dict[str, object]:
    """How frames follow one another: nothing but what moves is drawn again."""
    return {
        "frame": {"duration": milliseconds, "redraw": False},
        "transition": {"duration": 0},
        "fromcurrent": True,
    }
