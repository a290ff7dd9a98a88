"""The spannogram page: the circle of directions with its curves, and the sphere with its closing cells."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from nnspca.view import sanitize, words
from nnspca.view.link.state import BY_SET, SPHERE, State
from nnspca.view.link.widgets import end_page, linked_value, upcoming_value
from nnspca.view.sources import catalogue
from nnspca.view.spannogram import ball, canvas, geometry, globe, rows
from nnspca.view.spannogram.choices import KEYS, Choices, take_dragged
from nnspca.view.spannogram.globe import Globe
from nnspca.view.spannogram.rows import Rows
from nnspca.view.ui.charts import download


@dataclass(frozen=True, eq=False)
class View:
    """What is drawn: the rows behind the curves, the limit k, and the stem of file names."""

    rows: Rows
    d: int
    k: int
    nonnegative: bool
    stem: str


def idea(now: State) -> str:
    """Say in a sentence why a short list of supports is enough."""
    if upcoming_value(KEYS["dimensions"]) == SPHERE:
        return (
            "Cells cover all directions: a cell that provably holds nothing better than the best found is **closed**, "
            "and the others are split until none is open."
        )
    which = "k highest curves above zero" if now.nonnegative else "k largest curves"
    return (
        f"Each feature is a curve over the direction. **The {which} form the set: the best features for that "
        "direction.** The set changes only where curves cross, or one crosses zero."
    )


def show(choice: Choices, now: State) -> None:
    """Show the circle or the sphere."""
    view = _view(choice, now)
    if view.d == 2:
        circle(view)
    else:
        sphere(view)


def _view(choice: Choices, now: State) -> View:
    """Return the data for the figure, or show an error and end the page."""
    if choice.V is not None:
        stem = f"spannogram-{choice.n}-curves-k{choice.top}"
        return View(Rows(choice.V), choice.d, choice.top, now.nonnegative, stem)
    data = catalogue.in_use(now)
    k = min(now.k, data.n_features)
    shown = rows.of_data(data, now, choice.eigenvectors, choice.m or data.n_features)
    if not shown.V.any():
        st.error("The chosen eigenvectors explain no variance. Choose lower numbers.", icon=":material/edit:")
        end_page()
    return View(shown, choice.d, k, now.nonnegative, f"{data.name}-spannogram-k{k}")


def circle(view: View) -> None:
    """Show the animation with its questions, and a way to save it."""
    picture = geometry.picture(view.rows.V, view.k, view.nonnegative)
    data = canvas.payload(view.rows, view.k, view.nonnegative, picture)
    st.fragment(_animate)(view, data)
    with st.expander("Save the animation", icon=":material/download:"):
        st.caption("A web page that plays in any browser, offline. **PNG** above the figure saves the current view.")
        download(
            "Animation (HTML)",
            lambda: canvas.standalone_page(data, f"{view.stem}: the {view.k} highest curves").encode(),
            "animation",
            f"{view.stem}.html",
            "A web page that plays the animation without a network.",
        )


def _animate(view: View, data: dict) -> None:
    """Mount the canvas; store where it stopped in the URL, and apply a curve that the user dragged."""
    session = st.session_state
    if "_rest" not in session:
        session["_rest"] = {key: float(linked_value(KEYS[key])) for key in ("phi", "speed", "step")}
    resting = session["_rest"]
    result = canvas.show(data, phi=resting["phi"], speed=resting["speed"], step=resting["step"])
    if result.view:
        st.query_params["phi"] = words.fixed(result.view["phi"], 6)
        st.query_params["speed"] = f"{result.view['speed']:g}"
    if result.row:
        take_dragged(result.row)


def sphere(view: View) -> None:
    """Show the sphere of directions and the rounds of the search, which the browser plays without the server."""
    round_number, colour, flat = (linked_value(KEYS[key]) for key in ("round", "colour", "flat"))
    world = globe.globe(view.rows.V, view.k, view.nonnegative)
    verdicts = [_verdict(view, world, step) for step in range(len(world.rounds))]
    note = "The first cells already prove the optimum. " if len(verdicts) == 1 else ""
    if world.plain <= world.rounds[-1].examined:
        note += "With so few features plain enumeration needs fewer steps; with a data set it needs far too many."
    content = ball.payload(world, view.nonnegative, verdicts, note)
    ball.show(content, first_round=round_number, by_set=colour == BY_SET, flat=flat)
    with st.expander("Why this proves the optimum, and a download", icon=":material/school:"):
        st.markdown(
            "Three eigenvectors span a **sphere** of directions, covered here with triangles (*cells*). The corners "
            "of a cell prove an **upper bound** on the objective inside it; where that is no higher than the best "
            "value found, the cell provably holds nothing better. Each round splits every open cell in two."
        )
        download(
            "Sphere (HTML)",
            lambda: ball.standalone_page(content, f"{view.stem}: the sphere of directions").encode(),
            "html-sphere",
            f"{view.stem}-sphere.html",
            "A web page that plays the rounds without a network.",
        )


def _verdict(view: View, world: Globe, step: int) -> str:
    """Say what is known after a round."""
    now = world.rounds[step]
    if not now.open.any():
        names = view.rows.names
        named = [sanitize.plain(names[i], sanitize.NAME) if names else str(i + 1) for i in world.support]
        which = "{" + ", ".join(named) + "}" if len(named) <= 6 else f"{len(named)} features"
        return (
            f"**All cells are closed:** {words.number(now.value)} is the optimum, reached by {which}. "
            f"Proven with {now.examined:,} cells, to nine digits."
        )
    relative_gap = now.upper / now.value - 1 if now.value else math.inf
    return (
        f"After round {step} the best found is {words.number(now.value)}. Values in the open cells "
        f"are at most {_raised(100 * relative_gap)} % larger."
    )


def _raised(percent: float) -> str:
    """Return a positive number with two significant digits, rounded up so that the claim still holds.

    >>> _raised(1.612), _raised(0.00404), _raised(137.2)
    ('1.7', '0.0041', '140')
    """
    if not 0 < percent < math.inf:
        return f"{percent:g}"
    step = 10.0 ** (math.floor(math.log10(percent)) - 1)
    return (
        f"{math.ceil(percent / step) * step:.2g}" if percent < 100 else words.fixed(math.ceil(percent / step) * step, 0)
    )
