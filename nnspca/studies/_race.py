"""A race of solvers and a proof, one after another; each has its own clock of CPU seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nnspca.control.arguments import check_callables, check_choice, check_flag, real, shown
from nnspca.control.progress import Progress
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.errors import reason
from nnspca.numerics import feasible
from nnspca.result import Certificate, ShouldStop
from nnspca.solvers.registry import METHODS
from nnspca.studies.race_state import BARRED, FINISHED, GAIN, RUNNING, STOPPED, Fall, Lane, Mark, Race
from nnspca.tasks._certify import certify
from nnspca.tasks._solve import check_cardinality, check_covariance, check_seed, solve

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
    methods: Sequence[str] = ("best", "em", "greedy", "thresholding"),
    *,
    nonnegative: bool = True,
    seed: int = 0,
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
    cov : Covariance
        Of n features.
    k : int
        1 <= k <= n.
    methods : sequence of str
        Keys of ``nnspca.METHODS``; a method that cannot take part has the state "barred" and a reason.
    nonnegative : bool
    seed : int
        Same seed, same points of each solver.
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
    runners = [_Runner(name, problem, settings | dict((options or {}).get(name, {})), limit, stop) for name in names]
    proof = _Proof(problem, settings, limit, stop)

    def look() -> None:
        if on_look is not None:
            on_look(_race_state(problem, runners, proof, any(one.was_cancelled for one in (proof, *runners))))

    with one_blas_thread():
        for runner in runners:
            runner.warm()
        cov.eigenpairs(min(EIGENPAIRS, cov.n_features))
        proof.run(proof.quick, look, last=False)
        for runner in runners:
            runner.run(runner.work, look)
        proof.run(proof.work, look)
        return _race_state(problem, runners, proof, any(one.was_cancelled for one in (proof, *runners)))


def _race_state(problem: Problem, runners: Sequence[_Runner], proof: _Proof, stopped: bool) -> Race:
    fractions = [proof.fraction, *(runner.fraction for runner in runners)]
    return Race(
        problem.k,
        problem.nonnegative,
        problem.n,
        tuple(Lane(r.name, r.state, r.seconds, tuple(r.marks), r.reason) for r in runners),
        tuple(proof.falls),
        proof.state,
        proof.seconds,
        proof.certificate,
        sum(fractions) / len(fractions),
        stopped,
    )


class _Contestant:
    """A solver or the proof, with its own clock of CPU seconds."""

    def __init__(self, limit: float, stop: ShouldStop) -> None:
        self.limit, self.state, self.reason = limit, RUNNING, ""
        self.seconds = self.fraction = 0.0
        self.was_cancelled = False
        self._stop, self._begun, self._looked = stop, 0.0, -np.inf
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
        """Return the CPU seconds used, which do not advance while others run."""
        self.seconds = time.thread_time() - self._begun
        return self.seconds

    def should_stop(self) -> bool:
        """The stop switch of the work."""
        if self.read_clock() - self._looked >= PAUSE:
            self._looked = self.seconds
            self._look()
        self.was_cancelled = self.was_cancelled or self._stop()
        return self.was_cancelled or self.seconds > self.limit

    def on_progress(self, progress: Progress) -> None:
        """Record the progress of the work."""
        self.fraction = max(self.fraction, min(progress.fraction, 1.0))


class _Runner(_Contestant):
    """A solver in the race."""

    def __init__(self, name: str, problem: Problem, options: dict[str, Any], limit: float, stop: ShouldStop):
        super().__init__(limit, stop)
        self.name, self._problem, self._options = name, problem, options
        self.marks: list[Mark] = []
        self._best = -np.inf
        self.reason = reason_excluded(name, problem.n, problem.nonnegative)
        if self.reason:
            self.state, self.fraction = BARRED, 1.0

    def warm(self) -> None:
        """Import the method's modules before the race."""
        if self.state == RUNNING:
            tiny = Covariance.from_matrix([[3.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
            solve(tiny, 2, self.name, nonnegative=self._problem.nonnegative)

    def work(self) -> bool:
        part = solve(
            self._problem.cov,
            self._problem.k,
            self.name,
            should_stop=self.should_stop,
            on_progress=self.on_progress,
            on_found=self._on_found,
            **self._options,
        )
        self._on_found(part.loadings, part.variance)
        return not part.stopped

    def _on_found(self, loadings: np.ndarray, variance: float) -> None:
        """Add a mark if the point is better by more than rounding."""
        if variance <= self._best * (1 + GAIN) or not variance > 0:
            return
        self._best = variance
        x = loadings if self._problem.nonnegative else feasible.orient(loadings)
        support = np.flatnonzero(x)
        self.marks.append(Mark(self.read_clock(), variance, support.astype(np.int32), x[support].copy()))
        if len(self.marks) > MAX_MARKS:
            del self.marks[1:-1:2]


class _Proof(_Contestant):
    """The proof in the race: two quick bounds before the solvers start, then a certificate with its own component."""

    def __init__(self, problem: Problem, settings: dict[str, Any], limit: float, stop: ShouldStop):
        super().__init__(limit, stop)
        self._problem, self._settings = problem, settings
        self.falls: list[Fall] = []
        self.certificate: Certificate | None = None

    def quick(self) -> bool:
        """Prove two bounds; return whether there is time left for the certificate."""
        cov, k, settings = self._problem.cov, self._problem.k, self._settings
        component = solve(cov, k, "thresholding", should_stop=self.should_stop, **settings)
        certify(
            cov,
            k,
            component=component,
            should_stop=lambda: len(self.falls) > 1 or self.should_stop(),
            on_progress=self._add_quick_bound,
            **settings,
        )
        return not self.should_stop()

    def work(self) -> bool:
        cov, k, settings = self._problem.cov, self._problem.k, self._settings
        stop, progress = self.should_stop, self.on_progress
        self.certificate = certify(cov, k, should_stop=stop, on_progress=progress, **settings)
        self._add_bound(self.certificate.upper)
        return not self.certificate.stopped

    def _add_quick_bound(self, progress: Progress) -> None:
        if progress.upper is not None:
            self._add_bound(progress.upper)

    def on_progress(self, progress: Progress) -> None:
        super().on_progress(progress)
        self._add_quick_bound(progress)

    def _add_bound(self, upper: float) -> None:
        if np.isfinite(upper) and (not self.falls or upper < self.falls[-1].upper):
            self.falls.append(Fall(self.read_clock(), upper))
