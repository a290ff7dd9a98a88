"""The door to the bounds: pair the best feasible point with the least proven ceiling."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator

import numpy as np

from nnspca import cone
from nnspca.bounds import entries, spectral
from nnspca.bounds.balanced import balanced
from nnspca.bounds.pair_scaled import CHECK, tighten
from nnspca.bounds.paper import paper
from nnspca.bounds.threshold import threshold
from nnspca.covariance import Covariance
from nnspca.result import Bound, Certificate, Component, OnProgress, ShouldStop
from nnspca.solve import check_cardinality, solve
from nnspca.threads import one_blas_thread
from nnspca.watch import Watch

EFFORTS = ("live", "thorough")
RANKS = {"live": (1, 2, 3, 4, 5, 6), "thorough": (1, 2, 3, 4, 5, 6, 7, 8)}
CUT_RANKS = {"live": (3, 5), "thorough": (3, 4, 5, 6, 7)}
CUT_CELLS = {"live": 20_000, "thorough": 200_000}
PAIR_FEATURES = {"live": 700, "thorough": 1500}
CLOSED = 1e-6  # relative gap below which no further bound is tried


def certify(
    cov: Covariance,
    k: int,
    *,
    nonnegative: bool = True,
    effort: str = "live",
    component: Component | None = None,
    seed: int = 0,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> Certificate:
    """Sandwich the unknown optimum between a feasible variance and a proven upper bound.

    Parameters
    ----------
    cov : Covariance
        Of n features.
    k : int
        1 <= k <= n.
    nonnegative : bool
    effort : {"live", "thorough"}
        A second or two, or as long as the bounds still gain.
    component : Component, optional
        A feasible point already found; ``solve(cov, k)`` is run when None.
    seed : int
        Of the solver and of the paper's random directions.
    should_stop, on_progress : callable, optional
        A stopped call returns the bounds it has, all of them valid.

    Returns
    -------
    Certificate
        ``lower`` is attained by ``component``; no feasible variance exceeds ``upper``, rounding included.

    Raises
    ------
    ValueError
        k or effort not allowed, or a component that is not feasible here; the message says why.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
    >>> cert = nnspca.certify(cov, k=2)
    >>> round(cert.lower, 6), round(cert.upper, 6)
    (3.0, 3.0)
    """
    k = check_cardinality(cov, k)
    if effort not in EFFORTS:
        raise ValueError(f"effort={effort!r} is not allowed; give one of {', '.join(map(repr, EFFORTS))}")
    started = time.perf_counter()
    watch = Watch(should_stop, on_progress)
    if component is None:
        component = solve(
            cov,
            k,
            nonnegative=nonnegative,
            seed=seed,
            should_stop=should_stop,
            on_progress=None if on_progress is None else _within(watch.part(0.0, 0.3)),
        )
    lower = _attained(cov, k, nonnegative, component)
    tried: list[Bound] = []
    with one_blas_thread():
        steps = _bounds(cov, k, np.asarray(component.loadings), lower, nonnegative, effort, seed, watch)
        for fraction, bound in steps:
            tried = [b for b in tried if b.name != bound.name] + [bound]  # a bound of one name only ever falls
            upper = min(b.value for b in tried if b.deterministic)
            watch.tell(0.3 + 0.7 * fraction, f"bound “{bound.name}”", lower, upper)
            finished = fraction >= 0.5 and upper <= lower * (1 + CLOSED)
            if watch.stop() or finished:
                break
    watch.tell(1.0, "done", lower, upper)
    return Certificate(
        k,
        nonnegative,
        lower,
        upper,
        component,
        tuple(tried),
        tried[0].value,
        cov.fingerprint,
        effort,
        time.perf_counter() - started,
        watch.stop(),
    )


def _bounds(
    cov: Covariance, k: int, x: np.ndarray, lower: float, nonnegative: bool, effort: str, seed: int, watch: Watch
) -> Iterator[tuple[float, Bound]]:
    """Yield every bound of the mix, cheapest first, with how much of the mix is done."""
    yield 0.05, _timed(spectral.leading, cov)
    yield 0.1, _timed(entries.diagonal, cov, k)
    yield 0.2, _timed(entries.rows, cov, k, nonnegative=nonnegative, watch=watch)
    levelled = _timed(balanced, cov, k, nonnegative=nonnegative, watch=watch)
    if levelled is not None:
        yield 0.22, levelled
    ranks = [d for d in RANKS[effort] if d <= cov.n_features]
    plain = _timed(spectral.rank, cov, k, min(3, ranks[-1]), nonnegative=nonnegative, shifted=False, watch=watch)
    if plain is not None:
        yield 0.25, plain
    yield 0.5, _timed(paper, cov, k, nonnegative=nonnegative, rng=np.random.default_rng(seed), watch=watch)
    if plain is None:
        return
    shifted = []
    for d in ranks:
        shifted.append(_timed(spectral.rank, cov, k, d, nonnegative=nonnegative, shifted=True, watch=watch))
        if watch.stop() or shifted[-1].value <= lower * (1 + CLOSED):
            break
    yield 0.6, min(shifted, key=lambda b: b.value)
    cuts = threshold(
        cov, k, lower, nonnegative=nonnegative, ranks=CUT_RANKS[effort], cells=CUT_CELLS[effort], watch=watch
    )
    for bound in cuts:
        yield 0.7, bound
    steps = _pair_steps(cov, effort)
    if steps:
        goal = lower * (1 + CLOSED)
        tightened = tighten(cov, k, x, nonnegative=nonnegative, steps=steps, goal=goal, watch=watch)
        for number, bound in enumerate(tightened, start=1):
            yield min(0.7 + 0.3 * CHECK * number / steps, 1.0), bound


def _pair_steps(cov: Covariance, effort: str) -> int:
    """How many steps of the splitting are worth their time: a step costs about n³."""
    if cov.matrix is None or cov.n_features > PAIR_FEATURES[effort]:
        return 0
    if effort == "thorough":
        return 4000
    return int(np.clip(60 * (361 / cov.n_features) ** 2.5, 20, 200))


def _timed(bound, *args, **options):
    """Run one bound and note how long it took."""
    started = time.perf_counter()
    made = bound(*args, **options)
    if made is None:
        return None
    return dataclasses.replace(made, value=float(made.value), seconds=time.perf_counter() - started)


def _attained(cov: Covariance, k: int, nonnegative: bool, component: Component) -> float:
    """Variance of the component, after checking that it is feasible for this problem."""
    loadings = np.asarray(component.loadings, dtype=np.float64)
    if loadings.shape != (cov.n_features,):
        raise ValueError(f"component has loadings of shape {loadings.shape}; give shape ({cov.n_features},)")
    reason = cone.infeasibility(loadings, k, nonnegative)
    if reason:
        raise ValueError(f"component is not feasible for k={k}, nonnegative={nonnegative}: {reason}")
    return cov.variance(loadings)


def _within(watch: Watch) -> OnProgress:
    """Let another call's progress fill one span of this one."""
    return lambda p: watch.tell(p.fraction, p.stage, p.variance, p.upper)
