"""The verdict on all parts together: the headline, the band along the number of parts, and the certificate, opened."""

from __future__ import annotations

import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Bound, Components, PartsCertificate
from nnspca.view import words
from nnspca.view.certificate.panels import check_again, fallen, strangers_check, take_home, tightening, verifier_code
from nnspca.view.certificate.proofs import falling, proven_optimal
from nnspca.view.figures.style import Figure
from nnspca.view.parts import run, together
from nnspca.view.parts.choices import IN_TURN, JOINT, Choices
from nnspca.view.parts.figures.band import band
from nnspca.view.session import charts, runs, store
from nnspca.view.session.job import Job
from nnspca.view.session.state import State

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def headline(
    results: dict[str, Components],
    certificate: PartsCertificate | None,
    now: State,
    choice: Choices,
    longer: Job | None,
    *,
    done: bool,
) -> None:
    """Say first what is proven of the parts: of all together, or why only of each alone, or of none."""
    lead = results.get(choice.lead)
    if certificate is not None:
        runs.watched(longer, lambda: _proven(falling(certificate, longer), now))
    elif lead is None or (together.applies(lead) and not done):
        st.markdown(f"## Seeking {_parts(choice.r)} that keep the most …")
        st.caption("What is found first is shown at once; a ceiling that no such parts can pass is proven after it.")
    elif together.applies(lead):
        st.markdown("How good are they? The run ended before a ceiling was proven; **Solve live** proves one.")
    else:
        st.markdown(f"## {_alone(lead)}")


def claim(certificate: PartsCertificate) -> str:
    """Say in one sentence what the certificate proves, rounded down."""
    r = certificate.n_components
    these = "This part" if r == 1 else f"These {_parts(len(certificate.parts))}"
    such = "any such part" if r == 1 else f"any {NUMBERS[r]} such parts"
    if proven_optimal(certificate.lower, certificate.upper):
        best = "is" if r == 1 else "are"
        return f"{these} {best} proven optimal: {such} could keep no more (to 1 part in 10,000)."
    digits = 2 if certificate.ratio >= 0.999 else 1
    verb = "keeps" if r == 1 else "keep"
    return f"{these} {verb} at least **{words.percent(certificate.ratio, digits)}** of what {such} could."


def _parts(r: int) -> str:
    return "part" if r == 1 else f"{NUMBERS[r]} parts"


def _proven(certificate: PartsCertificate, now: State) -> None:
    mark = ":material/verified: " if proven_optimal(certificate.lower, certificate.upper) else ""
    st.markdown(f"## {mark}{claim(certificate)}")
    st.caption(f"Proven, not estimated. Such parts: {_kind(certificate)}.")


def _kind(certificate: PartsCertificate) -> str:
    """Say what “such parts” means."""
    signs = ", none of them negative" if certificate.nonnegative else ", of either sign"
    sharing = "; no feature is in two of them" if certificate.n_components > 1 else ""
    return f"unit vectors with at most {certificate.k:,} nonzero loadings{signs}{sharing}"


def _alone(lead: Components) -> str:
    """Say what can be proven of parts that no joint certificate speaks about."""
    if run.provable(lead):
        return "Of these parts each can be proven alone; that all together are good is not proven."
    why = "which the method finds at once" if lead.deflation == JOINT else "which may share features"
    return f"Nothing is proven of these parts, {why}: the ceilings speak about parts that share no feature."


def gained(results: dict[str, Components], choice: Choices) -> None:
    """Say what seeking the parts together has brought."""
    lead, greedy = results.get(choice.lead), results.get(IN_TURN)
    if lead is None or greedy is None:
        return
    both, each = float(lead.variances.sum()), float(greedy.variances.sum())
    more = both / each - 1 if each else 0.0
    if more < 1e-6:
        st.markdown("Found one after the other they are as good: seeking them together gains nothing here.")
    else:
        gain = words.percent(more, 1) if more >= 1e-3 else "less than 0.1 %"
        st.markdown(
            f"Together they keep **{gain}** more variance than parts found one after the other "
            f"({words.number(both)} against {words.number(each)})."
        )


