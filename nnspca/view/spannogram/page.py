"""The spannogram page: which curves, and the circle of directions they make, or the sphere with its closing cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from nnspca.result import rounded, wording
from nnspca.view import sanitize, session
from nnspca.view.link import state
from nnspca.view.link.state import CIRCLE, DATA, FOUR, RANDOM, SPHERE, State
from nnspca.view.link.widgets import (
    DeltaGenerator,
    choices_and_figure,
    choose,
    end_page,
    link_value,
    next_value,
    place,
    say_in_link,
)
from nnspca.view.sources import catalogue
from nnspca.view.spannogram import circle, sphere
from nnspca.view.spannogram.circle import DRAGGED, Rows
from nnspca.view.spannogram.sphere import Sphere
from nnspca.view.subject import Subject

KEYS = state.keys_of("spannogram")


@dataclass(frozen=True, eq=False)
class View:
    """What is drawn: the rows behind the curves, in the directions of a circle or a sphere, and the limit k."""

    rows: Rows
    k: int
    nonnegative: bool

    @property
    def d(self) -> int:
        """The number of dimensions."""
        return self.rows.V.shape[1]


def ask(now: State) -> tuple[View, DeltaGenerator]:
    """Let the person choose the curves; return them and the place to draw them, or end the page here."""
    above, shown = choices_and_figure("turning")
    stage = place(shown, "turning")
    below = st.container()
    with above, st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        source, dimensions = (
            choose(KEYS[key], label, horizontal=True, width="content", help=about)
            for key, label, about in (
                ("curves", "Curves", "Four to learn with, random ones, or those of the data set in the sidebar."),
                ("dimensions", "Directions", "Two eigenvectors give a circle of directions, three a sphere."),
            )
        )
        d = 2 if dimensions == CIRCLE else 3
        if source == DATA:
            return _of_data(now, d, stage), stage
        n = len(circle.EXAMPLE)
        if source == RANDOM:
            about = "How many random curves; the sidebar's seed decides which."
            n = choose(KEYS["n"], "n curves", width=104, help=about)
        about = "How many curves form the set. For a data set, choose k in the sidebar."
        top = choose(KEYS["top"], "k", high=n, usual=min(2, n), width=126, help=about)
    V = circle.example(d) if source == FOUR else circle.random(n, d, now.seed)
    if n <= DRAGGED:
        with below:
            V = _dragged(V, f"{source}-{n}-{d}-{now.seed if source == RANDOM else 0}")
    return View(Rows(V), top, now.nonnegative), stage


def _of_data(now: State, d: int, stage: DeltaGenerator) -> View:
    """Return the curves of the data set in its leading directions."""
    data = catalogue.dataset_in_use(now)
    most = circle.most_directions(data)
    if most < d:
        title, count = sanitize.plain(data.title), wording.plural(most, "direction")
        stage.info(f"{title} varies along {count} only; this figure needs {d}.")
        end_page()
    rows = circle.of_data(Subject(data, now), d)
    if not rows.V.any():
        stage.info(f"{sanitize.plain(data.title)} does not vary.")
        end_page()
    return View(rows, min(now.k, data.n_features), now.nonnegative)


def _dragged(plain: np.ndarray, key: str) -> np.ndarray:
    """Return made-up curves as a person has dragged them, or as a link gives them."""
    here = session.current()
    dragged = here.dragged
    if texts := state.value_in_link("V"):
        try:
            dragged[key] = circle.read_link(texts[-1], (len(plain), plain.shape[1]))
        except ValueError as problem:
            st.info(f"{sanitize.plain(str(problem))} Showing the defaults.", icon=":material/info:")
    V = dragged.get(key, plain)
    here.curves = key, V
    same = np.array_equal(V, plain)
    say_in_link(here, "V", "" if same else circle.rows_in_link(V), "")
    if not same:
        st.button("Reset the curves", icon=":material/undo:", on_click=dragged.__delitem__, args=(key,))
    return V


def _take_dragged(row: list[float]) -> None:
    """Take a row that was dragged on the canvas, and draw the page anew."""
    here = session.current()
    if here.curves is None:
        return
    key, V = here.curves
    i, a, b = int(row[0]), float(row[1]), float(row[2])
    if 0 <= i < len(V) and V.shape[1] == 2 and math.isfinite(a) and math.isfinite(b):
        here.dragged[key] = changed = V.copy()
        changed[i] = a, b
        st.rerun()


def idea(now: State) -> str:
    """Say in a sentence why a short list of supports is enough."""
    which = "k highest above zero" if now.nonnegative else "k largest"
    if next_value(KEYS["dimensions"]) == SPHERE:
        return (
            f"Each point of the ball is a direction. **In each region the {which} are the same features: the set.** It "
            "changes only at an arc, where two curves cross or one crosses zero. Point at a region for its set."
        )
    return (
        "Turn a direction through the data: each feature has a value along it, drawn as a curve. "
        f"**The {which} are the best features for that direction: the set.** It changes only at a ring ○, where two "
        "curves cross, or a diamond ◇, where one crosses zero."
    )


def show(view: View) -> None:
    """Show the circle, which moves, or the sphere."""
    if view.d == 2:
        picture = circle.curves_of(view.rows.V, view.k, view.nonnegative)
        st.fragment(_animate)(circle.payload(view.rows, view.k, view.nonnegative, picture))
    else:
        _sphere(view)


def _animate(data: dict[str, Any]) -> None:
    """Mount the canvas, and apply a curve that the user dragged."""
    phi, speed = (float(link_value(KEYS[key])) for key in ("phi", "speed"))
    result = circle.show(data, phi=phi, speed=speed)
    if result.row:
        _take_dragged(result.row)


def _sphere(view: View) -> None:
    """Show the sphere of directions and the rounds of the search, which the browser plays without the server."""
    world = sphere.sphere_of(view.rows.V, view.k, view.nonnegative)
    verdicts = [_verdict(view, world, step) for step in range(len(world.rounds))]
    note = "The first cells already prove the optimum. " if len(verdicts) == 1 else ""
    if world.plain <= world.rounds[-1].examined:
        note += "With so few features plain enumeration needs fewer steps; with a data set it needs far too many."
    content = sphere.payload(view.rows, view.k, view.nonnegative, world, verdicts, note)
    sphere.show(content, cells=link_value(KEYS["cells"]), first_round=link_value(KEYS["round"]))


def _verdict(view: View, world: Sphere, step: int) -> str:
    """Say what is known after a round."""
    now = world.rounds[step]
    if not now.open.any():
        names = view.rows.names
        named = [sanitize.plain(names[i], sanitize.NAME) if names else str(i + 1) for i in world.support]
        which = "{" + ", ".join(named) + "}" if len(named) <= 6 else f"{len(named)} features"
        return (
            f"**All cells are closed:** {rounded.number(now.value)} is the optimum, reached by {which}. "
            f"Proven with {now.examined:,} cells, to nine digits."
        )
    relative_gap = now.upper / now.value - 1 if now.value else math.inf
    return (
        f"After round {step} the best found is {rounded.number(now.value)}. Values in the open cells "
        f"are at most {rounded.number(100 * relative_gap, up=True, telling=2)} % larger."
    )
