"""Explore: one component, played along k, and how close to the best possible it is."""

import streamlit as st

from nnspca.view import collection, tasks
from nnspca.view.certificate import proofs
from nnspca.view.explore import more, proof, run, samples, stage
from nnspca.view.link import state, widgets
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject

now = state.current()
subject = Subject(catalogue.in_use(now), now)

st.title("Explore")
st.markdown(stage.question(subject))
played = st.container(key="stage", height=stage.HEIGHT + 4, border=False)
with st.container(key="acts"):
    solvers, press, tighten, suggest, options = st.columns([1.6, 1.15, 1.5, 1.4, 1.05], vertical_alignment="bottom")
running = st.container()
choice = run.ask(now, subject.data.n_features, solvers, options)
with press:
    page = run.start(subject, choice)

stage.wait(page, subject, choice)
runs = run.along(subject, choice, page)
tightening = proofs.tightening("tighten", (now.k,), (now.k,), subject)
longer = tasks.running(tightening)
drawn = len(page.arrived)
view = stage.view(subject, choice, runs)
with played:
    stage.render(view, runs, longer)
with tighten:
    proof.button(view, tightening)
with suggest:
    widgets.offer(more.suggestion(view) if runs.along.done else None, "k", now.k)
with running:
    if tasks.follow(page) and len(page.arrived) > drawn:
        st.rerun()  # it ended after the picture had been drawn
    if longer is not None:
        proof.under_way(longer)

widgets.open_for(run.KEYS["samples"], "why")
with widgets.expander(run.KEYS["samples"], samples.TITLE, ":material/groups:") as fold:
    if fold.open and view.part is not None:
        samples.panel(view.part, view)
with widgets.expander(run.KEYS["proof"], proof.TITLE, ":material/verified:") as fold:
    if fold.open:
        proof.panel(view)
with widgets.expander(run.KEYS["more"], more.TITLE, ":material/download:") as fold:
    if fold.open:
        more.panel(view)
collection.cards(now)
