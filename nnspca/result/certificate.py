"""Bounds, and certificates: what was found beside a ceiling that nothing can pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnspca.result.component import Component


@dataclass(frozen=True, eq=False)
class Bound:
    """One upper bound on the variance any feasible component can have.

    Attributes
    ----------
    name : str
        Which bound: a key of ``nnspca.BOUNDS``.
    value : float
        No feasible variance exceeds it (if ``deterministic``), rounding included.
    deterministic : bool
        True for a proven bound; False for one that holds only with some probability.
    detail : str
        What was proven and with which parameters, in plain words.
    seconds : float
        Wall-clock time it took.
    ingredients : object or None
        What :func:`nnspca.verify` needs to re-derive ``value`` without trusting whoever computed
        it.
    probability: float
        It holds at least with this probability, over whatever was drawn at random: 1.0 where it is
        proven, and always less where it is not.
    """

    name: str
    value: float
    deterministic: bool = True
    detail: str = ""
    seconds: float = 0.0
    ingredients: object | None = None
    probability: float = 1.0


class Sandwich:
    """What every certificate tells of its two numbers and its bounds."""

    lower: float
    upper: float
    bounds: tuple[Bound, ...]

    @property
    def ratio(self) -> float:
        """``lower / upper``: what was found attains at least this share of the optimum."""
        return self.lower / self.upper

    @property
    def gap(self) -> float:
        """``1 - ratio``: the share of the optimum that may have been missed, at most."""
        return 1.0 - self.ratio

    @property
    def winner(self) -> Bound:
        """The bound that gives ``upper``."""
        return min((b for b in self.bounds if b.deterministic), key=lambda b: b.value)

    def bound(self, name: str) -> Bound:
        """Return the bound called ``name``; KeyError when it was not tried."""
        for candidate in self.bounds:
            if candidate.name == name:
                return candidate
        raise KeyError(f"no bound {name!r} here; tried: {', '.join(b.name for b in self.bounds)}")


@dataclass(frozen=True, eq=False)
class Certificate(Sandwich):
    """A feasible component and a proven ceiling: the unknown optimum lies between them.

    Attributes
    ----------
    k : int
        Cardinality allowed.
    nonnegative : bool
        Whether the sign constraint is on.
    lower : float
        Variance of ``component``, the best feasible point known.
    upper : float
        The least deterministic bound in ``bounds``: no feasible variance exceeds it.
    component : Component
        Attains ``lower``.
    bounds : tuple of Bound
        Every upper bound tried.
    leading : float
        Proven ceiling on the largest eigenvalue of A, for normalising.
    fingerprint : str
        Hash of the covariance it speaks about.
    effort : str
        ``"live"`` or ``"thorough"``.
    seconds : float
        Wall-clock time, solving included.
    stopped : bool
        True when ``should_stop`` ended the call early; the bounds are valid all the same.
    """

    k: int
    nonnegative: bool
    lower: float
    upper: float
    component: Component
    bounds: tuple[Bound, ...]
    leading: float
    fingerprint: str
    effort: str = "live"
    seconds: float = 0.0
    stopped: bool = False


@dataclass(frozen=True, eq=False)
class PartsCertificate(Sandwich):
    """Several parts of disjoint supports and a proven ceiling on what any so many can explain together.

    Attributes
    ----------
    n_components : int
        Parts allowed: r unit vectors, no feature in two of them.
    k : int
        Cardinality allowed to each.
    nonnegative : bool
        Whether the sign constraint is on.
    lower : float
        Sum of the variances of ``parts``, the best known.
    upper : float
        The least of ``bounds``: no r such parts have a larger sum of variances.
    parts : tuple of Component
        Attain ``lower``; fewer than r where the others would have no variance.
    bounds : tuple of Bound
        Every upper bound tried: keys of ``nnspca.PARTS_BOUNDS``.
    fingerprint : str
        Hash of the covariance it speaks about.
    effort : str
        ``"live"`` or ``"thorough"``.
    seconds : float
        Wall-clock time, the search for parts included.
    stopped : bool
        True when ``should_stop`` ended the call early; the bounds are valid all the same.
    """

    n_components: int
    k: int
    nonnegative: bool
    lower: float
    upper: float
    parts: tuple[Component, ...]
    bounds: tuple[Bound, ...]
    fingerprint: str
    effort: str = "live"
    seconds: float = 0.0
    stopped: bool = False

    @property
    def loadings(self) -> np.ndarray:
        """The parts as unit columns, one for each part that is here."""
        return np.column_stack([part.loadings for part in self.parts])
