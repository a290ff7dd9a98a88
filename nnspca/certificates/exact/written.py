"""The section of a certificate file that the stand-alone checkers read, and which of the two can read it."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnspca.certificates.exact.arrays import UnsupportedProof, Writer
from nnspca.certificates.exact.writers import needs_second, write
from nnspca.certificates.proofs import PairProof, TreeProof
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.covariance.restriction import restricted
from nnspca.result import Certificate, PartsCertificate

VERSION = 1  # of the section that the checker reads


def section(
    cert: Certificate | PartsCertificate, cov: Covariance, arrays: dict[str, np.ndarray]
) -> dict[str, Any] | None:
    """Return the section for the checkers, which goes next to the claims, and add its arrays to ``arrays``.

    Its ``upper`` is the least upper bound whose proof can be written: the certificate's own upper bound
    may be lower. Returns None if no proof can be written.
    """
    reading = cov.stands_for
    if reading is None:
        return None
    include: tuple[int, ...] = ()
    if isinstance(cert, Certificate):
        problem, _ = restricted(Problem(cov, cert.k, cert.nonnegative), cert.include, cert.exclude)
        cov, include = problem.cov, problem.include
    for bound in sorted((bound for bound in cert.bounds if bound.deterministic), key=lambda bound: bound.value):
        added = dict(arrays)
        try:
            ingredients = bound.ingredients
            on_all = isinstance(ingredients, TreeProof) or (
                isinstance(ingredients, PairProof) and ingredients.features is None
            )
            used_include = include if on_all else ()
            r = cert.n_components if isinstance(cert, PartsCertificate) else 1
            proof = write(Writer(cert.nonnegative, added, used_include), ingredients, r, cert.k, cov)
        except UnsupportedProof:
            continue
        arrays |= added
        record = {"version": VERSION, "reading": reading, "upper": max(bound.value, cert.upper)}
        record |= {"inside": True} if used_include else {}
        return record | {"loadings": {"witness": "loadings.npy"}, "proof": proof}
    return None


def needs_second_checker(certificate: Certificate | PartsCertificate, cov: Covariance) -> bool:
    """Whether only ``check_more.py`` can check the proof of the upper bound."""
    if isinstance(certificate, PartsCertificate):
        return True
    problem = Problem(cov, certificate.k, certificate.nonnegative)
    restricted_problem, _ = restricted(problem, certificate.include, certificate.exclude)
    return needs_second(certificate.winner.ingredients, certificate.k, restricted_problem.cov)
