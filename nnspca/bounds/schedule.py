"""BoundSchedule: runs a registry's attempts in order and keeps the least bound under each name."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from nnspca.bounds.bound import Attempt, BoundInfo, ContextT, PlanT, least_proven
from nnspca.covariance.problem import Problem
from nnspca.result import Bound


def attempts(
    registry: Mapping[str, BoundInfo[PlanT, ContextT]],
) -> list[tuple[BoundInfo[PlanT, ContextT], Attempt[PlanT, ContextT]]]:
    """Every attempt of every bound, in the order of a certificate."""
    return sorted(
        ((info, attempt) for info in registry.values() for attempt in info.attempts), key=lambda pair: pair[1].at
    )


@dataclass
class BoundSchedule:
    """The bounds made so far, each the least of its name, in order of their last update.

    Attributes
    ----------
    bounds : dict
        By name.
    least : float
        Least value from the attempts that count (``Attempt.counts_for_gap``).
    """

    bounds: dict[str, Bound] = field(default_factory=dict)
    least: float = np.inf

    @property
    def upper(self) -> float:
        """The least proven bound: infinite where there is none."""
        return least_proven(self.bounds)

    def run_attempts(
        self,
        registry: Mapping[str, BoundInfo[PlanT, ContextT]],
        problem: Problem,
        plan: PlanT,
        context: Callable[[], ContextT],
        *,
        first: int = 0,
        last: int = 100,
    ) -> Iterator[tuple[float, Bound]]:
        """Run every attempt that the plan still calls for; yield the fraction done, and each bound.

        Parameters
        ----------
        registry : mapping
            The entries, BOUNDS or PARTS_BOUNDS.
        problem : Problem
        plan : Plan or PartsPlan
            ``Attempt.above`` names one of its fields, a relative gap.
        context : callable
            Returns the context of the next attempt.
        first, last : int
            Attempts whose ``Attempt.at`` lies outside this range are skipped.
        """
        order = [attempt for _, attempt in attempts(registry) if first <= attempt.at <= last]
        ends = [attempt.at for attempt in order[1:]] + [100]
        gap_exceeded: dict[str, bool] = {}  # whether each gap of the plan was exceeded when first evaluated
        for attempt, end in zip(order, ends, strict=True):
            current, gap = context(), attempt.above
            if gap and not gap_exceeded.setdefault(gap, current.relaxation_gap_exceeds(getattr(plan, gap))):
                continue
            expected = attempt.expected(problem, plan) if attempt.expected is not None else 0.0
            clock = time.perf_counter()
            for number, bound in enumerate(attempt.make(problem, plan, current), start=1):
                clock, spent = time.perf_counter(), time.perf_counter() - clock
                if attempt.counts_for_gap and bound.deterministic:
                    self.least = min(self.least, bound.value)
                share = min(number / expected, 1.0) if expected > 0 else 1 - 1 / number
                yield (attempt.at + (end - attempt.at) * share) / 100, self._recorded(bound, spent)

    def _recorded(self, bound: Bound, seconds: float) -> Bound:
        """Replace the bound of the same name unless that was lower; their times add up."""
        before = self.bounds.pop(bound.name, None)
        if before is not None:
            seconds += before.seconds
            bound = before if before.value < bound.value else bound
        self.bounds[bound.name] = replace(bound, value=float(bound.value), seconds=seconds)
        return self.bounds[bound.name]
