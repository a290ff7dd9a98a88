"""DERIVATIONS, for one component and for several parts: the function that derives the value of each type of proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from nnspca.certificates.elimination import elimination_bound
from nnspca.certificates.numbers import UNDERFLOW, whole
from nnspca.certificates.pairs import branch_bound, pair_bound, series_bound
from nnspca.certificates.parts import joint_bound, parts_tree_bound, parts_working_bound, variances_bound
from nnspca.certificates.proofs import (
    BranchProof,
    EachProof,
    EigenvalueProof,
    EliminationProof,
    LargerProof,
    PairProof,
    PartsProof,
    PartsTreeProof,
    PartsWorkingProof,
    ScaleProof,
    SeriesProof,
    SmallerProof,
    VariancesProof,
    WorkingProof,
)
from nnspca.certificates.ranks import eigenvalue_bound
from nnspca.certificates.scales import scale_bound
from nnspca.certificates.working import working_bound
from nnspca.covariance.problem import Problem
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps


def derive(proof: object, problem: Problem) -> float:
    """Return the value that a proof's ingredients prove; CertificateError if they prove none.

    Examples
    --------
    >>> from nnspca.covariance import Covariance
    >>> cov = Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> round(derive(ScaleProof(np.ones(2)), Problem(cov, 2)), 6)
    3.0
    """
    if type(proof) not in DERIVATIONS:
        raise CertificateError("it carries nothing to re-derive it from")
    if type(proof) not in (PairProof, BranchProof):  # the others prove it for the problem without ``include``
        problem = replace(problem, include=())
    return float(DERIVATIONS[type(proof)](proof, problem)) + problem.n * UNDERFLOW


def derive_of_parts(proof: object, r: int, problem: Problem) -> float:
    """Return what a proof's ingredients prove for any r parts of k features each, no feature in two of them.

    Examples
    --------
    >>> from nnspca.covariance import Covariance
    >>> cov = Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> round(derive_of_parts(VariancesProof(), 2, Problem(cov, 1)), 6)
    4.0
    """
    if type(proof) not in PARTS_DERIVATIONS:
        raise CertificateError("it carries nothing to re-derive it from")
    return float(PARTS_DERIVATIONS[type(proof)](proof, r, problem)) + 4 * r * problem.n * UNDERFLOW


def eliminated_bound(proof: EliminationProof, problem: Problem) -> float:
    """A bound proven on a few features, raised by the mass of the others."""
    return elimination_bound(proof, problem, derive)


def larger_bound(proof: LargerProof, problem: Problem) -> float:
    """A bound proven for more features also holds for fewer."""
    cov, k = problem.cov, problem.k
    larger = whole(proof.k, f"the cardinality from which a bound at k = {k} is carried", k, cov.n_features)
    if type(proof.proof) in (LargerProof, SmallerProof):
        raise CertificateError("it is taken over twice")
    return derive(proof.proof, replace(problem, k=larger))


def smaller_bound(proof: SmallerProof, problem: Problem) -> float:
    """A bound from fewer features, in proportion: ``d + (U − d)(k − 1)/(k₁ − 1)``, d below every variance."""
    cov, k = problem.cov, problem.k
    smaller = whole(proof.k, f"the cardinality from which a bound at k = {k} is carried", 2, k)
    if type(proof.proof) in (LargerProof, SmallerProof):
        raise CertificateError("it is taken over twice")
    value = derive(proof.proof, replace(problem, k=smaller))
    variances = cov.form.diagonal
    idle = np.flatnonzero(variances == 0)[: cov.strip]
    counted = np.delete(
        variances, idle[np.abs(cov.block(idle)).sum(axis=1) == 0]
    )  # an optimum needs no feature whose row is zero
    least = float(counted.min() - 4 * cov.form.terms * EPS * np.abs(variances).max()) - cov.representation_error
    share = (k - 1) / (smaller - 1)
    reached = least + share * (value - least)
    return max(value, reached + 4 * EPS * (1 + share) * (abs(value) + abs(least)))


def larger_bound_of_parts(proof: LargerProof, r: int, problem: Problem) -> float:
    """A bound on r parts proven for a larger k also holds for a smaller one."""
    cov, k = problem.cov, problem.k
    larger = whole(proof.k, f"the cardinality from which a bound at k = {k} is carried", k, cov.n_features)
    if type(proof.proof) is LargerProof:
        raise CertificateError("it is taken over twice")
    return derive_of_parts(proof.proof, r, replace(problem, k=larger))


def each_bound(proof: EachProof, r: int, problem: Problem) -> float:
    """The total of r parts is at most r times the bound on one part."""
    return r * derive(proof.proof, problem) * (1 + 2 * EPS)


DERIVATIONS: dict[type, Callable[[Any, Problem], float]] = {
    BranchProof: branch_bound,
    EigenvalueProof: lambda proof, problem: eigenvalue_bound(proof, 1, problem),
    EliminationProof: eliminated_bound,
    LargerProof: larger_bound,
    PairProof: pair_bound,
    ScaleProof: scale_bound,
    SeriesProof: series_bound,
    SmallerProof: smaller_bound,
    WorkingProof: working_bound,
}
PARTS_DERIVATIONS: dict[type, Callable[[Any, int, Problem], float]] = {
    EachProof: each_bound,
    EigenvalueProof: eigenvalue_bound,
    LargerProof: larger_bound_of_parts,
    PartsProof: joint_bound,
    PartsTreeProof: parts_tree_bound,
    PartsWorkingProof: parts_working_bound,
    VariancesProof: variances_bound,
}
