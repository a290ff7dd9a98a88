"""Variance against k: what each solver keeps, and the certified band where the optimum must lie."""

import streamlit as st

from nnspca.view import compute, controls, downloads, figures, jobs, panels, show, state, supply

now = state.current()
data = supply.dataset(now)
leading = compute.leading(data, now)

st.title("Variance against k")
st.markdown(f"{data.title}: *how much variance can k features keep, and how much could anyone keep?*")
solvers, cardinalities, press = st.columns([2, 2, 1], vertical_alignment="bottom")
with solvers:
    methods = controls.methods(now)
with cardinalities:
    ks = controls.grid(data.n_features)
if not methods:
    st.info("Choose at least one solver to draw its curve.", icon=":material/show_chart:")
    st.stop()
with press:
    key = compute.sweep_key(data, now, ks, methods)
    work = compute.curve(data, now, ks, methods)
    job = jobs.run("variance", key, work, now, afresh=lambda: compute.shelf().drop(key))
jobs.follow("variance", job)
points = compute.latest(job.arrived)

log, paper = controls.curve_look()
chart = st.container()
chosen = controls.pick(ks, methods)
drawn = figures.variance(
    points.values(), leading, show.palette(), methods=methods, ks=ks, log=log, paper=paper, chosen=chosen
)
with chart:
    show.pickable(drawn, "curve", "point", ready=job.done)
    st.caption("The band is proven at each marked k; between marks its straight edges only guide the eye.")
    if compute.certified(points):
        share = figures.kept(points.values(), show.palette(), methods=methods, ks=ks, log=log)
        show.figure(share, "kept")

part = compute.component_of(points, chosen)
if chosen is not None and part is None:
    st.info(f"k = {chosen[0]} with {chosen[1]} has not been solved yet.", icon=":material/hourglass_empty:")
if part is not None:
    sight, verdict = st.columns([1, 1.25], gap="large")
    with sight:
        panels.component(part, data, "chosen", f"k = {part.k}, {part.method}")
    with verdict:
        panels.place(part, points[chosen].certificate, leading, "chosen-place", waiting=not job.done)
        panels.numbers(part, leading)

with st.expander("Table, downloads and code", icon=":material/download:"):
    rows = compute.records(points, leading)
    panels.table(rows, drawn, f"{data.name}-variance", downloads.curve_code(now, ks, methods))
