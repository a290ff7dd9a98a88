"""The section of a certificate file that the stand-alone checkers read: each proof in their few kinds.

:data:`WRITERS` is the counterpart of :data:`nnspca.certificates.derivations.DERIVATIONS`, by which the judge derives
the values: it has those types that the checkers know, and the two share no code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg

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
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem, restricted
from nnspca.numerics.halves import Halves
from nnspca.result import Certificate, PartsCertificate

VERSION = 1  # of the section that the checker reads
WRITTEN = 3e6  # most entries of L in all cases of an elimination
EPS = np.finfo(float).eps
BITS = 58  # of V's largest entry: products of two, summed, are a few machine words
LARGEST = 6000  # side of the largest matrix of which the checkers find a factor

Written = dict[str, Any]


def checker_section(
    cert: Certificate | PartsCertificate,
    cov: Covariance,
    arrays: dict[str, np.ndarray],
    halves: dict[int, Halves] | None = None,
) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
    """Return the section for the checkers, which goes next to the claims, and all arrays of the file.

    ``arrays`` are those in the file already; ``halves`` are those of them by the id of their L: a series has the M of
    another proof. The ``upper`` of the section is the least upper bound whose proof can be written: the certificate's
    own upper bound may be lower. None if no proof can be written.
    """
    reading = cov.held.stands_for
    if reading is None:
        return None
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
            writer = Writer(cert.nonnegative, added, used_include, reading == "matrix", packed=dict(halves or {}))
            proof = write(writer, ingredients, r, cert.k, cov)
        except UnsupportedProof:
            continue
        record = {"version": VERSION, "reading": reading, "upper": max(bound.value, cert.upper)}
        record |= {"inside": True} if used_include else {}
        return record | {"loadings": {"witness": "loadings.npy"}, "proof": proof}, added
    return None


def needs_second_checker(certificate: Certificate | PartsCertificate, cov: Covariance) -> bool:
    """Whether only ``check_more.py`` can check the proof of the upper bound."""
    if isinstance(certificate, PartsCertificate):
        return True
    problem = Problem(cov, certificate.k, certificate.nonnegative)
    problem, _ = restricted(problem, certificate.include, certificate.exclude)
    proof, as_data = certificate.winner.ingredients, problem.cov.held.factor is not None
    return isinstance(proof, Proof) and proof.needs_second_checker(certificate.k, as_data)


class UnsupportedProof(Exception):
    """The checkers know no form of this proof."""


@dataclass(frozen=True, eq=False)
class Writer:
    """Writes arrays into one file; an array that is already there is referred to, not repeated."""

    nonnegative: bool
    arrays: dict[str, np.ndarray]
    include: tuple[int, ...] = ()  # features that every support contains, for a proof that can use it
    matrix: bool = False  # whether the checkers read the data as a covariance matrix, which may not be semidefinite
    named: set[str] = field(default_factory=set)  # each once: the checker uses them up
    packed: dict[int, Halves] = field(default_factory=dict)  # by the id of L

    def witness(self, array: np.ndarray) -> dict[str, str]:
        """Return the reference to an array in the file."""
        for name, stored in self.arrays.items():
            if stored is array and name not in self.named:
                self.named.add(name)
                return {"witness": f"{name}.npy"}
        name = f"check{len(self.arrays)}"
        self.named.add(name)
        self.arrays[name] = array
        return {"witness": f"{name}.npy"}

    def halves(self, L: np.ndarray, M: np.ndarray) -> dict[str, Any]:
        """L and M by their halves: those in the file where it has them."""
        halves = self.packed.get(id(L)) or Halves.of(L, M)
        if halves is None:
            raise UnsupportedProof
        own = {"own": self.witness(halves.own)} if halves.own.any() else {}
        return {"L": self.witness(halves.L), "M": self.witness(halves.M), "exponent": halves.exponent} | own

    def low_rank(self, t: float, B: np.ndarray, V: np.ndarray | None = None) -> dict[str, Any]:
        """V in whole multiples of 2^-shift; UnsupportedProof unless tI − B + VV' has a Cholesky factor, in doubles."""
        n = len(B)
        if n > LARGEST:
            raise UnsupportedProof
        live = np.zeros((n, 0)) if V is None else V[:, V.any(axis=0)]
        S = t * np.eye(n) - B + live @ live.T
        spare = EPS * (n * float(np.abs(S.diagonal()).sum()) + float(np.abs(B.diagonal()).max() + abs(t)))
        try:  # beyond what rounding may add, t is no upper bound; of features that hold nothing S is zero
            scipy.linalg.cholesky(S + spare * np.eye(n), lower=True) if S.any() else S
        except scipy.linalg.LinAlgError:
            raise UnsupportedProof from None
        if not live.size:
            return {"n": n}
        shift = BITS - int(np.frexp(float(np.linalg.norm(live)))[1])
        return {"n": n, "V": self.witness(np.rint(np.ldexp(live, shift)).astype(np.int64)), "shift": shift}


