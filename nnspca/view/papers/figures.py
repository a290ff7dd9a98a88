"""The figures of a study: curves, bars or parts, as its table says."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nnspca.studies import Picture, Table
from nnspca.view.figures import band as common
from nnspca.view.figures.style import (
    DASHES,
    LEGEND_ROW,
    PIXELS_X,
    SIZES,
    SYMBOLS,
    TEXT,
    Look,
    Palette,
    legend_names,
    set_axes,
    set_layout,
)

ACROSS = 6  # images in a row
GAP = 2  # pixels between images
TALLEST = 1600
DRAWN = 480  # pixels: a strip is no wider, so that little room is left below it on a phone
WIDE = 64  # characters of a line of a title
LABEL = 16  # and of a label beside bars
BAR, ROOM = 19, 0.16  # pixels that a bar takes, and the share of the axis that its number may take beyond the longest
HATCH = ("", "/", "x", ".", "\\", "-")


def strip_figure(table: Table, picture: Picture, palette: Palette, title: str) -> go.Figure:
    """Draw one strip of images for each group; photographs in greys, loadings in the colours of loadings."""
    images = _images(table, picture.shape)
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
            if (key[0] in picture.grey) == plain:
                sheet[y : y + rows, x : x + columns] = images[key]
        if np.isfinite(sheet).any():
            _add_sheet(figure, sheet, palette, plain=plain)
    for key, words in picture.captions.items():
        if key in places:
            y, x = places[key]
            labels.append(_label(x, y + rows - 0.5, words, foot=False))
    figure.update_layout(annotations=labels)  # at once: added one by one, all before it are read again for each
    counted = ", ".join(f"{sum(g == group for g, _ in images)} of {group}" for group in groups)
    alt = f"{table.title}: images of {rows} by {columns} pixels, {counted}."
    height = min(TALLEST, 48 + round(top * DRAWN / max(width, 1)))
    x_axis = {**PIXELS_X, "range": [-0.5, width - GAP - 0.5]}
    y_axis = {**PIXELS_X, "scaleanchor": "x", "constraintoward": "top", "range": [top - 0.5, -0.5]}
    set_layout(figure, palette, title=title, alt=alt, height=max(height, 260), x=x_axis, y=y_axis)
    figure.layout.margin.b = 8
    return figure


def _images(table: Table, shape: tuple[int, int]) -> dict[tuple[str, int], np.ndarray]:
    """Return each image by strip and number."""
    images: dict[tuple[str, int], np.ndarray] = {}
    for strip, number, pixel, value in table.frame[["strip", "image", "pixel", "value"]].itertuples(index=False):
        images.setdefault((strip, number), np.zeros(shape)).flat[pixel] = value
    return images


def _add_sheet(figure: go.Figure, sheet: np.ndarray, palette: Palette, *, plain: bool) -> None:
    """Draw one sheet of images; what is not an image stays empty."""
    signed = not plain and float(np.nanmin(sheet)) < 0
    most = float(np.nanmax(np.abs(sheet))) or 1.0
    figure.add_heatmap(
        z=sheet.astype(np.float32),  # half as much to send
        zmin=float(np.nanmin(sheet)) if plain else -most if signed else 0.0,
        zmax=most,
        colorscale="gray" if plain else palette.scale(signed=signed),
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
        "font": {"size": TEXT},
        "borderpad": 0,
    }


def study(table: Table, palette: Palette, *, titled: bool = False) -> go.Figure:
    """Draw a table as its picture says; ``titled`` where no heading stands above."""
    title = "<br>".join(textwrap.wrap(table.title, WIDE)) if titled else ""
    picture = table.picture
    if picture is None:
        raise ValueError(f"table {table.name!r} has no picture")
    if picture.kind == "images":
        return strip_figure(table, picture, palette, title)
    if picture.band:
        return _band(table, picture, picture.band, palette, title)
    figure = _bars(table, picture, palette) if picture.kind == "bars" else _curves(table, picture, palette)
    named = len(legend_names(figure))
    rows = named if named < 7 else -(-named // 2)
    alt = f"{table.title}: {len(table.frame)} rows; {', '.join(picture.lines)}."
    height = (560 if picture.equal else 440) + LEGEND_ROW * max(rows - 3, 0)
    if picture.kind == "bars":
        height = 130 + BAR * len(picture.lines) * (len(table.frame) + 1) + LEGEND_ROW * rows
    set_layout(figure, palette, title=title, alt=alt, height=height, legend_rows=rows)
    above = 44 + 18 * title.count("<br>") if titled else 8
    figure.layout.margin.t = above + (36 if picture.spans else 0)
    return figure


def _band(table: Table, picture: Picture, ends: tuple[str, str], palette: Palette, title: str) -> go.Figure:
    """Draw variance against k, or against the number of parts, as the band that all pages show."""
    at = tuple(table.column(picture.x))
    curves: dict[str, dict[int, Any]] = {
        line: {x: y for x, y in zip(at, table.column(line), strict=True) if y is not None} for line in picture.lines
    }
    best = [max((curve[x] for curve in curves.values() if x in curve), default=0.0) for x in at]
    lower, upper = map(table.column, ends)
    band = common.Band(
        at,
        tuple(reached if low is None else low for reached, low in zip(best, lower, strict=True)),
        tuple(math.inf if high is None else high for high in upper),
        frozenset(x for x, high in zip(at, upper, strict=True) if high is not None),
    )
    curves = {name: curve for name, curve in curves.items() if curve}
    along, log = picture.along or picture.x, picture.log_x
    figure = common.figure(
        band, curves, palette, title=table.title, unit="% of λ₁", along=along, log=log, what=picture.x
    )
    if picture.likely:
        figure.add_scatter(  # the upper end of a band that holds with a probability, over the proven one
            x=at,
            y=[100 * y for y in table.column(picture.likely)],
            name="the paper's band (holds with a probability)",
            mode="lines",
            line={"color": palette.paper_bound, "width": 1.5, "dash": "dash"},
            hovertemplate="%{x}<br>upper bound, with a probability: %{y:.2f} %<extra></extra>",
        )
    if log:
        set_axes(figure, "x", **_ticks(at))
    figure.layout.title.text = title
    figure.layout.margin.t = 44 + 18 * title.count("<br>") if title else 8
    return figure


def _ticks(at: Sequence[float]) -> dict[str, Any]:
    """Return the ticks of a logarithmic axis: a dozen of its values at most."""
    shown = sorted(at)[:: -(-len(at) // 12) or 1]
    return {"tickvals": shown, "ticktext": [f"{v:g}" if v == int(v) else f"{v:.3g}" for v in shown]}


def _inks(picture: Picture, palette: Palette) -> list[tuple[int, str]]:
    """Return place and colour of each line: a solver has its own, and guides have those of the line before them."""
    own = [line for line in picture.lines if line != picture.printed and line not in picture.guides]
    colours = {line: Look.of(line, at, palette).colour for at, line in enumerate(own)}
    if len(set(colours.values())) < len(own):  # one solver in several lines: by their places they are told apart
        colours = {line: palette.series[at % len(palette.series)] for at, line in enumerate(own)}
    inks: list[tuple[int, str]] = []
    for line in picture.lines:
        if line in colours:
            inks.append((own.index(line), colours[line]))
        elif line == picture.printed:
            inks.append((len(own), palette.ink))
        else:
            inks.append(inks[-1] if inks else (0, palette.quiet))
    return inks


def _curves(table: Table, picture: Picture, palette: Palette) -> go.Figure:
    """Draw values along an axis, over spans and edges."""
    figure = go.Figure()
    for line, (place, ink) in zip(picture.lines, _inks(picture, palette), strict=True):
        _add_line(figure, table, picture, line, place, ink)
    for x, y, label in picture.marks:
        figure.add_scatter(
            x=[x],
            y=[y],
            mode="markers+text",
            text=[label],
            textposition="top left" if x > 0 else "bottom right",
            textfont={"size": SIZES["text"]},
            marker={"size": 12, "color": palette.upper_bound},
            name=label,
            showlegend=False,
        )
    _add_spans(figure, picture, palette)
    set_axes(figure, "x", title_text=picture.along or picture.x, type="log" if picture.log_x else None)
    set_axes(figure, "y", title_text=picture.y, type="log" if picture.log_y else None)
    along = [x for x in table.column(picture.x) if x is not None]
    if picture.log_x:
        set_axes(figure, "x", **_ticks(list(set(along))))
    elif all(isinstance(x, int) for x in along) and max(along) - min(along) <= 15:  # it counts: no halves
        set_axes(figure, "x", dtick=1)
    if picture.log_y:
        set_axes(figure, "y", dtick=1, exponentformat="power")
    if picture.y_range:
        set_axes(figure, "y", range=picture.y_range)
    if picture.spans:
        set_axes(figure, "x", range=[picture.spans[0][0], picture.spans[-1][1]])
    if picture.equal:
        set_axes(figure, "y", scaleanchor="x", constrain="domain")
        set_axes(figure, "x", constrain="domain")
    return figure


def _add_line(figure: go.Figure, table: Table, picture: Picture, line: str, place: int, ink: str) -> None:
    """Draw one series; a row without value breaks the line only where x is missing too."""
    rows = table.frame[table.frame[line].notna() | table.frame[picture.x].isna()]
    is_guide, is_printed = line in picture.guides, line == picture.printed
    low, high = f"{line}, low", f"{line}, high"
    spread = None
    if high in rows:
        ends = {"array": rows[high] - rows[line], "arrayminus": rows[line] - rows[low]}
        spread = {"type": "data", "symmetric": False, "thickness": 1.2, **ends}
    dash = "dot" if is_guide else "solid" if picture.smooth else DASHES[place % len(DASHES)]
    figure.add_scatter(
        x=rows[picture.x],
        y=rows[line],
        name="printed in the paper" if is_printed else line,
        mode="markers" if is_printed else "lines" if picture.smooth or is_guide else "lines+markers",
        line={"color": ink, "dash": dash, "width": 2.2},
        marker={
            "size": 15 if is_printed else 9,
            "symbol": "star" if is_printed else SYMBOLS[place % len(SYMBOLS)],
            "color": ink,
            "line": {"width": 2, "color": ink},
        },
        error_y=spread,
        hovertemplate="%{x:.5g}<br>%{y:.5g}<extra>" + line + "</extra>",
    )


def _add_spans(figure: go.Figure, picture: Picture, palette: Palette) -> None:
    """Shade stretches of the axis in turn, label them, and draw the edges."""
    whole = {"xref": "x", "y0": 0, "y1": 1, "yref": "y domain", "layer": "below"}  # as high as the axis
    band = {"type": "rect", "fillcolor": palette.band, "opacity": 0.5, "line": {"width": 0}}
    edge = {"type": "line", "line": {"color": palette.quiet, "width": 1, "dash": "dash"}}
    label = {"y": 1.0, "yref": "paper", "yanchor": "bottom", "showarrow": False}
    label["font"] = {"size": TEXT, "color": palette.ink}
    figure.update_layout(  # at once: added one by one, all before it are read again for each
        shapes=[
            *[{**whole, **band, "x0": start, "x1": end} for start, end, _ in picture.spans[::2]],
            *[{**whole, **edge, "x0": at, "x1": at} for at in picture.edges],
        ],
        annotations=[
            {**label, "x": (start + end) / 2, "yshift": 2 + 16 * (i % 2), "text": text}
            for i, (start, end, text) in enumerate(picture.spans)
        ],
    )


def _bars(table: Table, picture: Picture, palette: Palette) -> go.Figure:
    """Draw a group of bars for each row, lying: their numbers and labels have room on a phone too."""
    figure, texts = go.Figure(), table.shown()
    labels = [str(value).split(", ") for value in table.frame[picture.x]]
    places = ["<br>".join(line for part in label for line in textwrap.wrap(part, LABEL)) for label in labels]
    for i, (line, (_, ink)) in enumerate(zip(picture.lines, _inks(picture, palette), strict=True)):
        hatch = {"shape": HATCH[i % len(HATCH)], "fillmode": "overlay", "solidity": 0.12}
        figure.add_bar(
            x=table.frame[line],
            y=places,
            orientation="h",
            name="printed in the paper" if line == picture.printed else line,
            text=texts[line],
            textposition="outside",
            textfont={"size": TEXT},
            constraintext="none",
            cliponaxis=False,
            marker={"color": ink, "pattern": hatch},
            hovertemplate="%{y}<br>%{text}<extra>" + line + "</extra>",
        )
    figure.update_layout(barmode="group", legend={"traceorder": "normal"})
    most = max((value for line in picture.lines for value in table.column(line) if value is not None), default=1.0)
    low, high = picture.y_range or (0.0, most)
    set_axes(figure, "x", title_text=picture.y, range=[low, high + ROOM * (high - low)])
    set_axes(figure, "y", title_text=picture.along, type="category", autorange="reversed")
    return figure
