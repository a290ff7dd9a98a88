"""The lesson on the page: everything the browser needs, sent once, the component that plays it, the teacher's sheet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from nnspca.view.learn import boards, figures
from nnspca.view.learn.words import STEPS
from nnspca.view.link import canvas, state, widgets

BROWSER = Path(__file__).with_name("browser")
CURVES = BROWSER.parents[1] / "spannogram" / "browser"  # what draws the spannogram draws it here too
FIGURES = ("game.js", "faces.js", "plane.js", "curves.js", "search.js", "proof.js")
DRAWING = ("mathematics.js", "captions.js", "plot.js")
SCRIPTS = (*(str(CURVES / name) for name in DRAWING), "desk.js", "judge.js", *FIGURES)
SCRIPTS += ("save.js", "shell.js")

_mount = canvas.component("learn", BROWSER, SCRIPTS)
CORE = [number for number, step in enumerate(STEPS) if step.core]
ADVICE = f"""\
**Ten minutes:** the eight core chapters ({", ".join(map(str, CORE))}). **Twenty minutes:** all chapters; four minutes
of painting, then one minute each; play the spannogram (6) and go through all upper bounds (10). Let the class guess
before you open an answer. The arrow keys change the chapter; in **Full screen** so do Page Up and Page Down.
**Copy link** gives the class the chapter and the state you see."""
KEYS = state.keys_of("learn")
PLAYED = ("step", "board", "painted", "best", "at")


def numbers(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the numbers of every chapter's figure, by name; ``facts`` are those that its words use.

    ``names`` are those of the boards to paint on.
    """
    return {
        "paint": figures.paint(names),
        "pca": figures.pca(),
        "ghosts": figures.ghosts(),
        "counting": figures.counting(625, 40),
        "cloud": figures.cloud(),
        "one": figures.rank_one(),
        "two": figures.rank_two(),
        "changes": figures.changes(),
        "half": figures.half_space(),
        "rankd": figures.rank_d(figures.spectra()),
        "bounds": figures.matrix(),
        "check": figures.matrix(),
    }


@st.cache_resource(show_spinner="Preparing the lesson …", max_entries=2)
def content(names: tuple[str, ...]) -> dict[str, Any]:
    """Return the whole lesson, made once for all sessions; ``names`` are those of its boards."""
    told = numbers(names)
    return {
        "steps": [step.for_browser(told[step.figure]["facts"]) for step in STEPS],
        "figures": told,
        "colours": canvas.colours(),
    }


def show() -> None:
    """Mount the lesson, which plays in the browser alone."""
    _mount(key="learn", data=content(tuple(boards.at_hand())))


def sheet() -> None:
    """Draw the teacher's sheet: for each chapter what to ask and what usually goes wrong."""
    st.markdown(ADVICE)
    for number, step in enumerate(STEPS):
        st.markdown(
            f"**{number}. {step.title}** :small[{'core' if step.core else 'further'}]  \n"
            f"*Ask:* {step.ask}  \n*Goes wrong:* {step.wrong}",
        )


def check() -> None:
    """Say which values of the link cannot be used: the lesson, which reads and writes them, takes the defaults."""
    for key in PLAYED:
        widgets.linked_value(KEYS[key])
