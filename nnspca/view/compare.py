"""The compare page: which data sets and solvers, the runs, the panels, what they say, and the table."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from nnspca.datasets import Dataset
from nnspca.result import Progress, SweepPoint
from nnspca.studies import comparison
from nnspca.studies.comparison import Profile
from nnspca.view import compute, downloads, figures, holdings, show, supply, words
from nnspca.view.figures import compare as pictures
from nnspca.view.jobs import Job, Work
from nnspca.view.linked import bound
from nnspca.view.state import State, methods_for

USUAL = ("digits", "lfw-faces")
MOST = 4
WIDE = 100  # letters of a title that fit across the page
GRIDS = {
    "few": (0.05, 0.25, 1.0),
    "some": comparison.SHARES,
    "many": (0.01, 0.02, 0.04, 0.07, 0.12, 0.2, 0.35, 0.6, 1.0),
}
FALLING, STEEP = 0.1, 0.5  # λ₄ ÷ λ₁ below the first: few directions matter; λ₂ ÷ λ₁ above the second: no one leads
MOSTLY, MIXED = 0.9, 0.7  # share of the first direction that has one sign


@dataclass(frozen=True)
class Asked:
    """What is compared."""

    data: tuple[Dataset, ...]
    solvers: tuple[str, ...]
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Found:
    """What is known by now of one data set."""

    about: Profile
    points: tuple[SweepPoint, ...]


def ask(now: State) -> Asked:
    """Draw the page's choices; data that are not on this machine are named, with the way to get them."""
    infos = holdings.catalogue()
    here = [name for name, info in infos.items() if info.local]
    names = bound(
        st.multiselect,
        "Data sets, side by side",
        key="vs",
        options=here,
        default=[name for name in USUAL if name in here],
        max_selections=MOST,
        allowed=f"two to four of {', '.join(here)}",
        help="Two to four. Those of this session's uploads may take part.",
    )
    how, grid = st.columns([2, 1], vertical_alignment="bottom")
    loaded = tuple(supply.loaded(name) for name in names)
    n = max((data.n_features for data in loaded), default=1)
    with how:
        known = methods_for(now.nonnegative, n)
        solvers = bound(
            st.multiselect,
            "Solvers",
            key="by",
            options=known,
            default=["best"],
            max_selections=MOST,
            allowed=f"choose up to {MOST} from {', '.join(known)}",
            help="Each gets a curve. What is proven is about the best of them.",
        )
    with grid:
        size = bound(
            st.select_slider,
            "Values of k",
            key="fine",
            options=list(GRIDS),
            value="some",
            help="k as a share of the features, the same shares for every data set.",
        )
    absent = [f"**{info.title}**" for info in infos.values() if not info.local]
    if absent:
        st.caption(f"Not on this machine: {', '.join(absent)}. The [data page](data) says how to get them.")
    return Asked(loaded, tuple(solvers), GRIDS[size])


def key(asked: Asked, now: State) -> tuple[Hashable, ...]:
    """Return the key of one view of the page."""
    return ("compare", tuple(compute.subject(data, now) for data in asked.data), asked.solvers, asked.shares, now.seed)


def find(asked: Asked, now: State) -> Work:
    """Return the work of the page: publishes (data set, Profile) and (data set, SweepPoint) as they come."""
    covariances = [compute.covariance(data, now) for data in asked.data]
    curves = [_curve(asked, now, at) for at in range(len(asked.data))]
    kept = compute.shelf()

    def work(job: Job) -> None:
        for data, cov, curve in zip(asked.data, covariances, curves, strict=True):
            subject = compute.subject(data, now)
            about = kept.get(("profile", *subject)) or comparison.profile(data, cov, should_stop=job.should_stop)
            if about is None:
                return
            kept.put(("profile", *subject), about)
            job.publish((data.name, about))
            curve(job)
            if job.should_stop():
                return

    return work


def _curve(asked: Asked, now: State, at: int) -> Work:
    """Return the work of one data set's curves, its progress told as a share of all of them."""
    data = asked.data[at]

    def publish(job: Job, point: SweepPoint) -> None:
        job.publish((data.name, point))

    def report(job: Job, told: Progress) -> None:
        share = (at + told.fraction) / len(asked.data)
        job.report(replace(told, fraction=share, stage=f"{data.title}: {told.stage}"))

    ks = comparison.cardinalities(data.n_features, asked.shares)
    return compute.curve(data, now, ks, asked.solvers, publish, report)


def found(job: Job) -> dict[str, Found]:
    """Return what the job has handed over, by data set; a certified point replaces the bare one."""
    profiles: dict[str, Profile] = {}
    points: dict[str, dict[tuple[int, str], SweepPoint]] = {}
    for name, thing in list(job.arrived):
        if isinstance(thing, Profile):
            profiles[name] = thing
        else:
            points.setdefault(name, {})[thing.k, thing.method] = thing
    return {name: Found(about, tuple(points.get(name, {}).values())) for name, about in profiles.items()}


