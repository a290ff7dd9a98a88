"""What the Explore page is asked, and what it has computed: one k, the curve along k, and other solvers' curves."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Component, Progress, SweepPoint
from nnspca.tasks import certify_path, coarse_first, path
from nnspca.view import cache, ledger, sanitize, session, tasks
from nnspca.view.certificate import proofs
from nnspca.view.jobs import Job, stretch
from nnspca.view.ledger import Known
from nnspca.view.link import state, widgets
from nnspca.view.link.state import usual_k
from nnspca.view.link.widgets import choose, upcoming_value
from nnspca.view.subject import Subject
from nnspca.view.tasks import Task

SMALL = 2000  # features up to which every search is the full one, and every k may get an upper bound
STEPS = 26  # about how many k a path has
CERTIFIED = 11  # how many of them get an upper bound live in any case, from coarse to fine
WITHIN = 1e-3  # relative gap at which a bound carried from another k suffices
ANCHORS = 9  # of many features, how many k are searched in full; the others follow from their neighbours
QUICK = {"best": {"restarts": 4, "leaders": 2}}  # where features are many
KEYS = state.keys_of("explore")
MOST = 60  # values of k that may be typed
SCORED = 10**7  # numbers of data whose samples are scored unasked, where they have classes
SOLVED, DRAWN = 0.2, 0.3  # shares of the progress at which the component is found, and the bare curve


def cardinalities(n: int, usual: int) -> tuple[int, ...]:
    """Return the k of a path on n features: all of few, else some 25 in equal ratios, and the ``usual`` one.

    >>> cardinalities(13, 4)
    (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
    >>> len(cardinalities(625, 40)), len(cardinalities(12582, 40))
    (25, 26)
    """
    if n <= STEPS:
        return tuple(range(1, n + 1))
    spread = {round(n ** (i / (STEPS - 1))) for i in range(STEPS)}
    return tuple(sorted(spread | {2, usual}))


def certified(ks: tuple[int, ...]) -> tuple[int, ...]:
    """Return the k whose upper bounds are proven live first: some, the coarse ones, and 2; all of few.

    From a bound for two features, which costs next to nothing, bounds follow at every larger k; from
    one for one feature, none.

    >>> certified(cardinalities(625, 40))
    (1, 2, 4, 8, 17, 37, 62, 133, 289, 625)
    """
    if ks[-1] <= STEPS:  # each takes next to no time
        return ks
    chosen = {2} & set(ks)
    for level in coarse_first(ks):
        if len(chosen | set(level)) > CERTIFIED + 1:
            break
        chosen |= set(level)
    return tuple(sorted(chosen))


def is_between_stored(subject: Subject, k: int) -> bool:
    """Tell whether a k is stored or lies between two that are: their bounds are carried to it."""
    stored = ledger.cardinalities(subject.problem)
    return bool(stored) and stored[0] <= k <= stored[-1]


def is_known(subject: Subject, row: Known) -> bool:
    """Tell whether the ledger answers for a k: a component of its own, and a bound that a whole proof gave.

    A run that was left may have given a bound on its way: that one is no reason not to run again.
    """
    if not row.found or row.stored or is_between_stored(subject, row.at) or row.ratio >= 1 - WITHIN:
        return row.found
    made = proofs.certificate_at(subject, row.at)
    return made is not None and not made.stopped


def along(subject: Subject, choice: Choices, shown: Job | None) -> tuple[Job | None, Job | None]:
    """Return the runs of the curve, where the ledger does not answer for all of it, and of other solvers' curves.

    They come after a run for the k that is ``shown``.
    """
    ks, n = choice.ks, subject.data.n_features
    own: tuple[int, ...] = ks if n <= SMALL else certified(ks)
    if ks == ledger.cardinalities(subject.problem):  # what is stored is proven
        own = ()
    rows = subject.along(ks)
    missing = [k for k in ks if not rows[k].found or (k in own and not is_known(subject, rows[k]))]
    key = subject.key_of("path", subject.seed, ks)
    curve = Task("path", key, lambda job: _solve_curve(job, subject, ks, own), after=shown)
    job = tasks.ask(curve) if missing else tasks.running(curve)
    if not choice.others:
        return job, None
    key = subject.key_of("sweep", subject.seed, choice.others, ks)
    return job, tasks.ask(Task("curves", key, lambda job: _solve_others(job, subject, choice), after=shown))


def _solve_others(job: Job, subject: Subject, choice: Choices) -> None:
    """Find other solvers' curves, which are always computed; a point is kept for all visitors."""
    ks, results = choice.ks if len(choice.ks) <= MOST else few(choice.ks, STEPS), cache.results()

    def key(k: int, method: str) -> tasks.Key:
        return subject.key_of("point", subject.seed, k, method)

    def publish(point: SweepPoint) -> None:
        results.keep(key(point.k, point.method), point.component)
        job.publish(point)

    more: dict[str, Any] = {"nonnegative": subject.nonnegative, "known": lambda *at: results.get(key(*at))}
    subject.curve(job, path, ks, choice.others, publish=publish, **more)


def _solve_curve(job: Job, subject: Subject, ks: tuple[int, ...], own: tuple[int, ...]) -> None:
    """Solve the curve and prove it, coarse k first, from what the ledger knows; all goes into it."""
    is_wide = subject.data.n_features > SMALL

    def known(k: int, _: str) -> Component | None:
        row = subject.at(k)
        return row.component if row.found else None

    def keep(point: SweepPoint) -> None:
        if point.certificate is not None and not point.certificate.stopped:  # one cut short is not kept
            proofs.keep(point.certificate, subject)

    def listen(begin: float, end: float, doing: str) -> Callable[[Progress], None]:
        return stretch(job.report, begin, end, lambda at: f"{doing}: {at}")

    quick: dict[str, Any] = {"anchors": ANCHORS, "options": QUICK} if is_wide else {}
    solving = listen(0.0, DRAWN, "Drawing the curve")
    quick |= {"nonnegative": subject.nonnegative, "known": known, "on_progress": solving}
    bare = subject.curve(job, path, ks, publish=keep, **quick)
    job.deprioritise()  # what is asked for at one k goes before the band
    bare, unproven = replace(bare, stopped=False), [k for k in own if not is_known(subject, subject.at(k))]
    proving = listen(DRAWN, 1.0, "Proving upper bounds")
    subject.curve(job, certify_path, bare, publish=keep, ks=unproven, within=WITHIN, on_progress=proving)


def few(ks: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Return at most so many of the k, evenly.

    >>> few(tuple(range(1, 23, 2)), 12), few(tuple(range(1, 100)), 4)
    ((1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21), (1, 34, 66, 99))
    """
    if len(ks) <= most:
        return ks
    return tuple(sorted({ks[round(i * (len(ks) - 1) / (most - 1))] for i in range(most)}))


@dataclass(frozen=True)
class Choices:
    """What the page shows."""

    method: str  # the solver whose component stands in the picture
    # its options by name as the library takes them, which the link says as ``method.option``; the rank is ``d``
    options: tuple[tuple[str, Any], ...]
    methods: tuple[str, ...]  # the solvers whose curves are drawn; ``method`` is among them
    ks: tuple[int, ...]  # the values of k
    # what the picture shows more: why a feature is used, one sample, and whether all stand in strips
    why: int | None = None
    sample: int | None = None
    strips: bool = False

    @property
    def others(self) -> tuple[str, ...]:
        """The solvers besides the default one, whose curves are solved apart."""
        return tuple(name for name in self.methods if name != "best")


def ask(subject: Subject) -> Choices:
    """Draw the page's choices; return them."""
    now, n = subject.now, subject.data.n_features
    names = state.methods_for(now.nonnegative, n)
    say: dict[str, Any] = {"options": names, "format_func": state.TITLES.__getitem__}
    with st.popover("Options", icon=":material/tune:", width="stretch"):
        method = choose(
            KEYS["method"],
            "Solver of the component shown",
            allowed=f"here: {', '.join(names)}",
            help="The algorithm whose component is shown. Multistart improves many starts and polishes the best.",
            **say,
        )
        info = nnspca.METHODS[method]
        st.caption(f"{info.summary} ({info.paper})")
        options: dict[str, Any] = {}
        for option in info.options:
            if entry := KEYS.get(f"{method}.{option.name}"):
                form: dict[str, Any] = {"format": "%g"} if option.kind is float else {}
                options[option.name] = choose(entry, option.name.replace("_", " "), help=option.help, **form)
        if any(option.name == "rank" for option in info.options):
            options["rank"] = now.d
        methods = choose(
            KEYS["methods"],
            "Solvers in the chart",
            allowed=f"choose from {', '.join(names)}",
            help="One curve each. Click a point of a curve to show its component in the picture.",
            **say,
        )
        text = choose(
            KEYS["ks"],
            "Values of k",
            placeholder="spread evenly",
            help="For instance 1, 5, 10-40:10 (10 to 40 by 10). Empty: those with a stored proof, else about 25.",
        )
    ks = ledger.cardinalities(subject.problem) or cardinalities(n, usual_k(n, now.data))
    try:
        ks = read_ks(text, n) if text and text.strip() else ks
    except ValueError as problem:  # told on the page: what stands among the options is not seen until they are opened
        st.warning(f"{sanitize.plain(str(problem))} The values are spread evenly instead.", icon=":material/edit:")
    methods = tuple(dict.fromkeys((*methods, method)))
    return Choices(method, tuple(sorted(options.items())), methods, ks, *_pointed(subject.data))


def _pointed(data: Dataset) -> tuple[int | None, int | None, bool]:
    """Return the feature and the sample that were pressed, and whether the samples are shown."""
    here, (m, n) = session.current(), data.X.shape
    if here.samples_of not in (None, data.content_hash):  # other data have others
        for key in ("why", "over"):
            widgets.press(KEYS[key], None)
    here.samples_of = data.content_hash
    why, sample = (widgets.pressed(KEYS[key], high=most) for key, most in (("why", n), ("over", m)))
    has_samples = data.kind != "covariance"
    unasked = sample is not None or (data.labels is not None and m * n <= SCORED)
    return (
        None if why is None else why - 1,
        None if sample is None or not has_samples else sample - 1,
        has_samples and (unasked or bool(upcoming_value(KEYS["samples"]))),
    )


def read_ks(text: str, n: int) -> tuple[int, ...]:
    """Read a list of cardinalities such as ``"1, 5, 10-40:10"``.

    Raises ValueError: naming the piece that could not be used, and what is allowed.

    >>> read_ks("1, 5, 10-40:10", n=100)
    (1, 5, 10, 20, 30, 40)
    >>> read_ks("1, 500", n=100)
    Traceback (most recent call last):
        ...
    ValueError: “500” is outside 1 to 100, the number of features here.
    """
    ks: set[int] = set()
    for piece in re.split(r"[,;\s]+", text.strip().strip(",;")):
        match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9})(?::([0-9]{1,9}))?)?", piece)
        if not match:
            raise ValueError(f"“{sanitize.line(piece, 60)}” is not a whole number or a range such as 10-40 or 10-40:5.")
        first = int(match[1])
        last, step = int(match[2] or first), int(match[3] or 1)
        if not 1 <= first <= last <= n or step < 1:
            raise ValueError(f"“{piece}” is outside 1 to {n}, the number of features here.")
        ks.update(range(first, last + 1, step))
        if len(ks) > MOST:
            raise ValueError(f"That makes more than {MOST} values of k; {MOST} are allowed.")
    return tuple(sorted(ks))


