"""The types of proof: frozen ingredients from which :func:`nnspca.verify` derives the bound again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class EigenvalueProof:
    """Ingredients of the bounds by eigenvalues: ``Σ_c x_c'Ax_c <= r·tail + ‖V‖²`` for r orthonormal x_c.

    One component has no more than its k largest entries allow along each column of V, in place of ‖V‖².

    Attributes
    ----------
    V : ndarray, shape (n, d)
        d = 0 for λ₁.
    tail : float
        Claimed: ``A ⪯ tail·I + VV'``.
    """

    V: np.ndarray
    tail: float


@dataclass(frozen=True, eq=False)
class ScaleProof:
    """Ingredients of the bound by balanced row sums.

    Attributes
    ----------
    weights : ndarray, shape (n,)
        Any positive numbers prove
        ``max_i [A_ii + the k−1 largest A_ij⁺ weights_j / weights_i, j ≠ i]``.
    level : float
        The proven value is no less than this, so a row need not be read if ``A_ij² <= A_ii A_jj``
        shows that it costs no more.
    """

    weights: np.ndarray
    level: float = 0.0


@dataclass(frozen=True, eq=False)
class PairProof:
    """Ingredients of the pair-scaled bound, of one component or of r parts.

    It proves ``r·tail + ‖V‖² + [the r largest g_i] + [the rk largest v_j]`` with
    ``g_i = L_ii − v_i + the k−1 largest (M_ij − v_j)⁺, j ≠ i``; without v and V for one component.

    Attributes
    ----------
    L : ndarray, shape (n, n)
        Symmetric.
    M : ndarray, shape (n, n)
        Nonnegative, zero diagonal, ``M_ij M_ji >= (L_ij⁺)²`` (``L_ij²`` without the sign
        constraint); not required of pairs known not to share a part.
    tail : float
        Claimed: ``A − L ⪯ tail·I + VV'``.
    v : ndarray, shape (n,), optional
        The features' prices: nonnegative except for features known to be in use.
    V : ndarray, shape (n, d), optional
    features : ndarray of int, shape (s,), optional
        A working set S, ascending: all of the above is about its covariance.
    limits : ndarray, shape (s,), optional
        θ > 0: ``M_ij = θ_i`` and ``M_ji = (A_ij⁺)²/θ_i`` for i in S and j outside.
    """

    L: np.ndarray
    M: np.ndarray
    tail: float
    v: np.ndarray | None = None
    V: np.ndarray | None = None
    features: np.ndarray | None = None
    limits: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class SeriesProof:
    """One L and one M that prove a pair-scaled bound for each of several numbers of features.

    For c features, S_i is the sum of the c−1 largest M_ij of row i. With −S_i on the diagonal of L no row costs
    anything, so that the bound is ``λ_max(A − L° + diag(S))``, L° being L off its diagonal.

    Attributes
    ----------
    L, M : ndarray, shape (n, n)
        As in :class:`PairProof`; L has a zero diagonal.
    cardinalities : tuple of int
        Each c, falling.
    tails : tuple of float
        Claimed for each c: that eigenvalue is at most this.
    """

    L: np.ndarray
    M: np.ndarray
    cardinalities: tuple[int, ...]
    tails: tuple[float, ...]

    def pairs(self, place: int) -> PairProof:
        """Return the proof for the cardinality at a place, as L and M of its own."""
        count = self.cardinalities[place] - 1
        L = self.L.copy()
        np.fill_diagonal(L, -np.sort(self.M, axis=1)[:, ::-1][:, :count].sum(axis=1))
        return PairProof(L, self.M, self.tails[place])


@dataclass(frozen=True, eq=False)
class TreeProof:
    """Ingredients of the bound by branch and bound: a tree of cases, and a pair-scaled proof for each leaf.

    Attributes
    ----------
    splits : tuple of int, or ndarray of int of shape (nodes, 2)
        Preorder of the tree. Numbers are the features that a node is split at ("without" first, then "with"), −1 for
        a leaf. Rows are pairs of features ("they share no part" first, then "they share one"), (−1, −1) for a leaf;
        the second child is omitted if its part would have more than k features.
    leaves : tuple of PairProof
        One for each leaf, in that order. Of a tree of features, it is about the features that the leaf does not
        exclude, or the k included ones if there are k.
    """

    splits: tuple[int, ...] | np.ndarray
    leaves: tuple[PairProof, ...]


@dataclass(frozen=True, eq=False)
class BoxProof:
    """Ingredients of joint bounds on masses: each mass is limited by those of its companions.

    Initially the mass of feature i is at most A_ii divided by the attained variance. Let ``r_j`` be the
    square root of the current bound on the mass of j, and λ the price of row i. In each stage, in units
    of the attained variance:
    ``c x_i + λ x_i²/2 <= λ/2 + Φ``, where c = 1 − A_ii and Φ is the sum of the k−1 largest
    ``max over 0 <= x <= r_j of A_ij⁺ x − λ x²/2``.

    Attributes
    ----------
    features : ndarray of int, shape (c,)
        More than k features, ascending. For companions outside, only A_ij <= √(A_ii A_jj) is used.
    prices : ndarray, shape (stages, c)
        λ, any positive numbers.
    """

    features: np.ndarray
    prices: np.ndarray


@dataclass(frozen=True, eq=False)
class EliminationProof:
    """Ingredients of the elimination by masses: bounds on a set T of features that extend to all.

    With q features outside T, whose masses (upper bounds on x_i², ‖x‖ = 1) sum to at most ε_q, the upper
    bound is ``U / (1 − ε_q)``, where U is the least bound proven on T for k − q or more
    features. The masses follow from A and from the variance that the loadings attain, and are not among
    the ingredients.

    Attributes
    ----------
    features : ndarray of int, shape (t,)
        T, ascending.
    support : ndarray of int, shape (s,)
        Features of a feasible point, ascending.
    loadings : ndarray, shape (s,)
        Its loadings: the optimum is at least the variance they attain.
    cardinalities : tuple of int
        For how many features each proof holds.
    proofs : tuple of PairProof, SeriesProof, TreeProof or ScaleProof
        On the covariance of T. A series holds for each of its own cardinalities, of which the first stands above.
    light : float
        If a feature's variance alone bounds its mass by at most this value, its row is not read.
    boxes : BoxProof, optional
        Smaller masses of the features of largest variance, whose rows need not be read again.
    """

    features: np.ndarray
    support: np.ndarray
    loadings: np.ndarray
    cardinalities: tuple[int, ...]
    proofs: tuple[object, ...]
    light: float
    boxes: BoxProof | None = None


@dataclass(frozen=True, eq=False)
class CarriedProof:
    """Ingredients of a bound carried from another k.

    A bound for more features holds for fewer. From k to k' > k features, the optimum of one component minus d grows
    at most by the factor ``(k' − 1)/(k − 1)``, where d is the least variance of a feature whose row of A is not zero.

    Attributes
    ----------
    k : int
        2 or more, if it is below the certificate's k.
    proof : object
        Proves the value for that k; itself not carried.
    """

    k: int
    proof: object


@dataclass(frozen=True, eq=False)
class EachProof:
    """Ingredients of the bound on r parts that is r times a bound on one part, which ``proof`` proves."""

    proof: object


@dataclass(frozen=True, eq=False)
class VariancesProof:
    """The bound by the rk largest variances A_ii; it needs no ingredients."""
