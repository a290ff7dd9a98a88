"""What the Explore page has computed: the component at k, its bound, the curve, and other solvers' curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import nnspca
from nnspca.result import Component, Progress, SweepPoint
from nnspca.tasks import certify_path, coarse_first, path
from nnspca.view import cache, running, stored
from nnspca.view.certificate import proofs
from nnspca.view.explore.choices import KEYS, MOST_TYPED, POINTS, Choices, thinned
from nnspca.view.jobs import Job, part_of_report
from nnspca.view.ledger import Known
from nnspca.view.link.widgets import next_value
from nnspca.view.running import Task
from nnspca.view.subject import Subject

FULL_SEARCH = 2000  # features up to which every search is the full one, and every k may get an upper bound
CERTIFIED = 11  # how many of them get an upper bound live in any case, from coarse to fine
GOOD_ENOUGH = 1e-3  # relative gap at which a bound carried from another k suffices
ANCHORS = 9  # of many features, how many k are searched in full; the others follow from their neighbours
QUICK_OPTIONS = {"best": {"restarts": 4, "leaders": 2}}  # where features are many
SOLVED, DRAWN = 0.2, 0.3  # shares of the progress at which the component is found, and the bare curve


def certified(ks: tuple[int, ...]) -> tuple[int, ...]:
    """Return the k whose upper bounds are proven live first: some, the coarse ones, and 2; all of few.

    From a bound for two features, which costs next to nothing, bounds follow at every larger k; from
    one for one feature, none.

    >>> from nnspca.view.explore.choices import path_ks
    >>> certified(path_ks(625, 40))
    (1, 2, 4, 8, 17, 37, 62, 133, 289, 625)
    """
    if ks[-1] <= POINTS:  # each takes next to no time
        return ks
    chosen = {2} & set(ks)
    for level in coarse_first(ks):
        if len(chosen | set(level)) > CERTIFIED + 1:
            break
        chosen |= set(level)
    return tuple(sorted(chosen))


def is_between_stored(subject: Subject, k: int) -> bool:
    """Tell whether a k is stored or lies between two that are: their bounds are carried to it."""
    ks = stored.cardinalities(subject.problem)
    return bool(ks) and ks[0] <= k <= ks[-1]


def is_settled(subject: Subject, row: Known) -> bool:
    """Tell whether the ledger answers for a k: a component of its own, and a bound that a whole proof gave.

    A run that was left may have given a bound on its way: that one is no reason not to run again.
    """
    if not row.found or row.stored or is_between_stored(subject, row.at) or row.ratio >= 1 - GOOD_ENOUGH:
        return row.found
    made = proofs.certificate_at(subject, row.at)
    return made is not None and not made.stopped


def start_curves(subject: Subject, choice: Choices, shown: Job | None) -> tuple[Job | None, Job | None]:
    """Return the runs of the curve, where the ledger does not answer for all of it, and of other solvers' curves.

    They come after a run for the k that is ``shown``.
    """
    ks, n = choice.ks, subject.data.n_features
    own: tuple[int, ...] = ks if n <= FULL_SEARCH else certified(ks)
    if ks == stored.cardinalities(subject.problem):  # what is stored is proven
        own = ()
    rows = subject.known_along(ks)
    missing = [k for k in ks if not rows[k].found or (k in own and not is_settled(subject, rows[k]))]
    key = subject.key_of("path", subject.seed, ks)
    curve = Task("path", key, lambda job: _solve_curve(job, subject, ks, own), after=shown)
    job = running.join_or_begin(curve) if missing else running.run_of(curve)
    if not choice.others:
        return job, None
    key = subject.key_of("sweep", subject.seed, choice.others, ks)
    return job, running.join_or_begin(Task("curves", key, lambda job: _solve_others(job, subject, choice), after=shown))


def _solve_others(job: Job, subject: Subject, choice: Choices) -> None:
    """Find other solvers' curves, which are always computed; a point is kept for all visitors."""
    ks, results = choice.ks if len(choice.ks) <= MOST_TYPED else thinned(choice.ks, POINTS), cache.results()

    def key(k: int, method: str) -> running.Key:
        return subject.key_of("point", subject.seed, k, method)

    def publish(point: SweepPoint) -> None:
        results.keep(key(point.k, point.method), point.component)
        job.publish(point)

    subject.call(job, path, ks, choice.others, on_point=publish, known=lambda *at: results.get(key(*at)))


