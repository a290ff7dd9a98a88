"""One component: what the solver finds, and how far it can be from the best."""

import streamlit as st

import nnspca
from nnspca.view import compute, controls, downloads, jobs, panels, state, supply

now = state.current()
data = supply.dataset(now)
leading = compute.leading(data, now)

st.title(data.title)
st.markdown(f"{data.description} *Which {now.k} of the {data.n_features:,} features vary together most?*")
solver, tune, press = st.columns([3, 1, 1], vertical_alignment="bottom")
with solver:
    method = controls.method(now)
with tune:
    options = compute.arguments(method, controls.options(method), now)
with press:
    view = data, now, method, options
    job = jobs.run(
        "explore",
        compute.solve_key(*view),
        compute.find(*view),
        now,
        afresh=lambda: compute.forget(*view),
    )
info = nnspca.METHODS[method]
st.caption(f"**{info.title}.** {info.summary} ({info.paper})")
jobs.follow("explore", job)
part, certificate, trace = compute.arrived(job)

if part is not None:
    sight, verdict = st.columns([1, 1.25], gap="large")
    with sight:
        shape = panels.component(part, data, "component")
    with verdict:
        gauge = panels.place(part, certificate, leading, "place", waiting=not job.done)
        panels.numbers(part, leading)

few, rest = st.columns([1, 1.25], gap="large")
with few:
    st.markdown("**The data**")
    panels.glance(data)
with rest:
    panels.spread(data, now)
    panels.provenance(data)

if part is not None:
    panels.story(part, trace, leading)
if certificate is not None:
    with st.expander("Why the ceiling is true", icon=":material/verified:"):
        panels.proof(certificate, data, now, "explore")
if part is not None:
    code = downloads.component_code(now, method, options)
    with st.expander("Take it with you: loadings, figures, code", icon=":material/download:"):
        panels.takeaway(part, data, {"component": shape, "place": gauge}, code, "explore")
