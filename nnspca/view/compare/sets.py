"""Data sets beside each other: what is asked, known and run, the answer, the figure, and what goes home."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import nnspca
from nnspca.result import SweepPoint, rounded
from nnspca.view import sanitize, stored
from nnspca.view.compare import figures
from nnspca.view.figures.style import Figure
from nnspca.view.jobs import Job, part_of_report
from nnspca.view.ledger import Known
from nnspca.view.link import state
from nnspca.view.link.state import State
from nnspca.view.link.widgets import choose, start_at
from nnspca.view.running import Task
from nnspca.view.sources import catalogue, preparation
from nnspca.view.subject import Subject, band_of
from nnspca.view.ui import charts, downloads

KEYS = state.keys_of("compare")
BESIDE = "digits"  # what stands beside a person's own data at first
SHARES = (0.02, 0.05, 0.15, 0.4, 1.0)  # of the features: the k that are solved where nothing is stored
WORKING = "Computing the upper bounds …"


def labels() -> dict[str, str]:
    """Return the short title of each data set, without what its brackets add where that tells no two apart."""
    titles = {name: sanitize.line(info.title) for name, info in catalogue.infos().items()}
    short = {name: title.partition(" (")[0] for name, title in titles.items()}
    counts = Counter(short.values())
    return {name: title if counts[title] == 1 else titles[name] for name, title in short.items()}


def ask_sets(now: State) -> tuple[Subject, ...]:
    """Draw the choice of the data sets; return those chosen, each as the other pages show it."""
    here = [name for name, info in catalogue.infos().items() if info.local]
    if now.data in catalogue.own_datasets():  # an uploaded file is compared at once
        start_at(KEYS["vs"], [now.data, BESIDE])
    names: tuple[str, ...] = choose(
        KEYS["vs"],
        "Data sets",
        options=here,
        format_func=labels().__getitem__,
        help="Two to four, your own files included; each is preprocessed as on the other pages.",
    )
    views = [state_of(name, now) for name in names]
    return tuple(Subject(data, view) for data, view in zip(catalogue.datasets_of_views(*views), views, strict=True))


def state_of(name: str, now: State) -> State:
    """Return the state in which a data set is compared: as the sidebar has its own, and as the others open."""
    return now if name == now.data else replace(now, data=name, scale=state.default_scale(name), prep=())


def ks_to_solve(subject: Subject) -> tuple[int, ...]:
    """Return the k to solve: for each share of the features the nearest at which there is a stored proof."""
    n, stored_ks = subject.data.n_features, stored.cardinalities(subject.problem)
    ks = {min(max(round(share * n), 1), n) for share in SHARES}
    return tuple(sorted({min(stored_ks, key=lambda k: max(k / at, at / k)) for at in ks} if stored_ks else ks))


@dataclass(frozen=True, eq=False)
class Compared:
    """What the ledger holds of one data set."""

    subject: Subject
    title: str
    rows: tuple[Known, ...]  # by k, ascending: all that are stored, or those of the live run

    @cached_property
    def complete(self) -> bool:
        """Whether each k has a component and an upper bound: only then is a data set ranked."""
        return all(row.bounded for row in self.rows)

    @cached_property
    def least(self) -> Known:
        """The k of the widest gap, of those that have an upper bound."""
        return min((row for row in self.rows if row.bounded), key=lambda row: row.ratio)

    @property
    def name(self) -> str:
        """Its title, safe in Markdown."""
        return f"**{sanitize.plain(self.title)}**"


def compared(subjects: Sequence[Subject]) -> list[Compared]:
    """Return what is known of each data set, as chosen."""
    titles = labels()
    return [
        Compared(
            one,
            titles[one.data.name],
            tuple(one.known_along(stored.cardinalities(one.problem) or ks_to_solve(one)).values()),
        )
        for one in subjects
    ]


def task(subjects: Sequence[Subject]) -> Task:
    """Return what the page has computed: at some k of each data set a component and an upper bound."""
    key = tuple(one.key_of("sweep", one.seed, ks_to_solve(one)) for one in subjects)
    titles = labels()  # a run does not know the visitor's own files
    return Task("compare", key, lambda job: solve_sets(job, subjects, titles))


def solve_sets(job: Job, subjects: Sequence[Subject], titles: Mapping[str, str]) -> None:
    """Solve and prove the k of each data set, the smallest first; publish (data set, SweepPoint) as they come."""
    ordered = sorted(subjects, key=lambda one: one.data.n_features)
    for place, one in enumerate(ordered):
        if job.should_stop():
            return

        def publish(point: SweepPoint, name: str = one.data.name) -> None:
            job.publish((name, point))

        def stage(_: str, name: str = one.data.name) -> str:
            return f"Running: {titles[name]}"

        span = part_of_report(job.report, place / len(ordered), (place + 1) / len(ordered), stage)
        one.call(job, nnspca.sweep, ks_to_solve(one), ("best",), on_point=publish, on_progress=span)


def say_proven(sets: Sequence[Compared]) -> str:
    """Say of each data set what is proven at every k, the most first; those that are not complete come last."""
    ready = sorted((one for one in sets if one.complete), key=lambda one: -one.least.ratio)
    closed = [one.name for one in ready if one.least.optimal]
    lines = [f"Proven optimal at every k: {', '.join(closed)}."] if closed else []
    for one in ready[len(closed) :]:
        where = " at every k" if one is ready[-1] or len(lines) == 0 else ""
        lines.append(f"{one.name}: {rounded.proven_share(one.least.lower, one.least.upper)}{where}.")
    if ready[len(closed) :]:
        lines[-1] = f"{lines[-1][:-1]} (widest gap at k = {ready[-1].least.at:,})."
    if ready and len(ready) < len(sets):
        lines.append(f"Still computing: {', '.join(one.name for one in sets if not one.complete)}.")
    return " ".join(lines or [WORKING]).replace(" %", "\u00a0%").replace("k = ", "k\u00a0=\u00a0")


def joint_figure(sets: Sequence[Compared]) -> Figure:
    """Show all data sets in one figure; return it."""
    shown = [
        figures.Shown(one.title, one.subject.data.n_features, band_of(one.rows, one.subject.cov.trace)) for one in sets
    ]
    figure = figures.sets_figure(shown, charts.palette())
    charts.figure(figure, "together", first=True)
    return figure


def records(sets: Sequence[Compared]) -> list[dict[str, object]]:
    """Return one row for each data set and k: what is known."""
    return [
        {
            "data set": one.subject.data.name,
            "features": one.subject.data.n_features,
            "k": row.at,
            "explained, % of the total variance": rounded.floor(100 * row.lower / one.subject.cov.trace, 4),
            "proven maximum, % of the total variance": rounded.ceil(100 * row.upper / one.subject.cov.trace, 4),
            "proven share of the optimum": rounded.floor(row.ratio, 6),
        }
        for one in sets
        for row in one.rows
        if row.bounded
    ]


def sets_code(subjects: Sequence[Subject]) -> str:
    """Return the Python that finds and proves the same."""
    names = [one.data.name for one in subjects]
    mended = [name for name in names if preparation.is_repaired(name)]
    repair = f", repair=one.name in {mended!r}" if mended else ""
    lines = [downloads.preparation_lines(one.now.data, one.now, f"data[{at}]") for at, one in enumerate(subjects)]
    load = "\n".join(itertools.chain(*lines))
    asked = [(one.standardise, ks_to_solve(one)) for one in subjects]
    return downloads.program("sets", subjects[0].now, load=load, asked=asked, repair=repair)
