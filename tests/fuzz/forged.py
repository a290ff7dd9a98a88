"""Forged proofs of every kind: whatever value the judge derives from one, brute force finds nothing above it."""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields, replace
from fractions import Fraction

import numpy as np
import pytest

import nnspca
from nnspca.bounds import plain
from nnspca.certificates.derivations import DERIVATIONS
from nnspca.certificates.proofs import (
    BoxProof,
    CarriedProof,
    EachProof,
    EigenvalueProof,
    EliminationProof,
    PairProof,
    ScaleProof,
    SeriesProof,
    TreeProof,
    VariancesProof,
)
from nnspca.covariance import samples as making
from nnspca.covariance.problem import Problem
from nnspca.result import Bound
from tests import oracle, problems
from tests.fuzz import GotThrough, extremes

POOL = 24


@dataclass(frozen=True, eq=False)
class Target:
    """A small problem whose optimum is known exactly, with an honest bound on every direction."""

    cov: nnspca.Covariance
    A: np.ndarray
    k: int
    nonnegative: bool
    attained: Fraction
    pair: Fraction  # of two disjoint parts
    eigenvalue: Bound


@functools.cache
def targets():
    """The problems attacked, matrices and factors, in both sign constraints."""
    rng = np.random.default_rng(7)
    made = []
    for number in range(POOL):
        n = int(rng.integers(2, 6))
        if number % 6 == 5:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(making, "DENSE_FEATURES", 1)
                problem = problems.factored(rng, 5, sparse=bool(number % 4))
        else:
            choices = problems.MATRICES + problems.DATA
            problem = choices[number % len(choices)](rng, n)
        n = problem.cov.n_features
        k, nonnegative = int(rng.integers(1, n + 1)), bool(rng.random() < 0.5)
        parts = oracle.optima_of_parts(problem.A, k, 2, nonnegative)[1][1]
        made.append(
            Target(
                problem.cov,
                problem.A,
                k,
                nonnegative,
                problem.attained(k, nonnegative),
                sum((problem.exact(x) for x in parts if x.any()), Fraction(0)),
                plain.largest_eigenvalue(Problem(problem.cov, k, nonnegative)),
            )
        )
    return made


def attempt(rng, kinds=None):
    """Derive a forged proof; claim with it what it proves, and less than what is feasible."""
    target = targets()[rng.integers(POOL)]
    types = kinds or sorted(DERIVATIONS, key=lambda t: t.__name__)
    if rng.random() < 0.3:
        return _parts(rng, target, types)
    proof = forged(rng, target, types[rng.integers(len(types))])
    try:
        low = float(target.attained) * (1 - 10.0 ** rng.uniform(-13, -1))
        nnspca.verify(claiming(target, proof, low), target.cov)
    except nnspca.CertificateError as error:
        proven = _proven(str(error))
    else:
        raise GotThrough(f"{low!r} was proven by {proof}, where {float(target.attained)!r} is feasible")
    if proven is None:
        return False
    nnspca.verify(claiming(target, proof, proven), target.cov)
    if not oracle.allows(proven, target.attained):
        raise GotThrough(f"{proven!r} was proven by {proof}, where {float(target.attained)!r} is feasible")
    return True


def _proven(said):
    """The value that a refusal says the ingredients do prove, where they prove any."""
    _, found, after = said.partition("its ingredients prove ")
    value = float(after.split(" ")[0]) if found else np.inf
    return value if value < 1e150 else None


def claiming(target, proof, value):
    """A certificate of a poor but honest point, and this value by this proof."""
    diagonal = target.A.diagonal()
    place = int(diagonal.argmin())
    part = nnspca.Component(
        np.eye(len(diagonal))[place], float(diagonal[place]), "hand", target.k, nonnegative=target.nonnegative
    )
    false = Bound("forged", value, ingredients=proof)
    return nnspca.Certificate(
        target.k,
        target.nonnegative,
        part.variance,
        max(value, part.variance),
        part,
        (target.eigenvalue, false),
        target.eigenvalue.value,
        target.cov.fingerprint,
    )


