"""Caution: one column that holds nearly all the variance makes a component a statement about its unit."""

from __future__ import annotations

import streamlit as st

from nnspca.datasets import Dataset, Inspection
from nnspca.view import sanitize
from nnspca.view.link import state
from nnspca.view.link.state import STANDARDISED, State
from nnspca.view.sources import catalogue


def note(data: Dataset, seen: Inspection) -> None:
    """Keep what was noticed in a file: whether it opens standardised, and what its pages warn of."""
    mixed: set[str] = st.session_state.setdefault("_mixed", set())
    (mixed.add if seen.standardise else mixed.discard)(data.name)
    st.session_state.setdefault("_inspected", {})[data.name] = seen


def warn(now: State) -> None:
    """Warn if one column of the visitor's own table holds nearly all the variance, until it is changed or accepted."""
    seen: Inspection | None = st.session_state.get("_inspected", {}).get(now.data)
    accepted: set[str] = st.session_state.setdefault("_accepted", set())
    if seen is None or now.standardise or now.prep or now.data in accepted or now.data not in catalogue.uploaded():
        return
    dominant = seen.note("dominant")
    if dominant is None:
        return
    with st.container(border=True, key="caution"):
        st.warning(
            f"{sanitize.plain(dominant.says)} A component then only shows which column has the largest unit.",
            icon=":material/scale:",
        )
        with st.container(horizontal=True):
            st.button("Standardise", key="caution-standardise", on_click=_standardise, icon=":material/balance:")
            st.button("Keep it as it is", key="caution-keep", on_click=accepted.add, args=(now.data,))


def _standardise() -> None:
    state.assign(scale=STANDARDISED)
