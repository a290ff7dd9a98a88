"""Checks that multipliers of a given certificate, which need not be genuine, can start a new search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from nnspca.certificates.numbers import array
from nnspca.certificates.proofs import PairProof
from nnspca.covariance import Covariance
from nnspca.errors import CertificateError
from nnspca.result import Bound

MOST = 1e9  # times the total variance: no useful multiplier is as large, and the squares of these stay finite


def starts_of(bounds: Iterable[Bound], cov: Covariance) -> Iterator[PairProof]:
    """Yield the multipliers for all features among the proofs of bounds."""
    for bound in bounds:
        if isinstance(bound.ingredients, PairProof) and bound.ingredients.features is None:
            yield start_of(bound.ingredients, cov)


def start_of(proof: PairProof, cov: Covariance) -> PairProof:
    """Return the proof with its multipliers as plain doubles; ValueError if they do not fit ``cov``.

    Whatever they are, the bounds that a search makes of them are proven afresh.
    """
    n = cov.n_features
    shapes: dict[str, tuple[int | None, ...]] = {"L": (n, n), "M": (n, n)}
    if proof.v is not None:
        shapes["v"] = (n,)
    try:
        arrays: dict[str, Any] = {name: array(getattr(proof, name), name, shape) for name, shape in shapes.items()}
    except CertificateError as error:
        raise ValueError(f"warm_start has no multipliers for this covariance: {error}") from error
    for name, values in arrays.items():
        if not np.abs(values).max() <= MOST * cov.trace:
            raise ValueError(
                f"warm_start has no multipliers for this covariance: {name} exceeds {MOST:g} times its total variance"
            )
    return replace(proof, **arrays)
