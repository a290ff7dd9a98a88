"""Levels rows by few readings of A: the largest shares of each row are stored, with a bound on all its others.

A power step of balanced rows needs the k−1 largest ``A_ij⁺ d_j`` of each row i. Let C be the features whose
rows are read, among each other only. Read at weights e, row i stores the shares ``A_ij⁺ e_j > r_i``, for
a threshold r_i that a sample of the columns suggests. At any other weights d no share left out exceeds
``r_i max_j d_j/e_j``. The features outside C are not read: as ``A_ij⁺ <= s_i s_j``, with s the standard
deviations, their shares do not exceed ``s_i P``, P the largest s_j d_j outside C. So with t_i the larger of the two
the k−1 largest shares of row i add up to no more than the k−1 largest of ``max(A_ij⁺ d_j, t_i)`` over the stored ones.

A row j outside C costs at most ``s_j² + s_j T/d_j``, T the sum of the k−1 largest s d: with
``d_j = s_j T/(μ − s_j²)`` that is μ, and ``P = max s_j² T/(μ − s_j²)``. These upper bounds are monotone and
homogeneous in d as well: power steps level the rows without reading A again, their largest never rises, and
what it comes to is a proven bound for all features. C is large enough if P is a small share of
the k-th largest s_j d_j: of data whose variances differ much it has a few thousand features, and the rest cost nothing.

Dense data are read in single precision, each pair of features once. The rounding of a product is at most
γ s_i s_j, which adds ``γ (s_i² + s_i T/d_i)`` to a row's cost. It is included in the bound; a judge reads
the rows of the weights again in double precision.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse

from nnspca.control.progress import Monitor
from nnspca.covariance.factor import DenseFactor, SparseFactor
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.numerics.feasible import front_values, sum_of_largest

FILLER = 0.06  # largest P, as a share of the k-th largest s d, at which C has enough features
FEWEST = 64  # features of C beside k in any case
WHOLE = 700  # features of C up to which all their shares are stored
STORED = 1e7  # number of stored shares that is aimed at, unless k is larger
SPARE = 8  # least number of stored shares beyond the first k
SAMPLED = 2048  # columns that suggest the thresholds
LENIENT = 1.25  # expected number of shares above a threshold, relative to the number that is wanted
TILE = (512, 2048)  # rows and columns of dense data that are multiplied at a time
SAMPLES = 256  # of dense data that are summed in single precision before their sum is added to the others
STEPS = 20  # most power steps
STALLED, PATIENCE = 1e-5, 4  # relative decrease of the largest row below which so many steps end a levelling
AT_A_TIME = 512  # rows of a step, so that they fit the cache
GAIN = 5e-4  # least relative gain that one more reading has to promise
SINGLE_PRODUCT, SELECTED = 2.3e-11, 2e-9  # seconds a product of two numbers, and an entry of the tiles, takes
PRICE = 1e-8  # seconds a stored share takes in a step
SHARE = 1 / 3  # of the remaining work that reading and levelling may take
FLOOR = 1e-7  # least weight, relative to the largest
UNREAD = 2e-6  # relative allowance for rows that were not read, so that a judge need not read them either
UNDERFLOW = 2.0**-120  # more than a product of single precision loses to underflow


class StoredRows:
    """The largest shares of the rows of some features at the weights e.

    Parameters
    ----------
    problem : Problem
    chosen : ndarray of int
        C, ascending.
    e : ndarray, shape (len(chosen),)
        Positive weights.
    monitor : Monitor
        If it stops the reading, ``complete`` is false, and rows are bounded by standard deviations.

    Attributes
    ----------
    columns : ndarray of int or None, shape (len(chosen), width)
        Where the stored shares are, as places in C; None if all are stored.
    entries : ndarray, shape (len(chosen), width)
        A_ij⁺ at these columns, or |A_ij| without the sign constraint, in units of the largest variance, rounded up.
    rest : ndarray, shape (len(chosen),)
        r_i in the same unit.
    """

    def __init__(self, problem: Problem, chosen: np.ndarray, e: np.ndarray, monitor: Monitor) -> None:
        cov = problem.cov
        self.problem, self.chosen, self.monitor, self.complete = problem, chosen, monitor, False
        self.e = np.maximum(e / e.max(), FLOOR)
        self.size = float(cov.diagonal.max()) or 1.0  # single precision overflows above about 1e38
        self.s = np.sqrt(np.maximum(cov.diagonal, 0.0) + cov._drift)
        self.outside = np.setdiff1d(np.arange(problem.n), chosen, assume_unique=True)
        self.largest_outside = float(self.s[self.outside].max(initial=0.0))
        self.columns: np.ndarray | None = None
        self.rest = np.zeros(len(chosen))
        monitor.pay(reading_seconds(problem, chosen))
        if len(chosen) <= WHOLE:
            self.error = rounding.inner_products(2 * (cov._form.terms + problem.k + 8))
            self.entries = _upward(self._positive(_block(problem, chosen)) / self.size)
            np.fill_diagonal(self.entries, 0.0)
            self.complete = not monitor.stop()
        else:
            self.error = rounding.inner_products(2 * (cov._form.terms + problem.k + 8)) + rounding.single_products(
                cov._form.terms, SAMPLES
            )
            self._read(_Tiles(problem, chosen, self.e, self.size))

    def _positive(self, block: np.ndarray) -> np.ndarray:
        """A⁺, or |A| without the sign constraint, in place."""
        return np.maximum(block, 0.0, out=block) if self.problem.nonnegative else np.abs(block, out=block)

    def _read(self, tiles: _Tiles) -> None:
        """Read each pair of C once, and store the shares above the thresholds of their rows."""
        n, width = len(self.chosen), _width(self.problem, len(self.chosen))
        sampled = np.argsort(-self.s[self.chosen] * self.e, kind="stable")[np.arange(SAMPLED) * n // SAMPLED]
        rank = min(int(np.ceil(LENIENT * width * SAMPLED / n)), SAMPLED - 1)
        thresholds = np.zeros(n, dtype=np.float32)
        for rows, shares in tiles.against(sampled):
            if self.monitor.stop():
                return
            thresholds[rows] = front_values(self._positive(shares), rank + 1).min(axis=1)
        found = []
        for rows, columns, shares in tiles:
            if self.monitor.stop():
                return
            self._positive(shares)
            limits = [(False, thresholds[rows, None])] + [(True, thresholds[columns])] * tiles.each_pair_once
            for transposed, limit in limits:
                at = np.flatnonzero(shares > limit)
                i, j = np.divmod(at, shares.shape[1])
                place = (j + columns.start, i + rows.start) if transposed else (i + rows.start, j + columns.start)
                found.append((*place, shares.ravel()[at]))
        self._store(*(np.concatenate(part) for part in zip(*found, strict=True)), thresholds=thresholds)
        self.complete = True

    def _store(self, i: np.ndarray, j: np.ndarray, shares: np.ndarray, *, thresholds: np.ndarray) -> None:
        """Order the shares by rows, in arrays as wide as the longest row."""
        n = len(self.chosen)
        by_row = scipy.sparse.coo_array((shares, (i.astype(np.int32), j.astype(np.int32))), shape=(n, n)).tocsr()
        counts = np.diff(by_row.indptr)
        row = np.repeat(np.arange(n), counts)
        place = np.arange(len(row)) - by_row.indptr[row]
        self.columns = np.zeros((n, int(counts.max(initial=0))), dtype=np.int32)
        self.entries = np.zeros(self.columns.shape, dtype=np.float32)
        self.columns[row, place] = by_row.indices
        self.entries[row, place] = _upward(by_row.data / (self.e[row] * self.e[by_row.indices]))
        self.rest = thresholds / self.e

    def bound(self, d: np.ndarray) -> float:
        """Return a proven upper bound on the largest row at the weights d, shape (n,)."""
        limits = self._cost_limit(d) * (1 + UNREAD)
        if not self.complete:
            return float(limits.max())
        cov, k, chosen = self.problem.cov, self.problem.k, self.chosen
        filler = float((self.s[self.outside] * d[self.outside]).max(initial=0.0))
        sums = rounding.raised(self._sums(d[chosen], filler), 4 * k + 32)
        sums += k * cov._form.terms * UNDERFLOW * self.size * float((d[chosen] / self.e).max()) / self.e
        costs = cov.diagonal[chosen] + (sums + cov._drift_of_rows(d, k)[chosen]) / d[chosen]
        costs += self.error * limits[chosen]
        return max(float(costs.max()), float(limits[self.outside].max(initial=0.0)))

    def _sums(self, d: np.ndarray, filler: float, rest_factor: float = 1.0) -> np.ndarray:
        """The sum of the k−1 largest shares of each row of C, those not stored at their bounds.

        ``filler`` is P; bounds on shares left out of C are multiplied by ``rest_factor``.
        """
        left_out = rest_factor * self.rest * float((d / self.e).max()) * (1 + 1e-6)
        least = np.maximum(left_out, self.s[self.chosen] * filler / self.size).astype(d.dtype)
        k, sums = self.problem.k, []
        for start in range(0, len(d), AT_A_TIME):
            rows = slice(start, start + AT_A_TIME)
            weights = d if self.columns is None else d[self.columns[rows]]
            shares = np.maximum(self.entries[rows] * weights, least[rows, None])
            total = sum_of_largest(shares, k - 1)
            if shares.shape[1] < k - 1:  # the others are not stored
                total = total + (k - 1 - shares.shape[1]) * least[rows]
            sums.append(total)
        return np.concatenate(sums).astype(float) * self.size

    def _cost_limit(self, d: np.ndarray) -> np.ndarray:
        """Upper bounds on the costs of all rows from standard deviations alone, shape (n,)."""
        together = float(sum_of_largest(self.s * d, self.problem.k - 1))
        return (self.s**2 + self.s * together / d) * (1 + self.error)

    def level(self, least: float) -> np.ndarray:
        """Return weights of all features at which the rows are nearly level, none of them below ``least``."""
        own, s = self.problem.cov.diagonal[self.chosen], self.s[self.chosen]
        d, level, best, since = self.e, np.inf, (self.e, np.inf), 0
        for _ in range(STEPS):
            self.monitor.pay(PRICE * self.entries.size)
            together = float(sum_of_largest(s * d, self.problem.k - 1))
            target = max(level, least) if np.isfinite(level) else max(least, float(own.max()))
            filler = self.largest_outside**2 * together / self._room(target, self.largest_outside)
            image = own * d + self._sums(d.astype(np.float32), filler)
            level = float((image / d).max())
            since = 0 if level < best[1] * (1 - STALLED) else since + 1
            if level < best[1]:
                best = d, level
            if since >= PATIENCE or self.monitor.stop():
                break
            d = np.maximum(image / image.max(), FLOOR)
        return self._extended(*best, least)

    def _extended(self, d: np.ndarray, level: float, least: float) -> np.ndarray:
        """Weights of all features: d in C, and outside the least at which rows cost no more than those of C."""
        s, target = self.s, max(level, least) / (1 + 2 * UNREAD)
        together = float(sum_of_largest(s[self.chosen] * d, self.problem.k - 1))
        every = np.zeros(self.problem.n)
        every[self.chosen] = d
        wanted = s[self.outside] * together / self._room(target, s[self.outside])
        every[self.outside] = np.maximum(wanted, FLOOR * d.max())
        return every

    @staticmethod
    def _room(target: float, s: np.ndarray | float):
        """What a row outside C may cost beside its own variance."""
        return np.maximum(target - np.square(s), 1e-3 * target)

    def reread_estimate(self, d: np.ndarray) -> float:
        """Estimate the least bound that reading A again at the weights d could prove: other shares count as zero."""
        filler = float((self.s[self.outside] * d[self.outside]).max(initial=0.0))
        sums = self._sums(d[self.chosen], filler, rest_factor=0.0)
        return float((self.problem.cov.diagonal[self.chosen] + sums / d[self.chosen]).max())


class _Tiles:
    """A among C, each row and column times its weight, in units of the largest variance, in single precision."""

    def __init__(self, problem: Problem, chosen: np.ndarray, e: np.ndarray, size: float) -> None:
        self.cov, self.chosen, self.e, self.size, self.n = problem.cov, chosen, e, size, len(chosen)
        self.parts: list[np.ndarray] = []
        if isinstance(self.cov.factor, DenseFactor):
            Y = self.cov.factor.columns(chosen) * (e / np.sqrt(size))
            self.parts = [Y[at : at + SAMPLES].astype(np.float32) for at in range(0, len(Y), SAMPLES)]
        elif isinstance(self.cov.factor, SparseFactor):
            self.cov, self.chosen = self.cov.restrict(chosen), np.arange(self.n)
        self.cov._bring(self.chosen)

    @property
    def each_pair_once(self) -> bool:
        """Whether a tile stands for its transpose as well; otherwise whole rows are yielded."""
        return bool(self.parts)

    def _product(self, rows: slice, columns: np.ndarray | slice) -> np.ndarray:
        tile = self.parts[0][:, rows].T @ self.parts[0][:, columns]
        for part in self.parts[1:]:
            tile += part[:, rows].T @ part[:, columns]
        return tile

    def _rows(self, rows: slice) -> np.ndarray:
        block = self.cov.block(self.chosen[rows], None if self.n == self.cov.n_features else self.chosen)
        return (block * (self.e / self.size) * self.e[rows, None]).astype(np.float32)

    def against(self, columns: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield rows, and their shares in some columns."""
        step = TILE[0] if self.parts else self.cov._strip
        for start in range(0, self.n, step):
            rows = slice(start, min(start + step, self.n))
            yield rows, self._product(rows, columns) if self.parts else self._rows(rows)[:, columns]

    def __iter__(self) -> Iterator[tuple[slice, slice, np.ndarray]]:
        """Yield rows, columns and shares; a feature's own share is zero."""
        height, width = TILE if self.parts else (self.cov._strip, self.n)
        for start in range(0, self.n, height):
            rows = slice(start, min(start + height, self.n))
            for left in range(start if self.parts else 0, self.n, width):
                columns = slice(left, min(left + width, self.n))
                tile = self._product(rows, columns) if self.parts else self._rows(rows)
                if rows.start >= left and self.parts:
                    own = tile[:, : rows.stop - rows.start]
                    own[np.tril_indices(len(own))] = 0.0  # below the diagonal each pair would come twice
                elif not self.parts:
                    tile[np.arange(len(tile)), np.arange(rows.start, rows.stop)] = 0.0
                yield rows, columns, tile


