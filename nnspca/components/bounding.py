"""The plan of a joint certificate: which bounds on r parts are tried, in which order, and at what cost."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from nnspca._certify import certify
from nnspca.bounds.pair_scaled import CHECK
from nnspca.bounds.parts import branch, dual, plain, working
from nnspca.certificates.proofs import PartsProof
from nnspca.components.together import components, improved
from nnspca.covariance import Covariance
from nnspca.progress import Monitor
from nnspca.result import Bound, Component, PartsCertificate
from nnspca.threads import one_blas_thread


@dataclass(frozen=True)
class Effort:
    """How much work a joint certificate may cost: counted, not timed, so that the same call gives the same bounds.

    Attributes
    ----------
    features : int
        Most features for the joint dual, whose steps cost n³.
    working_features : int
        Size of a working set for it, where all are too many.
    steps : int
        Most steps of it.
    cost : float
        Most cost of those steps, in the unit ``SECOND``.
    branch_cost : float
        Most cost of branch and bound, in the same unit.
    closed : float
        Relative gap at which nothing more is tried.
    """

    features: int
    working_features: int
    steps: int
    cost: float
    branch_cost: float
    closed: float


EFFORTS = {"live": Effort(700, 700, 1500, 4.0, 1.0, 1e-4), "thorough": Effort(1500, 1200, 6000, 90.0, 90.0, 1e-6)}
SECOND = 1.2e8  # work (see branch.cost) that takes about a second
OPTIMAL = 1e-4  # relative gap below which parts are called optimal: no cases are made any more
WORTHWHILE = 500  # steps of a splitting without which branch and bound would not come far
BETTER = 1e-9  # relative gain that makes parts better ones


def bound_parts(
    cov: Covariance,
    n_components: int,
    k: int,
    parts: tuple[Component, ...],
    *,
    nonnegative: bool,
    effort: str,
    monitor: Monitor,
    near: PartsProof | None = None,
    given: bool = True,
) -> PartsCertificate:
    """Bound what r parts can explain, from the parts known.

    Parameters
    ----------
    cov : Covariance
    n_components, k : int
    parts : tuple of Component
        Feasible, of disjoint supports.
    nonnegative : bool
    effort : {"live", "thorough"}
    monitor : Monitor
    near : PartsProof, optional
        Of a neighbouring k or r: the dual starts at its multipliers.
    given : bool
        Whether the certificate has to be one of these parts: better ones that a bound comes across do not replace them.
    """
    started = time.perf_counter()
    found = _Found(cov, k, nonnegative, parts, float(sum(part.variance for part in parts)), monitor, given)
    tried: list[Bound] = []
    upper = np.inf
    with one_blas_thread():
        clock = time.perf_counter()
        for fraction, bound in _bounds(cov, n_components, k, found, EFFORTS[effort], near):
            clock, spent = time.perf_counter(), time.perf_counter() - clock
            if bound is None:
                continue
            spent += sum(b.seconds for b in tried if b.name == bound.name)  # a bound that tightens adds up
            tried = [b for b in tried if b.name != bound.name] + [replace(bound, seconds=spent)]
            upper = min(b.value for b in tried)
            monitor.tell(fraction, f"bound “{bound.name}”", found.value, upper)
            if monitor.stop() or upper <= found.value * (1 + EFFORTS[effort].closed):
                break
    monitor.tell(1.0, "done", found.value, upper)
    return PartsCertificate(
        n_components,
        k,
        nonnegative,
        found.value,
        upper,
        found.parts,
        tuple(tried),
        cov.fingerprint,
        effort,
        time.perf_counter() - started,
        monitor.stop(),
    )


@dataclass
class _Found:
    """The best parts known: a bound that makes cases may come across better ones."""

    cov: Covariance
    k: int
    nonnegative: bool
    parts: tuple[Component, ...]
    value: float
    monitor: Monitor
    given: bool

    def consider(self, rows: np.ndarray) -> None:
        """Seek from a start, unless a certificate of certain parts was asked for, and take what is better."""
        if self.given:
            return
        X, value = improved(self.cov, self.k, rows, nonnegative=self.nonnegative, monitor=self.monitor)
        if value > self.value * (1 + BETTER):
            like = replace(self.parts[0], history=(), note="found by branch and bound, for a certificate")
            self.parts = components(self.cov, X, like)
            self.value = float(sum(part.variance for part in self.parts))

    def rows(self, r: int) -> np.ndarray:
        """The parts as rows (r, n), zeros for those that are missing."""
        X = np.zeros((r, self.cov.n_features))
        X[: len(self.parts)] = [part.loadings for part in self.parts]
        return X


def _bounds(
    cov: Covariance, r: int, k: int, found: _Found, effort: Effort, near: PartsProof | None
) -> Iterator[tuple[float, Bound | None]]:
    """Yield every bound of the mix, cheapest first, with how much of the mix is done; None where one has no say."""
    variances, fan = plain.variances(cov, k, r), plain.fan(cov, r)
    yield 0.02, variances
    yield 0.05, fan
    least = min(bound.value for bound in (variances, fan) if bound is not None)
    goal = found.value * (1 + effort.closed)
    whole = cov.holds_entries and cov.n_features <= effort.features
    for fraction, bound in _dual(cov, r, k, found, effort, near, goal, whole):
        least = min(least, bound.value)
        yield fraction, bound
    nonnegative, monitor = found.nonnegative, found.monitor
    best = max(found.parts, key=lambda part: part.variance)
    if r * best.variance < least:  # as no bound on one part is below what one part has
        single = certify(
            cov,
            k,
            nonnegative=nonnegative,
            effort="live",
            component=replace(best, k=k),
            should_stop=monitor.should_stop,
        )
        least = min(least, r * single.upper)
        yield 0.6, plain.each(single.winner, r)
    worthwhile = whole and effort.branch_cost * SECOND >= WORTHWHILE * branch.cost(cov.n_features)
    if worthwhile and least > found.value * (1 + OPTIMAL):
        goal, budget = found.value * (1 + OPTIMAL / 2), effort.branch_cost * SECOND
        parted = branch.tighten(
            cov,
            k,
            found.rows(r),
            nonnegative=nonnegative,
            goal=goal,
            budget=budget,
            monitor=monitor,
            consider=found.consider,
        )
        for bound in parted:
            yield 0.9, bound


def _dual(
    cov: Covariance,
    r: int,
    k: int,
    found: _Found,
    effort: Effort,
    near: PartsProof | None,
    goal: float,
    whole: bool,
) -> Iterator[tuple[float, Bound]]:
    """The joint dual's bounds, on all features or on a working set of them, with how much of the mix is done."""
    features = min(effort.working_features, cov.n_features)
    size = cov.n_features if whole else int(working.FIRST * features)
    steps = min(effort.steps, int(effort.cost * SECOND / branch.cost(size)))
    X, nonnegative, monitor = found.rows(r), found.nonnegative, found.monitor
    if whole:
        falling = dual.tighten(cov, k, X, nonnegative=nonnegative, steps=steps, goal=goal, monitor=monitor, near=near)
    else:
        falling = working.tighten(
            cov, k, X, nonnegative=nonnegative, features=features, steps=steps, goal=goal, monitor=monitor
        )
    every = CHECK if whole else working.LOOK
    for number, bound in enumerate(falling, start=1):
        yield min(0.05 + 0.45 * every * number / max(steps, 1), 0.5), bound
