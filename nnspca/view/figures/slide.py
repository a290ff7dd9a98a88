"""A figure as it is projected: type, lines and marks large enough for the last row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nnspca.view.figures.style import LEGEND_DROP, LEGEND_ROW, Figure, names

LARGER = 5 / 3  # what has 12 pixels on a page has 20 on a slide
READABLE = 20  # pixels: no type is smaller
TALL, FLAT = 990, 620  # pixels: heights of a figure on a screen of 1920 × 1080, and of one that is flat on the page
FLAT_BELOW = 260  # pixels on the page
WIDE = 1280  # pixels that a line of the legend has at least
LETTER, KEY = 11, 64  # pixels: a letter of it, and what stands before and after a name
LENGTHS = {"size", "thickness", "xshift", "yshift", "standoff", "borderpad", "ticklen", "maxheight"}
# Where a width is one of a drawn line; a bar's is in units of its axis.
LINES = {"line", "outline"}


def projected(figure: Figure) -> Figure:
    """Return the figure for a slide: all that is measured in pixels larger, and the height of a screen.

    ``meta.tall`` of its layout says how tall it would like to be.
    """
    plain = figure.to_plotly_json()
    layout = plain["layout"]
    tall, margin = float(layout.get("height", 450)), layout.get("margin", {})
    below, drop = float(margin.get("b", 80)), layout.get("legend", {}).get("y")
    hangs = drop is not None and drop < 0  # the legend stands below the plot
    if hangs:  # a page leaves room for the lines it has on a phone
        below = min(below, LEGEND_DROP + LEGEND_ROW * _lines(figure))
    height = TALL if tall >= FLAT_BELOW else FLAT
    slide = Figure({"data": [_enlarged(trace) for trace in plain["data"]], "layout": _enlarged(layout)})
    slide.update_layout(
        height=height,
        margin={side: LARGER * size for side, size in margin.items() if isinstance(size, int | float)}
        | ({"b": LARGER * below} if hangs else {}),
        meta={**layout.get("meta", {}), "tall": height},
        font_size=READABLE,
        legend_font_size=_readable(slide.layout.legend.font.size),
        hoverlabel_font_size=READABLE,
    )
    if hangs:  # at the foot of the figure, however tall the screen lets it be
        slide.update_layout(legend={"yref": "container", "y": 0.0, "yanchor": "bottom"})
    for axes in (slide.select_xaxes(), slide.select_yaxes()):
        for axis in axes:
            axis.tickfont.size = _readable(axis.tickfont.size)
            axis.title.font.size = _readable(axis.title.font.size)
    for note in slide.layout.annotations:
        note.font.size = _readable(note.font.size)
    for trace in slide.data:
        for place in (trace, getattr(trace, "marker", None)):
            properties = {} if place is None else place.to_plotly_json()
            if place is not None and (properties.get("colorbar") or properties.get("type") == "heatmap"):
                place.colorbar.tickfont.size = _readable(place.colorbar.tickfont.size)
                place.colorbar.title.font.size = _readable(place.colorbar.title.font.size)
        if "textfont" in trace and not isinstance(trace.textfont.size, tuple):
            trace.textfont.size = _readable(trace.textfont.size)
    return slide


def _lines(figure: Figure) -> int:
    """Return how many lines the legend takes: all names in one where they fit, else in columns of one width.

    >>> import plotly.graph_objects as go
    >>> _lines(go.Figure([{"name": "best"}, {"name": "em"}])), _lines(go.Figure([{"name": "best" * 12}] * 4))
    (1, 2)
    """
    widths = [KEY + LETTER * len(name) for name in names(figure)] or [0]
    return 1 if sum(widths) <= WIDE else -(-len(widths) // max(WIDE // max(widths), 1))


def _readable(size: float | None) -> float:
    return max(size or READABLE, READABLE)


def _enlarged(node: Any, within: str = "") -> Any:
    """Return a piece of a figure with its pixels enlarged; what is measured by an axis stays."""
    if isinstance(node, list | tuple):
        return [_enlarged(piece, within) for piece in node]
    if not isinstance(node, Mapping):
        return node
    counted = "start" in node  # steps of a histogram or of contours, by the axis
    larger: dict[str, Any] = {}
    for key, value in node.items():
        pixels = (key in LENGTHS and not counted) or (key == "width" and within in LINES)
        if pixels and isinstance(value, int | float) and not isinstance(value, bool):
            larger[key] = LARGER * value
        elif pixels and key == "size" and isinstance(value, list | tuple):
            larger[key] = [LARGER * one if isinstance(one, int | float) else one for one in value]
        else:
            larger[key] = _enlarged(value, key)
    return larger
