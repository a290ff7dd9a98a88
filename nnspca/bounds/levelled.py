"""Levels rows by one reading of A: the largest shares of each row are stored, with a bound on all its others.

Let C be the features whose rows are read, among each other only, s the standard deviations, and T the sum of the k−1
largest s d. Row i of C stores its shares ``A_ij⁺ e_j`` above r_i; P is the largest s_j d_j outside C, where no row is
read. Power steps on what is stored prove a bound for all features (docs/mathematics/rows.md, "Many features").

Where that would be too many shares, each step reads the rows whole and stores nothing.

Dense data are read in single precision, each stored pair of features once. The rounding of a product is at most
γ s_i s_j, which adds ``γ (s_i² + s_i T/d_i)`` to a row's cost. It is included in the bound; a judge reads
the rows of the weights again in double precision.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

import numpy as np
import scipy.sparse

from nnspca.bounds.plan import BOUND_GAIN, ENTRY, LOOK_BACK, ON_ALL, SMALLEST
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.factor import DenseFactor, SparseFactor
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding, singles
from nnspca.numerics.feasible import allowed, largest_values, sum_of_largest

# Largest P, as a share of the k-th largest s d, at which C has enough features. Half: −.0058,
# double: −.0144 on 49 × 7,129, k = 200.
FILLER = 0.03
# Most power steps; they end sooner where the last four gained less than BOUND_GAIN. Half: +.0045 on 49 × 7,129,
# k = 200, −.0012 on 105 × 22,283; double: 0 there, and both 0 on Leukemia standardised, k = 200.
POWER_STEPS = 30
# Share of the remaining work that a reading, and the levelling after it, may take. Half, double: 0 on 49 × 7,129,
# k = 200.
SHARE = 0.5

# of arithmetic and memory, not tuned
TILE = (512, 2048)  # rows, and columns of dense data, that are multiplied at a time; so many columns are sampled
HELD = 20_000_000  # shares that may be stored in any case
STRIDE = 8  # beyond, one of so many shares of a row may be stored; where rows are read whole, one of so many tells τ
FLOOR = 1e-7  # least weight, relative to the largest
UNREAD = 2e-6  # relative allowance for rows that were not read, so that a judge need not read them either

Triplets = tuple[np.ndarray, np.ndarray, np.ndarray]  # rows, columns, shares


def _deviations(cov: Covariance) -> np.ndarray:
    """Return standard deviations, with what they may drift by."""
    return np.sqrt(np.maximum(cov.diagonal, 0.0) + cov.held.drift)


def cost_limits(problem: Problem, d: np.ndarray) -> np.ndarray:
    """Return what each row costs at the weights d at most, if it is not read: ``s_i² + s_i T/d_i``, shape (n,)."""
    s = _deviations(problem.cov)
    reading = rounding.inner_products(2 * (problem.cov.held.form.terms + problem.k + 8))
    return (s**2 + s * float(sum_of_largest(s * d, problem.k - 1)) / d) * (1 + reading)


class StoredRows:
    """The largest shares of the rows of some features, C, at positive weights e.

    If the monitor stops the reading, ``complete`` is false, and rows are bounded by standard deviations.
    """

    columns: np.ndarray | None  # where the stored shares are, (|C|, width), as places in C; None if all are stored
    entries: np.ndarray  # A_ij⁺ e_i e_j there (|A_ij| without the sign constraint), in units of the largest variance
    rest: np.ndarray  # r_i e_i in the same unit, (|C|,)

    def __init__(
        self, problem: Problem, chosen: np.ndarray, e: np.ndarray, monitor: Monitor, tiles: _Tiles | None = None
    ) -> None:
        cov = problem.cov
        self.problem, self.chosen, self.monitor, self.complete = problem, chosen, monitor, False
        self.e = np.maximum(e / e.max(), FLOOR)
        self.size = float(cov.diagonal.max()) or 1.0  # single precision overflows above about 1e38
        self.s = _deviations(cov)
        self.columns, self.rest = None, np.zeros(len(chosen))
        monitor.pay(reading_seconds(problem, chosen))
        if len(chosen) <= ON_ALL:
            self.error = 0.0
            block = allowed(cov.block(chosen, chosen), problem.nonnegative) / self.size * self.e * self.e[:, None]
            np.fill_diagonal(block, 0.0)
            self.entries = _upward(block)
            self.complete = not monitor.stop()
        else:
            self.error = rounding.single_products(cov.held.form.terms, singles.SINGLE_ROWS)
            sparse = isinstance(cov.held.factor, SparseFactor)
            triplets = self._of_sparse() if sparse else self._of_tiles(tiles or _Tiles(cov, chosen, self.size))
            if triplets is not None:
                self._store(*triplets)
                self.complete = True

    def _of_tiles(self, tiles: _Tiles) -> Triplets | None:
        """Read each pair of C once, and return the shares above the thresholds of their rows."""
        n, width = len(self.chosen), _width(self.problem, len(self.chosen))
        rank = min(int(np.ceil(width * TILE[1] / n)), TILE[1] - 1)
        e, thresholds = self.e.astype(np.float32), np.zeros(n, dtype=np.float32)
        for rows, sample, entries in tiles.sampled(self.e):
            if self.monitor.stop():
                return None
            shares = allowed(entries * e[sample] * e[rows, None], self.problem.nonnegative)
            thresholds[rows] = largest_values(shares, rank + 1).min(axis=1)
        self.rest, found = thresholds, []
        for rows, columns, shares in tiles:
            if self.monitor.stop():
                return None
            shares *= e[columns]
            shares *= e[rows, None]
            allowed(shares, self.problem.nonnegative, out=shares)
            limits = [(False, thresholds[rows, None])] + [(True, thresholds[columns])] * (tiles.products is not None)
            for transposed, limit in limits:
                at = np.flatnonzero(shares > limit)
                i, j = np.divmod(at, shares.shape[1])
                place = (j + columns.start, i + rows.start) if transposed else (i + rows.start, j + columns.start)
                found.append((*(index.astype(np.int32) for index in place), shares.ravel()[at]))
        i, j, above = (np.concatenate(part) for part in zip(*found, strict=True))
        return i, j, above

    def _of_sparse(self) -> Triplets | None:
        """The large shares from the stored entries of the products; all others are minus the product of two means."""
        part = self.problem.cov.restrict(self.chosen)
        factor = part.held.factor
        if not isinstance(factor, SparseFactor):
            return self._of_tiles(_Tiles(part, np.arange(part.n_features), self.size))
        n, width, found = len(self.chosen), _width(self.problem, len(self.chosen)), []
        pull = factor.mean * self.e
        if self.problem.nonnegative:
            unstored = np.maximum(-pull * pull.min(), -pull * pull.max())
        else:
            unstored = np.abs(pull) * np.abs(pull).max()
        rest = np.maximum(rounding.raised(unstored, 8), 0.0) / self.size
        for start in range(0, n, part.held.strip):
            if self.monitor.stop():
                return None
            rows = np.arange(start, min(start + part.held.strip, n))
            product = factor.stored_products(rows)
            i, j = np.repeat(rows, np.diff(product.indptr)), product.indices
            shares = allowed(
                (product.data - factor.mean[i] * factor.mean[j]) * self.e[i] * self.e[j] / self.size,
                self.problem.nonnegative,
            )
            shares[i == j] = 0.0
            for row, (first, last) in zip(rows, zip(product.indptr, product.indptr[1:], strict=False), strict=True):
                if last - first > width:
                    rest[row] = max(rest[row], float(largest_values(shares[first:last], width + 1).min()))
            above = np.flatnonzero(shares > rest[i])
            found.append((i[above], j[above], _upward(shares[above])))
        self.rest = rest
        i, j, above = (np.concatenate(part) for part in zip(*found, strict=True))
        return i, j, above

    def _store(self, i: np.ndarray, j: np.ndarray, shares: np.ndarray) -> None:
        """Order the shares by rows, in arrays as wide as the longest row."""
        n = len(self.chosen)
        by_row = scipy.sparse.csr_array((shares, (i, j)), shape=(n, n))
        counts = np.diff(by_row.indptr)
        stored = np.arange(counts.max(initial=0)) < counts[:, None]
        self.columns = np.zeros(stored.shape, dtype=np.int32)
        self.entries = np.zeros(stored.shape, dtype=np.float32)
        self.columns[stored] = by_row.indices
        self.entries[stored] = by_row.data

    def bound(self, d: np.ndarray) -> float:
        """Return a proven upper bound on the largest row at the weights d, shape (n,)."""
        if not self.complete:
            return float((cost_limits(self.problem, d) * (1 + self.error) * (1 + UNREAD)).max())
        k, terms = self.problem.k, self.problem.cov.held.form.terms
        sums = rounding.raised(self._sums(d[self.chosen], _filler(self.problem, self.chosen, d)), 4 * k + 32)
        sums += rounding.single_underflow(k * terms) * self.size * float((d[self.chosen] / self.e).max()) / self.e
        return _largest(self.problem, self.chosen, d, sums, self.error, k)

    def _sums(self, d: np.ndarray, filler: float) -> np.ndarray:
        """The sum of the k−1 largest shares of each row of C, those not stored at their bounds; ``filler`` is P."""
        ratios = d / self.e.astype(d.dtype)
        left_out = self.rest * float(ratios.max()) * (1 + 1e-6)
        least = np.maximum(left_out, self.s[self.chosen] * self.e * filler / self.size).astype(d.dtype)
        k, sums = self.problem.k, []
        for start in range(0, len(d), TILE[0]):
            rows = slice(start, start + TILE[0])
            weights = ratios if self.columns is None else ratios[self.columns[rows]]
            shares = np.maximum(self.entries[rows] * weights, least[rows, None])
            total = sum_of_largest(shares, k - 1)
            if shares.shape[1] < k - 1:  # the others are not stored
                total = total + (k - 1 - shares.shape[1]) * least[rows]
            sums.append(total)
        return np.concatenate(sums).astype(float) / self.e * self.size

    def level(self, least: float) -> np.ndarray:
        """Return weights of all features at which the rows are nearly level; no level is below ``least``, an attained
        variance.
        """
        own, s = self.problem.cov.diagonal[self.chosen], self.s[self.chosen]
        largest_outside = float(np.delete(self.s, self.chosen).max(initial=0.0))
        d, level, best, past = self.e, np.inf, (self.e, np.inf), [np.inf]
        for _ in range(POWER_STEPS):
            self.monitor.pay(ENTRY * self.entries.size)
            together = float(sum_of_largest(s * d, self.problem.k - 1))
            target = max(level, least) if np.isfinite(level) else max(least, float(own.max()))
            filler = largest_outside**2 * together / _beside(target, largest_outside)
            image = own * d + self._sums(d.astype(np.float32), filler)
            level = float((image / d).max())
            if level < best[1]:
                best = d, level
            past.append(best[1])
            if best[1] > past[-1 - LOOK_BACK :][0] * (1 - BOUND_GAIN) or self.monitor.stop():
                break
            d = np.maximum(image / image.max(), FLOOR)
        return _extended(self.problem, self.chosen, *best, least)


def _filler(problem: Problem, chosen: np.ndarray, d: np.ndarray) -> float:
    """Return P at the weights d."""
    return float(np.delete(_deviations(problem.cov) * d, chosen).max(initial=0.0))


def _largest(problem: Problem, chosen: np.ndarray, d: np.ndarray, sums: np.ndarray, error: float, terms: int) -> float:
    """Return a proven upper bound on the largest row at the weights d, from the sums of shares of the rows of C.

    The shares have a relative ``error``, and ``terms`` of them were summed.
    """
    cov = problem.cov
    limits = cost_limits(problem, d) * (1 + error) * (1 + UNREAD)
    costs = cov.diagonal[chosen] + (sums + cov.held.drift_of_rows(d, problem.k)[chosen]) / d[chosen]
    costs += (error + rounding.inner_products(2 * (cov.held.form.terms + terms + 8))) * limits[chosen]
    return max(float(costs.max()), float(np.delete(limits, chosen).max(initial=0.0)))


def _extended(problem: Problem, chosen: np.ndarray, d: np.ndarray, level: float, least: float) -> np.ndarray:
    """Weights of all features: d in C, and outside the least at which rows cost no more than those of C."""
    s, target = _deviations(problem.cov), max(level, least) / (1 + 2 * UNREAD)
    together = float(sum_of_largest(s[chosen] * d, problem.k - 1))
    every, outside = np.empty(problem.n), np.ones(problem.n, dtype=bool)
    every[chosen], outside[chosen] = d, False
    every[outside] = np.maximum(s[outside] * together / _beside(target, s[outside]), FLOOR * d.max())
    return every


def _beside(target: float, s: np.ndarray | float):
    """What a row outside C may cost beside its own variance."""
    return np.maximum(target - np.square(s), 1e-3 * target)


class _Tiles:
    """A among C in units of the largest variance, in single precision."""

    def __init__(self, cov: Covariance, chosen: np.ndarray, size: float) -> None:
        self.cov, self.chosen, self.size, self.n = cov, chosen, size, len(chosen)
        self.products: singles.SingleProducts | None = None
        if isinstance(self.cov.held.factor, DenseFactor):
            self.products = singles.SingleProducts(self.cov.held.factor.columns(chosen) * (1 / np.sqrt(self.size)))

    def _rows(self, rows: slice) -> np.ndarray:
        block = self.cov.block(self.chosen[rows], None if self.n == self.cov.n_features else self.chosen)
        return (block / self.size).astype(np.float32)

    def sampled(self, d: np.ndarray) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Yield rows, the columns of a sample, every so many in the order of s d, and the entries there."""
        sizes = np.sqrt(np.maximum(self.cov.diagonal[self.chosen], 0.0)) * d
        columns = np.argsort(-sizes, kind="stable")[np.arange(TILE[1]) * self.n // TILE[1]]
        step = self.cov.held.strip if self.products is None else TILE[0]
        for start in range(0, self.n, step):
            rows = slice(start, min(start + step, self.n))
            yield (
                rows,
                columns,
                self._rows(rows)[:, columns] if self.products is None else self.products.at(rows, columns),
            )

    def whole(self, rows: slice) -> np.ndarray:
        """Return rows; a feature's own variance is left out."""
        tile = self._rows(rows) if self.products is None else self.products.at(rows, slice(None))
        tile[np.arange(len(tile)), np.arange(rows.start, rows.stop)] = 0.0
        return tile

    def __iter__(self) -> Iterator[tuple[slice, slice, np.ndarray]]:
        """Yield rows, columns and entries, each pair once, or whole rows; a feature's own variance is left out."""
        if self.products is None:
            for start in range(0, self.n, self.cov.held.strip):
                rows = slice(start, min(start + self.cov.held.strip, self.n))
                yield rows, slice(0, self.n), self.whole(rows)
            return
        for start in range(0, self.n, TILE[0]):
            rows = slice(start, min(start + TILE[0], self.n))
            for left in range(start, self.n, TILE[1]):
                columns = slice(left, min(left + TILE[1], self.n))
                tile = self.products.at(rows, columns)
                if left == start:  # below the diagonal each pair would come twice
                    tile[np.tril_indices(len(tile), m=tile.shape[1])] = 0.0
                yield rows, columns, tile


def _sums_of_whole_rows(problem: Problem, tiles: _Tiles, d: np.ndarray, monitor: Monitor) -> np.ndarray | None:
    """Return upper bounds on the sums of the k−1 largest shares of the rows of C at the weights d, shape (n,).

    For any τ ≥ 0 they are at most ``(k−1) τ + Σ max(share − τ, 0)``; τ is about the (k−1)-th largest share, as a
    sample of the row has it. None if the monitor stops the reading.
    """
    cov, k, chosen = problem.cov, problem.k, tiles.chosen
    scale = float(d[chosen].max())
    single = (d[chosen] / scale).astype(np.float32)
    least = _upward(_deviations(cov)[chosen] * (_filler(problem, chosen, d) / scale / tiles.size))
    count = max(min(round((k - 1) / STRIDE), tiles.n // STRIDE), 1)
    sums = np.empty(tiles.n)
    for start in range(0, tiles.n, TILE[0]):
        if monitor.stop():
            return None
        rows = slice(start, min(start + TILE[0], tiles.n))
        shares = tiles.whole(rows) * single
        allowed(shares, problem.nonnegative, out=shares)
        level = np.maximum(largest_values(shares[:, ::STRIDE], count).min(axis=1), least[rows])
        shares -= level[:, None]
        np.maximum(shares, 0.0, out=shares)
        sums[rows] = shares.sum(axis=1, dtype=float) + (k - 1) * level.astype(float)
    sums = rounding.raised(sums, 4 * tiles.n + 32)
    return (sums + rounding.single_underflow(tiles.n * (cov.held.form.terms + 3))) * (tiles.size * scale)


def _level_whole_rows(
    problem: Problem, tiles: _Tiles, d: np.ndarray, monitor: Monitor, lower: float
) -> Iterator[tuple[float, np.ndarray]]:
    """Yield bounds with their weights, after power steps that read the rows of C whole each time, while they gain."""
    chosen, own, past = tiles.chosen, problem.cov.diagonal[tiles.chosen], [np.inf]
    level = float(own.max())
    error = rounding.single_products(problem.cov.held.form.terms, singles.SINGLE_ROWS)
    for _ in range(POWER_STEPS):
        every = _extended(problem, chosen, np.maximum(d / d.max(), FLOOR), level, lower)
        price = reading_seconds(problem, chosen)
        if not monitor.affords(price if len(past) == 1 else price / SHARE):  # one reading is always allowed
            return
        monitor.pay(price)
        sums = _sums_of_whole_rows(problem, tiles, every, monitor)
        if sums is None:
            return
        value = _largest(problem, chosen, every, sums, error, tiles.n)
        yield value, every
        past.append(min(value, past[-1]))
        if value <= lower * (1 + BOUND_GAIN) or past[-1] > past[-1 - LOOK_BACK :][0] * (1 - BOUND_GAIN):
            return
        d = own * every[chosen] + sums
        level = float((d / every[chosen]).max())


def _upward(shares: np.ndarray) -> np.ndarray:
    """Return the shares in single precision, rounded up; zeros stay zeros."""
    return np.where(shares > 0, np.nextafter(shares.astype(np.float32), np.float32(np.inf)), np.float32(0))


def _towards_level(problem: Problem, tiles: _Tiles, d: np.ndarray, monitor: Monitor) -> np.ndarray:
    """Return the weights d, shape (len(chosen),), after half a power step on a sample of the columns of dense data."""
    d = np.maximum(d / d.max(), FLOOR)
    count = max(1, round((problem.k - 1) * TILE[1] / len(d)))
    single, image = d.astype(np.float32), problem.cov.diagonal[tiles.chosen] * d / tiles.size
    for rows, columns, shares in tiles.sampled(d):
        if monitor.stop():
            return d
        shares = shares * single[columns]
        allowed(shares, problem.nonnegative, out=shares)
        image[rows] += sum_of_largest(shares, count) * ((problem.k - 1) / count)
    return np.sqrt(d * np.maximum(image, FLOOR**2 * image.max()) / image.max())


def _width(problem: Problem, size: int) -> int:
    """How many shares of each row are stored, about."""
    return min(size, 3 * problem.k // 2 + 2 * SMALLEST)


def _can_hold(problem: Problem, chosen: np.ndarray) -> bool:
    """Tell whether the shares of the rows of C are stored: those of dense data only where they are few enough."""
    n, width = len(chosen), _width(problem, len(chosen))
    dense = n > ON_ALL and isinstance(problem.cov.held.factor, DenseFactor)
    return not dense or n * width <= max(HELD, n**2 // STRIDE)


def reading_seconds(problem: Problem, chosen: np.ndarray) -> float:
    """Return about how many seconds it takes to read the rows of C: half, as each pair is read once.

    Of dense data half of that, in single precision; where nothing is stored, each pair is read twice.
    """
    single = len(chosen) > ON_ALL and isinstance(problem.cov.held.factor, DenseFactor) and _can_hold(problem, chosen)
    return problem.cov.held.reading_seconds(chosen) * len(chosen) / problem.n / (2 * (1 + single))


def seconds(problem: Problem, chosen: np.ndarray) -> float:
    """Return about how many seconds it takes to read the rows of C and to level them."""
    if not _can_hold(problem, chosen):
        return reading_seconds(problem, chosen) / SHARE
    return reading_seconds(problem, chosen) + POWER_STEPS / 2 * ENTRY * len(chosen) * _width(problem, len(chosen))


def choose_features(problem: Problem, lower: float, monitor: Monitor) -> np.ndarray:
    """Return C: enough features of the largest variances if the work suffices, else as many as a share of it allows.

    No level is below ``lower``, a variance that is attained; 0 chooses all features.
    """
    n, k = problem.n, problem.k
    order = np.argsort(-problem.cov.diagonal, kind="stable")
    own = np.maximum(problem.cov.diagonal[order], 0.0)

    def needed(aim: float) -> int:
        """Return |C| with P = s² T/(μ − s²) <= aim, where d = s in C and μ >= lower."""
        return int(np.count_nonzero(own * (together + aim) > aim * lower)) if lower > 0 else n

    together, last = float(own[: max(k - 1, 1)].sum()), float(own[min(k, n) - 1])
    least = k + SMALLEST
    size = min(n, max(needed(FILLER * last), least))
    if not monitor.affords(seconds(problem, order[:size])):
        while size > least and not monitor.affords(seconds(problem, order[:size]) / SHARE):
            size = max(int(0.9 * size), least)
    return np.sort(order[: size if size >= needed(last) else min(least, n)])


def level_rows(
    problem: Problem,
    chosen: np.ndarray,
    d: np.ndarray,
    monitor: Monitor,
    *,
    lower: float = 0.0,
    start: float | None = None,
) -> tuple[float, np.ndarray]:
    """Return the least bound and its weights, from the weights d, shape (n,), by one reading of C.

    ``start`` is a bound proven by d, at which the rows were levelled before.
    """
    least, best = (float(cost_limits(problem, d).max()) * (1 + UNREAD) if start is None else start), d
    e, tiles = d[chosen], None
    if len(chosen) > ON_ALL and isinstance(problem.cov.held.factor, DenseFactor):
        tiles = _Tiles(problem.cov, chosen, float(problem.cov.diagonal.max()) or 1.0)
        e = e if start is not None else _towards_level(problem, tiles, e, monitor)
        if not _can_hold(problem, chosen):
            return min([(least, best), *_level_whole_rows(problem, tiles, e, monitor, lower)], key=itemgetter(0))
    rows = StoredRows(problem, chosen, e, monitor, tiles)
    if rows.complete:
        d = rows.level(lower)
    return min((least, best), (rows.bound(d), d), key=itemgetter(0))
