"""What the Explore page is asked, and what it has computed: one k, the curves along k, and other solvers' curves."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

import nnspca
from nnspca.control.progress import Progress
from nnspca.result import Certificate, Component, SweepPoint
from nnspca.solvers.registry import OptionInfo
from nnspca.tasks import coarse_first, first_upper_bound
from nnspca.view import cache, machines, sanitize, tasks
from nnspca.view.certificate import proofs
from nnspca.view.jobs import Job, Work, stretch
from nnspca.view.link import state
from nnspca.view.link.state import State, usual_k
from nnspca.view.link.widgets import DeltaGenerator, choose
from nnspca.view.subject import SOLVING, Curve, Subject
from nnspca.view.tasks import Key, Task

SMALL = 2000  # features up to which every search is the full one, and every k may get an upper bound
STEPS = 26  # about how many k a path has
CERTIFIED, FEW = 11, 4  # how many of them get an upper bound live in any case, from coarse to fine
WITHIN = 1e-3  # relative gap at which a bound carried from another k suffices
ANCHORS = 9  # of many features, how many k the portfolio searches in full; the others follow from their neighbours
QUICK = {"best": {"restarts": 4, "leaders": 2}}  # where features are many
FIRST = "best alone"  # what the portfolio finds at one k, without its neighbours' help


@dataclass(frozen=True, eq=False)
class Live:
    """What a live run has found so far, by k."""

    parts: dict[int, Component]
    certificates: dict[int, Certificate]


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
    """Return the k whose upper bounds are proven live in any case: the coarse ones, and 2.

    From a bound for two features, which costs next to nothing, bounds follow at every larger k; from
    one for one feature, none.

    >>> certified(cardinalities(625, 40))
    (1, 2, 4, 8, 17, 37, 62, 133, 289, 625)
    """
    return _coarse(ks, CERTIFIED if ks[-1] <= SMALL else FEW)


def _coarse(ks: tuple[int, ...], most: int) -> tuple[int, ...]:
    """About ``most`` of these k, from coarse to fine; all of few."""
    if ks[-1] <= STEPS:  # each takes next to no time
        return ks
    chosen = {2} & set(ks)
    for level in coarse_first(ks):
        if len(chosen | set(level)) > most + 1:
            break
        chosen |= set(level)
    return tuple(sorted(chosen))


def _without_stored_proof(subject: Subject, ks: tuple[int, ...]) -> set[int]:
    """The k without a stored proof of their own: of all k, or of the coarse ones of many features."""
    rows = subject.along(ks if subject.data.n_features <= SMALL else _coarse(ks, CERTIFIED))
    return {k for k, row in rows.items() if not (row.proven and row.stored)}


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of the page."""

    page: Job  # for the k that is shown
    along: Job  # of the portfolio along k: it publishes each SweepPoint when solved and again when certified
    others: Job | None  # of the other solvers along k


def along(subject: Subject, choice: Choices, page: Job) -> Runs:
    """Return the session's live runs, those along k started where there are none.

    What is known is used. The run ``page`` for the k that is shown goes first, and its component is not sought twice.
    """
    key, ks = _path_key(subject, choice.ks), choice.ks
    path = tasks.ask(Task("path", key, lambda: _along(subject, ks, page), after=page))
    return Runs(page, path, _others(subject, choice, page))


def _path_key(subject: Subject, ks: tuple[int, ...]) -> Key:
    return subject.key_of("path", subject.seed, ks)


def _along(subject: Subject, ks: tuple[int, ...], page: Job) -> Work:
    cov, curve = subject.cov, Curve(_path_key(subject, ks), subject)
    first_proven = certified(ks)
    proven = {*first_proven, *_without_stored_proof(subject, ks)}

    def work(job: Job) -> None:
        sought = page.arrived[0] if page.arrived and page.arrived[0].method == "best" else None
        first = (
            curve.component(subject.k, FIRST)
            or sought
            or machines.call(
                nnspca.solve,
                cov,
                subject.k,
                nonnegative=subject.nonnegative,
                seed=subject.seed,
                should_stop=job.should_stop,
            )
        )
        curve.keep(SweepPoint(subject.k, FIRST, first))
        subject.record(first)
        job.publish(SweepPoint(subject.k, "best", first))
        bare = curve.solve(
            job,
            job.publish,
            ks,
            anchors=ANCHORS if subject.data.n_features > SMALL else None,
            options=QUICK if subject.data.n_features > SMALL else None,
            on_progress=stretch(job.report, 0.0, SOLVING, lambda at: f"Drawing the curve: {at.partition(':')[0]}"),
        )
        job.deprioritise()  # what is asked for at one k goes before the band
        curve.prove(
            job,
            job.publish,
            replace(bare, stopped=False),
            ks=proven,
            first=first_proven,
            within=WITHIN,
            on_progress=stretch(job.report, SOLVING, 1.0, lambda at: f"Proving upper bounds: {at.partition(':')[0]}"),
        )

    return work


