"""The teacher's sheet: for each step what to ask, what usually goes wrong, and whether ten minutes have room for it."""

from __future__ import annotations

import streamlit as st

from nnspca.view.learn.words import STEPS

TEN = [number for number, step in enumerate(STEPS) if step.short]
ADVICE = f"""\
**Twenty minutes:** all steps; let the class paint for four minutes, give the steps a minute each, and play the
spannogram (6) and the ceiling (11) to their end. **Ten minutes:** steps {", ".join(map(str, TEN))}.
Before each answer is unfolded, let everyone commit to a guess. The arrow keys turn the pages; **Full screen** makes
everything larger, and there Page Up and Page Down of a presenter's remote work too. **Copy link** sends the class to
the step and the state you see."""


def draw() -> None:
    """Draw the sheet."""
    st.markdown(ADVICE)
    for number, step in enumerate(STEPS):
        ten = "ten and twenty minutes" if step.short else "twenty minutes only"
        st.markdown(
            f"**{number}. {step.title}** :small[{ten}]  \n*Ask:* {step.ask}  \n*Goes wrong:* {step.wrong}",
        )
