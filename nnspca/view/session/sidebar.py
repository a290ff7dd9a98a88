"""The sidebar: the choices that all pages share."""

from __future__ import annotations

import streamlit as st

from nnspca.view import foreign
from nnspca.view.session import store
from nnspca.view.session.openings import opening, usual_k
from nnspca.view.session.state import AS_IS, SHARED, STANDARDISED
from nnspca.view.session.widgets import choose


def sidebar() -> None:
    """Draw the choices that all pages share."""
    infos = store.catalogue()
    with st.sidebar:
        name = choose(
            SHARED["data"],
            "Data set",
            options=list(infos),
            on_change=lambda: reopen(st.session_state["data"], infos[st.session_state["data"]].shape[1]),
            help="What to look for structure in. The name is the one the library uses too.",
        )
        info = infos[name]
        rows, columns = info.shape
        title, away = foreign.plain(info.title), "" if info.local else " · not on this machine yet"
        st.caption(f"**{title}** · {rows:,} × {columns:,}{away}")
        choose(
            SHARED["scale"],
            "Preprocessing",
            usual=_scale(name),
            horizontal=True,
            help="Standardised: each feature divided by its standard deviation, so that units do not matter.",
        )
        choose(
            SHARED["sign"],
            "Signs of the loadings",
            horizontal=True,
            help="Nonnegative: features only add up, as parts of a whole. Any sign: ordinary sparse PCA.",
        )
        choose(
            SHARED["k"],
            "Nonzero loadings, k",
            usual=usual_k(columns, name),
            high=columns,
            allowed=f"1 to {columns:,}: {name} has {columns} features",
            help="At most this many features may take part in the component.",
        )
        choose(
            SHARED["d"],
            "Leading directions, d",
            usual=min(SHARED["d"].default, columns),
            high=min(8, columns),
            help="How many leading directions the rank-d solvers work in; the others ignore it.",
        )
        choose(
            SHARED["seed"],
            "Seed",
            help="Everything random starts from this number: the same seed gives the same picture.",
        )
        choose(
            SHARED["live"],
            "Run as I change things",
            help="On: a change starts the run by itself. Off: you press Run.",
        )


def use(name: str, n: int) -> None:
    """Choose a data set of ``n`` features, and the view it opens with."""
    st.session_state["data"] = name
    reopen(name, n)


def reopen(name: str, n: int) -> None:
    """Set preprocessing and k to what the data set opens with."""
    st.session_state["scale"], st.session_state["k"] = _scale(name), usual_k(n, name)


def _scale(name: str) -> str:
    return STANDARDISED if opening(name).standardise else AS_IS
