"""The spannogram lesson: the circle of directions with its curves, and the sphere with its closing cells."""

from __future__ import annotations

import math

import streamlit as st

from nnspca.view import foreign, words
from nnspca.view.figures import style
from nnspca.view.session.charts import download, figure, figure_button, palette
from nnspca.view.session.state import BY_SET, State
from nnspca.view.session.widgets import choose, number
from nnspca.view.spannogram import canvas, geometry
from nnspca.view.spannogram.choices import KEYS, View, take_dragged
from nnspca.view.spannogram.figures.circle import animation
from nnspca.view.spannogram.figures.sphere import atlas, closing, globe
from nnspca.view.spannogram.geometry import Globe, Picture

BEAT = 0.9  # seconds a round is shown while the sphere plays


def idea(now: State) -> str:
    """Say in three sentences why a short list of supports is enough."""
    best = "highest curves above zero" if now.nonnegative else "curves of largest size"
    return (
        "Take a direction in the plane of two strong eigenvectors: it gives each feature one number. Turn the "
        f"direction, and the numbers trace curves. **The k {best} are the best support for that direction, and that "
        "set can only change where curves cross.** So a short list of supports holds the best one."
    )


def show(view: View) -> None:
    """Show the circle or the sphere."""
    if view.d == 2:
        circle(view)
    else:
        sphere(view)


def circle(view: View) -> None:
    """Show the animation, what to look for, and the animation to take along."""
    picture = geometry.picture(view.rows.V, view.k, view.nonnegative)
    data = canvas.payload(view.rows, view.k, view.nonnegative, picture)
    st.fragment(_animate)(view, data)
    if view.nonnegative:
        choose(
            KEYS["both"],
            "Show −v(φ) too",
            help="A direction and its opposite share a line: the other one's curves, dashed. Play shows both in turn.",
        )
    left_out = geometry.left_out(picture, len(view.rows.V))
    if left_out:
        st.caption(left_out)
    with st.expander("What to look for", icon=":material/school:", expanded=True):
        st.markdown("\n".join(f"{i}. {line}" for i, line in enumerate(_tour(view.nonnegative), 1)))
    with st.expander("Take it with you", icon=":material/download:"):
        st.caption("**PNG** above the picture saves the present moment. The page below plays in any browser, offline.")
        download(
            "Animation (HTML)",
            lambda: _export(view, picture),
            "animation",
            f"{view.stem}.html",
            "A page of its own that plays the animation without a network.",
            icon="movie",
        )


def _tour(nonnegative: bool) -> tuple[str, ...]:
    """Say what to look for, in the order to do it."""
    where = "at place k, or at zero," if nonnegative else "at place k"
    allowed = (
        "For one set, the best direction is its leading one if it lies in the allowed arc, else an end of the arc."
        if nonnegative
        else "Without a sign constraint every direction is allowed, so a set's leading one is its best."
    )
    return (
        "**Press Play.** The lit curves are the top set; a ring marks each crossing that changes it.",
        f"**Step with → and read the card.** Most crossings change nothing: only those {where} matter.",
        "**Watch the strips.** Cells (drawn for few curves) end at every crossing, regions only where the set "
        "changes: there are far fewer.",
        f"**Watch the circle.** {allowed}",
        "**Jump to the optimum.** It is the best of the few candidates, so nothing else needs to be tried.",
    )


def _animate(view: View, data: dict) -> None:
    """Mount the canvas; keep where it rests in the link, and take a curve that was dragged."""
    said = st.session_state
    if "_rest" not in said:
        said["_rest"] = {key: number(KEYS[key]) for key in ("phi", "speed")}
    held = said["_rest"]
    both = view.nonnegative and bool(st.session_state.get("both", True))
    result = canvas.show(data, both=both, phi=held["phi"], speed=held["speed"])
    if result.view:
        st.query_params["phi"] = words.fixed(result.view["phi"], 6)
        st.query_params["speed"] = f"{result.view['speed']:g}"
    if result.row:
        take_dragged(result.row)


def _export(view: View, picture: Picture) -> bytes:
    drawn = animation(
        view.rows.V,
        list(picture.found.supports()),
        picture.objective,
        palette(),
        k=view.k,
        nonnegative=view.nonnegative,
        drawn=picture.drawn,
        best=picture.optimum.phi,
        names=view.rows.names,
    )
    return style.page(drawn).encode()


