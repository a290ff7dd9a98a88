"""Variance against k: what each solver keeps, and the certified band where the optimum must lie."""

import streamlit as st

from nnspca.view import compute, controls, downloads, figures, panels, state

now = state.current()
data = controls.dataset(now)
look = controls.palette()
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
    job = controls.run(
        "variance", key, compute.curve(data, now, ks, methods), now, afresh=lambda: compute.shelf().drop(key)
    )
controls.follow("variance", job)
points = compute.latest(job.arrived)

with st.container(horizontal=True):
    log = controls.bound(
        st.toggle,
        "Logarithmic k",
        key="log",
        value=True,
        help="Equal steps multiply k; off: equal steps add.",
    )
    paper = controls.bound(
        st.toggle,
        "The paper's own band",
        key="paper",
        value=False,
        help="The ceiling of Asteris et al. (2014): random samples, so it holds with a probability only.",
    )
chart = st.container()
chosen = controls.pick(ks, methods)
drawn = figures.variance(points.values(), leading, look, methods=methods, ks=ks, log=log, paper=paper, chosen=chosen)
with chart:
    if job.done:
        controls.figure(drawn, "curve", on_select=lambda: controls.clicked("curve"), selection_mode="points")
    else:
        controls.figure(drawn, "curve-running")
    st.caption("The band is proven at each marked k; between marks its straight edges only guide the eye.")

part = compute.component_of(points, chosen)
if chosen is not None and part is None:
    st.info(f"k = {chosen[0]} with {chosen[1]} has not been solved yet.", icon=":material/hourglass_empty:")
if part is not None:
    sight, verdict = st.columns([1, 1.25], gap="large")
    with sight:
        shape = panels.component(part, data, "chosen", f"k = {part.k}, {part.method}")
    with verdict:
        gauge = panels.place(part, points[chosen].certificate, leading, "chosen-place", waiting=not job.done)
        panels.numbers(part, leading)

rows = compute.records(points, leading)
with st.expander("Table, downloads and code", icon=":material/download:"):
    st.dataframe(rows, hide_index=True, alt="One row for each k and solver.")
    with st.container(horizontal=True):
        st.download_button(
            "Table (CSV)",
            downloads.table_csv(rows),
            f"{data.name}-variance.csv",
            "text/csv",
            key="table",
            on_click="ignore",
            icon=":material/table:",
        )
        controls.figure_button(drawn, "curve-html", f"{data.name}-variance.html")
    st.code(downloads.curve_code(now, ks, methods), language="python")
