"""The look all figures share: two palettes, one layout, and a page of its own for a downloaded figure."""

from __future__ import annotations

import html
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

# Plotly takes pandas as soon as anyone begins to import it, also half imported: two first visitors
# at once would meet an error. It comes with Streamlit, which imports it with the first figure.
import pandas  # noqa: F401
from plotly.colors import hex_to_rgb
from plotly.graph_objects import Figure as Figure

from nnspca.datasets import Axis
from nnspca.solvers.registry import METHODS
from nnspca.view import sanitize

FONT = '"Source Sans", "Source Sans Pro", system-ui, sans-serif'
LEGEND_DROP = 56  # pixels from the plot down to the legend: below tick labels and axis title
LEGEND_ROW = 20  # pixels a line of the legend takes; a phone shows one entry a line
# Pixels of all words of the app, in CSS (``var(--label)``), on canvases (``SIZES.label``) and in Plotly's figures.
SIZES = {"small": 13, "label": 14, "text": 16, "head": 20, "title": 26}
TEXT = SIZES["small"]  # the least size of words in a figure
TOP = 40  # pixels for the title
APART = 1.6  # least ratio of a named k to the ends of its axis
BUTTONS = "#76838d"  # of a figure's toolbar, seen on the paper of both themes
SYMBOLS = ("circle", "diamond-open", "square-open", "triangle-up-open", "cross-open", "x-open")
PIXELS_X: Mapping[str, Any] = {"visible": False, "constrain": "domain"}  # axes of an image: square, and without words
PIXELS_Y: Mapping[str, Any] = {**PIXELS_X, "scaleanchor": "x", "autorange": "reversed"}
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
# Each solver has its place, and so its colour (modulo six), line and mark, on every page; those that the papers draw
# together have colours of their own.
FIRST = ("best", "em", "greedy", "thresholding", "spannogram", "coordinate-descent", "elastic-net", "exact", "dspca")
PLACES = {name: i for i, name in enumerate((*FIRST, "scotlass", "epsilon-net", "enumeration", "nmf"))} | {"pca": 16}
PLACES |= {name: 17 + i for i, name in enumerate(name for name in METHODS if name not in PLACES)}
IN_PAPERS = {"emPCA": "em", "Alg. 3": "epsilon-net", "PathSPCA": "greedy", "ESPCA": "exact", "Multistart": "best"}
PLACES |= {said: PLACES[name] for said, name in IN_PAPERS.items()}
PLACES |= {said: PLACES[name] for name, m in METHODS.items() for said in (m.title, m.title.partition(" (")[0])}
COLOURS = tomllib.loads(Path(__file__).with_name("colours.toml").read_text(encoding="utf-8"))
PARTS: tuple[str, ...] = tuple(COLOURS["parts"])


@dataclass(frozen=True)
class Palette:
    """Colours by what they mean; told apart with any common colour blindness, and by shape as well."""

    dark: bool
    ink: str
    quiet: str
    grid: str
    paper: str
    empty: str
    found: str
    band: str
    upper_bound: str
    paper_bound: str
    proven: str
    series: tuple[str, ...]
    positive: tuple[str, ...]
    negative: tuple[str, ...]

    def scale(self, *, signed: bool) -> list[tuple[float, str]]:
        """Return the colour scale of loadings: zero, in the middle of ``signed`` ones, is the background."""
        steps = (*(reversed(self.negative) if signed else ()), self.empty, *self.positive)
        return [(i / (len(steps) - 1), colour) for i, colour in enumerate(steps)]


def _palette(theme: str) -> Palette:
    colours: dict[str, Any] = {use: tuple(one) if isinstance(one, list) else one for use, one in COLOURS[theme].items()}
    return Palette(theme == "dark", **colours)


LIGHT, DARK = map(_palette, ("light", "dark"))


def set_layout(
    figure: Figure,
    palette: Palette,
    *,
    title: str,
    alt: str,
    height: int,
    legend_rows: int | None = None,
    k_axis: Sequence[int] | None = None,
    x: Mapping[str, Any] | None = None,
    y: Mapping[str, Any] | None = None,
) -> Figure:
    """Give a figure the shared layout, its title and its description; call it when its traces are in.

    The legend has room for one entry a line, as on a phone, unless ``legend_rows`` says otherwise;
    then a phone scrolls it. A figure over k says its values of k as ``k_axis``; ``x`` and ``y``
    are Plotly's settings for all axes of their kind.

    Words, axes and grid keep the colours of the page around them, which may change its theme at any
    time; :func:`figure_page` sets them for a figure that stands alone.
    """
    named = len(legend_names(figure))
    below = LEGEND_DROP + LEGEND_ROW * (named if legend_rows is None else legend_rows) * (named > 1)
    shared = {
        "title": {"text": title, "font": {"size": SIZES["text"]}, "x": 0, "xanchor": "left", "xref": "container"},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": BUTTONS, "activecolor": BUTTONS},
        "height": height,
        "margin": {"l": 8, "r": 8, "t": TOP if title else 8, "b": below},
        "legend": {
            "orientation": "h",
            "yanchor": "top",
            "y": -LEGEND_DROP / (height - below - (TOP if title else 8)),
            "x": 0,
            "font": {"size": TEXT},
            "maxheight": LEGEND_ROW * (legend_rows or max(named, 1)) + 24,  # large marks make a line taller
        },
        "meta": {"alt": alt, "dark": palette.dark},
        "dragmode": False,
        "uirevision": "keep",
    }
    for name, value in shared.items():  # one by one: update_layout takes ten times as long
        figure.layout[name] = value
    words = {"automargin": True, "tickfont_size": TEXT, "title_font_size": TEXT}
    set_axes(figure, "x", **(words | dict(x or {})))
    set_axes(figure, "y", **(words | dict(y or {})))
    if k_axis is not None:
        _set_k_axis(figure, k_axis)
    return figure


