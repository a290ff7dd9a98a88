"""Solvers and a proof on one clock: they take turns on the processor, and each is charged for its own seconds only."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from nnspca import feasible
from nnspca._certify import certify
from nnspca._solve import check_cardinality, check_covariance, check_seed, solve
from nnspca.arguments import check_callables, check_choice, check_flag, real, shown
from nnspca.covariance import Covariance
from nnspca.errors import reason
from nnspca.progress import Progress
from nnspca.result import Certificate, Component, ShouldStop
from nnspca.solvers.registry import METHODS
from nnspca.threads import one_blas_thread

SLICE = 0.05  # seconds of the processor that one has before it is the next one's turn
GAIN = 1e-6  # share by which a point must be better to be marked; two variances nearer than this tie
MOST = 200  # marks of one lane: with more, every second one is dropped
WARM = 20  # eigenpairs known before the start: whoever came first would pay for all
RUNNING, FINISHED, STOPPED, BARRED = "running", "finished", "stopped", "barred"


@dataclass(frozen=True, eq=False)
class Mark:
    """A solver's best point by some time.

    Attributes
    ----------
    seconds : float
        Of the processor's time that the solver had used.
    variance : float
    support : ndarray, shape (s,)
        Indices of the nonzero loadings.
    weights : ndarray, shape (s,)
        The loadings there.
    """

    seconds: float
    variance: float
    support: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True, eq=False)
class Lane:
    """One solver's way.

    Attributes
    ----------
    method : str
        A key of ``nnspca.METHODS``.
    state : {"running", "finished", "stopped", "barred"}
    seconds : float
        Of the processor's time by now.
    marks : tuple of Mark
        Each better than the one before.
    reason : str
        Why it did not start, or was stopped.
    """

    method: str
    state: str = RUNNING
    seconds: float = 0.0
    marks: tuple[Mark, ...] = ()
    reason: str = ""

    @property
    def variance(self) -> float:
        """The best variance by now; 0 while there is none."""
        return self.marks[-1].variance if self.marks else 0.0

    def arrival(self, variance: float) -> float | None:
        """Seconds after which the lane had this variance, or one that ties with it; None if it never had."""
        return next((mark.seconds for mark in self.marks if mark.variance >= variance * (1 - GAIN)), None)


@dataclass(frozen=True)
class Fall:
    """A ceiling, proven ``seconds`` after the proof began: no feasible component has more variance."""

    seconds: float
    upper: float


@dataclass(frozen=True, eq=False)
class Race:
    """A race as it stands.

    Attributes
    ----------
    k : int
    nonnegative : bool
    n_features : int
    lanes : tuple of Lane
        In the order that was asked for.
    falls : tuple of Fall
        The proven ceilings, each lower than the one before.
    proof_state : {"running", "finished", "stopped"}
    proof_seconds : float
    certificate : Certificate or None
        Once the proof has ended.
    fraction : float
        How much is done, 0 to 1.
    stopped : bool
        Whether the whole race was asked to stop.
    """

    k: int
    nonnegative: bool
    n_features: int
    lanes: tuple[Lane, ...]
    falls: tuple[Fall, ...] = ()
    proof_state: str = RUNNING
    proof_seconds: float = 0.0
    certificate: Certificate | None = None
    fraction: float = 0.0
    stopped: bool = False

    @property
    def upper(self) -> float | None:
        """The least proven ceiling by now."""
        return self.falls[-1].upper if self.falls else None

    @property
    def finished(self) -> tuple[Lane, ...]:
        """The lanes that came to their own end."""
        return tuple(lane for lane in self.lanes if lane.state == FINISHED)

    @property
    def winners(self) -> tuple[Lane, ...]:
        """Of the finished ones those that tie for most variance, the one that had it first before the others."""
        most = max((lane.variance for lane in self.finished), default=0.0)
        there = [(at, lane) for lane in self.finished if (at := lane.arrival(most)) is not None]
        return tuple(lane for _, lane in sorted(there, key=lambda pair: pair[0]))

    def component(self, method: str, number: int = 0) -> Component | None:
        """Return what a solver had at its mark ``number``, counted from 1; its best one for 0; None if there is none.

        Raises
        ------
        ValueError
            No such solver in this race.
        """
        lane = next((lane for lane in self.lanes if lane.method == method), None)
        if lane is None:
            raise ValueError(f"method={shown(method)} is not in this race: {', '.join(x.method for x in self.lanes)}")
        if not lane.marks[number - 1 : number or None]:
            return None
        mark = lane.marks[number - 1]
        loadings = np.zeros(self.n_features)
        loadings[mark.support] = mark.weights
        loadings.setflags(write=False)
        return Component(loadings, mark.variance, method, self.k, self.nonnegative, seconds=mark.seconds)

    def to_records(self) -> list[dict[str, object]]:
        """Return one row for each mark and each ceiling: who, when, and how much of the least ceiling it is."""
        upper = self.upper
        rows: list[dict[str, object]] = [
            {
                "who": lane.method,
                "seconds": mark.seconds,
                "variance": mark.variance,
                "share_of_ceiling": mark.variance / upper if upper else None,
                "features": len(mark.support),
                "state": lane.state,
            }
            for lane in self.lanes
            for mark in lane.marks
        ]
        return rows + [
            {
                "who": "ceiling",
                "seconds": fall.seconds,
                "variance": fall.upper,
                "share_of_ceiling": fall.upper / upper if upper else None,
                "features": None,
                "state": self.proof_state,
            }
            for fall in self.falls
        ]


def barred(method: str, n: int, nonnegative: bool) -> str:
    """Say why a method cannot take part with ``n`` features and this sign constraint; nothing where it can.

    >>> barred("exact", 625, True)
    'it takes at most 24 features, and these data have 625'
    >>> barred("best", 625, True)
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
    """Let several solvers, and the proof of a ceiling, start together.

    They take turns of equal length, one at a time, in threads of their own; a clock counts the processor's seconds
    that its solver has used itself. So nobody is charged for what runs beside it. What all of them need, such as the
    leading eigenvectors, is made before the start.

    Parameters
    ----------
    cov : Covariance
        Of n features.
    k : int
        1 <= k <= n.
    methods : sequence of str
        Keys of ``nnspca.METHODS``; one that cannot take part says why, and stays where it is.
    nonnegative : bool
    seed : int
        Same seed, same points on the way of each.
    options : mapping of str to mapping, optional
        For each method, what it is called with.
    seconds : float
        Whoever has used so many is stopped, the proof as well; above 0.
    should_stop : callable, optional
        A stopped race holds what was found by then.
    on_look : callable, optional
        Called with a :class:`Race` as it stands, whenever something has changed.

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
    >>> ended = race(cov, 2, ("best", "thresholding", "pca"))
    >>> [(lane.method, lane.state, round(lane.variance, 3)) for lane in ended.lanes]
    [('best', 'finished', 3.618), ('thresholding', 'finished', 3.618), ('pca', 'barred', 0.0)]
    >>> ended.upper >= ended.lanes[0].variance, ended.component("best").support
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
    asked = _Asked(cov, k, nonnegative, seed)
    runners = [_Runner(name, asked, dict((options or {}).get(name, {})), limit) for name in names]
    proof = _Proof(asked, limit)
    with one_blas_thread():
        for runner in runners:
            runner.warm()
        cov.eigenpairs(min(WARM, cov.n_features))
        return _run(asked, runners, proof, should_stop, on_look)


@dataclass(frozen=True)
class _Asked:
    """The question all of them answer."""

    cov: Covariance
    k: int
    nonnegative: bool
    seed: int


def _run(
    asked: _Asked,
    runners: Sequence[_Runner],
    proof: _Proof,
    should_stop: ShouldStop | None,
    on_look: Callable[[Race], None] | None,
) -> Race:
    """Give the next turn to whoever has used least, the proof first, until all are done."""
    everyone: list[_Turns] = [proof, *(runner for runner in runners if runner.state == RUNNING)]
    stopped = False
    while waiting := [one for one in everyone if one.state == RUNNING]:
        if not stopped and should_stop is not None and should_stop():
            stopped = True
            for one in waiting:
                one.over = True
        one = min(waiting, key=lambda one: one.seconds)
        one.turn()
        if on_look is not None:
            on_look(_standing(asked, runners, proof, stopped))
    return _standing(asked, runners, proof, stopped)


def _standing(asked: _Asked, runners: Sequence[_Runner], proof: _Proof, stopped: bool) -> Race:
    everyone = [proof.fraction, *(runner.fraction for runner in runners)]
    return Race(
        asked.k,
        asked.nonnegative,
        asked.cov.n_features,
        tuple(Lane(r.name, r.state, r.seconds, tuple(r.marks), r.reason) for r in runners),
        tuple(proof.falls),
        proof.state,
        proof.seconds,
        proof.certificate,
        sum(everyone) / len(everyone),
        stopped,
    )


@dataclass
class _Turns:
    """Work in a thread of its own that goes on only while it has its turn, and counts its own seconds.

    Whatever asks often enough whether to stop gives way in time: there the turn ends.
    """

    limit: float
    state: str = field(default=RUNNING, init=False)
    reason: str = field(default="", init=False)
    seconds: float = field(default=0.0, init=False)
    fraction: float = field(default=0.0, init=False)
    over: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._mine, self._theirs = threading.Semaphore(0), threading.Semaphore(0)
        self._thread: threading.Thread | None = None
        self._began = self._turned = 0.0

    def turn(self) -> None:
        """Let the work go on; return when its turn, or the work, has ended."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._begin, name="nnspca-race", daemon=True)
            self._thread.start()
        else:
            self._mine.release()
        self._theirs.acquire()
        if self.state != RUNNING:
            self._thread.join()

    def _begin(self) -> None:
        self._began = self._turned = time.thread_time()
        try:
            ended = self._work()
            self.state = FINISHED if ended else STOPPED
            self.reason = "" if ended else "it was stopped" if self.over else "its time was up"
        except (ValueError, MemoryError) as error:
            self.state, self.reason = BARRED, str(error) or "it needs more memory than there is"
        except Exception as error:  # the others go on
            self.state, self.reason = BARRED, f"it failed: {type(error).__name__}{reason(error, 300)}"
        finally:
            self._look()
            self.fraction = 1.0
            self._theirs.release()

    def _work(self) -> bool:
        """Do the work; return whether it came to its own end."""
        raise NotImplementedError

    def _look(self) -> float:
        """Read the clock; it stands still while others have their turn."""
        self.seconds = time.thread_time() - self._began
        return self.seconds

    def should_stop(self) -> bool:
        """Tell the work whether to end, once it has its turn."""
        now = self._look()
        if time.thread_time() - self._turned >= SLICE and not self.over:
            self._theirs.release()
            self._mine.acquire()
            self._turned = time.thread_time()
        return self.over or now > self.limit

    def _told(self, progress: Progress) -> None:
        self.fraction = max(self.fraction, min(progress.fraction, 1.0))


