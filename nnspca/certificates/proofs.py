"""The types of proof: frozen ingredients from which :func:`nnspca.verify` derives the bound again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np


class Proof:
    """Ingredients of a bound; what the judge, the writers and the search must know of its type stands here."""

    of_parts: ClassVar[bool] = True  #: whether it may be about several parts
    uses_included: ClassVar[bool] = False  #: whether it is about ``include`` too; others hold without it
    for_checkers: ClassVar[bool] = True  #: whether the stand-alone checkers can check it, and there is a writer
    beyond_first: ClassVar[tuple[str, ...]] = ()  #: fields that only ``check_more.py`` reads, where they are given

    @property
    def holds_everywhere(self) -> bool:
        """Whether it bounds every direction, not only the feasible ones."""
        return False

    def needs_second_checker(self, k: int, as_data: bool) -> bool:
        """Whether only ``check_more.py`` can check it, about one component, where A is held as data or not."""
        return any(getattr(self, name) is not None for name in self.beyond_first)


@dataclass(frozen=True, eq=False)
class EigenvalueProof(Proof):
    """Ingredients of the bounds by eigenvalues: ``Σ_c x_c'Ax_c <= r·tail + ‖V‖²`` for r orthonormal x_c.

    One component has no more than its k largest entries allow along each column of V, in place of ‖V‖².
    """

    V: np.ndarray  #: (n, d); d = 0 for λ₁
    tail: float  #: claimed: ``A ⪯ tail·I + VV'``

    @property
    def holds_everywhere(self) -> bool:
        return not self.V.size  # nothing is bounded along V

    def needs_second_checker(self, k: int, as_data: bool) -> bool:
        return as_data or bool(self.V.any())


@dataclass(frozen=True, eq=False)
class ScaleProof(Proof):
    """Ingredients of the bound by balanced row sums: ``max_i [A_ii + the k−1 largest A_ij⁺ w_j / w_i, j ≠ i]``.

    With directions W of the samples, of data A = Y'Y, it is the tail t more than that of the rows of
    ``B = Y'W (tI + W'W)⁻¹ W'Y`` in place of A's.
    """

    weights: np.ndarray  #: (n,), any positive numbers w
    #: The rows prove no less: one need not be read if ``A_ij² <= A_ii A_jj`` shows that it costs no more.
    level: float = 0.0
    directions: np.ndarray | None = None  #: (m, d), W
    tail: float = 0.0  #: claimed where there are directions: ``YY' ⪯ tail·I + WW'``, tail > 0

    of_parts, beyond_first = False, ("directions",)


@dataclass(frozen=True, eq=False)
class PairProof(Proof):
    """Ingredients of the pair-scaled bound, of one component or of r parts.

    It proves ``r·tail + ‖V‖² + [the r largest g_i] + [the rk largest v_j]`` with
    ``g_i = L_ii − v_i + the k−1 largest (M_ij − v_j)⁺, j ≠ i``; without v and V for one component.
    """

    L: np.ndarray  #: (n, n), symmetric
    #: (n, n), nonnegative, zero diagonal, ``M_ij M_ji >= (L_ij⁺)²`` (``L_ij²`` without the sign constraint); not
    #: required of pairs known not to share a part
    M: np.ndarray
    tail: float  #: claimed: ``A − L ⪯ tail·I + VV'``
    v: np.ndarray | None = None  #: (n,), the features' prices: nonnegative except for features known to be in use
    V: np.ndarray | None = None  #: (n, d)
    features: np.ndarray | None = None  #: (s,), a working set S, ascending: all of the above is about its covariance
    limits: np.ndarray | None = None  #: (s,), θ > 0: ``M_ij = θ_i``, ``M_ji = (A_ij⁺)²/θ_i`` for i in S and j outside
    weights: np.ndarray | None = None  #: (n,), d > 0: ``M_ij = A_ij⁺ d_j/d_i`` for i and j outside; None for all 1

    uses_included, beyond_first = True, ("v", "V")


@dataclass(frozen=True, eq=False)
class SeriesProof(Proof):
    """One L and one M that prove a pair-scaled bound for each of several numbers of features.

    For c features, S_i is the sum of the c−1 largest M_ij of row i. With −S_i on the diagonal of L no row costs
    anything, so that the bound is ``λ_max(A − L° + diag(S))``, L° being L off its diagonal.
    """

    L: np.ndarray  #: as in :class:`PairProof`, with a zero diagonal
    M: np.ndarray  #: as in :class:`PairProof`
    cardinalities: tuple[int, ...]  #: each c, falling
    tails: tuple[float, ...]  #: claimed for each c: that eigenvalue is at most this

    of_parts = False

    def pairs(self, place: int) -> PairProof:
        """Return the proof for the cardinality at a place, as L and M of its own."""
        count = self.cardinalities[place] - 1
        L = self.L.copy()
        np.fill_diagonal(L, -np.sort(self.M, axis=1)[:, ::-1][:, :count].sum(axis=1))
        return PairProof(L, self.M, self.tails[place])


@dataclass(frozen=True, eq=False)
class TreeProof(Proof):
    """Ingredients of the bound by branch and bound: a tree of cases, and a pair-scaled proof for each leaf."""

    #: Preorder of the tree. Numbers are the features that a node is split at ("without" first, then "with"), −1 for a
    #: leaf. Rows, (nodes, 2), are pairs of features ("they share no part" first, then "they share one"), (−1, −1) for a
    #: leaf; the second child is omitted if its part would have more than k features.
    splits: tuple[int, ...] | np.ndarray
    #: One for each leaf, in that order. Of a tree of features, it is about the features that the leaf does not exclude,
    #: or the k included ones if there are k.
    leaves: tuple[PairProof, ...]

    uses_included = True

    def needs_second_checker(self, k: int, as_data: bool) -> bool:
        return type(self.splits) is not tuple


@dataclass(frozen=True, eq=False)
class BoxProof:
    """Ingredients of joint bounds on masses: each mass is limited by those of its companions.

    Initially the mass of feature i is at most A_ii divided by the attained variance. Let ``r_j`` be the square root of
    the current bound on the mass of j, and λ the price of row i. In each stage, in units of the attained variance:
    ``c x_i + λ x_i²/2 <= λ/2 + Φ``, where c = 1 − A_ii and Φ is the sum of the k−1 largest
    ``max over 0 <= x <= r_j of A_ij⁺ x − λ x²/2``.
    """

    features: np.ndarray  #: (c,), more than k, ascending. For companions outside, only A_ij <= √(A_ii A_jj) is used
    prices: np.ndarray  #: (stages, c), λ, any positive numbers


@dataclass(frozen=True, eq=False)
class EliminationProof(Proof):
    """Ingredients of the elimination by masses: bounds on a set T of features that extend to all.

    With q features outside T, whose masses (upper bounds on x_i², ‖x‖ = 1) sum to at most ε_q, the upper bound is
    ``U / (1 − ε_q)``, where U is the least bound proven on T for k − q or more features. The masses follow from A and
    from the variance that the loadings attain, and are not among the ingredients.
    """

    features: np.ndarray  #: (t,), T, ascending
    support: np.ndarray  #: (s,), features of a feasible point, ascending
    loadings: np.ndarray  #: (s,): the optimum is at least the variance they attain
    cardinalities: tuple[int, ...]  #: for how many features each proof holds; of a series, the first
    proofs: tuple[object, ...]  #: on the covariance of T; of pairs, a series, a tree or rows
    light: float  #: if a feature's variance alone bounds its mass by at most this value, its row is not read
    boxes: BoxProof | None = None  #: smaller masses of the features of largest variance, whose rows are not read again

    of_parts, beyond_first = False, ("boxes",)


@dataclass(frozen=True, eq=False)
class CarriedProof(Proof):
    """Ingredients of a bound carried from another k.

    A bound for more features holds for fewer. From k to k' > k features, the optimum of one component minus d grows
    at most by the factor ``(k' − 1)/(k − 1)``, where d is the least variance of a feature whose row of A is not zero.
    """

    k: int  #: 2 or more, if it is below the certificate's k
    proof: object  #: proves the value for that k; itself not carried

    of_parts = False

    def needs_second_checker(self, k: int, as_data: bool) -> bool:
        return self.k < k or (isinstance(self.proof, Proof) and self.proof.needs_second_checker(self.k, as_data))


@dataclass(frozen=True, eq=False)
class EachProof(Proof):
    """Ingredients of the bound on r parts that is r times a bound on one part, which ``proof`` proves."""

    proof: object

    beyond_first = ("proof",)


@dataclass(frozen=True, eq=False)
class VariancesProof(Proof):
    """The bound by the rk largest variances A_ii; it needs no ingredients."""

    def needs_second_checker(self, k: int, as_data: bool) -> bool:
        return True
