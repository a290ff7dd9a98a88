"""The judge: re-derives a certificate's two numbers from its ingredients; trusts no solver and no bound.

Nothing here is shared with the code that made the certificate, beyond the covariance and the definition of
the feasible set: eigenvalue ceilings are re-derived (through eigenvalues while that is quick, and through an
orthonormal basis where A is held as a factor), row sums are read in full, and every cell of the sphere's cover
is bounded again from values of h computed afresh. Whatever is missing, malformed or not a number fails.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nnspca import feasible
from nnspca.certificates.entries import entry_bound
from nnspca.certificates.pairs import branch_bound, pair_bound
from nnspca.certificates.parts import check_parts, parts_bound
from nnspca.certificates.proofs import (
    BranchProof,
    EachProof,
    EntryProof,
    LargerProof,
    PairProof,
    RankProof,
    ScaleProof,
    WorkingProof,
)
from nnspca.certificates.ranks import rank_bound
from nnspca.certificates.scales import scale_bound
from nnspca.certificates.working import working_bound
from nnspca.covariance import Covariance
from nnspca.errors import CertificateError
from nnspca.result import Bound, Certificate, PartsCertificate
from nnspca.threads import one_blas_thread

EPS = np.finfo(float).eps


def verify(cert: Certificate | PartsCertificate, cov: Covariance) -> None:
    """Check that ``cert`` proves what it says about ``cov``.

    Parameters
    ----------
    cert : Certificate or PartsCertificate
    cov : Covariance
        The covariance it was made for.

    Raises
    ------
    CertificateError
        Names the first claim that fails.

    Examples
    --------
    >>> import dataclasses, nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> cert = nnspca.certify(cov, k=1)
    >>> nnspca.verify(cert, cov)
    >>> nnspca.verify(dataclasses.replace(cert, upper=cert.upper - 1e-6), cov)
    Traceback (most recent call last):
    nnspca.errors.CertificateError: the upper bound 1.99... is below the least proven one, 2.0...
    """
    if cert.fingerprint != cov.fingerprint:
        raise CertificateError("it was made for other data: the fingerprints differ")
    if isinstance(cert.k, bool) or not isinstance(cert.k, int | np.integer) or not 1 <= cert.k <= cov.n_features:
        raise CertificateError(f"k = {cert.k} is outside 1..{cov.n_features}")
    if not isinstance(cert.nonnegative, bool | np.bool_):
        raise CertificateError(f"its sign constraint is {cert.nonnegative!r}, neither True nor False")
    with one_blas_thread(), np.errstate(all="ignore"):
        try:
            if isinstance(cert, PartsCertificate):
                _check_count(cert, cov)
                check_parts(cert, cov)
            else:
                _check_lower(cert, cov)
            proven, leading = _proven_values(cert, cov)
            lower, upper = float(cert.lower), float(cert.upper)
            claimed = leading if isinstance(cert, PartsCertificate) else float(cert.leading)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise CertificateError(f"its ingredients are malformed: {error}") from error
    # each comparison is written so that a NaN fails it
    if not min(proven) <= upper < np.inf:
        raise CertificateError(f"the upper bound {upper!r} is below the least proven one, {min(proven)!r}")
    if not lower <= upper:
        raise CertificateError(f"the lower bound {lower!r} exceeds the upper bound {upper!r}")
    if isinstance(cert, Certificate) and not leading <= claimed < np.inf:
        raise CertificateError(f"the largest eigenvalue is claimed to be {claimed!r}; only {leading!r} is proven")


def _check_count(cert: PartsCertificate, cov: Covariance) -> None:
    r = cert.n_components
    if isinstance(r, bool) or not isinstance(r, int | np.integer) or not 1 <= r <= cov.n_features:
        raise CertificateError(f"n_components = {r} is outside 1..{cov.n_features}")


def _proven_values(cert: Certificate | PartsCertificate, cov: Covariance) -> tuple[list[float], float]:
    """Values of the deterministic bounds, each checked, and the least of them that holds for every direction."""
    proven, leading = [], np.inf
    for bound in cert.bounds:
        if bound.deterministic:
            _check_bound(bound, cert, cov)
            proven.append(float(bound.value))
            proof = bound.ingredients
            if isinstance(proof, RankProof) and proof.rho is None and not np.any(proof.V):
                leading = min(leading, float(bound.value))
    if not proven:
        raise CertificateError("it holds no deterministic bound")
    return proven, leading


def _check_lower(cert: Certificate, cov: Covariance) -> None:
    x = np.asarray(cert.component.loadings, dtype=np.float64)
    if x.shape != (cov.n_features,):
        raise CertificateError(f"the component has shape {x.shape}, not ({cov.n_features},)")
    reason = feasible.infeasibility(x, cert.k, cert.nonnegative)
    if reason:
        raise CertificateError(f"the component is not feasible: {reason}")
    attained = float(x @ cov.apply(x))
    if not abs(attained - cert.lower) <= 1e-9 * abs(attained):
        raise CertificateError(f"the component attains {attained!r}, not {cert.lower!r}")


def _check_bound(bound: Bound, cert: Certificate | PartsCertificate, cov: Covariance) -> None:
    if isinstance(cert, PartsCertificate):
        needed = _needed_of_parts(bound, cert, cov)
    else:
        needed = _needed(bound.ingredients, bound.name, cert, cov)
    if not needed <= bound.value < np.inf:
        raise CertificateError(f"bound {bound.name!r} claims {bound.value!r}; its ingredients prove {needed!r} only")


def _needed_of_parts(bound: Bound, cert: PartsCertificate, cov: Covariance) -> float:
    """The same for several parts: r times what one can have, or what is proven of all together."""
    proof = bound.ingredients
    if isinstance(proof, EachProof):
        one = Certificate(cert.k, cert.nonnegative, 0.0, 0.0, cert.parts[0], (), 0.0, cert.fingerprint)
        each = _needed(proof.proof, bound.name, one, cov)
        return cert.n_components * each * (1 + 2 * EPS)
    return parts_bound(proof, cert, cov)


def _needed(proof: object, name: str, cert: Certificate, cov: Covariance) -> float:
    """The value that the ingredients prove."""
    if isinstance(proof, LargerProof):
        if isinstance(proof.k, bool) or not isinstance(proof.k, int) or not cert.k <= proof.k <= cov.n_features:
            raise CertificateError(f"bound {name!r} is of k = {proof.k!r}, which says nothing about k = {cert.k}")
        if isinstance(proof.proof, LargerProof):
            raise CertificateError(f"bound {name!r} is taken over twice")
        return _needed(proof.proof, name, replace(cert, k=proof.k), cov)
    if isinstance(proof, RankProof):
        return rank_bound(proof, cert, cov)
    if isinstance(proof, PairProof):
        return pair_bound(proof, cert.k, cert.nonnegative, cov)
    if isinstance(proof, BranchProof):
        return branch_bound(proof, cert.k, cert.nonnegative, cov)
    if isinstance(proof, WorkingProof):
        return working_bound(proof, cert.k, cert.nonnegative, cov)
    if isinstance(proof, ScaleProof):
        return scale_bound(proof, cert.k, cert.nonnegative, cov)
    if isinstance(proof, EntryProof):
        return entry_bound(proof, cert, cov)
    raise CertificateError(f"bound {name!r} carries nothing to re-derive it from")
