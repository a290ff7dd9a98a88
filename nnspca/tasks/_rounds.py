"""Rounds of ever more work on a certificate, of one component or of r parts, until its gap is small enough."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nnspca.bounds.certificate import REST, SMALL, Draft, Near, allowance, upper_bounds, variance_of
from nnspca.bounds.plan import PLANS, Plan
from nnspca.bounds.registry import BOUNDS, PARTS_BOUNDS
from nnspca.certificates.judge import proven_bound
from nnspca.certificates.numbers import array
from nnspca.certificates.proofs import PairProof, ScaleProof
from nnspca.control.arguments import Effort, check_choice, check_instance, check_share
from nnspca.control.progress import Monitor
from nnspca.control.stopping import Stopped
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem, on_all, restricted
from nnspca.errors import CertificateError
from nnspca.numerics import feasible
from nnspca.numerics.doubles import read_only
from nnspca.result import Bound, Certificate, Component, PartsCertificate
from nnspca.solvers.climb import optimise_on_support

NEIGHBOURS = 1.25  # ratio of two k up to which the multipliers of one are a better start than balanced rows
LIVE = 0.15  # share of the progress of a thorough certificate that the live one takes, and the longer one after it
LONGER = 4  # times the work of a live certificate that comes before the policy of a thorough one
MORE = 2  # times the work of a thorough certificate that is tried next, and again, while there is time
MET = "met while a bound was sought, for a certificate"
EXHAUSTED = 1e-12  # share of the trace below which a part's variance is rounding
LARGEST = 1e9  # times the total variance: no useful multiplier is as large, and the squares of these stay finite
GAIN = 1e-6  # least relative gain of such a round after which there is another


@dataclass
class Request:
    """What a certificate was asked for, checked: how far it goes, what it takes up, and when its call began."""

    effort: Effort
    monitor: Monitor
    gap: float | None = None
    timed: bool = False
    resumed: Any = None  # a certificate of this very problem, whose work goes on
    start: PairProof | None = None  # multipliers that proved a bound at a neighbouring k or r
    started: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        check_choice("effort", self.effort, PLANS)
        self.gap = None if self.gap is None else check_share("gap", self.gap)

    def take_up(
        self,
        before: Certificate | PartsCertificate | None,
        kind: type[Certificate | PartsCertificate],
        problem: Problem,
        include: tuple[int, ...],
        exclude: tuple[int, ...],
        r: int = 1,
    ) -> None:
        """Take up a certificate if it is of this very problem, and its multipliers if they are a useful start for it.

        ValueError for one of another covariance. Those of one component serve a k that is near, of parts any.
        """
        if before is None:
            return
        check_instance("warm_start", before, kind, "one that the same function gave")
        if before.fingerprint != problem.cov.fingerprint or before.nonnegative != problem.nonnegative:
            raise ValueError("warm_start must be a certificate of this covariance with this sign constraint")
        if (before.include, before.exclude) != (include, exclude):
            raise ValueError("warm_start must be a certificate that includes and excludes the same features")
        if (before.k, getattr(before, "n_components", 1)) == (problem.k, r):
            self.resumed = before
        far = kind is Certificate and not is_neighbour(before.k, problem.k)
        if not far and len(include) not in (before.k, problem.k):
            problem, _ = restricted(problem, include, exclude)
            self.start = next(starts_of(before.bounds, problem.cov), None)


def narrow(problem: Problem, known: Draft, request: Request) -> dict[str, Any]:
    """Make bounds until the gap is met, a longer round gains nothing, or the call is stopped.

    Returned are the fields that every certificate has.
    """
    if request.resumed is not None:
        _resume(problem, known, request.resumed)
    monitor = request.monitor
    for reached, plan, span in _rounds(request, limited=known.single is None):
        effort, before = reached, known.upper
        _make(problem, known, plan, monitor.part(*span))
        longer = plan.relaxation > PLANS["thorough"].relaxation
        if monitor.stop() or (longer and known.upper > before * (1 - GAIN)):
            break
        if request.gap is not None and not known.above(plan.closed):
            break
    monitor.tell(1.0, "done", known.lower, known.upper)
    return {
        "k": problem.k,
        "nonnegative": problem.nonnegative,
        "lower": known.lower,
        "upper": known.upper,
        "bounds": tuple(known.bounds.values()),
        "fingerprint": problem.cov.fingerprint,
        "effort": effort,
        "seconds": time.perf_counter() - request.started,
        "stopped": monitor.stop(),
    }


def _resume(problem: Problem, known: Draft, before: Certificate | PartsCertificate) -> None:
    """Begin with the least bound of a certificate of the same problem, once it is proven again."""
    bound = proven_bound(before, problem, known.r)
    if bound is None or bound.name not in BOUNDS | PARTS_BOUNDS:
        return
    if bound.holds_everywhere:
        return  # λ₁ is proven anew
    known.record(bound, 0.0)
    if isinstance(bound.ingredients, ScaleProof) and bound.ingredients.directions is None:
        known.rows = bound


def _make(problem: Problem, known: Draft, plan: Plan, monitor: Monitor) -> None:
    """Make bounds until the gap is closed by the plan's standard, its work is done, or the call is stopped."""
    work_left = allowance(problem, plan)
    known.monitor = monitor = replace(monitor, allowance=work_left)
    work = work_left.left if plan.hurried else plan.relaxation + plan.trees
    done, clock = 0.0, time.perf_counter()
    with one_blas_thread(), suppress(Stopped):  # every bound made before holds
        for bound in upper_bounds(problem, known, plan):
            clock, spent = time.perf_counter(), time.perf_counter() - clock
            known.record(bound, spent)
            done = max(done, min(1.0, work_left.spent / work))
            monitor.tell(done, f"bound “{bound.name}”", known.lower, known.upper)
            if monitor.stop() or not known.above(plan.closed):
                break
            if not known.above(SMALL):
                work_left.limit(plan.seconds * REST)
    if plan.relaxation >= PLANS["thorough"].relaxation:  # the next one takes up what this one has reached
        known.start = next(starts_of(known.bounds.values(), problem.cov), known.start)


