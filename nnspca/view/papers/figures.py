"""The figures of a study: curves, bars or parts, as its table says."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nnspca.studies import Band, Bars, Curves, Line, Parts, StudyTable
from nnspca.view.figures import band as common
from nnspca.view.figures.style import DASHES, LEGEND_ROW, SYMBOLS, Palette, dress, names, set_axes, tile_axes

ACROSS = 6  # images in a row
GAP = 2  # pixels between images
TALLEST = 1600


def strips(table: StudyTable, picture: Parts, palette: Palette, title: str) -> go.Figure:
    """Draw one strip of images for each group; photographs in greys, loadings in the colours of loadings."""
    images = _images(table, picture)
    groups = list(dict.fromkeys(group for group, _ in images))
    rows, columns = picture.shape
    head = max(6, rows * 2 // 5)  # pixels above a strip for its title
    caption = max(4, rows // 4) if picture.captions else 0
    most = max(part for _, part in images) if images else 1
    across = min(ACROSS, most)
    places: dict[tuple[str, int], tuple[int, int]] = {}
    top = 0
    labels: list[dict[str, Any]] = []
    for group in groups:
        top += head
        labels.append(_label(0, top - 1, group))
        mine = sorted(part for name, part in images if name == group)
        for number, part in enumerate(mine):
            line, place = divmod(number, across)
            places[group, part] = (top + line * (rows + GAP + caption), place * (columns + GAP))
        top += -(-len(mine) // across) * (rows + GAP + caption)
    width = across * (columns + GAP)
    figure = go.Figure()
    for plain in (True, False):
        sheet = np.full((top, width), np.nan)
        for key, (y, x) in places.items():
            if (key[0] in picture.plain) == plain:
                sheet[y : y + rows, x : x + columns] = images[key]
        if np.isfinite(sheet).any():
            _add_sheet(figure, sheet, palette, plain=plain)
    for key, words in picture.captions:
        if key in places:
            y, x = places[key]
            labels.append(_label(x, y + rows - 0.5, words, foot=False))
    figure.update_layout(annotations=labels)  # at once: added one by one, all before it are read again for each
    counted = ", ".join(f"{sum(g == group for g, _ in images)} of {group}" for group in groups)
    alt = f"{table.title}: images of {rows} by {columns} pixels, {counted}."
    height = min(TALLEST, 48 + round(top * 720 / max(width, 1)))
    x_axis, y_axis = tile_axes(top, width - GAP)
    dress(figure, palette, title=title, alt=alt, height=max(height, 260), x=x_axis, y=y_axis)
    figure.layout.margin.b = 8
    return figure


def _images(table: StudyTable, picture: Parts) -> dict[tuple[str, int], np.ndarray]:
    """Return each image by (group, part)."""
    images: dict[tuple[str, int], np.ndarray] = {}
    columns = (table.column(c) for c in (picture.group, picture.part, picture.feature, picture.value))
    for group, part, feature, value in zip(*columns, strict=True):
        image = images.setdefault((str(group), int(part)), np.zeros(picture.shape))
        image.flat[int(feature)] = value
    return images


def _add_sheet(figure: go.Figure, sheet: np.ndarray, palette: Palette, *, plain: bool) -> None:
    """Draw one sheet of images; what is not an image stays empty."""
    signed = not plain and float(np.nanmin(sheet)) < 0
    most = float(np.nanmax(np.abs(sheet))) or 1.0
    figure.add_heatmap(
        z=sheet,
        zmin=float(np.nanmin(sheet)) if plain else -most if signed else 0.0,
        zmax=most,
        colorscale="gray" if plain else palette.two_sided() if signed else palette.one_sided(),
        showscale=False,
        hoverongaps=False,
        hovertemplate="%{z:.4f}<extra></extra>",
    )


def _label(x: float, y: float, words: str, *, foot: bool = True) -> dict[str, Any]:
    """Words with their foot, or their head, at (x, y)."""
    return {
        "x": x - 0.5,
        "y": y,
        "text": words,
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "bottom" if foot else "top",
        "font": {"size": 13},
        "borderpad": 0,
    }


WIDE = 64  # characters of a line of a title
HATCH = ("", "/", "x", ".", "\\", "-")


def study(table: StudyTable, palette: Palette, *, titled: bool = False) -> go.Figure:
    """Draw a table as its picture says; ``titled`` where no heading stands above."""
    title = "<br>".join(textwrap.wrap(table.title, WIDE)) if titled else ""
    picture = table.picture
    if picture is None:
        raise ValueError(f"table {table.name!r} has no picture")
    if picture.kind == "parts":
        return strips(table, picture, palette, title)
    if picture.kind == "curves" and picture.bands:
        return _band(table, picture, palette, title)
    figure = _bars(table, picture, palette) if picture.kind == "bars" else _curves(table, picture, palette)
    named = len(names(figure))
    rows = named if named < 7 else -(-named // 2)
    body = 560 if picture.kind == "curves" and picture.equal else 440
    alt = f"{table.title}: {len(table.rows)} rows; " + ", ".join(line.title for line in picture.lines) + "."
    dress(figure, palette, title=title, alt=alt, height=body + LEGEND_ROW * max(rows - 3, 0), legend_rows=rows)
    above = 44 + 18 * title.count("<br>") if titled else 8
    if picture.kind == "curves" and picture.spans:
        above += 36
    figure.layout.margin.t = above
    return figure


def _band(table: StudyTable, picture: Curves, palette: Palette, title: str) -> go.Figure:
    """Draw variance against k, or against the number of parts, as the band that all pages show."""
    (proven,) = [band for band in picture.bands if band.proven]
    rows: list[tuple[Any, ...]] = [
        tuple(row) for row in zip(*map(table.column, (picture.x, proven.low, proven.high)), strict=True)
    ]
    at = tuple(row[0] for row in rows)
    curves: dict[str, dict[int, Any]] = {
        line.title: {x: y for x, y in zip(at, table.column(line.y), strict=True) if y is not None}
        for line in picture.lines
    }
    best = [max((curve[x] for curve in curves.values() if x in curve), default=0.0) for x in at]
    band = common.Band(
        at,
        tuple(reached if low is None else low for reached, (_, low, _) in zip(best, rows, strict=True)),
        tuple(math.inf if high is None else high for _, _, high in rows),
        frozenset(x for x, _, high in rows if high is not None),
    )
    figure = common.figure(
        band,
        curves,
        palette,
        title=table.title,
        unit="% of λ₁",
        along=picture.x_title,
        log=picture.log_x,
        what=picture.x,
    )
    for likely in picture.bands:
        if not likely.proven:
            _add_likely(figure, table, picture, likely, palette)
    if picture.log_x:
        set_axes(figure, "x", **_ticks(at))
    figure.layout.title.text = title
    figure.layout.margin.t = 44 + 18 * title.count("<br>") if title else 8
    return figure


def _add_likely(figure: go.Figure, table: StudyTable, picture: Curves, band: Band, palette: Palette) -> None:
    """Draw the upper end of a band that holds with a probability, over the proven one."""
    points = [row for row in _points(table, picture.x, (band.high,)) if row[1] is not None]
    figure.add_scatter(
        x=[x for x, _ in points],
        y=[100 * y for _, y in points],
        name=band.title,
        mode="lines",
        line={"color": palette.paper_bound, "width": 1.5, "dash": "dash"},
        hovertemplate="%{x}<br>upper bound, with a probability: %{y:.2f} %<extra></extra>",
    )


def _ticks(at: Sequence[float]) -> dict[str, Any]:
    """Return the ticks of a logarithmic axis: a dozen of its values at most."""
    shown = sorted(at)[:: -(-len(at) // 12) or 1]
    return {"tickvals": shown, "ticktext": [f"{v:g}" if v == int(v) else f"{v:.3g}" for v in shown]}


def _points(table: StudyTable, x: str, columns: Sequence[str]) -> list[tuple]:
    """Return (x, columns …) of each row; a row without value breaks the line only where x is missing too."""
    every = zip(table.column(x), *[table.column(c) for c in columns], strict=True)
    return [row for row in every if row[1] is not None or row[0] is None]


def _curves(table: StudyTable, picture: Curves, palette: Palette) -> go.Figure:
    """Draw values along an axis, over spans and edges."""
    figure = go.Figure()
    place = 0
    for i, line in enumerate(picture.lines):
        colour = place if line.colour is None else line.colour
        place += line.role == "ours"
        _add_line(figure, table, picture, line, (i, colour), palette)
    for mark in picture.marks:
        figure.add_scatter(
            x=[mark.x],
            y=[mark.y],
            mode="markers+text",
            text=[mark.label],
            textposition="top left" if mark.x > 0 else "bottom right",
            textfont={"size": 15},
            marker={"size": 12, "color": palette.upper_bound, "symbol": "star" if mark.printed else "circle"},
            name=mark.label,
            showlegend=False,
        )
    _add_spans(figure, picture, palette)
    set_axes(figure, "x", title_text=picture.x_title, type="log" if picture.log_x else None)
    set_axes(figure, "y", title_text=picture.y_title, type="log" if picture.log_y else None)
    if picture.log_x:
        set_axes(figure, "x", **_ticks(list({v for v in table.column(picture.x) if isinstance(v, int | float)})))
    elif _few_whole(table.column(picture.x)):
        set_axes(figure, "x", dtick=1)
    if picture.log_y:
        set_axes(figure, "y", dtick=1, exponentformat="power")
    if picture.y_range:
        set_axes(figure, "y", range=picture.y_range)
    if picture.spans:
        set_axes(figure, "x", range=[picture.spans[0].start, picture.spans[-1].end])
    if picture.equal:
        set_axes(figure, "y", scaleanchor="x", constrain="domain")
        set_axes(figure, "x", constrain="domain")
    return figure


def _few_whole(cells: Sequence[object]) -> bool:
    """Tell whether an axis counts a few things: then it has no halves."""
    known = [cell for cell in cells if isinstance(cell, int | float)]
    return bool(known) and all(isinstance(cell, int) for cell in known) and max(known) - min(known) <= 15


def _add_line(
    figure: go.Figure, table: StudyTable, picture: Curves, line: Line, place: tuple[int, int], palette: Palette
) -> None:
    """Draw one series."""
    number, colour = place
    points = _points(table, line.x or picture.x, [line.y, *[c for c in (line.low, line.high) if c]])
    values = [row[1] for row in points]
    series = palette.series[colour % len(palette.series)]
    ink = {"ours": series, "printed": palette.ink, "guide": palette.quiet if line.colour is None else series}[line.role]
    dash = "dot" if line.role == "guide" else DASHES[colour % len(DASHES)]
    if line.solid or (line.mode == "lines" and line.role == "ours"):
        dash = "solid"
    at = number if line.colour is None else line.colour
    symbol = "star" if line.role == "printed" else SYMBOLS[at % len(SYMBOLS)]
    size = 15 if line.role == "printed" else 5 if line.role == "guide" else 9
    spread = None
    if line.low and line.high:
        spread = {
            "type": "data",
            "symmetric": False,
            "array": [row[3] - row[1] if row[1] is not None and row[3] is not None else 0 for row in points],
            "arrayminus": [row[1] - row[2] if row[1] is not None and row[2] is not None else 0 for row in points],
            "thickness": 1.2,
        }
    figure.add_scatter(
        x=[row[0] for row in points],
        y=values,
        name=line.title,
        mode=line.mode,
        line={"color": ink, "dash": dash, "width": 2.2 * line.weight},
        marker={"size": size, "symbol": symbol, "color": ink, "line": {"width": 2, "color": ink}},
        error_y=spread,
        hovertemplate="%{x:.5g}<br>%{y:.5g}<extra>" + line.title + "</extra>",
    )


def _add_spans(figure: go.Figure, picture: Curves, palette: Palette) -> None:
    """Shade stretches of the axis in turn, label them, and draw the edges."""
    whole = {"xref": "x", "y0": 0, "y1": 1, "yref": "y domain", "layer": "below"}  # as high as the axis
    band = {"type": "rect", "fillcolor": palette.band, "opacity": 0.5, "line": {"width": 0}}
    edge = {"type": "line", "line": {"color": palette.quiet, "width": 1, "dash": "dash"}}
    label = {"y": 1.0, "yref": "paper", "yanchor": "bottom", "showarrow": False}
    figure.update_layout(  # at once: added one by one, all before it are read again for each
        shapes=[
            *[{**whole, **band, "x0": span.start, "x1": span.end} for span in picture.spans[::2]],
            *[{**whole, **edge, "x0": at, "x1": at} for at in picture.edges],
        ],
        annotations=[
            {
                **label,
                "x": (span.start + span.end) / 2,
                "yshift": 2 + 16 * (i % 2),
                "text": span.label,
                "font": {"size": 13, "color": palette.ink},
            }
            for i, span in enumerate(picture.spans)
        ],
    )


def _bars(table: StudyTable, picture: Bars, palette: Palette) -> go.Figure:
    """Draw a group of bars for each row."""
    figure = go.Figure()
    names = [str(value).replace(", ", "<br>") for value in table.column(picture.x)]
    place = 0
    for i, line in enumerate(picture.lines):
        colour = {"printed": palette.ink, "guide": palette.quiet}.get(line.role)
        if colour is None:
            colour = palette.series[(place if line.colour is None else line.colour) % len(palette.series)]
            place += 1
        values = table.column(line.y)
        column = next(c for c in table.columns if c.name == line.y)
        figure.add_bar(
            x=names,
            y=values,
            name=line.title,
            text=[column.format(value) for value in values],
            textposition="outside",
            textangle=0,
            cliponaxis=False,
            marker={
                "color": colour,
                "pattern": {"shape": HATCH[i % len(HATCH)], "fillmode": "overlay", "solidity": 0.12},
            },
            hovertemplate="%{x}<br>%{text}<extra>" + line.title + "</extra>",
        )
    figure.update_layout(barmode="group")
    set_axes(figure, "x", title_text=picture.x_title, type="category")
    set_axes(figure, "y", title_text=picture.y_title, type="log" if picture.log_y else None)
    if picture.y_range:
        set_axes(figure, "y", range=picture.y_range)
    return figure
