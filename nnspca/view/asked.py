"""What the parts page is asked: how many parts, by which solvers, how they are kept apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.view.linked import bound
from nnspca.view.state import State

MOST_PARTS = 12
USUAL_PARTS = 6
MOST_SOLVERS = 4
PRICES = (0.0, 0.001, 0.003, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2)
OVERLAPS = (0.05, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0)
JOINT = "joint"
SMALL = 1500  # features whose covariance is held as a matrix
VIEWS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "six": (
        "Six parts of 40 features",
        "The ε-net of Asteris et al. beside EM, no feature used twice: their Fig. 3, on any data.",
        {"r": 6, "k": 40, "apart": "disjoint", "with": ["epsilon-net", "em"]},
    ),
    "prices": (
        "Overlap and pixels at a price",
        "NSPCA finds all parts at once: raise α and they share less, raise β and pixels drop out.",
        {"r": 6, "apart": JOINT, "with": ["coordinate-descent"], "alpha": 1.0, "beta": 0.01, "match": False},
    ),
    "contrast": (
        "Against PCA and NMF",
        "PCA takes any sign and every feature; NMF adds up parts without asking how much they explain.",
        {"r": 6, "apart": "disjoint", "with": ["best", "pca", "nmf"]},
    ),
}


@dataclass(frozen=True)
class Asked:
    """What the page decomposes: how many parts, by which solvers, how they are kept apart."""

    count: int
    solvers: tuple[str, ...]
    deflation: str
    alpha: float
    beta: float
    angle: float
    match: bool

    def deflation_of(self, solver: str) -> str:
        """Plain PCA, NMF, and prices instead of k, only go with all components at once."""
        if solver in ("pca", "nmf") or (solver == "coordinate-descent" and not self.match):
            return JOINT
        if self.deflation == JOINT and not nnspca.METHODS[solver].multi:
            return "disjoint"
        return self.deflation


def ask(now: State, data: Dataset) -> Asked:
    """Draw the page's choices."""
    known = [m for m, info in nnspca.METHODS.items() if (info.max_features or data.n_features) >= data.n_features]
    names = [m for m in known if now.nonnegative in nnspca.METHODS[m].signs or m == "pca"]
    _views(data, names)
    many, apart, which = st.columns([1, 2, 3], vertical_alignment="bottom")
    with many:
        count = bound(
            st.number_input,
            "Parts",
            key="r",
            min_value=1,
            max_value=min(MOST_PARTS, data.n_features),
            value=min(USUAL_PARTS, data.n_features),
            step=1,
            allowed=f"1 to {min(MOST_PARTS, data.n_features)}",
            help="How many components to look for, one after the other.",
        )
    with apart:
        deflation = bound(
            st.selectbox,
            "How parts are kept apart",
            key="apart",
            options=[m for m in nnspca.DEFLATIONS if m != "hotelling" or data.n_features <= SMALL],
            help="What the next part may use, once one is found.",
        )
    with which:
        solvers = bound(
            st.multiselect,
            "Solvers, side by side",
            key="with",
            options=names,
            default=[m for m in ("best", "em") if m in names],
            max_selections=MOST_SOLVERS,
            allowed=f"choose up to {MOST_SOLVERS} from {', '.join(names)}",
            help="Each finds its own parts. PCA is there for contrast: any sign, all features.",
        )
    about = nnspca.DEFLATIONS[deflation]
    st.caption(f"**{about.title}.** {about.summary} ({about.paper})")
    alpha, beta, angle, match = 1.0, 0.01, 85.0, True
    if deflation == "quasi-orthogonal":
        angle = bound(
            st.slider,
            "Least angle between parts (degrees)",
            key="angle",
            min_value=45.0,
            max_value=90.0,
            value=85.0,
            step=1.0,
            help="90: the parts share nothing. Less: they may share features a little.",
        )
    if deflation == JOINT and "coordinate-descent" in solvers:
        match, alpha, beta = _prices()
    return Asked(int(count), tuple(solvers), deflation, float(alpha), float(beta), float(angle), bool(match))


def _views(data: Dataset, names: list[str]) -> None:
    """Offer some views worth seeing; each sets the choices below it, and k."""
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


def _prices() -> tuple[bool, float, float]:
    """Let the person set the two prices of NSPCA."""
    keep, overlap, loading = st.columns([1, 2, 2], vertical_alignment="bottom")
    with keep:
        match = bound(
            st.toggle,
            "Keep to k",
            key="match",
            value=False,
            help="On: the price of a loading is searched for until no part uses more than k features.",
        )
    with overlap:
        alpha = bound(
            st.select_slider,
            "α, the price of overlap",
            key="alpha",
            options=list(OVERLAPS),
            value=1.0,
            help="Relative to the largest eigenvalue. Raise it and the parts share less.",
        )
    with loading:
        beta = bound(
            st.select_slider,
            "β, the price of a loading",
            key="beta",
            options=list(PRICES),
            value=0.01,
            disabled=match,
            help="Relative to the largest eigenvalue. Raise it and pixels drop out.",
        )
    return match, alpha, beta