def fill_between(figure: Figure, above: Sequence[tuple], below: Sequence[tuple], colour: str, **settings: Any) -> None:
    """Shade between two lines, each given by its points (x, y) from left to right; no pointer is answered."""
    outline = [*above, *below[::-1]]
    figure.add_scatter(
        x=[x for x, _ in outline],
        y=[y for _, y in outline],
        fill="toself",
        fillcolor=colour,
        mode="lines",
        line={"width": 0},
        hoverinfo="skip",
        **settings,
    )


@dataclass(frozen=True)
class Look:
    """How a line is drawn."""

    colour: str
    dash: str
    symbol: str

    @classmethod
    def of(cls, name: str, i: int, palette: Palette) -> Look:
        """Return the look of a solver, by its name or title; of what is none that of place ``i``."""
        at = PLACES.get(name, PLACES.get(name.partition(" (")[0].partition(",")[0], i))  # without its settings
        turn = at + at // len(palette.series)  # of two of one colour, line and mark differ
        colour = palette.series[at % len(palette.series)]
        return cls(colour, DASHES[turn % len(DASHES)], SYMBOLS[turn % len(SYMBOLS)])


def scale() -> str:
    """Return the sizes of words as CSS."""
    return " ".join(f"--{name}: {pixels}px;" for name, pixels in SIZES.items())


def rgba(colour: str, opacity: float) -> str:
    """Return a colour of six hexadecimal digits as one that is seen through."""
    red, green, blue = hex_to_rgb(colour)
    return f"rgba({red}, {green}, {blue}, {opacity:g})"


def set_axes(figure: Figure, axes: Literal["x", "y"], *, only: int | None = None, **settings: Any) -> None:
    """Set all x or y axes of a figure, or the one of that number; ``update_xaxes`` takes four times as long."""
    one = None if only is None else f"{axes}axis{only if only > 1 else ''}"
    for name in figure.layout:
        if name == one or (one is None and name.startswith(f"{axes}axis")):
            for setting, value in settings.items():
                figure.layout[name][setting] = value


def axis_words(axis: Axis) -> tuple[str, str, str]:
    """Return an axis's name, its unit, and the words at it, safe to draw.

    >>> axis_words(Axis((7.9, 22.9), "wavelength", "µm")), axis_words(Axis((1, 2), "age", ""))[2]
    (('wavelength', 'µm', 'wavelength (µm)'), 'age')
    """
    name, unit = sanitize.figure_text(axis.name), sanitize.figure_text(axis.unit)
    return name, unit, f"{name} ({unit})" if unit else name


def legend_names(figure: Figure) -> list[str]:
    """Return the names that stand in a figure's legend."""
    return [trace.name for trace in figure.data if trace.name is not None and trace.showlegend is not False]


def _set_k_axis(figure: Figure, ks: Sequence[int]) -> None:
    """Keep the axis still while points arrive; of hundreds of k the ends and round ones between are named."""
    low, high = min(ks), max(ks)
    between = [step * 10**power for power in range(7) for step in (1, 2, 5)]
    named = sorted({low, *(k for k in between if APART * low < k < high / APART), high})
    set_axes(
        figure,
        "x",
        title_text="k, nonzero loadings allowed (log scale)",
        type="log",
        range=[math.log10(low * 0.87), math.log10(high * 1.15)],
        tickvals=named,
        ticktext=[f"{k:,}" for k in named],
    )


def figure_page(figure: Figure) -> str:
    """Return the figure as a web page that needs no network and no server: Plotly, 4 MB, is in it."""
    palette = DARK if figure.layout.meta["dark"] else LIGHT
    axis = {"gridcolor": palette.grid, "zerolinecolor": palette.grid, "linecolor": palette.grid}
    axis |= {"tickfont_color": palette.quiet, "title_font_color": palette.quiet}
    alone = Figure(figure).update_layout(
        template="none",
        font={"family": FONT, "size": TEXT, "color": palette.ink},
        paper_bgcolor=palette.paper,
        plot_bgcolor=palette.paper,
        hoverlabel_bgcolor=palette.empty,
        title_y=0.96,
    )
    alone.update_xaxes(axis).update_yaxes(axis)
    title, alt = html.escape(figure.layout.title.text or "nnspca"), html.escape(figure.layout.meta["alt"])
    drawn = alone.to_html(config={"displaylogo": False, "responsive": True}, include_plotlyjs=True, full_html=False)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>\n'
        f'<body style="margin: 0; background: {palette.paper}"><div role="img" aria-label="{alt}">{drawn}</div></body>'
        "</html>"
    )
