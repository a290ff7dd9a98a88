"""Sidebar: the choices that pages share, each where it counts; and a bar of two at the foot of a narrow screen."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs

import streamlit as st

import nnspca
from nnspca.datasets import DatasetInfo, preparing
from nnspca.view import sanitize, session
from nnspca.view.link import canvas, state, widgets
from nnspca.view.link.state import SHARED, default_k, default_scale
from nnspca.view.link.widgets import choose
from nnspca.view.sources import catalogue

BROWSER = Path(__file__).parent / "browser"
LONGEST = 6000  # letters of a reading that a link says: a server refuses longer addresses
_mount = canvas.component("narrow", BROWSER, ("narrow.js",), ())


def sidebar(page: str) -> set[str]:
    """Draw the choices that count on this page; return their keys. The others keep what they say."""
    here = session.current()
    if page != here.page and "k" in st.session_state:
        st.session_state["k"] = st.session_state["k"]  # another page's widget does not take it over by itself
    here.page, here.says = page, {}  # a run that was cut short has said some already
    here.place_of_k = None
    catalogue.choose_next_dataset()
    infos = catalogue.infos()
    asked = state.CHOICES.get(page)
    counting = state.keys_used(page, widgets.next_value(state.keys_of(page)[asked]) if asked else "")
    for key in SHARED.keys() - counting:
        widgets.keep_value(SHARED[key], list(infos) if key == "data" else None)
    if here.back:
        here.linked = parse_qs(here.back.lstrip("?"), keep_blank_values=True)
        for key in counting:
            here.memory.pop(((), key), None)
            st.session_state.pop(key, None)
    with st.sidebar:
        if "data" in counting:
            _data(infos)
        name = state.of_sidebar().data
        if "scale" in counting:
            choose(
                SHARED["scale"],
                "Preprocessing",
                usual=default_scale(name),
                horizontal=True,
                help="Standardised: each feature divided by its standard deviation, so that units do not matter.",
            )
        columns = catalogue.n_features(name, state.of_sidebar().prep if "prep" in counting else ())
        if page == "explore":
            here.place_of_k, here.choose_k = widgets.place(st, "k-place"), _k
        elif "k" in counting:
            _k()
        if "sign" in counting:
            choose(
                SHARED["sign"],
                "Signs of the loadings",
                horizontal=True,
                help="Nonnegative: features only add up, as parts of a whole. Any sign: ordinary sparse PCA.",
            )
        if counting & {"prep", "d", "seed"}:
            with st.expander("Advanced", icon=":material/tune:"):
                _advanced(counting, name, columns, infos)
    here.back = ""
    return counting


def _k() -> None:
    """Draw the choice of k."""
    now = state.of_sidebar()
    session.current().place_of_k = None
    columns = catalogue.n_features(now.data, now.prep)
    choose(
        SHARED["k"],
        "k, nonzero loadings",
        usual=default_k(columns, now.data),
        high=columns,
        allowed=f"1 to {columns:,}: {now.data} has {columns} features",
        help="The component uses at most this many features.",
    )


def _advanced(counting: set[str], name: str, columns: int, infos: dict[str, DatasetInfo]) -> None:
    """Draw what few visitors change: extra preprocessing, the rank of some solvers, the seed."""
    if "prep" in counting:
        _prepare(name, infos)
    if "d" in counting:
        choose(
            SHARED["d"],
            "Rank d",
            usual=min(SHARED["d"].default, columns),
            high=min(8, columns),
            help="Number of leading eigenvectors that the rank-d solvers use.",
        )
    if "seed" in counting:
        choose(SHARED["seed"], "Seed", help="Starts all random choices: the same seed gives the same result.")


def _data(infos: dict[str, DatasetInfo]) -> None:
    """Draw the choice of the data set, and say what it is."""
    if (asked := state.value_in_link("data")) and asked[-1] not in infos:
        session.current().lost = asked[-1]
    name = choose(
        SHARED["data"],
        "Data set",
        options=list(infos),
        format_func=lambda key: sanitize.line(infos[key].title),
        on_change=lambda: catalogue.open_view(st.session_state["data"], infos[st.session_state["data"]].shape[1]),
        help="The data set that the pages show. The Data page also takes files of your own.",
    )
    here = session.current()
    if here.lost:  # another reload offers the file by name again
        here.says |= {"data": [here.lost], "reading": state.value_in_link("reading")}
    elif (desk := here.desks.get(name)) is not None and 0 < len(text := desk.reading.text) < LONGEST:
        here.says["reading"] = [text]
    info = infos[name]
    rows, columns = info.shape
    away = catalogue.why_missing(info)
    samples = "covariance of" if info.kind == "covariance" else f"{rows:,} samples ×"
    shape = f"{samples} {columns:,} features" if rows else ""
    st.caption(" · ".join(filter(None, (shape, away))).replace(" ", "\u00a0"))


def _prepare(name: str, infos: dict[str, DatasetInfo]) -> None:
    """Draw the choice of what else is done to the data first."""
    able: tuple[str, ...] = ()
    if name in infos and infos[name].local:
        with suppress(nnspca.DataError, OSError):  # the page says what is wrong with the file
            able = preparing.possible(catalogue.dataset(name))
    choose(
        SHARED["prep"],
        "Extra preprocessing",
        options=able,
        placeholder="none" if able else "none is possible here",
        help="Done in the order of the list. The Data page explains each step and shows what it does.",
    )


def bar(counting: set[str]) -> None:
    """Show data set and k at the foot of a phone, where the sidebar is folded away; wider, nothing is seen of it."""
    if "data" not in counting:
        return
    infos, now = catalogue.infos(), state.of_sidebar()
    columns = catalogue.n_features(now.data, now.prep)

    def choose_data() -> None:
        name = canvas.value_from("narrow", "data")
        if name in infos:
            catalogue.open_dataset(name, infos[name].shape[1])

    def choose_k() -> None:
        if (k := canvas.value_from("narrow", "k")) is not None:
            state.assign(k=min(max(int(k), 1), columns))

    content = {
        "sets": [[name, sanitize.line(info.title)] for name, info in infos.items()],
        "here": now.data,
        "k": min(widgets.next_value(SHARED["k"], default_k(columns, now.data)), columns) if "k" in counting else None,
        "most": columns,
    }
    _mount(key="narrow", data=content, height=0, on_data_change=choose_data, on_k_change=choose_k)
