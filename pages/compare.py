"""Compare: two to four data sets side by side, what they promise, what is proven, and why."""

import streamlit as st

from nnspca.view.compare import choices, panels, run
from nnspca.view.session import runs, state, widgets

now = state.current()
st.title("Compare data sets")
st.markdown("**Which data suit nonnegative sparse PCA, and why?** The same questions to each, on the same axes.")
choice, sets, press = choices.ask(now)
if len(choice.vs) < 2 or not choice.by:
    st.info("Choose at least two data sets and one solver.", icon=":material/compare:")
    widgets.end_page()
if told := panels.prepared(choice, now):
    st.caption(told)
with press:
    job = run.start(sets, choice, now)
with st.container(key="comparing"):
    runs.follow("compare", job, first=run.first(sets, choice))
results = run.found(job, sets, choice)
if not results:
    widgets.end_page()
st.markdown(panels.ranking(results) or "Two data sets are ranked as soon as both are proven at every k.")
drawn = {"together": panels.together(results, choice)}
if choice.panels:
    drawn |= panels.side_by_side(results, choice)
panels.said_of_each(results)
with widgets.expander(choices.KEYS["take"], "Table, downloads and code", ":material/download:") as fold:
    if fold.open:
        panels.takeaway(results, choice, now, drawn)
