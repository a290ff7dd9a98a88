"""Play, Pause and the slider of a Plotly figure that plays by itself, and its frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from nnspca.view.figures.style import Palette
from nnspca.view.words import fixed as decimal


def add_frames(figure: go.Figure, moments: np.ndarray, moving: Sequence[list[go.Scatter]]) -> None:
    """Add the moving traces, and a frame a moment that draws nothing else anew."""
    fixed = len(figure.data)
    figure.add_traces(moving[0])
    which = list(range(fixed, fixed + len(moving[0])))
    figure.frames = [
        go.Frame(data=traces, traces=which, name=f"{decimal(np.degrees(phi), 0)}°")
        for phi, traces in zip(moments, moving, strict=True)
    ]


def buttons(palette: Palette) -> dict[str, object]:
    """Return Play and Pause, above the picture on the left."""
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


def slider(frames: Sequence[str]) -> dict[str, object]:
    """Return the slider over all frames, beside the buttons; its labels would overlap, so they are transparent."""
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
