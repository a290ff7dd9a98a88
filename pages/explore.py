"""Explore: one component, played along k, and how close to the best possible it is."""

import streamlit as st

from nnspca.view import chance, collection, running, session
from nnspca.view.certificate import proofs
from nnspca.view.explore import choices, folds, player, samples, work
from nnspca.view.explore.choices import KEYS, Choices
from nnspca.view.explore.view import Runs, View, about_page, view_of
from nnspca.view.link import state, widgets
from nnspca.view.link.widgets import DeltaGenerator
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject


@st.fragment
def at_k(held: DeltaGenerator, choice: Choices) -> tuple[View, Runs, bool]:
    """Draw k, and what changes with it; return it, and whether the run of this k went on."""
    with widgets.part("k", held):
        now = state.of_sidebar()
        subject = Subject(catalogue.dataset_in_use(now), now)
        task, longer = work.task(subject, choice), proofs.tighten_task(subject)
        shown = running.join_or_begin(task) if work.is_needed(subject, choice) else running.run_of(task)
        shown = work.carried_task(subject) if shown is None else shown
        going = shown is not None and not shown.done
        runs = Runs(shown, *work.start_curves(subject, choice, shown), running.run_of(longer))
        view = view_of(subject, choice, runs)
        if not (here.is_whole or (here.at_rest == here.going() and chance.is_known(subject))):
            st.rerun()  # more than this part is to be drawn
        with held:
            player.show(view, runs)
            running.offer(task, running.solve_button(), in_place=True)
            if view.known[view.k].optimal:
                st.space("stretch")  # the other buttons stay where they are
            else:
                proofs.tighten_button(longer, view.known[view.k], "stretch", in_place=True)
            widgets.show_suggestion(None if runs.curve and not runs.curve.done else folds.suggestion(view), "k", now.k)
    return view, runs, going


here, now = session.current(), state.of_sidebar()
here.is_whole, here.at_rest = True, None
subject = Subject(catalogue.dataset_in_use(now), now)

with st.container(horizontal=True, vertical_alignment="center"):
    st.title("Explore")
    widgets.page_link("learn.py", "New here? Play the first game", ":material/sports_esports:")
st.markdown(about_page(subject))
with st.container(key="stage", horizontal=True, vertical_alignment="bottom"):
    held = st.container(key="at-k", horizontal=True, vertical_alignment="bottom")
    choice = choices.ask(subject)
under_way = st.container(key="under-way")
with here.place_of_k or under_way:
    view, runs, going = at_k(held, choice)
part, has_samples = view.part, view.data.kind != "covariance"
with under_way:
    if runs.shown is not None and running.follow(runs.shown, news=lambda _: 0) and going:
        st.rerun()  # it ended after the picture had been drawn
    proofs.under_way(runs.longer, view)
    chance.follow_chance(view, runs.shown)

is_open = False
with st.container(key="questions", gap="xsmall"):
    for key, asks, icon, draw in (
        ("samples", "Who scores high?", ":material/groups:", samples.extremes if has_samples else None),
        ("these", "Why these?", ":material/help:", samples.feature_list),
        ("hold", "Would it hold for other samples?", ":material/content_cut:", folds.holds if has_samples else None),
        ("proof", "How sure is the bound?", ":material/verified:", folds.proof),
        ("more", "Take it along", ":material/download:", folds.all_files),
    ):
        if draw is None:
            continue
        with widgets.expander(KEYS[key], asks, icon) as fold:
            is_open = is_open or fold.open
            if fold.open and part is not None:
                draw(part, view)
collection.cards(now, "row")
if runs.at_rest and not is_open:
    here.at_rest = here.going()
