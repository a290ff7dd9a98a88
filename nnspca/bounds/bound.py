"""The registry entry of a bound: its description, the types of its proofs, and when a certificate tries it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Generic, Literal, TypeVar

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.result import Bound


def least_proven(bounds: Mapping[str, Bound]) -> float:
    """Return the least value among the deterministic bounds; infinite if there is none."""
    return min((bound.value for bound in bounds.values() if bound.deterministic), default=np.inf)


@dataclass(frozen=True, eq=False, kw_only=True)
class Proven:
    """The variance attained and the bounds proven before an attempt: of one component, or of several parts.

    Attributes
    ----------
    lower : float
        The variance, or sum of variances, of the best that is known.
    bounds : mapping
        The bounds of this call so far, by name.
    least : float
        The least value of the attempts so far that count (``Attempt.counts_for_gap``): infinite where
        there is none.
    monitor : Monitor
    """

    lower: float
    bounds: Mapping[str, Bound] = field(default_factory=dict)
    least: float = np.inf
    monitor: Monitor = field(default_factory=Monitor)

    @property
    def upper(self) -> float:
        """The least upper bound proven so far; infinite if there is none."""
        return least_proven(self.bounds)

    def gap_exceeds(self, gap: float) -> bool:
        """Whether all bounds together leave a relative gap larger than this."""
        return self.upper > self.lower * (1 + gap)

    def relaxation_gap_exceeds(self, gap: float) -> bool:
        """Whether the attempts that count leave a relative gap larger than this."""
        return self.least > self.lower * (1 + gap)


PlanT = TypeVar("PlanT")  # a Plan, or a PartsPlan
ContextT = TypeVar("ContextT", bound=Proven)  # BoundContext or PartsContext


@dataclass(frozen=True)
class Attempt(Generic[PlanT, ContextT]):
    """One attempt to make a bound within a certificate.

    Attributes
    ----------
    at : int
        Its place: attempts are made in this order, and it is the percentage of the work done before.
        The very first bounds every direction, so that a call stopped at once still has an upper bound.
    make : callable
        ``make(problem, plan, context)`` yields decreasing bounds, each of them valid; nothing if it
        does not apply.
    above : {"", "narrow", "optimal"}
        The attempt is made only if the relaxations leave a gap larger than the plan's field of this
        name, as evaluated at the first such attempt; if empty, it is always made.
    counts_for_gap : bool
        Whether its bounds count for that gap; those that hold only with some probability never do.
    expected : callable, optional
        ``expected(problem, plan)``: about how many bounds it yields, where that can be estimated;
        used for the progress.
    """

    at: int
    make: Callable[[Problem, PlanT, ContextT], Iterator[Bound]]
    above: Literal["", "narrow", "optimal"] = ""
    counts_for_gap: bool = False
    expected: Callable[[Problem, PlanT], float] | None = None


@dataclass(frozen=True)
class BoundInfo(Generic[PlanT, ContextT]):
    """One bound: its description, the types of its proofs, and the attempts at it in a certificate.

    Attributes
    ----------
    name : str
        Key in :data:`BOUNDS` or :data:`PARTS_BOUNDS`, and ``Bound.name``.
    title : str
        For legends.
    summary : str
        Why no feasible variance exceeds it: one sentence, in plain words.
    proofs : tuple of type
        What its ``Bound.ingredients`` may be: types that :func:`nnspca.verify` can derive a value
        from. Empty for a bound that holds only with some probability.
    argument : str
        The reason in two to five sentences for readers who know eigenvalues; the full proof is
        in the module of the bound. Empty for bounds on several parts.
    attempts : tuple of Attempt
        Empty if the bound comes from another entry's attempts or from a sweep.
    every_direction : bool
        Whether it holds without any constraint, and so also bounds λ₁.

    Examples
    --------
    >>> import nnspca
    >>> info = nnspca.BOUNDS["pair-scaled"]
    >>> info.name, len(info.proofs) > 0
    ('pair-scaled', True)
    """

    name: str
    title: str
    summary: str
    proofs: tuple[type, ...]
    _: KW_ONLY
    argument: str = ""
    attempts: tuple[Attempt[PlanT, ContextT], ...] = ()
    every_direction: bool = False

    @property
    def deterministic(self) -> bool:
        """False for a bound that holds only with some probability."""
        return bool(self.proofs)
