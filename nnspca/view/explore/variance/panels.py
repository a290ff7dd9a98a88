"""The variance page's panels: Run, the curves, longer proofs along them, and what to take home."""

from __future__ import annotations

from collections.abc import Mapping, Set

import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Certificate
from nnspca.view.certificate import proofs
from nnspca.view.certificate.panels import ABOUT, STOPPED
from nnspca.view.explore.variance import choices, figures, report
from nnspca.view.explore.variance.choices import Curves, Look, Point
from nnspca.view.figures import ceilings
from nnspca.view.figures.style import Figure
from nnspca.view.session import charts, curves, downloads, runs, store
from nnspca.view.session.job import Job
from nnspca.view.session.state import State
from nnspca.view.session.streamlit_private import DeltaGenerator

ENOUGH = 4  # points with which a sketch of the curves is worth a look


def start(data: Dataset, now: State, choice: Curves) -> Job:
    """Draw Run; return the job of these curves, or end the page here. Run again starts from nothing."""
    key = store.curve_key(data, now, choice.ks, choice.methods)

    def forget() -> None:
        curves.Points(key).forget(choice.ks, choice.methods)
        proofs.forget(data, now, choice.ks)

    return runs.run("variance", key, lambda: curves.curve(data, now, choice.ks, choice.methods), now, afresh=forget)


def sketched(job: Job, leading: float, choice: Curves, look: Look, place: DeltaGenerator) -> None:
    """Sketch the curves from their first points, where they are the first figure that the person sees."""

    def make() -> Figure | None:
        points = {(p.k, p.method): p for p in job.arrived}
        view = _view(points, {}, set(), leading, choice, look)
        return figures.variance(view, charts.palette()) if points else None

    charts.early_sketch(make, place)


def _view(
    points: proofs.Points,
    certificates: Mapping[int, Certificate],
    closed: Set[int],
    leading: float,
    choice: Curves,
    look: Look,
) -> figures.View:
    """Return what the figures draw of the points and proofs there are."""
    return figures.View(
        tuple(points.values()),
        certificates,
        frozenset(closed),
        leading,
        choice.methods,
        choice.ks,
        look.log,
        look.bounds,
    )


def curve(
    known: proofs.Known,
    leading: float,
    choice: Curves,
    look: Look,
    chosen: Point | None,
    *,
    ready: bool,
    run: Job,
    longer: Job | None,
) -> Figure:
    """Draw variance against k with the gap below, and the race of the ceilings; return the first.

    While a ``longer`` proof runs, the ceilings are drawn where they are by then, again and again.
    Of a ``run`` that waits for its turn and has found nothing yet only the sketch is drawn: where a
    class presses Run at once, nobody's browser is kept busy with empty figures.
    """
    palette = charts.palette()
    last: dict[str, Figure] = {}

    def draw() -> None:
        """Draw the curves as they are known now."""
        seen = proofs.falling_curve(known, longer)
        closed = seen.certificates.keys() - seen.open
        view = _view(seen.points, seen.certificates, closed, leading, choice, look)
        last["curve"] = figures.variance(view, palette, paper=look.paper_band, chosen=chosen)
        if not seen.points and run.queued:
            charts.sketched(last["curve"], "curve-running")
            st.caption("The curves are drawn here once it is this run's turn and the first points are found.")
            return
        still = ready and (longer is None or longer.done)
        charts.pickable(last["curve"], "curve", choices.KEYS["point"].key, _picked, ready=still)
        st.caption(
            "Lower panel: the share of the possible that is proven to be kept. The band is proven at each marked k; "
            "between marks its straight edges only guide the eye."
        )
        if seen.certificates and look.bounds:
            charts.figure(ceilings.race(view.certificates, view.ks, palette, log=view.log), "race")

    runs.watched(longer, draw)
    return last["curve"]


def _picked(datum: list) -> str:
    """Return what a click on a point chooses."""
    return str(Point(int(datum[0]), str(datum[1])))


def longer_proofs(
    known: proofs.Known, data: Dataset, now: State, choice: Curves, job: Job | None, *, ready: bool
) -> None:
    """Offer longer proofs along the curves, the widest gap first, show them under way, and say what they brought."""
    left, running = known.open, job is not None and not job.done
    if not running:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            seconds = choices.patience()
            about = (
                f"{ABOUT} The widest gap has the first turn."
                if left or not ready
                else "Nothing is open: each k is proven."
            )
            runs.button(
                "Tighten the proof",
                "tighten-all",
                lambda: (known.key, proofs.tighten_all(known, data, now, seconds)),
                about,
                ":material/compress:",
                disabled=not (ready and left),
            )
    if job is not None:
        runs.follow("tighten-all", job, STOPPED)
        if (running and job.done) or proofs.outdated(known, data, now):
            st.rerun()  # one ended after the page had drawn what was known before
    if job is not None and job.done and job.arrived:
        lowered = sum(fall.after.upper < fall.before.upper * (1 - 1e-6) for fall in job.arrived)
        st.success(
            f"{lowered} of {len(job.arrived)} ceilings came down; "
            f"{len(choice.ks) - len(left)} of {len(choice.ks)} values of k are now proven optimal.",
            icon=":material/trending_down:",
        )


def takeaway(points: proofs.Points, leading: float, data: Dataset, now: State, choice: Curves, drawn: Figure) -> None:
    """Offer the curves as a table, a figure and code."""
    ordered = tuple(points[key] for key in sorted(points))
    rows = nnspca.Sweep(points=ordered, leading=leading).to_records()
    stem = f"{data.name}-variance"
    st.dataframe(rows, hide_index=True, alt="One row for each k and solver.")
    with st.container(horizontal=True):
        charts.csv_button(downloads.table_csv(rows), f"csv-{stem}", f"{stem}.csv", "Table (CSV)")
        said = {**downloads.data_record(data, now), "leading": leading, "points": rows}
        charts.json_button(lambda: downloads.json_of(said), f"json-{stem}", f"{stem}.json")
        charts.download(
            "Report (HTML)",
            lambda: report.page(points, leading, data, now, choice, _code(now, choice)).encode(),
            f"report-{stem}",
            f"{stem}-report.html",
            "Data, solvers, numbers and what is proven: prints on one page.",
            icon="description",
        )
        charts.figure_button(drawn, f"html-{stem}", f"{stem}.html")
    st.markdown("The same with the library:")
    st.code(_code(now, choice), language="python", wrap_lines=True)


def _code(now: State, choice: Curves) -> str:
    """Return the Python that computes these curves again."""
    return "\n".join(
        [
            *downloads.data_lines(now),
            f"curve = nnspca.sweep(cov, {list(choice.ks)}, methods={choice.methods!r},",
            f"                     nonnegative={now.nonnegative}, certify='live', seed={now.seed})",
            "for row in curve.to_records():",
            "    print(row)",
        ]
    )
