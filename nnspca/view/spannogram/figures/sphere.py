"""The sphere of directions for rank 3, in space or as a map, and the branch and bound that closes in on its best."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from scipy.spatial import cKDTree

from nnspca.spannogram.sphere import Round
from nnspca.view.figures.style import Palette, dress

ABOVE = 1.012  # lines float this far above the sphere
TINTS = 64  # different tints on a map
BENDS = 16  # straight pieces an edge of a cell is drawn with


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


def atlas(
    points: np.ndarray,
    triangles: np.ndarray,
    objective: np.ndarray,
    supports: np.ndarray | None,
    now: Round,
    palette: Palette,
    *,
    nonnegative: bool,
) -> go.Figure:
    """Draw the same as :func:`globe` as a flat map with the best direction in the middle: no 3-D needed."""
    turn = _towards(now.direction)
    east, north = np.meshgrid(np.linspace(-180, 180, 241), np.linspace(-90, 90, 121))
    lon, lat = np.radians(east), np.radians(north)
    seen = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=-1) @ turn
    figure = go.Figure()
    place = {"x": east[0], "y": north[:, 0]}
    if supports is None:
        near = cKDTree(points).query(seen.reshape(-1, 3))[1].reshape(east.shape)
        figure.add_heatmap(
            **place,
            z=objective[near],
            colorscale=palette.one_sided(),
            colorbar={"title": {"text": "objective", "font": {"size": 12}}, "thickness": 9, "len": 0.7},
            zsmooth="best",
            hovertemplate="objective %{z:.4g}<extra></extra>",
        )
    else:
        near = cKDTree(points[triangles].mean(axis=1)).query(seen.reshape(-1, 3))[1].reshape(east.shape)
        tints = _tints(np.arange(TINTS), palette)
        figure.add_heatmap(
            **place,
            z=supports[near] % TINTS,
            zmin=0,
            zmax=TINTS - 1,
            colorscale=[(i / (TINTS - 1), tint) for i, tint in enumerate(tints)],
            showscale=False,
            hoverinfo="skip",
        )
    for which, name, line in (
        (~now.open, "closed cells", {"color": palette.quiet, "width": 1}),
        (now.open, "open cells", {"color": palette.ceiling, "width": 3}),
    ):
        figure.add_scatter(**_mapped(now.corners[which], turn), mode="lines", line=line, name=name, hoverinfo="skip")
    figure.add_scatter(
        x=[0.0] if nonnegative else [0.0, 180.0],
        y=[0.0] if nonnegative else [0.0, 0.0],
        mode="markers",
        marker={
            "symbol": "diamond",
            "size": 13,
            "color": palette.ceiling,
            "line": {"color": palette.paper, "width": 1},
        },
        name="best direction so far" if now.open.any() else "the optimum",
        hovertemplate=f"objective {now.value:.5g}<extra></extra>",
    )
    title = f"Every direction as a map, coloured by {'objective' if supports is None else 'its top set'}"
    alt = f"{title}, the best direction in the middle; {int(now.open.sum())} open cells are outlined boldly."
    dress(figure, palette, title=title, alt=alt, height=470)
    figure.update_xaxes(title="degrees east of the best direction", range=[-180, 180], dtick=60, showgrid=False)
    figure.update_yaxes(title="degrees north", range=[-90, 90], dtick=30, showgrid=False)
    return figure


def _towards(direction: np.ndarray) -> np.ndarray:
    """A rotation whose first row is the direction."""
    away = np.eye(3)[int(np.abs(direction).argmin())]
    second = np.cross(direction, away)
    second /= np.linalg.norm(second) or 1.0
    return np.stack([direction, second, np.cross(direction, second)])


def _mapped(corners: np.ndarray, turn: np.ndarray) -> dict[str, np.ndarray]:
    """The outlines of :func:`_outlines` as degrees east and north, cut where they leave the map's edge."""
    lines = _outlines(corners)
    if lines["x"][0] is None:
        return {"x": lines["x"], "y": lines["y"]}
    path = (np.stack([lines[axis] for axis in "xyz"], axis=1) / ABOVE) @ turn.T
    x, y = np.degrees(np.arctan2(path[:, 1], path[:, 0])), np.degrees(np.arcsin(np.clip(path[:, 2], -1, 1)))
    jumps = np.flatnonzero(np.abs(np.diff(x)) > 180) + 1
    return {"x": np.insert(x, jumps, np.nan), "y": np.insert(y, jumps, np.nan)}


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
        tints.append(f"rgb({round(255 * r)},{round(255 * g)},{round(255 * b)})")
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
