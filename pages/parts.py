"""Parts: several components over one picture, how much they explain, and how much any such parts could."""

import streamlit as st

from nnspca.view import robust, tasks
from nnspca.view.figures.style import Figure
from nnspca.view.link import state, widgets
from nnspca.view.parts import panels, run, take
from nnspca.view.parts.run import KEYS, LABELS
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject

now = state.current()
subject = Subject(catalogue.in_use(now), now)

st.title("Parts")
purpose = st.container(key="parts-purpose")
asked, shown = widgets.choices_and_figure("parts")
with shown:
    said, running = st.container(key="parts-said"), st.container(key="parts-running")
    for place in (purpose, said, running):
        place.empty()  # keeps the place before there is anything in it, and leaves in it what was there
    sight, curve = st.columns([1, 1.1], gap="large")
widgets.open_for(KEYS["others"], "with", least=2)
proofs = widgets.expander(
    KEYS["proven"], "Certificate, a tighter proof, indispensable features, stability", ":material/verified:"
)
others = widgets.expander(KEYS["others"], "Other solvers, PCA and NMF", ":material/compare:")
use = widgets.expander(KEYS["use"], "Reconstruct a sample; downloads and code", ":material/download:")
with asked:
    choice, press, suggest = run.ask(subject, others)
if not choice.with_:
    said.info("Choose at least one solver to see its parts.", icon=":material/grid_view:")
    widgets.end_page()
purpose.markdown(panels.purpose(now, choice))
counts = range(1, int(KEYS["r"].high or 1) + 1)
rows = subject.parts_along(counts)
with press:
    needed = run.is_needed(subject, choice, rows[choice.r])
    job = tasks.offer(run.task(subject, choice), tasks.solve(), at_once=needed)
compared = run.others(subject, choice) if others.open else None
if job is not None and not (choice.best and rows[choice.r].found):
    job.wait_for_first(tasks.FIRST, 2)  # that it has begun, and the first parts
done, arrived = job is None or job.done, 0 if job is None else len(job.arrived)
rows = subject.parts_along(counts)
best = rows[choice.r]
results = run.parts_by_way((compared, job), choice, best, subject.total)
lead, proof = results.get(choice.lead), run.certificate(subject, choice, best)
if job is not None and job.stopped:  # Stop is answered before anything is drawn
    with running:
        panels.watch(job, subject, choice, best)

sought = None if lead is None else panels.sought(lead, choice, now)
with suggest:
    stable = robust.stability_known(sought, subject)
    widgets.offer(lead and panels.suggested(lead.parts, subject.cov.features, stable), "r", choice.r)
said.markdown(f"## {panels.headline(results, best, choice, done=done)}")
drawn: dict[str, Figure] = {}
with sight:
    if lead is not None:
        panels.whole(lead, best, subject.data)
with curve:
    if choice.disjoint and any(row.found for row in rows.values()):
        drawn["band"] = panels.along(results, rows, choice, subject.total)
    elif lead is not None and not choice.disjoint:
        drawn["explained"] = panels.explained_by_all({choice.lead: lead}, choice)
    if choice.best and done:
        panels.fill_band(rows, subject, choice)
with proofs:
    if proofs.open:
        view = widgets.choose(KEYS["proven_view"], "Show", format_func=LABELS.__getitem__, horizontal=True)
        if view == "certificate":
            panels.certificate(proof, best, choice, subject, done=done)
        elif view == "each part alone":
            panels.each_alone(results, subject, choice, done=done)
        elif sought is None:
            st.markdown("No part is found yet.")
        elif view == "indispensable":
            robust.need_panel(sought.parts, subject)
        elif subject.data.kind == "covariance" or (choice.lead == "nmf" and run.of_samples(subject)):
            st.markdown("There are no samples to draw again.")
        else:
            robust.stability_panel(sought, subject)
with others:
    if compared is not None:
        tasks.follow(compared)
        if (together := panels.compared(results, subject.data, choice)) is not None:
            drawn["together"] = together
with use:
    if use.open and results:
        view = widgets.choose(KEYS["use_view"], "Show", format_func=LABELS.__getitem__, horizontal=True)
        if view == "samples":
            take.samples(results, subject, choice)
        else:
            take.takeaway(results, best, proof, subject, choice, drawn)
if job is not None and not job.stopped:
    with running:
        panels.watch(job, subject, choice, best)
    if job.done and (not done or len(job.arrived) > arrived):
        st.rerun()  # it ended while the page was drawn
