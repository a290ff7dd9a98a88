"""Variance against k: what each solver keeps, and the certified band where the optimum must lie."""

import streamlit as st

from nnspca.view import certificate, compute, controls, downloads, jobs, panels, proofs, state, supply

now = state.current()
data = supply.dataset(now)
leading = compute.leading(data, now)

st.title("Variance against k")
st.markdown(f"{data.title}: *how much variance can k features keep, and how much could anyone keep?*")
solvers, cardinalities, press = st.columns([2, 2, 1], vertical_alignment="bottom")
with solvers:
    methods = controls.methods(now, data.n_features)
with cardinalities:
    ks = controls.grid(data.n_features)
if not methods:
    st.info("Choose at least one solver to draw its curve.", icon=":material/show_chart:")
    st.stop()
with press:
    view = data, now, ks, methods
    job = jobs.run(
        "variance", compute.sweep_key(*view), compute.curve(*view), now, afresh=lambda: proofs.curve_afresh(*view)
    )
jobs.follow("variance", job)
points = proofs.tightest_points(compute.latest(job.arrived), data, now)
longer = jobs.only("tighten-all", proofs.tighten_key(data, now, *ks))

look = controls.curve_look()
chart = st.container()
chosen = controls.pick(ks, methods)
with chart:
    certificate.tighten_curve(points, data, now, ks, longer, ready=job.done)
    drawn = panels.curve(points, leading, methods, ks, look, chosen, ready=job.done, tightening=longer)

part = compute.component_of(points, chosen)
if chosen is not None and part is None:
    st.info(f"k = {chosen[0]} with {chosen[1]} has not been solved yet.", icon=":material/hourglass_empty:")
if part is not None:
    proof = points[chosen].certificate
    sight, verdict = st.columns([1, 1.25], gap="large")
    with sight:
        panels.component(part, data, "chosen", f"k = {part.k}, {part.method}")
    with verdict:
        panels.place(part, proof, leading, "chosen-place", every=look.every, waiting=not job.done)
        panels.numbers(part, leading)
    if proof is not None:
        with controls.fold(f"Open the certificate of k = {part.k}", "certificate", ":material/verified:") as fold:
            if fold.open:
                certificate.opened(proof, data, now, "variance")

with controls.fold("Table, downloads and code", "take", ":material/download:") as fold:
    if fold.open:
        rows = compute.records(points, leading)
        panels.table(rows, drawn, f"{data.name}-variance", downloads.curve_code(now, ks, methods))
