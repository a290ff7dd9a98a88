"""The data sets: what each is, whose it is, what one may do with it, and how to bring your own."""

import streamlit as st

from nnspca.view import foreign
from nnspca.view.data import bring, panels, preparing
from nnspca.view.results import collection
from nnspca.view.session import catalogue, preview, state

catalogue.use_waiting()  # which the sidebar has done already, where there is one
now = state.current()

st.title("Data")
st.markdown("Choose what to look for structure in, fetch a classic data set once, or bring your own file.")
preparing_first = st.container()  # of large data: in sight of the sidebar that asked for it
collection.cards(now)
with st.container(border=True):
    bring.bring()

infos = catalogue.infos()
chosen = infos.get(now.data)
if chosen is not None and chosen.local:
    with preparing_first:
        data = catalogue.in_use(now)
    st.header(f"In use: {foreign.plain(data.title or data.name)}")
    few, rest = st.columns([1, 1.25], gap="large")
    with few:
        preview.sample_preview(data)
    with rest:
        preview.scree_plot(data, now)
        preview.provenance(data)
    st.subheader("Preprocessing")
    preparing.explained(catalogue.dataset(now.data), data, now)

st.header("All data sets")
panels.folder()
for info in infos.values():
    with st.container(border=True):
        panels.card(info, now)
