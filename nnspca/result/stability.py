"""Samples drawn again or held out: how often features return, and the variance explained for each k."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nnspca.result import rounded, wording
from nnspca.result.component import heaviest, line
from nnspca.result.components import Components
from nnspca.result.features import Features
from nnspca.result.wording import DataFrame, Display, Figure

NEAR_R = 2.0  # standard errors of the difference within which fewer components are as good: with 1, 30 % too many
BEYOND = 2.33  # standard errors beyond chance: of tables of noise, no k is suggested for 95 %


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
    #: Shape (shuffles, r). Mean recurrence of the parts of shuffled columns.
    by_chance: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))

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
    def chance(self) -> np.ndarray:
        """Mean recurrence by chance, of the parts of shuffled columns, shape (r,); NaN if none were shuffled."""
        return _mean(self.by_chance) if len(self.by_chance) else np.full(len(self.parts), np.nan)

    @property
    def least(self) -> np.ndarray:
        """Mean recurrence from which each part counts as stable, shape (r,): the threshold, and beyond chance.

        Beyond chance is more than 1.65 standard deviations above its mean, but not above 1.
        """
        if not len(self.by_chance):
            return np.full(len(self.parts), self.threshold)
        spread = np.sqrt(np.nan_to_num(_mean((self.by_chance - self.chance) ** 2)))
        return np.maximum(self.threshold, np.minimum(np.nan_to_num(self.chance) + 1.65 * spread, 1.0))

    @property
    def stable(self) -> np.ndarray:
        """Which parts return at least as often as :attr:`least`, shape (r,)."""
        return self.mean_recurrence >= self.least

    @property
    def suggested_n_components(self) -> int:
        """Number of parts, from the first, before one that is not stable."""
        return int(np.logical_and.accumulate(self.stable).sum())

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
        """Return a data frame with the rows of :meth:`to_records`, features by name beside their place."""
        rows = self.to_records()
        for row in rows:
            row["place"] = place = int(str(row["feature"]))
            row["feature"] = self.parts.parts[0].feature_name(place)
        return self._frame([{"component": row.pop("part"), **row} for row in rows])

    def summary(self) -> str:
        """Return plain sentences: how often the features of each part return (sampling, not proof)."""
        if not self.resamples:
            return "No resample was drawn before the call was stopped."
        said = []
        for c, part in enumerate(self.parts.parts):
            often = [i for i in heaviest(part) if self.recurrence[i, c] >= 0.8]
            mean = rounded.percent(float(self.mean_recurrence[c]))
            by = f", by chance in {rounded.percent(float(self.chance[c]))}" if np.isfinite(self.chance[c]) else ""
            listing = wording.named([part.called(i) for i in often]) if often else "no feature"
            said.append(
                f"Part {c + 1}: a feature returns in {mean} of {self.resamples} resamples on average{by}; "
                f"in at least 80 %: {listing}."
            )
        return " ".join(said)

    def _figure(self, figures: Any) -> Figure:
        """The recurrence of each feature of each part."""
        parts = [
            ([part.feature_name(i) for i in order], self.recurrence[order, c])
            for c, part in enumerate(self.parts.parts)
            for order in [heaviest(part)]
        ]
        return figures.stability(parts, self.threshold)

    def _lines(self) -> list[str]:
        found = f"{wording.plural(len(self.parts.parts), 'part')} over {wording.plural(self.resamples, 'resample')}"
        stable = f"{int(self.stable.sum())} stable (mean recurrence of at least {self.threshold:g}, and beyond chance)"
        head = f"Stability: {found}, {stable}{self._ended}"
        means = self.mean_recurrence if self.resamples else np.full(len(self.parts.parts), np.nan)
        lines = [f"{c}: {means[c - 1]:.2f}  {line(p)}" for c, p in enumerate(self.parts.parts[:4], start=1)]
        return [head, *lines, *(["…"] if len(self.parts.parts) > 4 else [])]


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation(Display):
    """Share of the variance of held-out samples explained, for each k or number of components: an estimate, no proof.

    Examples
    --------
    >>> import nnspca
    >>> data = nnspca.datasets.load("synthetic-spiked")
    >>> trial = nnspca.cross_validate(data.X, [4, 8], n_components=1, folds=2)
    >>> trial.k, trial.held_out.shape
    ((4, 8), (2, 2))
    """

    k: tuple[int, ...]
    #: Shape (folds, c), a column for each k or number of components. For the held-out samples of a fold: share of their
    #: squared distance from the mean of the other samples that is explained by components fitted to those. NaN if that
    #: distance is zero, or the fold was not computed.
    held_out: np.ndarray
    fitted: np.ndarray  #: Shape (folds, c). The same share for the samples that were fitted.
    n_components: tuple[int, ...] = (1,)  #: How many components together: several only where there is one k
    seed: int = 0
    seconds: float = field(default=0.0, compare=False)
    stopped: bool = False  #: True when ``should_stop`` ended the call early
    #: Names, mean and scale of the features
    features: Features | None = field(default=None, compare=False)
    #: Shape (folds, c). What :attr:`held_out` is where features are uncorrelated, as shuffled columns are: the
    #: mean share of a feature, weighted by squared loadings; 1/n where all vary alike. None if it was not measured.
    apart: np.ndarray | None = None
    #: Shape (folds, c). Standard error of the difference, over the samples of a fold.
    apart_error: np.ndarray | None = None

    @property
    def mean(self) -> np.ndarray:
        """Mean held-out share over the folds, shape (c,); NaN where no fold is known."""
        return _mean(self.held_out)

    @property
    def fitted_mean(self) -> np.ndarray:
        """Mean share of the fitted samples, shape (c,)."""
        return _mean(self.fitted)

    @property
    def error(self) -> np.ndarray:
        """Standard error of :attr:`mean`, shape (c,); NaN for fewer than two folds."""
        return _error(self.held_out)

    @property
    def interval(self) -> np.ndarray:
        """Half the width of the 95 % interval about :attr:`mean`, by Student's t over the folds, shape (c,)."""
        from scipy.special import stdtrit  # which takes a fifth of the time to import all

        return self.error * stdtrit(np.maximum(np.isfinite(self.held_out).sum(axis=0) - 1, 1), 0.975)

    @property
    def best_k(self) -> int | None:
        """The smallest k of the largest mean; None if nothing is known."""
        mean = self.mean
        return self.k[min(int(np.nanargmax(mean)), len(self.k) - 1)] if np.isfinite(mean).any() else None

    @property
    def apart_mean(self) -> np.ndarray:
        """Mean held-out share of uncorrelated features, shape (c,)."""
        return _mean(np.full_like(self.held_out, np.nan) if self.apart is None else self.apart)

    @property
    def is_more(self) -> np.ndarray:
        """Whether each k explains more than uncorrelated features, by 2.33 standard errors, shape (c,)."""
        if self.apart is None or self.apart_error is None:
            return np.isfinite(self.mean)
        error = np.sqrt(np.nansum(self.apart_error**2, axis=0)) / np.isfinite(self.held_out).sum(axis=0).clip(1)
        return np.nan_to_num(self.mean - self.apart_mean) > BEYOND * error

    @property
    def suggested_k(self) -> int | None:
        """The smallest k that explains about as much as the best: less by at most one standard error of the difference.

        The difference is taken fold by fold, so that what makes one fold harder than another cancels.
        None if nothing is known, or that k explains no more than chance.
        """
        place = self._suggested
        return None if place is None else self.k[min(place, len(self.k) - 1)]

    @property
    def suggested_n_components(self) -> int:
        """Of several numbers of components, the smallest that explains about as much beyond chance as the best; or 0.

        Further components always explain more, of noise too: what uncorrelated features explain is taken off first.
        """
        place = self._suggested
        return 0 if place is None else self.n_components[min(place, len(self.n_components) - 1)]

    @property
    def _several(self) -> bool:
        return len(self.n_components) > 1

    @property
    def _suggested(self) -> int | None:
        """The column that is suggested; None if nothing is known, or that explains no more than chance."""
        shares, near = self.held_out, 1.0
        if self._several:
            shares, near = shares - (0.0 if self.apart is None else self.apart), NEAR_R
        mean = _mean(shares)
        if not np.isfinite(mean).any():
            return None
        less = shares[:, [int(np.nanargmax(mean))]] - shares
        place = int(np.argmax(np.nan_to_num(_mean(less), nan=np.inf) <= near * np.nan_to_num(_error(less))))
        return place if self.is_more[place] else None

    def to_records(self) -> list[dict[str, object]]:
        """Return one flat row for each k, or for each number of components."""
        columns = (self.mean, self.error, self.fitted_mean, self.apart_mean)
        names = ("held_out", "standard_error", "fitted", "by_chance")
        what, along = ("n_components", self.n_components) if self._several else ("k", self.k)
        return [
            {what: at, **dict(zip(names, map(float, row), strict=True))}
            for at, *row in zip(along, *columns, strict=True)
        ]

    def summary(self) -> str:
        """Return a plain sentence: the suggested k, or number of components, and the reason (sampling, not proof)."""
        if self.best_k is None:
            return "Nothing is known of held-out samples."
        place, best = self._suggested, int(np.nanargmax(self.mean))
        if place is None:
            what = "number of components" if self._several else "k"
            return (
                f"No {what} is suggested: of held-out samples none explains more than chance, as shuffled columns do."
            )
        share, chance, most = (
            rounded.percent(float(of)) for of in (self.mean[place], self.apart_mean[place], self.mean[best])
        )
        beside = "" if self.apart is None else f", where shuffled columns explain {chance}"
        if self._several:
            many = wording.counted(self.n_components[place], "component")
            return f"{many.capitalize()} suggested: {share} of the variance of held-out samples explained{beside}."
        more = f"; the most is {most} at k = {self.best_k}" if place != best else ""
        return (
            f"k = {self.k[place]} is suggested: it explains {share} of the variance of held-out samples{beside}{more}."
        )

    def _figure(self, figures: Any) -> Figure:
        """Held-out variance against k, with its standard error."""
        what, along = ("n_components", self.n_components) if self._several else ("k", self.k)
        suggested = None if self._suggested is None else along[self._suggested]
        return figures.held_out(along, self.mean, self.error, self.fitted_mean, self.apart_mean, suggested, what)

    def _lines(self) -> list[str]:
        folds = len(self.held_out)
        return [
            f"CrossValidation: {wording.plural(self.held_out.shape[1], 'value')} of "
            f"{'n_components' if self._several else 'k'}, {folds} folds{self._ended}",
            self.summary(),
        ]


def _mean(shares: np.ndarray) -> np.ndarray:
    """Mean of the known values of each column."""
    finite = np.isfinite(shares)
    count = finite.sum(axis=0)
    return np.where(count > 0, np.where(finite, shares, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)


def _error(shares: np.ndarray) -> np.ndarray:
    """Standard error of that mean; NaN for fewer than two."""
    finite = np.isfinite(shares)
    count = finite.sum(axis=0)
    deviations = np.where(finite, shares - np.nan_to_num(_mean(shares)), 0.0)
    divisor = np.maximum(count - 1, 1) * np.maximum(count, 1)
    return np.where(count > 1, np.sqrt((deviations**2).sum(axis=0) / divisor), np.nan)
