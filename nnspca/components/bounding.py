"""Joint certificates: the bounds of a plan, and better parts found on the way."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from nnspca.bounds.parts.plan import PARTS_PLANS, PartsContext, PartsPlan
from nnspca.bounds.parts.registry import PARTS_BOUNDS
from nnspca.bounds.schedule import BoundSchedule
from nnspca.components.together import components, improved
from nnspca.control.progress import Monitor
from nnspca.control.threads import one_blas_thread
from nnspca.covariance.problem import Problem
from nnspca.result import Bound, Component, PartsCertificate
from nnspca.tasks._certify import BETTER, certify


def bound_parts(
    problem: Problem,
    n_components: int,
    parts: tuple[Component, ...],
    *,
    effort: str,
    monitor: Monitor,
    earlier: Mapping[str, Bound] | None = None,
    fixed: bool = True,
) -> PartsCertificate:
    """Bound the total variance of r parts, starting from the parts known.

    ``earlier`` are bounds of a certificate at a neighbouring k or r, by name: possible warm starts.
    If ``fixed``, exactly these parts are certified: better ones found on the way do not replace them.
    """
    started = time.perf_counter()
    value = float(sum(part.variance for part in parts))
    run = _Run(problem, n_components, PARTS_PLANS[effort], monitor, earlier or {}, fixed, parts, value)
    run.compute()
    monitor.tell(1.0, "done", run.value, run.schedule.upper)
    return PartsCertificate(
        n_components,
        problem.k,
        problem.nonnegative,
        run.value,
        run.schedule.upper,
        run.parts,
        tuple(run.schedule.bounds.values()),
        problem.cov.fingerprint,
        effort,
        time.perf_counter() - started,
        monitor.stop(),
    )


@dataclass
class _Run:
    """One joint certificate in progress: the best parts known, and the bounds computed so far."""

    problem: Problem
    r: int
    plan: PartsPlan
    monitor: Monitor
    earlier: Mapping[str, Bound]
    fixed: bool
    parts: tuple[Component, ...]
    value: float
    schedule: BoundSchedule = field(default_factory=BoundSchedule)

    def compute(self) -> None:
        """Compute bounds until the plan's tolerance is reached, or the call is stopped."""
        with one_blas_thread():
            for fraction, bound in self.schedule.run_attempts(PARTS_BOUNDS, self.problem, self.plan, self._context):
                self.monitor.tell(fraction, f"bound “{bound.name}”", self.value, self.schedule.upper)
                if self.monitor.stop() or self.schedule.upper <= self.value * (1 + self.plan.closed):
                    break

    def _context(self) -> PartsContext:
        X = np.zeros((self.r, self.problem.n))
        X[: len(self.parts)] = [part.loadings for part in self.parts]
        return PartsContext(
            X=X,
            lower=self.value,
            best=max(part.variance for part in self.parts),
            single=self._single,
            bounds=dict(self.schedule.bounds),
            earlier=self.earlier,
            least=self.schedule.least,
            monitor=self.monitor,
            consider=self._consider,
        )

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
        if value > self.value * (1 + BETTER):
            template = replace(self.parts[0], history=(), note="found by branch and bound, for a certificate")
            self.parts = components(self.problem.cov, X, template)
            self.value = float(sum(part.variance for part in self.parts))
