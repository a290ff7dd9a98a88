"""Papers: figures of four papers run again, our numbers beside the printed ones."""

import streamlit as st

from nnspca.view.link import state
from nnspca.view.papers import panels

now = state.of_sidebar()
study = panels.which()
st.title("Papers")
st.markdown("Figures of four papers, run again: **does each come out as printed, and what is proven today?**")
every, one = st.columns([1, 2.6], gap="medium")
with every:
    panels.cards(study)
with one:
    panels.describe_study(study)
    job = panels.live_run(study, now)
    panels.missing_data(study)
    tables = panels.known_tables(study, now, job)
    panels.draw(study, tables)
    panels.about_study(study)
    if tables and job is not None and job.done:
        panels.study_files(study, now, tables)
