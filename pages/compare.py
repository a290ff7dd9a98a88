"""Compare: solvers on one clock, or data sets in one figure, with the answer in the first line."""

import streamlit as st

from nnspca.view import running
from nnspca.view.compare import loadings, race, sets
from nnspca.view.link import state, widgets
from nnspca.view.link.state import State
from nnspca.view.link.widgets import DeltaGenerator
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject
from nnspca.view.ui import downloads


def data_sets(now: State, answer: DeltaGenerator) -> None:
    """Compare two to four data sets: how near the optimum is proven at each k, and why."""
    asked, shown = widgets.choices_and_figure("compare")
    figure = widgets.place(shown, "together-place")  # before all else, so that nothing moves later
    which, press = asked.columns([2.6, 2.1], vertical_alignment="bottom")
    with which:
        subjects = sets.ask_sets(now)
    if len(subjects) < 2:
        answer.info("Choose at least two data sets.", icon=":material/compare:")
        widgets.end_page()
    task = sets.task(subjects)
    with press:
        complete = all(one.complete for one in sets.compared(subjects))  # then a run only on request
        running.press(task, running.solve_button(), running.STOPPED, at_once=not complete)
    known = sets.compared(subjects)
    widgets.write_answer(answer, "compare", sets.say_proven(known))
    with figure:
        drawn = sets.joint_figure(known)
    with widgets.expander(sets.KEYS["take"], "Table, downloads and code", ":material/download:") as fold:
        if fold.open:
            downloads.offer_table("compare", sets.records(known), drawn, sets.sets_code(subjects))


def solvers(now: State, answer: DeltaGenerator) -> None:
    """Compare up to six solvers and a proof on one clock."""
    subject = Subject(catalogue.dataset_in_use(now), now)
    asked, shown = widgets.choices_and_figure("compare")
    figure = widgets.place(shown, "race-place")
    which, press = asked.columns([2.6, 2.1], vertical_alignment="bottom")
    with which:
        racers = race.ask()
    if not racers:
        answer.info("Choose at least one solver to start.", icon=":material/timer:")
        widgets.end_page()
    at, known = race.ended(subject, racers)
    task, drawn, label = race.task(subject, racers), None, f"Race at k = {subject.k:,}"
    button = running.Button(label, race.CLOCK, ":material/play_arrow:", width="stretch")
    is_empty = known is None and running.run_of(task) is None
    with figure if is_empty else press:  # on a phone choices stand below
        job = running.press(task, button, f"Stopped. **{label}** starts over.")
    if is_empty:
        answer.markdown("No race of this problem is stored.")
    elif job is not None:
        at, known = subject, job.result or job.live
    elif at is not subject:
        asked.caption(race.origin())
    with figure:
        if job is not None and not job.done:
            answer.markdown(race.CLOCK)
            race.under_way(job, racers, subject)
        elif not is_empty:
            drawn = race.race_figure(known, racers, at, answer, subject.k)
    with widgets.expander(sets.KEYS["given"], loadings.TITLE, ":material/gavel:") as fold:
        if fold.open:
            loadings.judge_loadings(subject)
    if drawn is not None and known is not None:
        with widgets.expander(sets.KEYS["take"], "Table, downloads and code", ":material/download:") as fold:
            if fold.open:
                race.race_files(known, drawn, at, racers)


now = state.of_sidebar()
title, switch = st.columns([1.2, 1], vertical_alignment="bottom")
with switch:
    what = widgets.choose(sets.KEYS["what"], "What to compare", horizontal=True, label_visibility="collapsed")
title.title(f"Compare {what}")
answer = st.container(key=f"answer-{what}".replace(" ", "-")).empty()
answer.markdown(sets.WORKING)  # it has its line from the first
if what == state.SOLVERS:
    running.drop("compare")
    solvers(now, answer)
else:
    running.drop("race")
    data_sets(now, answer)
