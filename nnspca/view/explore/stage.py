"""The stage of the first screen: the path as far as it is known, played in the browser, and what the person chose."""

from __future__ import annotations

import streamlit as st

from nnspca.bounds import carried
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component
from nnspca.view import foreign
from nnspca.view.certificate import proofs
from nnspca.view.explore import path, play
from nnspca.view.session import scene, store
from nnspca.view.session.job import Job
from nnspca.view.session.state import State
from nnspca.view.words import fixed

POLL_SECONDS = 1.2  # between two looks at a path that grows
PURPOSE = "Find the few features that vary together most, and know how close to the best you are."


def question(data: Dataset, now: State) -> str:
    """Return what the picture answers, with the data's own words."""
    scaled = ", each standardised" if now.standardise else ""
    return f"**{foreign.plain(data.title)}**: which {now.k:,} of {data.n_features:,} {scene.noun(data)}{scaled}?"


def stands() -> bool:
    """Tell whether the picture is there already: what changes in it is then shown piece by piece."""
    return "play" in st.session_state


def perform(
    job: Job, part: Component | None, proof: Certificate | None, data: Dataset, now: State, leading: float
) -> None:
    """Show the path while it grows; ``part`` and ``proof`` are the page's own, for the k chosen."""

    def chosen() -> None:
        k = st.session_state["play"].k
        if k is not None:
            st.session_state["k"] = int(k)

    def draw() -> None:
        """Draw what is known now, and the whole page again once there is more to do than that."""
        running = not job.done
        if st.session_state.get("k", now.k) != now.k:
            st.rerun()
        known = path.known_by(job)
        parts, certificates = dict(known.parts), dict(known.certificates)
        if part is not None and part.method == "best":
            parts[part.k] = max(part, parts.get(part.k, part), key=lambda c: c.variance)
        if proof is not None:
            certificates[proof.k] = proof
        certificates = {k: proofs.tightest(certificate, data, now) for k, certificate in certificates.items()}
        parts = {k: proofs.better_of(found, certificates.get(k)) for k, found in parts.items()}
        content = play.payload(
            parts,
            certificates,
            data,
            store.mean(data),
            leading,
            least=least,
            k=now.k,
            about=str(job.key),
            note=_note(job),
        )
        play.show(content, chosen)
        if watching and not running:
            st.rerun()

    watching, least = not job.done, carried.least_variance(store.covariance(data, now))
    # a fragment whether or not the path still grows: the player would lose its place by moving out
    # of one
    st.fragment(draw, run_every=POLL_SECONDS if watching else None)()


def _note(job: Job) -> str:
    """Say how far the path has come."""
    if job.problem:
        return job.problem
    return "" if job.done else f"{job.stage} ({fixed(100 * min(job.progress.fraction, 1.0), 0)} %)"