def entries_of(cov: Covariance) -> np.ndarray:
    """A's entries, symmetric, formed if A is held as data."""
    if cov.held.holds_entries:
        return cov.held.entries
    if cov.n_features > LARGEST:
        raise UnsupportedProof
    every = np.arange(cov.n_features)
    A = cov.block(every, every)
    return (A + A.T) / 2


def write(writer: Writer, proof: object, r: int, k: int, cov: Covariance) -> Written:
    """Return a proof about r parts of k features each in the checkers' form; UnsupportedProof if there is none."""
    if type(proof) not in WRITERS:
        raise UnsupportedProof
    return WRITERS[type(proof)](writer, proof, r, k, cov)


def pairs(writer: Writer, proof: PairProof, r: int, k: int, cov: Covariance) -> Written:
    """The halves of L and M, L's diagonal, and V."""
    cov = cov if proof.features is None else cov.restrict(proof.features)
    several = r > 1 or proof.v is not None or proof.V is not None
    record: Written = {"kind": "joint" if several else "pairs", "k": k, "t": proof.tail, "shift": 0}
    record |= {"own": [0] * len(proof.L)} | writer.halves(proof.L, proof.M)
    if proof.v is not None and proof.v.any():
        record["v"] = writer.witness(proof.v)
    record |= writer.low_rank(proof.tail, entries_of(cov) - proof.L, proof.V)
    if proof.features is not None and proof.limits is not None:
        record |= {"S": writer.witness(proof.features), "limits": writer.witness(proof.limits)}
        record |= {} if proof.weights is None else {"weights": writer.witness(proof.weights)}
    return record


def series(writer: Writer, proof: SeriesProof, r: int, k: int, cov: Covariance) -> Written:
    """The proof for the fewest of its features that are no less than k, and further ones for fewer."""
    place = max(place for place, c in enumerate(proof.cardinalities) if c >= k)
    each = [{"k": c, "t": t} for c, t in zip(proof.cardinalities, proof.tails, strict=True)][place:]
    return {"kind": "pairs", "n": cov.n_features, **each[0], **writer.halves(proof.L, proof.M), "further": each[1:]}


def rows(writer: Writer, proof: ScaleProof, r: int, k: int, cov: Covariance) -> Written:
    """Weights of the rows without L and M, of A or of what is left of it beyond the tail."""
    record: Written = {"kind": "pairs", "k": k, "S": [], "weights": writer.witness(proof.weights)}
    record |= {"level": proof.level} if proof.level else {}
    if proof.directions is None:
        return record
    if cov.held.factor is None or proof.directions.size + len(proof.directions) ** 2 > WRITTEN:
        raise UnsupportedProof
    rest = writer.low_rank(proof.tail, cov.held.factor.gram(), proof.directions)
    return {"kind": "shrunk", "k": k, "t": proof.tail, "one": record} | rest


def tree(writer: Writer, proof: TreeProof, r: int, k: int, cov: Covariance) -> Written:
    """Every leaf on the features of its case; a split at a pair of features is one number."""
    if not isinstance(proof.splits, tuple):
        splits = [int(i * cov.n_features + j) if i >= 0 else -1 for i, j in proof.splits.tolist()]
        leaves = [{**pairs(writer, leaf, r, k, cov), "kind": "joint"} for leaf in proof.leaves]
        return {"kind": "groups", "k": k, "splits": splits, "leaves": leaves}
    leaves, remaining = [], iter(proof.leaves)
    cases: list[tuple[frozenset[int], frozenset[int]]] = [(frozenset(), frozenset(writer.include))]
    for feature in proof.splits:
        out, inside = cases.pop()
        if feature >= 0:
            cases += [(out, inside | {feature}), (out | {feature}, inside)]
            continue
        subset = sorted(inside) if len(inside) == k else [i for i in range(cov.n_features) if i not in out]
        leaves.append(pairs(writer, next(remaining), r, min(k, len(subset)), cov.restrict(np.array(subset))))
    return {"kind": "cases", "k": k, "splits": list(proof.splits), "leaves": leaves}


