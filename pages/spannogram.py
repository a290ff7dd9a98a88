"""The spannogram: why a short list of supports holds the best one, as curves on a circle or cells on a sphere."""

import streamlit as st

from nnspca.view import choose, lesson, state

now = state.current()

st.title("The spannogram")
st.markdown(lesson.idea(now))
view, stage = choose.choose(now)
with stage:
    lesson.show(view)
