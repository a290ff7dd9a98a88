"""Experiments: the papers' figures run again, our numbers beside the printed ones."""

import streamlit as st

from nnspca.view.experiments import choices, panels, run
from nnspca.view.session import runs, state

now = state.current()
st.title("Experiments")
st.markdown("The papers' experiments, run again here: **does it come out as printed, and what is proven today?**")
choice = choices.ask(now)
job = run.start(choice, now)
runs.follow("study", job, "Stopped. The rows known by then are shown; **Run again** starts over.")
panels.draw(choice, job)
