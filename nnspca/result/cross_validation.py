"""Cross-validation: what components keep of samples that they were not sought on, for many k."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Share of the variance of held-out samples that is kept, for each k: an estimate, not a proof.

    Attributes
    ----------
    ks : tuple of int
    held_out : ndarray, shape (folds, len(ks))
        Share of the squared distance of a fold's samples, from the mean of the others, that the
        components sought on the others keep; NaN where all samples of a fold lie in that mean, or
        where it was stopped before.
    fitted : ndarray, shape (folds, len(ks))
        The same share of the samples they were sought on.
    n_components : int
        How many components together.
    seed : int
    seconds : float
    stopped : bool
        True when ``should_stop`` ended the call early.
    """

    ks: tuple[int, ...]
    held_out: np.ndarray
    fitted: np.ndarray
    n_components: int = 1
    seed: int = 0
    seconds: float = 0.0
    stopped: bool = False

    @property
    def mean(self) -> np.ndarray:
        """Mean held-out share over the folds, shape (len(ks),); NaN where no fold is known."""
        return _mean(self.held_out)

    @property
    def fitted_mean(self) -> np.ndarray:
        """Mean share of the samples sought on, shape (len(ks),)."""
        return _mean(self.fitted)

    @property
    def error(self) -> np.ndarray:
        """Standard error of :attr:`mean`, shape (len(ks),); NaN for fewer than two folds."""
        known = np.isfinite(self.held_out)
        count = known.sum(axis=0)
        away = np.where(known, self.held_out - np.nan_to_num(self.mean), 0.0)
        several = np.maximum(count - 1, 1) * np.maximum(count, 1)
        return np.where(count > 1, np.sqrt((away**2).sum(axis=0) / several), np.nan)

    @property
    def best_k(self) -> int | None:
        """The smallest k of the largest mean; None where nothing is known."""
        mean = self.mean
        return self.ks[int(np.nanargmax(mean))] if np.isfinite(mean).any() else None

    @property
    def suggested_k(self) -> int | None:
        """The smallest k whose mean lies within one standard error of the largest; None where nothing is known."""
        best = self.best_k
        if best is None:
            return None
        at = self.ks.index(best)
        mean = np.nan_to_num(self.mean, nan=-np.inf)
        return self.ks[int(np.argmax(mean >= mean[at] - np.nan_to_num(self.error[at])))]

    def to_records(self) -> list[dict[str, object]]:
        """Return one flat row for each k."""
        return [
            {"k": k, "held_out": float(mean), "standard_error": float(error), "fitted": float(fitted)}
            for k, mean, error, fitted in zip(self.ks, self.mean, self.error, self.fitted_mean, strict=True)
        ]


def _mean(shares: np.ndarray) -> np.ndarray:
    """Mean of each column over what is known of it."""
    known = np.isfinite(shares)
    count = known.sum(axis=0)
    return np.where(count > 0, np.where(known, shares, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)
