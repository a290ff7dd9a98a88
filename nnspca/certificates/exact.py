"""Turns a certificate's proofs into what the stand-alone checkers read: a few kinds of proof, with the factors R."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg

from nnspca.certificates import exact_cover
from nnspca.certificates.proofs import (
    BranchProof,
    EachProof,
    EliminationProof,
    EntryProof,
    FanProof,
    LargerProof,
    PairProof,
    PartsProof,
    PartsTreeProof,
    PartsWorkingProof,
    RankProof,
    ScaleProof,
    SmallerProof,
    WorkingProof,
)
from nnspca.covariance import Covariance
from nnspca.covariance.forms import HeldFactor
from nnspca.result import Certificate, PartsCertificate

VERSION = 1  # of the section that the checker reads
EPS = np.finfo(float).eps
BITS = 58  # of R's largest entry: products of two, summed, are a few machine words
LARGEST = 2000  # side of the largest matrix whose factor is written
INDEFINITE = 1e-10  # of the total variance: what eigenvalues below zero by rounding may add to a sum of variances
BLOCK = 2000  # most features that may reach above a cut


class Unwritten(Exception):
    """No form of this proof is known to the checker."""


def needs_more(certificate: Certificate | PartsCertificate, cov: Covariance) -> bool:
    """Whether the proof of its ceiling is for ``check_more.py``, the checker's second file."""
    if isinstance(certificate, PartsCertificate):
        return True
    proof = certificate.winner.ingredients
    while isinstance(proof, LargerProof):
        proof = proof.proof
    if isinstance(proof, SmallerProof):
        return True
    if isinstance(proof, RankProof):  # a cover, or an eigenvalue of the samples
        return bool(proof.V.any()) or (proof.rho is None and not cov.holds_entries)
    return isinstance(proof, EliminationProof) and proof.boxes is not None


