"""The data sets: what each is, whose it is, what one may do with it, and how to bring your own."""

import streamlit as st

from nnspca.view import foreign
from nnspca.view.data import panels
from nnspca.view.session import preview, state, store

now = state.current()
infos = store.catalogue()

st.title("Data")
st.markdown("Choose what to look for structure in, fetch a classic data set once, or bring your own file.")
with st.container(border=True):
    panels.bring()

chosen = infos.get(now.data)
if chosen is not None and chosen.local:
    data = store.in_use(now)
    st.header(f"In use: {foreign.plain(data.title or data.name)}")
    few, rest = st.columns([1, 1.25], gap="large")
    with few:
        preview.glance(data)
    with rest:
        preview.spread(data, now)
        preview.provenance(data)

st.header("All data sets")
panels.folder()
for info in infos.values():
    with st.container(border=True):
        panels.card(info, now)
