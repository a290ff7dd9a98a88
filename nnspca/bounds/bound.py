"""What is to be known of a bound: its words, the proofs it hands over, and the turns it takes in a certificate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Literal

from nnspca.bounds.plan import Known, Plan
from nnspca.covariance.problem import Problem
from nnspca.result import Bound

Make = Callable[[Problem, Plan, Known], Iterator[Bound]]


@dataclass(frozen=True)
class Attempt:
    """One turn of a bound in a certificate.

    Attributes
    ----------
    at : float
        Share of the work done before it: attempts are made in this order, and the first is a bound
        on every direction.
    make : callable
        ``make(problem, plan, known)`` yields falling bounds, each of them valid; none where it has
        no say.
    above : {"", "narrow", "optimal"}
        Made only where the relaxations leave more than this gap of the plan's, by the time of the
        first attempt that asks for it; always if empty.
    relaxes : bool
        Whether what it proves counts for that gap.
    """

    at: float
    make: Make
    above: Literal["", "narrow", "optimal"] = ""
    relaxes: bool = False


@dataclass(frozen=True)
class BoundInfo:
    """One bound: its words, the proofs it hands over, and when and how a certificate makes it.

    Attributes
    ----------
    name : str
        Key in :data:`BOUNDS`, and ``Bound.name``.
    title : str
        For legends.
    summary : str
        Why no feasible variance exceeds it: one sentence, in plain words.
    proofs : tuple of type
        What its ``Bound.ingredients`` may be: types that :func:`nnspca.verify` can derive a value
        from. Empty for a bound that holds only with some probability.
    argument : str
        Why, in two to five sentences, for someone who has met eigenvalues; argued in full where the
        bound is made.
    attempts : tuple of Attempt
        Empty where another entry's attempts make it too, or :func:`nnspca.sweep` does.
    every_direction : bool
        Whether it holds without any constraint, and so for the largest eigenvalue.
    """

    name: str
    title: str
    summary: str
    proofs: tuple[type, ...]
    _: KW_ONLY
    argument: str = ""
    attempts: tuple[Attempt, ...] = ()
    every_direction: bool = False

    @property
    def deterministic(self) -> bool:
        """False for a bound that holds only with some probability."""
        return bool(self.proofs)
