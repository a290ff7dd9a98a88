"""The teacher's sheet: for each chapter what to ask and what usually goes wrong."""

from __future__ import annotations

import streamlit as st

from nnspca.view.learn.words import STEPS

CORE = [number for number, step in enumerate(STEPS) if step.core]
ADVICE = f"""\
**Ten minutes:** the eight core chapters ({", ".join(map(str, CORE))}). **Twenty minutes:** all chapters; four minutes
of painting, then one minute each; play the spannogram (6) and go through all upper bounds (11). Let the class guess
before you open an answer. The arrow keys change the chapter; in **Full screen** so do Page Up and Page Down.
**Copy link** gives the class the chapter and the state you see."""


def draw() -> None:
    """Draw the sheet."""
    st.markdown(ADVICE)
    for number, step in enumerate(STEPS):
        st.markdown(
            f"**{number}. {step.title}** :small[{'core' if step.core else 'further'}]  \n"
            f"*Ask:* {step.ask}  \n*Goes wrong:* {step.wrong}",
        )
