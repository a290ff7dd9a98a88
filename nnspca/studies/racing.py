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
from nnspca.errors import reason
from nnspca.numerics import feasible
from nnspca.numerics.doubles import read_only
from nnspca.result import Certificate, Component, ShouldStop
from nnspca.solvers.registry import METHODS
from nnspca.tasks._certify import certify
from nnspca.tasks._solve import check_cardinality, check_covariance, check_seed, solve

MARK_GAIN = 1e-6  # least relative gain of a new mark; variances that differ by less are tied
RUNNING, FINISHED, STOPPED, BARRED = "running", "finished", "stopped", "barred"
MAX_MARKS = 200  # most marks of one lane; beyond, every second one is dropped
PAUSE = 0.05  # CPU seconds between two looks at what changes
EIGENPAIRS = 20  # eigenpairs computed before the start, at the expense of no solver


@dataclass(frozen=True, eq=False)
class Mark:
    """A solver's best point at some time."""

    seconds: float  # CPU seconds that the solver had used
    variance: float
    features: int  # number of nonzero loadings


@dataclass(frozen=True, eq=False)
class Lane:
    """The results of one solver over time."""

    method: str
    state: str = RUNNING  # or FINISHED, STOPPED, BARRED
    seconds: float = 0.0  # CPU seconds so far
    marks: tuple[Mark, ...] = ()  # each better than the last
    reason: str = ""  # why the solver did not start, or was stopped
    component: Component | None = None  # the best so far; None where a race was recorded

    @property
    def variance(self) -> float:
        """The best variance so far; 0 if there is none."""
        return self.marks[-1].variance if self.marks else 0.0


@dataclass(frozen=True)
class Fall:
    """An upper bound, proven after ``seconds`` CPU seconds."""

    seconds: float
    upper: float