def task(subject: Subject, choice: Choices) -> Task:
    """Return the task of the k that is shown: its run publishes a Component, and how it goes."""
    key = subject.key("solve", choice.method, choice.options)
    return Task("explore", key, lambda job: _solve(job, subject, choice, key), forgets=[key])


def is_needed(subject: Subject, choice: Choices) -> bool:
    """Tell whether the k that is shown needs a run: the ledger does not answer, or its certificate is to be opened."""
    if choice.method != "best" or not (is_between_stored(subject, subject.k) or is_known(subject, subject.at())):
        return True
    is_open = bool(upcoming_value(KEYS["proof"])) and not subject.at().stored
    return is_open and proofs.certificate_at(subject, subject.k) is None


def find(subject: Subject) -> Job | None:
    """Return the run that seeks the component of a k between stored ones, whose bound is carried."""
    quick: dict[str, Any] = QUICK["best"] if subject.data.n_features > SMALL else {}

    def work(job: Job) -> Component:
        return subject.call(job, nnspca.solve, subject.k, start=subject.at().component.loadings, **quick)

    sought = Task("find", subject.key("find"), work)
    return tasks.running(sought) if subject.at().found else tasks.ask(sought)


def _solve(job: Job, subject: Subject, choice: Choices, key: tasks.Key) -> None:
    """Solve one k and prove an upper bound, unless another solver is shown and one is known."""
    before, is_best = subject.at(), choice.method == "best"
    clock = proofs.Clock(job, before.lower if nnspca.METHODS[choice.method].feasible else 0.0)
    solving = stretch(job.report, 0.0, SOLVED, lambda stage: f"Solving: {stage}")
    proving = stretch(job.report, SOLVED, 1.0, lambda _: "Proving an upper bound")

    def listen(progress: Progress) -> None:
        if progress.upper is not None and clock.fell(progress.upper):
            subject.record_upper(subject.k, progress.upper)
        proving(progress)

    def solve() -> Component:
        options = dict(choice.options)
        return subject.call(job, nnspca.solve, subject.k, choice.method, on_progress=solving, **options)

    with cache.results().sought(key, job.should_stop):  # where another session is at it, its answer is taken
        part = cache.results().find(key, solve)
    subject.record(part)
    job.publish(part)
    clock.found(part.variance)
    if (is_best or not before.bounded) and not job.should_stop():
        given = part if is_best else None  # another solver's may be no component of this problem
        clock.fell(proofs.prove(subject, job, component=given, on_progress=listen).upper)
    clock.end()
