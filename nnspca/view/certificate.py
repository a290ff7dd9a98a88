"""The certificate, opened: what was proven, why it is true, how to check it, and how to prove more."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from nnspca.datasets import Dataset
from nnspca.result import Bound, Certificate
from nnspca.view import controls, downloads, jobs, proofs, words
from nnspca.view.state import State

STOPPED = "Stopped. Every ceiling proven by then is kept."
HELP = "Spends more work on a lower ceiling, for as long as it gains. Stop at any time: what is proven by then is kept."


def opened(certificate: Certificate, data: Dataset, now: State, key: str) -> None:
    """Open the certificate: its claim, the bound that gave it, all the others, a second route, and the file."""
    won, n = certificate.winner, data.n_features
    st.markdown(f"**What was proven.** {words.claim(certificate, n)}")
    st.markdown(f"**By which bound: {words.title(won.name).lower()}.** {won.detail}")
    st.markdown(f"**Why that is true.** {words.why(won)}")
    st.markdown(f"**Every ceiling that was tried**, lowest first. {_chances(certificate, n)}")
    ranked = sorted(certificate.bounds, key=lambda b: b.value)
    st.dataframe(
        [_row(b, certificate) for b in ranked],
        hide_index=True,
        alt="Every ceiling that was tried, lowest first: " + ", ".join(words.title(b.name) for b in ranked) + ".",
    )
    with st.popover("Why the others are true", icon=":material/school:"):
        for bound in ranked:
            if bound is not won:
                st.markdown(f"**{words.title(bound.name)}.** {words.why(bound)}")
    _check(certificate, data, now, key)
    _take(certificate, data, now, key)


def _chances(certificate: Certificate, n: int) -> str:
    return " ".join(words.chance(b, n) for b in certificate.bounds if not b.deterministic)


def _row(bound: Bound, certificate: Certificate) -> dict[str, str]:
    """Return one line of the table."""
    wins = bound is certificate.winner
    return {
        "Ceiling": words.title(bound.name) + (" ← lowest proven" if wins else ""),
        "÷ λ₁": f"{words.ceil(bound.value / certificate.leading, 4):.4f}",
        "Best found ÷ ceiling": words.percent(min(certificate.lower / bound.value, 1.0), 2),
        "Holds": "always (proven)" if bound.deterministic else "with probability 1 − 1/n",
        "Time": words.seconds(bound.seconds) if bound.seconds else "not timed",
    }


def _check(certificate: Certificate, data: Dataset, now: State, key: str) -> None:
    """Let the person have the whole certificate derived again by other code."""
    about = ("verify", certificate.fingerprint, certificate.k, certificate.nonnegative, certificate.upper)
    job = jobs.peek("verify", about)
    if st.button(
        "Check it by a second route",
        key=f"verify-{key}",
        icon=":material/verified:",
        help="Recomputes the component's variance and every ceiling with separate code that trusts neither.",
    ):
        job = jobs.start("verify", about, proofs.check(certificate, data, now))
    if job is not None:
        jobs.follow("verify", job, "Stopped before the check was complete.")
        if job.done and job.result:
            st.success("Confirmed: the second route finds the same variance and the same ceilings.")


def _take(certificate: Certificate, data: Dataset, now: State, key: str) -> None:
    """Offer the certificate as a file and a script that checks it."""
    stem = f"{data.name}-k{certificate.k}-certificate"
    code = downloads.verifier_code(now, f"{stem}.npz")
    st.markdown("**Check it at home.** Put both files in one folder and run the script; it needs nothing but nnspca.")
    with st.container(horizontal=True):
        st.download_button(
            "Certificate (NPZ)",
            data=lambda: downloads.certificate_npz(certificate),
            file_name=f"{stem}.npz",
            mime="application/octet-stream",
            key=f"cert-{key}",
            on_click="ignore",
            icon=":material/workspace_premium:",
            help="The component, every ceiling, and all that is needed to derive them again.",
        )
        st.download_button(
            "Verifier (Python)",
            data=code,
            file_name=f"{stem}.py",
            mime="text/x-python",
            key=f"verifier-{key}",
            on_click="ignore",
            icon=":material/code:",
            help="A short script: loads the data, reads the certificate, checks it, prints its two numbers.",
        )
    st.code(code, language="python")


def tighten(certificate: Certificate, data: Dataset, now: State, job: jobs.Job | None) -> None:
    """Offer a longer proof for one k, show it under way, and say what it brought."""
    running = job is not None and not job.done
    if job is not None and job.arrived:
        fall = job.arrived[-1]
        st.success(words.fallen(fall.before, fall.after, fall.seconds), icon=":material/trending_down:")
    closed = words.proven_optimal(certificate.lower, certificate.upper)
    if not closed and not running:
        key, work = proofs.tighten_key(data, now, certificate.k), proofs.tighten(certificate, data, now)
        jobs.button("Tighten the proof", "tighten", key, work, HELP, ":material/compress:")
    if job is not None:
        jobs.follow("tighten", job, STOPPED)
        if (running and job.done) or proofs.tightest(certificate, data, now).upper < certificate.upper:
            st.rerun()  # it ended after the page had drawn what was known before


def tighten_curve(
    points: proofs.Points, data: Dataset, now: State, ks: Sequence[int], job: jobs.Job | None, *, ready: bool
) -> None:
    """Offer longer proofs along a curve, the widest gap first, show them under way, and say what they brought."""
    left, running = proofs.open_ks(points), job is not None and not job.done
    if not running:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            seconds = controls.patience()
            key, work = proofs.tighten_key(data, now, *ks), proofs.tighten_all(points, data, now, seconds)
            about = (
                f"{HELP} The widest gap has the first turn."
                if left or not ready
                else "Nothing is open: each k is proven."
            )
            idle = not (ready and left)
            jobs.button("Tighten the proof", "tighten-all", key, work, about, ":material/compress:", disabled=idle)
    if job is not None:
        jobs.follow("tighten-all", job, STOPPED)
        if (running and job.done) or proofs.looser(points, data, now):
            st.rerun()  # one ended after the page had drawn what was known before
    if job is not None and job.done and job.arrived:
        lowered = sum(fall.after.upper < fall.before.upper * (1 - 1e-6) for fall in job.arrived)
        st.success(
            f"{lowered} of {len(job.arrived)} ceilings came down; "
            f"{len(ks) - len(left)} of {len(ks)} values of k are now proven optimal.",
            icon=":material/trending_down:",
        )
