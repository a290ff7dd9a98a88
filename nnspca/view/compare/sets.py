"""Data sets beside each other: what is asked, known and run, the answer, the figure, and what goes home."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial

import streamlit as st

from nnspca.result import Progress, Sweep, SweepPoint
from nnspca.view import cache, ledger, sanitize, say
from nnspca.view.compare import figures, profile
from nnspca.view.compare.profile import Profile
from nnspca.view.figures import style
from nnspca.view.figures.style import Figure
from nnspca.view.jobs import Job, Work, stretch
from nnspca.view.ledger import Known
from nnspca.view.link import state
from nnspca.view.link.state import State, methods_for
from nnspca.view.link.widgets import DeltaGenerator, choose, propose
from nnspca.view.session import Content
from nnspca.view.sources import catalogue
from nnspca.view.subject import SOLVING, Curve, Subject
from nnspca.view.tasks import Task
from nnspca.view.ui import charts, downloads

KEYS = state.keys_of("compare")
BESIDE = "digits"  # what stands beside a person's own data at first
SHARES = {
    "few": (0.05, 0.25, 1.0),
    "some": profile.SHARES,
    "many": (0.01, 0.02, 0.04, 0.07, 0.12, 0.2, 0.35, 0.6, 1.0),
}
WIDE = 2000  # features above which even the bare curve waits until the others are proven
AT_ONCE = 2  # data sets whose proofs run side by side: at the end of each curve one thread has nothing to do


@dataclass(frozen=True)
class Choices:
    """What is compared, each field by its key in the link."""

    vs: tuple[str, ...]
    by: tuple[str, ...]
    fine: str
    scales: str = state.OPENING_SCALE

    def view(self, name: str, now: State) -> State:
        """Return the state in which a data set is compared: its own preprocessing, or the one chosen for all."""
        scale = state.usual_scale(name) if self.scales == state.OPENING_SCALE else self.scales
        return replace(now, data=name, scale=scale)

    def cardinalities(self, subject: Subject) -> tuple[int, ...]:
        """Return the k to solve: for each share of the features the nearest at which there is a stored proof."""
        ks = profile.cardinalities(subject.data.n_features, SHARES[self.fine])
        stored_ks = ledger.cardinalities(subject.problem)
        if not stored_ks:
            return ks
        return tuple(sorted({min(stored_ks, key=lambda k: max(k / share, share / k)) for share in ks}))


def labels() -> dict[str, str]:
    """Return the short title of each data set, without what its brackets add where that tells no two apart."""
    titles = {name: sanitize.line(info.title) for name, info in catalogue.infos().items()}
    short = {name: title.partition(" (")[0] for name, title in titles.items()}
    counts = Counter(short.values())
    return {name: title if counts[title] == 1 else titles[name] for name, title in short.items()}


def ask_sets(now: State) -> tuple[str, ...]:
    """Draw the choice of the data sets; return the names of those that are on this machine."""
    infos = catalogue.infos()
    here = [name for name, info in infos.items() if info.local]
    if now.data in catalogue.uploaded():  # an uploaded file is compared at once
        propose(KEYS["vs"], [now.data, BESIDE])
    names: tuple[str, ...] = choose(
        KEYS["vs"],
        "Data sets",
        options=here,
        allowed=f"two to four of {', '.join(here)}",
        format_func=labels().__getitem__,
        help="Two to four, your own files included.",
    )
    return names


def ask_rest(names: tuple[str, ...], now: State) -> tuple[Choices, tuple[Subject, ...]]:
    """Draw the other choices, folded; return all of them, and the data sets as they are compared."""
    infos = catalogue.infos()
    with st.expander("Preprocessing, solvers and values of k", icon=":material/tune:"):
        scale, how, grid = st.columns([1.2, 1.4, 1], gap="medium")
        with scale:
            scales = choose(
                KEYS["scales"],
                "Preprocessing",
                help="“Each its own”: each data set is preprocessed as on the other pages.",
            )
        with grid:
            fine = choose(KEYS["fine"], "Values of k", help="k as a share of the features, the same for all data sets.")
        choices = Choices(names, (), fine, scales)
        sets = catalogue.ready(names, now, lambda name: choices.view(name, now).standardise)
        with how:
            able = methods_for(now.nonnegative, max((data.n_features for data in sets), default=1))
            by = choose(
                KEYS["by"],
                "Solvers",
                options=able,
                allowed=f"up to {state.MOST} of {', '.join(able)}",
                format_func=state.TITLES.__getitem__,
                help="The figure shows the best of all.",
            )
        if steps := preprocessing(choices, now):
            st.caption(steps)
        away = [info for info in infos.values() if not info.local and catalogue.away(info) == catalogue.ABSENT]
        if away:
            absent = ", ".join(f"**{sanitize.plain(info.title)}**" for info in away)
            st.caption(f"Not on this machine: {absent}. The [data page](data) says how to get them.")
    return replace(choices, by=by), tuple(Subject(data, choices.view(data.name, now)) for data in sets)


def preprocessing(choice: Choices, now: State) -> str:
    """Say which data sets went through which of the steps asked for, and which could not; nothing without steps."""
    if not now.prep:
        return ""
    texts = []
    for name in choice.vs:
        done = downloads.steps_of(name, now)
        left = [step for step in now.prep if step not in done]
        besides = f"; not possible with it: {', '.join(left)}" if left else ""
        texts.append(f"{sanitize.plain(name)} ({', '.join(done) or 'none'}{besides})")
    return f"Extra preprocessing: {', '.join(texts)}."


@dataclass(frozen=True)
class Live:
    """What the live run has found by now of one data set."""

    about: Profile
    points: tuple[SweepPoint, ...]


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
        return min((row for row in self.rows if row.bounded), key=lambda row: row.lower / (row.upper or 1.0))


def compared(subjects: Sequence[Subject], choice: Choices) -> list[Compared]:
    """Return what is known of each data set, as chosen."""
    titles = labels()
    return [
        Compared(
            subject,
            titles[subject.data.name],
            tuple(subject.along(ledger.cardinalities(subject.problem) or choice.cardinalities(subject)).values()),
        )
        for subject in subjects
    ]


def task(subjects: Sequence[Subject], choice: Choices) -> Task:
    """Return what the page has computed."""
    keys = [subject.key_of("sweep", subject.seed, choice.cardinalities(subject), choice.by) for subject in subjects]

    def forget() -> None:
        """Throw away the points of earlier runs, so that the next one starts from nothing."""
        for subject, key in zip(subjects, keys, strict=True):
            Curve(key, subject).forget(choice.cardinalities(subject), ("best", *choice.by))

    return Task("compare", tuple(keys), lambda: work(subjects, choice), forget)


def first(subjects: Sequence[Subject], choice: Choices) -> int:
    """Return how many results make a picture: the profile and the curves of the smallest data set, two upper bounds."""
    ks = len(choice.cardinalities(cheapest_first(subjects)[0]))
    return 1 + ks * (len(choice.by) + ("best" in choice.by)) + min(ks, 2)


def cheapest_first(subjects: Sequence[Subject]) -> list[Subject]:
    """Return the data sets in the order in which they are worked through."""
    return sorted(subjects, key=lambda one: one.data.n_features)


def work(subjects: Sequence[Subject], choice: Choices) -> Work:
    """Return the work of the page: publishes (data set, Profile) and (data set, SweepPoint) as they come."""
    titles, fractions, lock = labels(), dict[str, float](), threading.Lock()

    def report(job: Job, name: str, progress: Progress) -> None:
        with lock:  # data sets are proven side by side
            fractions[name] = max(progress.fraction, fractions.get(name, 0.0))
            share = sum(fractions.values()) / len(subjects)
            job.report(replace(progress, fraction=share, stage=f"Running: {titles[name]}"))

    stages = [(one.data.n_features > WIDE, _stages(one, choice, report)) for one in cheapest_first(subjects)]
    rounds = [[stage for wide, stage in stages if wide == last] for last in (False, True)]

    def work_through(job: Job) -> None:
        for together in rounds:
            with ThreadPoolExecutor(AT_ONCE) as threads:  # the proofs of one while the curve of the next is solved
                tasks = [
                    threads.submit(prove, job, bare) for begin, prove in together if (bare := begin(job)) is not None
                ]
            for task in tasks:
                task.result()

    return work_through


def _stages(
    subject: Subject, choice: Choices, report: Callable[[Job, str, Progress], None]
) -> tuple[Callable[[Job], Sweep | None], Callable[[Job, Sweep], None]]:
    """Return the run of one data set in two: its profile and the bare curve, None when stopped; then upper bounds."""
    cov, results, ks = subject.cov, cache.results(), choice.cardinalities(subject)
    name, key = subject.data.name, subject.key_of("profile")
    curve = Curve(subject.key_of("sweep", subject.seed, ks, choice.by), subject)

    def publish(job: Job, result: Profile | SweepPoint) -> None:
        job.publish((name, result))

    def begin(job: Job) -> Sweep | None:
        about = results.get(key) or profile.profile(subject.data, cov, should_stop=job.should_stop)
        if about is None:
            return None
        results.put(key, about)
        publish(job, about)
        if job.should_stop():
            return None
        listen = stretch(partial(report, job, name), 0.0, SOLVING)
        return curve.solve(job, partial(publish, job), ks, methods=choice.by, first={}, on_progress=listen)

    def prove(job: Job, bare: Sweep) -> None:
        if not job.should_stop():
            curve.prove(job, partial(publish, job), bare, on_progress=stretch(partial(report, job, name), SOLVING, 1.0))

    return begin, prove


def live(job: Job | None, subjects: Sequence[Subject]) -> dict[str, Live]:
    """Return what the job has published, by data set as chosen; a certified point replaces the bare one."""
    profiles: dict[str, Profile] = {}
    points: dict[str, dict[tuple[int, str], SweepPoint]] = {}
    for name, result in [] if job is None else list(job.arrived):
        if isinstance(result, Profile):
            profiles[name] = result
        else:
            points.setdefault(name, {})[result.k, result.method] = result
    names = [subject.data.name for subject in subjects]
    return {name: Live(profiles[name], tuple(points.get(name, {}).values())) for name in names if name in profiles}


FALLING, STEEP = 0.1, 0.5  # λ₄ ÷ λ₁ below the first: few directions matter; λ₂ ÷ λ₁ above the second: none leads
MOSTLY, MIXED = 0.9, 0.7  # share of the first eigenvector's squared loadings of the same sign
WHY = "Why they differ: spectrum, signs and correlation of each data set"
WORKING = "Computing the upper bounds …"


def answer(sets: Sequence[Compared]) -> str:
    """Say of each data set what is proven at every k, the most first; those that are not complete come last."""
    ready = sorted((one for one in sets if one.complete), key=lambda one: -one.least.ratio)
    closed = [_name(one) for one in ready if one.least.optimal]
    lines = [f"Proven optimal at every k: {', '.join(closed)}."] if closed else []
    for one in ready[len(closed) :]:
        where = " at every k" if one is ready[-1] or len(lines) == 0 else ""
        lines.append(f"{_name(one)}: {say.proven_share(one.least.ratio)}{where}.")
    if ready[len(closed) :]:
        lines[-1] = f"{lines[-1][:-1]} (widest gap at k = {ready[-1].least.at:,})."
    if ready and len(ready) < len(sets):
        lines.append(f"Still computing: {', '.join(_name(one) for one in sets if not one.complete)}.")
    return " ".join(lines or [WORKING]).replace(" %", "\u00a0%").replace("k = ", "k\u00a0=\u00a0")


def _name(one: Compared) -> str:
    return f"**{sanitize.plain(one.title)}**"


def together(sets: Sequence[Compared], live: dict[str, Live]) -> Figure:
    """Show all data sets in one figure; return it."""
    shown = [
        figures.Shown(
            one.title,
            one.subject.data.n_features,
            ledger.band_of(one.rows, one.subject.leading),
            _of_run(live.get(one.subject.data.name), one.subject.leading),
        )
        for one in sets
    ]
    figure = figures.compared(shown, charts.palette())
    charts.figure(figure, "together", first=True)
    return figure


def _of_run(live: Live | None, leading: float) -> dict[int, tuple[float, float]]:
    """Return by k the best variance of the live run and its upper bound, as shares of λ₁."""
    best: dict[int, tuple[float, float]] = {}
    for point in () if live is None else live.points:
        proof, (low, high) = point.certificate, best.get(point.k, (0.0, math.inf))
        variance = point.component.variance if proof is None else max(point.component.variance, proof.lower)
        best[point.k] = max(low, variance / leading), min(high, math.inf if proof is None else proof.upper / leading)
    return best


def describe_each(sets: Sequence[Compared], results: dict[str, Live]) -> None:
    """Say in words what the numbers of each data set mean, two beside each other."""
    ready = [one for one in sets if one.subject.data.name in results]
    for column, one in zip(_pairs(len(ready)), ready, strict=True):
        with column:
            st.markdown(_name(one))
            st.markdown("\n".join(f"- {sentence}" for sentence in reasons(results[one.subject.data.name].about, one)))


def _pairs(count: int) -> list[DeltaGenerator]:
    return [place for _ in range(0, count, 2) for place in st.columns(2, gap="medium")][:count]


def reasons(about: Profile, one: Compared) -> list[str]:
    """Say in plain words what the numbers of one data set mean for nonnegative sparse PCA."""
    values = about.spectrum
    second = float(values[1]) if len(values) > 1 else 0.0
    fourth = float(values[3]) if len(values) > 3 else 0.0
    if fourth < FALLING:
        decay = "so a few eigenvectors explain nearly all the variance, and low-rank solvers do well"
    elif second > STEEP:
        decay = "so no eigenvector dominates, and low-rank solvers lose much"
    else:
        decay = "so one eigenvector dominates, followed by many small ones"
    if about.one_sign > MOSTLY:
        sign = "so the sign constraint costs little"
    elif about.one_sign > MIXED:
        sign = "so the sign constraint costs something"
    else:
        sign = "so a nonnegative component differs from ordinary PCA's"
    lines = [
        f"**Spectrum:** the first eigenvector explains {say.percent(about.first_share)} of the total variance, the "
        f"second {say.fixed(second, 2)} times as much and the fourth {say.fixed(fourth, 2)} times: {decay}.",
        f"**Sign:** {say.percent(about.one_sign)} of the first eigenvector's squared loadings have the same sign, "
        f"{sign}. Positive covariances make up {say.percent(about.positive)} of the sum of all absolute ones.",
        f"**Correlation:** the mean absolute correlation between features is {say.fixed(about.correlation, 2)}.",
    ]
    if any(row.bounded for row in one.rows):
        least = one.least
        lines.append(
            f"**Proof:** {say.proven_share(least.ratio)} at k = {least.at:,}, where the gap is widest; before "
            f"any run, Theorem 1 of Asteris et al. (2014) promises {say.percent(about.promised(least.at), 1)} there."
        )
    return [sentence.replace(" %", "\u00a0%").replace("k = ", "k\u00a0=\u00a0") for sentence in lines]


def takeaway(sets: Sequence[Compared], results: dict[str, Live], choice: Choices, now: State, figure: Figure) -> None:
    """Show the tables of the live run, and offer them with the figure and the code."""
    profiles = [result.about for result in results.values()]
    points: Sequence[tuple[Profile, SweepPoint]] = [
        (result.about, point)
        for result in results.values()
        for point in sorted(result.points, key=lambda p: (p.k, p.method))
    ]
    tables = profile.tables(profiles, points)
    for table in tables:
        st.markdown(f"**{table.title}**" + (" of the live run" if table.name == "points" else ""))
        shown = table.rounded().rename(columns=profile.HEADINGS)
        places = {name: st.column_config.NumberColumn(format="%,d") for name in shown.select_dtypes("int")}
        st.dataframe(shown, hide_index=True, column_config=places, alt=table.title)
    held: dict[str, Content] = {
        **{f"{table.name}.csv": table.to_csv().encode() for table in tables},
        "compare.json": lambda: downloads.tables_json(*tables),
        "compare.html": lambda: style.page(figure).encode(),
    }
    downloads.offer("compare", held, _code(sets, now, choice))


def _code(sets: Sequence[Compared], now: State, choice: Choices) -> str:
    mended = [name for name in choice.vs if downloads.is_repaired(name)]
    repair = f", repair=one.name in {mended!r}" if mended else ""
    lines = [downloads.ready_lines(name, now, f"data[{place}]") for place, name in enumerate(choice.vs)]
    asked = [(one.subject.standardise, choice.cardinalities(one.subject)) for one in sets]
    return "\n".join(
        [
            "import nnspca",
            "",
            "data = [",
            *[f"    {first.partition(' = ')[2].partition('  #')[0]}," for first, *_ in lines],
            "]",
            *(line for _, *rest in lines for line in rest),
            f"for one, (standardize, ks) in zip(data, {asked!r}):",
            f"    cov = nnspca.Covariance.from_dataset(one, standardize{repair})",
            f"    curve = nnspca.sweep(cov, ks, {choice.by!r}, nonnegative={now.nonnegative}, seed={now.seed})",
            "    print(one.name, curve.to_frame())",
        ]
    )
