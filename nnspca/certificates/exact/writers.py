"""WRITERS, for one component and for several parts: the function that writes each type of proof for the checkers.

It is the counterpart of :data:`nnspca.certificates.derivations.DERIVATIONS`, by which the judge
derives the values: the two know the same types and share no code. A function returns what the
checkers read, a few kinds of proof with the factors R, and raises :class:`UnsupportedProof` where none of
these fits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from nnspca.certificates.exact.arrays import EPS, LARGEST, UnsupportedProof, Writer, entries_of
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
from nnspca.covariance import Covariance

WRITTEN = 3e6  # most entries of L in all cases of an elimination: with L and R, some 80 MB

Written = dict[str, Any]


def write(writer: Writer, proof: object, k: int, cov: Covariance) -> Written:
    """Return a proof for k features of a covariance in the checkers' form; UnsupportedProof if there is none."""
    if type(proof) not in WRITERS:
        raise UnsupportedProof
    return WRITERS[type(proof)](writer, proof, k, cov)


def write_of_parts(writer: Writer, proof: object, r: int, k: int, cov: Covariance) -> Written:
    """The same for a proof about r parts of k features each."""
    if type(proof) not in PARTS_WRITERS:
        raise UnsupportedProof
    return PARTS_WRITERS[type(proof)](writer, proof, r, k, cov)


def is_for_second_checker(proof: object, cov: Covariance) -> bool:
    """Whether only ``check_more.py`` can check this proof about one component."""
    return type(proof) in FOR_SECOND_CHECKER and FOR_SECOND_CHECKER[type(proof)](proof, cov)


def pairs(writer: Writer, proof: PairProof, k: int, cov: Covariance) -> Written:
    """L and M unchanged."""
    A = entries_of(cov)
    tail = {"t": proof.tail} | writer.factor(proof.tail, A - proof.L)
    return {"kind": "pairs", "k": k, "L": writer.witness(proof.L), "M": writer.witness(proof.M), **tail}


def series(writer: Writer, proof: SeriesProof, k: int, cov: Covariance) -> Written:
    """The proof for the fewest of its features that are no less than k."""
    place = max(place for place, c in enumerate(proof.cardinalities) if c >= k)
    return pairs(writer, proof.pairs(place), proof.cardinalities[place], cov)


def rows(writer: Writer, proof: ScaleProof, k: int, cov: Covariance) -> Written:
    """Weights of the rows without L and M."""
    record: Written = {"kind": "pairs", "k": k, "S": [], "weights": writer.witness(proof.weights)}
    return record | ({"level": proof.level} if proof.level else {})


def working(writer: Writer, proof: WorkingProof, k: int, cov: Covariance) -> Written:
    """The proof of the pairs inside, and the limits."""
    outside = {"S": writer.witness(proof.features), "limits": writer.witness(proof.limits)}
    return pairs(writer, proof.pairs, k, cov.restrict(proof.features)) | outside


def branch(writer: Writer, proof: BranchProof, k: int, cov: Covariance) -> Written:
    """Every leaf on the features of its case."""
    leaves, remaining = [], iter(proof.leaves)
    cases: list[tuple[frozenset[int], frozenset[int]]] = [(frozenset(), frozenset(writer.include))]
    for feature in proof.splits:
        out, inside = cases.pop()
        if feature >= 0:
            cases += [(out, inside | {feature}), (out | {feature}, inside)]
            continue
        subset = sorted(inside) if len(inside) == k else [i for i in range(cov.n_features) if i not in out]
        leaves.append(pairs(writer, next(remaining), min(k, len(subset)), cov.restrict(np.array(subset))))
    return {"kind": "cases", "k": k, "splits": list(proof.splits), "leaves": leaves}


def elimination(writer: Writer, proof: EliminationProof, k: int, cov: Covariance) -> Written:
    """The features kept, an attained point, and a proof for each number of features outside."""
    part = cov.restrict(proof.features)
    wanted = [
        (each, p)
        for c, p in zip(proof.cardinalities, proof.proofs, strict=True)
        for each in (p.cardinalities if isinstance(p, SeriesProof) else (c,))
    ]
    if len(wanted) > 1 and len(wanted) * len(proof.features) ** 2 > WRITTEN:
        raise UnsupportedProof
    cases = [write(writer, p, c, part) for c, p in wanted]
    record = {"kind": "few", "k": k, "T": writer.witness(proof.features), "support": writer.witness(proof.support)}
    record |= {"loadings": writer.witness(proof.loadings), "light": proof.light, "cases": cases}
    if proof.boxes is not None:
        boxes = {"C": writer.witness(proof.boxes.features), "prices": writer.witness(proof.boxes.prices)}
        record |= {"kind": "boxed", **boxes}
    return record | _semidefinite(writer, cov)


def _semidefinite(writer: Writer, cov: Covariance) -> Written:
    """A proof of how far A is from semidefinite, which is needed if A is a matrix."""
    if cov.n_samples is not None:
        return {}
    A = entries_of(cov)
    if len(A) > LARGEST:
        raise UnsupportedProof
    least = 2 * cov.n_features * EPS * cov.trace + max(0.0, -float(scipy.linalg.eigvalsh(A, subset_by_index=[0, 0])[0]))
    return {"least": {"t": least} | writer.factor(least, -A)}