def sphere(view: View) -> None:
    """Show the sphere of directions and the branch and bound closing in on it."""
    st.markdown(
        "Three eigenvectors: directions form a **sphere**, and curves become surfaces. Trying every place where three "
        "of them meet is slow. Instead, cover the sphere with triangles (*cells*). The objective inside a cell cannot "
        "pass a **ceiling** that its three corners prove. A cell whose ceiling is no higher than the best value found "
        "is **closed**: nothing better hides there. The others are split in two, round after round."
    )
    world = geometry.globe(view.rows.V, view.k, view.nonnegative)
    last = len(world.rounds) - 1

    def begin() -> None:
        """Play from the round that is shown, or from the start where that is the last one."""
        here = st.session_state.get("round", 0)
        st.session_state["_played"] = here if here < last else -1

    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        playing = st.toggle(
            "Play the rounds",
            key="rounds-playing",
            on_change=begin,
            disabled=last == 0,
            help="Shows one round after another, then stops.",
        )
        colour = choose(
            KEYS["colour"],
            "Colour",
            horizontal=True,
            help="How good each direction is, or which support is best there: one tint for each.",
        )
        flat = choose(
            KEYS["flat"],
            "Flat map",
            help="The sphere as a map: for a browser that cannot draw in three dimensions, or to see all at once.",
        )
    st.fragment(_rounds, run_every=BEAT if playing else None)(view, world, colour, flat, playing)


def _rounds(view: View, world: Globe, colour: str, flat: bool, playing: bool) -> None:
    """Show one round: the one chosen, or while playing the next."""
    last = len(world.rounds) - 1
    if playing:
        # counted here, not by the slider: a busy browser answers with the round it showed before
        played = st.session_state.get("_played", -1) + 1
        if played > last:
            st.session_state["rounds-playing"] = False
            st.rerun()
        st.session_state["_played"] = st.session_state["round"] = played
    if last > 0:
        step = choose(
            KEYS["round"],
            "Round",
            high=last,
            disabled=playing,
            help="How often the open cells have been split. Round 0: the eight corners of space.",
        )
    else:
        step = 0
        st.caption("The first cells already prove the optimum: there is nothing to split.")
    now, look = world.rounds[step], palette()
    big, aside = st.columns([1.45, 1], gap="large")
    with big:
        drawn = (atlas if flat else globe)(
            world.points,
            world.triangles,
            world.objective,
            world.supports if colour == BY_SET else None,
            now,
            look,
            nonnegative=view.nonnegative,
        )
        figure(drawn, "globe")
        figure_button(drawn, "html-globe", f"{view.stem}-sphere.html", "Sphere (HTML)")
    with aside:
        st.markdown(_verdict(view, world, step))
        with st.container(horizontal=True, gap="medium"):
            st.metric("Open cells", f"{int(now.open.sum()):,}", help="They may still hide something better.")
            st.metric("Cells examined", f"{now.examined:,}", help="All cells that were given a ceiling so far.")
            st.metric(
                "Plain enumeration",
                f"{world.plain:,}" if world.plain < 10**7 else words.number(float(world.plain)),
                help="Directions the papers' algorithm would visit: every meeting of three surfaces.",
            )
        if world.plain <= world.rounds[-1].examined:
            st.caption("With so few features plain enumeration is short. Try the data set: there it is out of reach.")
        figure(closing(world.rounds, step, look), "closing")


def _verdict(view: View, world: Globe, step: int) -> str:
    """Say what is known after a round."""
    now = world.rounds[step]
    if not now.open.any():
        names = view.rows.names
        named = [foreign.plain(names[i], foreign.NAME) if names else str(i + 1) for i in world.support]
        which = "{" + ", ".join(named) + "}" if len(named) <= 6 else f"{len(named)} features"
        return (
            f"**All cells are closed:** {words.number(now.value)} is the best there is, reached by {which}. "
            f"{now.examined:,} cells proved it, to nine digits."
        )
    room = now.upper / now.value - 1 if now.value else math.inf
    return (
        f"After round {step} the best found is {words.number(now.value)}. The open cells might hide up to "
        f"{_raised(100 * room)} % more."
    )


def _raised(percent: float) -> str:
    """Return a positive number with two telling digits, rounded up: what is claimed stays true.

    >>> _raised(1.612), _raised(0.00404), _raised(137.2)
    ('1.7', '0.0041', '140')
    """
    if not 0 < percent < math.inf:
        return f"{percent:g}"
    step = 10.0 ** (math.floor(math.log10(percent)) - 1)
    return (
        f"{math.ceil(percent / step) * step:.2g}" if percent < 100 else words.fixed(math.ceil(percent / step) * step, 0)
    )
