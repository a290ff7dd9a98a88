"""Honest certificates of every kind and scale: each bound holds, its judge agrees, and the exact checker takes it.

The plans are drawn so that every kind of bound is made on problems that brute force can solve: gaps that are never
reached, and sizes that a few features exceed.
"""

from __future__ import annotations

import contextlib
import io
from collections import Counter
from dataclasses import replace
from unittest import mock

import numpy as np

import nnspca
from nnspca import check, check_more
from nnspca.bounds import carried, certificate, core, elimination, plan
from nnspca.bounds.pair_scaled import Series, proof_of
from nnspca.bounds.plan import PLANS, Plan
from nnspca.bounds.selection import Limits
from nnspca.bounds.splitting import Splitting
from nnspca.certificates.proofs import PairProof
from nnspca.control.progress import Monitor
from nnspca.covariance import samples as making
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.result import Bound
from tests import oracle, problems
from tests.fuzz import GotThrough

KINDS = (
    *problems.MATRICES,
    problems.near_identity,
    problems.few_matter,
    problems.few_matter,
    *problems.DATA,
    problems.correlated,
    problems.held_apart,
)
SEEN: Counter[str] = Counter()  # bounds that met the oracle, by name and type of proof


def attempt(rng, exact=True):
    """Certify one component at two k, or a few parts; hold every bound against the oracle and the exact checker."""
    make = KINDS[rng.integers(len(KINDS))]
    n = int(rng.integers(3, 7))
    apart = mock.patch.object(making, "DENSE_FEATURES", 1)
    with apart if make is problems.held_apart else contextlib.nullcontext():
        problem = make(rng, n)
    n, nonnegative = problem.cov.n_features, bool(rng.random() < 0.6)
    with mock.patch.dict(PLANS, {"live": _plan(rng, n)}), _gaps_and_sizes(rng, n):
        if rng.random() < 0.5:
            return _parts(rng, problem, n, nonnegative, exact)
        ks = sorted({int(k) for k in rng.integers(1, n + 1, 2)})
        made = {k: nnspca.certify(problem.cov, k, nonnegative=nonnegative) for k in ks}
    least = carried.least_variance(problem.cov)
    for k, cert in made.items():
        best = problem.attained(k, nonnegative)
        others = [*_on_few(rng, cert, problem.cov)]
        others += _in_series(rng, cert, problem.cov)
        others += _on_core(rng, cert, problem.cov)
        others += [bound for bound, _ in carried.bounds_at(k, made.values(), least)]
        _look(replace(cert, bounds=(*cert.bounds, *others)), problem, best, exact)
    return True


def _in_series(rng, cert, cov):
    """What the multipliers of a proof by pairs prove of as many features, and of more."""
    made = (bound.ingredients for bound in cert.bounds)
    pairs = next((proof for proof in made if type(proof) is PairProof and proof.features is None), None)
    if pairs is not None:
        series = Series(Problem(cov, cov.n_features, cert.nonnegative), pairs)
        value, proof = series.proven(int(rng.integers(cert.k, cov.n_features + 1)))
        yield Bound("pair-scaled", value, ingredients=proof)


def _on_core(rng, cert, cov):
    """What some features prove for all, with any weights outside."""
    problem, inside = Problem(cov, cert.k, cert.nonnegative), np.flatnonzero(rng.random(cov.n_features) < 0.6)
    if not 0 < len(inside) < cov.n_features:
        return
    part = replace(problem, cov=core.part_of(cov, inside))
    splitting = Splitting(part, feasible.unit(np.ones((1, len(inside)))))
    for _ in range(int(rng.integers(1, 30))):
        splitting.advance()
    value, proof = proof_of(part, *splitting.multipliers(), level=False)
    outside = core.Outside(problem, Monitor(), problem.n, 10.0 ** rng.uniform(-2, 2, cov.n_features))
    found = core.extended(outside, inside, value, proof, 1, 9 * cov.trace, 0.0, 1, float(rng.random()))
    if found is not None and found[0] is not None:
        yield found[0]


