"""What is proven of the parts: the sentence above the figure, the live run's own, and the certificate, opened."""

from __future__ import annotations

import math
from collections.abc import Mapping

import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Bound, Components, PartsCertificate, wording
from nnspca.view import words
from nnspca.view.certificate import panels
from nnspca.view.jobs import runs
from nnspca.view.jobs.job import Job
from nnspca.view.link.state import State
from nnspca.view.parts import run, together
from nnspca.view.parts.choices import JOINT, TOGETHER, Choices
from nnspca.view.results import ledger
from nnspca.view.results.ledger import Known


def purpose(now: State, choice: Choices) -> str:
    """Say in one line what kind of parts the page shows."""
    apart = choice.apart_for(choice.lead)
    if not choice.disjoint:
        return nnspca.DEFLATIONS[apart].summary
    how = "together" if apart == TOGETHER else "one after the other"
    signs = "nonnegative " if now.nonnegative else ""
    return f"Parts are found {how} and never overlap. Each part: at most {now.k:,} {signs}loadings."


def claim(parts: Components, known: Known, *, done: bool) -> str:
    """Say how much disjoint parts explain, and what share of the optimum that is, never rounded in their favour."""
    r = len(parts.parts)
    variance = math.fsum(part.variance for part in parts.parts)
    says = explained(r, variance / parts.total, alone(parts))
    if not math.isfinite(known.upper):
        rest = "No upper bound was proven; **Solve live** starts over." if done else "Computing the upper bound …"
        return f"{says} {rest}"
    ratio, source = ledger.share(variance, known.upper), " (stored proof)" if known.stored else ""
    if words.optimal(ratio):
        return f"{says} {'It is' if r == 1 else 'They are'} **proven optimal**, to 1 part in 10,000{source}."
    most = f"The proven maximum is {words.at_most(100 * known.upper / parts.total, 1)} %"
    return f"{says} {most}{source}; before rounding, this is **{words.proven_share(ratio)}**."


def explained(r: int, share: float, single: int = 0) -> str:
    """Say how much of the total variance so many parts explain, and how many are a ``single`` feature.

    >>> explained(6, 0.27519), explained(1, 0.05)
    ('These six parts explain **27.5 %** of the total variance.', 'This part explains **5.0 %** of the total variance.')
    >>> explained(6, 0.8062, 3)
    'These six parts explain **80.6 %** of the total variance; three of them are a single feature each.'
    """
    these = "This part explains" if r == 1 else f"These {_parts(r)} explain"
    text = f"{these} **{words.percent(share, 1)}** of the total variance"
    if not single:
        return f"{text}."
    are = "is" if single == 1 else "are"
    which = "it is a single feature" if r == 1 else f"{wording.spelled(single)} of them {are} a single"
    return f"{text}; {which}{'' if r == 1 else ' feature' if single == 1 else ' feature each'}."


def alone(parts: Components) -> int:
    """Return how many parts are a single feature, though more were allowed."""
    return sum(part.cardinality == 1 and part.k > 1 for part in parts.parts)


def _parts(r: int) -> str:
    return "part" if r == 1 else wording.counted(r, "part")


def headline(results: Mapping[str, Components], known: Known, choice: Choices, *, done: bool) -> str:
    """Say first what the parts explain and what is proven of them: of all together, or why only of each alone."""
    lead = results.get(choice.lead)
    if lead is None:
        return "The run ended before any part was found." if done else f"Looking for {_parts(choice.r)} …"
    if together.applies(lead):
        return claim(lead, known, done=done)
    text = explained(len(lead.parts), lead.cumulative_variance[-1] / lead.total, alone(lead))
    if run.provable(lead):
        return f"{text} Upper bounds can be proven for each part alone, not for all together."
    why = "which the solver finds all at once" if lead.deflation == JOINT else "which may share features"
    return f"{text} Nothing is proven of these parts, {why}: upper bounds hold only for parts that share no feature."


