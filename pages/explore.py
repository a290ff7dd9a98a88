"""Explore: one component, played along k, and how close to the best possible it is."""

import streamlit as st

from nnspca.view import chance, collection, tasks
from nnspca.view.certificate import proofs
from nnspca.view.explore import more, run, samples, stage
from nnspca.view.explore.run import KEYS
from nnspca.view.link import state, widgets
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject

now = state.current()
subject = Subject(catalogue.in_use(now), now)

with st.container(horizontal=True, vertical_alignment="center"):
    st.title("Explore")
    widgets.page_link("learn.py", "New here? Play the first game", ":material/sports_esports:")
st.markdown(stage.question(subject))
played = st.container(key="stage", height=stage.HEIGHT, border=False)
with st.container(key="acts"):
    press, tighten, suggest, options = st.columns(4, vertical_alignment="bottom")
running = st.container(key="under-way")
with options:
    choice = run.ask(subject)
with press:
    task = run.task(subject, choice)
    shown = tasks.offer(task, tasks.solve(), at_once=run.is_needed(subject, choice), in_place=True)
    if shown is None:
        shown = run.find(subject)

longer = proofs.tightening(subject)
runs = stage.Runs(shown, *run.along(subject, choice, shown), tasks.running(longer))
going = shown is not None and not shown.done
view = stage.view(subject, choice, runs)
part, has_samples = view.part, view.data.kind != "covariance"
with played:
    stage.render(view, runs)
with tighten:
    proofs.tighten(longer, view.known[view.k], "stretch", in_place=True)
with suggest:
    widgets.offer(None if runs.along and not runs.along.done else more.suggestion(view), "k", now.k)
with running:
    if shown is not None and tasks.follow(shown, news=lambda _: 0) and going:
        st.rerun()  # it ended after the picture had been drawn
    proofs.under_way(runs.longer, view)
    chance.follow(subject, shown)

with st.container(key="questions", gap="xsmall"):
    for key, asks, icon, draw in (
        ("samples", "Who scores high?", ":material/groups:", samples.who if has_samples else None),
        ("these", "Why these?", ":material/help:", samples.these),
        ("hold", "Would it hold for other samples?", ":material/content_cut:", more.holds if has_samples else None),
        ("proof", "How sure is the bound?", ":material/verified:", more.proof),
        ("more", "Take it along", ":material/download:", more.take),
    ):
        if draw is None:
            continue
        with widgets.expander(KEYS[key], asks, icon) as fold:
            if fold.open and part is not None:
                draw(part, view)
collection.cards(now, "row")
