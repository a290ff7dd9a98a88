"""What the parts page is asked: how many parts, by which solvers, how they are kept apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.view.session import state
from nnspca.view.session.state import State
from nnspca.view.session.streamlit_private import DeltaGenerator
from nnspca.view.session.widgets import choose

KEYS = state.keys_of("parts")
JOINT, TOGETHER, DISJOINT = "joint", "together", "disjoint"
IN_TURN = "one after the other"  # the page's name for the lead's parts found one after the other
SMALL = 1500  # features whose covariance is held as a matrix
VIEWS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "six": (
        "Six parts of 40 features",
        "The ε-net of Asteris et al. beside EM, no feature used twice: their Fig. 3, on any data.",
        {"r": 6, "k": 40, "apart": DISJOINT, "with": ["epsilon-net", "em"]},
    ),
    "prices": (
        "Overlap and pixels at a price",
        "NSPCA finds all parts at once: raise α and they share less, raise β and pixels drop out.",
        {"r": 6, "apart": JOINT, "with": ["coordinate-descent"], "alpha": 1.0, "beta": 0.01, "match": False},
    ),
    "contrast": (
        "Against PCA and NMF",
        "PCA takes any sign and every feature; NMF adds up parts without asking how much they explain.",
        {"r": 6, "apart": TOGETHER, "with": ["best", "pca", "nmf"]},
    ),
}


@dataclass(frozen=True)
class Choices:
    """What the page decomposes, each field by its key in the link.

    Attributes
    ----------
    r : int
        How many parts.
    apart : str
        How parts are kept apart.
    with_ : tuple of str
        The solvers, side by side.
    alpha, beta : float
        Prices of overlap and of a loading.
    angle : float
        Least angle between parts, in degrees.
    match : bool
        Whether the price of a loading is searched for until no part uses more than k features.
    """

    r: int
    apart: str
    with_: tuple[str, ...]
    alpha: float = KEYS["alpha"].default
    beta: float = KEYS["beta"].default
    angle: float = KEYS["angle"].default
    match: bool = True

    def apart_for(self, solver: str) -> str:
        """Plain PCA, NMF, and prices instead of k, only go with all components at once."""
        if solver in ("pca", "nmf") or (solver == "coordinate-descent" and not self.match):
            return JOINT
        if self.apart == JOINT and not nnspca.METHODS[solver].multi:
            return DISJOINT
        return self.apart

    @property
    def lead(self) -> str:
        """The solver whose parts the page is about: the first."""
        return self.with_[0]

    @property
    def compares(self) -> bool:
        """Whether the lead's parts are sought together, and held against its parts found one after the other."""
        return self.apart_for(self.lead) == TOGETHER and self.r > 1

    @property
    def ways(self) -> tuple[str, ...]:
        """Names of what stands side by side, in order."""
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


def ask(now: State, data: Dataset) -> tuple[Choices, DeltaGenerator]:
    """Draw the page's choices; return them, and the place beside them for Run."""
    names = _names(now, data)
    most = min(int(KEYS["r"].high or 1), data.n_features)
    many, apart_from, which, press = st.columns([1.1, 2, 3, 1.2], vertical_alignment="bottom")
    with many:
        r = choose(
            KEYS["r"],
            "Parts",
            usual=min(KEYS["r"].default, data.n_features),
            high=most,
            help="How many components to look for.",
        )
    with apart_from:
        apart = choose(
            KEYS["apart"],
            "How parts are kept apart",
            options=[m for m in nnspca.DEFLATIONS if m != "hotelling" or data.n_features <= SMALL],
            help="Together: all at once, no feature in two of them. The others find one after the other, and say "
            "what the next may use.",
        )
    with which:
        solvers = choose(
            KEYS["with"],
            "Solvers, side by side",
            options=names,
            allowed=f"choose up to {state.MOST} from {', '.join(names)}",
            help="Each finds its own parts. PCA is there for contrast: any sign, all features.",
        )
    about = nnspca.DEFLATIONS[apart]
    st.caption(f"**{about.title}.** {about.summary} ({about.paper})")
    more: dict[str, Any] = {}
    if apart == "quasi-orthogonal":
        more["angle"] = choose(
            KEYS["angle"],
            "Least angle between parts (degrees)",
            step=1.0,
            help="90: the parts share nothing. Less: they may share features a little.",
        )
    if apart == JOINT and "coordinate-descent" in solvers:
        more |= _prices()
    return Choices(r, apart, solvers, **more), press


def views(now: State, data: Dataset) -> None:
    """Offer some views worth seeing; each sets the choices of the page, and k."""
    names = _names(now, data)
    with st.container(horizontal=True):
        for key, (label, why, choices) in VIEWS.items():
            possible = [name for name in choices["with"] if name in names]
            wanted = choices | {"r": min(choices["r"], data.n_features), "with": possible}
            if "k" in wanted:
                wanted["k"] = min(wanted["k"], data.n_features)
            st.button(
                label,
                key=f"view-{key}",
                help=why,
                icon=":material/auto_awesome:",
                disabled=not possible,
                on_click=st.session_state.update,
                args=(wanted,),
            )


def _prices() -> dict[str, Any]:
    """Let the person set the two prices of NSPCA."""
    keep, overlap, loading = st.columns([1, 2, 2], vertical_alignment="bottom")
    with keep:
        match = choose(
            KEYS["match"],
            "Keep to k",
            help="On: the price of a loading is searched for until no part uses more than k features.",
        )
    with overlap:
        alpha = choose(
            KEYS["alpha"],
            "α, the price of overlap",
            help="Relative to the largest eigenvalue. Raise it and the parts share less.",
        )
    with loading:
        beta = choose(
            KEYS["beta"],
            "β, the price of a loading",
            disabled=match,
            help="Relative to the largest eigenvalue. Raise it and pixels drop out.",
        )
    return {"match": match, "alpha": alpha, "beta": beta}