def larger(writer: Writer, proof: LargerProof, k: int, cov: Covariance) -> Written:
    """The proof for more features, unchanged."""
    return write(writer, proof.proof, proof.k, cov)


def smaller(writer: Writer, proof: SmallerProof, k: int, cov: Covariance) -> Written:
    """The proof for fewer features, and their number."""
    return {"kind": "fewer", "k": k, "one": write(writer, proof.proof, proof.k, cov)}


def joint(writer: Writer, proof: PartsProof, r: int, k: int, cov: Covariance) -> Written:
    """L, M and v as they are; V on the grid of R."""
    return _joint(writer, proof, k, cov)


def _joint(writer: Writer, proof: PartsProof, k: int, cov: Covariance) -> Written:
    record = {"kind": "joint", "k": k, "L": writer.witness(proof.L), "M": writer.witness(proof.M)}
    if proof.v.any():
        record["v"] = writer.witness(proof.v)
    return record | {"t": proof.tail} | writer.factor(proof.tail, entries_of(cov) - proof.L, proof.V)


def joint_working(writer: Writer, proof: PartsWorkingProof, r: int, k: int, cov: Covariance) -> Written:
    """The proof inside, and the limits."""
    outside = {"S": writer.witness(proof.features), "limits": writer.witness(proof.limits)}
    return _joint(writer, proof.parts, k, cov.restrict(proof.features)) | outside


def joint_branch(writer: Writer, proof: PartsTreeProof, r: int, k: int, cov: Covariance) -> Written:
    """Every leaf on all features; a split is one number for its pair."""
    splits = [int(i * cov.n_features + j) if i >= 0 else -1 for i, j in proof.splits.tolist()]
    return {"kind": "groups", "k": k, "splits": splits, "leaves": [_joint(writer, p, k, cov) for p in proof.leaves]}


def eigenvalues(writer: Writer, proof: EigenvalueProof, r: int, k: int, cov: Covariance) -> Written:
    """The largest eigenvalues of A, or the equal ones of the samples' inner products if A is not held."""
    if cov.factor is None:
        zero = np.zeros((cov.n_features, cov.n_features))
        if r == 1 and not proof.V.any():
            return pairs(writer, PairProof(zero, zero.copy(), proof.tail), k, cov)
        return _joint(writer, PartsProof(zero, zero.copy(), np.zeros(len(zero)), proof.V, proof.tail), k, cov)
    gram = cov.factor.gram()
    if len(gram) > LARGEST:
        raise UnsupportedProof
    V = None
    if proof.V.any():
        d = proof.V.shape[1]
        values, vectors = np.linalg.eigh(gram)
        following = max(float(values[-d - 1]), 0.0) if len(values) > d else 0.0  # not the tail, which has room to round
        V = vectors[:, ::-1][:, :d] * np.sqrt(np.maximum(values[::-1][:d] - following, 0.0))
    return {"kind": "samples", "k": k, "t": proof.tail} | writer.factor(proof.tail, gram, V)


def each(writer: Writer, proof: EachProof, r: int, k: int, cov: Covariance) -> Written:
    """The proof about one part."""
    return {"kind": "each", "k": k, "one": write(writer, proof.proof, k, cov)}


def larger_of_parts(writer: Writer, proof: LargerProof, r: int, k: int, cov: Covariance) -> Written:
    """The proof for more features, unchanged."""
    return write_of_parts(writer, proof.proof, r, proof.k, cov)


def variances_of_parts(writer: Writer, proof: VariancesProof, r: int, k: int, cov: Covariance) -> Written:
    """The bound by the rk largest variances."""
    return {"kind": "variances", "k": k} | _semidefinite(writer, cov)


WRITERS: dict[type, Callable[[Writer, Any, int, Covariance], Written]] = {
    BranchProof: branch,
    EigenvalueProof: lambda writer, proof, k, cov: eigenvalues(writer, proof, 1, k, cov),
    EliminationProof: elimination,
    LargerProof: larger,
    PairProof: pairs,
    ScaleProof: rows,
    SeriesProof: series,
    SmallerProof: smaller,
    WorkingProof: working,
}
PARTS_WRITERS: dict[type, Callable[[Writer, Any, int, int, Covariance], Written]] = {
    EachProof: each,
    EigenvalueProof: eigenvalues,
    LargerProof: larger_of_parts,
    PartsProof: joint,
    PartsTreeProof: joint_branch,
    PartsWorkingProof: joint_working,
    VariancesProof: variances_of_parts,
}
# the types about one component that the first checker cannot read, or not always; of parts it reads none
FOR_SECOND_CHECKER: dict[type, Callable[[Any, Covariance], bool]] = {
    EliminationProof: lambda proof, cov: proof.boxes is not None,
    LargerProof: lambda proof, cov: is_for_second_checker(proof.proof, cov),
    EigenvalueProof: lambda proof, cov: bool(proof.V.any()) or cov.factor is not None,
    SmallerProof: lambda proof, cov: True,
}
