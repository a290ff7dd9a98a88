"""One component: what the solver finds, and how far it can be from the best."""

import streamlit as st

import nnspca
from nnspca.view.certificate import component, proofs
from nnspca.view.certificate import panels as certificate
from nnspca.view.explore import choices, panels, run
from nnspca.view.session import datasets, preview, runs, state, store, widgets

now = state.current()
data = datasets.dataset(now)
leading = store.leading(data, now)

st.title(data.title)
st.markdown(f"{data.description} *Which {now.k} of the {data.n_features:,} features vary together most?*")
solver, tune, press = st.columns([3, 1, 1], vertical_alignment="bottom")
with solver:
    method = choices.method(now, data.n_features)
with tune:
    choice = choices.options(now, method)
info = nnspca.METHODS[method]
st.caption(f"**{info.title}.** {info.summary} ({info.paper})")
running, found, proven, given = (st.container() for _ in range(4))  # fixed places, filled as things become known

few, rest = given.columns([1, 1.25], gap="large")
with few:
    st.markdown("**The data**")
    preview.glance(data)
with rest:
    preview.spread(data, now)
    preview.provenance(data)
with press:
    job = run.start(data, now, choice)
with running:
    runs.follow("explore", job)

part, proof, trace = run.arrived(job)
proof = None if proof is None else proofs.tightest(proof, data, now)
longer = runs.only_job("tighten", proofs.tighten_key(data, now, now.k))
if part is not None:
    sight, verdict = found.columns([1, 1.25], gap="large")
    with sight:
        shape = component.picture(part, data, "component")
    with verdict:
        every = widgets.choose(choices.KEYS["bounds"])
        gauge = component.place(part, proof, leading, "place", every=every, waiting=not job.done, longer=longer)
        component.numbers(part, leading)
        if proof is not None:
            certificate.longer_proof(proof, data, now, longer)
if proof is not None:
    with proven, widgets.fold(choices.KEYS["certificate"], "Open the certificate", ":material/verified:") as fold:
        if fold.open:
            certificate.opened(proof, data, now, "explore")
if part is not None:
    panels.story(part, proofs.latest_trace(longer, trace), leading)
    with widgets.fold(choices.KEYS["take"], "Take it with you: loadings, figures, code", ":material/download:") as fold:
        if fold.open:
            panels.takeaway(part, data, now, choice, {"component": shape, "place": gauge})
