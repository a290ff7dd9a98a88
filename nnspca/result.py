"""What the library hands back: components, bounds, certificates and sweeps, all frozen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Progress:
    """How far a running call has come.

    Attributes
    ----------
    fraction : float
        Between 0 and 1, never decreasing within one call.
    stage : str
        What is being done, in plain words.
    variance : float or None
        The best variance found so far.
    upper : float or None
        The least proven upper bound so far.
    """

    fraction: float
    stage: str
    variance: float | None = None
    upper: float | None = None


ShouldStop = Callable[[], bool]
OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, eq=False)
class Component:
    """One component: a unit vector with at most ``k`` nonzero loadings, and how it was found.

    Attributes
    ----------
    loadings : ndarray, shape (n,)
        Unit Euclidean norm. Nonnegative exactly when ``nonnegative``; otherwise signed so that
        the loading of largest magnitude is positive.
    variance : float
        ``x'Ax``, in the squared units of the data.
    method : str
        A key of ``nnspca.METHODS``; "given" for loadings of your own.
    k : int
        The cardinality that was asked for.
    nonnegative : bool
        Whether the sign constraint was on.
    options : mapping
        The options the solver ran with.
    seconds : float
        Wall-clock time of the solve.
    history : tuple of float
        The best variance known after each step of the method; it never decreases.
    stopped : bool
        True when ``should_stop`` ended the call early; the loadings are then the best so far.
    note : str
        What the method has to say about its own run, in plain words.
    """

    loadings: np.ndarray
    variance: float
    method: str
    k: int
    nonnegative: bool = True
    options: Mapping[str, object] = field(default_factory=dict)
    seconds: float = 0.0
    history: tuple[float, ...] = ()
    stopped: bool = False
    note: str = ""

    @property
    def support(self) -> np.ndarray:
        """Indices of the nonzero loadings, ascending."""
        return np.flatnonzero(self.loadings)

    @property
    def cardinality(self) -> int:
        """Number of nonzero loadings."""
        return int(np.count_nonzero(self.loadings))


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
        What :func:`nnspca.verify` needs to re-derive ``value`` without trusting whoever computed it.
    probability: float
        It holds at least with this probability, over whatever was drawn at random: 1.0 where it is proven, and
        always less where it is not.
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


@dataclass(frozen=True, eq=False)
class Components:
    """Several components of one covariance, and what they explain together.

    Attributes
    ----------
    parts : tuple of Component
        One for each component, in the order found; ``variance`` of each is x'Ax on the covariance given,
        not on a deflated one.
    cumulative_variance : ndarray, shape (r,)
        Variance of the span of the first 1, 2, …, r components: ``tr(Q'AQ)`` with Q an orthonormal basis of
        it. Components that are not orthogonal are not credited twice.
    total : float
        Trace of A: all the variance there is.
    method, deflation : str
        Keys of ``nnspca.METHODS`` and ``nnspca.DEFLATIONS``.
    nonnegative : bool
    options : mapping
        The options of method and deflation.
    history : tuple of float
        The objective of a joint method after each of its steps; empty otherwise.
    certificates : tuple of Certificate
        One for each component where ``certify`` was asked, on the (deflated) covariance that component was
        sought on; empty otherwise.
    certificate : PartsCertificate or None
        What is proven of all together, where parts sought "together" were to be certified.
    seconds : float
    stopped : bool
        True when ``should_stop`` ended the call early; fewer components than asked may then be here.
    note : str
        What there is to say about the run, in plain words.
    """

    parts: tuple[Component, ...]
    cumulative_variance: np.ndarray
    total: float
    method: str
    deflation: str
    nonnegative: bool = True
    options: Mapping[str, object] = field(default_factory=dict)
    history: tuple[float, ...] = ()
    certificates: tuple[Certificate, ...] = ()
    certificate: PartsCertificate | None = None
    seconds: float = 0.0
    stopped: bool = False
    note: str = ""

    @property
    def loadings(self) -> np.ndarray:
        """The components as unit columns, shape (n, r)."""
        return np.column_stack([part.loadings for part in self.parts])

    def padded(self, r: int) -> np.ndarray:
        """The components as rows, shape (r, n), with rows of zeros where there are fewer."""
        rows = np.zeros((r, len(self.parts[0].loadings)))
        rows[: len(self.parts)] = self.loadings.T
        return rows

    @property
    def variances(self) -> np.ndarray:
        """Each component's own variance x'Ax, shape (r,)."""
        return np.array([part.variance for part in self.parts])

    @property
    def cardinalities(self) -> np.ndarray:
        """Number of nonzero loadings of each component, shape (r,)."""
        return np.array([part.cardinality for part in self.parts])

    @property
    def overlap(self) -> float:
        """``‖I − U'U‖_F``: 0 for orthogonal components (Zass & Shashua 2006, Fig. 3)."""
        return overlap(self.loadings)

    @property
    def angles(self) -> np.ndarray:
        """Angles between the components in degrees, 0 to 90, shape (r, r)."""
        U = self.loadings
        cosines = np.clip(np.abs(U.T @ U), 0.0, 1.0)
        np.fill_diagonal(cosines, 1.0)
        return np.degrees(np.arccos(cosines))


def overlap(U: np.ndarray) -> float:
    """``‖I − U'U‖_F``: 0 for orthogonal unit columns."""
    return float(np.linalg.norm(np.eye(U.shape[1]) - U.T @ U))


@dataclass(frozen=True, eq=False)
class SweepPoint:
    """One (k, method) pair of a sweep; ``certificate`` is None until its k has been certified."""

    k: int
    method: str
    component: Component
    certificate: Certificate | None = None


@dataclass(frozen=True, eq=False)
class Sweep:
    """Many k and methods on one covariance.

    Attributes
    ----------
    points : tuple of SweepPoint
        One for each (k, method), ordered by k and then as the methods were given.
    leading : float
        Largest eigenvalue of A: variances divided by it are the normalised variances.
    stopped : bool
        True when the sweep was stopped; the points solved by then are all here.
    """

    points: tuple[SweepPoint, ...]
    leading: float
    nonnegative: bool = True
    stopped: bool = False
    seconds: float = field(default=0.0)

    @property
    def certificates(self) -> dict[int, Certificate]:
        """The certificate of each certified k."""
        return {p.k: p.certificate for p in self.points if p.certificate is not None}

    def to_records(self) -> list[dict[str, object]]:
        """Return one flat row per (k, method), ready for a data frame or a CSV file.

        ``lower``, ``upper`` and ``ratio`` are None where that k was not certified; ``ratio`` is this
        row's own variance over the certified upper bound.
        """
        return [
            {
                "k": p.k,
                "method": p.method,
                "variance": p.component.variance,
                "normalized_variance": p.component.variance / self.leading,
                "cardinality": p.component.cardinality,
                "seconds": p.component.seconds,
                "lower": p.certificate.lower if p.certificate else None,
                "upper": p.certificate.upper if p.certificate else None,
                "ratio": p.component.variance / p.certificate.upper if p.certificate else None,
                "stopped": p.component.stopped,
            }
            for p in self.points
        ]


@dataclass(frozen=True, eq=False)
class PartsPoint:
    """One number of parts and one k of a sweep; ``certificate`` is None until it has been certified."""

    n_components: int
    k: int
    greedy: Components
    together: Components
    certificate: PartsCertificate | None = None


@dataclass(frozen=True, eq=False)
class PartsSweep:
    """Many numbers of parts and many k on one covariance.

    Attributes
    ----------
    points : tuple of PartsPoint
        One for each (k, number of parts), in this order: the parts found one after the other (``greedy``) and
        ``together``.
    total : float
        Trace of A: all the variance there is.
    stopped : bool
        True when the sweep was stopped; the points found by then are all here.
    """

    points: tuple[PartsPoint, ...]
    total: float
    nonnegative: bool = True
    stopped: bool = False
    seconds: float = 0.0

    def to_records(self) -> list[dict[str, object]]:
        """Return one flat row per point; ``lower``, ``upper`` and ``ratio`` are None where it was not certified."""
        return [
            {
                "n_components": p.n_components,
                "k": p.k,
                "greedy": float(p.greedy.variances.sum()),
                "together": float(p.together.variances.sum()),
                "total": self.total,
                "lower": p.certificate.lower if p.certificate else None,
                "upper": p.certificate.upper if p.certificate else None,
                "ratio": p.certificate.ratio if p.certificate else None,
            }
            for p in self.points
        ]
