"""What the variance page is asked: solvers, cardinalities, what the figure shows, and a point of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import streamlit as st

from nnspca.view import foreign
from nnspca.view.session import state
from nnspca.view.session.state import State
from nnspca.view.session.streamlit_private import DeltaGenerator
from nnspca.view.session.widgets import choose, choose_row

KEYS = state.keys_of("explore")
MOST = 60  # values of k


@dataclass(frozen=True)
class Curves:
    """The curves to draw: which solvers, at which cardinalities."""

    methods: tuple[str, ...]
    ks: tuple[int, ...]


class Point(NamedTuple):
    """One point of the curves; its text is what the menu and the link say."""

    k: int
    method: str

    def __str__(self) -> str:
        """Return the text of the point.

        >>> str(Point(40, "best"))
        '40 · best'
        """
        return f"{self.k} · {self.method}"


@dataclass(frozen=True)
class Look:
    """What the figure shows besides the curves.

    Attributes
    ----------
    log : bool
        Whether equal steps of the k axis multiply.
    bounds : bool
        Whether every ceiling gets a line of its own.
    paper_band : bool
        Whether the paper's band is drawn.
    """

    log: bool
    bounds: bool
    paper_band: bool


def curves(now: State, n: int, solvers: DeltaGenerator, cardinalities: DeltaGenerator) -> Curves:
    """Draw the choice of curves in its two places on the page."""
    with solvers:
        chosen = _methods(now, n)
    with cardinalities:
        return Curves(chosen, _ks(n))


def _methods(now: State, n: int) -> tuple[str, ...]:
    """Let the person choose the solvers to compare, of those that take ``n`` features."""
    names = state.methods_for(now.nonnegative, n)
    chosen: tuple[str, ...] = choose(
        KEYS["methods"],
        "Solvers to compare",
        options=names,
        allowed=f"choose from {', '.join(names)}",
        help="One curve for each.",
    )
    return chosen


def _ks(n: int) -> tuple[int, ...]:
    """Let the person choose the values of k; an unusable list falls back to an even one, with a note."""
    even = _even_grid(n)
    text = choose(
        KEYS["ks"],
        "Values of k",
        placeholder=", ".join(map(str, even)),
        help="For instance 1, 5, 10-40:10 (10 to 40 by 10). Empty: spread evenly from 1 to all features.",
    )
    try:
        return read_ks(text or "", n)
    except ValueError as problem:
        st.warning(
            f"{foreign.plain(str(problem))} Showing {', '.join(map(str, even))} instead.", icon=":material/edit:"
        )
        return even


def patience() -> int:
    """Let the person say how long the longer proof of each k may take."""
    return int(
        choose(
            KEYS["patience"],
            "Seconds for each k",
            width=170,
            help="How long the longer proof may work on one k before the next has its turn, the widest gap first.",
        )
    )


def look_and_point(choice: Curves) -> tuple[Look, Point | None]:
    """Let the person choose the k axis, every ceiling, the paper's band, and the point whose component is shown."""
    return Look(*choose_row(KEYS["log"], KEYS["bounds"], KEYS["paper_band"])), _point(choice)


def _point(choice: Curves) -> Point | None:
    """Let the person choose a point by keyboard; a click on the curve sets the same choice."""
    every = {str(Point(k, method)): Point(k, method) for k in choice.ks for method in choice.methods}
    said = choose(
        KEYS["point"],
        "Component to look at",
        options=list(every),
        placeholder="Click a point on the curve, or choose one here",
        help="Which point of the curve to show beside it.",
    )
    return every.get(said)


def _even_grid(n: int, points: int = 11) -> tuple[int, ...]:
    """Return about ``points`` whole numbers from 1 to n, evenly spread on a log scale.

    >>> _even_grid(13, 5)
    (1, 2, 4, 7, 13)
    """
    steps = max(points - 1, 1)
    return tuple(sorted({round(n ** (i / steps)) for i in range(steps + 1)} | {n}))


def read_ks(text: str, n: int) -> tuple[int, ...]:
    """Read a list of cardinalities such as ``"1, 5, 10-40:10"``; nothing written means an even grid.

    Raises
    ------
    ValueError
        Naming the piece that could not be used, and what is allowed.

    Examples
    --------
    >>> read_ks("1, 5, 10-40:10", n=100)
    (1, 5, 10, 20, 30, 40)
    >>> read_ks("1, 500", n=100)
    Traceback (most recent call last):
        ...
    ValueError: “500” is outside 1 to 100, the number of features here.
    """
    if not text.strip():
        return _even_grid(n)
    found: set[int] = set()
    for piece in re.split(r"[,;\s]+", text.strip().strip(",;")):
        match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9})(?::([0-9]{1,9}))?)?", piece)
        if not match:
            raise ValueError(f"“{foreign.line(piece, 60)}” is not a whole number or a range such as 10-40 or 10-40:5.")
        first = int(match[1])
        last, step = int(match[2] or first), int(match[3] or 1)
        if not 1 <= first <= last <= n or step < 1:
            raise ValueError(f"“{piece}” is outside 1 to {n}, the number of features here.")
        found.update(range(first, last + 1, step))
        if len(found) > MOST:
            raise ValueError(f"That makes more than {MOST} values of k; the curve can be watched with {MOST} at most.")
    return tuple(sorted(found))