@dataclass(frozen=True, eq=False)
class Writer:
    """Writes proofs about one covariance; arrays that a file already holds are named, others are added to it."""

    nonnegative: bool
    arrays: dict[str, np.ndarray]
    named: set[str] = field(default_factory=set)  # each once: the checker uses them up

    def witness(self, array: np.ndarray) -> dict[str, str]:
        """Return the place of an array in the file."""
        for name, held in self.arrays.items():
            if held is array and name not in self.named:
                self.named.add(name)
                return {"witness": f"{name}.npy"}
        name = f"check{len(self.arrays)}"
        self.named.add(name)
        self.arrays[name] = array
        return {"witness": f"{name}.npy"}

    def proof(self, proof: object, k: int, cov: Covariance) -> dict[str, Any]:
        """Return a proof for k features of a covariance, as the checker reads it; Unwritten where it cannot."""
        if isinstance(proof, LargerProof):
            return self.proof(proof.proof, proof.k, cov)
        if isinstance(proof, SmallerProof):
            return {"kind": "fewer", "k": k, "one": self.proof(proof.proof, proof.k, cov)}
        if isinstance(proof, PairProof):
            return self._pairs(proof, k, cov)
        if isinstance(proof, EntryProof | ScaleProof):
            rows = {"kind": "pairs", "k": k, "S": [], "weights": self.witness(_weights(proof, k, cov))}
            return rows | ({"level": level} if (level := _level(proof, k, cov)) else {})
        if isinstance(proof, WorkingProof):
            outside = {"S": self.witness(proof.features), "limits": self.witness(proof.limits)}
            return self._pairs(proof.pairs, k, cov.restrict(proof.features)) | outside
        if isinstance(proof, BranchProof):
            return self._cases(proof, k, cov)
        if isinstance(proof, EliminationProof):
            return self._few(proof, k, cov)
        if isinstance(proof, RankProof):
            plain = proof.rho is None and not proof.V.any()
            return self._plain(proof, k, cov) if plain else self._cut(proof, k, cov)
        raise Unwritten

    def of_parts(self, proof: object, r: int, k: int, cov: Covariance) -> dict[str, Any]:
        """The same of a proof about r parts of k features each."""
        if isinstance(proof, LargerProof):
            return self.of_parts(proof.proof, r, proof.k, cov)
        if isinstance(proof, EachProof):
            return {"kind": "each", "k": k, "one": self.proof(proof.proof, k, cov)}
        if isinstance(proof, FanProof):
            return self._fan(proof, r, k, cov)
        if isinstance(proof, PartsProof):
            return self._joint(proof, k, cov)
        if isinstance(proof, PartsWorkingProof):
            outside = {"S": self.witness(proof.features), "limits": self.witness(proof.limits)}
            return self._joint(proof.parts, k, cov.restrict(proof.features)) | outside
        if isinstance(proof, PartsTreeProof):
            splits = [int(i * cov.n_features + j) if i >= 0 else -1 for i, j in proof.splits.tolist()]
            return {
                "kind": "groups",
                "k": k,
                "splits": splits,
                "leaves": [self._joint(p, k, cov) for p in proof.leaves],
            }
        raise Unwritten

    def _joint(self, proof: PartsProof, k: int, cov: Covariance) -> dict[str, Any]:
        """L, M and v as they are; V on the grid of R."""
        made = {"kind": "joint", "k": k, "L": self.witness(proof.L), "M": self.witness(proof.M)}
        if proof.v.any():
            made["v"] = self.witness(proof.v)
        return made | {"t": proof.tail} | self._factor(proof.tail, _entries(cov) - proof.L, proof.V)

    def _fan(self, proof: FanProof, r: int, k: int, cov: Covariance) -> dict[str, Any]:
        """The largest eigenvalues of A; of the samples' inner products, where A is not held, which are the same."""
        if not isinstance(cov.form, HeldFactor):
            zero = np.zeros((cov.n_features, cov.n_features))
            return self._joint(PartsProof(zero, zero.copy(), np.zeros(len(zero)), proof.V, proof.tail), k, cov)
        gram = cov.form.factor.gram()
        if len(gram) > LARGEST:
            raise Unwritten
        values, vectors = np.linalg.eigh(gram)
        V = vectors[:, -r:][:, 1:] * np.sqrt(np.maximum(values[-r:][1:] - proof.tail, 0.0))
        return {"kind": "samples", "k": k, "t": proof.tail} | self._factor(proof.tail, gram, V)

    def _pairs(self, proof: PairProof, k: int, cov: Covariance) -> dict[str, Any]:
        A = _entries(cov)
        tail = {"t": proof.tail} | self._factor(proof.tail, A - proof.L)
        return {"kind": "pairs", "k": k, "L": self.witness(proof.L), "M": self.witness(proof.M), **tail}

    def _cases(self, proof: BranchProof, k: int, cov: Covariance) -> dict[str, Any]:
        leaves, remaining = [], iter(proof.leaves)
        cases: list[tuple[frozenset[int], frozenset[int]]] = [(frozenset(), frozenset())]
        for feature in proof.splits:
            out, inside = cases.pop()
            if feature >= 0:
                cases += [(out, inside | {feature}), (out | {feature}, inside)]
                continue
            kept = sorted(inside) if len(inside) == k else [i for i in range(cov.n_features) if i not in out]
            leaves.append(self._pairs(next(remaining), min(k, len(kept)), cov.restrict(np.array(kept))))
        return {"kind": "cases", "k": k, "splits": list(proof.splits), "leaves": leaves}

    def _few(self, proof: EliminationProof, k: int, cov: Covariance) -> dict[str, Any]:
        part = cov.restrict(proof.features)
        cases = [self.proof(p, c, part) for c, p in zip(proof.cardinalities, proof.proofs, strict=True)]
        made = {"kind": "few", "k": k, "T": self.witness(proof.features), "support": self.witness(proof.support)}
        made |= {"loadings": self.witness(proof.loadings), "light": proof.light, "cases": cases}
        if proof.boxes is not None:
            boxes = {"C": self.witness(proof.boxes.features), "prices": self.witness(proof.boxes.prices)}
            made |= {"kind": "boxed", **boxes}
        if cov.n_samples is None:  # that it is semidefinite does not go without saying
            least = 2 * cov.n_features * EPS * cov.trace
            made["least"] = {"t": least} | self._factor(least, -_entries(cov))
        return made

    def _plain(self, proof: RankProof, k: int, cov: Covariance) -> dict[str, Any]:
        """The largest eigenvalue of A; of the samples' inner products, where A is not held, which is the same."""
        if isinstance(cov.form, HeldFactor):
            return {"kind": "samples", "k": k, "t": proof.tail} | self._factor(proof.tail, cov.form.factor.gram())
        zero = np.zeros((cov.n_features, cov.n_features))
        return self._pairs(PairProof(zero, zero.copy(), proof.tail), k, cov)

    def _cut(self, proof: RankProof, k: int, cov: Covariance) -> dict[str, Any]:
        """What lies below the cut is shared evenly: no entry of L exceeds the cut, nor need one of M."""
        kept, rho = np.arange(cov.n_features), proof.rho or 0.0
        if not cov.holds_entries:
            deviations = np.sqrt(cov.diagonal)
            kept = np.flatnonzero((deviations * deviations.max() * (1 + 1e-9) > rho) | proof.V.any(axis=1))
        if not 1 <= len(kept) <= BLOCK or (rho == 0 and len(kept) < cov.n_features):
            raise Unwritten
        part = cov.restrict(kept)
        A = _entries(part)
        M = np.full(A.shape, rho)
        np.fill_diagonal(M, 0.0)
        L = np.zeros_like(A) if proof.rho is None else np.minimum(A, rho) if self.nonnegative else np.clip(A, -rho, rho)
        whole = {}
        if len(kept) < cov.n_features:
            whole = {"S": self.witness(kept), "limits": self.witness(np.full(len(kept), rho))}
        if not proof.V.any():
            return self._pairs(PairProof(L, M, proof.tail), k, part) | whole
        made = self._joint(PartsProof(L, M, np.zeros(len(L)), proof.V[kept], proof.tail), k, part)
        held = exact_cover.written(self.arrays[_name(made["V"])], made["shift"], k, self.nonnegative, proof.inner)
        if held is None:
            raise Unwritten
        return made | {"cover": self.witness(held[0]), "points": self.witness(held[1])} | whole

    def _factor(self, t: float, B: np.ndarray, V: np.ndarray | None = None) -> dict[str, Any]:
        """R and V and their grid: whole multiples of 2^-shift, with R'R a little below tI − B + VV'."""
        n = len(B)
        if n > LARGEST:
            raise Unwritten
        live = np.zeros((n, 0)) if V is None else V[:, V.any(axis=0)]
        S = t * np.eye(n) - B + live @ live.T
        spare = n * EPS * float(np.abs(S.diagonal()).sum())
        for step in (-32, -1, 0, 1):  # with room for the rounding in A, if t leaves it; beyond, t is no ceiling
            try:
                lower = scipy.linalg.cholesky(S + step * spare * np.eye(n), lower=True)
                break
            except scipy.linalg.LinAlgError:
                continue
        else:
            raise Unwritten
        largest = max(float(np.abs(lower).max()), float(np.linalg.norm(live)))
        shift = BITS - int(np.frexp(largest)[1])
        made = {"R": self.witness(_whole(lower[np.tril_indices(n)], shift)), "shift": shift}
        return made | ({"V": self.witness(_whole(live, shift))} if live.size else {})


