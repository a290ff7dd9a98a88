"""DERIVATIONS: the function that derives the value of each type of proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from nnspca.certificates.eigenvalues import eigenvalue_bound
from nnspca.certificates.elimination import elimination_bound
from nnspca.certificates.numbers import UNDERFLOW, whole
from nnspca.certificates.pairs import pair_bound, series_bound, tree_bound
from nnspca.certificates.proofs import (
    CarriedProof,
    EachProof,
    EigenvalueProof,
    EliminationProof,
    PairProof,
    Proof,
    ScaleProof,
    SeriesProof,
    TreeProof,
    VariancesProof,
)
from nnspca.certificates.rows import scale_bound
from nnspca.covariance.problem import Problem
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps


def derive(proof: object, problem: Problem, r: int = 1) -> float:
    """Return what a proof's ingredients prove for r components with disjoint supports; CertificateError if nothing.

    Examples
    --------
    >>> from nnspca.covariance import Covariance
    >>> cov = Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> round(derive(ScaleProof(np.ones(2)), Problem(cov, 2)), 6)
    3.0
    >>> round(derive(VariancesProof(), Problem(cov, 1), 2), 6)
    4.0
    """
    if not isinstance(proof, Proof) or type(proof) not in DERIVATIONS:
        raise CertificateError("it carries nothing to re-derive it from")
    kind = type(proof)
    if r > 1 and not kind.of_parts:
        raise CertificateError(f"a {kind.__name__} proves nothing about several parts")
    if not kind.uses_included:
        problem = replace(problem, include=())
    return float(DERIVATIONS[kind](proof, r, problem)) + 4 * r * problem.n * UNDERFLOW


def carried_bound(proof: CarriedProof, r: int, problem: Problem) -> float:
    """A bound for more features holds; from fewer it grows: ``d + (U − d)(k − 1)/(k₁ − 1)``, d below every variance."""
    cov, k = problem.cov, problem.k
    at = whole(proof.k, f"the cardinality from which a bound at k = {k} is carried", min(k, 2), cov.n_features)
    if type(proof.proof) is CarriedProof:
        raise CertificateError("it is taken over twice")
    value = derive(proof.proof, replace(problem, k=at))
    if at >= k:
        return value
    variances = cov.held.form.diagonal
    idle = np.flatnonzero(variances == 0)[: cov.held.strip]
    counted = np.delete(
        variances, idle[np.abs(cov.block(idle)).sum(axis=1) == 0]
    )  # an optimum needs no feature whose row is zero
    least = float(counted.min() - 4 * cov.held.form.terms * EPS * np.abs(variances).max()) - cov.representation_error
    share = (k - 1) / (at - 1)
    reached = least + share * (value - least)
    return max(value, reached + 4 * EPS * (1 + share) * (abs(value) + abs(least)))


def each_bound(proof: EachProof, r: int, problem: Problem) -> float:
    """The total of r parts is at most r times the bound on one part."""
    if type(proof.proof) is EachProof:
        raise CertificateError("it is taken over twice")
    return r * derive(proof.proof, problem) * (1 + 2 * EPS)


def variances_bound(proof: VariancesProof, r: int, problem: Problem) -> float:
    """The sum of the largest variances of single features."""
    cov, k = problem.cov, problem.k
    count = min(r * k, cov.n_features)
    terms = 4 * cov.held.form.terms
    largest = float(np.sort(cov.diagonal)[cov.n_features - count :].sum()) * (1 + (count + terms) * EPS)
    return largest + cov.representation_error * r


DERIVATIONS: dict[type[Proof], Callable[[Any, int, Problem], float]] = {
    CarriedProof: carried_bound,
    EachProof: each_bound,
    EigenvalueProof: eigenvalue_bound,
    EliminationProof: lambda proof, r, problem: elimination_bound(proof, problem, derive),
    PairProof: pair_bound,
    ScaleProof: scale_bound,
    SeriesProof: series_bound,
    TreeProof: tree_bound,
    VariancesProof: variances_bound,
}
