"""A race of solvers and a proof, one after another, each on its own clock of CPU seconds; and its state over time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nnspca.control.arguments import Method, Seed, check_callables, check_choice, check_flag, real, shown
from nnspca.control.progress import Progress
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.covariance.restriction import widened
from nnspca.errors import reason
from nnspca.numerics import feasible
from nnspca.numerics.doubles import read_only
from nnspca.result import Certificate, Component, ShouldStop
from nnspca.solvers.registry import METHODS
from nnspca.tasks._certify import certify
from nnspca.tasks._solve import check_cardinality, check_covariance, check_seed, solve

GAIN = 1e-6  # least relative gain of a new mark; variances that differ by less are tied
RUNNING, FINISHED, STOPPED, BARRED = "running", "finished", "stopped", "barred"


@dataclass(frozen=True, eq=False)
class Mark:
    """A solver's best point at some time."""

    seconds: float  # CPU seconds that the solver had used
    variance: float
    support: np.ndarray  # indices of the nonzero loadings
    weights: np.ndarray  # the loadings there


@dataclass(frozen=True, eq=False)
class Lane:
    """The results of one solver over time."""

    method: str
    state: str = RUNNING  # or FINISHED, STOPPED, BARRED
    seconds: float = 0.0  # CPU seconds so far
    marks: tuple[Mark, ...] = ()  # each better than the last
    reason: str = ""  # why the solver did not start, or was stopped

    @property
    def variance(self) -> float:
        """The best variance so far; 0 if there is none."""
        return self.marks[-1].variance if self.marks else 0.0

    def arrival(self, variance: float) -> float | None:
        """Seconds until the solver had this variance, or a tied one; None if it never had."""
        return next((mark.seconds for mark in self.marks if mark.variance >= variance * (1 - GAIN)), None)


@dataclass(frozen=True)
class Fall:
    """An upper bound, proven after ``seconds`` CPU seconds."""

    seconds: float
    upper: float


@dataclass(frozen=True, eq=False)
class Race:
    """The state of a race."""

    k: int
    nonnegative: bool
    n_features: int
    lanes: tuple[Lane, ...]  # in the order given
    falls: tuple[Fall, ...] = ()  # the proven upper bounds, each lower than the last
    proof_state: str = RUNNING  # or FINISHED, STOPPED
    proof_seconds: float = 0.0
    certificate: Certificate | None = None  # None until the proof has ended
    fraction: float = 0.0  # progress, 0 to 1
    stopped: bool = False  # whether the whole race was stopped

    @property
    def upper(self) -> float | None:
        """The least upper bound proven so far."""
        return self.falls[-1].upper if self.falls else None

    @property
    def finished(self) -> tuple[Lane, ...]:
        """The lanes whose solvers finished."""
        return tuple(lane for lane in self.lanes if lane.state == FINISHED)

    @property
    def winners(self) -> tuple[Lane, ...]:
        """The finished lanes that tie for the largest variance, the earliest first."""
        largest = max((lane.variance for lane in self.finished), default=0.0)
        arrivals = [(seconds, lane) for lane in self.finished if (seconds := lane.arrival(largest)) is not None]
        return tuple(lane for _, lane in sorted(arrivals, key=lambda pair: pair[0]))

    def component(self, method: str, number: int = 0) -> Component | None:
        """Return a solver's component at its mark ``number``, from 1; 0 for its best one; None if there is none."""
        lane = next((lane for lane in self.lanes if lane.method == method), None)
        if lane is None:
            raise ValueError(
                f"method={shown(method)} is not in this race: {', '.join(other.method for other in self.lanes)}"
            )
        if not lane.marks[number - 1 : number or None]:
            return None
        mark = lane.marks[number - 1]
        loadings = read_only(widened(mark.weights, mark.support, self.n_features))
        return Component(loadings, mark.variance, method, self.k, self.nonnegative, seconds=mark.seconds)

    def to_records(self, upper: float | None = None) -> list[dict[str, object]]:
        """Return one row for each mark and each upper bound; shares are of ``upper``, or of the race's lowest bound."""
        upper = self.upper if upper is None else upper
        names = ("who", "seconds", "variance", "share_of_upper_bound", "features", "state")
        found = [
            (lane.method, m.seconds, m.variance, len(m.support), lane.state) for lane in self.lanes for m in lane.marks
        ]
        proven = [("upper_bound", fall.seconds, fall.upper, None, self.proof_state) for fall in self.falls]
        return [
            dict(zip(names, (who, seconds, value, value / upper if upper else None, *more), strict=True))
            for who, seconds, value, *more in [*found, *proven]
        ]


