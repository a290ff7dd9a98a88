"""How a table is to be drawn: its columns as axes, series, bands and images. Nothing here draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["ours", "printed", "guide"]
Mode = Literal["lines+markers", "lines", "markers"]


@dataclass(frozen=True)
class Line:
    """One series: the columns that hold it.

    Attributes
    ----------
    y : str
        Column of the values; a None in it is left out.
    title : str
        For the legend.
    x : str
        Column along the axis, where it is not the picture's own.
    low, high : str
        Columns of a spread around each value; empty for none.
    role : {"ours", "printed", "guide"}
        What it is: a measurement of ours, a number the paper prints, or something to hold against.
    mode : {"lines+markers", "lines", "markers"}
    colour : int or None
        Place among the palette's series; lines that belong together share one. None takes the next.
    weight : float
        How many times as thick as usual.
    solid : bool
        Drawn without gaps even where it is a guide.
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
    """A shaded band between two columns: ``proven``, or true with some probability only."""

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
    """A single labelled point; ``printed`` where it is the paper's."""

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
        Where thin vertical lines stand.
    marks : tuple of Mark
    log_x, log_y : bool
    y_range : (float, float) or None
    equal : bool
        Both axes on one scale, as in a plane.
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
        Column that says which strip of images a pixel belongs to: a method, a parameter.
    part : str
        Column with the image's number in its strip, from 1.
    feature : str
        Column with the pixel's number, from 0, row after row of the image.
    value : str
        Column of its value; below zero it is drawn in the other colour.
    captions : tuple of ((str, int), str)
        A few words below an image, by (group, part).
    plain : tuple of str
        Groups that are photographs: drawn in greys.
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
