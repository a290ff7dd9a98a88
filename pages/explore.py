"""Explore: one component, played along k, and how close to the best possible it is."""

import streamlit as st

from nnspca.view import tasks
from nnspca.view.explore import choices, held_out, more, path, proof, run, samples, stage
from nnspca.view.link import state, widgets
from nnspca.view.results import collection
from nnspca.view.sources import catalogue

now = state.current()
data = catalogue.in_use(now)

st.title("Explore")
st.markdown(stage.question(data, now))
played = st.container(key="stage", height=stage.HEIGHT + 4, border=False)
with st.container(key="acts"):
    solvers, press, tighten, suggest, options = st.columns([1.6, 1.15, 1.5, 1.4, 1.05], vertical_alignment="bottom")
running = st.container()
choice = choices.ask(now, data.n_features, solvers, options)
with press:
    job = run.start(data, now, choice)

stage.wait(job, data, now, choice)
along = path.start(data, now, choice.ks, job)
others = path.start_others(data, now, choice.ks, choice.others, job)
tightening = proof.longer(data, now)
longer = tasks.running(tightening)
drawn = len(job.arrived)
with played:
    stage.render(data, now, choice, job, along, others, longer)
view = stage.view(data, now, choice, job, along, others)
with tighten:
    proof.button(view, now, tightening)
with suggest:
    widgets.offer(held_out.suggestion(view, data, now, choice) if along.done else None, "k", now.k)
with running:
    if tasks.follow(job) and len(job.arrived) > drawn:
        st.rerun()  # it ended after the picture had been drawn
    proof.under_way(longer)

widgets.open_for(choices.KEYS["samples"], "why")
with widgets.expander(choices.KEYS["samples"], samples.TITLE, ":material/groups:") as fold:
    if fold.open and view.part is not None:
        samples.panel(view.part, data, now)
with widgets.expander(choices.KEYS["proof"], proof.TITLE, ":material/verified:") as fold:
    if fold.open:
        proof.panel(view, data, now, choice.ks)
with widgets.expander(choices.KEYS["more"], more.TITLE, ":material/download:") as fold:
    if fold.open:
        more.panel(view, data, now, choice)
collection.cards(now)
