"""A figure as a still picture of a few kilobytes: it stands until the browser has what draws the figure itself."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from nnspca.view.figures.style import DARK, LEGEND_DROP, LIGHT, TOP, Figure

WIDTH = 1000.0  # of the picture's own coordinates, stretched to the place it stands in
LEFT, RIGHT = 0.06, 0.99  # where the axes lie in it

Places = Sequence[tuple[float, float]]


def sketch(figure: Figure) -> str:
    """Return the title, and of each panel whose axes have ranges the frame, lines, bands and marks, as markup."""
    layout = figure.layout
    tall, top = float(layout.height), TOP if layout.title.text else 8
    room = tall - top - float(layout.margin.b or LEGEND_DROP)
    shapes: list[str] = []
    framed = set()
    for trace in figure.data:
        down, along = layout[_axis(trace.yaxis, "y")], layout[_axis(trace.xaxis, "x")]
        shown = trace.type == "scatter" and trace.visible not in (False, "legendonly")
        if not shown or down.range is None or along.range is None:
            continue
        low, high = (top + room * (1 - share) for share in down.domain or (0.0, 1.0))
        if trace.yaxis not in framed:
            framed.add(trace.yaxis)
            frame = ((WIDTH * LEFT, high), (WIDTH * LEFT, low), (WIDTH * RIGHT, low))
            shapes.append(_line(frame, "currentcolor", 0.5))
        points = [(x, y) for x, y in zip(_all(trace.x), _all(trace.y), strict=False) if None not in (x, y)]
        shapes += _drawn(
            trace,
            [
                (WIDTH * (LEFT + (RIGHT - LEFT) * _share(x, along)), low + (high - low) * _share(y, down))
                for x, y in points
            ],
        )
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {tall:g}" preserveAspectRatio="none" '
        f'color="{(DARK if layout.meta["dark"] else LIGHT).quiet}">{"".join(shapes)}</svg>'
    )
    return (
        f'<div class="sketch" aria-hidden="true" style="height:{tall:g}px"><b>{html.escape(layout.title.text or "")}'
        f'</b><img alt="" src="data:image/svg+xml,{quote(picture)}"></div>'
    )


def _axis(name: str | None, letter: str) -> str:
    """Return the layout's name of a trace's axis: ``yaxis2`` for ``y2``."""
    return f"{letter}axis{(name or letter)[1:]}"


def _all(values: Any) -> Sequence[Any]:
    return () if values is None else list(values)


def _share(value: float, axis: Any) -> float:
    """Return where a value lies along an axis, from 0 to 1; what lies beyond stays at the end."""
    low, high = axis.range
    at = (math.log10(value) if value > 0 else low) if axis.type == "log" else float(value)
    return min(max((at - low) / (high - low), 0.0), 1.0)


def _drawn(trace: Any, places: Places) -> Iterator[str]:
    """Yield a trace as shapes: its band, its line, its marks."""
    mode, colour = trace.mode or "lines", trace.line.color or "currentcolor"
    if trace.fill == "toself" and places:
        yield f'<path d="{_path(places)}Z" fill="{html.escape(trace.fillcolor or colour)}" stroke="none"/>'
    if "lines" in mode and trace.line.width != 0:
        yield _line(places, colour, float(trace.line.width or 2))
    if "markers" in mode:
        mark = trace.marker.color if isinstance(trace.marker.color, str) else colour
        for place in places:  # a line of no length with round ends: round however the picture is stretched
            yield _line((place, place), mark, 7.0)


def _path(places: Places) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)


def _line(places: Places, colour: str, width: float) -> str:
    if not places:
        return ""
    return (
        f'<path d="{_path(places)}" fill="none" stroke="{html.escape(colour)}" stroke-width="{width:g}" '
        'stroke-linecap="round" vector-effect="non-scaling-stroke"/>'
    )
