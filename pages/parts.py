"""Parts: several components over one picture, how much they explain, and how much any such parts could."""

import streamlit as st

from nnspca.view import chance, necessity, running, say, stability
from nnspca.view.certificate.panels import certificate_details
from nnspca.view.figures.style import Figure
from nnspca.view.link import state, widgets
from nnspca.view.parts import choices, files, panels, reconstruction, work
from nnspca.view.parts.choices import KEYS, LABELS
from nnspca.view.parts.view import view_of
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject
from nnspca.view.ui import charts

now = state.of_sidebar()
subject = Subject(catalogue.dataset_in_use(now), now)

st.title("Parts")
purpose = widgets.place(st, "parts-purpose")
asked, shown = widgets.choices_and_figure("parts")
with shown:
    said, acts = widgets.place(st, "parts-said"), widgets.place(st, "parts-running", horizontal=True)
    sight, curve = st.columns([1, 1.1], gap="large")
if len(state.value_in_link("with")) > 1 and not state.value_in_link("others"):  # a link that asks for several solvers
    st.session_state.setdefault("others", True)
proofs = widgets.expander(KEYS["proven"], "How sure is it? Certificate, parts alone, stability", ":material/verified:")
others = widgets.expander(KEYS["others"], "Other solvers, PCA and NMF", ":material/compare:")
use = widgets.expander(KEYS["use"], "Reconstruct a sample; downloads and code", ":material/download:")
with asked:
    choice, suggest = choices.ask(subject, others)
if not choice.with_:
    said.info("Choose at least one solver to see its parts.", icon=":material/grid_view:")
    widgets.end_page()
purpose.markdown(f"{panels.kind_of_parts(now, choice)} {say.as_read(subject.data).capitalize()}.")
known = subject.known_parts((choice.r,))[choice.r]
with acts:
    needed = not (choice.best and known.found and known.bounded)  # the ledger does not answer
    job = running.offer(work.task(subject, choice), running.solve_button("content"), at_once=needed, in_place=True)
others_task = work.others(subject, choice)
view = view_of(subject, choice, (others_task and running.run_of(others_task), job), done=job is None or job.done)
if job is not None:
    with acts:
        panels.proof_progress(job, view)

with suggest:
    widgets.show_suggestion(suggestion := panels.suggested(view.by_chance), "r", choice.r)
widgets.write_answer(said, "parts", f"## {panels.first_claim(view)}")
if suggestion is None:
    said.caption(widgets.OFFERS["r"][2])
drawn: dict[str, Figure] = {}
with sight:
    before = panels.parts_before(view) if view.lead is None else panels.show_parts(view.lead, view)
with curve:
    if before is not None:
        with st.container(key="parts-band-before"):
            charts.figure(before, "parts-band", first=True)
    elif choice.disjoint and any(row.found for row in view.rows.values()):
        drawn["band"] = panels.band_by_number(view)
    elif view.lead is not None and not choice.disjoint:
        drawn["explained"] = panels.explained_by_all({choice.lead: view.lead}, view)
    if choice.best and view.done:
        panels.fill_band(view)
with acts:
    if view.done:
        panels.tighten_parts(view)
with proofs:
    if proofs.open:
        panels.joint_proof(view)
        which = widgets.choose(KEYS["proven_view"], "Show", format_func=LABELS.__getitem__, horizontal=True)
        if which == "certificate":
            if view.proof is not None:
                certificate_details(view.proof, view.best, view)
        elif which == "each part alone":
            panels.each_alone(view)
        elif view.lead is None:
            st.markdown("No part is found yet.")
        elif which == "indispensable":
            necessity.panel(view.lead, view)
        elif view.data.kind == "covariance" or (choice.lead == "nmf" and work.nmf_takes_samples(view)):
            st.markdown("There are no samples to draw again.")
        else:
            way = f"{choices.title_of(choice.lead, choice)}."
            stability.panel(view.lead, view, choices.arguments(choice.lead, choice, now), way)
with others:
    if others.open and (together := panels.other_ways(view, others_task)) is not None:
        drawn["together"] = together
with use:
    if use.open and view.results:
        which = widgets.choose(KEYS["use_view"], "Show", format_func=LABELS.__getitem__, horizontal=True)
        if which == "samples":
            reconstruction.reconstruction(view)
        else:
            files.parts_files(view, drawn)
with acts:
    chance.follow_chance(view, job, choice.r)