@dataclass(frozen=True, eq=False)
class Race:
    """The state of a race."""

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

    def to_records(self, upper: float | None = None) -> list[dict[str, object]]:
        """Return one row for each mark and each upper bound; shares are of ``upper``, or of the race's lowest bound."""
        upper = self.upper if upper is None else upper
        names = ("who", "seconds", "variance", "share_of_upper_bound", "features", "state")
        found = [
            (lane.method, m.seconds, m.variance, m.features, lane.state) for lane in self.lanes for m in lane.marks
        ]
        proven = [("upper_bound", fall.seconds, fall.upper, None, self.proof_state) for fall in self.falls]
        return [
            dict(zip(names, (who, seconds, value, value / upper if upper else None, *more), strict=True))
            for who, seconds, value, *more in [*found, *proven]
        ]


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
    >>> result.upper >= result.lanes[0].variance, result.lanes[0].component.support
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
    options, settings = options or {}, {"nonnegative": nonnegative, "seed": seed}

    def standing() -> Race:
        lanes = tuple(
            Lane(name, r.state, r.seconds, tuple(r.marks), r.reason, r.component) for name, r in runners.items()
        )
        every = (proof, *runners.values())
        fraction, stopped = sum(one.fraction for one in every) / len(every), any(one.was_stopped for one in every)
        falls = tuple(proof.falls)
        return Race(lanes, falls, proof.state, proof.seconds, proof.certificate, fraction, stopped)

    n, look = cov.n_features, (lambda: None) if on_look is None else (lambda: on_look(standing()))
    stop = should_stop or (lambda: False)
    runners = {name: _Turn(limit, stop, look, reason_excluded(name, n, nonnegative)) for name in names}
    proof = _Turn(limit, stop, look)
    with one_blas_thread():
        tiny = Covariance.from_matrix([[3.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
        for name, runner in runners.items():
            if runner.state == RUNNING:  # its modules are imported before the start, at the expense of no solver
                solve(tiny, 2, name, nonnegative=nonnegative)
        cov.eigenpairs(min(EIGENPAIRS, n))
        proof.run(lambda: proof.prove_quickly(cov, k, settings), last=False)
        for name, runner in runners.items():
            runner.run(lambda: runner.solve(cov, k, name, settings | dict(options.get(name, {}))))  # noqa: B023  # at once
        proof.run(lambda: proof.prove(cov, k, settings))
    return standing()


class _Turn:
    """A solver or the proof, with a clock of its own CPU seconds, which does not advance while others run."""

    def __init__(self, limit: float, stop: ShouldStop, look: Callable[[], None], reason: str = "") -> None:
        self._limit, self._stop, self._look, self.reason = limit, stop, look, reason
        self.state, self.was_stopped = BARRED if reason else RUNNING, False
        self.seconds, self.fraction = 0.0, float(bool(reason))
        self.marks: list[Mark] = []
        self.falls: list[Fall] = []
        self.certificate: Certificate | None = None
        self.component: Component | None = None
        self._begun, self._looked = 0.0, -np.inf

    def run(self, work: Callable[[], bool], *, last: bool = True) -> None:
        """Do a piece of the work, the ``last`` one or not, and tell those who look what changes."""
        if self.state != RUNNING:
            return
        self._begun = time.thread_time() - self.seconds
        try:
            finished = work()
            if last or not finished:
                self.state = FINISHED if finished else STOPPED
            self.reason = "" if finished else "it was stopped" if self.was_stopped else "its time was up"
        except (ValueError, MemoryError) as error:
            self.state, self.reason = BARRED, str(error) or "it needs more memory than there is"
        except Exception as error:  # the others continue
            self.state, self.reason = BARRED, f"it failed: {type(error).__name__}{reason(error, 300)}"
        self._read_clock()
        self.fraction = self.fraction if self.state == RUNNING else 1.0
        self._look()

    def solve(self, cov: Covariance, k: int, method: Any, settings: dict[str, Any]) -> bool:
        """Run a solver; return whether it ended by itself."""

        def found(loadings: np.ndarray, variance: float) -> None:
            best = 0.0 if self.component is None else self.component.variance
            if not variance > best * (1 + MARK_GAIN):
                return
            seconds, sign = self._read_clock(), settings["nonnegative"]
            x = loadings if sign else feasible.orient(loadings)
            self.component = Component(read_only(x.copy()), variance, method, k, sign, seconds=seconds)
            self.marks.append(Mark(seconds, variance, self.component.cardinality))
            if len(self.marks) > MAX_MARKS:
                del self.marks[1:-1:2]

        listeners: dict[str, Any] = {"should_stop": self._should_stop, "on_progress": self._follow, "on_found": found}
        part = solve(cov, k, method, **listeners, **settings)
        found(part.loadings, part.variance)
        return not part.stopped

    def prove_quickly(self, cov: Covariance, k: int, settings: dict[str, Any]) -> bool:
        """Prove two bounds before the solvers start; return whether there is time left for the certificate."""
        component = solve(cov, k, "thresholding", should_stop=self._should_stop, **settings)

        def enough() -> bool:
            return len(self.falls) > 1 or self._should_stop()

        listeners: dict[str, Any] = {"should_stop": enough, "on_progress": lambda progress: self._add(progress.upper)}
        certify(cov, k, component=component, **listeners, **settings)
        return not self._should_stop()

    def prove(self, cov: Covariance, k: int, settings: dict[str, Any]) -> bool:
        """Make the certificate, with its own component; return whether it came to its end."""
        self.certificate = certify(cov, k, should_stop=self._should_stop, on_progress=self._follow, **settings)
        self._add(self.certificate.upper)
        return not self.certificate.stopped

    def _read_clock(self) -> float:
        self.seconds = time.thread_time() - self._begun
        return self.seconds

    def _should_stop(self) -> bool:
        if self._read_clock() - self._looked >= PAUSE:
            self._looked = self.seconds
            self._look()
        self.was_stopped = self.was_stopped or self._stop()
        return self.was_stopped or self.seconds > self._limit

    def _follow(self, progress: Progress) -> None:
        self.fraction = max(self.fraction, min(progress.fraction, 1.0))
        self._add(progress.upper)

    def _add(self, upper: float | None) -> None:
        if upper is not None and np.isfinite(upper) and (not self.falls or upper < self.falls[-1].upper):
            self.falls.append(Fall(self._read_clock(), upper))
