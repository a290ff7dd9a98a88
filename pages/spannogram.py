"""The spannogram: why a short list of supports holds the best one, as curves on a circle or cells on a sphere."""

import streamlit as st

from nnspca.view import choose, lesson, state

now = state.current()

st.title("The spannogram")
st.markdown(
    "Take a direction in the plane of two strong eigenvectors: it gives each feature one number. Turn the direction, "
    "and the numbers trace curves. **The k highest curves above zero are the best support for that direction, and "
    "that set can only change where curves cross.** So a short list of supports holds the best one."
)
view, stage = choose.choose(now)
with stage:
    lesson.show(view)
