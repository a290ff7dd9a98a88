"""Samples: what one component says about the samples, and why it has each of its features."""

import streamlit as st

from nnspca.view.samples import choices, claims, panels, run
from nnspca.view.session import catalogue, runs, state, widgets

now = state.current()
data = catalogue.in_use(now)

st.title(claims.PURPOSE)
st.markdown(panels.question(data, now))
if data.kind == "covariance":
    st.info(panels.WITHOUT, icon=":material/table:")
running = st.container(key="samples-running")
running.html("<span></span>")  # it has its height before and after a run
key = "sheet-alone" if data.kind == "covariance" else "sheet-place"
shown, waiting = widgets.reserved(key, "Here stand the part and the samples, once the part is found.")
choice, press = choices.ask(now, data.n_features)
with press:
    job = run.start(data, now, choice)
with running:
    runs.follow("samples", job, first=1)
part, other = run.arrived(job)
if part is None:
    widgets.end_page()
lie = run.lie(data, now, part, other)
with shown:
    waiting.empty()
    panels.sheet(part, other, lie, data, now)
with widgets.expander(choices.KEYS["take"], "Take it with you: scores, figures, code", ":material/download:") as fold:
    if fold.open:
        panels.takeaway(part, other, lie, data, now, choice)
