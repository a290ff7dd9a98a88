"""Certificates to start from with forged multipliers: what is made from them is true, and its judge agrees."""

import dataclasses
import warnings

import nnspca
from nnspca.certificates.proofs import PairProof
from tests import oracle
from tests.fuzz import GotThrough, forged


def attempt(rng):
    """Certify a poor point, so that every bound is tried, from multipliers that have little to do with the problem."""
    target = forged.targets()[rng.integers(forged.POOL)]
    parts = bool(rng.random() < 0.5)
    proof = forged.forged(rng, target, PairProof)
    made_up = forged.claiming(target, proof, 1.0)
    bounds = tuple(dataclasses.replace(bound, name="pair-scaled") for bound in made_up.bounds)
    poor, k, nonnegative, fingerprint = made_up.component, target.k, target.nonnegative, target.cov.fingerprint
    several = nnspca.PartsCertificate(2, k, nonnegative, 0.0, 1.0, (poor,), bounds, fingerprint)
    one = dataclasses.replace(made_up, bounds=bounds)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            if parts:
                count = min(2, len(target.A))
                made = nnspca.certify_parts(target.cov, count, k, [poor], nonnegative=nonnegative, warm_start=several)
            else:
                made = nnspca.certify(target.cov, k, component=poor, nonnegative=nonnegative, warm_start=one)
        except ValueError as error:
            if "warm_start has no multipliers" in str(error):
                return False
            raise
    nnspca.verify(made, target.cov)
    if not oracle.allows(made.upper, target.pair if parts else target.attained):
        raise GotThrough(f"{made.upper!r} was proven from forged multipliers, where more is feasible")
    return True