def _others(subject: Subject, choice: Choices, page: Job) -> Job | None:
    """Return the run of the other solvers' curves, started where there is none; None where there are no others."""
    ks, methods = choice.ks, choice.others
    if not methods:
        return None
    key = subject.key_of("sweep", subject.seed, ks, methods)
    curve = Curve(key, subject)

    def work(job: Job) -> None:
        curve.solve(job, job.publish, ks, methods=methods, on_progress=job.report)

    return tasks.ask(Task("curves", key, lambda: work, after=page))


def _forget(subject: Subject, ks: tuple[int, ...], methods: tuple[str, ...]) -> None:
    """Throw the live runs along these k away: the next ones start from nothing."""
    curve = Curve(_path_key(subject, ks), subject)
    curve.forget(ks, ("best",))
    curve.forget((subject.k,), (FIRST,))
    Curve(subject.key_of("sweep", subject.seed, ks, methods), subject).forget(ks, methods)
    tasks.drop("path")
    tasks.drop("curves")


def live(job: Job) -> Live:
    """Return the last word of the live run on each k."""
    points: tuple[SweepPoint, ...] = job.arrived
    return Live({p.k: p.component for p in points}, {p.k: p.certificate for p in points if p.certificate is not None})


def by_solver(job: Job | None) -> dict[str, dict[int, Component]]:
    """Return what the other solvers have found so far, by solver and k."""
    components: dict[str, dict[int, Component]] = {}
    for point in job.arrived if job is not None else ():
        components.setdefault(point.method, {})[point.k] = point.component
    return components


KEYS = state.keys_of("explore")
MOST = 60  # values of k


@dataclass(frozen=True)
class Solver:
    """A solver and its options, as pages of one component ask for them."""

    method: str  # its name, by its key in the link
    # by name as the library takes them, which the link says as ``method.option``; the rank is the sidebar's ``d``
    options: tuple[tuple[str, Any], ...]

    @property
    def arguments(self) -> str:
        """The options as Python, each after a comma."""
        return "".join(f", {name}={value!r}" for name, value in self.options)


@dataclass(frozen=True)
class Choices:
    """What the page shows."""

    solver: Solver  # whose component stands in the picture, with its options
    methods: tuple[str, ...]  # the solvers whose curves are drawn; that of ``solver`` is among them
    ks: tuple[int, ...]  # the values of k
    log: bool  # whether equal steps of the k axis multiply

    @property
    def others(self) -> tuple[str, ...]:
        """The solvers besides the portfolio, whose curves are solved apart."""
        return tuple(name for name in self.methods if name != "best")


def ask(now: State, n: int, solvers: DeltaGenerator, options: DeltaGenerator) -> Choices:
    """Draw the page's choices for ``n`` features in their two places; return them."""
    names = state.methods_for(now.nonnegative, n)
    with solvers:
        methods = choose(
            KEYS["methods"],
            "Solvers in the chart",
            options=names,
            allowed=f"choose from {', '.join(names)}",
            format_func=state.TITLES.__getitem__,
            help="One curve each. Click a point of a curve to show its component in the picture.",
        )
    with options, st.popover("Options", icon=":material/tune:", width="stretch"):
        chosen = _solver(now, n)
        ks, problem = _ks(n, now)
        log = bool(choose(KEYS["log"]))
    if problem:  # told on the page: what stands among the options is not seen until they are opened
        st.warning(problem, icon=":material/edit:")
    return Choices(chosen, tuple(dict.fromkeys((*methods, chosen.method))), ks, log)


def _solver(now: State, n: int) -> Solver:
    """Let the person choose the solver whose component is shown, of those that take ``n`` features, and its options."""
    names = state.methods_for(now.nonnegative, n)
    name = choose(
        KEYS["method"],
        "Solver of the component shown",
        options=names,
        allowed=f"here: {', '.join(names)}",
        format_func=state.TITLES.__getitem__,
        help="The algorithm whose component is shown. The portfolio runs several and polishes what they find.",
    )
    info = nnspca.METHODS[name]
    st.caption(f"{info.summary} ({info.paper})")
    drawn = [option for option in info.options if f"{name}.{option.name}" in KEYS]
    chosen = {option.name: _option(name, option) for option in drawn}
    if any(option.name == "rank" for option in info.options):
        chosen["rank"] = now.d
    return Solver(name, tuple(sorted(chosen.items())))