def _parts(rng, target, types):
    """The same of two parts."""
    proof = forged(rng, target, types[rng.integers(len(types))])
    x = np.eye(len(target.A))[0]
    part = nnspca.Component(x, float(target.A[0, 0]), "hand", target.k, nonnegative=target.nonnegative)

    def claim(value):
        return nnspca.PartsCertificate(
            2,
            target.k,
            target.nonnegative,
            part.variance,
            max(value, part.variance),
            (part,),
            (Bound("forged", value, ingredients=proof),),
            target.cov.fingerprint,
        )

    try:
        low = float(target.pair) * (1 - 10.0 ** rng.uniform(-13, -1))
        nnspca.verify(claim(low), target.cov)
    except nnspca.CertificateError as error:
        proven = _proven(str(error))
    else:
        if low < part.variance or len(target.A) < 2:
            return True
        raise GotThrough(f"{low!r} was proven of two parts by {proof}, where {float(target.pair)!r} is feasible")
    if proven is not None and not oracle.allows(proven, target.pair):
        raise GotThrough(f"{proven!r} was proven of two parts by {proof}, where {float(target.pair)!r} is feasible")
    return proven is not None


def started(rng):
    """Certify a poor point, so that every bound is tried, from forged multipliers; judge and oracle look at it."""
    target = targets()[rng.integers(POOL)]
    made_up = claiming(target, forged(rng, target, PairProof), 1.0)
    bounds = tuple(replace(bound, name="pair-scaled") for bound in made_up.bounds)
    parts, poor, ask = bool(rng.random() < 0.5), made_up.component, {"nonnegative": target.nonnegative}
    try:
        if parts:
            known = nnspca.PartsCertificate(
                2, target.k, target.nonnegative, 0.0, 1.0, (poor,), bounds, target.cov.fingerprint
            )
            made = nnspca.certify_parts(target.cov, min(2, len(target.A)), target.k, [poor], warm_start=known, **ask)
        else:
            known = replace(made_up, bounds=bounds)
            made = nnspca.certify(target.cov, target.k, component=poor, warm_start=known, **ask)
    except ValueError as error:
        if "warm_start has no multipliers" in str(error):
            return False
        raise
    nnspca.verify(made, target.cov)
    if not oracle.allows(made.upper, target.pair if parts else target.attained):
        raise GotThrough(f"{made.upper!r} was proven from forged multipliers, where more is feasible")
    return True


# One proof of each kind.


