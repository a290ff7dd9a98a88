"""The features that every near-best component has, and those that it can do without."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import numpy as np

from nnspca.bounds import masses
from nnspca.bounds import necessity as without
from nnspca.bounds.certificate import BETTER
from nnspca.certificates.judge import checked
from nnspca.control.arguments import Effort, Seed, check_choice, check_flag, check_instance, check_share
from nnspca.control.progress import Monitor
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem, on_all
from nnspca.machines.workers import Executor, with_executor
from nnspca.numerics import feasible, rounding
from nnspca.numerics.doubles import read_only
from nnspca.result import Component, Necessity, OnProgress, ShouldStop
from nnspca.solvers.climb import climb, polish
from nnspca.tasks._solve import check_cardinality, check_seed, monitor_of, solve

SOLVED, SHOWN, WEIGHED = 0.2, 0.3, 0.35  # shares of the progress by the end of each stage
RELAXED = 0.4  # share of the remaining progress when the whole is relaxed
CLOSED = 1e-6  # relative gap at which the whole is relaxed no further
LIGHT_WEIGHT = 1e-4  # share of weight below which a feature's limit need not be tightened


@dataclass(frozen=True)
class Budgets:
    """Budgets of the proofs, for the whole problem and for all features together, in counted seconds."""

    whole: float
    each: float
    doubt: float  # share of the gap of the whole, below which that without a feature is not hoped to be
    trees: bool  # whether cases are parted by branch and bound


EFFORTS = {"live": Budgets(1.5, 2.3, 0.5, False), "thorough": Budgets(15.0, 90.0, 0.0, True)}


@with_executor
def necessity(
    cov: Covariance,
    k: int,
    within: float = 0.01,
    *,
    nonnegative: bool = True,
    effort: Effort = "live",
    component: Component | None = None,
    seed: Seed = 0,
    executor: Executor = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> Necessity:
    """Find the features that every near-best component has, and those that one can do without.

    A component is near-best if its variance is at least ``1 - within`` of that of the best one
    found. A feature is *essential* if a proven bound on all components without it lies below
    that: every near-best component has it. It is *dispensable* if a near-best component without it
    was found. Else the question is open. And no near-best component that is best on its own support
    gives a feature a larger share of weight ``x_i²`` than ``limit`` (:mod:`nnspca.bounds.masses`).

    Parameters
    ----------
    cov : Covariance
        Of n features.
    k : int
        1 <= k <= n.
    within : float
        0 <= within < 1.
    effort : {"live", "thorough"}
        Some seconds, or minutes for what these leave open.
    component : Component, optional
        A feasible point already found; ``solve(cov, k)`` is run when None. A better one that is met takes its place.
    executor
        As for :func:`nnspca.certify`.
    nonnegative, seed, should_stop, on_progress
        As for :func:`nnspca.solve`. A stopped call returns what is proven by then; the rest is undecided.

    Returns
    -------
    Necessity

    Raises
    ------
    TypeError
        No covariance, but data or a matrix; a component that is none.
    ValueError
        k, within or effort not allowed, or a component that is not feasible here; the message says why.

    Examples
    --------
    Without feature 0 one cannot have much; 1 and 2 can stand in for each other:

    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[4.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    >>> need = nnspca.necessity(cov, k=2)
    >>> need.essential.tolist(), need.dispensable.tolist()
    ([True, False, False], [False, True, True])
    >>> bool(need.limit[2] < 0.2)
    True
    """
    monitor, started = monitor_of(cov, should_stop, on_progress), time.perf_counter()
    check_choice("effort", effort, EFFORTS)
    k, nonnegative, seed = check_cardinality(cov, k), check_flag("nonnegative", nonnegative), check_seed(seed)
    within = check_share("within", within)
    if component is not None:
        check_instance("component", component, Component, "one that nnspca.solve gave")
        component = replace(checked(component, "component", Problem(cov, k, nonnegative)), features=cov.features)
    if component is None:
        relay = monitor.part(0.0, SOLVED).relay
        component = solve(cov, k, nonnegative=nonnegative, seed=seed, should_stop=should_stop, on_progress=relay)
    with one_blas_thread():
        result = _Question(Problem(cov, k, nonnegative), within, effort, component).answered(monitor)
    monitor.tell(1.0, "done", result.lower)
    return replace(result, seconds=time.perf_counter() - started, stopped=monitor.stop())


@dataclass
class _Question:
    """The question, the best point known, and the results for each feature."""

    problem: Problem
    within: float
    effort: str
    component: Component
    lower: float = field(init=False)
    threshold: float = field(init=False)
    lacking: dict[int, np.ndarray] = field(init=False)  # for features of the support, the best point met without each
    dispensable: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self._begin(self.component)

    def _begin(self, component: Component) -> None:
        """Start from a component: features outside its support are not necessary."""
        self.component = component
        x = component.loadings
        self.lower = masses.attained(self.problem.cov, x)
        # never above what the exact product is: a component that attains it may not be overlooked
        self.threshold = (1.0 - self.within) * self.lower
        self.threshold -= rounding.sums(4, abs(self.threshold))
        self.dispensable = x == 0
        self.lacking = {}

    def answered(self, monitor: Monitor) -> Necessity:
        """Search for counterexamples, then for proofs where there are none."""
        while (better := self._search_counterexamples(monitor.part(SOLVED, SHOWN))) is not None:
            self._begin(better)
        problem, threshold = self.problem, self.threshold
        weighing = monitor.part(SHOWN, WEIGHED)
        limit = np.ones(problem.n)
        if threshold > 0:
            ranking = masses.MassRanking(problem, threshold, weighing, row_skip_threshold=LIGHT_WEIGHT)
            ranking.largest(problem.n, allowed=problem.n)
            limit = ranking.masses
            beside = masses.beside_each_other(problem, threshold, limit, weighing)
            if beside is not None:
                limit[beside.proof.features] = beside.masses
        asked = sorted((i for i in self.lacking if not self.dispensable[i]), key=self._largest_without)
        upper_bounds = self._upper_bounds([] if monitor.stop() else asked, monitor.part(WEIGHED, 1.0))
        essential = upper_bounds < threshold  # not where there is none
        for array in (essential, self.dispensable, limit, upper_bounds):
            array.setflags(write=False)
        return Necessity(
            problem.k,
            problem.nonnegative,
            self.within,
            self.lower,
            threshold,
            self.component,
            essential,
            self.dispensable,
            limit,
            upper_bounds,
            problem.cov.fingerprint,
        )

    def _search_counterexamples(self, monitor: Monitor) -> Component | None:
        """Search for a near-best point without each feature; stop if one is better than the best known."""
        best = self.component
        for number, i in enumerate(best.support.tolist()):
            if self.problem.n == 1 or monitor.stop():
                break
            monitor.tell(number / best.cardinality, f"without feature {number + 1} of {best.cardinality}", self.lower)
            if self.dispensable[i]:
                continue
            y = self._best_without(i, monitor)
            if self.problem.cov.variance(y) > best.variance * (1 + BETTER):
                note = "met while components without a feature were sought"
                return replace(best, loadings=read_only(y), variance=self.problem.cov.variance(y), note=note)
            self.lacking[i] = y
            if masses.attained(self.problem.cov, y) >= self.threshold:
                self.dispensable |= y == 0
        return None

    def _best_without(self, i: int, monitor: Monitor) -> np.ndarray:
        """The best point found without feature i: the rest of x if that suffices, else improved by swaps."""
        problem, x = self.problem, self.component.loadings
        y = feasible.unit(np.where(np.arange(problem.n) == i, 0.0, x))
        if y.any() and masses.attained(problem.cov, y) >= self.threshold:
            return y
        others = np.delete(np.arange(problem.n), i)
        part = problem.restrict(others)
        starts = y[others] if y.any() else part.cov.diagonal
        z = climb(part, starts[None], monitor=monitor)[0][0]
        z = polish(part, z, monitor=monitor)[0]
        return on_all((z if problem.nonnegative else feasible.orient(z)) + 0.0, others, problem.n)

    def _largest_without(self, i: int) -> float:
        """The largest variance found without feature i."""
        return float(self.problem.cov.variance(self.lacking[i]))

    def _upper_bounds(self, asked: list[int], monitor: Monitor) -> np.ndarray:
        """An upper bound without each feature in question; NaN for the others."""
        problem, lower, work = self.problem, self.lower, EFFORTS[self.effort]
        upper_bounds = np.full(problem.n, np.nan if problem.n > 1 else 0.0)  # no feature, no component
        if problem.n == 1 or not asked:
            return upper_bounds
        relaxing, proving = monitor.part(0.0, RELAXED).within(work.whole), monitor.part(RELAXED, 1.0)
        whole = without.whole_relaxation(problem, np.asarray(self.component.loadings), self.threshold, relaxing)
        if whole is not None:
            above = without.tighten_relaxation(whole, lower * (1 + CLOSED)) / lower - 1
            # without a feature the upper bound lies above the best point by about as much: where that
            # is far too much, the work is better spent on others
            asked = [i for i in asked if self._largest_without(i) * (1 + work.doubt * above) < self.threshold]
        left = work.each
        for number, i in enumerate(asked):
            if monitor.stop():
                break
            mine = proving.part(number / len(asked), (number + 1) / len(asked)).within(left / (len(asked) - number))
            mine.tell(0.0, f"a bound without feature {number + 1} of {len(asked)}", lower)
            upper_bounds[i] = without.upper_bound(
                whole, problem, i, self.lacking[i], self.threshold, mine, trees=work.trees
            )
            left -= mine.search.spent
        return upper_bounds