def _block(problem: Problem, chosen: np.ndarray) -> np.ndarray:
    """Return A among these features, an array of its own."""
    problem.cov._bring(chosen)
    return np.array(problem.cov.block(chosen, chosen))


def _upward(values: np.ndarray) -> np.ndarray:
    """Return the values in single precision, rounded up."""
    return np.nextafter(values.astype(np.float32), np.float32(np.inf))


def _width(problem: Problem, size: int) -> int:
    """How many shares of each row are stored, about."""
    return min(size, max(problem.k + SPARE, min(2 * problem.k + 8 * SPARE, int(STORED / size))))


def reading_seconds(problem: Problem, chosen: np.ndarray) -> float:
    """Return about how many seconds it takes to read the rows of C."""
    size, cov = len(chosen), problem.cov
    if isinstance(cov.factor, SparseFactor):
        return cov._reading_seconds(chosen) * size / problem.n
    return size**2 * (SELECTED + (SINGLE_PRODUCT * cov._form.terms if cov.factor is not None else 0.0))


def seconds(problem: Problem, chosen: np.ndarray) -> float:
    """Return about how many seconds it takes to read the rows of C and to level them."""
    return reading_seconds(problem, chosen) + STEPS * PRICE * len(chosen) * _width(problem, len(chosen))


