"""Necessity: which features every near-best component has, and how much each can hold of one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnspca.result.component import Component


@dataclass(frozen=True, eq=False)
class Necessity:
    """What is proven of each of n features about all near-best components.

    A *near-best* component is feasible and of at least ``threshold``: within the share ``within``
    of the best found, and so every component within that share of the unknown optimum is one.

    Attributes
    ----------
    k : int
        Cardinality allowed.
    nonnegative : bool
        Whether the sign constraint is on.
    within : float
        Share of the best found that a near-best component may lack.
    lower : float
        What ``component`` is proven to attain, rounding included.
    threshold : float
        ``(1 - within) * lower``, rounded down.
    component : Component
        The best found.
    essential : ndarray of bool, shape (n,)
        Every near-best component has the feature: a proven ceiling without it lies below
        ``threshold``.
    dispensable : ndarray of bool, shape (n,)
        Some near-best component does without it: one was found.
    limit : ndarray, shape (n,)
        Proven ceiling on the share of weight ``x_i²`` in any near-best component that is best on
        its own support, rounded up: 1 where nothing is known.
    ceilings : ndarray, shape (n,)
        No component without the feature has more variance than this, or than ``threshold``,
        whichever is larger; NaN where no such ceiling was sought.
    fingerprint : str
        Hash of the covariance it speaks about.
    seconds : float
        Wall-clock time, the search for the component included.
    stopped : bool
        True when ``should_stop`` ended the call early: what is said is proven all the same, and
        more is left open.
    """

    k: int
    nonnegative: bool
    within: float
    lower: float
    threshold: float
    component: Component
    essential: np.ndarray
    dispensable: np.ndarray
    limit: np.ndarray
    ceilings: np.ndarray
    fingerprint: str
    seconds: float = 0.0
    stopped: bool = False

    @property
    def undecided(self) -> np.ndarray:
        """Features of which neither is known, shape (n,): a ceiling that is not low enough shows nothing."""
        return ~(self.essential | self.dispensable)
