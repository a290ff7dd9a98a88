"""Sweeps: many k and methods, or many numbers of parts, on one covariance, and their rows for a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nnspca.result import rounded, wording
from nnspca.result.certificate import Certificate, PartsCertificate
from nnspca.result.component import Component
from nnspca.result.components import Components
from nnspca.result.wording import ByValue, Display, Figure


@dataclass(frozen=True, eq=False)
class SweepPoint(ByValue):
    """One (k, method) pair of a sweep; ``certificate`` is None until its k has been certified.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> point = nnspca.sweep(cov, k=2, methods=("best",)).points[0]
    >>> point.k, point.method, round(point.component.variance, 3), point.certificate.k
    (2, 'best', 3.0, 2)
    """

    k: int
    method: str
    component: Component
    certificate: Certificate | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(Display):
    """Many k and methods on one covariance.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> curve = nnspca.sweep(cov, k=[1, 2], methods=("best",))
    >>> [round(row["normalized_variance"], 3) for row in curve.to_records()]
    [0.667, 1.0]
    >>> sorted(curve.certificates)
    [1, 2]
    """

    points: tuple[SweepPoint, ...]  #: One for each (k, method), ordered by k and then as the methods were given
    leading: float  #: Largest eigenvalue of A: variances divided by it are the normalised variances
    nonnegative: bool = True
    stopped: bool = False  #: True when the sweep was stopped; it has the points solved by then
    seconds: float = field(default=0.0, compare=False)

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

    def summary(self) -> str:
        """Return plain sentences about the range of the curve and the proven shares."""
        if not self.points:
            return "Nothing was solved before the sweep was stopped."
        best = max(self.points, key=lambda p: p.component.variance)
        share = rounded.percent(best.component.variance / self.leading)
        text = (
            f"The largest variance found at k = {self.points[0].k} to {self.points[-1].k} is {share} of that of the "
            f'first principal component, found by the solver "{best.method}" at k = {best.k}.'
        )
        if proven := self.certificates:
            k = min(proven, key=lambda each: proven[each].ratio)
            share = rounded.ratio(proven[k].lower, proven[k].upper)
            text += f" At every k certified, at least {share} of the optimum was found (proven; least at k = {k})."
        return text

    def _figure(self, figures: Any) -> Figure:
        """Variance against k for each method, and the band in which the optimum lies."""
        curves = {
            name: [(p.k, p.component.variance / self.leading) for p in self.points if p.method == name]
            for name in dict.fromkeys(p.method for p in self.points)
        }
        band = [(k, c.lower / self.leading, c.upper / self.leading) for k, c in self.certificates.items()]
        return figures.sweep(curves, band, "k", "share of the first principal component's variance")

    def _lines(self) -> list[str]:
        methods = ", ".join(dict.fromkeys(p.method for p in self.points))
        ks = sorted({p.k for p in self.points})
        text = f"Sweep: k = {ks[0]}" if len(ks) == 1 else f"Sweep: {len(ks)} values of k"
        text += f" from {ks[0]} to {ks[-1]}" if len(ks) > 1 else ""
        text += f", by {methods}" if ks else ""
        return [text + self._ended, self.summary()]


@dataclass(frozen=True, eq=False)
class PartsPoint(ByValue):
    """One number of parts of a sweep; ``certificate`` is None until it has been certified.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> point = nnspca.sweep_parts(cov, [2], 1).points[0]
    >>> point.n_components, point.k, len(point.together)
    (2, 1, 2)
    """

    n_components: int
    k: int
    greedy: Components
    together: Components
    certificate: PartsCertificate | None = None


@dataclass(frozen=True, eq=False, repr=False)
class PartsSweep(Display):
    """Many numbers of parts on one covariance.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> curve = nnspca.sweep_parts(cov, [1, 2], 1)
    >>> [point.n_components for point in curve.points], curve.total
    ([1, 2], 4.0)
    """

    #: One for each number of parts, fewest first: the parts found one after the other (``greedy``) and ``together``
    points: tuple[PartsPoint, ...]
    total: float  #: Trace of A: the total variance
    nonnegative: bool = True
    stopped: bool = False  #: True when the sweep was stopped; it has the points found by then
    seconds: float = field(default=0.0, compare=False)

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

    def summary(self) -> str:
        """Return plain sentences about the range of the curve and the proven shares."""
        if not self.points:
            return "Nothing was found before the sweep was stopped."
        last = self.points[-1]
        share = rounded.percent(float(last.together.variances.sum()) / self.total)
        parts = wording.counted(last.n_components, "part").capitalize()
        text = f"{parts} with k = {last.k} carry {share} of the total variance."
        if proven := [p.certificate for p in self.points if p.certificate is not None]:
            least = min(proven, key=lambda cert: cert.ratio)
            share = rounded.ratio(least.lower, least.upper)
            text += f" At every point certified, at least {share} of the optimum was found (proven)."
        return text

    def _figure(self, figures: Any) -> Figure:
        """Variance against the number of parts, and the band in which the optimum lies."""
        curves = {
            name: [(p.n_components, float(found(p).variances.sum()) / self.total) for p in self.points]
            for name, found in (("together", lambda p: p.together), ("one after the other", lambda p: p.greedy))
        }
        proven = [(p.n_components, p.certificate) for p in self.points if p.certificate is not None]
        band = [(r, cert.lower / self.total, cert.upper / self.total) for r, cert in proven]
        return figures.sweep(curves, band, "parts", "share of the total variance")

    def _lines(self) -> list[str]:
        text = f"PartsSweep: {len(self.points)} points" + self._ended
        return [text, self.summary()]