def forged(rng, target, kind, depth=0):
    """An honest proof of this type with some of its ingredients replaced."""
    number, array = (functools.partial(f, rng) for f in (extremes.number, extremes.array))
    n, A, k = len(target.A), target.A, target.k
    if kind is VariancesProof:
        return VariancesProof()
    if kind is ScaleProof:
        d = [np.ones(n), np.sqrt(np.maximum(A.diagonal(), 1e-300)), rng.random(n) + 0.1][rng.integers(3)]
        if rng.random() < 0.5:  # weights prove the same at any scale, as long as none overflows or vanishes
            with np.errstate(all="ignore"):
                return ScaleProof(d / d.max() * float(rng.choice(extremes.NUMBERS)))
        return _shrunk(rng, target.cov, ScaleProof(array(d))) if rng.random() < 0.5 else ScaleProof(array(d))
    if kind is CarriedProof:
        types = sorted(DERIVATIONS if depth == 0 else [ScaleProof], key=lambda t: t.__name__)
        at = replace(target, k=int(rng.integers(1, n + 1)))
        inner = forged(rng, at, types[rng.integers(len(types))], depth + 1)
        if rng.random() < 0.5:  # what is tight on one row, and honest
            at, inner = replace(target, k=int(rng.integers(2, k + 1))) if k > 1 else at, ScaleProof(np.ones(n))
        return CarriedProof(at.k if rng.random() < 0.7 else number(at.k), inner)
    if kind is EachProof:
        types = sorted(DERIVATIONS, key=lambda t: t.__name__)
        return EachProof(forged(rng, target, types[rng.integers(len(types))], 1))
    if kind is SeriesProof:
        pairs = _pairs(rng, A, target.nonnegative)
        counts = tuple(sorted({k, *(int(c) for c in rng.integers(1, n + 1, 2))}, reverse=rng.random() < 0.9))
        with np.errstate(all="ignore"):
            high = float(np.abs(A).sum(axis=1).max()) * rng.random(len(counts))
        tails = tuple(number(float(size)) if rng.random() < 0.7 else pairs.tail for size in high)
        L = pairs.L
        if isinstance(L, np.ndarray) and L.shape == A.shape and L.dtype == float and rng.random() < 0.9:
            L = np.where(np.eye(n) > 0, 0.0, L)
        return SeriesProof(L, pairs.M, counts, tails)
    if kind is EliminationProof:
        return _elimination(rng, target)
    if kind not in (EigenvalueProof, PairProof, TreeProof):
        proof = next(made[kind] for at in (target, *targets()) if kind in (made := _made(at)))
        given = {field.name: getattr(proof, field.name) for field in fields(proof)}
        numbers = {name: number(v) for name, v in given.items() if isinstance(v, int | float)}
        return replace(proof, **numbers, **{name: array(v) for name, v in given.items() if isinstance(v, np.ndarray)})
    V, tail = _low_rank(rng, A)
    if kind is EigenvalueProof:
        return EigenvalueProof(array(V), number(tail))
    part = _of_parts(rng, A, _pairs(rng, A, target.nonnegative), V)
    if kind is TreeProof:
        if rng.random() < 0.5:
            return _tree(rng, A, k, target.nonnegative)
        i, j = rng.integers(n, size=2)
        splits = [np.array([[-1, -1]]), np.array([[i, j], [-1, -1], [-1, -1]])][rng.integers(2)]
        return TreeProof(array(splits), (part,) * int(rng.integers(3)))
    if rng.random() < 0.6:
        return part
    inside = np.flatnonzero(rng.random(n) < 0.6)
    if not len(inside):
        return part
    block = A[np.ix_(inside, inside)]
    of_some = _of_parts(rng, block, _pairs(rng, block, target.nonnegative), V[inside])
    weights = None if rng.random() < 0.5 else array(10.0 ** rng.uniform(-3, 3, n))
    return replace(
        of_some, features=array(inside), limits=array(np.full(len(inside), np.abs(A).max())), weights=weights
    )


@functools.cache
def _made(target):
    """The proofs that a certificate of a poor point has, by type."""
    poor = claiming(target, None, 1.0).component
    made = nnspca.certify(target.cov, target.k, nonnegative=target.nonnegative, component=poor)
    return {type(bound.ingredients): bound.ingredients for bound in made.bounds}


def _shrunk(rng, cov, proof):
    """The same on what is left of data beyond a tail, in their own directions or in any."""
    gram = np.eye(3) if cov.held.factor is None else cov.held.factor.gram()
    with np.errstate(all="ignore"):
        values, vectors = np.linalg.eigh(gram)
        tail = float(np.abs(values).max()) * float(rng.choice([0.0, 0.01, 0.3, 0.9, 2.0]))
        W = vectors * np.sqrt(np.maximum(values - tail, 0.0))
        W = W @ rng.standard_normal((len(W), len(W))) if rng.random() < 0.3 else W
    honest = rng.random() < 0.5
    return replace(proof, directions=W if honest else extremes.array(rng, W), tail=extremes.number(rng, tail))


def _of_parts(rng, A, pairs, V):
    """Prices for L and M or none, and a low-rank part: none, that of A, or whole numbers far above A."""
    if rng.random() < 0.4:
        return pairs
    low = (np.zeros((len(A), 1)), V, 16 * float(np.ceil(np.sqrt(np.abs(A).max()))) * np.eye(len(A)))[rng.integers(3)]
    with np.errstate(all="ignore"):
        prices = float(np.abs(A).max()) * (rng.random(len(A)) if rng.random() < 0.5 else np.full(len(A), 0.5))
        return replace(pairs, v=extremes.array(rng, prices), V=extremes.array(rng, low))


