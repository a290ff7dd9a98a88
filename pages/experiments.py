"""Experiments: the papers' figures run again, our numbers beside the printed ones."""

import streamlit as st

from nnspca.view import experiments, jobs, state

now = state.current()
st.title("Experiments")
st.markdown("The papers' experiments, run again here: *does it come out as printed, and what is proven today?*")
st.caption("Of the sidebar only the seed counts here: each experiment brings its own data and settings.")
choice = experiments.choose(now)
job = experiments.run(choice, now)
jobs.follow("study", job, "Stopped. The rows known by then are shown; **Run again** starts over.")
experiments.draw(choice, job)
