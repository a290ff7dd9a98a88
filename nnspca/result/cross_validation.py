"""Cross-validation: variance of held-out samples explained by components, for many k."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nnspca.result import wording
from nnspca.result.display import DataFrame, Display, Figure, frame


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation(Display):
    """Share of the variance of held-out samples explained, for each k: an estimate, not a proof.

    Examples
    --------
    >>> import nnspca
    >>> data = nnspca.datasets.load("synthetic-spiked")
    >>> trial = nnspca.cross_validate(data.X, [4, 8], n_components=1, folds=2)
    >>> trial.ks, trial.held_out.shape
    ((4, 8), (2, 2))
    """

    ks: tuple[int, ...]
    #: Shape (folds, len(ks)). For the held-out samples of a fold: share of their squared distance from the mean of
    #: the other samples that is explained by components fitted to those. NaN if that distance is zero, or the fold
    #: was not computed.
    held_out: np.ndarray
    fitted: np.ndarray  #: Shape (folds, len(ks)). The same share for the samples that were fitted.
    n_components: int = 1  #: How many components together
    seed: int = 0
    seconds: float = field(default=0.0, compare=False)
    stopped: bool = False  #: True when ``should_stop`` ended the call early

    @property
    def mean(self) -> np.ndarray:
        """Mean held-out share over the folds, shape (len(ks),); NaN where no fold is known."""
        return _mean(self.held_out)

    @property
    def fitted_mean(self) -> np.ndarray:
        """Mean share of the fitted samples, shape (len(ks),)."""
        return _mean(self.fitted)

    @property
    def error(self) -> np.ndarray:
        """Standard error of :attr:`mean`, shape (len(ks),); NaN for fewer than two folds."""
        finite = np.isfinite(self.held_out)
        count = finite.sum(axis=0)
        deviations = np.where(finite, self.held_out - np.nan_to_num(self.mean), 0.0)
        divisor = np.maximum(count - 1, 1) * np.maximum(count, 1)
        return np.where(count > 1, np.sqrt((deviations**2).sum(axis=0) / divisor), np.nan)

    @property
    def best_k(self) -> int | None:
        """The smallest k of the largest mean; None if nothing is known."""
        mean = self.mean
        return self.ks[int(np.nanargmax(mean))] if np.isfinite(mean).any() else None

    @property
    def suggested_k(self) -> int | None:
        """The smallest k whose mean lies within one standard error of the largest; None if nothing is known."""
        best = self.best_k
        if best is None:
            return None
        place = self.ks.index(best)
        mean = np.nan_to_num(self.mean, nan=-np.inf)
        return self.ks[int(np.argmax(mean >= mean[place] - np.nan_to_num(self.error[place])))]

    def to_records(self) -> list[dict[str, object]]:
        """Return one flat row for each k."""
        return [
            {"k": k, "held_out": float(mean), "standard_error": float(error), "fitted": float(fitted)}
            for k, mean, error, fitted in zip(self.ks, self.mean, self.error, self.fitted_mean, strict=True)
        ]

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with the rows of :meth:`to_records`."""
        return frame(self.to_records())

    def summary(self) -> str:
        """Return a plain sentence: the suggested k and the reason (sampling, not proof)."""
        if self.suggested_k is None:
            return "Nothing is known of held-out samples."
        share = wording.percent(float(self.mean[self.ks.index(self.suggested_k)]))
        return (
            f"k = {self.suggested_k} is suggested: it explains {share} of the variance of held-out samples, "
            f"within one standard error of the maximum (at k = {self.best_k})."
        )

    def plot(self) -> Figure:
        """Return a Plotly figure: held-out variance against k, with its standard error."""
        from nnspca.figures.curves import held_out

        return held_out(self.ks, self.mean, self.error, self.fitted_mean, self.suggested_k)

    def _lines(self) -> list[str]:
        folds = len(self.held_out)
        stopped = ", stopped before its end" if self.stopped else ""
        return [
            f"CrossValidation: {wording.plural(len(self.ks), 'value')} of k, {folds} folds{stopped}",
            self.summary(),
        ]


def _mean(shares: np.ndarray) -> np.ndarray:
    """Mean of the known values of each column."""
    finite = np.isfinite(shares)
    count = finite.sum(axis=0)
    return np.where(count > 0, np.where(finite, shares, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)