def along(
    results: dict[str, Components],
    certificate: PartsCertificate | None,
    data: Dataset,
    now: State,
    choice: Choices,
    longer: Job | None,
    *,
    done: bool,
) -> Figure:
    """Draw the variance kept against the number of parts, with its band; seek the band where it is not known yet."""
    key, last, seen = together.curve_key(data, now, choice), {}, 0
    job = runs.only_job("parts-curve", key)
    wanted = certificate is not None and done and not certificate.stopped
    if job is None and wanted and together.counts(choice):
        job = runs.start("parts-curve", key, together.curve(data, now, choice))

    def draw() -> None:
        """Draw what is known now."""
        nonlocal seen
        seen = len(job.arrived) if job is not None else 0
        tight = None if certificate is None else falling(certificate, longer)
        known = together.curves(results, tight, job, choice)
        last["band"] = band(known.ways, known.proven, range(1, choice.r + 1), charts.palette())
        charts.figure(last["band"], "parts-band")

    runs.watched(longer, draw)
    if job is None and wanted and together.counts(choice):
        runs.button(
            "Find the band",
            "parts-curve",
            lambda: (key, together.curve(data, now, choice)),
            "Seeks and proves every smaller number of parts as well.",
            ":material/play_arrow:",
        )
    stopped = "Stopped. The points found by then are drawn."
    if job is not None and runs.follow("parts-curve", job, stopped) and seen < len(job.arrived):
        st.rerun()  # it ended after the figure was drawn
    return last["band"]


def longer_proof(certificate: PartsCertificate, data: Dataset, now: State, job: Job | None) -> None:
    """Offer a longer proof, show it under way, and say what it brought."""
    tightening(
        certificate,
        job,
        "tighten-parts",
        lambda: (together.tighten_key(certificate, data, now), together.tighten(certificate, data, now)),
        lambda: together.tightest(certificate, data, now),
    )
    if job is not None and job.done and job.arrived:
        fallen(job.arrived[-1])


def opened(certificate: PartsCertificate, data: Dataset, now: State) -> None:
    """Open the joint certificate: its claim, the bound that gave it, the others, a second route, and the file."""
    won = certificate.winner
    st.markdown(f"**What was proven.** {proven(certificate, data.n_features)}")
    st.markdown(f"**By which bound: {_title(won).lower()}.** {won.detail}")
    st.markdown("**Every ceiling that was tried**, lowest first, and why it is true.")
    ranked = sorted(certificate.bounds, key=lambda bound: bound.value)
    st.dataframe(
        [_row(bound, certificate) for bound in ranked],
        hide_index=True,
        alt="Every ceiling that was tried, lowest first: " + ", ".join(_title(b) for b in ranked) + ".",
    )
    _check(certificate, data, now)
    _files(certificate, data, now)


def proven(certificate: PartsCertificate, n: int) -> str:
    """Say what the certificate proves, with its numbers, the ceiling rounded up."""
    return (
        f"Take any {_parts(certificate.n_components)} of {n:,} features: {_kind(certificate)}. Their variances "
        f"add up to no more than **{words.number(certificate.upper, up=True)}**. Those shown have "
        f"**{words.number(certificate.lower)}**, which is **{words.percent(certificate.ratio, 2)}** of it."
    )


def _title(bound: Bound) -> str:
    return nnspca.PARTS_BOUNDS[bound.name].title


def _row(bound: Bound, certificate: PartsCertificate) -> dict[str, str]:
    return {
        "Ceiling": _title(bound) + (" ← lowest" if bound is certificate.winner else ""),
        "Variance": words.number(bound.value, up=True),
        "These parts ÷ ceiling": words.percent(min(certificate.lower / bound.value, 1.0), 2),
        "Why it is true": nnspca.PARTS_BOUNDS[bound.name].summary,
        "Time": words.seconds(bound.seconds) if bound.seconds else "not timed",
    }


def _check(certificate: PartsCertificate, data: Dataset, now: State) -> None:
    """Let the person have the whole certificate derived again by other code."""
    about = ("verify-parts", certificate.fingerprint, certificate.k, certificate.lower, certificate.upper)
    check_again(
        certificate,
        data,
        now,
        "verify-parts",
        about,
        f"Deriving {len(certificate.bounds)} ceilings and the parts' variances again",
        "Confirmed: the second route finds the same variances and the same ceilings.",
        key="verify-parts",
    )


def _files(certificate: PartsCertificate, data: Dataset, now: State) -> None:
    """Offer the certificate as a file and a script that checks it."""
    r, k = certificate.n_components, certificate.k
    stem = f"{data.name}-r{r}-k{k}-certificate"
    bounded = f"set of {r} parts with at most {k} features each"
    cov = store.covariance(data, now)
    take_home(certificate, stem, verifier_code(now, f"{stem}.npz", bounded), "parts", cov)
    strangers_check(certificate, data, cov, stem, "parts")