MAX_MARKS = 200  # most marks of one lane; beyond, every second one is dropped
PAUSE = 0.05  # CPU seconds between two looks at what changes
EIGENPAIRS = 20  # eigenpairs computed before the start, at the expense of no solver


def reason_excluded(method: str, n: int, nonnegative: bool) -> str:
    """Return why a method cannot solve a problem of ``n`` features with this sign constraint; empty if it can.

    >>> reason_excluded("exact", 625, True)
    'it takes at most 24 features, and these data have 625'
    >>> reason_excluded("best", 625, True)
    ''
    """
    info = METHODS[method]
    if not info.feasible:
        return "it uses every feature, whatever k is"
    if nonnegative not in info.signs:
        return "it cannot " + ("keep the loadings nonnegative" if nonnegative else "use loadings of either sign")
    if info.max_features is not None and n > info.max_features:
        return f"it takes at most {info.max_features} features, and these data have {n:,}"
    return ""


def race(
    cov: Covariance,
    k: int,
    methods: Sequence[Method] = ("best", "em", "greedy", "thresholding"),
    *,
    nonnegative: bool = True,
    seed: Seed = 0,
    options: Mapping[str, Mapping[str, object]] | None = None,
    seconds: float = 10.0,
    should_stop: ShouldStop | None = None,
    on_look: Callable[[Race], None] | None = None,
) -> Race:
    """Run several solvers, and the proof of an upper bound, in a race.

    They run one after another, and the clock of each counts its own CPU seconds only. What all of them
    need, such as the leading eigenvectors, is computed before the start.

    Parameters
    ----------
    cov, k, nonnegative, seed
        As for :func:`nnspca.solve`.
    methods : sequence of str
        Keys of ``nnspca.METHODS``; a method that cannot take part has the state "barred" and a reason.
    options : mapping of str to mapping, optional
        Options of each method.
    seconds : float
        CPU seconds after which each solver, and the proof, is stopped; above 0.
    should_stop : callable, optional
        A stopped race has the results so far.
    on_look : callable, optional
        Called with the current :class:`Race` as it changes.

    Returns
    -------
    Race

    Raises
    ------
    TypeError, ValueError
        A value not allowed; the message says which are.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[3.0, -1.0, 1.0], [-1.0, 2.0, 0.0], [1.0, 0.0, 2.0]])
    >>> result = race(cov, 2, ("best", "thresholding", "pca"))
    >>> [(lane.method, lane.state, round(lane.variance, 3)) for lane in result.lanes]
    [('best', 'finished', 3.618), ('thresholding', 'finished', 3.618), ('pca', 'barred', 0.0)]
    >>> result.upper >= result.lanes[0].variance, result.component("best").support
    (True, array([0, 2]))
    """
    check_covariance(cov)
    check_callables(should_stop=should_stop, on_look=on_look)
    k, seed, nonnegative = check_cardinality(cov, k), check_seed(seed), check_flag("nonnegative", nonnegative)
    names = tuple(dict.fromkeys(methods))
    for name in names:
        check_choice("method", name, METHODS)
    limit = real(seconds)
    if not names or limit is None or not 0 < limit < float("inf"):
        raise ValueError(f"give at least one method, and seconds above 0; got {list(names)!r}, {shown(seconds)}")
    problem, settings = Problem(cov, k, nonnegative), {"nonnegative": nonnegative, "seed": seed}
    stop = should_stop or (lambda: False)
    proof, options = _Proof(limit, stop, problem, settings), options or {}
    runners = [_Runner(limit, stop, problem, settings | dict(options.get(name, {})), name) for name in names]
    every = [proof, *runners]

    def standing() -> Race:
        lanes = tuple(Lane(r.name, r.state, r.seconds, tuple(r.marks), r.reason) for r in runners)
        falls, fraction = tuple(proof.falls), sum(one.fraction for one in every) / len(every)
        proven = (falls, proof.state, proof.seconds, proof.certificate)
        return Race(k, nonnegative, problem.n, lanes, *proven, fraction, any(one.was_cancelled for one in every))

    def look() -> None:
        if on_look is not None:
            on_look(standing())

    with one_blas_thread():
        tiny = Covariance.from_matrix([[3.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
        for runner in runners:
            if runner.state == RUNNING:  # its modules are imported before the start, at the expense of no solver
                solve(tiny, 2, runner.name, nonnegative=nonnegative)
        cov.eigenpairs(min(EIGENPAIRS, cov.n_features))
        proof.run(proof.quick, look, last=False)
        for runner in runners:
            runner.run(runner.work, look)
        proof.run(proof.work, look)
    return standing()


class _Contestant:
    """A solver or the proof, with a clock of its own CPU seconds, which does not advance while others run."""

    def __init__(self, limit: float, stop: ShouldStop, problem: Problem, settings: dict[str, Any]) -> None:
        self.limit, self.stop, self.problem, self.settings = limit, stop, problem, settings
        self.state, self.reason, self.was_cancelled = RUNNING, "", False
        self.seconds = self.fraction = 0.0
        self._begun, self._looked = 0.0, -np.inf
        self._look: Callable[[], None] = lambda: None

    def run(self, work: Callable[[], bool], look: Callable[[], None], *, last: bool = True) -> None:
        """Do a piece of the work, the ``last`` one or not, and tell those who ``look`` what changes."""
        if self.state != RUNNING:
            return
        self._look, self._begun = look, time.thread_time() - self.seconds
        try:
            finished = work()
            if last or not finished:
                self.state = FINISHED if finished else STOPPED
            self.reason = "" if finished else "it was stopped" if self.was_cancelled else "its time was up"
        except (ValueError, MemoryError) as error:
            self.state, self.reason = BARRED, str(error) or "it needs more memory than there is"
        except Exception as error:  # the others continue
            self.state, self.reason = BARRED, f"it failed: {type(error).__name__}{reason(error, 300)}"
        self.read_clock()
        self.fraction = self.fraction if self.state == RUNNING else 1.0
        look()

    def read_clock(self) -> float:
        """Return the CPU seconds used."""
        self.seconds = time.thread_time() - self._begun
        return self.seconds

    def should_stop(self) -> bool:
        """The stop switch of the work."""
        if self.read_clock() - self._looked >= PAUSE:
            self._looked = self.seconds
            self._look()
        self.was_cancelled = self.was_cancelled or self.stop()
        return self.was_cancelled or self.seconds > self.limit

    def on_progress(self, progress: Progress) -> None:
        """Record the progress of the work."""
        self.fraction = max(self.fraction, min(progress.fraction, 1.0))


class _Runner(_Contestant):
    """A solver in the race."""

    def __init__(self, limit: float, stop: ShouldStop, problem: Problem, options: dict[str, Any], name: Any) -> None:
        super().__init__(limit, stop, problem, options)
        self.name = name
        self.marks: list[Mark] = []
        self._best = -np.inf
        self.reason = reason_excluded(name, problem.n, problem.nonnegative)
        if self.reason:
            self.state, self.fraction = BARRED, 1.0

    def work(self) -> bool:
        told = {"should_stop": self.should_stop, "on_progress": self.on_progress, "on_found": self._on_found}
        part = solve(self.problem.cov, self.problem.k, self.name, **told, **self.settings)  # type: ignore[arg-type]
        self._on_found(part.loadings, part.variance)
        return not part.stopped

    def _on_found(self, loadings: np.ndarray, variance: float) -> None:
        """Add a mark if the point is better by more than rounding."""
        if variance <= self._best * (1 + GAIN) or not variance > 0:
            return
        self._best = variance
        x = loadings if self.problem.nonnegative else feasible.orient(loadings)
        support = np.flatnonzero(x)
        self.marks.append(Mark(self.read_clock(), variance, support.astype(np.int32), x[support].copy()))
        if len(self.marks) > MAX_MARKS:
            del self.marks[1:-1:2]


class _Proof(_Contestant):
    """The proof in the race: two quick bounds before the solvers start, then a certificate with its own component."""

    def __init__(self, limit: float, stop: ShouldStop, problem: Problem, settings: dict[str, Any]) -> None:
        super().__init__(limit, stop, problem, settings)
        self.falls: list[Fall] = []
        self.certificate: Certificate | None = None

    def quick(self) -> bool:
        """Prove two bounds; return whether there is time left for the certificate."""
        cov, k = self.problem.cov, self.problem.k
        component = solve(cov, k, "thresholding", should_stop=self.should_stop, **self.settings)

        def enough() -> bool:
            return len(self.falls) > 1 or self.should_stop()

        certify(cov, k, component=component, should_stop=enough, on_progress=self._told, **self.settings)
        return not self.should_stop()

    def work(self) -> bool:
        stop, told = self.should_stop, self.on_progress
        self.certificate = certify(
            self.problem.cov, self.problem.k, should_stop=stop, on_progress=told, **self.settings
        )
        self._add(self.certificate.upper)
        return not self.certificate.stopped

    def on_progress(self, progress: Progress) -> None:
        super().on_progress(progress)
        self._told(progress)

    def _told(self, progress: Progress) -> None:
        if progress.upper is not None:
            self._add(progress.upper)

    def _add(self, upper: float) -> None:
        if np.isfinite(upper) and (not self.falls or upper < self.falls[-1].upper):
            self.falls.append(Fall(self.read_clock(), upper))
