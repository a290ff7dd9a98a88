"""One query parameter of a link: its kind, its allowed values, and how any text given for it is read."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

NUMBER = re.compile(r"[+-]?([0-9]{1,17}\.?[0-9]{0,17}|\.[0-9]{1,17})([eE][+-]?[0-9]{1,3})?")

LARGEST = 2**53 - 1  # the largest whole number that a browser can tell from its neighbours
UNWRITTEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")  # controls, and halves of characters

Kind = Literal["switch", "fold", "whole", "number", "one", "several", "text"]


@dataclass(frozen=True)
class Entry:
    """One key of a link; what depends on the data is narrowed where the widget is drawn."""

    key: str  # the name in the link, and that of the field which holds the choice
    pages: tuple[str, ...]  # the pages that know the key; none: the sidebar, on every page
    kind: Kind  # a switch, an opened fold, a whole number, any number, one or several of the options, or free text
    default: Any = None  # what the page shows when the link is silent
    # ends of a number; None for as far as a browser counts
    low: float | None = None
    high: float | None = None
    options: tuple[Any, ...] = ()  # what may be chosen
    widget: str = ""  # name of Streamlit's widget, where it is not the usual one of its kind
    most: int | None = None  # how many options may be chosen at once
    # the widget's words, for a key that several pages share
    label: str = ""
    help: str = ""
    counts: tuple[str, ...] = ()  # for a key of the sidebar: the pages it counts on, where else it is not shown

    def read(
        self,
        texts: Sequence[str],
        low: float | None = None,
        high: float | None = None,
        options: Sequence[Any] | None = None,
    ) -> tuple[Any, bool]:
        """Return what a link says, None when nothing of it can be used, and whether all of it can.

        >>> k = Entry("k", (), "whole", 40, low=1)
        >>> k.read(["12"], high=625), k.read(["inf"]), k.read(["900"], high=625)
        ((12, True), (None, False), (None, False))
        >>> Entry("with", ("parts",), "several", options=("em", "best")).read(["em", "magic"])
        (('em',), False)
        """
        text = texts[-1] if texts else ""
        if self.kind == "text":
            return (None, False) if UNWRITTEN.search(text) else (text, True)
        if self.kind in ("switch", "fold"):
            value = {"true": True, "false": False}.get(text.lower())
            return value, value is not None
        if self.kind in ("whole", "number"):
            number = _number(text, whole=self.kind == "whole")
            low, high = self.low if low is None else low, self.high if high is None else high
            low, high = -LARGEST if low is None else low, LARGEST if high is None else high
            fits = number is not None and low <= number <= high and (not self.options or number in self.options)
            return (number, True) if fits else (None, False)
        known = {str(option): option for option in (self.options if options is None else options)}
        if self.kind == "one":
            return (known[text], True) if text in known else (None, not text and self.default is None)
        if not any(texts):
            return (), True
        chosen = tuple(dict.fromkeys(known[said] for said in texts if said in known))[: self.most]
        return chosen or None, len(chosen) == len(texts)


def _number(text: str, *, whole: bool) -> float | None:
    """Return the finite number that a text writes in plain figures, if it does."""
    if not NUMBER.fullmatch(text):
        return None
    number = float(text)
    if not math.isfinite(number) or (whole and not number.is_integer()):
        return None
    return int(number) if whole else number