def _whole(values: np.ndarray, shift: int) -> np.ndarray:
    return np.rint(np.ldexp(values, shift)).astype(np.int64)


def _name(witness: dict[str, str]) -> str:
    return witness["witness"].removesuffix(".npy")


def section(
    cert: Certificate | PartsCertificate, cov: Covariance, arrays: dict[str, np.ndarray]
) -> dict[str, Any] | None:
    """Return what the checker reads beside the certificate's claims, its arrays added to ``arrays``.

    Its ``upper`` is the least ceiling whose proof can be written: the certificate's own may be
    lower. None without one.
    """
    reading = cov.reading
    if reading is None:
        return None
    for bound in sorted((bound for bound in cert.bounds if bound.deterministic), key=lambda bound: bound.value):
        added = dict(arrays)
        try:
            writer, ingredients = Writer(cert.nonnegative, added), bound.ingredients
            if isinstance(cert, PartsCertificate):
                proof = writer.of_parts(ingredients, cert.n_components, cert.k, cov)
            else:
                proof = writer.proof(ingredients, cert.k, cov)
        except Unwritten:
            continue
        arrays |= added
        told = {"version": VERSION, "reading": reading, "upper": max(bound.value, cert.upper)}
        return told | {"loadings": {"witness": "loadings.npy"}, "proof": proof}
    return None


def _entries(cov: Covariance) -> np.ndarray:
    """A, symmetric, formed where it is not held."""
    if cov.holds_entries:
        return cov.entries
    if cov.n_features > LARGEST:
        raise Unwritten
    every = np.arange(cov.n_features)
    A = cov.block(every, every)
    return (A + A.T) / 2


def _level(proof: EntryProof | ScaleProof, k: int, cov: Covariance) -> float:
    """What is proven is no less than this: rows that cannot cost more need not be read."""
    if isinstance(proof, ScaleProof):
        return proof.level
    if proof.rule == "rows":
        return 0.0
    return float(np.sort(cov.diagonal)[::-1][:k].sum()) * (1 + (k + cov.form.terms) * EPS)


def _weights(proof: EntryProof | ScaleProof, k: int, cov: Covariance) -> np.ndarray:
    """Weights that prove no more than the proof does: deviations, for the sum of the largest variances."""
    if isinstance(proof, ScaleProof):
        return proof.weights
    if proof.rule == "rows":
        return np.ones(cov.n_features)
    if k > 1 and cov.n_samples is None and cov.representation_error > INDEFINITE * cov.trace:
        raise Unwritten  # |A_ij| may be above the product of the two deviations
    deviations = np.sqrt(cov.diagonal)
    return np.maximum(deviations, 1e-9 * deviations.max())