def elimination(writer: Writer, proof: EliminationProof, r: int, k: int, cov: Covariance) -> Written:
    """The features kept, an attained point, and a proof for each number of features outside."""
    part = cov.restrict(proof.features)
    count = sum(len(p.cardinalities) if isinstance(p, SeriesProof) else 1 for p in proof.proofs)
    if count > 1 and count * len(proof.features) ** 2 > WRITTEN:
        raise UnsupportedProof
    cases = [write(writer, p, r, c, part) for c, p in zip(proof.cardinalities, proof.proofs, strict=True)]
    record = {"kind": "few", "k": k, "T": writer.witness(proof.features), "support": writer.witness(proof.support)}
    record |= {"loadings": writer.witness(proof.loadings), "light": proof.light, "cases": cases}
    if proof.boxes is not None:
        boxes = {"C": writer.witness(proof.boxes.features), "prices": writer.witness(proof.boxes.prices)}
        record |= {"kind": "boxed", **boxes}
    return record | _semidefinite(writer, cov)


def _semidefinite(writer: Writer, cov: Covariance) -> Written:
    """A proof of how far A is from semidefinite, which is needed if A is given as a matrix."""
    if not writer.matrix:
        return {}
    A = entries_of(cov)
    if len(A) > LARGEST:
        raise UnsupportedProof
    least = 2 * cov.n_features * EPS * cov.trace + max(0.0, -float(np.linalg.eigvalsh(A)[0]))
    return {"least": {"t": least} | writer.low_rank(least, -A)}


def eigenvalues(writer: Writer, proof: EigenvalueProof, r: int, k: int, cov: Covariance) -> Written:
    """The largest eigenvalues of A, or the equal ones of the samples' inner products if A is not held."""
    d = proof.V.shape[1] if proof.V.any() else 0
    if cov.held.factor is None:
        zero = np.zeros((cov.n_features, cov.n_features))
        return pairs(writer, PairProof(zero, zero.copy(), proof.tail, V=proof.V if d else None), r, k, cov)
    gram = cov.held.factor.gram()
    if len(gram) > LARGEST:
        raise UnsupportedProof
    V = None
    if d:
        values, vectors = np.linalg.eigh(gram)
        following = max(float(values[-d - 1]), 0.0) if len(values) > d else 0.0  # not the tail, which has room to round
        V = vectors[:, ::-1][:, :d] * np.sqrt(np.maximum(values[::-1][:d] - following, 0.0))
    return {"kind": "samples", "k": k, "t": proof.tail, "shift": 0} | writer.low_rank(proof.tail, gram, V)


def carried(writer: Writer, proof: CarriedProof, r: int, k: int, cov: Covariance) -> Written:
    """The proof for more features, unchanged; that for fewer, and their number."""
    at = write(writer, proof.proof, r, proof.k, cov)
    return at if proof.k >= k else {"kind": "fewer", "k": k, "one": at}


def each(writer: Writer, proof: EachProof, r: int, k: int, cov: Covariance) -> Written:
    """The proof about one part."""
    return {"kind": "each", "k": k, "one": write(writer, proof.proof, 1, k, cov)}


def variances(writer: Writer, proof: VariancesProof, r: int, k: int, cov: Covariance) -> Written:
    """The bound by the rk largest variances."""
    return {"kind": "variances", "k": k} | _semidefinite(writer, cov)


WRITERS: dict[type, Callable[[Writer, Any, int, int, Covariance], Written]] = {
    CarriedProof: carried,
    EachProof: each,
    EigenvalueProof: eigenvalues,
    EliminationProof: elimination,
    PairProof: pairs,
    ScaleProof: rows,
    SeriesProof: series,
    TreeProof: tree,
    VariancesProof: variances,
}
