"""The spannogram: why a short list of supports holds the best one, as curves on a circle or cells on a sphere."""

import streamlit as st

from nnspca.view.link import state
from nnspca.view.spannogram import choices, panels

now = state.current()

st.title("Spannogram")
st.markdown(panels.idea(now))
choice, stage = choices.ask(now)
with stage:
    panels.show(choice, now)
