"""The proof of the Explore page: tighten it, open the certificate, every upper bound, indispensable features."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from nnspca.result import Bound, Certificate, Progress
from nnspca.studies import paper_bound
from nnspca.view import machines, robust, say, tasks
from nnspca.view.certificate import panels, proofs
from nnspca.view.explore import figures
from nnspca.view.explore.run import KEYS
from nnspca.view.explore.stage import View
from nnspca.view.figures import band
from nnspca.view.figures.style import Figure
from nnspca.view.jobs import Job
from nnspca.view.link.state import PROOF
from nnspca.view.link.widgets import choose
from nnspca.view.say import share
from nnspca.view.tasks import Button, Task
from nnspca.view.ui import charts

TITLE = "The proof: certificate, upper bounds, indispensable features"
DIRECTIONS = 1000  # of the paper's bound, which then fails less often than once in 10^20 runs
LABELS = dict(zip(PROOF, ("Certificate", "Upper bounds", "Indispensable features"), strict=True))


def button(view: View, task: Task) -> None:
    """Draw the button that tightens the proof for the k that is shown."""
    here = view.known[view.k]
    about = "Proven optimal already." if here.optimal else panels.ABOUT
    tasks.offer(task, replace(panels.TIGHTEN, about=about, disabled=here.optimal or not here.bounded))


def under_way(job: Job) -> None:
    """Show a longer proof under way, or what it has brought."""
    if job.arrived:
        panels.fallen(job.arrived[-1])
    tasks.follow(job, panels.STOPPED)


def panel(view: View) -> None:
    """Show the certificate, every upper bound, or the indispensable features, as chosen."""
    which = choose(KEYS["proof_view"], "Show", format_func=LABELS.__getitem__, horizontal=True)
    final = proofs.certificate_at(view, view.k)
    if which == "bounds":
        _bounds(view)
    elif final is None:
        st.info(
            "The live proof is still running. It is shown here once it has ended.", icon=":material/hourglass_empty:"
        )
    elif which == "indispensable":
        robust.need_panel(robust.only(final.component, view.cov.trace), view)
    else:
        _note(final, view)
        panels.opened(final, view)


def _note(final: Certificate, view: View) -> None:
    """Say that a certificate is of a live run, where the ledger knows a lower upper bound and the numbers show it."""
    here, own = view.known[view.k], share(final.lower, final.upper)
    live, best = say.proven_share(own), say.proven_share(here.ratio)
    if live == best:
        live, best = (f"a gap of at most {say.at_most(100 * (1 - ratio), 4)} %" for ratio in (own, here.ratio))
    if here.upper < final.upper and live != best:
        source = "The stored proof" if here.stored else "Another proof"
        st.caption(f"This certificate is from the live run: {live}. {source} is tighter: {best}.")


def _bounds(view: View) -> None:
    """Draw the band with every upper bound as a line of its own."""
    look = charts.palette()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        every, paper = choose(KEYS["bounds"]), choose(KEYS["paper_band"])
        everywhere = _everywhere(view)
    if everywhere is not None:
        tasks.follow(everywhere, panels.STOPPED)
    certificates = dict(view.live.certificates) | {
        k: latest for k in view.known if (latest := proofs.certificate_at(view, k)) is not None
    }
    picture = figure(view)
    if paper:
        lower = {k: row.lower for k, row in view.known.items() if row.found}
        figures.add_paper(picture, _paper_bounds(view), lower, view.leading, look)
    if every:
        figures.add_lines(picture, certificates, view.leading, look)
    charts.figure(picture, "band")
    if every and certificates:
        charts.figure(figures.nearness(certificates, tuple(view.known), look, log=view.choice.log), "bounds-drawn")


def _paper_bounds(view: View) -> dict[int, Bound]:
    """Return the paper's bound at each k so far; its run begins with the first look."""
    ks, cov = view.choice.ks, view.cov
    key = view.key_of("paper", view.seed, ks)

    def work(job: Job) -> None:
        for done, k in enumerate(ks):
            job.report(Progress(done / len(ks), "The paper's bound"))
            if job.should_stop():
                return
            bound = machines.call(
                paper_bound,
                cov,
                k,
                nonnegative=view.nonnegative,
                max_samples=DIRECTIONS,
                seed=view.seed,
                should_stop=job.should_stop,
            )
            job.publish((k, bound))

    job = tasks.ask(Task("paper", key, lambda: work))
    tasks.follow(job)
    return dict(job.arrived)


def figure(view: View) -> Figure:
    """Return the band as a figure to take home."""
    return band.figure(
        view.band,
        view.curves,
        charts.palette(),
        title="Variance explained, by number of nonzero loadings",
        unit="variance (% of λ₁)",
        along="k, nonzero loadings allowed" + (" (log scale)" if view.choice.log else ""),
        log=view.choice.log,
    )


def _everywhere(view: View) -> Job | None:
    """Offer longer proofs at every k, the widest gap first; return their run."""
    seconds = choose(
        KEYS["patience"], "Seconds for each k", width=170, help="Time for the proof at each k, the widest gap first."
    )
    left = [row.at for row in sorted(view.known.values(), key=lambda row: row.ratio) if not row.optimal]
    about = f"{panels.ABOUT} The widest gap goes first." if left else "Proven optimal at every k already."
    button = Button("Tighten at every k", about, panels.TIGHTEN.icon, disabled=not left)
    return tasks.offer(proofs.tightening("tighten-all", view.choice.ks, left, view, int(seconds)), button)
