"""One component: what the solver finds, and how far it can be from the best."""

import streamlit as st

import nnspca
from nnspca.view import compute, controls, downloads, figures, panels, state

now = state.current()
data = controls.dataset(now)
look = controls.palette()
leading = compute.leading(data, now)

st.title(data.title)
st.markdown(f"{data.description} *Which {now.k} of the {data.n_features:,} features vary together most?*")
solver, tune, press = st.columns([3, 1, 1], vertical_alignment="bottom")
with solver:
    method = controls.method(now)
with tune:
    options = compute.arguments(method, controls.options(method), now)
with press:
    job = controls.run(
        "explore",
        compute.solve_key(data, now, method, options),
        compute.find(data, now, method, options),
        now,
        afresh=lambda: compute.forget(data, now, method, options),
    )
info = nnspca.METHODS[method]
st.caption(f"**{info.title}.** {info.summary} ({info.paper})")
controls.follow("explore", job)
part, certificate, trace = compute.arrived(job)

sight, verdict = st.columns([1, 1.25], gap="large")
with sight:
    if part is not None:
        shape = panels.component(part, data, "component")
with verdict:
    if part is not None:
        gauge = panels.place(part, certificate, leading, "place", waiting=not job.done)
        panels.numbers(part, leading)

few, spread = st.columns([1, 1.25], gap="large")
with few:
    st.markdown("**The data**")
    panels.glance(data)
with spread:
    controls.figure(
        figures.spectrum(compute.spectrum(data, now), compute.covariance(data, now).trace, look, rank=now.rank),
        "spectrum",
    )
    panels.provenance(data)

if part is not None:
    did, fell = st.columns([1, 1.25], gap="large")
    with did:
        controls.figure(
            figures.history(part.history or (part.variance,), leading, look, title=f"What {method} did"),
            "history",
        )
    with fell:
        if trace:
            controls.figure(figures.ceiling(trace, leading, look), "ceiling")
    if certificate is not None:
        with st.expander("Why the ceiling is true", icon=":material/verified:"):
            panels.proof(certificate, data, now, "explore")
    with st.expander("Take it with you: loadings, figures, code", icon=":material/download:"):
        panels.takeaway(
            part,
            data,
            {"component": shape, "place": gauge},
            downloads.component_code(now, method, options),
            "explore",
        )
