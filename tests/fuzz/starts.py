"""Certificates to start from with forged multipliers: what is made from them is true, and its judge agrees."""

import dataclasses
import functools
import warnings

import nnspca
from nnspca.certificates.proofs import PairProof, PartsProof
from nnspca.result import Bound
from tests import oracle
from tests.fuzz import GotThrough, forged


@functools.cache
def honest(parts):
    """The problems, each with a certificate of its own."""
    if parts:
        return [
            (target, nnspca.certify_parts(target.cov, 2, target.k, nonnegative=target.nonnegative))
            for target in forged.targets()
        ]
    return [
        (target, nnspca.certify(target.cov, target.k, nonnegative=target.nonnegative)) for target in forged.targets()
    ]


def attempt(rng):
    """Certify a poor point, so that every bound is tried, from multipliers that have little to do with the problem."""
    parts = bool(rng.random() < 0.5)
    target, cert = honest(parts)[rng.integers(forged.POOL)]
    name, kind = ("joint-dual", PartsProof) if parts else ("pair-scaled", PairProof)
    others = tuple(bound for bound in cert.bounds if type(bound.ingredients) is not kind)
    false = Bound(name, cert.upper, ingredients=forged.forged(rng, target, kind))
    start = {"warm_start": dataclasses.replace(cert, bounds=(*others, false)), "nonnegative": target.nonnegative}
    poor = forged.claiming(target, None, 0.0).component
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            if parts:
                made = nnspca.certify_parts(target.cov, 2, target.k, [poor], **start)
            else:
                made = nnspca.certify(target.cov, target.k, component=poor, **start)
        except ValueError as error:
            if "warm_start has no multipliers" in str(error):
                return False
            raise
    nnspca.verify(made, target.cov)
    if not oracle.allows(made.upper, target.pair if parts else target.attained):
        raise GotThrough(f"{made.upper!r} was proven from forged multipliers, where more is feasible")
    return True
