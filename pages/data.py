"""Data: a file of one's own, the data sets, and what is in use on every page."""

import streamlit as st

from nnspca.view import collection
from nnspca.view.data import desk, page, units
from nnspca.view.link import state
from nnspca.view.sources import catalogue

catalogue.choose_next_dataset()  # which the sidebar has done already, where there is one
now = state.of_sidebar()

st.title("Data")
st.markdown("Drop a file of your own or choose a data set: Explore, Parts and Compare then use it.")
units.show(desk.show(), now)  # held by no name here: a script's names outlive the visit
preparing_first = st.container()  # of large data: in sight of the sidebar that asked for it
page.show_problems()
collection.cards(now)
chosen = catalogue.infos().get(now.data)
if chosen is not None:
    with preparing_first:
        data = catalogue.dataset_in_use(now) if chosen.local else None
    page.show_dataset(chosen, data, now)
