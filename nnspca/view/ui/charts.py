"""Charts on a page: a Plotly figure in the person's theme, its description, a sketch before it, its download."""

from __future__ import annotations

import base64
import html
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from mimetypes import MimeTypes
from typing import Any, TypeGuard
from urllib.parse import quote

import numpy as np
import streamlit as st

from nnspca.view import session
from nnspca.view.figures import style
from nnspca.view.figures.style import Figure, Palette
from nnspca.view.session import Content

WIDTH = 1000.0  # of a sketch's own coordinates, stretched to the place it stands in
LEFT, RIGHT = 0.06, 0.99  # where the axes lie in it
AIR = 0.05  # share of its length that an axis has beyond its values
MEDIA = MimeTypes()  # Python's own, the same on every machine
LEFT_OUT = ["select2d", "lasso2d", "autoScale2d", "pan2d", "zoomIn2d", "zoomOut2d"]  # few buttons cover no title
SCENE, FOOT = (312, 236), 116  # pixels of a figure in a scene of a lecture, of one over a table, and of their legends
OVER = 20  # pixels above a figure in a scene, for the words of its upright axis
CHART = {"displaylogo": False, "modeBarButtonsToRemove": LEFT_OUT}
Places = Sequence[tuple[float, float] | None]  # None: the line is broken here


def palette() -> Palette:
    """Return the colours of the theme the person sees."""
    return style.DARK if st.context.theme.type == "dark" else style.LIGHT


def figure(drawn: Figure, key: str, *, first: bool = False, **settings: Any) -> Any:
    """Show a figure with its description for screen readers.

    In the place of a page's ``first`` figure a sketch stands for as long as the browser has nothing that draws it.
    """
    alt = drawn.layout.meta["alt"]
    if "lecture" in st.query_params:
        _lower(drawn, SCENE[not first])
    if not first:
        return st.plotly_chart(drawn, key=key, config=CHART, alt=alt, **settings)
    place = st.container(key=f"{key}-sketched")  # the figure itself covers the sketch once it is drawn
    place.html(figure_sketch(drawn, palette()))
    return place.plotly_chart(drawn, key=key, config=CHART, alt=alt, **settings)


def _lower(figure: Figure, most: int) -> None:
    """Let a figure fit a scene of a lecture, which has its title; what an axis upright says stands above it."""
    layout, tall = figure.layout, min(figure.layout.height, most)
    before = layout.height - layout.margin.t - layout.margin.b
    layout.title, layout.margin.t, layout.margin.b, layout.height = None, OVER, min(layout.margin.b, FOOT), tall
    layout.legend.y *= before / (tall - OVER - layout.margin.b)
    for axis in figure.select_yaxes():
        words, axis.title = (axis.title.text or "").replace("<br>", " "), None
        place = {"x": 0, "y": (axis.domain or (0, 1))[1], "xref": "paper", "yref": "paper", "xanchor": "left"}
        figure.add_annotation(text=words, yanchor="bottom", showarrow=False, **place)


def picture(png: bytes, alt: str) -> None:
    """Show a picture as wide as its place: it comes with the page's own words, and its room is kept before it is drawn.

    Streamlit's own image is a request of its own, made once all that the page has is loaded.
    """
    wide, tall = struct.unpack(">II", png[16:24])
    address = f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"
    st.html(
        f'<img class="picture" src="{address}" alt="{html.escape(alt)}" width="{wide}" height="{tall}" '
        f'style="width:100%;height:auto;aspect-ratio:{wide}/{tall}">'
    )


def download_button(label: str, data: Content, key: str, file_name: str, about: str = "") -> None:
    """Offer a file; ``data`` is what it holds, or makes that only when asked for."""
    kind = MEDIA.guess_type(file_name)[0] or "application/octet-stream"
    address = session.current().offer(key, file_name, data, kind)
    st.html(
        f'<a class="download" href="{address}" download="{html.escape(file_name)}" title="{html.escape(about)}">'
        f"{html.escape(label)}</a>",
        width="content",
    )


