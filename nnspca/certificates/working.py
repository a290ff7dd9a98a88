"""Re-derives the pair-scaled bound on a working set: the usual check inside, and every row outside in full."""

from __future__ import annotations

import numpy as np

from nnspca.certificates.numbers import UpperBound, array, feature_indices, formed
from nnspca.certificates.pairs import check_pairs, tail_and_rows
from nnspca.certificates.proofs import WorkingProof
from nnspca.covariance.problem import Problem
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps


def working_bound(proof: WorkingProof, problem: Problem) -> float:
    """The bound if pairs inside share by M, pairs across by the limits, and pairs outside evenly."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    n = cov.n_features
    chosen = feature_indices(proof.features, "the working set", n)
    limits = array(proof.limits, "the limits", (len(chosen),))
    if not (limits > 0).all():
        raise CertificateError("every feature of the working set needs a positive limit")
    block, forming = formed(cov, chosen)
    L, M, tail = check_pairs(proof.pairs, nonnegative, block, forming)
    # a row may have any k−1 companions: its own largest shares, or any number of the others at its
    # limit
    companions = np.sort(np.hstack([M, np.repeat(limits[:, None], min(k - 1, n - len(chosen)), axis=1)]), axis=1)
    most = UpperBound()
    most.cover(tail_and_rows(tail, L, companions[:, ::-1][:, : k - 1].sum(axis=1), k))
    cover_outside(most, problem, chosen, limits)
    return most.value + cov.representation_error


def cover_outside(
    most: UpperBound, problem: Problem, chosen: np.ndarray, limits: np.ndarray, prices: np.ndarray | None = None
) -> None:
    """Raise the bound to the cost of the heaviest row outside, with the prices subtracted from the chosen's shares."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    deviations = np.sqrt(np.maximum(cov.diagonal, 0.0))
    terms = cov.form.terms
    member = np.zeros(cov.n_features, dtype=bool)
    member[chosen] = True
    others = np.flatnonzero(~member)
    others = others[np.argsort(-deviations[others], kind="stable")]
    for start in range(0, len(others), cov.strip):
        rows = others[start : start + cov.strip]
        block = np.array(cov.block(rows))
        own = block[np.arange(len(rows)), rows].copy()
        shares = (np.maximum(block, 0.0) if nonnegative else np.abs(block)) + (
            (terms + 2) * EPS * np.outer(deviations[rows], deviations)
        )
        # divided first: a square could vanish where the quotient does not
        shares[:, chosen] = shares[:, chosen] * (shares[:, chosen] / limits) * (1 + 4 * EPS)
        if prices is not None:
            shares[:, chosen] = np.maximum(shares[:, chosen] - prices, 0.0) * (1 + EPS)
        shares[np.arange(len(rows)), rows] = 0.0
        if k <= shares.shape[1]:
            shares = np.partition(shares, shares.shape[1] - k, axis=1)[:, shares.shape[1] - k + 1 :]
        together = shares.sum(axis=1)
        most.cover(own + together + (k + terms + 6) * EPS * (np.abs(own) + together))