def _option(name: str, option: OptionInfo) -> Any:
    """Draw one option as the widget its kind asks for."""
    form: dict[str, Any] = {"format": "%g"} if option.kind is float else {}
    return choose(KEYS[f"{name}.{option.name}"], option.name.replace("_", " "), help=option.help, **form)


def _ks(n: int, now: State) -> tuple[tuple[int, ...], str]:
    """Let the person choose the values of k; return them, or even ones and what is wrong with the list."""
    even = cardinalities(n, usual_k(n, now.data))
    text = choose(
        KEYS["ks"],
        "Values of k",
        placeholder="spread evenly",
        help="For instance 1, 5, 10-40:10 (10 to 40 by 10). Empty: about 25, from 1 to all features.",
    )
    try:
        return read_ks(text, n) if text and text.strip() else even, ""
    except ValueError as problem:
        return even, f"{sanitize.plain(str(problem))} The values are spread evenly instead."


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


SOLVED = 0.2  # share of the progress at which the component is found


def start(subject: Subject, choice: Choices) -> Job:
    """Draw the button that solves live; return the run for the k that is shown."""
    solver = choice.solver
    key = subject.key("solve", solver.method, solver.options)

    def forget() -> None:
        """Throw away what live runs have found: the next ones start from nothing. The ledger stays."""
        cache.results().drop(key)
        cache.results().drop(subject.key("certify"))
        proofs.forget(subject, choice.ks)
        _forget(subject, choice.ks, choice.others)

    return tasks.ask(Task("explore", key, lambda: ExploreJob(subject, solver).work, forget), tasks.solve())


def latest(job: Job) -> tuple[Component | None, Certificate | None]:
    """Return the last component and the last certificate of a run; a first, quick one is marked as stopped."""
    last = {type(thing): thing for thing in job.arrived}
    return last.get(Component), last.get(Certificate)


class ExploreJob:
    """Work for one k: solve, and prove an upper bound.

    It publishes a Component, then Certificates, one with a quick upper bound and one with all that a
    live proof has. All of it goes into the ledger; nothing is read from there.
    """

    def __init__(self, subject: Subject, choice: Solver):
        self._subject, self._choice = subject, choice
        self._cov, self._known = subject.cov, cache.results()
        self._key = subject.key("solve", choice.method, choice.options)
        self._prove_key = subject.key("certify")  # of the problem, whichever solver ran

    def work(self, job: Job) -> None:
        """Do it, once no other session seeks the same: that one's answer is taken."""
        with self._known.sought(self._key, job.should_stop):
            component = self._known.get(self._key)
            if component is None:
                component = self._solved(job)
                if not component.stopped:
                    self._known.put(self._key, component)
            self._hand_over(job, component)
            proof = self._known.get(self._prove_key)
            if proof is None and not job.should_stop():
                proof = self._proven(job, component)
            if proof is not None:
                self._hand_over(job, proof)

    def _hand_over(self, job: Job, thing: Component | Certificate) -> None:
        self._subject.record(thing)
        job.publish(thing)

    def _solved(self, job: Job) -> Component:
        """Return what the solver finds."""
        return machines.call(
            nnspca.solve,
            self._cov,
            self._subject.k,
            self._choice.method,
            nonnegative=self._subject.nonnegative,
            seed=self._subject.seed,
            should_stop=job.should_stop,
            on_progress=stretch(job.report, 0.0, SOLVED, _while("Solving")),
            **dict(self._choice.options),
        )

    def _proven(self, job: Job, component: Component) -> Certificate:
        """Return the certificate; a quick upper bound is shown until it is there."""
        cov, now = self._cov, self._subject
        job.report(Progress(SOLVED, "Proving an upper bound"))
        if self._choice.method == "best" and cov.holds_entries:  # elsewhere it costs more, or may speak of no component
            first = machines.call(
                first_upper_bound, cov, now.k, component, nonnegative=now.nonnegative, should_stop=job.should_stop
            )
            self._hand_over(job, first)
        certificate = machines.call(
            nnspca.certify,
            cov,
            now.k,
            nonnegative=now.nonnegative,
            component=component if self._choice.method == "best" else None,
            seed=now.seed,
            should_stop=job.should_stop,
            on_progress=stretch(job.report, SOLVED, 1.0, _while("Proving an upper bound")),
        )
        if not certificate.stopped:
            self._known.put(self._prove_key, certificate)
            proofs.keep(certificate, now)
        return certificate


def _while(doing: str) -> Callable[[str], str]:
    """Return how a stage of one of the two runs is said."""
    return lambda stage: f"{doing}: {stage}" if stage else doing
