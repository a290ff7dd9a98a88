"""The spannogram: why a short list of supports holds the best one, as curves on a circle or cells on a sphere."""

import streamlit as st

from nnspca.view.link import state
from nnspca.view.spannogram import page

now = state.of_sidebar()

st.title("Spannogram")
st.markdown(page.idea(now))
view, stage = page.ask(now)
with stage:
    page.show(view)
