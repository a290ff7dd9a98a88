"""The first screen: one component, played along k, and how far it can be from the best."""

import streamlit as st

from nnspca.view import foreign
from nnspca.view.certificate import component, proofs
from nnspca.view.certificate import panels as certificate
from nnspca.view.explore import choices, need, panels, path, play, run, stage
from nnspca.view.results import collection
from nnspca.view.session import catalogue, preview, runs, state, store, widgets

now = state.current()
data = catalogue.in_use(now)
leading = store.leading(data, now)

with st.container(key="opening"):
    st.title(stage.PURPOSE)
    st.markdown(stage.question(data, now))
played = st.container(key="stage", height=play.HEIGHT + 4, border=False)
acts = st.container(key="acts")
running = st.container()  # above the cards, which take their height late: Stop stays where it is
collection.cards(now)
choice, press = choices.ask(now, data.n_features)
with press:
    job = run.start(data, now, choice)

whole = 1 if stage.stands() else run.handed_first(data, now, choice)
job.wait_for_first(runs.FIRST, whole)  # the picture goes first
part, proof, trace = run.arrived(job)
with played:
    stage.perform(path.start(data, now, job), part, proof, data, now, leading)
with running:
    runs.follow("explore", job)
part, proof, trace = run.arrived(job)  # what came while that was drawn
proof = None if proof is None else proofs.tightest(proof, data, now)
part = None if part is None else proofs.better_of(part, proof)
final = proof if proof is not None and (job.done or not proof.stopped) else None  # no first ceiling
longer = runs.only_job("tighten", proofs.tighten_key(data, now, now.k))
with acts, st.container(horizontal=True, vertical_alignment="center"):
    if final is not None:
        certificate.longer_proof(final, data, now, longer)
    if part is not None:
        widgets.page_link("pages/samples.py", "What does it say about the samples?", ":material/groups:")

shown = {}
widgets.open_for(choices.KEYS["closer"], "bounds")
if part is not None:
    with widgets.expander(
        choices.KEYS["closer"], "Look closer: loadings, ceilings, what the solver did", ":material/zoom_in:"
    ) as fold:
        if fold.open or choice.method != "best":
            sight, verdict = st.columns([1, 1.25], gap="large")
            with sight:
                shown["component"] = component.picture(part, data, "component")
            with verdict:
                every = choices.every_ceiling()
                shown["place"] = component.band_gauge(
                    part, proof, leading, "place", every=every, waiting=not job.done, longer=longer
                )
                component.numbers(part, leading)
            panels.story(part, proofs.latest_trace(longer, trace), leading)
if final is not None:
    with widgets.expander(choices.KEYS["certificate"], "Open the certificate", ":material/verified:") as fold:
        if fold.open:
            certificate.opened(final, data, now, "explore")
if part is not None and final is not None:
    with widgets.expander(choices.KEYS["need"], need.QUESTION, ":material/push_pin:") as fold:
        if fold.open:
            need.panel(final, data, now)
with widgets.expander(choices.KEYS["given"], f"The data: {foreign.plain(data.title)}", ":material/database:") as fold:
    if fold.open:
        few, rest = st.columns([1, 1.25], gap="large")
        with few:
            preview.sample_preview(data)
        with rest:
            preview.scree_plot(data, now)
            preview.provenance(data)
if part is not None:
    with widgets.expander(
        choices.KEYS["take"], "Take it with you: loadings, figures, code", ":material/download:"
    ) as fold:
        if fold.open:
            panels.takeaway(part, proof, data, now, choice, shown, leading)
