"""Balanced row sums: the largest row sum of A, after the rows are levelled by a positive weight for each feature.

For any d > 0 and feasible x >= 0 with support J, |J| <= k, the arithmetic–geometric mean gives
``2 x_i x_j <= x_i² d_j/d_i + x_j² d_i/d_j``, so

    x'Ax <= Σ_{i∈J} x_i² [A_ii + Σ_{j∈J∖i} A_ij⁺ d_j/d_i] <= max_i f_i(d)/d_i,
    f_i(d) = A_ii d_i + the k−1 largest A_ij⁺ d_j, j ≠ i,

and with |A_ij| for A_ij⁺ where there is no sign constraint. It is the pair-scaled bound with L = A
and weights that belong to features rather than pairs; with d = 1 it is the plain bound by row sums.
f is monotone and homogeneous, so its least max_i f_i(d)/d_i over d is an eigenvalue of f, and power
steps d ← f(d) lead to it: a few milliseconds where the pair-scaled bound takes seconds, and a
certificate that is one vector.

**Many features.** Only the features of large variance take part in the power steps. For a factor,
entries obey ``A_ij⁺ <= s_i s_j``; with T the sum of the k−1 largest s_j d_j over all features,
``f_j(d)/d_j <= s_j² + s_j T/d_j``, so d_j = s_j T/(μ − s_j²) keeps every other row at μ or below
without forming it. Where that takes less time, where all variances are alike, or where nothing else
applies, all rows are levelled (:mod:`nnspca.bounds.levelled`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nnspca.bounds.companions import Companions
from nnspca.bounds.levelled import level_rows, reading_seconds
from nnspca.bounds.plan import BoundContext, Plan, rows_read
from nnspca.certificates.proofs import ScaleProof
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.numerics.feasible import sum_of_largest
from nnspca.result import Bound

STEPS = 20
PRICE = 8e-9  # seconds an entry takes in a step
READ = 1e8  # most entries of A that the quick form reads
WIDEST = 4000  # features whose rows are levelled together where A is not held
CACHE_ENTRIES = 4_000_000  # stored entries of sparse rows that are kept from one pass to the next, and not made anew
FEWEST = 64  # features beside k whose rows are levelled in any case
SHARE = 1 / 8  # of the remaining work that one reading of their rows may take
PASSES = 4  # over the rows of those features, against all
READINGS = 2  # of all rows, where they are levelled at once
ALIKE = 0.5  # variances this close, least to largest, single out no features: all rows are levelled at once
UNREAD = 2e-6  # relative allowance for rows that were not read, so that a judge need not read them either
FLOOR = 1e-7  # least weight, relative to the largest


def balanced_rows(
    problem: Problem,
    *,
    monitor: Monitor,
    passes: int = 0,
    warm_start: Bound | None = None,
    allowed: int | None = None,
) -> Bound:
    """The least bound over the weights tried.

    Where A is not held, all rows are levelled (:mod:`nnspca.bounds.levelled`) by so many ``passes``, each of
    which reads the whole of A once; together they read no more than ``allowed`` rows. ``warm_start`` is this
    bound as it was found before: its weights are where they start.
    """
    cov, level = problem.cov, 0.0
    if cov.holds_entries:
        value, d = _of_matrix(problem, monitor)
    else:
        most = max(passes, 1) if allowed is None else allowed // cov.n_features
        at_once = most > 0 and _at_once(problem) and monitor.affords(reading_seconds(problem))
        if warm_start is not None and isinstance(warm_start.ingredients, ScaleProof):
            value, d = warm_start.value, warm_start.ingredients.weights
        elif at_once:
            value, d = np.inf, _by_deviations(cov)
        else:
            value, d, level = _of_factor(problem, monitor)
        reached = value
        value, d = level_rows(problem, value, d, min(max(passes, READINGS * int(at_once)), most), monitor)
        level = level if value == reached else value  # a judge reads no row that cannot reach it
        if warm_start is not None and value == warm_start.value:
            return warm_start
    return Bound(
        "balanced-rows",
        float(value + cov._error_elsewhere),  # each row has room for what drifts
        detail=(
            "Every pair of features splits its covariance in the ratio of their scales, chosen to level the rows. "
            "The largest row, its own variance and k − 1 largest shares, is this bound."
        ),
        ingredients=ScaleProof(d, level),
    )


def by_plan(problem: Problem, plan: Plan, context: BoundContext) -> Iterator[Bound]:
    """The quick form: no more of A is read than its features of large variance."""
    if "balanced-rows" not in context.bounds and (context.gap_exceeds(plan.small) or problem.cov.holds_entries):
        yield balanced_rows(problem, monitor=context.monitor, allowed=rows_read(problem, plan))


def throughout_by_plan(problem: Problem, plan: Plan, context: BoundContext) -> Iterator[Bound]:
    """All rows levelled, if A is not held and no relaxation was made, or if the plan has time."""
    allowed = rows_read(problem, plan)
    if problem.cov.holds_entries or allowed < problem.n or not context.gap_exceeds(plan.small):
        return
    if not plan.thorough and (_at_once(problem) or not context.monitor.affords(reading_seconds(problem))):
        return  # the quick form has levelled them, or would not end
    if context.least == np.inf or (plan.thorough and context.relaxation_gap_exceeds(plan.narrow)):
        yield balanced_rows(
            problem,
            passes=plan.passes,
            monitor=context.monitor,
            warm_start=context.bounds.get("balanced-rows"),
            allowed=allowed,
        )


def _at_once(problem: Problem) -> bool:
    """Whether the quick form levels all rows: variances single out no features, or it takes less time."""
    own, wide = problem.cov.diagonal, len(_largest_variances(problem))
    quick = PASSES * problem.cov._reading_seconds(np.arange(wide)) + STEPS * PRICE * wide**2
    return float(own.min()) >= ALIKE * float(own.max()) or READINGS * reading_seconds(problem) <= quick


def _by_deviations(cov: Covariance) -> np.ndarray:
    """Weights at which no row costs much more than the largest variances."""
    s = np.sqrt(np.maximum(cov.diagonal, 0.0))
    return np.maximum(s / (s.max() or 1.0), FLOOR)


def _largest_variances(problem: Problem) -> np.ndarray:
    """The features of largest variance whose rows the quick form levels."""
    n, k = problem.n, problem.k
    most = min(n, WIDEST, 1500 + 8 * k, max(k + FEWEST, int(READ / PASSES / n)), problem.cov._rows_at_hand)
    return np.sort(np.argsort(-problem.cov.diagonal, kind="stable")[:most])


def _affordable(problem: Problem, chosen: np.ndarray, monitor: Monitor) -> np.ndarray:
    """Those of the features of largest variance whose rows can be read with a small part of the remaining work."""
    order = chosen[np.argsort(-problem.cov.diagonal[chosen], kind="stable")]
    while len(order) > problem.k + FEWEST and not monitor.affords(problem.cov._reading_seconds(order) / SHARE):
        order = order[: max(len(order) // 2, problem.k + FEWEST)]
    return np.sort(order)


def _of_matrix(problem: Problem, monitor: Monitor) -> tuple[float, np.ndarray]:
    """Power steps on all rows at once; the weights they end with are then charged in full precision."""
    cov, k = problem.cov, problem.k
    own = cov.entries.diagonal()
    d = _levelled(cov.entries, problem, monitor)[1].astype(float)
    image = own * d + sum_of_largest(_shares(cov.entries, problem.nonnegative) * d, k - 1)
    return rounding.raised(float(((image + cov._drift_of_rows(d, k)) / d).max()), 2 * k + 32), d


def _levelled(A: np.ndarray, problem: Problem, monitor: Monitor) -> tuple[float, np.ndarray]:
    """About the least largest row over power steps in single precision, and its weights."""
    size = float(A.diagonal().max()) or 1.0  # single precision overflows above about 1e38
    single = (A / size).astype(np.float32)
    own, shares = single.diagonal(), _shares(single, problem.nonnegative)
    d = np.sqrt(np.maximum(own, 0.0))
    d = np.maximum(d / (d.max() or 1.0), FLOOR)
    least, best = np.inf, d
    monitor.pay(STEPS * PRICE * A.size)
    for _ in range(STEPS):
        image = own * d + sum_of_largest(shares * d, problem.k - 1)
        most = float((image / d).max())
        if most < least:
            least, best = most, d
        d = np.maximum(image / (image.max() or 1.0), FLOOR)
        if monitor.stop():
            break
    return least * size, best


def _shares(A: np.ndarray, nonnegative: bool) -> np.ndarray:
    """A⁺, or |A|, with a diagonal of zeros."""
    shares = np.maximum(A, 0.0) if nonnegative else np.abs(A)
    np.fill_diagonal(shares, 0.0)
    return shares


def _of_factor(problem: Problem, monitor: Monitor) -> tuple[float, np.ndarray, float]:
    """Power steps on the features of largest variance; the rows of the others are not read.

    Returned with an upper bound on what those others cost, which leaves room for what a judge sees
    otherwise.
    """
    cov, k = problem.cov, problem.k
    s = np.sqrt(np.maximum(cov.diagonal, 0.0) + cov._drift)
    chosen = _affordable(problem, _largest_variances(problem), monitor)
    level, weights = _levelled(cov.block(chosen, chosen), problem, monitor)
    weights = weights.astype(float)
    least, best, unread = np.inf, np.zeros(0), 0.0
    companions = Companions(problem, cache_entries=CACHE_ENTRIES, monitor=monitor)
    d = _extended(s, chosen, weights, level, k)
    for _ in range(PASSES):
        rows, others = _rows(problem, s, chosen, d, monitor, companions)
        others *= 1 + UNREAD
        most = max(float(rows.max()), others)
        if most < least:
            least, best, unread = most, d, others
        if most <= level * (1 + 1e-4) or monitor.stop():
            break
        # a feature that meets its companions only now is given the weight that levels its row
        raised = d[chosen] * np.maximum(rows / (level * (1 + 1e-5)), 1.0)
        d = _extended(s, chosen, raised, level, k)
    if monitor.stop():
        return least, best, unread
    # where no weights keep the others level, by their deviations no row costs much more than the
    # largest variances
    d = _by_deviations(cov)
    plain = _rows(problem, s, chosen[:0], d, monitor)[1] * (1 + UNREAD)
    return (plain, d, plain) if plain < least else (least, best, unread)


def _extended(s: np.ndarray, chosen: np.ndarray, weights: np.ndarray, level: float, k: int) -> np.ndarray:
    """Weights for all features: those of the chosen ones, and for the others the least that keep their rows level."""
    d = np.zeros(len(s))
    d[chosen] = weights
    others = np.setdiff1d(np.arange(len(s)), chosen, assume_unique=True)
    for _ in range(20):
        together = float(sum_of_largest(s * d, k - 1))
        room = np.maximum(level - s[others] ** 2, 1e-3 * level)
        wanted = np.maximum(s[others] * together / room, FLOOR * weights.max())
        if np.allclose(wanted, d[others], rtol=1e-12, atol=0):
            break
        d[others] = np.maximum(wanted, d[others])
    return d


def _rows(
    problem: Problem,
    s: np.ndarray,
    chosen: np.ndarray,
    d: np.ndarray,
    monitor: Monitor,
    companions: Companions | None = None,
) -> tuple[np.ndarray, float]:
    """f_i(d)/d_i, rounded up: exact for the chosen rows, and an upper bound from s for all others."""
    cov, k = problem.cov, problem.k
    companions = companions or Companions(problem, monitor=monitor)
    companions.weights = d
    together = float(sum_of_largest(s * d, k - 1))
    reach = s**2 + s * together / d
    drifting = cov._drift_of_rows(d, k)
    reading = rounding.inner_products(2 * (cov._form.terms + k + 8))
    mask = np.ones(len(s), dtype=bool)
    mask[chosen] = False
    values = reach[chosen] * (1 + reading)
    cov._bring(chosen)
    for start in range(0, len(chosen), cov._strip):
        if monitor.stop():
            break
        rows = chosen[start : start + cov._strip]
        sums = cov.diagonal[rows] + companions.largest(rows).sum(axis=-1) / d[rows]
        values[start : start + cov._strip] = sums + reading * reach[rows] + drifting[rows] / d[rows]
    return values, float(reach[mask].max(initial=0.0)) * (1 + reading)
