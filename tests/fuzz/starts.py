"""Certificates to start from with forged multipliers: what is made from them is true, and its judge agrees."""

import dataclasses
import functools
import warnings

import nnspca
from nnspca.certificates.proofs import PairProof, PartsProof
from tests import oracle
from tests.fuzz import GotThrough, forged


@functools.cache
def honest(parts):
    """The problems, each with a certificate that carries multipliers."""
    made = []
    for target in forged.targets():
        ask = {"nonnegative": target.nonnegative}
        one, several = nnspca.certify, nnspca.certify_parts
        cert = several(target.cov, 2, target.k, **ask) if parts else one(target.cov, target.k, **ask)
        if any(type(bound.ingredients) in (PairProof, PartsProof) for bound in cert.bounds):
            made.append((target, cert))
    return made


def attempt(rng):
    """Certify from multipliers that have nothing to do with the problem, or much."""
    parts = bool(rng.random() < 0.5)
    target, cert = honest(parts)[rng.integers(len(honest(parts)))]
    kind = PartsProof if parts else PairProof
    bounds = tuple(
        dataclasses.replace(bound, ingredients=forged.forged(rng, target, kind))
        if type(bound.ingredients) is kind
        else bound
        for bound in cert.bounds
    )
    start = {"warm_start": dataclasses.replace(cert, bounds=bounds), "nonnegative": target.nonnegative}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            if parts:
                made = nnspca.certify_parts(target.cov, 2, target.k, **start)
            else:
                made = nnspca.certify(target.cov, target.k, **start)
        except ValueError as error:
            if "warm_start has no multipliers" in str(error):
                return False
            raise
    nnspca.verify(made, target.cov)
    if not oracle.allows(made.upper, target.pair if parts else target.attained):
        raise GotThrough(f"{made.upper!r} was proven from forged multipliers, where more is feasible")
    return True
