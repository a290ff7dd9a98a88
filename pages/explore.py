"""One component: what the solver finds, and how far it can be from the best."""

import streamlit as st

import nnspca
from nnspca.view import certificate, compute, controls, downloads, jobs, panels, proofs, state, supply

now = state.current()
data = supply.dataset(now)
leading = compute.leading(data, now)

st.title(data.title)
st.markdown(f"{data.description} *Which {now.k} of the {data.n_features:,} features vary together most?*")
solver, tune, press = st.columns([3, 1, 1], vertical_alignment="bottom")
with solver:
    method = controls.method(now, data.n_features)
with tune:
    options = compute.arguments(method, controls.options(method), now)
info = nnspca.METHODS[method]
st.caption(f"**{info.title}.** {info.summary} ({info.paper})")
running, found, proven, given = (st.container() for _ in range(4))  # fixed places, filled as things become known

few, rest = given.columns([1, 1.25], gap="large")
with few:
    st.markdown("**The data**")
    panels.glance(data)
with rest:
    panels.spread(data, now)
    panels.provenance(data)
with press:
    view = data, now, method, options
    job = jobs.run("explore", compute.solve_key(*view), compute.find(*view), now, afresh=lambda: proofs.afresh(*view))
with running:
    jobs.follow("explore", job)

part, proof, trace = compute.arrived(job)
proof = proofs.tightest(proof, data, now)
longer = jobs.only("tighten", proofs.tighten_key(data, now, now.k))
if part is not None:
    sight, verdict = found.columns([1, 1.25], gap="large")
    with sight:
        shape = panels.component(part, data, "component")
    with verdict:
        every = controls.every_bound()
        gauge = panels.place(part, proof, leading, "place", every=every, waiting=not job.done, tightening=longer)
        panels.numbers(part, leading)
        if proof is not None:
            certificate.tighten(proof, data, now, longer)
if proof is not None:
    with proven, controls.fold("Open the certificate", "certificate", ":material/verified:") as fold:
        if fold.open:
            certificate.opened(proof, data, now, "explore")
if part is not None:
    panels.story(part, proofs.latest_trace(longer, trace), leading)
    with controls.fold("Take it with you: loadings, figures, code", "take", ":material/download:") as fold:
        if fold.open:
            code = downloads.component_code(now, method, options)
            panels.takeaway(part, data, {"component": shape, "place": gauge}, code, "explore")
