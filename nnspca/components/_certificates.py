"""Certificates of parts that were found: of each on what those before it left, or of the sum of all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nnspca.bounds.certificate import Draft
from nnspca.components._deflate import deflated_problem
from nnspca.components.together import improved
from nnspca.control.arguments import Effort
from nnspca.control.progress import Monitor, ShouldStop
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.machines import Executor, Workers
from nnspca.result import Bound, Certificate, Component, Components, PartsCertificate
from nnspca.solvers.registry import METHODS
from nnspca.tasks._certify import certify
from nnspca.tasks._rounds import MET, Request, as_components, narrow, near_support


def bound_parts(
    problem: Problem, r: int, parts: tuple[Component, ...], request: Request, *, fixed: bool = True
) -> PartsCertificate:
    """Bound the total variance of r parts, starting from those known.

    If ``fixed``, exactly these parts are certified: better ones found on the way do not replace them.
    """

    def single() -> Bound:
        """The least bound of a certificate of one part alone."""
        best = replace(max(parts, key=lambda part: part.variance), k=problem.k)
        sign, stop = problem.nonnegative, request.monitor.should_stop
        return certify(problem.cov, problem.k, nonnegative=sign, component=best, should_stop=stop).winner

    def near_rows(rows: np.ndarray, monitor: Monitor) -> tuple[Component, ...]:
        X, _ = improved(problem, rows, monitor=monitor)
        return as_components(problem.cov, X, parts[0], history=(), note=MET)

    near = near_support(problem, parts[0]) if r == 1 else near_rows
    known = Draft(parts=parts, r=r, near=None if fixed else near, start=request.start, single=single)
    facts = narrow(problem, known, request)
    return PartsCertificate(n_components=r, parts=known.parts, **facts)


def certify_each(
    cov: Covariance, parts: Components, *, effort: Effort, seed: int, executor: Executor, monitor: Monitor
) -> tuple[Certificate, ...]:
    """Certify components on what those before them left, those alone that were each sought as the best one."""
    count = {"together": 0, "joint": 0, "quasi-orthogonal": 1}.get(parts.deflation, len(parts))
    count *= METHODS[parts.method].feasible
    settings: dict[str, Any] = {"nonnegative": parts.nonnegative, "effort": effort, "seed": seed}
    made = {}
    with Workers(executor, (cov, parts), monitor) as workers:
        for r, certificate in workers.each(_certified, ((r, settings) for r in range(count))):
            made[r] = certificate
            monitor.tell(len(made) / count, f"component {r + 1} of {count}", certificate.lower, certificate.upper)
    return tuple(made[r] for r in sorted(made))


def _certified(
    shared: tuple[Covariance, Components], r: int, settings: dict[str, Any], poll: ShouldStop | None
) -> Certificate:
    """On a worker: the certificate of one component."""
    left, part = deflated_problem(*shared, r)
    ins, out = shared[1].include, shared[1].exclude
    places = tuple(i - sum(j < i for j in out) for i in ins)  # of one component: nothing else is left out
    return certify(left, part.k, component=part, should_stop=poll, include=places, **settings)
