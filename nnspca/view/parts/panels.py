"""The parts page's panels: what is said and proven of the parts, the parts on their picture, the band, comparisons."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

import nnspca
from nnspca.result import Components, Progress, rounded, sentences, wording
from nnspca.view import chance, necessity, running, say, session
from nnspca.view.certificate import panels, proofs
from nnspca.view.chance import Chance
from nnspca.view.figures import band
from nnspca.view.figures.style import Figure
from nnspca.view.jobs import Job
from nnspca.view.ledger import Known
from nnspca.view.link.state import State
from nnspca.view.link.widgets import Suggestion
from nnspca.view.parts import figures
from nnspca.view.parts.choices import IN_TURN, Choices, title_of
from nnspca.view.parts.view import View
from nnspca.view.running import Button, Task
from nnspca.view.subject import JOINT, TOGETHER, band_of, is_disjoint
from nnspca.view.ui import charts, component

BEST_FOUND = "best found"


def kind_of_parts(now: State, choice: Choices) -> str:
    """Say in one line what kind of parts the page shows."""
    apart = choice.apart_for(choice.lead)
    if not choice.disjoint:
        return nnspca.DEFLATIONS[apart].summary
    how = "together" if apart == TOGETHER else "one after the other"
    signs = " ≥ 0" * now.nonnegative
    return f"Parts are found {how} and never overlap, with at most {now.k:,} loadings{signs} each."


def claim(parts: Components, known: Known, *, done: bool) -> str:
    """Say how much disjoint parts explain, and what share of the optimum that is, never rounded in their favour."""
    r = len(parts.parts)
    variance = math.fsum(part.variance for part in parts.parts)
    says = explained(r, variance / parts.total, singles(parts), known.upper / parts.total)
    if not math.isfinite(known.upper):
        rest = "No upper bound was proven; **Solve live** starts over." if done else "Computing the upper bound …"
        return f"{says} {rest}"
    return f"{says} {say.nearness(variance, known.upper, parts.total, known.source)}"


def explained(r: int, share: float, single: int = 0, most: float = math.inf) -> str:
    """Say how much of the total variance so many parts explain, ``most`` at best; how many are a ``single`` feature.

    >>> explained(6, 0.27519), explained(1, 0.05)
    ('These six parts explain 27.5 % of the total variance.', 'This part explains 5.0 % of the total variance.')
    >>> explained(6, 0.8062, 3)
    'These six parts explain 80.6 % of the total variance; three of them are a single feature each.'
    """
    what = "This part" if r == 1 else f"These {_parts(r)}"
    text = say.explains(what, r, share, 1.0, "the total variance", most)
    if not single:
        return f"{text}."
    are = "is" if single == 1 else "are"
    which = "it is a single feature" if r == 1 else f"{wording.in_letters(single)} of them {are} a single"
    return f"{text}; {which}{'' if r == 1 else ' feature' if single == 1 else ' feature each'}."


def singles(parts: Components) -> int:
    """Return how many parts are a single feature, though more were allowed."""
    return sum(part.cardinality == 1 and part.k > 1 for part in parts.parts)


def _parts(r: int) -> str:
    return "part" if r == 1 else wording.counted(r, "part")


def first_claim(view: View) -> str:
    """Say first what the parts explain and what is proven of them: of all together, or why only of each alone."""
    lead, r = view.lead, view.choice.r
    if lead is None:
        return "The run ended before any part was found." if view.done else f"Looking for {_parts(r)} …"
    first, more = chance.of_parts(view.by_chance if lead.cardinalities.max() > 1 else ())
    if is_disjoint(lead):
        return f"{first} {claim(lead, view.best, done=view.done)}{_fewer(lead, r)} {more}".strip()
    text = explained(len(lead.parts), lead.cumulative_variance[-1] / lead.total, singles(lead)) + _fewer(lead, r)
    if necessity.is_bounded(lead):
        return f"{text} Upper bounds can be proven for each part alone, not for all together."
    why = "which the solver finds all at once" if lead.deflation == JOINT else "which may share features"
    return f"{text} Nothing is proven of these parts, {why}: upper bounds hold only for parts that share no feature."


def _fewer(lead: Components, r: int) -> str:
    """Say why there are fewer parts than the ``r`` asked for, where there are."""
    if len(lead.parts) >= r:
        return ""
    why = "these use every feature" if lead.loadings.any(axis=1).all() else "no other part explains anything"
    return f" {wording.in_letters(r).capitalize()} were asked for, but {why}."


def tighten_parts(view: View) -> None:
    """Offer a longer proof of all parts together, which starts from their certificate, and show its progress."""
    if view.lead is not None and view.choice.disjoint:
        task = proofs.tighten_task(view, view.lead, view.choice.r)
        proofs.tighten_button(task, view.best, in_place=True)
        proofs.under_way(running.run_of(task), view)


def joint_proof(view: View) -> None:
    """Say what is proven of all parts together, or why nothing is."""
    if view.proof is not None:
        st.markdown(f"**What was proven.** {panels.claim(view.proof, view)}")
    elif not view.choice.disjoint:
        st.markdown("Upper bounds hold only for disjoint parts: choose **Together** or **Disjoint supports**.")
    else:
        st.markdown(f"{first_claim(view)} The certificate is not on this machine: **Solve live** makes it.")


def proof_progress(job: Job, view: View) -> None:
    """Show how a live run goes, and what it came to beside the best known."""
    digits, what = _digits(view), "part" if view.choice.r == 1 else "parts"

    def says() -> str:
        told = proofs.live(job)
        return "" if told is None else proofs.live_words(told, view.total, digits, what)

    running.follow(job, "Stopped. What was found by then is shown.", says=says)
    if job.done and says():
        st.caption(says())


def parts_before(view: View) -> Figure | None:
    """Draw the parts that were seen last, dimmed, under their own name, until there are others; return their chart."""
    here = session.current()
    if here.pictured is None or here.pictured[0] != view.problem:
        return None
    _, name, layers = here.pictured
    component.show(layers, view.data, "parts", note=f"Before: {name}.", dimmed=True)
    return here.charted


def show_parts(parts: Components, view: View) -> None:
    """Show the parts in colours over the mean of the data, and keep them for the time until there are others."""
    worth = np.flatnonzero(~sentences.is_small(parts.variances))
    count = int(worth[-1]) + 1 if len(worth) else 1
    drawn = replace(parts, parts=parts.parts[:count], cumulative_variance=parts.cumulative_variance[:count])
    left, layers = len(parts.parts) - count, component.of(drawn, view.data, _digits(view))
    component.show(layers, view.data, "parts")
    name = f"{_parts(count)} of at most {parts.parts[0].k:,} {component.called(view.data)}"
    session.current().pictured = view.problem, name, layers
    if left:
        st.caption(
            f"{'One more part adds' if left == 1 else f'{left} more parts each add'} less than 1 % to the variance of "
            "those before: not drawn."
        )


def _digits(view: View) -> int:
    """Return the decimals of every share on the page: as many as the headline has."""
    parts = view.lead
    if parts is None:
        return 1
    upper = view.best.upper if is_disjoint(parts) else math.inf
    return rounded.decimals(math.fsum(part.variance for part in parts.parts), upper, parts.total)


def suggested(known: Sequence[Chance]) -> Suggestion | None:
    """Suggest the parts before the first that is no more than chance; None if that is all or none, or not known.

    >>> suggested([Chance(0.3, 0.1, 0.05), Chance(0.1, 0.2, 0.5)]).why
    'Suggested: part 1 is more than chance, part 2 is not (shuffled columns, p at most 0.05; an estimate).'
    """
    count = chance.above_chance(known)
    if not 0 < count < len(known):
        return None
    which = "part 1 is" if count == 1 else f"parts 1 to {count} are"
    level = f"shuffled columns, p at most {chance.LEVEL:g}"
    return Suggestion(count, f"Suggested: {which} more than chance, part {count + 1} is not ({level}; an estimate).")


def band_by_number(view: View) -> Figure:
    """Draw the variance explained against the number of parts, with the band in which the optimum lies."""
    shown, total, lead, choice = [row for row in view.rows.values() if row.found], view.total, view.lead, view.choice
    curves: dict[str, dict[int, float]] = {BEST_FOUND: {row.at: row.lower / total for row in shown}}
    if lead is not None and not choice.best:
        curves[title_of(choice.lead, choice)] = {len(lead.parts): math.fsum(lead.variances) / total}
    figure = band.figure(
        band_of(shown, total),
        curves,
        charts.palette(),
        title="Variance explained against the number of parts",
        unit="share of the total variance (%)",
        along="number of parts",
        what="number of parts",
        chosen=(choice.r if lead is None else len(lead.parts), BEST_FOUND),
    )
    charts.figure(figure, "parts-band", first=True)
    session.current().charted = figure
    return figure


def fill_band(view: View) -> None:
    """Offer to find and prove the smaller numbers of parts where no run has, and show the run."""
    missing = [r for r in range(1, view.choice.r) if not (view.rows[r].bounded and view.rows[r].proven)]
    button = Button("Prove the curve", "Finds and proves fewer parts: some seconds each.", ":material/show_chart:")
    if missing:
        key = view.key("parts-curve", view.choice.r)
        task = view.task("parts-curve", key, nnspca.sweep_parts, missing, view.k, on_point=Job.publish)
        running.press(replace(task, background=True), button, "Stopped. The points found so far are drawn.")


def other_ways(view: View, task: Task | None) -> Figure | None:
    """Show what other solvers find: numbers, parts, and what the first ones explain together; offer a run."""
    if task is not None:
        button = Button("Compare", "Finds parts in each of these ways.", ":material/compare:", "Compare again")
        running.press(task, button, running.STOPPED)
    results, choice, lead = view.results, view.choice, view.lead
    if lead is None or len(results) < 2:
        return None
    if IN_TURN in results:
        st.markdown(gained(lead, results[IN_TURN]))
    st.dataframe(
        [_row(way, parts, choice, _digits(view)) for way, parts in results.items()],
        hide_index=True,
        alt="One row for each way of finding parts.",
    )
    if notes := [f"{title_of(way, choice)}: {parts.note}" for way, parts in results.items() if parts.note]:
        st.caption("  \n".join(notes))
    others = {way: parts for way, parts in results.items() if way not in (choice.lead, IN_TURN)}
    for way, parts in others.items():
        st.markdown(f"**{title_of(way, choice)}**")
        component.show(component.of(parts, view.data, _digits(view)), view.data, f"parts-{way}")
    return explained_by_all(results, view, "together") if others else None


def _row(way: str, parts: Components, choice: Choices, digits: int) -> dict[str, str]:
    low, high = int(parts.cardinalities.min()), int(parts.cardinalities.max())
    return {
        "How found": title_of(way, choice),
        "Kept apart": nnspca.DEFLATIONS[parts.deflation].title,
        "Parts": str(len(parts.parts)),
        "Features per part": f"{high:,}" if low == high else f"{low:,} to {high:,}",
        "Total variance explained": rounded.percent(parts.cumulative_variance[-1] / parts.total, digits),
        "Overlap": rounded.fixed(parts.overlap, 2),
        "Time": rounded.seconds(parts.seconds) if parts.seconds else "stored",
    }


def gained(lead: Components, greedy: Components) -> str:
    """Say what finding the parts jointly has brought."""
    both, each = float(lead.variances.sum()), float(greedy.variances.sum())
    more = both / each - 1 if each else 0.0
    if more < 1e-6:
        return "Found one after the other, the parts explain as much."
    return f"Found together, the parts explain **{rounded.percent(more)}** more than found one after the other."


def explained_by_all(results: Mapping[str, Components], view: View, key: str = "explained") -> Figure:
    """Draw the share of the total variance that the first parts explain together, one line for each way."""
    lines = {title_of(way, view.choice): p.cumulative_variance / p.total for way, p in results.items()}
    figure = figures.cumulative(lines, _digits(view), charts.palette())
    charts.figure(figure, key)
    st.caption("Overlap is counted once: this is the variance of the space that the parts span.")
    return figure


def each_alone(view: View) -> None:
    """Offer to prove each part alone, and say what is proven of it."""
    parts = next((parts for parts in view.results.values() if necessity.is_bounded(parts)), None)
    if parts is None:
        st.markdown("No upper bound is proven for parts that a solver finds all at once, or that may share features.")
        return
    key, count, cov = view.key("parts-proof", view.choice, float(parts.variances.sum())), len(parts.parts), view.cov

    def work(job: Job) -> None:
        for r in range(count):
            if job.should_stop():
                return
            job.report(Progress(r / count, f"part {r + 1} of {count}"))
            left, own = necessity.part_alone(cov, parts, r)
            proof = {"nonnegative": own.nonnegative, "component": own, "on_progress": None}
            job.publish(view.call(job, nnspca.certify, own.k, cov=left, **proof))

    button = Button("Prove each part alone", "Some seconds a part.", ":material/verified:", "Prove again")
    job = running.press(Task("parts-proof", key, work), button, running.STOPPED)
    apart = "features that the other parts" if parts.deflation == TOGETHER else "variance that the earlier parts"
    for r, cert in enumerate(job.results if job is not None else ()):
        st.markdown(
            f"Part {r + 1}: **{rounded.proven_share(cert.lower, cert.upper)}** on the {apart} leave"
            f"{' free' if parts.deflation == TOGETHER else ''} ({nnspca.BOUNDS[cert.winner.name].title.lower()})."
        )
