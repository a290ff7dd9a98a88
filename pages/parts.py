"""Parts: what the data are made of, how much the parts keep, and how much any such parts could."""

import streamlit as st

from nnspca.view import foreign
from nnspca.view.parts import choices, panels, run, samples, stability, take, together, verdict
from nnspca.view.session import catalogue, runs, state, widgets

now = state.current()
data = catalogue.in_use(now)

st.title("Parts")
st.markdown(f"{foreign.plain(data.title)}: **what is it made of? Several parts, each of at most {now.k} features.**")
asked, shown = widgets.choices_and_figure("parts")
with shown.container(key="parts-verdict"):
    verdict_place = st.container(key="parts-said")
    verdict_place.html("<span></span>")  # it has its height before the first words
    running = st.container()
with asked:
    choice, press = choices.ask(now, data)
if not choice.with_:
    verdict_place.info("Choose at least one solver to see its parts.", icon=":material/grid_view:")
    widgets.end_page()
with press:
    job = run.start(data, now, choice)
with running:
    done = runs.follow("parts", job, first=1)
results = run.found(job, choice)
proof = run.certificate(job, data, now)
longer = None if proof is None else runs.only_job("tighten-parts", together.tighten_key(proof, data, now))

with verdict_place:
    verdict.headline(results, proof, now, choice, longer, done=done)
if done:
    with running.container(key="parts-gained"):  # in the place that the progress leaves, once it has left
        verdict.gained(results, choice)
if not results:
    widgets.end_page()
drawn = {}
sight, curve = shown.columns([1, 1.1], gap="large")
with sight.container(key="parts-sight"):
    drawn["parts"] = panels.whole(results, data, choice)
with curve:
    if together.applies(results.get(choice.lead)) or choice.compares:
        drawn["band"] = verdict.along(results, proof, data, now, choice, longer, done=done)
    if proof is not None:
        verdict.longer_proof(proof, data, now, longer)
if proof is not None:
    with widgets.expander(choices.KEYS["certificate"], "Open the certificate", ":material/verified:") as fold:
        if fold.open:
            verdict.opened(proof, data, now)
if choice.compares and choice.lead in results:
    with widgets.expander(choices.KEYS["hands"], "Which features changed hands?", ":material/swap_horiz:") as fold:
        if fold.open:
            drawn |= panels.changed(results, data, choice)
if choice.lead in results and stability.applies(data, now, choice):
    with widgets.expander(choices.KEYS["stable"], stability.QUESTION, ":material/casino:") as fold:
        if fold.open:
            drawn |= stability.panel(results[choice.lead], data, now, choice)
provable = [way for way, parts in results.items() if run.provable(parts)]
if provable and done:
    with widgets.expander(choices.KEYS["proofs"], "How good is each part? Prove it", ":material/verified:") as fold:
        if fold.open:
            each = run.prove(results, data, now, choice)
            runs.follow("parts-proof", each)
            panels.proven(each, provable[0], choice)
if data.kind != "covariance":
    with widgets.expander(choices.KEYS["rebuild"], "From parts back to samples", ":material/extension:") as fold:
        if fold.open:
            samples.samples(results, data, now, choice)

st.header("Side by side")
choices.views(now, data)
drawn |= panels.side_by_side(results, data, choice)
drawn["together"] = panels.comparison(results, choice)
with widgets.expander(choices.KEYS["take"], "Table, downloads and code", ":material/download:") as fold:
    if fold.open:
        take.takeaway(results, proof, data, now, choice, drawn)