def _pairs(rng, A, nonnegative):
    """L and M whose products may or may not cover L, shared unevenly by any factor."""
    if not len(A):
        return None
    L = [A * 1.0, A * (1 - 1e-6), np.zeros_like(A), np.diag(A.diagonal()), A + np.eye(len(A)) * A.trace()][
        rng.integers(5)
    ]
    L = (L + L.T) / 2
    needed = np.maximum(L, 0.0) if nonnegative else np.abs(L)
    np.fill_diagonal(needed, 0.0)
    share = 10.0 ** float(rng.choice([0, 0, 1, 9, 100, 149, 160, 170, 300]))
    with np.errstate(all="ignore"):
        M = np.where(np.triu(np.ones_like(A)) > 0, needed * share, needed / share) * (
            1 + float(rng.choice([0, 1e-14, 1e-3]))
        )
        tail = float(np.linalg.eigvalsh(A - L)[-1] + 1e-12 * np.abs(A).max())
    return PairProof(extremes.array(rng, L, symmetric=True), extremes.array(rng, M), extremes.number(rng, tail))


def _elimination(rng, target):
    """Any features kept, cases of any cardinality, and a point that is feasible, or hardly."""
    n, A, k = len(target.A), target.A, target.k
    inside = np.flatnonzero(rng.random(n) < 0.8)
    block = A[np.ix_(inside, inside)]
    x = oracle.optimum(A, k, target.nonnegative)[1] * float(rng.choice([1.0] * 9 + [1 + 1e-10, 1.1, -1.0]))
    makers = (_pairs, lambda rng, B, sign: ScaleProof(np.sqrt(B.diagonal() / B.max() + 1e-9)))
    counts = tuple(int(c) for c in rng.integers(1, k + 1, int(rng.integers(1, 4))))
    counts = counts if rng.random() < 0.5 else (min(k, max(1, len(inside))), *counts)
    with np.errstate(all="ignore"):
        proofs = tuple(
            makers[rng.integers(2)](rng, block, target.nonnegative) if len(inside) and block.max() > 0 else None
            for _ in counts
        )
    support = np.flatnonzero(x)
    if rng.random() < 0.1:
        proofs = proofs[: int(rng.integers(len(proofs)))]
    loadings = extremes.array(rng, x[support]) if rng.random() < 0.5 else x[support]
    light = extremes.number(rng, 0.1)
    boxes = _boxes(rng, n) if rng.random() < 0.5 else None
    return EliminationProof(extremes.array(rng, inside), support, loadings, counts, proofs, light, boxes)


def _boxes(rng, n):
    """Any features, at prices near their shares of the best or far from any."""
    chosen = np.flatnonzero(rng.random(n) < 0.8)
    size = float(rng.choice([0.3, 0.3, 1.0, 1e-6, 1e6, 1e-30]))
    prices = size * np.exp(rng.standard_normal((int(rng.integers(4)), len(chosen))))
    return BoxProof(extremes.array(rng, chosen), extremes.array(rng, prices))


def _tree(rng, A, k, nonnegative):
    """A tree of one split with leaves on the features each side keeps."""
    n = len(A)
    if rng.random() < 0.3 or n < 2 or k < 2:
        return TreeProof((-1,), (_pairs(rng, A, nonnegative),))
    f = int(rng.integers(n))
    without = np.delete(np.arange(n), f)
    leaves = (_pairs(rng, A[np.ix_(without, without)], nonnegative), _pairs(rng, A, nonnegative))
    splits = (f, -1, -1)
    other = extremes.number(rng, f)
    spoiled = [splits[:2], (*splits, -1), (other, -1, -1), list(splits), (f, f, -1, -1, -1)]
    return TreeProof(spoiled[rng.integers(5)] if rng.random() < 0.3 else splits, leaves[: int(rng.integers(1, 4))])


def _low_rank(rng, A):
    """Leading eigenvectors, and an honest bound on what they leave."""
    d = int(rng.integers(0, min(3, len(A)) + 1))
    values, vectors = np.linalg.eigh(A)
    V = (vectors * np.sqrt(np.maximum(values, 0.0)))[:, ::-1][:, :d]
    left = float(np.linalg.eigvalsh(A - V @ V.T)[-1])
    return V, left + 1e-12 * float(np.abs(A).max())
