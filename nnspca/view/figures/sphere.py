"""The sphere of directions for rank 3, and the branch and bound that closes in on its best point."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from nnspca.spannogram.sphere import Round
from nnspca.view.figures.look import Palette, dress

ABOVE = 1.012  # lines float this far above the sphere
BENDS = 8  # straight pieces an edge of a cell is drawn with


def globe(
    points: np.ndarray,
    triangles: np.ndarray,
    objective: np.ndarray,
    supports: np.ndarray | None,
    now: Round,
    palette: Palette,
    *,
    nonnegative: bool,
) -> go.Figure:
    """Draw the sphere, coloured by ``objective`` or, where given, by ``supports``; cells and optimum on it."""
    figure = go.Figure()
    x, y, z = points.T
    i, j, k = triangles.T
    look = {"lighting": {"ambient": 0.85, "diffuse": 0.25, "specular": 0.05}, "showlegend": False}
    if supports is None:
        figure.add_mesh3d(
            x=x,
            y=y,
            z=z,
            i=i,
            j=j,
            k=k,
            intensity=objective,
            colorscale=palette.one_sided(),
            colorbar={
                "title": {"text": "objective", "side": "bottom", "font": {"size": 12}},
                "orientation": "h",
                "thickness": 9,
                "len": 0.6,
                "y": -0.02,
                "yanchor": "top",
            },
            hovertemplate="objective %{intensity:.4g}<extra></extra>",
            **look,
        )
    else:
        figure.add_mesh3d(
            x=x,
            y=y,
            z=z,
            i=i,
            j=j,
            k=k,
            facecolor=_tints(supports, palette),
            flatshading=True,
            hoverinfo="skip",
            **look,
        )
    closed = ~now.open
    figure.add_scatter3d(
        **_outlines(now.corners[closed]),
        mode="lines",
        line={"color": palette.quiet, "width": 1.5},
        opacity=0.55,
        name="closed cells",
        hoverinfo="skip",
    )
    figure.add_scatter3d(
        **_outlines(now.corners[now.open]),
        mode="lines",
        line={"color": palette.ceiling, "width": 6},
        name="open cells",
        hoverinfo="skip",
    )
    best = [now.direction] if nonnegative else [now.direction, -now.direction]
    bx, by, bz = (1.03 * np.array(best)).T
    figure.add_scatter3d(
        x=bx,
        y=by,
        z=bz,
        mode="markers",
        marker={"symbol": "diamond", "size": 7, "color": palette.ceiling, "line": {"color": palette.paper, "width": 1}},
        name="best direction so far" if now.open.any() else "the optimum",
        hovertemplate=f"objective {now.value:.5g}<extra></extra>",
    )
    title = f"Every direction, coloured by {'objective' if supports is None else 'its top set'}"
    alt = (
        f"{title}. A sphere; {int(now.open.sum())} open cells are outlined boldly, {int(closed.sum())} closed ones "
        f"faintly; the best direction is marked."
    )
    dress(figure, palette, title=title, alt=alt, height=560)
    blank = {"visible": False, "showspikes": False, "range": [-1.12, 1.12]}
    eye = 1.5 * now.direction + np.array([0.45, -0.35, 0.3])
    figure.update_layout(
        scene={
            "xaxis": blank,
            "yaxis": blank,
            "zaxis": blank,
            "aspectmode": "cube",
            "dragmode": "orbit",
            "camera": {"eye": dict(zip("xyz", (1.45 * eye / np.linalg.norm(eye)).tolist(), strict=True))},
        },
        dragmode="orbit",
    )
    return figure


def _outlines(corners: np.ndarray) -> dict[str, np.ndarray]:
    """Edges of all cells as one line with gaps, bent along the sphere."""
    if not len(corners):
        return {axis: np.array([None], dtype=object) for axis in "xyz"}
    d = corners.shape[1]
    pairs = [(a, b) for a in range(d) for b in range(a + 1, d)]
    one = corners[:, [a for a, _ in pairs]].reshape(-1, corners.shape[2])
    two = corners[:, [b for _, b in pairs]].reshape(-1, corners.shape[2])
    share = np.linspace(0, 1, BENDS + 1)[None, :, None]
    path = (1 - share) * one[:, None] + share * two[:, None]
    path *= ABOVE / np.linalg.norm(path, axis=2, keepdims=True)
    path = np.concatenate([path, np.full((len(path), 1, 3), np.nan)], axis=1).reshape(-1, 3)
    return {axis: path[:, a].astype(np.float32) for a, axis in enumerate("xyz")}


def _tints(supports: np.ndarray, palette: Palette) -> list[str]:
    """A colour for each number: hues by the golden angle, lightness in three steps, so neighbours differ."""
    tints = []
    for s in range(int(supports.max()) + 1):
        light = (0.42, 0.54, 0.33)[s % 3] if palette.dark else (0.72, 0.84, 0.62)[s % 3]
        r, g, b = colorsys.hls_to_rgb((0.55 + s * 0.381966) % 1.0, light, 0.5)
        tints.append(f"rgb({255 * r:.0f},{255 * g:.0f},{255 * b:.0f})")
    return [tints[s] for s in supports]


def closing(rounds: Sequence[Round], step: int, palette: Palette) -> go.Figure:
    """Draw best value and ceiling by round, as far as ``step``; what is to come is faint."""
    place = np.arange(len(rounds))
    figure = go.Figure()
    for values, name, colour, dash in (
        ([r.upper for r in rounds], "ceiling: nothing can be better", palette.ceiling, "dash"),
        ([r.value for r in rounds], "best value found", palette.found, "solid"),
    ):
        figure.add_scatter(
            x=place,
            y=values,
            mode="lines",
            line={"color": colour, "width": 1.5, "dash": dash},
            opacity=0.3,
            showlegend=False,
            hoverinfo="skip",
        )
        figure.add_scatter(
            x=place[: step + 1],
            y=values[: step + 1],
            mode="lines+markers",
            line={"color": colour, "width": 2.5, "dash": dash},
            name=name,
            hovertemplate="round %{x}: %{y:.6g}<extra>" + name + "</extra>",
        )
    title = "Ceiling and best value close in"
    alt = f"{title}: after round {step}, best {rounds[step].value:.5g}, ceiling {rounds[step].upper:.5g}."
    dress(figure, palette, title=title, alt=alt, height=330)
    figure.update_xaxes(title="round", dtick=max(1, len(rounds) // 8), range=[-0.4, len(rounds) - 0.6])
    figure.update_yaxes(title="objective", rangemode="tozero")
    return figure
