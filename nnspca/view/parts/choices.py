"""What the Parts page is asked: how many parts, what keeps them apart, and solvers to compare."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import streamlit as st

import nnspca
from nnspca.view import session
from nnspca.view.link import state, widgets
from nnspca.view.link.state import State
from nnspca.view.link.widgets import DeltaGenerator, choose
from nnspca.view.subject import DISJOINT, JOINT, TOGETHER, Subject

KEYS = state.keys_of("parts")
LABELS = dict(  # of what the folds show, by its name in the link
    zip(
        (*state.PARTS_PROOF, *state.PARTS_USE),
        ("Certificate", "Each part alone", "Indispensable features", "Stability", "Samples", "Downloads and code"),
        strict=True,
    )
)
IN_TURN = "one after the other"  # the page's name for the first solver's parts found one after the other
BEST = "best"  # the default solver
AS_MATRIX = 1500  # features whose covariance is held as a matrix


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

    @cached_property
    def lead(self) -> str:
        """The solver whose parts the page is about: the first."""
        return self.with_[0]

    @cached_property
    def disjoint(self) -> bool:
        """Whether the page asks for disjoint parts of at most k features: the problem that the ledger keeps."""
        return nnspca.DEFLATIONS[self.apart_for(self.lead)].disjoint and bool(nnspca.METHODS[self.lead].feasible)

    @cached_property
    def best(self) -> bool:
        """Whether the page asks for the best parts known, from any run."""
        return self.lead == BEST and self.apart == TOGETHER

    @cached_property
    def compares(self) -> bool:
        """Whether the lead's parts are found jointly, and compared with its parts found one after the other."""
        return self.apart_for(self.lead) == TOGETHER and self.r > 1

    @cached_property
    def ways(self) -> tuple[str, ...]:
        """Names of what the run finds, in order."""
        return (self.lead, IN_TURN, *self.with_[1:]) if self.compares else self.with_


def default_parts(n: int, k: int) -> int:
    """Return how many parts a page opens with: fewer than use every one of ``n`` features."""
    return max(1, min(KEYS["r"].default, (n - 1) // k))


def title_of(way: str, choice: Choices) -> str:
    """Return what a way of finding parts is called on the page."""
    if way == IN_TURN:
        return IN_TURN.capitalize()
    return "Together" if way == choice.lead and choice.compares else nnspca.METHODS[way].title


def ask(subject: Subject, others: DeltaGenerator) -> tuple[Choices, DeltaGenerator]:
    """Draw the controls, and the solvers in the place ``others``; return the choices, and a suggestion's place."""
    data, here = subject.data, session.current()
    usual = default_parts(data.n_features, subject.k)
    is_linked = bool(state.value_in_link("r"))
    many, suggest, apart_from = st.columns([1, 1, 1.6], vertical_alignment="bottom")
    with many:
        r = choose(
            KEYS["r"],
            "Parts",
            usual=usual,
            high=min(int(KEYS["r"].high or 1), data.n_features),
            help="Number of components to look for.",
        )
    widgets.say_in_link(here, "r", r, None)  # the usual one, too: without it parts open with the suggested number
    if is_linked or r != usual:
        here.opened = subject.now.data
    with apart_from:
        apart = choose(
            KEYS["apart"],
            "How parts are kept apart",
            options=[m for m in nnspca.DEFLATIONS if m != "hotelling" or data.n_features <= AS_MATRIX],
            format_func={name: how.title for name, how in nnspca.DEFLATIONS.items()}.__getitem__,
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
        solvers = _solvers(subject)
        if apart == JOINT and "coordinate-descent" in solvers:
            more["alpha"] = choose(
                KEYS["alpha"], "α, the price of overlap", help="Relative to λ₁. A higher price lowers overlap."
            )
    return Choices(r, apart, solvers, **more), suggest


def _solvers(subject: Subject) -> tuple[str, ...]:
    """Draw the choice of the solvers that can take these data; PCA is there whatever the signs."""
    n = subject.data.n_features
    able = {*state.methods_for(subject.nonnegative, n), "pca"}
    names = [name for name in nnspca.METHODS if name in able]
    solvers: tuple[str, ...] = choose(
        KEYS["with"],
        "Solvers",
        options=names,
        format_func=state.TITLES.__getitem__,
        allowed=f"choose up to {state.MOST_BESIDE} from {', '.join(names)}",
        help="The page shows the parts of the first; the others are compared with it here.",
    )
    return solvers


def arguments(way: str, choice: Choices, now: State) -> tuple[tuple[str, Any], ...]:
    """Return what the solver of a way is called with besides k and seed."""
    solver = choice.lead if way == IN_TURN else way
    deflation = DISJOINT if way == IN_TURN else choice.apart_for(solver)
    chosen: dict[str, Any] = {"deflation": deflation}
    if deflation == "quasi-orthogonal":
        chosen["min_angle"] = choice.angle
    if any(option.name == "rank" for option in nnspca.METHODS[solver].options):
        chosen["rank"] = now.d
    if solver == "coordinate-descent" and deflation == JOINT:
        chosen |= {"alpha": choice.alpha, "match_k": True, "restarts": 1}
    return tuple(chosen.items())
