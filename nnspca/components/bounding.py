"""Joint certificates: the bounds of a plan, and better parts found on the way."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import InitVar, dataclass, field, replace

import numpy as np

from nnspca.bounds.parts import KnownParts, tighten
from nnspca.bounds.plan import PLANS, Plan
from nnspca.certificates.proofs import PairProof
from nnspca.components.together import components, improved
from nnspca.control.progress import Monitor
from nnspca.control.stopping import Stopped
from nnspca.control.threads import one_blas_thread
from nnspca.covariance.problem import Problem
from nnspca.result import Bound, Component, PartsCertificate
from nnspca.tasks._certify import BETTER, certify


def bound_parts(
    problem: Problem,
    n_components: int,
    parts: tuple[Component, ...],
    *,
    efforts: Sequence[str],
    monitor: Monitor,
    gap: float = 0.0,
    start: PairProof | None = None,
    before: Bound | None = None,
    fixed: bool = True,
) -> PartsCertificate:
    """Bound the total variance of r parts, starting from the parts known.

    One effort follows another until the ``gap`` is met. ``start`` is what proved a bound at a neighbouring k or r,
    ``before`` a bound already proven here.
    If ``fixed``, exactly these parts are certified: better ones found on the way do not replace them.
    """
    started = time.perf_counter()
    X = np.zeros((n_components, problem.n))
    X[: len(parts)] = [part.loadings for part in parts]
    run, effort = _Draft(problem, monitor, fixed, parts, X, start), efforts[-1]
    if before is not None:
        run.known.record(before, 0.0)
    for place, effort in enumerate(efforts):
        plan = PLANS[effort]
        plan = replace(plan, closed=max(plan.closed, gap / (1 - gap)))
        run.compute(plan, monitor.part(place / len(efforts), (place + 1) / len(efforts)))
        if monitor.stop() or not run.known.above(plan.closed):
            break
    monitor.tell(1.0, "done", run.known.lower, run.known.upper)
    return PartsCertificate(
        n_components,
        problem.k,
        problem.nonnegative,
        run.known.lower,
        run.known.upper,
        run.parts,
        tuple(run.known.bounds.values()),
        problem.cov.fingerprint,
        effort,
        time.perf_counter() - started,
        monitor.stop(),
    )


@dataclass
class _Draft:
    """One joint certificate in progress: the best parts known, and the bounds computed so far."""

    problem: Problem
    monitor: Monitor
    fixed: bool
    parts: tuple[Component, ...]
    X: InitVar[np.ndarray]
    start: InitVar[PairProof | None]
    known: KnownParts = field(init=False)

    def __post_init__(self, X: np.ndarray, start: PairProof | None) -> None:
        variances = [part.variance for part in self.parts]
        self.known = KnownParts(
            X=X,
            lower=float(sum(variances)),
            best=max(variances),
            single=self._single,
            monitor=self.monitor,
            start=start,
            consider=self._consider,
        )

    def compute(self, plan: Plan, monitor: Monitor) -> None:
        """Compute bounds until the plan's tolerance is reached, or the call is stopped."""
        known = self.known
        with one_blas_thread(), suppress(Stopped):  # every bound made before holds
            clock = time.perf_counter()
            for number, bound in enumerate(tighten(self.problem, known, plan), start=1):
                clock, spent = time.perf_counter(), time.perf_counter() - clock
                known.record(bound, spent)
                monitor.tell(1 - 1 / number, f"bound “{bound.name}”", known.lower, known.upper)
                if monitor.stop() or not known.above(plan.closed):
                    break

    def _single(self) -> Bound:
        """The least bound of a certificate of one part alone."""
        best = max(self.parts, key=lambda part: part.variance)
        certificate = certify(
            self.problem.cov,
            self.problem.k,
            nonnegative=self.problem.nonnegative,
            effort="live",
            component=replace(best, k=self.problem.k),
            should_stop=self.monitor.should_stop,
        )
        return certificate.winner

    def _consider(self, rows: np.ndarray) -> None:
        """Search from a start and store better parts, unless the parts are fixed."""
        if self.fixed:
            return
        X, value = improved(self.problem, rows, monitor=self.monitor)
        if value > self.known.lower * (1 + BETTER):
            template = replace(self.parts[0], history=(), note="found by branch and bound, for a certificate")
            self.parts = components(self.problem.cov, X, template)
            self.known.lower = float(sum(part.variance for part in self.parts))