def choose(problem: Problem, lower: float, allowed: int, monitor: Monitor) -> np.ndarray:
    """Return C: enough features of the largest variances, or as many as can be read.

    Parameters
    ----------
    problem : Problem
    lower : float
        A variance that is attained: no level is below it. 0 chooses all features.
    allowed : int
        C is read at no more than the cost of so many whole rows.
    monitor : Monitor
    """
    n, k = problem.n, problem.k
    order = np.argsort(-problem.cov.diagonal, kind="stable")
    own = np.maximum(problem.cov.diagonal[order], 0.0)
    together, aim = float(own[: max(k - 1, 1)].sum()), FILLER * float(own[min(k, n) - 1])
    # P = s² T/(μ − s²) <= aim, where d = s in C and μ >= lower
    enough = int(np.count_nonzero(own * (together + aim) > aim * lower)) if lower > 0 else n
    most = min(problem.cov._rows_at_hand, int(np.sqrt(float(allowed) * n)))
    size = min(n, max(min(enough, most), k + FEWEST))
    while size > k + FEWEST and not monitor.affords(seconds(problem, order[:size]) / SHARE):
        size = max(int(0.8 * size), k + FEWEST)
    return np.sort(order[: min(size, n)])


def level_rows(
    problem: Problem,
    chosen: np.ndarray,
    d: np.ndarray,
    monitor: Monitor,
    *,
    readings: int,
    lower: float = 0.0,
) -> tuple[float, np.ndarray]:
    """Return the least bound and its weights, from the weights d, shape (n,), by at most ``readings`` readings of C."""
    least, best = np.inf, d
    for number in range(readings):
        if number and not monitor.affords(seconds(problem, chosen)):
            break
        rows = StoredRows(problem, chosen, d[chosen], monitor)
        if rows.complete:
            d = rows.level(lower)
        value = rows.bound(d)
        if value < least:
            least, best = value, d
        if not rows.complete or least - max(rows.reread_estimate(d), lower) < GAIN * least:
            break
    return least, best
