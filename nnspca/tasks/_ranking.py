"""The best distinct supports, by branch and bound: no other support lies between them."""

from __future__ import annotations

import heapq
import math
import time

import numpy as np

from nnspca.bounds import masses
from nnspca.bounds.branch import Node, tree_of_cases
from nnspca.bounds.core import part_of
from nnspca.control.arguments import Seed, check_flag, check_share, check_whole
from nnspca.control.progress import Monitor
from nnspca.control.stopping import Stopped
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem, SomeFeatures, on_all
from nnspca.machines.workers import Executor, with_executor
from nnspca.numerics import feasible, rounding
from nnspca.numerics.doubles import read_only
from nnspca.result import Component, OnProgress, Ranking, ShouldStop
from nnspca.solvers.climb import SWAP_GAIN, optimise_on_support
from nnspca.tasks._excluding import excluding
from nnspca.tasks._solve import check_cardinality, check_seed, monitor_of, solve

MOST_FEATURES = 400  # of which supports are ranked


@with_executor
@excluding
def solve_all(
    cov: Covariance,
    k: int,
    *,
    count: int = 10,
    within: float = 0.01,
    nonnegative: bool = True,
    seed: Seed = 0,
    exclude: SomeFeatures = None,
    time_limit: float | None = 60.0,
    executor: Executor = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> Ranking:
    """Find the best distinct supports, with a proof that no other support lies between them.

    A support is the set of features that a component uses, at most k; its variance is the largest on it. Supports on
    which the best component leaves a feature at zero are none of their own, nor are those with no more variance
    (relative, 1e-10) than a part of them has.

    Parameters
    ----------
    cov : Covariance
        Of n features, at most 400.
    k : int
        1 <= k <= n.
    count : int
        How many supports at most.
    within : float
        Only those at most this share below the best: 0 <= within < 1.
    time_limit : float or None
        Seconds. What is proven by then is returned: ``rest`` lies higher, and fewer places are ``settled``.
    executor
        As for :func:`nnspca.certify`.
    nonnegative, seed, exclude, should_stop, on_progress
        As for :func:`nnspca.solve`.

    Returns
    -------
    Ranking

    Raises
    ------
    ValueError
        More features than that, or a number not allowed; the message says why.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops"))
    >>> best = nnspca.solve_all(cov, k=4, count=3, within=0.1)
    >>> [part.names for part in best], best.settled
    ([('topdiam', 'length', 'bowdist', 'whorls'), ('topdiam', 'length', 'ringbut', 'whorls'), ...], 3)
    """
    monitor, started = monitor_of(cov, should_stop, on_progress, time_limit), time.perf_counter()
    k, count = check_cardinality(cov, k), check_whole("count", count, 1)
    if cov.n_features > MOST_FEATURES:
        message = (
            f"solve_all takes at most {MOST_FEATURES} features; these data have {cov.n_features}. Choose some of them, "
        )
        raise ValueError(message + "such as nnspca.most_variable, or ask nnspca.necessity which features are needed")
    share, nonnegative = check_share("within", within), check_flag("nonnegative", nonnegative)
    first = solve(cov, k, nonnegative=nonnegative, seed=check_seed(seed), should_stop=monitor.should_stop)
    whole = cov if cov.held.holds_entries else part_of(cov, np.arange(cov.n_features))
    beyond = 0.0 if whole is cov else cov.held.error_elsewhere
    search = _Search(Problem(whole, k, nonnegative), count, share, monitor, beyond)
    with one_blas_thread():
        rest = search.run(np.asarray(first.loadings)) + beyond
        monitor.tell(1.0, "done", max(search.values.values()), rest)
    listed = [read_only(search.found[support] + 0.0) for support in search.listed()]
    components = tuple(Component(x, cov.variance(x), "best", k, nonnegative, features=cov.features) for x in listed)
    return Ranking(components, rest, k, nonnegative, share, search.cut_short, time.perf_counter() - started)


class _Search:
    """Supports found so far, and the tree of what is still open."""

    def __init__(self, problem: Problem, count: int, share: float, monitor: Monitor, beyond: float) -> None:
        self.problem, self.count, self.share, self.monitor = problem, count, share, monitor
        self.error = problem.cov.held.room() + beyond  # of the entries of A, in norm
        self.found: dict[tuple[int, ...], np.ndarray] = {}  # the best component by its support
        self.values: dict[tuple[int, ...], float] = {}
        self.closed: dict[tuple[int, ...], float] = {}  # supports whose variance is bounded by itself
        self.cut_short = False

    @property
    def threshold(self) -> float:
        """The variance that a support must exceed to be listed."""
        values = heapq.nlargest(self.count, self.values.values())
        return max(values[0] * (1 - self.share), values[-1] if len(values) == self.count else 0.0)

    def listed(self) -> list[tuple[int, ...]]:
        """The supports to be listed, the best first."""
        order = sorted(self.values, key=lambda support: -self.values[support])[: self.count]
        return [support for support in order if self.values[support] >= self.values[order[0]] * (1 - self.share)]

    def consider(self, features: np.ndarray) -> tuple[int, ...]:
        """Keep the best component met on some features, without those that add nothing; return its support."""
        cov, nonnegative = self.problem.cov, self.problem.nonnegative
        x = on_all(np.full(len(features), 1 / math.sqrt(len(features))), features, self.problem.n)
        x = optimise_on_support(cov, x, nonnegative=nonnegative)
        while not self._needs_all(x):
            x[np.where(x, np.abs(x), np.inf).argmin()] = 0.0
            x = optimise_on_support(cov, feasible.unit(x), nonnegative=nonnegative)
        support = tuple(np.flatnonzero(x).tolist())
        if support not in self.found:
            self.found[support], self.values[support] = x if nonnegative else feasible.orient(x), cov.variance(x)
        return support

    def _needs_all(self, x: np.ndarray) -> bool:
        """Whether every part of the support of x, the leading eigenvector there, has less variance.

        Without feature i it has at most λ₁ − x_i² (λ₁ − λ₂): a unit y without i has (x'y)² <= 1 − x_i².
        """
        support = np.flatnonzero(x)
        if len(support) == 1:
            return True
        values = np.linalg.eigvalsh(self.problem.cov.block(support, support))
        return bool((x[support] ** 2).min() * (values[-1] - values[-2]) > SWAP_GAIN * values[-1])

    def _is_none_of_its_own(self, features: np.ndarray, bound: float, smaller: tuple[int, ...]) -> bool:
        """Whether the best component on some features surely leaves one at zero, or a smaller support has as much.

        With M = λ₁I − A there, x > 0 is the best if Mx = 0. Then no w has Mw > 0: x'Mw would be 0 and above it.
        Such a w is My, for the y >= 0 of sum 1 and least ‖My‖. The room is for errors of A, of λ₁ and of Mw.
        """
        cov = self.problem.cov
        if bound <= masses.attained(cov, self.found[smaller]) * (1 + SWAP_GAIN):
            return True
        if not self.problem.nonnegative:
            return False
        from scipy.optimize import nnls  # slow to import

        k, A = len(features), cov.block(features, features) / cov.trace
        M = np.linalg.eigvalsh(A)[-1] * np.eye(k) - A
        y, _ = nnls(np.vstack([M, np.ones(k)]), np.append(np.zeros(k), 1.0), maxiter=100 * k)
        w, error = M @ y, 2 * self.error / cov.trace + rounding.eigenvalues(k, 1.0) + rounding.sums(2 * k + 8, 1.0)
        return bool((M @ w).min() > 2 * error * np.linalg.norm(w))

    def run(self, x: np.ndarray) -> float:
        """Open the case of largest bound until none may hold a support to be listed; return what bounds all others."""
        self.consider(np.flatnonzero(x))
        highest = self.problem.cov.trace * (1 + 1e-9) + self.problem.cov.held.room()
        try:
            tree = tree_of_cases(self.problem, x[None], self.threshold, self.monitor)
            open_nodes: list[Node] = [tree.root(None)]
            first = open_nodes[0].value
            while open_nodes and (highest := open_nodes[0].value) > self.threshold:
                if self.monitor.stop():
                    raise Stopped
                fallen, goal = first - highest, self.threshold
                self.monitor.tell(fallen / (first - goal), "cases", max(self.values.values()), highest)
                node = heapq.heappop(open_nodes)
                features, inside = node.case
                if inside.all() or len(features) == 1:
                    own, met = tuple(features.tolist()), self.consider(features)
                    if own == met or not self._is_none_of_its_own(features, node.value, met):
                        self.closed[own] = node.value
                    continue
                tree.goal, split = self.threshold, tree.undecided(node)
                for side in tree.sides(node, int(np.flatnonzero(~inside)[0]) if split is None else split):
                    heapq.heappush(open_nodes, side)
                    if side.value > tree.goal:
                        self.consider(tree.likely(side))
            highest = open_nodes[0].value if open_nodes else 0.0
        except Stopped:
            self.cut_short = True
        listed = set(self.listed())
        return max(highest, *(value for support, value in self.closed.items() if support not in listed), 0.0)