def _solve_curve(job: Job, subject: Subject, ks: tuple[int, ...], own: tuple[int, ...]) -> None:
    """Solve the curve and prove it, coarse k first, from what the ledger knows; all goes into it."""
    is_wide = subject.data.n_features > FULL_SEARCH

    def known(k: int, _: str) -> Component | None:
        row = subject.known_at(k)
        return row.component if row.found else None

    def keep(point: SweepPoint) -> None:
        if point.certificate is not None and not point.certificate.stopped:  # one cut short is not kept
            proofs.keep_best(point.certificate, subject)

    def listen(begin: float, end: float, doing: str) -> Callable[[Progress], None]:
        return part_of_report(job.report, begin, end, lambda at: f"{doing}: {at}")

    quick: dict[str, Any] = {"anchors": ANCHORS, "options": QUICK_OPTIONS} if is_wide else {}
    solving = listen(0.0, DRAWN, "Drawing the curve")
    bare = subject.call(job, path, ks, on_point=keep, known=known, on_progress=solving, **quick)
    job.deprioritise()  # what is asked for at one k goes before the band
    bare, unproven = replace(bare, stopped=False), [k for k in own if not is_settled(subject, subject.known_at(k))]
    proving = listen(DRAWN, 1.0, "Proving upper bounds")
    subject.call(job, certify_path, bare, on_point=keep, ks=unproven, within=GOOD_ENOUGH, on_progress=proving)


def task(subject: Subject, choice: Choices) -> Task:
    """Return the task of the k that is shown: its run publishes a Component, and how it goes."""
    key = subject.key("solve", choice.method, choice.options)
    return Task("explore", key, lambda job: _solve(job, subject, choice, key))


def is_needed(subject: Subject, choice: Choices) -> bool:
    """Tell whether the k that is shown needs a run: the ledger does not answer, or its certificate is to be opened."""
    k, known = subject.k, subject.known_at()
    if choice.method != "best" or not (is_between_stored(subject, k) or is_settled(subject, known)):
        return True
    is_open = bool(next_value(KEYS["proof"])) and not known.stored
    return is_open and proofs.certificate_at(subject, subject.k) is None


def carried_task(subject: Subject) -> Job | None:
    """Return the run that seeks the component of a k between stored ones, whose bound is carried."""
    quick: dict[str, Any] = QUICK_OPTIONS["best"] if subject.data.n_features > FULL_SEARCH else {}
    known = subject.known_at()
    start = known.component.loadings
    sought = subject.task("find", subject.key("find"), nnspca.solve, subject.k, start=start, **quick)
    return running.run_of(sought) if known.found else running.join_or_begin(sought)


def _solve(job: Job, subject: Subject, choice: Choices, key: running.Key) -> None:
    """Solve one k and prove an upper bound, unless another solver is shown and one is known."""
    before, is_best = subject.known_at(), choice.method == "best"
    clock = proofs.Clock(job, before.lower if nnspca.METHODS[choice.method].feasible else 0.0)
    options = {
        "on_progress": part_of_report(job.report, 0.0, SOLVED, lambda stage: f"Solving: {stage}"),
        **dict(choice.options),
    }
    with cache.results().sought(key, job.should_stop):  # where another session is at it, its answer is taken
        part = subject.find(job, key, nnspca.solve, subject.k, choice.method, **options)
    job.publish(part)
    clock.found(part.variance)
    if (is_best or not before.bounded) and not job.should_stop():
        given = part if is_best else None  # another solver's may be no component of this problem
        clock.prove(subject, SOLVED, "Proving an upper bound", component=given)
    clock.end()
