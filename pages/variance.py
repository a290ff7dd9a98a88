"""Variance against k: what each solver keeps, and the certified band where the optimum must lie."""

import functools

import streamlit as st

from nnspca.view import foreign
from nnspca.view.certificate import component, proofs
from nnspca.view.certificate import panels as certificate
from nnspca.view.session import catalogue, runs, state, store, widgets
from nnspca.view.variance import choices, held_out, panels

now = state.current()
data = catalogue.in_use(now)
leading = store.leading(data, now)

st.title("Variance against k")
st.markdown(f"{foreign.plain(data.title)}: **how much variance can k features keep, and how much could anyone keep?**")
words = "Here stand the curves, once the first points are found."
asked, said, stage, waiting = widgets.figure_first("curve-place", words)
running = said.container(key="variance-running")
running.html("<span></span>")  # it has its height before and after a run: the figure keeps its place
solvers, cardinalities, press = asked.columns([2, 2, 1], vertical_alignment="bottom")
choice = choices.curves(now, data.n_features, solvers, cardinalities)
if not choice.methods:
    waiting.info("Choose at least one solver to draw its curve.", icon=":material/show_chart:")
    widgets.end_page()
with press:
    job = panels.start(data, now, choice)
look, chosen = choices.look_and_point(choice)  # below the figure, and asked before it is drawn: they change it
sketch = functools.partial(panels.sketched, job, leading, choice, look, waiting)
runs.wait_for_picture(job, whole=len(choice.ks) * len(choice.methods), few=panels.ENOUGH, sketch=sketch)
with running:
    done = runs.follow("variance", job, waited=True)

known = proofs.known_by_now(job.arrived, data, now, choice.ks)
longer = runs.only_job("tighten-all", known.key)
panels.longer_proofs(known, data, now, choice, longer, ready=done)
opened = chosen in known.points
chart, beside = stage.columns([1.7, 1], gap="medium") if opened else (stage, None)
waiting.empty()
with chart:
    drawn = panels.curve(known, leading, choice, look, chosen, ready=done, run=job, longer=longer)

if chosen is not None and chosen not in known.points:
    st.info(f"k = {chosen.k} with {chosen.method} has not been solved yet.", icon=":material/hourglass_empty:")
if beside is not None and chosen is not None:
    part, proof = known.points[chosen].component, known.points[chosen].certificate
    with beside:
        component.picture(part, data, "chosen", f"k = {part.k}, {part.method}")
        component.band_gauge(part, proof, leading, "chosen-place", every=look.bounds, waiting=not done)
        component.numbers(part, leading)
    if proof is not None:
        label = f"Open the certificate of k = {part.k}"
        with widgets.expander(choices.KEYS["certificate"], label, ":material/verified:") as fold:
            if fold.open:
                certificate.opened(proof, data, now, "variance")

if data.kind != "covariance":
    with widgets.expander(choices.KEYS["which"], held_out.QUESTION, ":material/content_cut:") as fold:
        if fold.open:
            held_out.panel(data, now, choice, log=look.log)
with widgets.expander(choices.KEYS["take"], "Table, downloads and code", ":material/download:") as fold:
    if fold.open:
        panels.takeaway(known.points, leading, data, now, choice, drawn)
