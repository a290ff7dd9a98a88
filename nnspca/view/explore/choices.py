"""What the Explore page is asked: the solver whose component is shown, solvers beside it, and the values of k."""

from __future__ import annotations

import re
from dataclasses import dataclass

import streamlit as st

from nnspca.view import sanitize
from nnspca.view.explore.path import cardinalities
from nnspca.view.link import solver, state
from nnspca.view.link.dataset_defaults import usual_k
from nnspca.view.link.solver import Solver
from nnspca.view.link.state import State
from nnspca.view.link.widgets import DeltaGenerator, choose

KEYS = state.keys_of("explore")
MOST = 60  # values of k


@dataclass(frozen=True)
class Choices:
    """What the page shows."""

    solver: Solver  # whose component stands in the picture, with its options
    methods: tuple[str, ...]  # the solvers whose curves are drawn; that of ``solver`` is among them
    ks: tuple[int, ...]  # the values of k
    log: bool  # whether equal steps of the k axis multiply

    @property
    def others(self) -> tuple[str, ...]:
        """The solvers besides the portfolio, whose curves are solved apart."""
        return tuple(name for name in self.methods if name != "best")


def ask(now: State, n: int, solvers: DeltaGenerator, options: DeltaGenerator) -> Choices:
    """Draw the page's choices for ``n`` features in their two places; return them."""
    names = state.methods_for(now.nonnegative, n)
    with solvers:
        methods = choose(
            KEYS["methods"],
            "Solvers in the chart",
            options=names,
            allowed=f"choose from {', '.join(names)}",
            format_func=solver.TITLES.__getitem__,
            help="One curve each. Click a point of a curve to show its component in the picture.",
        )
    with options, st.popover("Options", icon=":material/tune:", width="stretch"):
        chosen = solver.ask(now, n)
        ks, problem = _ks(n, now)
        log = bool(choose(KEYS["log"]))
    if problem:  # told on the page: what stands among the options is not seen until they are opened
        st.warning(problem, icon=":material/edit:")
    return Choices(chosen, tuple(dict.fromkeys((*methods, chosen.method))), ks, log)


def _ks(n: int, now: State) -> tuple[tuple[int, ...], str]:
    """Let the person choose the values of k; return them, or even ones and what is wrong with the list."""
    even = cardinalities(n, usual_k(n, now.data))
    text = choose(
        KEYS["ks"],
        "Values of k",
        placeholder="spread evenly",
        help="For instance 1, 5, 10-40:10 (10 to 40 by 10). Empty: about 25, from 1 to all features.",
    )
    try:
        return read_ks(text, n) if text and text.strip() else even, ""
    except ValueError as problem:
        return even, f"{sanitize.plain(str(problem))} The values are spread evenly instead."


def read_ks(text: str, n: int) -> tuple[int, ...]:
    """Read a list of cardinalities such as ``"1, 5, 10-40:10"``.

    Raises ValueError: naming the piece that could not be used, and what is allowed.

    >>> read_ks("1, 5, 10-40:10", n=100)
    (1, 5, 10, 20, 30, 40)
    >>> read_ks("1, 500", n=100)
    Traceback (most recent call last):
        ...
    ValueError: “500” is outside 1 to 100, the number of features here.
    """
    ks: set[int] = set()
    for piece in re.split(r"[,;\s]+", text.strip().strip(",;")):
        match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9})(?::([0-9]{1,9}))?)?", piece)
        if not match:
            raise ValueError(f"“{sanitize.line(piece, 60)}” is not a whole number or a range such as 10-40 or 10-40:5.")
        first = int(match[1])
        last, step = int(match[2] or first), int(match[3] or 1)
        if not 1 <= first <= last <= n or step < 1:
            raise ValueError(f"“{piece}” is outside 1 to {n}, the number of features here.")
        ks.update(range(first, last + 1, step))
        if len(ks) > MOST:
            raise ValueError(f"That makes more than {MOST} values of k; {MOST} are allowed.")
    return tuple(sorted(ks))
