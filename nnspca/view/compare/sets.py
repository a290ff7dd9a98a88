"""Data sets beside each other: which ones, what the ledger knows of them, and the live run, cheapest data first."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from nnspca.datasets import Dataset
from nnspca.result import Progress, Sweep, SweepPoint
from nnspca.studies import comparison
from nnspca.studies.comparison import Profile
from nnspca.view import cache, sanitize
from nnspca.view.jobs.job import Job, Work, stretch
from nnspca.view.link import solver, state
from nnspca.view.link.state import State, methods_for
from nnspca.view.link.widgets import choose, propose
from nnspca.view.results import known, stored
from nnspca.view.results.curves import SOLVING, Curve
from nnspca.view.results.ledger import Known
from nnspca.view.sources import catalogue, store
from nnspca.view.tasks import Key, Subject, Task
from nnspca.view.ui import downloads

KEYS = state.keys_of("compare")
BESIDE = "digits"  # what stands beside a person's own data at first
SHARES = {
    "few": (0.05, 0.25, 1.0),
    "some": comparison.SHARES,
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

    def cardinalities(self, data: Dataset, now: State) -> tuple[int, ...]:
        """Return the k to solve: for each share of the features the nearest at which there is a stored proof."""
        ks = comparison.cardinalities(data.n_features, SHARES[self.fine])
        stored_ks = stored.cardinalities(known.problem(data, self.view(data.name, now)))
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


def ask_rest(names: tuple[str, ...], now: State) -> tuple[Choices, tuple[Dataset, ...]]:
    """Draw the other choices, folded; return all of them, and the data sets."""
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
                format_func=solver.TITLES.__getitem__,
                help="The figure shows the best of all.",
            )
        if steps := preprocessing(choices, now):
            st.caption(steps)
        if absent := [
            f"**{sanitize.plain(info.title)}**" for info in infos.values() if catalogue.away(info) == catalogue.ABSENT
        ]:
            st.caption(f"Not on this machine: {', '.join(absent)}. The [data page](data) says how to get them.")
    return replace(choices, by=by), sets


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

    data: Dataset
    title: str
    rows: tuple[Known, ...]  # by k, ascending: all that are stored, or those of the live run
    leading: float  # λ₁

    @property
    def complete(self) -> bool:
        """Whether each k has a component and an upper bound: only then is a data set ranked."""
        return all(row.bounded for row in self.rows)

    @property
    def least(self) -> Known:
        """The k of the widest gap, of those that have an upper bound."""
        return min((row for row in self.rows if row.bounded), key=lambda row: row.ratio)


def compared(sets: tuple[Dataset, ...], choice: Choices, now: State) -> list[Compared]:
    """Return what is known of each data set, as chosen."""
    titles, found = labels(), []
    for data in sets:
        own = choice.view(data.name, now)
        ks = stored.cardinalities(known.problem(data, own)) or choice.cardinalities(data, own)
        rows = tuple(known.along(data, own, ks).values())
        found.append(Compared(data, titles[data.name], rows, store.leading(data, own)))
    return found


def task(sets: tuple[Dataset, ...], choice: Choices, now: State) -> Task:
    """Return what the page has computed."""
    view = sets, choice, now
    key = tuple(_curve_key(data, choice, now) for data in sets)
    return Task("compare", key, lambda: work(*view), lambda: _forget(*view))


def _curve_key(data: Dataset, choice: Choices, now: State) -> Key:
    subject = Subject(data, choice.view(data.name, now))
    return subject.along("sweep", now.seed, choice.cardinalities(data, now), choice.by)


def _forget(sets: tuple[Dataset, ...], choice: Choices, now: State) -> None:
    """Throw away the points of earlier runs, so that the next one starts from nothing."""
    for data in sets:
        curve = Curve(_curve_key(data, choice, now), data, choice.view(data.name, now))
        curve.forget(choice.cardinalities(data, now), ("best", *choice.by))


def first(sets: tuple[Dataset, ...], choice: Choices, now: State) -> int:
    """Return how many results make a picture: the profile and the curves of the smallest data set, two upper bounds."""
    ks = len(choice.cardinalities(cheapest_first(sets)[0], now))
    return 1 + ks * (len(choice.by) + ("best" in choice.by)) + min(ks, 2)


def cheapest_first(data: tuple[Dataset, ...]) -> list[Dataset]:
    """Return the data sets in the order in which they are worked through."""
    return sorted(data, key=lambda one: one.n_features)


def work(sets: tuple[Dataset, ...], choice: Choices, now: State) -> Work:
    """Return the work of the page: publishes (data set, Profile) and (data set, SweepPoint) as they come."""
    titles, fractions, lock = labels(), dict[str, float](), threading.Lock()

    def report(job: Job, data: Dataset, progress: Progress) -> None:
        with lock:  # data sets are proven side by side
            fractions[data.name] = max(progress.fraction, fractions.get(data.name, 0.0))
            share = sum(fractions.values()) / len(sets)
            job.report(replace(progress, fraction=share, stage=f"Running: {titles[data.name]}"))

    stages = {data.name: _stages(data, choice, choice.view(data.name, now), report) for data in sets}
    ordered = cheapest_first(sets)
    rounds = [[d for d in ordered if d.n_features <= WIDE], [d for d in ordered if d.n_features > WIDE]]

    def work_through(job: Job) -> None:
        for together in rounds:
            with ThreadPoolExecutor(AT_ONCE) as threads:  # the proofs of one while the curve of the next is solved
                tasks = [
                    threads.submit(prove, job, bare)
                    for begin, prove in (stages[data.name] for data in together)
                    if (bare := begin(job)) is not None
                ]
            for task in tasks:
                task.result()

    return work_through


def _stages(
    data: Dataset, choice: Choices, now: State, report: Callable[[Job, Dataset, Progress], None]
) -> tuple[Callable[[Job], Sweep | None], Callable[[Job, Sweep], None]]:
    """Return the run of one data set in two: its profile and the bare curve, None when stopped; then upper bounds."""
    cov, results, ks = store.covariance(data, now), cache.results(), choice.cardinalities(data, now)
    subject = Subject(data, now)
    curve, key = Curve(subject.along("sweep", now.seed, ks, choice.by), data, now), subject.along("profile")

    def publish(job: Job, result: Profile | SweepPoint) -> None:
        job.publish((data.name, result))

    def begin(job: Job) -> Sweep | None:
        about = results.get(key) or comparison.profile(data, cov, should_stop=job.should_stop)
        if about is None:
            return None
        results.put(key, about)
        publish(job, about)
        if job.should_stop():
            return None
        listen = stretch(partial(report, job, data), 0.0, SOLVING)
        return curve.solve(job, partial(publish, job), ks, methods=choice.by, first={}, on_progress=listen)

    def prove(job: Job, bare: Sweep) -> None:
        if not job.should_stop():
            curve.prove(job, partial(publish, job), bare, on_progress=stretch(partial(report, job, data), SOLVING, 1.0))

    return begin, prove


def live(job: Job | None, sets: tuple[Dataset, ...]) -> dict[str, Live]:
    """Return what the job has published, by data set as chosen; a certified point replaces the bare one."""
    profiles: dict[str, Profile] = {}
    points: dict[str, dict[tuple[int, str], SweepPoint]] = {}
    for name, result in [] if job is None else list(job.arrived):
        if isinstance(result, Profile):
            profiles[name] = result
        else:
            points.setdefault(name, {})[result.k, result.method] = result
    return {
        data.name: Live(profiles[data.name], tuple(points.get(data.name, {}).values()))
        for data in sets
        if data.name in profiles
    }
