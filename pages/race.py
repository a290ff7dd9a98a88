"""Method race: several solvers and the proof of a ceiling on one clock, each point with its picture."""

import streamlit as st

from nnspca.view import foreign
from nnspca.view.race import choices, panels, run
from nnspca.view.session import catalogue, runs, state, widgets

now = state.current()
data = catalogue.in_use(now)

st.title("Method race")
st.markdown(
    f"{foreign.plain(data.title)}, k = {now.k:,}: **which solver gets there first, and how near is that to the best "
    f"possible?** {panels.CLOCK}"
)
words = "Here run the solvers, once the first of them has something."
above, said, stage, waiting = widgets.figure_first("race-place", words)
running = said.container(key="racing")
running.container()  # an empty place is no place: with this its room is kept from the first
asked, press = above.columns([4, 1], vertical_alignment="bottom")
with asked:
    choice = choices.ask()
if not choice.racers:
    waiting.info("Choose at least one solver to start.", icon=":material/sprint:")
    widgets.end_page()
with press:
    job = run.start(data, now, choice)
runs.wait_for_picture(job)  # it is drawn as it runs
with running:
    done = runs.follow("race", job, waited=True)

who, mark = choices.open_mark(run.standing(job), choice)  # below the figure, and asked before it is drawn
waiting.empty()
with stage:
    drawn = panels.track(job, choice, data, who, mark, ready=done)
ended = run.standing(job)
if done and ended is not None:
    with widgets.expander(choices.KEYS["take"], "Table, downloads and code", ":material/download:") as fold:
        if fold.open:
            panels.takeaway(ended, drawn, data, now, choice)
