"""State: everything a link carries, as one frozen value, and the plain rules for reading it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

import nnspca

AS_IS, STANDARDISED = "as is", "standardised"
NONNEGATIVE, ANY_SIGN = "nonnegative", "any sign"


@dataclass(frozen=True)
class State:
    """What the sidebar says; a page that runs alone gets these defaults.

    Attributes
    ----------
    data : str
        Name of the data set.
    standardise : bool
        Whether every feature is first divided by its standard deviation.
    nonnegative : bool
        Whether loadings must be nonnegative.
    k : int
        Largest number of nonzero loadings.
    rank : int
        How many leading directions the rank-d methods work in.
    seed : int
        Seed of everything random.
    live : bool
        Whether a change starts a run by itself.
    """

    data: str = "lfw-faces"
    standardise: bool = False
    nonnegative: bool = True
    k: int = 40
    rank: int = 3
    seed: int = 0
    live: bool = True


def current() -> State:
    """Return the state the sidebar shows now, or its defaults where there is no sidebar."""
    if PagesManager.uses_pages_directory:
        # The very first visit to a fresh server, made to a page's own address: Streamlit then runs the
        # page without app.py until st.navigation has been seen once.
        PagesManager.uses_pages_directory = False
        st.rerun()
    said = st.session_state
    plain = State()
    return State(
        data=said.get("data", plain.data),
        standardise=said.get("scale", AS_IS) == STANDARDISED,
        nonnegative=said.get("sign", NONNEGATIVE) == NONNEGATIVE,
        k=int(said.get("k", plain.k)),
        rank=int(said.get("d", plain.rank)),
        seed=int(said.get("seed", plain.seed)),
        live=bool(said.get("live", plain.live)),
    )


def usual_k(n: int) -> int:
    """Return the cardinality a data set of ``n`` features opens with.

    >>> usual_k(625), usual_k(64), usual_k(13), usual_k(1)
    (40, 16, 4, 1)
    """
    return min(State().k, max(1, math.ceil(n / 4)))


def even_grid(n: int, points: int = 11) -> tuple[int, ...]:
    """Return about ``points`` whole numbers from 1 to n, evenly spread on a log scale.

    >>> even_grid(13, 5)
    (1, 2, 4, 7, 13)
    """
    steps = max(points - 1, 1)
    return tuple(sorted({round(n ** (i / steps)) for i in range(steps + 1)} | {n}))


def read_grid(text: str, n: int) -> tuple[int, ...]:
    """Read a list of cardinalities such as ``"1, 5, 10-40:10"``; nothing written means an even grid.

    Raises
    ------
    ValueError
        Naming the piece that could not be used, and what is allowed.

    Examples
    --------
    >>> read_grid("1, 5, 10-40:10", n=100)
    (1, 5, 10, 20, 30, 40)
    >>> read_grid("1, 500", n=100)
    Traceback (most recent call last):
        ...
    ValueError: “500” is outside 1 to 100, the number of features here.
    """
    if not text.strip():
        return even_grid(n)
    found: set[int] = set()
    for piece in re.split(r"[,;\s]+", text.strip().strip(",;")):
        match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9}))?)?", piece)
        if not match:
            raise ValueError(f"“{piece}” is not a whole number or a range such as 10-40 or 10-40:5.")
        first = int(match[1])
        last, step = int(match[2] or first), int(match[3] or 1)
        if not 1 <= first <= last <= n or step < 1:
            raise ValueError(f"“{piece}” is outside 1 to {n}, the number of features here.")
        found.update(range(first, last + 1, step))
    if len(found) > 60:
        raise ValueError(f"That makes {len(found)} values of k; keep it to 60 so that the curve can be watched.")
    return tuple(sorted(found))


def methods_for(nonnegative: bool, n: int) -> list[str]:
    """Return the names of the methods that can keep this sign constraint, and take ``n`` features.

    >>> "exact" in methods_for(True, 13), "exact" in methods_for(True, 625)
    (True, False)
    """
    return [
        name
        for name, method in nnspca.METHODS.items()
        if nonnegative in method.signs and (method.max_features or n) >= n
    ]
