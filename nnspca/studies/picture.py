"""Descriptions of pictures of a table: its columns as axes, series, bands and images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["ours", "printed", "guide"]
Mode = Literal["lines+markers", "lines", "markers"]


@dataclass(frozen=True)
class Line:
    """One series: its columns and its look."""

    y: str  # column of the values; a None in it is left out
    title: str  # for the legend
    x: str = ""  # column along the axis, if it is not the picture's own
    low: str = ""  # columns of a spread around each value; empty for none
    high: str = ""
    role: Role = "ours"  # or a number that the paper prints, or a line for comparison
    mode: Mode = "lines+markers"
    colour: int | None = None  # index in the palette, which related lines share; None takes the next
    weight: float = 1.0  # thickness as a multiple of the usual one
    solid: bool = False  # whether a guide is drawn without gaps


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
    """Values along an axis."""

    x: str  # column of the horizontal axis
    lines: tuple[Line, ...]
    x_title: str
    y_title: str
    bands: tuple[Band, ...] = ()
    spans: tuple[Span, ...] = ()  # stretches of the axis, shaded in turn
    edges: tuple[float, ...] = ()  # positions of thin vertical lines
    marks: tuple[Mark, ...] = ()
    log_x: bool = False
    log_y: bool = False
    y_range: tuple[float, float] | None = None
    equal: bool = False  # whether both axes have the same scale
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
    """Small images side by side, from a table with one row for each pixel that is not zero."""

    shape: tuple[int, int]  # rows and columns of each image
    group: str = "group"  # column with the strip of images that a pixel belongs to, such as a method or a parameter
    part: str = "part"  # column with the image's number in its strip, from 1
    feature: str = "feature"  # column with the pixel's number, from 0, row after row of the image
    value: str = "loading"  # column with the pixel's value; negative values have another colour
    captions: tuple[tuple[tuple[str, int], str], ...] = ()  # text below an image, by (group, part)
    plain: tuple[str, ...] = ()  # groups of photographs, drawn in greys
    kind: Literal["parts"] = "parts"


Picture = Curves | Bars | Parts