def figure_sketch(figure: Figure, palette: Palette) -> str:
    """Return the frame, lines, bands and marks of each panel of a figure: a picture of a few kilobytes."""
    drawn = figure.to_plotly_json()  # plain values: the figure's own attributes take ten times as long to read
    layout = drawn["layout"]
    tall, margin = float(layout["height"]), layout["margin"]
    room = tall - margin["t"] - margin["b"]
    shapes: list[str] = []
    framed = set()
    for trace in drawn["data"]:
        panel = trace.get("yaxis", "y")
        down, along = layout.get(_axis(panel), {}), layout.get(_axis(trace.get("xaxis", "x")), {})
        hidden = trace.get("visible") in (False, "legendonly")
        if trace["type"] != "scatter" or hidden or "category" in (down.get("type"), along.get("type")):
            continue
        down, along = _ranged(down, drawn, "y", panel), _ranged(along, drawn, "x", trace.get("xaxis", "x"))
        low, high = (margin["t"] + room * (1 - share) for share in down.get("domain", (0.0, 1.0)))
        if panel not in framed:
            framed.add(panel)
            shapes.append(_line(((WIDTH * LEFT, high), (WIDTH * LEFT, low), (WIDTH * RIGHT, low)), palette.quiet, 0.5))
        places = [
            (WIDTH * (LEFT + (RIGHT - LEFT) * _share(x, along)), low + (high - low) * _share(y, down))
            if _known(x) and _known(y)
            else None
            for x, y in zip(_values(trace, "x"), _values(trace, "y"), strict=False)
        ]
        shapes += _drawn(trace, places, palette.quiet)
    box = f'viewBox="0 0 {round(WIDTH)} {round(tall)}" preserveAspectRatio="none"'
    picture = quote(f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{"".join(shapes)}</svg>')
    place = f"height:{round(tall)}px;background:0 0/100% 100% url(data:image/svg+xml,{picture})"
    return f'<div class="sketch" aria-hidden="true" style="{place}"></div>'


def _values(trace: Mapping[str, Any], along: str) -> Sequence[float | None]:
    """Return a trace's values along an axis; Plotly writes an array as its bytes in base 64."""
    values = trace.get(along, ())
    if isinstance(values, Mapping):
        return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).tolist()
    return values


def _known(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and math.isfinite(value)


def _ranged(axis: Mapping[str, Any], drawn: Mapping[str, Any], along: str, name: str) -> Mapping[str, Any]:
    """Return an axis with its range; where the figure leaves it to Plotly, that of all values, with some air."""
    if "range" in axis:
        return axis
    mine = (t for t in drawn["data"] if t.get(f"{along}axis", along) == name and t.get("visible") is not False)
    log = axis.get("type") == "log"
    values = [v for t in mine for v in _values(t, along) if _known(v) and (v > 0 or not log)] or [1.0, 2.0]
    low, high = (math.log10(end) if log else float(end) for end in (min(values), max(values)))
    air = AIR * ((high - low) or 1.0)
    return {**axis, "range": (low - air, high + air)}


def _axis(name: str) -> str:
    """Return the layout's name of a trace's axis: ``yaxis2`` for ``y2``."""
    return f"{name[0]}axis{name[1:]}"


def _share(value: float, axis: Mapping[str, Any]) -> float:
    """Return where a value lies along an axis, from 0 to 1; what lies beyond stays at the end."""
    low, high = axis["range"]
    at = (math.log10(value) if value > 0 else low) if axis.get("type") == "log" else float(value)
    return min(max((at - low) / (high - low), 0.0), 1.0)


def _drawn(trace: Mapping[str, Any], places: Places, otherwise: str) -> Iterator[str]:
    """Yield a trace as shapes: its band, its line, its marks."""
    mode, line = trace.get("mode", "lines"), trace.get("line", {})
    colour = line.get("color", otherwise)
    if trace.get("fill") == "toself" and any(places):
        yield f'<path d="{_path(places)}Z" fill="{html.escape(trace.get("fillcolor", colour))}" stroke="none"/>'
    if "lines" in mode and line.get("width") != 0:
        yield _line(places, colour, float(line.get("width", 2)))
    if "markers" in mode:
        mark = trace.get("marker", {}).get("color")
        for place in filter(None, places):  # a line of no length with round ends stays round when it is stretched
            yield _line((place, place), mark if isinstance(mark, str) else colour, 7.0)


def _path(places: Places) -> str:
    parts, pen = [], "M"
    for place in places:
        if place is not None:
            parts.append(f"{pen}{round(place[0])} {round(place[1])}")
        pen = "M" if place is None else "L"
    return "".join(parts)


def _line(places: Places, colour: str, width: float) -> str:
    path = _path(places)
    if not path:
        return ""
    return (
        f'<path d="{path}" fill="none" stroke="{html.escape(colour)}" stroke-width="{width}" '
        'stroke-linecap="round" vector-effect="non-scaling-stroke"/>'
    )
