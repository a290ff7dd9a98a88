"""Choice of the solver and its options, on each page that shows one component."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

import nnspca
from nnspca.solvers.registry import OptionInfo
from nnspca.view.link import state
from nnspca.view.link.state import State
from nnspca.view.link.widgets import choose

KEYS = state.keys_of("explore")  # those of other pages are the same entries
TITLES = {name: info.title for name, info in nnspca.METHODS.items()}  # on the screen


@dataclass(frozen=True)
class Solver:
    """A solver and its options, as pages of one component ask for them."""

    method: str  # its name, by its key in the link
    # by name as the library takes them, which the link says as ``method.option``; the rank is the sidebar's ``d``
    options: tuple[tuple[str, Any], ...]

    @property
    def arguments(self) -> str:
        """The options as Python, each after a comma."""
        return "".join(f", {name}={value!r}" for name, value in self.options)


def title(name: str) -> str:
    """Return what a solver is called on the screen.

    >>> title("best"), title("em")
    ('Portfolio (default)', 'EM')
    """
    return TITLES[name]


def ask(now: State, n: int) -> Solver:
    """Let the person choose the solver whose component is shown, of those that take ``n`` features, and its options."""
    names = state.methods_for(now.nonnegative, n)
    name = choose(
        KEYS["method"],
        "Solver of the component shown",
        options=names,
        allowed=f"here: {', '.join(names)}",
        format_func=TITLES.__getitem__,
        help="The algorithm whose component is shown. The portfolio runs several and polishes what they find.",
    )
    info = nnspca.METHODS[name]
    st.caption(f"{info.summary} ({info.paper})")
    drawn = [option for option in info.options if f"{name}.{option.name}" in KEYS]
    chosen = {option.name: _option(name, option) for option in drawn}
    if any(option.name == "rank" for option in info.options):
        chosen["rank"] = now.d
    return Solver(name, tuple(sorted(chosen.items())))


def _option(name: str, option: OptionInfo) -> Any:
    """Draw one option as the widget its kind asks for."""
    form: dict[str, Any] = {"format": "%g"} if option.kind is float else {}
    return choose(KEYS[f"{name}.{option.name}"], option.name.replace("_", " "), help=option.help, **form)
