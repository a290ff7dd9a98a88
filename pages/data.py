"""The data sets: what each is, whose it is, what one may do with it, and how to bring your own."""

import streamlit as st

from nnspca.view import holdings, panels, state, supply

now = state.current()
infos = holdings.catalogue()

st.title("Data")
st.markdown("Choose what to look for structure in, fetch a classic data set once, or bring your own file.")
with st.container(border=True):
    supply.bring()

chosen = infos.get(now.data)
if chosen is not None and chosen.local:
    data = supply.dataset(now)
    st.subheader(f"In use: {data.title or data.name}")
    few, rest = st.columns([1, 1.25], gap="large")
    with few:
        panels.glance(data)
    with rest:
        panels.spread(data, now)
        panels.provenance(data)

st.subheader("All data sets")
for info in infos.values():
    with st.container(border=True):
        supply.card(info, now)
