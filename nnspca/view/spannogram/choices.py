"""The choices of the spannogram page: made-up curves that can be typed, or eigenvectors of the data."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from nnspca.result import wording
from nnspca.view import sanitize
from nnspca.view.link import state, widgets
from nnspca.view.link.state import CIRCLE, DATA, FOUR, RANDOM, State
from nnspca.view.link.widgets import DeltaGenerator, choices_and_figure, choose, reserved
from nnspca.view.sources import catalogue
from nnspca.view.spannogram import rows
from nnspca.view.spannogram.rows import EDITABLE

KEYS = state.keys_of("spannogram")
WHERE = (
    "1 is the direction of largest variance. On the circle this one is at 0°.",
    "The second direction. On the circle this one is at 90°.",
    "The third direction.",
)


@dataclass(frozen=True, eq=False)
class Choices:
    """The curves to draw, each field by its key in the link."""

    curves: str  # where they come from
    dimensions: str  # a circle of directions, or a sphere
    # of made-up curves: how many there are, and how many of them may take part
    n: int = len(rows.EXAMPLE)
    top: int = KEYS["top"].default
    V: np.ndarray | None = None  # shape (n, d): the numbers of made-up curves, as they may have been typed
    # of the data's own directions: which eigenvectors; ``c`` on the sphere only
    a: int = KEYS["a"].default
    b: int = KEYS["b"].default
    c: int = KEYS["c"].default
    m: int | None = None  # of the data's own directions: how many features are drawn

    @property
    def d(self) -> int:
        """The number of dimensions."""
        return 2 if self.dimensions == CIRCLE else 3

    @property
    def eigenvectors(self) -> tuple[int, ...]:
        """Those whose plane or space is drawn."""
        return (self.a, self.b, self.c)[: self.d]


def ask(now: State) -> tuple[Choices, DeltaGenerator]:
    """Let the person choose the curves; return the choice and the place to draw it, or end the page here."""
    above, shown = choices_and_figure("turning")
    with shown:
        stage, waiting = reserved("turning", "Computing the curves …")
    waiting.empty()
    below = st.container()
    with above, st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        source, dimensions = (
            choose(KEYS[key], label, horizontal=True, width="content", help=about)
            for key, label, about in (
                ("curves", "Curves", "Four to learn with, random ones, or those of the data set in the sidebar."),
                ("dimensions", "Directions", "Two eigenvectors give a circle of directions, three a sphere."),
            )
        )
        choice = Choices(source, dimensions)
        if source != DATA:
            choice = replace(choice, **_size(source))
    if source == DATA:
        with below, st.expander("Eigenvectors and features", icon=":material/tune:"):
            choice = replace(choice, **_directions(now, choice.d, stage))
    else:
        plain = rows.example(choice.d) if source == FOUR else rows.random(choice.n, choice.d, now.seed)
        typed = plain
        if choice.n <= EDITABLE:
            with below:
                typed = _typed(plain, f"{source}-{choice.n}-{choice.d}-{now.seed if source == RANDOM else 0}", stage)
        choice = replace(choice, V=typed)
    return choice, stage


def _size(source: str) -> dict[str, Any]:
    """Draw how many made-up curves there are and how many form the set."""
    n = len(rows.EXAMPLE)
    if source == RANDOM:
        n = choose(KEYS["n"], "n curves", width=104, help="How many random curves; the sidebar's seed decides which.")
    top = choose(
        KEYS["top"],
        "k",
        high=n,
        usual=min(2, n),
        width=126,
        help="How many curves form the set. For a data set, choose k in the sidebar.",
    )
    return {"n": n, "top": top}


def _typed(plain: np.ndarray, key: str, stage: DeltaGenerator) -> np.ndarray:
    """Let the person type the numbers, or take those dragged or given by a link; end the page at a bad one."""
    typed = st.session_state.setdefault("_rows", {})
    if key not in typed:
        typed[key] = (plain, 0)
        written = st.query_params.get(KEYS["V"].key)
        if written and not st.session_state.get("_rows_read"):
            try:
                typed[key] = (rows.read_link(written, (len(plain), plain.shape[1])), 0)
            except ValueError as problem:
                st.info(f"{sanitize.plain(str(problem))} Showing the defaults.", icon=":material/info:")
    st.session_state["_rows_read"] = True
    base, version = typed[key]
    columns = [f"direction {j + 1}" for j in range(plain.shape[1])]
    with st.expander("The numbers behind the curves", icon=":material/edit:"):
        st.caption(
            "One row for each curve. Its height at angle φ is direction 1 × sin φ + direction 2 × cos φ."
            if plain.shape[1] == 2
            else "One row for each feature, one column for each direction."
        )
        table = st.data_editor(
            {"curve": [i + 1 for i in range(len(base))], **{c: base[:, j].tolist() for j, c in enumerate(columns)}},
            key=f"rows-{key}-{version}",
            hide_index=True,
            disabled=["curve"],
            num_rows="fixed",
            alt="The numbers behind the curves, one row for each curve.",
        )
        if st.button("Reset", icon=":material/undo:", help="Discard what was typed or dragged."):
            typed[key] = (plain, version + 1)
            st.rerun()
    try:
        V = rows.read_rows(table, columns)
    except ValueError as problem:
        stage.error(sanitize.plain(str(problem)), icon=":material/edit:")
        widgets.end_page()
    st.session_state["_rows_shown"] = (key, V)
    link = None if np.array_equal(V, plain) else rows.write_link(V)
    if link is not None and st.query_params.get("V") != link:
        st.query_params["V"] = link
    elif link is None and "V" in st.query_params:
        del st.query_params["V"]
    return V


def take_dragged(row: list[float]) -> None:
    """Take a row that was dragged on the canvas, and draw the page anew."""
    key, V = st.session_state["_rows_shown"]
    i, a, b = int(row[0]), float(row[1]), float(row[2])
    if 0 <= i < len(V) and V.shape[1] == 2 and math.isfinite(a) and math.isfinite(b):
        changed = V.copy()
        changed[i] = a, b
        st.session_state["_rows"][key] = (changed, st.session_state["_rows"][key][1] + 1)
        st.rerun()


def _directions(now: State, d: int, stage: DeltaGenerator) -> dict[str, Any]:
    """Draw the choices for the data set's own directions."""
    data = catalogue.in_use(now)
    most = rows.most_directions(data)
    if most < d:
        title, count = sanitize.plain(data.title), wording.plural(most, "direction")
        stage.info(f"{title} varies along {count} only; this figure needs {d}.")
        widgets.end_page()
    columns = st.columns(d + 1)
    chosen: dict[str, int] = {}
    for at, letter in enumerate("abc"[:d]):
        with columns[at]:
            chosen[letter] = choose(
                KEYS[letter],
                f"Eigenvector {letter}",
                high=most,
                usual=at + 1,
                help=WHERE[at],
            )
    k = min(now.k, data.n_features)
    with columns[d]:
        m = choose(
            KEYS["m"],
            "Features used",
            low=k,
            high=data.n_features,
            usual=data.n_features,
            allowed=f"{k} to {data.n_features:,}",
            help="All, or those with the largest entries in these eigenvectors.",
        )
    if len(set(chosen.values())) < d:
        stage.error("Choose different eigenvectors.", icon=":material/edit:")
        widgets.end_page()
    return {**chosen, "m": m}
