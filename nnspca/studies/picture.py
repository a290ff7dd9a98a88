"""Descriptions of pictures of a table: its columns as axes, series, bands and images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["ours", "printed", "guide"]
Mode = Literal["lines+markers", "lines", "markers"]


@dataclass(frozen=True)
class Line:
    """One series: its columns and its look.

    Attributes
    ----------
    y : str
        Column of the values; a None in it is left out.
    title : str
        For the legend.
    x : str
        Column along the axis, if it is not the picture's own.
    low, high : str
        Columns of a spread around each value; empty for none.
    role : {"ours", "printed", "guide"}
        A measurement of ours, a number the paper prints, or a line for comparison.
    mode : {"lines+markers", "lines", "markers"}
    colour : int or None
        Index of the colour in the palette, which related lines share; None takes the next.
    weight : float
        Thickness as a multiple of the usual one.
    solid : bool
        Whether a guide is drawn without gaps.
    """

    y: str
    title: str
    x: str = ""
    low: str = ""
    high: str = ""
    role: Role = "ours"
    mode: Mode = "lines+markers"
    colour: int | None = None
    weight: float = 1.0
    solid: bool = False


@dataclass(frozen=True)
class Band:
    """A shaded band between two columns: ``proven``, or valid with some probability only."""

    low: str
    high: str
    title: str
    proven: bool = True


@dataclass(frozen=True)
class Span:
    """A labelled stretch of the horizontal axis."""

    start: float
    end: float
    label: str


@dataclass(frozen=True)
class Mark:
    """A single labelled point; ``printed`` if it is the paper's."""

    x: float
    y: float
    label: str
    printed: bool = False


@dataclass(frozen=True)
class Curves:
    """Values along an axis.

    Attributes
    ----------
    x : str
        Column of the horizontal axis.
    lines : tuple of Line
    x_title, y_title : str
    bands : tuple of Band
    spans : tuple of Span
        Stretches of the axis, shaded in turn.
    edges : tuple of float
        Positions of thin vertical lines.
    marks : tuple of Mark
    log_x, log_y : bool
    y_range : (float, float) or None
    equal : bool
        Whether both axes have the same scale.
    """

    x: str
    lines: tuple[Line, ...]
    x_title: str
    y_title: str
    bands: tuple[Band, ...] = ()
    spans: tuple[Span, ...] = ()
    edges: tuple[float, ...] = ()
    marks: tuple[Mark, ...] = ()
    log_x: bool = False
    log_y: bool = False
    y_range: tuple[float, float] | None = None
    equal: bool = False
    kind: Literal["curves"] = "curves"


@dataclass(frozen=True)
class Bars:
    """Groups of bars: one group for each row, one bar in it for each line."""

    x: str
    lines: tuple[Line, ...]
    y_title: str
    x_title: str = ""
    log_y: bool = False
    y_range: tuple[float, float] | None = None
    kind: Literal["bars"] = "bars"


@dataclass(frozen=True)
class Parts:
    """Small images side by side, from a table with one row for each pixel that is not zero.

    Attributes
    ----------
    shape : (int, int)
        Rows and columns of each image.
    group : str
        Column with the strip of images that a pixel belongs to, such as a method or a parameter.
    part : str
        Column with the image's number in its strip, from 1.
    feature : str
        Column with the pixel's number, from 0, row after row of the image.
    value : str
        Column with the pixel's value; negative values have another colour.
    captions : tuple of ((str, int), str)
        Text below an image, by (group, part).
    plain : tuple of str
        Groups of photographs, drawn in greys.
    """

    shape: tuple[int, int]
    group: str = "group"
    part: str = "part"
    feature: str = "feature"
    value: str = "loading"
    captions: tuple[tuple[tuple[str, int], str], ...] = ()
    plain: tuple[str, ...] = ()
    kind: Literal["parts"] = "parts"


Picture = Curves | Bars | Parts