def panels(results: dict[str, Found], asked: Asked) -> dict[str, figures.Figure]:
    """Show one column of panels for each data set, same axes, one legend; return the figures, each with its own."""
    everything = ((result.about, point) for result in results.values() for point in result.points)
    within = pictures.ranges(everything, asked.shares)
    drawn: dict[str, figures.Figure] = {}
    st.html(pictures.legend(asked.solvers, show.palette()))
    columns = st.columns(len(asked.data), gap="medium")
    for column, (name, result) in zip(columns, results.items(), strict=False):
        with column:
            wide = WIDE // len(asked.data)
            drawn[name] = pictures.compared(
                result.about, result.points, asked.solvers, within, show.palette(), letters=wide
            )
            show.figure(pictures.bare(drawn[name]), f"compared-{name}")
            for sentence in verdict(result):
                st.markdown(f"- {sentence}")
    return drawn


def verdict(result: Found) -> list[str]:
    """Say in plain words what the numbers of one data set mean for nonnegative sparse PCA."""
    about = result.about
    values = about.spectrum
    second = float(values[1]) if len(values) > 1 else 0.0
    fourth = float(values[3]) if len(values) > 3 else 0.0
    if fourth < FALLING:
        decay = "so a few directions say nearly all, and methods of low rank do well"
    elif second > STEEP:
        decay = "so no direction leads by far, and a low rank leaves much out"
    else:
        decay = "so one direction leads, with many small ones behind it"
    said = [
        f"**Spectrum:** the first direction holds {words.percent(about.first_share)} of all variance, the second is "
        f"{second:.2f} of it and the fourth {fourth:.2f}: {decay}."
    ]
    if about.one_sign > MOSTLY:
        sign = "so asking for nonnegative loadings costs little"
    elif about.one_sign > MIXED:
        sign = "so asking for nonnegative loadings costs something"
    else:
        sign = "so nonnegative loadings must find another direction than plain PCA"
    said.append(
        f"**Sign:** {words.percent(about.one_sign)} of the first direction's weight has one sign, {sign}. "
        f"{words.percent(about.positive)} of all co-variance between features is positive."
    )
    said.append(f"**Correlation:** two features correlate by {about.correlation:.2f} on average, sign aside.")
    proofs = [p.certificate for p in result.points if p.certificate is not None]
    if proofs:
        least = min(proofs, key=lambda proof: proof.ratio)
        promised = about.promised(least.k)
        said.append(
            f"**Proof:** at every k here at least {words.percent(least.ratio, 1)} of the best is proven (least at "
            f"k = {least.k:,}); Theorem 1 promises {words.percent(promised, 1)} of it there."
        )
    return [sentence.replace(" %", "\u00a0%").replace("k = ", "k\u00a0=\u00a0") for sentence in said]


def ranking(results: dict[str, Found]) -> str:
    """Say on which data most is proven, and on which least; nothing while that is not known of two."""
    least = {
        result.about.title: min(p.certificate.ratio for p in result.points if p.certificate is not None)
        for result in results.values()
        if any(p.certificate is not None for p in result.points)
    }
    if len(least) < 2:
        return ""
    best, worst = max(least, key=lambda name: least[name]), min(least, key=lambda name: least[name])
    return (
        f"Closest to proven optimal at every k: **{best}** (at least {words.percent(least[best], 2)}). "
        f"Widest gap: **{worst}** (at least {words.percent(least[worst], 2)})."
    )


def take(results: dict[str, Found], asked: Asked, now: State, drawn: dict[str, figures.Figure]) -> None:
    """Offer the tables, the figures and the code."""
    profiles = [result.about for result in results.values()]
    points: Sequence[tuple[Profile, SweepPoint]] = [
        (result.about, point)
        for result in results.values()
        for point in sorted(result.points, key=lambda p: (p.k, p.method))
    ]
    for table in comparison.table(profiles, points):
        st.markdown(f"**{table.title}**")
        shown = [
            {column.heading: column.rounded(cell) for column, cell in zip(table.columns, cells, strict=True)}
            for cells in table.rows
        ]
        places = {c.heading: st.column_config.NumberColumn(format=f"%.{c.digits}f") for c in table.columns if c.digits}
        st.dataframe(shown, hide_index=True, column_config=places, alt=table.title)
        label, name = f"{table.title} (CSV)", f"compare-{table.name}"
        show.csv_button(functools.partial(downloads.study_csv, table), f"csv-{name}", f"{name}.csv", label)
    with st.container(horizontal=True):
        for name, figure in drawn.items():
            show.figure_button(figure, f"html-compare-{name}", f"compare-{name}.html", f"{name} (HTML)")
    st.markdown("The same with the library:")
    st.code(
        downloads.compare_code(now, [data.name for data in asked.data], asked.solvers, asked.shares), language="python"
    )
