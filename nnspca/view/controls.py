"""The widgets: the sidebar all pages share, and the choices of each page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

import nnspca
from nnspca.datasets import Dataset
from nnspca.solvers.registry import OptionInfo
from nnspca.view import holdings, state
from nnspca.view.linked import bound
from nnspca.view.state import State


def sidebar() -> None:
    """Draw the choices that all pages share."""
    infos = holdings.catalogue()
    with st.sidebar:
        name = bound(
            st.selectbox,
            "Data set",
            key="data",
            options=list(infos),
            help="What to look for structure in. The name is the one the library uses too.",
        )
        info = infos[name]
        rows, columns = info.shape
        st.caption(f"**{info.title}** · {rows:,} × {columns:,}" + ("" if info.local else " · not on this machine yet"))
        bound(
            st.radio,
            "Preprocessing",
            key="scale",
            options=[state.AS_IS, state.STANDARDISED],
            horizontal=True,
            help="Standardised: each feature divided by its standard deviation, so that units do not matter.",
        )
        bound(
            st.radio,
            "Signs of the loadings",
            key="sign",
            options=[state.NONNEGATIVE, state.ANY_SIGN],
            horizontal=True,
            help="Nonnegative: features only add up, as parts of a whole. Any sign: ordinary sparse PCA.",
        )
        bound(
            st.number_input,
            "Nonzero loadings, k",
            key="k",
            min_value=1,
            max_value=columns,
            value=state.usual_k(columns),
            step=1,
            allowed=f"{name} has {columns} features",
            help="At most this many features may take part in the component.",
        )
        bound(
            st.number_input,
            "Leading directions, d",
            key="d",
            min_value=1,
            max_value=min(8, columns),
            value=min(State().rank, columns),
            step=1,
            allowed=f"1 to {min(8, columns)}",
            help="How many leading directions the rank-d solvers work in; the others ignore it.",
        )
        bound(
            st.number_input,
            "Seed",
            key="seed",
            min_value=0,
            max_value=2**31 - 1,
            value=State().seed,
            step=1,
            allowed="a whole number from 0",
            help="Everything random starts from this number: the same seed gives the same picture.",
        )
        bound(
            st.toggle,
            "Run as I change things",
            key="live",
            value=State().live,
            help="On: a change starts the run by itself. Off: you press Run.",
        )


def method(now: State, n: int) -> str:
    """Let the person choose a solver that can keep the sign constraint and takes ``n`` features."""
    names = state.methods_for(now.nonnegative, n)
    return bound(
        st.selectbox,
        "Solver",
        key="method",
        options=names,
        index=names.index("best") if "best" in names else 0,
        allowed=f"here: {', '.join(names)}",
        help="Which algorithm looks for the component. “best” tries several and polishes what they find.",
    )


def options(name: str) -> dict[str, Any]:
    """Draw a control for each option of a method and return the chosen values."""
    drawn = [option for option in nnspca.METHODS[name].options if option.name not in ("rank", "seed")]
    with st.popover("Options", icon=":material/tune:", disabled=not drawn, width="stretch"):
        return {option.name: _option(name, option) for option in drawn}


def _option(name: str, option: OptionInfo) -> Any:
    """Draw one option as the widget its kind asks for."""
    key, label, about = f"{name}.{option.name}", option.name.replace("_", " "), option.help
    if option.kind is bool:
        return bound(st.toggle, label, key=key, value=bool(option.default), help=about)
    if option.kind is str:
        choices = list(option.choices)
        at = choices.index(str(option.default))
        return bound(st.selectbox, label, key=key, options=choices, index=at, help=about)
    kind = option.kind
    low, high = (None if edge is None else kind(edge) for edge in (option.low, option.high))
    return bound(
        st.number_input,
        label,
        key=key,
        min_value=low,
        max_value=high,
        value=kind(option.default),
        step=1 if kind is int else None,
        format=None if kind is int else "%g",
        allowed=" to ".join(f"{edge:,}" for edge in (low, high) if edge is not None),
        help=about,
    )


def methods(now: State, n: int) -> list[str]:
    """Let the person choose the solvers to compare, of those that take ``n`` features."""
    names = state.methods_for(now.nonnegative, n)
    return bound(
        st.multiselect,
        "Solvers to compare",
        key="methods",
        options=names,
        default=[name for name in ("best", "em") if name in names],
        allowed=f"choose from {', '.join(names)}",
        help="One curve for each.",
    )


def grid(n: int) -> tuple[int, ...]:
    """Let the person choose the values of k; an unusable list falls back to an even one, with a note."""
    even = state.even_grid(n)
    text = bound(
        st.text_input,
        "Values of k",
        key="ks",
        placeholder=", ".join(map(str, even)),
        help="For instance 1, 5, 10-40:10 (10 to 40 by 10). Empty: spread evenly from 1 to all features.",
    )
    try:
        return state.read_grid(text or "", n)
    except ValueError as problem:
        st.warning(f"{problem} Showing {', '.join(map(str, even))} instead.", icon=":material/edit:")
        return even


def every_bound() -> bool:
    """Let the person ask for every ceiling that was tried, not the lowest alone."""
    return bound(
        st.toggle,
        "Every ceiling",
        key="bounds",
        value=False,
        help="One thin line for each upper bound that was tried, so that you see which one wins, and where.",
    )


def fold(label: str, key: str, icon: str) -> ExpanderContainer:
    """Return a part of the page that is opened on demand: the link says whether it is, and so does ``.open``."""
    return st.expander(label, key=key, icon=icon, bind="query-params", on_change="rerun")


def patience() -> int:
    """Let the person say how long the longer proof of each k may take."""
    return bound(
        st.number_input,
        "Seconds for each k",
        key="patience",
        min_value=1,
        max_value=3600,
        value=30,
        step=10,
        allowed="1 to 3,600",
        width=170,
        help="How long the longer proof may work on one k before the next has its turn, the widest gap first.",
    )


@dataclass(frozen=True)
class CurveLook:
    """What a curve shows besides itself: the k axis in equal ratios, every ceiling, the paper's band."""

    log: bool
    every: bool
    paper: bool


