"""The plan of a joint certificate: which bounds on r parts are tried, in which order, and at what cost."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from nnspca.bounds.pair_scaled import CHECK
from nnspca.bounds.parts import branch, dual, plain, working
from nnspca.calls.progress import Monitor
from nnspca.calls.threads import one_blas_thread
from nnspca.certificates.proofs import PartsProof
from nnspca.components.together import components, improved
from nnspca.covariance.problem import Problem
from nnspca.result import Bound, Component, PartsCertificate
from nnspca.tasks._certify import certify


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much work a joint certificate may cost: counted, not timed, so that the same call gives the same bounds.

    Attributes
    ----------
    features : int
        Most features for the joint dual, whose steps cost n³.
    working_features : int
        Size of a working set for it, where all are too many.
    steps : int
        Most steps of it.
    seconds, branch_seconds : float
        Most cost of those steps and of branch and bound, in the unit ``SECOND``.
    closed : float
        Relative gap at which nothing more is tried.
    """

    features: int
    working_features: int
    steps: int
    seconds: float
    branch_seconds: float
    closed: float


PLANS = {
    "live": Plan(features=700, working_features=700, steps=1500, seconds=4, branch_seconds=1, closed=1e-4),
    "thorough": Plan(features=1500, working_features=1200, steps=6000, seconds=90, branch_seconds=90, closed=1e-6),
}
SECOND = 1.2e8  # work (see branch.cost) that takes about a second
OPTIMAL = 1e-4  # relative gap below which parts are called optimal: no cases are made any more
WORTHWHILE = 500  # steps of a splitting without which branch and bound would not come far
BETTER = 1e-9  # relative gain that makes parts better ones


def bound_parts(
    problem: Problem,
    n_components: int,
    parts: tuple[Component, ...],
    *,
    effort: str,
    monitor: Monitor,
    near: PartsProof | None = None,
    given: bool = True,
) -> PartsCertificate:
    """Bound what r parts can explain, from the parts known.

    Parameters
    ----------
    problem : Problem
        Of each part alone.
    n_components : int
        r.
    parts : tuple of Component
        Feasible, of disjoint supports.
    effort : {"live", "thorough"}
    monitor : Monitor
    near : PartsProof, optional
        Of a neighbouring k or r: the dual starts at its multipliers.
    given : bool
        Whether the certificate has to be one of these parts: better ones that a bound comes across
        do not replace them.
    """
    started = time.perf_counter()
    found = _Found(problem, parts, float(sum(part.variance for part in parts)), monitor, given)
    tried: list[Bound] = []
    upper = np.inf
    with one_blas_thread():
        clock = time.perf_counter()
        for fraction, bound in _bounds(n_components, found, PLANS[effort], near):
            clock, spent = time.perf_counter(), time.perf_counter() - clock
            if bound is None:
                continue
            spent += sum(b.seconds for b in tried if b.name == bound.name)  # a bound that tightens adds up
            tried = [b for b in tried if b.name != bound.name] + [replace(bound, seconds=spent)]
            upper = min(b.value for b in tried)
            monitor.tell(fraction, f"bound “{bound.name}”", found.value, upper)
            if monitor.stop() or upper <= found.value * (1 + PLANS[effort].closed):
                break
    monitor.tell(1.0, "done", found.value, upper)
    return PartsCertificate(
        n_components,
        problem.k,
        problem.nonnegative,
        found.value,
        upper,
        found.parts,
        tuple(tried),
        problem.cov.fingerprint,
        effort,
        time.perf_counter() - started,
        monitor.stop(),
    )


@dataclass
class _Found:
    """The best parts known: a bound that makes cases may come across better ones."""

    problem: Problem
    parts: tuple[Component, ...]
    value: float
    monitor: Monitor
    given: bool

    def consider(self, rows: np.ndarray) -> None:
        """Seek from a start, unless a certificate of certain parts was asked for, and take what is better."""
        if self.given:
            return
        X, value = improved(self.problem, rows, monitor=self.monitor)
        if value > self.value * (1 + BETTER):
            like = replace(self.parts[0], history=(), note="found by branch and bound, for a certificate")
            self.parts = components(self.problem.cov, X, like)
            self.value = float(sum(part.variance for part in self.parts))

    def rows(self, r: int) -> np.ndarray:
        """The parts as rows (r, n), zeros for those that are missing."""
        X = np.zeros((r, self.problem.n))
        X[: len(self.parts)] = [part.loadings for part in self.parts]
        return X


def _bounds(r: int, found: _Found, plan: Plan, near: PartsProof | None) -> Iterator[tuple[float, Bound | None]]:
    """Yield every bound of the mix, cheapest first, with how much of the mix is done; None where one has no say."""
    problem, monitor = found.problem, found.monitor
    variances, fan = plain.variances(problem, r), plain.fan(problem.cov, r)
    yield 0.02, variances
    yield 0.05, fan
    least = min(bound.value for bound in (variances, fan) if bound is not None)
    goal = found.value * (1 + plan.closed)
    whole = problem.cov.holds_entries and problem.n <= plan.features
    for fraction, bound in _dual(r, found, plan, near, goal, whole):
        least = min(least, bound.value)
        yield fraction, bound
    best = max(found.parts, key=lambda part: part.variance)
    if r * best.variance < least:  # as no bound on one part is below what one part has
        single = certify(
            problem.cov,
            problem.k,
            nonnegative=problem.nonnegative,
            effort="live",
            component=replace(best, k=problem.k),
            should_stop=monitor.should_stop,
        )
        least = min(least, r * single.upper)
        yield 0.6, plain.each(single.winner, r)
    worthwhile = whole and plan.branch_seconds * SECOND >= WORTHWHILE * branch.cost(problem.n)
    if worthwhile and least > found.value * (1 + OPTIMAL):
        goal, budget = found.value * (1 + OPTIMAL / 2), plan.branch_seconds * SECOND
        parted = branch.tighten(
            problem, found.rows(r), goal=goal, budget=budget, monitor=monitor, consider=found.consider
        )
        for bound in parted:
            yield 0.9, bound


def _dual(
    r: int, found: _Found, plan: Plan, near: PartsProof | None, goal: float, whole: bool
) -> Iterator[tuple[float, Bound]]:
    """The joint dual's bounds, on all features or on a working set of them, with how much of the mix is done."""
    problem, X, monitor = found.problem, found.rows(r), found.monitor
    features = min(plan.working_features, problem.n)
    size = problem.n if whole else int(working.FIRST * features)
    steps = min(plan.steps, int(plan.seconds * SECOND / branch.cost(size)))
    if whole:
        falling = dual.tighten(problem, X, steps=steps, goal=goal, monitor=monitor, near=near)
    else:
        falling = working.tighten(problem, X, features=features, steps=steps, goal=goal, monitor=monitor)
    every = CHECK if whole else working.LOOK
    for number, bound in enumerate(falling, start=1):
        yield min(0.05 + 0.45 * every * number / max(steps, 1), 0.5), bound
