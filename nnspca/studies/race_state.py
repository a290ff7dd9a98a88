"""The state of a race: the variance of each solver and the proven bounds over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnspca.control.arguments import shown
from nnspca.covariance.restriction import widened
from nnspca.numerics.doubles import read_only
from nnspca.result import Certificate, Component

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
