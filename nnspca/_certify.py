"""The door to the bounds: pair the best feasible point with the least proven ceiling."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from nnspca import feasible
from nnspca._solve import check_cardinality, solve
from nnspca.bounds import branch, entries, spectral, working
from nnspca.bounds.balanced import balanced
from nnspca.bounds.capped import capped
from nnspca.bounds.pair_scaled import CHECK, tighten
from nnspca.bounds.paper import paper
from nnspca.bounds.threshold import threshold
from nnspca.certificates.proofs import PairProof
from nnspca.covariance import Covariance
from nnspca.progress import Monitor
from nnspca.result import Bound, Certificate, Component, OnProgress, ShouldStop
from nnspca.solvers.climb import optimise_on_support
from nnspca.threads import one_blas_thread


@dataclass(frozen=True)
class Effort:
    """How much work a certificate may cost: counted, not timed, so that the same call gives the same bounds.

    Attributes
    ----------
    ranks, cut_ranks : tuple of int
        d of the shifted rank-d bound, on A and on what lies above a cut.
    cells : int
        Limit of each search on the sphere.
    cut_features : int
        Most features that may reach above a cut.
    capped_features : int
        Most features for the capped dual, which the pair-scaled one outdoes at a similar cost.
    paper_entries : int
        Most directions times features for the paper's own bound, which holds with some probability only.
    pair_features : int
        Most features for the pair-scaled dual, whose steps cost n³.
    working_features : int
        Most features of a working set for it, where all are too many.
    pair_steps, pair_cost : int
        Most steps of it, and most cost in the unit ``SECOND``.
    passes : int
        Power steps over all rows that level them, where A is not held: a step reads the whole of A.
    always_levels : bool
        Whether they are made where a working set would do, too.
    branch_cost : float
        Most cost of branch and bound, in the unit ``SECOND``.
    closed : float
        Relative gap at which nothing more is tried.
    settled : float
        Relative gap of the pair-scaled dual below which no other bound would come close.
    """

    ranks: tuple[int, ...]
    cut_ranks: tuple[int, ...]
    cells: int
    cut_features: int
    capped_features: int
    paper_entries: int
    pair_features: int
    working_features: int
    pair_steps: int
    pair_cost: int
    passes: int
    always_levels: bool
    branch_cost: float
    closed: float
    settled: float = 5e-3


EFFORTS = {
    "live": Effort((1, 2, 3, 4, 5), (3, 5), 12_000, 1500, 150, 3 * 10**7, 450, 500, 400, 1, 3, False, 1, 1e-4),
    "thorough": Effort(
        (1, 2, 3, 4, 5, 6, 7), (3, 4, 5, 6, 7), 200_000, 3500, 450, 10**9, 1500, 1000, 4000, 60, 8, True, 60, 1e-6
    ),
}
BETTER = 1e-9  # relative gain that makes a point a better one
OPTIMAL = 1e-4  # relative gap below which a component is called optimal: nothing is parted into cases any more
WORTHWHILE = 1000  # steps of a splitting without which branch and bound would not come far
FEWEST_SAMPLES = 1000  # directions of the paper's bound: it then fails less often than once in 10^20 runs
SECOND = 110 * 361**2.5  # steps × n^2.5 of the pair-scaled dual in about a second


def certify(
    cov: Covariance,
    k: int,
    *,
    nonnegative: bool = True,
    effort: str = "live",
    component: Component | None = None,
    seed: int = 0,
    warm_start: Certificate | None = None,
    near: Certificate | None = None,
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
    warm_start : Certificate, optional
        Of the same covariance at a neighbouring k: the pair-scaled dual starts from its multipliers.
    near : Certificate, optional
        The former name of ``warm_start``.
    should_stop, on_progress : callable, optional
        A stopped call returns the bounds it has, all of them valid.

    Returns
    -------
    Certificate
        ``lower`` is attained by its ``component``: the one given, else the best that solver and branch and bound met;
        no feasible variance exceeds ``upper``, rounding included.

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
    monitor = Monitor(should_stop, on_progress)
    given = component is not None
    start = _multipliers(warm_start if near is None else near, cov, nonnegative)
    if component is None:
        component = solve(
            cov,
            k,
            nonnegative=nonnegative,
            seed=seed,
            should_stop=should_stop,
            on_progress=None if on_progress is None else _within(monitor.part(0.0, 0.3)),
        )
    found = _Found(cov, nonnegative, component, _attained(cov, k, nonnegative, component), monitor, given)
    tried: list[Bound] = []
    with one_blas_thread():
        mix = _bounds(cov, k, found, EFFORTS[effort], seed, monitor, start)
        clock = time.perf_counter()
        for fraction, bound in mix:
            clock, spent = time.perf_counter(), time.perf_counter() - clock
            if bound is None:
                continue
            spent += sum(b.seconds for b in tried if b.name == bound.name)  # a bound that tightens adds up
            bound = replace(bound, value=float(bound.value), seconds=spent)
            tried = [b for b in tried if b.name != bound.name] + [bound]  # a bound of one name only ever falls
            upper = min(b.value for b in tried if b.deterministic)
            monitor.tell(0.3 + 0.7 * fraction, f"bound “{bound.name}”", found.variance, upper)
            finished = fraction >= 0.5 and upper <= found.variance * (1 + EFFORTS[effort].closed)
            if monitor.stop() or finished:
                break
    monitor.tell(1.0, "done", found.variance, upper)
    return Certificate(
        k,
        nonnegative,
        found.variance,
        upper,
        found.component,
        tuple(tried),
        tried[0].value,
        cov.fingerprint,
        effort,
        time.perf_counter() - started,
        monitor.stop(),
    )


@dataclass
class _Found:
    """The best feasible point known: a bound that parts the supports may come across a better one."""

    cov: Covariance
    nonnegative: bool
    component: Component
    variance: float
    monitor: Monitor
    given: bool

    def consider(self, support: np.ndarray) -> None:
        """Take the best point on a support if it is better, unless a certificate of one point was asked for."""
        if self.given:
            return
        x = np.zeros(self.cov.n_features)
        x[support] = 1 / np.sqrt(len(support))
        x = optimise_on_support(self.cov, x, nonnegative=self.nonnegative, monitor=self.monitor)
        if self.cov.variance(x) > self.variance * (1 + BETTER):
            x = (x if self.nonnegative else feasible.orient(x)) + 0.0
            x.setflags(write=False)
            self.variance = self.cov.variance(x)
            self.component = replace(
                self.component, loadings=x, variance=self.variance, note="found by branch and bound, for a certificate"
            )


def _bounds(
    cov: Covariance, k: int, found: _Found, effort: Effort, seed: int, monitor: Monitor, warm_start: PairProof | None
) -> Iterator[tuple[float, Bound | None]]:
    """Yield every bound of the mix, cheapest first, with how much of the mix is done; None where one has no say."""
    x, lower, nonnegative = np.asarray(found.component.loadings), found.variance, found.nonnegative
    yield 0.05, spectral.leading(cov)
    yield 0.1, entries.diagonal(cov, k)
    yield 0.15, entries.rows(cov, k, nonnegative=nonnegative, monitor=monitor)
    level = balanced(cov, k, nonnegative=nonnegative, monitor=monitor)
    yield 0.2, level
    ranks = [d for d in effort.ranks if d <= cov.n_features]
    for fraction, shifted in ((0.25, False), (0.3, True)):
        yield (
            fraction,
            spectral.rank(
                cov, k, min(3, ranks[-1]), nonnegative=nonnegative, shifted=shifted, cells=effort.cells, monitor=monitor
            ),
        )
    samples = max(FEWEST_SAMPLES, effort.paper_entries // cov.n_features)
    rng = np.random.default_rng(seed)
    yield 0.5, paper(cov, k, nonnegative=nonnegative, rng=rng, monitor=monitor, max_samples=samples)
    goal = lower * (1 + effort.closed)
    least = np.inf
    if cov.matrix is not None and cov.n_features <= effort.capped_features:
        yield 0.5, capped(cov, k, x, nonnegative=nonnegative, monitor=monitor)
    steps = _pair_steps(cov, effort)
    if steps:
        tightened = tighten(
            cov, k, x, nonnegative=nonnegative, steps=steps, goal=goal, monitor=monitor, warm_start=warm_start
        )
        for number, bound in enumerate(tightened, start=1):
            least = bound.value
            yield min(0.5 + 0.3 * CHECK * number / steps, 0.7), bound
    if not steps:
        large = working.tighten(
            cov,
            k,
            x,
            lower,
            level.value,
            nonnegative=nonnegative,
            features=effort.working_features,
            budget=effort.pair_cost * SECOND,
            goal=goal,
            monitor=monitor,
        )
        for bound in large:
            least = bound.value
            yield 0.7, bound
        if cov.matrix is None and (least == np.inf or (effort.always_levels and least > lower * (1 + effort.settled))):
            yield (
                0.75,
                balanced(cov, k, nonnegative=nonnegative, passes=effort.passes, monitor=monitor, warm_start=level),
            )
    if least > lower * (1 + effort.settled):
        shifted_rank = _best_shifted(cov, k, ranks, goal, nonnegative, effort.cells, monitor)
        least = least if shifted_rank is None else min(least, shifted_rank.value)
        yield 0.8, shifted_rank
        cuts = threshold(
            cov,
            k,
            lower,
            nonnegative=nonnegative,
            ranks=effort.cut_ranks,
            cells=effort.cells,
            features=effort.cut_features,
            monitor=monitor,
        )
        for bound in cuts:
            least = min(least, bound.value)
            yield 0.85, bound
    budget = effort.branch_cost * SECOND
    if least > lower * (1 + OPTIMAL) and steps and budget >= WORTHWHILE * branch.cost(cov.n_features):
        goal = lower * (1 + OPTIMAL / 2)
        parted = branch.tighten(
            cov,
            k,
            x,
            nonnegative=nonnegative,
            goal=goal,
            budget=budget,
            monitor=monitor,
            consider=found.consider,
        )
        for bound in parted:
            yield 0.9, bound


def _multipliers(warm_start: Certificate | None, cov: Covariance, nonnegative: bool) -> PairProof | None:
    """The pair-scaled proof of a certificate; None where it has none, or where only some of the features are in it."""
    if warm_start is None:
        return None
    if warm_start.fingerprint != cov.fingerprint or warm_start.nonnegative != nonnegative:
        raise ValueError("warm_start must be a certificate of this covariance with this sign constraint")
    return next(
        (b.ingredients for b in warm_start.bounds if b.name == "pair-scaled" and isinstance(b.ingredients, PairProof)),
        None,
    )


def _pair_steps(cov: Covariance, effort: Effort) -> int:
    """How many steps of the pair-scaled dual are worth their time."""
    if cov.matrix is None or cov.n_features > effort.pair_features:
        return 0
    return min(effort.pair_steps, int(effort.pair_cost * SECOND / cov.n_features**2.5))


def _best_shifted(
    cov: Covariance, k: int, ranks: list[int], goal: float, nonnegative: bool, cells: int, monitor: Monitor
) -> Bound | None:
    """The least shifted rank-d bound over the ranks, given up once the goal is met."""
    least: Bound | None = None
    for d in ranks:
        made = spectral.rank(cov, k, d, nonnegative=nonnegative, shifted=True, cells=cells, monitor=monitor)
        if made is not None and (least is None or made.value < least.value):
            least = made
        if monitor.stop() or least is None or least.value <= goal:
            break
    return least


def _attained(cov: Covariance, k: int, nonnegative: bool, component: Component) -> float:
    """Variance of the component, after checking that it is feasible for this problem."""
    loadings = np.asarray(component.loadings, dtype=np.float64)
    if loadings.shape != (cov.n_features,):
        raise ValueError(f"component has loadings of shape {loadings.shape}; give shape ({cov.n_features},)")
    reason = feasible.infeasibility(loadings, k, nonnegative)
    if reason:
        raise ValueError(f"component is not feasible for k={k}, nonnegative={nonnegative}: {reason}")
    return cov.variance(loadings)


def _within(monitor: Monitor) -> OnProgress:
    """Let another call's progress fill one span of this one."""
    return lambda p: monitor.tell(p.fraction, p.stage, p.variance, p.upper)
