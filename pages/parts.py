"""Parts: several components side by side, what they explain together, and what they make of a sample."""

import streamlit as st

from nnspca.view import asked, controls, jobs, parts, rebuild, state, supply

now = state.current()
data = supply.dataset(now)

st.title("Parts")
st.markdown(f"{data.title}: *what is it made of? Several components, each of at most {now.k} features.*")
chosen = asked.ask(now, data)
if not chosen.solvers:
    st.info("Choose at least one solver to see its parts.", icon=":material/grid_view:")
    st.stop()
job = jobs.run("parts", parts.key(data, now, chosen), parts.find(data, now, chosen), now)
jobs.follow("parts", job)
results = parts.found(job)
if not results:
    st.stop()

drawn = parts.side_by_side(results, data)
drawn["together"] = parts.comparison(results)
with controls.fold("From parts back to samples", "rebuild", ":material/extension:") as fold:
    if fold.open:
        rebuild.samples(results, data, now)
provable = [solver for solver, result in results.items() if parts.provable(result)]
if provable and job.done:
    with controls.fold("How good is each part? Prove it", "proofs", ":material/verified:") as fold:
        if fold.open:
            about = ("parts-proof", *parts.key(data, now, chosen))
            proof = jobs.peek("parts-proof", about) or jobs.start("parts-proof", about, parts.proof(results, data, now))
            jobs.follow("parts-proof", proof)
            parts.proven(proof, provable[0])
with controls.fold("Table, downloads and code", "take", ":material/download:") as fold:
    if fold.open:
        parts.takeaway(results, data, now, chosen, drawn)
