"""Sweeps: many k and methods, or many numbers of parts, on one covariance, and their rows for a table."""

from __future__ import annotations

from dataclasses import dataclass, field

from nnspca.result.certificate import Certificate, PartsCertificate
from nnspca.result.component import Component
from nnspca.result.components import Components


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

        ``lower``, ``upper`` and ``ratio`` are None where that k was not certified; ``ratio`` is
        this row's own variance over the certified upper bound.
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
        One for each (k, number of parts), in this order: the parts found one after the other
        (``greedy``) and ``together``.
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