def live(job: Job, choice: Choices, data: Dataset, now: State) -> str:
    """Say what the live run itself has proven, in how long; nothing before."""
    came = dict(job.arrived)
    proof, parts = came.get(run.PROOF), came.get(choice.lead)
    if parts is None:
        return ""
    if proof is None:
        return f"Live, in {words.seconds(parts.seconds)}."
    ratio = together.tightest(proof, data, now).ratio
    return f"Live, in {words.seconds(parts.seconds + proof.seconds)}: {words.proven_share(ratio)}."


def longer_proof(certificate: PartsCertificate, data: Dataset, now: State, job: Job | None) -> None:
    """Offer a longer proof, show it under way, and say what it brought."""
    running = job is not None and not job.done
    if not running and not words.optimal(certificate.ratio):
        runs.button(
            panels.TIGHTEN,
            "tighten-parts",
            lambda: (together.tighten_key(certificate, data, now), together.tighten(certificate, data, now)),
            panels.LOWER,
            ":material/compress:",
        )
    if job is None:
        return
    runs.follow("tighten-parts", job, panels.STOPPED)
    if (running and job.done) or together.tightest(certificate, data, now).upper < certificate.upper:
        st.rerun()  # it ended after the page had drawn what was known before
    if job.done and job.arrived:
        panels.fallen(job.arrived[-1])


def certificate(
    proof: PartsCertificate | None,
    known: Known,
    choice: Choices,
    data: Dataset,
    now: State,
    longer: Job | None,
    *,
    done: bool,
) -> None:
    """Offer a longer proof of all parts together, and open the certificate; or say why there is none."""
    if proof is not None:
        longer_proof(proof, data, now, longer)
        opened(proof, known, data, now)
    elif not choice.disjoint:
        st.markdown(
            "Upper bounds hold only for parts that share no feature: choose **Together** or **Disjoint supports**."
        )
    elif done:
        st.markdown("No certificate was made before the run ended; **Solve live** makes one.")
    else:
        st.markdown("The live run is making the certificate …")


def opened(certificate: PartsCertificate, known: Known, data: Dataset, now: State) -> None:
    """Open the joint certificate: its claim, the bound that gave it, the others, a second route, and the file."""
    won = certificate.winner
    st.markdown(f"**What was proven live.** {proven(certificate, data.n_features)}")
    if known.upper < certificate.upper:
        st.caption("The stored proof above is tighter: it is the result of a longer run.")
    st.markdown(f"**The lowest upper bound: {_title(won).lower()}.** {won.detail}")
    st.markdown("**Every upper bound that was tried**, lowest first, and why it is true:")
    ranked = sorted(certificate.bounds, key=lambda bound: bound.value)
    st.dataframe(
        [_row(bound, certificate) for bound in ranked],
        hide_index=True,
        alt="Every upper bound that was tried, lowest first: " + ", ".join(_title(b) for b in ranked) + ".",
    )
    st.markdown("\n".join(f"- **{_title(b)}**: {nnspca.PARTS_BOUNDS[b.name].summary}" for b in ranked))
    panels.check_and_files(certificate, data, now)


def proven(certificate: PartsCertificate, n: int) -> str:
    """Say what the certificate proves, with its numbers, the upper bound rounded up."""
    shared = " that share no feature" if certificate.n_components > 1 else ""
    signs = "nonnegative " if certificate.nonnegative else ""
    return (
        f"Take any {_parts(certificate.n_components)} of {n:,} features{shared}, each with at most "
        f"{certificate.k:,} {signs}loadings: their variances add up to no more than "
        f"**{words.number(certificate.upper, up=True)}**. The parts of the live run have "
        f"**{words.number(certificate.lower)}**: {words.proven_share(certificate.ratio)}."
    )


def _title(bound: Bound) -> str:
    return nnspca.PARTS_BOUNDS[bound.name].title


def _row(bound: Bound, certificate: PartsCertificate) -> dict[str, str]:
    return {
        "Upper bound": _title(bound) + (" ← lowest" if bound is certificate.winner else ""),
        "Variance": words.number(bound.value, up=True),
        "Proven share": words.proven_percent(min(certificate.lower / bound.value, 1.0)),
        "Time": words.seconds(bound.seconds) if bound.seconds else "not timed",
    }