class _Runner(_Turns):
    """A solver that runs."""

    def __init__(self, name: str, asked: _Asked, options: dict[str, object], limit: float):
        super().__init__(limit)
        self.name, self._asked, self._options = name, asked, options
        self.marks: list[Mark] = []
        self._best = -np.inf
        self.reason = barred(name, asked.cov.n_features, asked.nonnegative)
        if self.reason:
            self.state, self.fraction = BARRED, 1.0

    def warm(self) -> None:
        """Load what the method imports when first used: that is not part of a race."""
        if self.state == RUNNING:
            tiny = Covariance.from_matrix([[3.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
            solve(tiny, 2, self.name, nonnegative=self._asked.nonnegative)

    def _work(self) -> bool:
        asked = self._asked
        part = solve(
            asked.cov,
            asked.k,
            self.name,
            nonnegative=asked.nonnegative,
            seed=asked.seed,
            should_stop=self.should_stop,
            on_progress=self._told,
            on_found=self._found,
            **self._options,  # type: ignore[arg-type]
        )
        self._found(part.loadings, part.variance)
        return not part.stopped

    def _found(self, loadings: np.ndarray, variance: float) -> None:
        """Mark a point that is better by more than rounding can be."""
        if variance <= self._best * (1 + GAIN) or not variance > 0:
            return
        self._best = variance
        x = loadings if self._asked.nonnegative else feasible.orient(loadings)
        support = np.flatnonzero(x)
        self.marks.append(Mark(self._look(), variance, support.astype(np.int32), x[support].copy()))
        if len(self.marks) > MOST:
            del self.marks[1:-1:2]


class _Proof(_Turns):
    """The proof of a ceiling: two quick ones at once, then a certificate that also seeks its own component."""

    def __init__(self, asked: _Asked, limit: float):
        super().__init__(limit)
        self._asked = asked
        self.falls: list[Fall] = []
        self.certificate: Certificate | None = None

    def _work(self) -> bool:
        cov, k, nonnegative, seed = self._asked.cov, self._asked.k, self._asked.nonnegative, self._asked.seed
        first = solve(cov, k, "thresholding", nonnegative=nonnegative, seed=seed, should_stop=self.should_stop)
        certify(
            cov,
            k,
            nonnegative=nonnegative,
            component=first,
            should_stop=lambda: len(self.falls) > 1 or self.should_stop(),
            on_progress=self._quick,
        )
        self.certificate = certify(
            cov, k, nonnegative=nonnegative, seed=seed, should_stop=self.should_stop, on_progress=self._told
        )
        self._fallen(self.certificate.upper)
        return not self.certificate.stopped

    def _quick(self, progress: Progress) -> None:
        if progress.upper is not None:
            self._fallen(progress.upper)

    def _told(self, progress: Progress) -> None:
        super()._told(progress)
        self._quick(progress)

    def _fallen(self, upper: float) -> None:
        if np.isfinite(upper) and (not self.falls or upper < self.falls[-1].upper):
            self.falls.append(Fall(self._look(), upper))
