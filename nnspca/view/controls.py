"""The widgets: every choice is in the link, a bad link becomes a plain note, no choice is lost."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

import nnspca
from nnspca.datasets import Dataset, DatasetInfo
from nnspca.solvers.registry import OptionInfo
from nnspca.view import compute, figures, jobs, state, words
from nnspca.view.jobs import Job, Work
from nnspca.view.state import State

CHART = {"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"]}


def bound(widget: Callable[..., Any], label: str, *, key: str, allowed: str = "", **settings: Any) -> Any:
    """Draw a widget whose value is in the link.

    A value that the link asked for and the widget refuses is told to the person, with what is
    ``allowed``. The value is remembered when the person goes to another page and comes back.
    """
    said, memory = st.session_state, st.session_state.setdefault("_memory", {})
    asked = st.query_params.get_all(key)
    held = said.get(key)
    if held is None and not asked and key in memory:
        said[key] = held = memory[key]
    value = widget(label, key=key, bind="query-params", **settings)
    if said.get(key) is not None:
        memory[key] = value
    refused = held if held is not None and not _same(held, value) and _outside(held, settings) else None
    if refused is None and held is None and asked and not _same(asked if isinstance(value, list) else asked[-1], value):
        refused = ", ".join(asked)
    notes, limits = said.setdefault("_notes", {}), f" ({allowed})" if allowed else ""
    if refused is not None:
        notes[key] = (
            value,
            f"{label}: “{refused}” cannot be used here{limits}; showing {_say(value)}.",
        )
    elif key in notes and not _same(notes[key][0], value):
        del notes[key]
    return value


def _same(asked: Any, value: Any) -> bool:
    """Tell whether what was asked for is what the widget shows."""
    if isinstance(value, list):
        return list(asked) == [str(v) for v in value] if isinstance(asked, list | tuple) else False
    if isinstance(value, bool):
        return str(asked).lower() == str(value).lower()
    if isinstance(value, int | float):
        try:
            return float(asked) == float(value)
        except (TypeError, ValueError):
            return False
    return str(asked) == str(value)


def _outside(held: Any, settings: Mapping[str, Any]) -> bool:
    """Tell whether a value kept from before lies outside what the widget allows now."""
    if "options" in settings:
        return any(v not in settings["options"] for v in (held if isinstance(held, list) else [held]))
    low, high = settings.get("min_value"), settings.get("max_value")
    return (low is not None and held < low) or (high is not None and held > high)


def _say(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(str(v) for v in value) or "nothing"
    return f"“{value}”" if isinstance(value, str) else str(value)


def notes() -> None:
    """Show the notes about values that could not be used."""
    for _, note in st.session_state.get("_notes", {}).values():
        st.info(note, icon=":material/info:")


def sidebar() -> None:
    """Draw the choices that all pages share."""
    infos = compute.catalogue()
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
    notes()


def palette() -> figures.Palette:
    """Return the colours of the theme the person sees."""
    return figures.DARK if st.context.theme.type == "dark" else figures.LIGHT


def dataset(now: State) -> Dataset:
    """Return the data set, or show how to get it and end the page here."""
    infos = compute.catalogue()
    info = infos.get(now.data)
    if info is None:
        st.error(f"There is no data set called “{now.data}”. Choose one of: {', '.join(infos)}.")
        st.stop()
    if not info.local:
        _offer(info)
        st.stop()
    try:
        return compute.dataset(now.data)
    except (nnspca.DataError, OSError) as problem:
        st.error(str(problem))
        st.stop()


def _offer(info: DatasetInfo) -> None:
    """Show what a data set is and offer to download it, with true progress."""
    st.title(info.title)
    st.markdown(info.description)
    job = jobs.peek("fetch", info.name)
    with st.container(border=True):
        size = f" ({words.size(info.size_bytes)})" if info.size_bytes else ""
        st.markdown(f"**These data are not on this machine yet.** They are fetched once{size}, checked, and kept.")
        st.caption(f"{info.citation}  \nTerms: {info.terms}")
        if info.homepage:
            st.caption(f"More about the data: {info.homepage}")
        asked = st.button(
            "Download" if job is None else "Download again",
            key="fetch",
            type="primary",
            icon=":material/download:",
            disabled=job is not None and not job.done,
        )
        if asked:
            job = jobs.start("fetch", info.name, compute.fetch(info.name))
        if job is not None:
            jobs.watch("fetch", job)
        if job is not None and job.problem:
            st.error(job.problem)
        elif job is not None and job.done:
            st.rerun()


def method(now: State) -> str:
    """Let the person choose a solver that can keep the sign constraint."""
    names = state.methods_for(now.nonnegative)
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


def methods(now: State) -> list[str]:
    """Let the person choose the solvers to compare."""
    names = state.methods_for(now.nonnegative)
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


def run(slot: str, key: Hashable, work: Work, now: State, *, afresh: Callable[[], None] | None = None) -> Job:
    """Draw Run; return the job of this view, or end the page here with what to do.

    In a live session the job starts by itself.
    """
    job = jobs.peek(slot, key)
    pressed = st.button(
        "Run" if job is None else "Run again",
        key=f"run-{slot}",
        icon=":material/play_arrow:",
        type="primary" if job is None and not now.live else "secondary",
        width="stretch",
        help="Start the solver with these settings.",
    )
    if pressed and afresh is not None:
        afresh()
    if pressed or (job is None and now.live):
        job = jobs.start(slot, key, work)
    if job is None:
        st.info("Nothing has run with these settings yet. Press **Run**.", icon=":material/play_arrow:")
        st.stop()
    return job


def follow(slot: str, job: Job) -> None:
    """Draw the job's progress and Stop while it runs, or what went wrong, or that it was stopped."""
    jobs.watch(slot, job)
    if job.problem:
        st.error(job.problem, icon=":material/error:")
    elif job.done and job.stopped:
        st.warning(
            "Stopped. What was found by then is shown; **Run again** starts over.",
            icon=":material/stop_circle:",
        )


def figure(drawn: go.Figure, key: str, **settings: Any) -> Any:
    """Show a figure with its description for screen readers."""
    return st.plotly_chart(drawn, key=key, config=CHART, alt=drawn.layout.meta["alt"], **settings)


def figure_button(drawn: go.Figure, key: str, file_name: str, label: str = "Figure (HTML)") -> None:
    """Offer a figure as a page of its own, made only when asked for."""
    st.download_button(
        label,
        data=lambda: figures.page(drawn).encode(),
        file_name=file_name,
        mime="text/html",
        key=key,
        on_click="ignore",
        icon=":material/bar_chart:",
        help="Opens in any browser, without a network.",
    )


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


def clicked(chart: str) -> None:
    """Take over the point a person clicked on the curve."""
    points = st.session_state[chart]["selection"]["points"]
    if points and points[0].get("customdata"):
        st.session_state["point"] = str(points[0]["customdata"][0])
