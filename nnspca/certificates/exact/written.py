"""The section of a certificate file that the stand-alone checkers read, and which of the two can read it."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnspca.certificates.exact.arrays import Unwritten, Writer
from nnspca.certificates.exact.writers import takes_more, write, write_of_parts
from nnspca.certificates.proofs import BranchProof, PairProof
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.covariance.restriction import restricted
from nnspca.result import Certificate, PartsCertificate

VERSION = 1  # of the section that the checker reads


def section(
    cert: Certificate | PartsCertificate, cov: Covariance, arrays: dict[str, np.ndarray]
) -> dict[str, Any] | None:
    """Return the checker's section of the file, beside the claims, and add its arrays to ``arrays``.

    Its ``upper`` is the least upper bound whose proof can be written: the certificate's own may be
    lower. None without one.
    """
    reading = cov._reading
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
            counted = include if type(ingredients) in (BranchProof, PairProof) else ()
            writer = Writer(cert.nonnegative, added, counted)
            if isinstance(cert, PartsCertificate):
                proof = write_of_parts(writer, ingredients, cert.n_components, cert.k, cov)
            else:
                proof = write(writer, ingredients, cert.k, cov)
        except Unwritten:
            continue
        arrays |= added
        record = {"version": VERSION, "reading": reading, "upper": max(bound.value, cert.upper)}
        record |= {"inside": True} if counted else {}
        return record | {"loadings": {"witness": "loadings.npy"}, "proof": proof}
    return None


def needs_more(certificate: Certificate | PartsCertificate, cov: Covariance) -> bool:
    """Whether the proof of the upper bound is for ``check_more.py``, the checker's second file."""
    if isinstance(certificate, PartsCertificate):
        return True
    problem = Problem(cov, certificate.k, certificate.nonnegative)
    part, _ = restricted(problem, certificate.include, certificate.exclude)
    return takes_more(certificate.winner.ingredients, part.cov)
