"""Entry point for the best distinct supports: branch and bound that goes on until no other can lie between them."""

from __future__ import annotations

import heapq
import math
import time

import numpy as np

from nnspca.bounds.branch import Node, cases
from nnspca.bounds.working import part_of
from nnspca.control.arguments import Seed, check_callables, check_flag, check_share, check_whole
from nnspca.control.progress import Monitor
from nnspca.control.stopping import Stopped
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.covariance.restriction import Features
from nnspca.numerics import feasible
from nnspca.numerics.doubles import read_only
from nnspca.result import Component, OnProgress, Ranking, ShouldStop
from nnspca.solvers.climb import optimise_on_support
from nnspca.tasks._certify import within as limited_to
from nnspca.tasks._solve import check_cardinality, check_covariance, check_seed, solve
from nnspca.tasks.excluding import excluding

LARGEST = 400  # features


@excluding
def solve_all(
    cov: Covariance,
    k: int,
    *,
    count: int = 10,
    within: float = 0.01,
    nonnegative: bool = True,
    seed: Seed = 0,
    exclude: Features = None,
    time_limit: float | None = 60.0,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> Ranking:
    """Find the best distinct supports, with a proof that no other support lies between them.

    A support is the set of features that a component uses, at most k; its variance is the largest on it, and supports
    on which the best component leaves a feature at zero are none of their own.

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
    check_covariance(cov)
    check_callables(should_stop=should_stop, on_progress=on_progress)
    k, count = check_cardinality(cov, k), check_whole("count", count, 1)
    if cov.n_features > LARGEST:
        message = f"solve_all takes at most {LARGEST} features; these data have {cov.n_features}. Choose some of them, "
        raise ValueError(message + "such as nnspca.most_variable, or ask nnspca.necessity which features are needed")
    share, nonnegative = check_share("within", within), check_flag("nonnegative", nonnegative)
    started = time.perf_counter()
    stop, told = limited_to(time_limit, should_stop, on_progress)
    first = solve(cov, k, nonnegative=nonnegative, seed=check_seed(seed), should_stop=stop)
    every = np.arange(cov.n_features)
    whole = cov if cov.holds_entries else part_of(cov, every)
    search = _Search(Problem(whole, k, nonnegative), count, share, Monitor(stop, told))
    with one_blas_thread():
        rest = search.run(np.asarray(first.loadings)) + (0.0 if whole is cov else cov.error_elsewhere)
    listed = [read_only(search.found[support] + 0.0) for support in search.listed()]
    components = tuple(Component(x, cov.variance(x), "best", k, nonnegative, features=cov.features) for x in listed)
    return Ranking(components, rest, k, nonnegative, share, search.cut_short, time.perf_counter() - started)


class _Search:
    """Supports found so far, and the tree of what is still open."""

    def __init__(self, problem: Problem, count: int, share: float, monitor: Monitor) -> None:
        self.problem, self.count, self.share, self.monitor = problem, count, share, monitor
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
        """Keep the best component on some features; return the support of it."""
        cov, nonnegative = self.problem.cov, self.problem.nonnegative
        x = np.zeros(self.problem.n)
        x[features] = 1 / math.sqrt(len(features))
        x = optimise_on_support(cov, x, nonnegative=nonnegative)
        support = tuple(np.flatnonzero(x).tolist())
        if support not in self.found:
            self.found[support], self.values[support] = x if nonnegative else feasible.orient(x), cov.variance(x)
        return support

    def run(self, x: np.ndarray) -> float:
        """Open the case of largest bound until none may hold a support to be listed; return what bounds all others."""
        self.consider(np.flatnonzero(x))
        highest = self.problem.cov.trace * (1 + 1e-9) + self.problem.cov.room()
        try:
            tree = cases(self.problem, x[None], self.threshold, self.monitor)
            open_nodes: list[Node] = [tree.root(None)]
            while open_nodes and (highest := open_nodes[0].value) > self.threshold:
                if self.monitor.stop():
                    raise Stopped
                node = heapq.heappop(open_nodes)
                features, inside = node.case
                if inside.all() or len(features) == 1:
                    if self.consider(features) == tuple(features.tolist()):
                        self.closed[tuple(features.tolist())] = node.value
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
