"""Stability: how often parts, and the features in them, return when the samples are drawn again."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nnspca.result import sentences, wording
from nnspca.result.components import Components
from nnspca.result.display import DataFrame, Display, Figure, frame


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Display):
    """How often each feature returns over bootstrap resamples: a relative frequency, not a proof.

    Examples
    --------
    >>> import nnspca
    >>> data = nnspca.datasets.load("synthetic-spiked")
    >>> stability = nnspca.bootstrap(data.X, 8, resamples=4)
    >>> stability.recurrence.shape, stability.resamples
    ((120, 1), 4)
    """

    parts: Components  #: The parts of all samples; the parts of each resample are paired with these
    k: int  #: Cardinality allowed
    #: Shape (n, r). Share of the resamples in which a feature is in the counterpart of part c; NaN if none was
    #: drawn.
    recurrence: np.ndarray
    #: Shape (resamples, r). Share of the features of part c that are in its counterpart, one row for each resample.
    agreement: np.ndarray
    threshold: float  #: Mean recurrence from which a part counts as stable
    #: Number of resamples that consist of one sample, repeated: they have no variance and no parts
    degenerate: int = 0
    seed: int = 0
    seconds: float = field(default=0.0, compare=False)
    stopped: bool = False  #: True when ``should_stop`` ended the call early: there are fewer resamples than requested

    @property
    def resamples(self) -> int:
        """Number of resamples drawn."""
        return len(self.agreement)

    @property
    def mean_recurrence(self) -> np.ndarray:
        """Mean recurrence of the features of each part, shape (r,)."""
        used = self.parts.loadings != 0
        return np.where(used, self.recurrence, 0.0).sum(axis=0) / used.sum(axis=0)

    @property
    def error(self) -> np.ndarray:
        """Standard error of :attr:`mean_recurrence` over the resamples, shape (r,); NaN for fewer than two."""
        if self.resamples < 2:
            return np.full(self.agreement.shape[1], np.nan)
        return np.asarray(self.agreement.std(axis=0, ddof=1) / np.sqrt(self.resamples))

    @property
    def ranks(self) -> np.ndarray:
        """Rank of each part by mean recurrence, 1 for the most stable, shape (r,); ties share the better rank."""
        mean = self.mean_recurrence
        return 1 + (mean[None, :] > mean[:, None]).sum(axis=1)

    @property
    def stable(self) -> np.ndarray:
        """Which parts reach the threshold, shape (r,)."""
        return self.mean_recurrence >= self.threshold

    @property
    def suggested_r(self) -> int:
        """Number of parts whose mean recurrence reaches the threshold."""
        return int(self.stable.sum())

    def to_records(self) -> list[dict[str, object]]:
        """Return a flat row for each feature of each part, and of its counterparts, the most frequent first."""
        U, recurrence = self.parts.loadings, np.nan_to_num(self.recurrence)
        return [
            {
                "part": int(c) + 1,
                "feature": int(i),
                "loading": float(U[i, c]),
                "recurrence": float(self.recurrence[i, c]),
            }
            for c in range(U.shape[1])
            for i in np.lexsort((-np.abs(U[:, c]), -recurrence[:, c]))
            if U[i, c] or recurrence[i, c]
        ]

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with the rows of :meth:`to_records`, features by name beside their place."""
        rows = self.to_records()
        for row in rows:
            row["place"] = place = int(str(row["feature"]))
            row["feature"] = self.parts.parts[0].feature_name(place)
        return frame([{"component": row.pop("part"), **row} for row in rows])

    def summary(self) -> str:
        """Return plain sentences: how often the features of each part return (sampling, not proof)."""
        if not self.resamples:
            return "No resample was drawn before the call was stopped."
        said = []
        for c, part in enumerate(self.parts.parts):
            often = [i for i in wording.heaviest(part) if self.recurrence[i, c] >= 0.8]
            mean = wording.percent(float(self.mean_recurrence[c]))
            which = [wording.short(part.feature_name(i)) for i in often[: wording.NAMED]]
            listing = wording.listed(which, max(0, len(often) - wording.NAMED)) if often else "no feature"
            said.append(
                f"Part {c + 1}: a feature returns in {mean} of {self.resamples} resamples on average; "
                f"in at least 80 %: {listing}."
            )
        return " ".join(said)

    def plot(self) -> Figure:
        """Return a Plotly figure of the recurrence of each feature of each part."""
        from nnspca.figures.loadings import stability

        parts = [
            ([part.feature_name(i) for i in order], self.recurrence[order, c])
            for c, part in enumerate(self.parts.parts)
            for order in [wording.heaviest(part)]
        ]
        return stability(parts, self.threshold)

    def _lines(self) -> list[str]:
        stopped = ", stopped before its end" if self.stopped else ""
        found = f"{wording.plural(len(self.parts.parts), 'part')} over {wording.plural(self.resamples, 'resample')}"
        stable = f"{self.suggested_r} stable (mean recurrence of at least {self.threshold:g})"
        head = f"Stability: {found}, {stable}{stopped}"
        means = self.mean_recurrence if self.resamples else np.full(len(self.parts.parts), np.nan)
        lines = [f"{c}: {means[c - 1]:.2f}  {sentences.line(p)}" for c, p in enumerate(self.parts.parts[:4], start=1)]
        return [head, *lines, *(["…"] if len(self.parts.parts) > 4 else [])]

    def _picture(self) -> str:
        return "".join(part._picture() for part in self.parts.parts[:4])
