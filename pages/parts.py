"""Parts: several components side by side, what they explain together, and what they make of a sample."""

import streamlit as st

from nnspca.view import foreign
from nnspca.view.parts import choices, face, panels, run, samples
from nnspca.view.session import datasets, runs, state, widgets

now = state.current()
data = datasets.dataset(now)

st.title("Parts")
st.markdown(f"{foreign.plain(data.title)}: *what is it made of? Several components, each of at most {now.k} features.*")
choice = choices.ask(now, data)
if not choice.with_:
    st.info("Choose at least one solver to see its parts.", icon=":material/grid_view:")
    widgets.end_page()
job = run.start(data, now, choice)
runs.follow("parts", job)
results = run.found(job)
if not results:
    widgets.end_page()

face.show(results, data)
drawn = panels.side_by_side(results, data)
drawn["together"] = panels.comparison(results)
with widgets.fold(choices.KEYS["rebuild"], "From parts back to samples", ":material/extension:") as fold:
    if fold.open:
        samples.samples(results, data, now)
provable = [solver for solver, result in results.items() if run.provable(result)]
if provable and job.done:
    with widgets.fold(choices.KEYS["proofs"], "How good is each part? Prove it", ":material/verified:") as fold:
        if fold.open:
            proof = run.prove(results, data, now, choice)
            runs.follow("parts-proof", proof)
            panels.proven(proof, provable[0])
with widgets.fold(choices.KEYS["take"], "Table, downloads and code", ":material/download:") as fold:
    if fold.open:
        panels.takeaway(results, data, now, choice, drawn)
