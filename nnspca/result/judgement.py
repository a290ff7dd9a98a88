"""Judgement: loadings that others found, each beside the proven maximum for as many features and its signs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nnspca.result import sentences, wording
from nnspca.result.certificate import Certificate
from nnspca.result.component import Component
from nnspca.result.display import DataFrame, Display, Figure, frame

TOLD = 4  # most components that are described one by one
BETTER = 1e-9  # relative gain from which another component is better


@dataclass(frozen=True, eq=False, repr=False)
class Judgement(Display):
    """Components that others found, each beside a certificate for its own cardinality and sign.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[3.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 2.0]], names=["a", "b", "c"])
    >>> judged = nnspca.certify_loadings(cov, [0.0, 3.0, 4.0])
    >>> judged
    Judgement: one component of three features beside the proven maximum
      1: two features, loadings ≥ 0: variance 2.36, at least 58.99 % of the maximum (proven); better: a and b
    >>> judged.better[0].names, judged.ratio.round(3)
    (('a', 'b'), array([0.59]))
    """

    components: tuple[Component, ...]  #: What was given: unit vectors, with the variance that each has here
    #: One for each: of as many features with the same sign constraint. Its ``component`` is the best one known, its
    #: ``upper`` the proven maximum; those of one cardinality and sign share one.
    certificates: tuple[Certificate, ...]
    stopped: bool = False  #: True when ``should_stop`` ended the call early; the maxima are proven all the same
    seconds: float = field(default=0.0, compare=False)  #: Wall-clock time

    @property
    def variances(self) -> np.ndarray:
        """Variance of each component, shape (r,)."""
        return np.array([part.variance for part in self.components])

    @property
    def upper(self) -> np.ndarray:
        """Proven maximum of the variance that as many features with these signs can have, shape (r,)."""
        return np.array([certificate.upper for certificate in self.certificates])

    @property
    def ratio(self) -> np.ndarray:
        """Share of that maximum that each component is proven to have, rounded down, shape (r,)."""
        return np.clip(np.nextafter(self.variances / self.upper, 0.0), 0.0, 1.0)

    @property
    def better(self) -> tuple[Component | None, ...]:
        """For each the best component known of the same cardinality and sign; None where none is better."""
        pairs = zip(self.components, self.certificates, strict=True)
        return tuple(c.component if c.lower > part.variance * (1 + BETTER) else None for part, c in pairs)

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with a row for each component."""
        parts, certificates = self.components, self.certificates
        columns = {
            "variance": self.variances,
            "share": [part.share for part in parts],
            "cardinality": [part.cardinality for part in parts],
            "k": [part.k for part in parts],
            "nonnegative": [part.nonnegative for part in parts],
            "upper": self.upper,
            "ratio": self.ratio,
            "best_found": [max(c.lower, part.variance) for part, c in zip(parts, certificates, strict=True)],
            "better": ["" if other is None else ", ".join(other.names) for other in self.better],
        }
        return frame(columns, index=range(1, len(parts) + 1), name="component")

    def summary(self) -> str:
        """Return plain sentences: how near to the proven maximum each component is, and what does better."""
        told = [self._sentence(c) for c in range(min(len(self.components), TOLD))]
        more = len(self.components) - len(told)
        rest = self.ratio[len(told) :].min(initial=1.0)
        others = f"Of {wording.spelled(more)} more, each has at least {wording.at_least(float(rest))} of it (proven)."
        return sentences.join(*told, others if more else "")

    def plot(self) -> Figure:
        """Return a Plotly figure: the variance of each component, the best one known, and the proven maximum."""
        from nnspca.figures.results import judged

        best = [max(c.lower, v) for c, v in zip(self.certificates, self.variances.tolist(), strict=True)]
        return judged(self.variances.tolist(), best, self.upper.tolist())

    def _allowed(self, c: int) -> str:
        part = self.components[c]
        return f"{wording.counted(part.k, 'feature')} {'with loadings ≥ 0' if part.nonnegative else 'of any sign'}"

    def _sentence(self, c: int) -> str:
        part, upper, other = self.components[c], self.certificates[c].upper, self.better[c]
        if other is None and part.variance > 0:
            others, do = ("single feature", "does") if part.k == 1 else (self._allowed(c), "do")
            gain = wording.gain(part.variance, upper)
            return f"Component {c + 1}: no {others} {do} better by more than {gain} (proven)."
        text = f"Component {c + 1} has at least {wording.proven_share(part.variance, upper)} of the variance that "
        text += f"{self._allowed(c)} can have (proven)"
        if other is None:
            return f"{text}."
        times = other.variance / part.variance if part.variance > 0 else np.inf
        more = f"{wording.percent(times - 1)} more" if times < 2 else f"{times:.3g} times as much"
        have = f"{'has' if other.cardinality == 1 else 'have'} {more if times < np.inf else 'more'}"
        return f"{text}; {wording.members(other)} {have}."

    def _lines(self) -> list[str]:
        count, n = len(self.components), len(self.components[0].loadings)
        lines = [
            f"Judgement: {wording.counted(count, 'component')} of {wording.counted(n, 'feature')} "
            "beside the proven maximum"
        ]
        for c, (part, other) in enumerate(zip(self.components[:TOLD], self.better[:TOLD], strict=True)):
            share = wording.proven_share(part.variance, self.certificates[c].upper)
            named = "" if other is None else f"; better: {wording.members(other, 3)}"
            lines.append(
                f"{c + 1}: {wording.counted(part.k, 'feature')}, {wording.sign(part.nonnegative)}: "
                f"variance {part.variance:.4g}, at least {share} of the maximum (proven){named}"
            )
        return [*lines, *([f"… and {count - TOLD} more"] if count > TOLD else [])]

    def _picture(self) -> str:
        return "".join(part._picture() for part in self.components[:TOLD])
