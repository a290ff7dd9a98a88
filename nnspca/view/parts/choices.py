"""What the parts page is asked: how many parts, how they are kept apart, and which solvers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.view.link import state
from nnspca.view.link.solver import TITLES
from nnspca.view.link.state import State
from nnspca.view.link.widgets import DeltaGenerator, choose

KEYS = state.keys_of("parts")
JOINT, TOGETHER, DISJOINT = "joint", "together", "disjoint"
LABELS = dict(  # of what the folds show, by its name in the link
    zip(
        (*state.PARTS_PROOF, *state.PARTS_USE),
        ("Certificate", "Each part alone", "Indispensable features", "Stability", "Samples", "Downloads and code"),
        strict=True,
    )
)
IN_TURN = "one after the other"  # the page's name for the first solver's parts found one after the other
BEST = "best"  # the default solver
SMALL = 1500  # features whose covariance is held as a matrix


@dataclass(frozen=True)
class Choices:
    """What the page decomposes, each field by its key in the link."""

    r: int  # how many parts
    apart: str  # how parts are kept apart
    with_: tuple[str, ...]  # the solvers: the page shows the parts of the first, and compares the others with it
    alpha: float = KEYS["alpha"].default  # price of overlap
    angle: float = KEYS["angle"].default  # least angle between parts, in degrees

    def apart_for(self, solver: str) -> str:
        """Return how this solver keeps parts apart: PCA and NMF find all components at once."""
        if solver in ("pca", "nmf"):
            return JOINT
        if self.apart == JOINT and not nnspca.METHODS[solver].multi:
            return DISJOINT
        return self.apart

    @property
    def lead(self) -> str:
        """The solver whose parts the page is about: the first."""
        return self.with_[0]

    @property
    def disjoint(self) -> bool:
        """Whether the page asks for disjoint parts of at most k features: the problem that the ledger keeps."""
        return self.apart_for(self.lead) in (TOGETHER, DISJOINT) and bool(nnspca.METHODS[self.lead].feasible)

    @property
    def best(self) -> bool:
        """Whether the page asks for the best parts known, from any run."""
        return self.lead == BEST and self.apart == TOGETHER

    @property
    def compares(self) -> bool:
        """Whether the lead's parts are found jointly, and compared with its parts found one after the other."""
        return self.apart_for(self.lead) == TOGETHER and self.r > 1

    @property
    def ways(self) -> tuple[str, ...]:
        """Names of what the run finds, in order."""
        return (self.lead, IN_TURN, *self.with_[1:]) if self.compares else self.with_


def title_of(way: str, choice: Choices) -> str:
    """Return what a way of finding parts is called on the page."""
    if way == IN_TURN:
        return IN_TURN.capitalize()
    return "Together" if way == choice.lead and choice.compares else nnspca.METHODS[way].title


def _names(now: State, data: Dataset) -> list[str]:
    """Return the solvers that can take these data; PCA is there whatever the signs."""
    known = [m for m, info in nnspca.METHODS.items() if (info.max_features or data.n_features) >= data.n_features]
    return [m for m in known if now.nonnegative in nnspca.METHODS[m].signs or m == "pca"]


def open_others() -> None:
    """Open the comparisons if the link names several solvers or a control inside them."""
    entry, link = KEYS["others"], st.query_params
    needs_comparison = len(link.get_all("with")) > 1 or "shown" in link
    if needs_comparison and entry.key not in link and entry.key not in st.session_state:
        st.session_state[entry.key] = True


def ask(now: State, data: Dataset, others: DeltaGenerator) -> tuple[Choices, DeltaGenerator, DeltaGenerator]:
    """Draw the row of controls, and the solvers in the place ``others``; return the choices and two buttons' places.

    The buttons are Solve live and the suggestion.
    """
    many, suggest, apart_from, press = st.columns([1, 1, 1.6, 1], vertical_alignment="bottom")
    with many:
        r = choose(
            KEYS["r"],
            "Parts",
            usual=min(KEYS["r"].default, data.n_features),
            high=min(int(KEYS["r"].high or 1), data.n_features),
            help="Number of components to look for.",
        )
    with apart_from:
        apart = choose(
            KEYS["apart"],
            "How parts are kept apart",
            options=[m for m in nnspca.DEFLATIONS if m != "hotelling" or data.n_features <= SMALL],
            format_func=lambda name: nnspca.DEFLATIONS[name].title,
            help="\n".join(f"- **{d.title}**: {d.summary} ({d.paper})" for d in nnspca.DEFLATIONS.values()),
        )
        more: dict[str, Any] = {}
        if apart == "quasi-orthogonal":
            more["angle"] = choose(
                KEYS["angle"],
                "Least angle between parts (degrees)",
                step=1.0,
                help="90: no shared features. Less: a little overlap is allowed.",
            )
    with others:
        solvers = _solvers(now, data)
        if apart == JOINT and "coordinate-descent" in solvers:
            more["alpha"] = choose(
                KEYS["alpha"], "α, the price of overlap", help="Relative to λ₁. A higher price lowers overlap."
            )
    return Choices(r, apart, solvers, **more), press, suggest


def _solvers(now: State, data: Dataset) -> tuple[str, ...]:
    """Draw the choice of solvers."""
    names = _names(now, data)
    solvers: tuple[str, ...] = choose(
        KEYS["with"],
        "Solvers",
        options=names,
        format_func=TITLES.__getitem__,
        allowed=f"choose up to {state.MOST} from {', '.join(names)}",
        help="The page shows the parts of the first; the others are compared with it here.",
    )
    return solvers