def _rounds(request: Request, *, limited: bool) -> Iterator[tuple[Effort, Plan, tuple[float, float]]]:
    """Yield name, plan and share of the progress of what is tried, in order, behind what the one taken up has done.

    A thorough certificate does all that a live one does first: at any cost it has proven as much. Unless all work
    together is ``limited``, each bound alone is.
    """
    closed = 0.0 if request.gap is None else request.gap / (1 - request.gap)
    live, thorough = (
        replace(plan, closed=max(plan.closed, closed), seconds=plan.seconds if limited else np.inf)
        for plan in (PLANS["live"], PLANS["thorough"])
    )
    resumed = request.resumed
    further = request.effort == "thorough" or request.timed or request.gap is not None
    complete = "" if resumed is None or (resumed.stopped and resumed.effort == "live") else resumed.effort
    if not (complete and further):
        yield "live", live, (0.0, LIVE if further else 1.0)
    if not further:
        return
    times, start = MORE, 0.0 if complete else LIVE
    if resumed is None or complete != "thorough" or resumed.stopped:
        yield "thorough", replace(_times(LONGER, live), closed=thorough.closed), (start, start + LIVE)
        times, start = 1, start + LIVE
    yield "thorough", _times(times, thorough), (start, 1.0)
    while request.timed:
        times *= MORE
        yield "thorough", _times(times, thorough), (1.0, 1.0)


def _times(factor: float, plan: Plan) -> Plan:
    """The plan with so many times the work."""
    return replace(plan, seconds=factor * plan.seconds, relaxation=factor * plan.relaxation, trees=factor * plan.trees)


def is_neighbour(k: int, other: int) -> bool:
    """Whether the multipliers of one k are a useful start for the other."""
    return max(k, other) <= NEIGHBOURS * min(k, other)


def starts_of(bounds: Iterable[Bound], cov: Covariance) -> Iterator[PairProof]:
    """Yield the proofs of bounds that have multipliers for all features, these as plain doubles.

    Whatever they are, the bounds that a search makes of them are proven afresh; ValueError if they do not fit ``cov``.
    """
    n = cov.n_features
    for proof in (bound.ingredients for bound in bounds):
        if not isinstance(proof, PairProof) or proof.features is not None:
            continue
        try:
            L, M = array(proof.L, "L", (n, n)), array(proof.M, "M", (n, n))
            v = None if proof.v is None else array(proof.v, "v", (n,))
        except CertificateError as error:
            raise ValueError(f"warm_start has no multipliers for this covariance: {error}") from error
        if not all(np.abs(given).max() <= LARGEST * cov.trace for given in (L, M, v) if given is not None):
            raise ValueError(
                f"warm_start has no multipliers for this covariance: some exceed {LARGEST:g} times its total variance"
            )
        yield replace(proof, L=L, M=M, v=v)


def complete(
    kept: tuple[Component, ...], count: int, search: Callable[[], tuple[Component, ...]]
) -> tuple[Component, ...]:
    """Return the parts of an earlier certificate; those or others where there are fewer, or their search was ended."""
    if len(kept) == count and not any(part.stopped for part in kept):
        return kept
    return max(search(), kept, key=variance_of)


def near_support(problem: Problem, like: Component) -> Near:
    """Return what finds the best point on a support of at most k features."""

    def near(support: np.ndarray, monitor: Monitor) -> tuple[Component, ...]:
        if np.setdiff1d(support, problem.include).size > problem.k - len(problem.include):
            return ()
        x = on_all(np.full(len(support), 1 / np.sqrt(len(support))), support, problem.n)
        x = optimise_on_support(problem.cov, x, nonnegative=problem.nonnegative, monitor=monitor)
        return as_components(problem.cov, x[None], like, note=MET)

    return near


def as_components(cov: Covariance, X: np.ndarray, like: Component, **more: Any) -> tuple[Component, ...]:
    """The rows of X with variance as components, the largest first, with ``more`` and the other fields of ``like``."""
    parts = []
    for x in X + 0.0:  # no negative zeros
        x = read_only(x if like.nonnegative else feasible.orient(x))
        parts.append(replace(like, loadings=x, variance=cov.variance(x), **more))
    parts.sort(key=lambda part: -part.variance)
    return tuple(part for place, part in enumerate(parts) if not place or part.variance > EXHAUSTED * cov.trace)