def _on_few(rng, cert, cov):
    """Bounds on a few features that speak for all: wherever they prove anything, however little."""
    problem, x, n = Problem(cov, cert.k, cert.nonnegative), cert.component.loadings, cov.n_features
    goals = {"goal": 0.0, "monitor": Monitor()}
    limits = Limits(int(rng.integers(1, n + 1)), float(rng.random()))
    budget = elimination.Budget(float(10.0 ** rng.uniform(-3.5, -1.5)), 2e-3 * (rng.random() < 0.5))
    yield from list(elimination.eliminate(problem, x, 3 * cov.trace, limits, budget, **goals))[-1:]


def _parts(rng, problem, n, nonnegative, exact):
    r = int(rng.integers(1, min(3, n) + 1))
    k = int(rng.integers(1, n + 1))
    cert = nnspca.certify_parts(problem.cov, r, k, nonnegative=nonnegative)
    optima = oracle.optima_of_parts(problem.A, k, r, nonnegative)
    _look(cert, problem, max(sum(problem.exact(x) for x in X if x.any()) for _, X in optima), exact)
    return True


def _look(cert, problem, best, exact):
    if exact:
        nnspca.verify(cert, problem.cov)
    for bound in cert.bounds:
        if not bound.deterministic:
            continue
        kind = f"{bound.name}, {type(bound.ingredients).__name__}"
        SEEN[f"{kind}, {'one' if isinstance(cert, nnspca.Certificate) else 'parts'}"] += 1
        if not oracle.allows(bound.value, best):
            raise GotThrough(f"{kind} says {bound.value!r} where {float(best)!r} is feasible")
        if not exact:
            continue
        alone = replace(cert, bounds=(bound,), upper=max(bound.value, cert.lower))
        known = getattr(bound.ingredients, "proof", bound.ingredients).for_checkers  # a carried one is as its own
        if bool(status := exactly(alone, problem)) is known:
            raise GotThrough(f"{kind} of {problem.kind}, k = {cert.k}, at the exact checker: {status or 'accepted'}")


def exactly(cert, problem):
    """What the exact checkers say against a certificate; nothing where they accept it."""
    held, data = io.BytesIO(), io.BytesIO()
    nnspca.save_certificate(cert, held, problem.cov)
    np.save(data, problem.data)
    try:
        check.check(held.getvalue(), data.getvalue(), lambda line: None, 20, check_more.Checker)
    except check.Refused as error:
        return f"status {error.args[1]}: {error.args[0]}"
    return ""


@contextlib.contextmanager
def _gaps_and_sizes(rng, n):
    """No gap is small enough, cases are always begun, and an elimination keeps few features."""
    gap = -float(10.0 ** rng.uniform(-3, 0))
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(certificate, "SETTLED", gap))
        stack.enter_context(mock.patch.object(plan, "WORTHWHILE", 0))
        stack.enter_context(mock.patch.object(certificate, "SMALL", gap))
        if rng.random() < 0.6:
            stack.enter_context(mock.patch.object(plan, "ON_ALL", 0))
        stack.enter_context(mock.patch.object(certificate, "MOST_KEPT", int(rng.integers(1, n + 1))))
        stack.enter_context(mock.patch.object(plan, "MOST_KEPT", 2 * int(rng.integers(1, n + 1))))
        yield


def _plan(rng, n):
    """A plan in which no gap is small enough, and now and then few features are too many."""
    return Plan(
        seconds=3.0 if rng.random() < 0.5 else np.inf,
        relaxation=float(10.0 ** rng.uniform(-3, -0.7)),
        trees=0.05,
        features=0 if rng.random() < 0.6 else 450,
        loss=float(10.0 ** rng.uniform(-4, 0)),
        closed=-float(10.0 ** rng.uniform(-3, 0)),
    )
