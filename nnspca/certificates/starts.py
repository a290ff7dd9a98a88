"""Checks that multipliers of a given certificate, which need not be genuine, can start a new search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from nnspca.certificates.numbers import array
from nnspca.certificates.proofs import PairProof
from nnspca.covariance import Covariance
from nnspca.errors import CertificateError
from nnspca.result import Bound

MOST = 1e9  # times the total variance: no useful multiplier is as large, and the squares of these stay finite


def starts_of(bounds: Iterable[Bound], cov: Covariance) -> Iterator[PairProof]:
    """Yield the proofs of bounds that have multipliers for all features, these as plain doubles.

    Whatever they are, the bounds that a search makes of them are proven afresh; ValueError if they do not fit ``cov``.
    """
    n = cov.n_features
    for proof in (bound.ingredients for bound in bounds):
        if not isinstance(proof, PairProof) or proof.features is not None:
            continue
        try:
            L, M = array(proof.L, "L", (n, n)), array(proof.M, "M", (n, n))
            v = None if proof.v is None else array(proof.v, "v", (n,))
        except CertificateError as error:
            raise ValueError(f"warm_start has no multipliers for this covariance: {error}") from error
        if not all(np.abs(given).max() <= MOST * cov.trace for given in (L, M, v) if given is not None):
            raise ValueError(
                f"warm_start has no multipliers for this covariance: some exceed {MOST:g} times its total variance"
            )
        yield replace(proof, L=L, M=M, v=v)
