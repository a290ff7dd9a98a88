"""Core and rim: the pair-scaled dual on a large core of features, balanced rows on all others.

For spectra so flat that no features can be set aside. The core is the support and the features of largest weight of
balanced rows, whose splitting begins at them; outside, pairs share in the ratio of the weights
(docs/mathematics/pair-scaled.md, "Where features are too many"). Rows outside that are too dear join the core once;
where many are too dear by themselves, nothing is tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from nnspca.bounds.pair_scaled import proof_of, run_interruptibly
from nnspca.bounds.plan import SLOW, STEP, step_seconds
from nnspca.bounds.splitting import Splitting
from nnspca.bounds.working import Outside, levelled, part_of
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.result import Bound

STEPS = 12  # of the splitting that the work should suffice for: they decide how large the core is
MOST = 2000  # features of the core
FIRST = 0.75  # share of the core that is chosen at first: the heaviest rows outside join it
TURN = 8  # steps between bounds
ROOM = 0.1  # share of the distance to the known bound by which the core's level is raised at once
SAMPLED, HOPELESS = 256, 0.1  # rows outside that are asked first, and the share that may cost too much by themselves


def tighten(
    problem: Problem,
    x: np.ndarray,
    weights: np.ndarray,
    least: float,
    *,
    budget: float,
    goal: float,
    monitor: Monitor,
    read: int,
) -> Iterator[Bound]:
    """Yield decreasing bounds below ``least``, which the ``weights`` of balanced rows prove.

    ``budget`` is the work of the splitting in counted seconds; where more than ``read`` rows outside would have to be
    read, nothing is tried.
    """
    size = min(problem.n // 2, MOST, int((budget / (STEPS * STEP)) ** 0.4))
    support, order = np.flatnonzero(x), np.argsort(-weights, kind="stable")
    if 2 * len(support) > size or problem.n - size > read:
        return
    outside = Outside(problem, monitor, read, weights)
    rest = order[size:][:: max(1, (problem.n - size) // SAMPLED)]
    dear = outside.sums(rest, order[:size], np.full(size, np.inf)) > goal  # though the core costs them nothing
    if np.count_nonzero(dear) > HOPELESS * len(rest):
        return
    inside = np.union1d(support, order[: int(FIRST * size)])
    part, splitting = _begun(problem, x, inside, weights)
    while budget > 0 and monitor.affords(TURN * step_seconds(len(inside))) and not monitor.stop():
        for _ in range(TURN):
            run_interruptibly(splitting.advance, len(inside), monitor)
            budget -= step_seconds(len(inside))
            if monitor.stop():
                return
        value, proof = proof_of(part, *splitting.multipliers(), level=False, monitor=monitor)
        found = levelled(outside, inside, value, proof, 1, least, goal, splitting.steps, ROOM)
        if found is None:
            return
        bound, heavy = found
        gap, room = least - goal, size - len(inside)
        if bound is not None and bound.value < least:
            least = bound.value
            yield bound
        if least <= goal or not (room > 0 or least - goal < gap * (1 - SLOW)):
            return
        if room > 0:
            before, smaller = inside, splitting
            inside = np.union1d(inside, np.concatenate([heavy, np.setdiff1d(order, inside, assume_unique=True)])[:room])
            part, splitting = _begun(problem, x, inside, weights)
            splitting.grow_from(smaller, np.searchsorted(inside, before))


def _begun(problem: Problem, x: np.ndarray, inside: np.ndarray, weights: np.ndarray) -> tuple[Problem, Splitting]:
    """The problem on the core, and a splitting at its balanced rows."""
    part, start = replace(problem, cov=part_of(problem.cov, inside)), feasible.unit(x[inside][None])
    splitting = Splitting(part, start)
    splitting.begin_balanced(weights[inside], float(start[0] @ part.cov.entries @ start[0]))
    return part, splitting
