"""Showing a figure in the theme the person sees, with its description and its download."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nnspca.view.figures import style
from nnspca.view.figures.sketch import sketch
from nnspca.view.figures.style import Figure, Palette

CHART = {"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"]}


def palette() -> Palette:
    """Return the colours of the theme the person sees."""
    return style.DARK if st.context.theme.type == "dark" else style.LIGHT


def figure(drawn: Figure, key: str, **settings: Any) -> Any:
    """Show a figure with its description for screen readers."""
    return st.plotly_chart(drawn, key=key, config=CHART, alt=drawn.layout.meta["alt"], **settings)


def sketched(drawn: Figure, key: str) -> DeltaGenerator:
    """Return a place for a figure: a sketch stands in it for as long as the browser has nothing that draws it."""
    place = st.container(key=f"{key}-sketched")
    place.html(sketch(drawn))
    return place


def pickable(drawn: Figure, key: str, choice: str, read: Callable[[list], str], *, ready: bool) -> None:
    """Show a figure whose points, once ``ready``, can be clicked: the click sets the widget ``choice``.

    ``read`` makes the choice out of a point's custom data. A running figure takes no clicks, so that its
    redrawing does not swallow them.
    """

    def take() -> None:
        points = st.session_state[key]["selection"]["points"]
        if points and points[0].get("customdata"):
            st.session_state[choice] = read(points[0]["customdata"])

    if ready:
        figure(drawn, key, on_select=take, selection_mode="points")
    else:
        figure(drawn, f"{key}-running")


def figure_button(drawn: Figure, key: str, file_name: str, label: str = "Figure (HTML)") -> None:
    """Offer a figure as a page of its own, made only when asked for."""
    st.download_button(
        label,
        data=lambda: style.page(drawn).encode(),
        file_name=file_name,
        mime="text/html",
        key=key,
        on_click="ignore",
        icon=":material/bar_chart:",
        help="Opens in any browser, without a network.",
    )


def csv_button(content: bytes, key: str, file_name: str, label: str, about: str | None = None) -> None:
    """Offer a table as CSV; made beforehand, so that a press while the page is being redrawn finds it."""
    st.download_button(
        label,
        data=content,
        file_name=file_name,
        mime="text/csv",
        key=key,
        on_click="ignore",
        icon=":material/table:",
        help=about,
    )