def curve_look() -> CurveLook:
    """Let the person choose the k axis, every ceiling, and the paper's band."""
    with st.container(horizontal=True):
        log = bound(
            st.toggle,
            "Logarithmic k",
            key="log",
            value=True,
            help="On: equal steps multiply k. Off: equal steps add.",
        )
        every = every_bound()
        paper = bound(
            st.toggle,
            "The paper's own band",
            key="paper",
            value=False,
            help="The ceiling of Asteris et al. (2014). It rests on random samples: it holds with probability "
            "1 − 1/n and is not proven.",
        )
    return CurveLook(log, every, paper)


def pick(ks: Sequence[int], names: Sequence[str]) -> tuple[int, str] | None:
    """Let the person choose a point by keyboard; a click on the curve sets the same choice."""
    every = [f"{k} · {name}" for k in ks for name in names]
    said = bound(
        st.selectbox,
        "Component to look at",
        key="point",
        options=every,
        index=None,
        placeholder="Click a point on the curve, or choose one here",
        help="Which point of the curve to show below.",
    )
    return parse_point(said) if said in every else None


def ghost(data: Dataset) -> bool:
    """Let the person lay an image component over the mean image."""
    if data.image_shape is None or data.kind == "covariance":
        return False
    return bound(
        st.toggle,
        "Over the mean image",
        key="ghost",
        value=False,
        help="Shows where in the picture the component lies. Off: nothing but the loadings.",
    )


def parse_point(text: str) -> tuple[int, str]:
    """Read a point as the curve and the link write it.

    >>> parse_point("40 · best")
    (40, 'best')
    """
    k, name = text.split(" · ")
    return int(k), name
