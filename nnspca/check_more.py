"""Checks the certificates that check.py cannot: several parts, joint masses, eigenvalues of the samples.

    python check_more.py certificate.npz data.npy [BILLIONS of products at most; default 20, fifteen minutes]

It needs check.py beside it, and nothing but Python's standard library: the same exact arithmetic, more kinds of proof.
"""

import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from heapq import nlargest
from math import isqrt
from operator import mul
from typing import Any

try:
    from . import check  # type: ignore[attr-defined,unused-ignore]
except ImportError:  # run as a file of its own
    import check  # type: ignore[no-redef]

Matrix, need, shown = check.Matrix, check.need, check.shown
WIDEST = 2400  # largest number of features whose covariances are all stored


def dot(v: Any, w: Any) -> int:
    """Return an inner product."""
    return sum(map(mul, v, w))


def leaves(splits: Any, nodes: list[Any], sides: Any, proofs: Any) -> Iterator[Any]:
    """Yield each leaf of trees in preorder, with its proof; ``sides`` divides a node into cases that cover it."""
    proofs = iter(proofs)
    for split in splits:
        node = nodes.pop()
        if split < 0:
            yield node, next(proofs)
        else:
            nodes += sides(node, split)
    need(not nodes, "a tree of cases ends too early")


def low_rank(p: Any, n: int) -> Any:
    """Return V, one row of integers per feature, in units of 2^-shift; without columns if the proof has no V."""
    V, shift = p.get("V", [()] * n), p["shift"]
    need(len(V) == n and len({*map(len, V)}) == 1 and {type(a) for v in V for a in v} <= {int}, "V does not fit")
    need(type(shift) is int and abs(shift) < 5000, "the grid of V does not fit")
    return V


def tail(rows: Any, over: int, p: Any) -> Fraction:
    """Return a bound on λ_max(rows / over − VV')."""
    V = low_rank(p, len(rows))
    up, down = 4 ** max(p["shift"], 0), 4 ** max(-p["shift"], 0) * over
    remainder = [[up * a - down * dot(v, w) for a, w in zip(r, V, strict=True)] for r, v in zip(rows, V, strict=True)]
    return check.eigenvalue(remainder, over * up, p)


class Checker(check.Checker):
    """Derives bounds on r parts as well: unit vectors of disjoint supports."""

    def __init__(self, nonnegative: bool, say: Any, r: int = 1) -> None:
        super().__init__(nonnegative, say)
        self.r, self.further_kinds = r, {"boxed": partial(self.few, joint=self.boxes), "fewer": self.fewer}
        self.further_kinds |= {"variances": self.variances, "shrunk": self.shrunk}

    def upper_bound(self, p: Any, k: int, A: Any, inside: Any = ()) -> Fraction:
        """Return the bound that a proof gives for r parts of at most k features; if r = 1, ``inside`` are in it."""
        kind = p["kind"]
        if kind not in ("joint", "groups", "each", "samples", "variances"):
            need(self.r == 1, f"a proof by {kind!r:.99} holds for one part only", 2)
            return super().upper_bound(p, k, A, inside)
        need(type(p["k"]) is int and k <= p["k"] <= A.n, f"a proof is for {p['k']!r:.20} features, not for {k}")
        if kind == "joint":
            return self.joint(p, p["k"], A, [{*inside} - {i} for i in range(A.n)] if inside else None)
        if kind == "groups":
            return self.groups(p, p["k"], A)
        if kind == "variances":
            return self.variances(p, p["k"], A)
        if kind == "samples":
            gram = Matrix(A.over, None, list(zip(*A.columns, strict=True)))
            tail_bound = max(tail(gram.rows, A.over, p), Fraction(0))
            W, most = low_rank(p, gram.n), self.r * tail_bound + norm(p, gram.n)
            if self.r == len(W[0]) == 1:  # then Y'Y <= tI + vv', where v = Y'w / (t + w'w)^½
                (w,) = zip(*W, strict=True)
                unit = tail_bound * Fraction(4) ** p["shift"] + dot(w, w)
                along = self.along([(dot(c, w),) for c in A.columns], p["k"])
                most = min(most, tail_bound + along / (A.over * unit)) if unit else most
            why = f"YY' <= tI + VV', t <= {shown(tail_bound)}"
            return self._found(most, "A = Y'Y and YY' have the same λ", why)
        one = Checker(self.nonnegative, self.say)
        most = self.r * one.upper_bound(p["one"], p["k"], A)
        return self._found(most, one.why[0], f"{one.why[1]}; {self.r} parts have at most {self.r} times as much")

    def along(self, V: Any, k: int) -> int:
        """Return at least ‖V'x‖² for a unit x of k features: the sum of what each column allows by itself."""
        signs = (1, -1) if self.nonnegative else (1,)
        return sum(
            max(sum(nlargest(k, (self._part(s * v) ** 2 for v in column))) for s in signs)
            for column in zip(*V, strict=True)
        )

    def fewer(self, p: Any, k: int, A: Any, inside: Any) -> Fraction:
        """Return d + (U − d)(k − 1)/(q − 1), where d is the least A_ii over nonzero rows and U a bound for q.

        Any set S of q features of x has x_S'Ax_S <= U ‖x_S‖². Averaged over all S, a share q/k of each x_i² remains,
        and (q − 1)/(k − 1) of that share of each x_i x_j. Features with a zero row can be left out of an optimum.
        """
        q = p["one"]["k"]
        need(type(q) is int and 2 <= q <= k and not inside, f"no bound on {k} follows from one on {q!r:.20} features")
        d = Fraction(min(v for i, v in enumerate(A.diagonal) if v or any(A._row(i))), A.over)
        U = self.upper_bound(p["one"], q, A)
        most = max(U, d + (U - d) * Fraction(k - 1, q - 1))
        why = f"so U = {shown(U)} for {q} features, d + (U − d)(k − 1)/({q} − 1) for k, d = min A_ii"
        return self._found(most, self.why[0], why)

    def shrunk(self, p: Any, k: int, A: Any, inside: Any) -> Fraction:
        """Return t + a bound for B = Y'W D⁻¹ W'Y, where YY' <= tI + WW' and D is a diagonal matrix below tI + W'W.

        Y'Y <= tI + Y'W (tI + W'W)⁻¹ W'Y then; D has its diagonal entries less the magnitudes of all others of the row.
        """
        need(A.columns is not None and not inside, "directions of samples are about data")
        gram = Matrix(A.over, None, list(zip(*A.columns, strict=True)))
        need(gram.rows is not None, f"at most {check.READ} samples are checked", 2)
        t, W = tail(gram.rows, A.over, p), [*zip(*low_rank(p, gram.n), strict=True)]
        need(t > 0, "the tail beside directions is not positive")
        check.pay(len(W) * (len(W) + A.n) * gram.n, 64)
        least = [t * Fraction(4) ** p["shift"] + 2 * dot(w, w) - sum(abs(dot(w, v)) for v in W) for w in W]
        need(min(least, default=0) > 0, "the directions are too far from orthogonal")
        half = 64 + int(max(least)).bit_length() // 2
        roots = [isqrt(int((1 << 2 * half) / d) + 1) + 1 for d in least]
        B = [[root * dot(w, y) for root, w in zip(roots, W, strict=True)] for y in A.columns]
        most = t + self.upper_bound(p["one"], k, Matrix(A.over << 2 * half, None, B))
        return self._found(most, f"YY' <= tI + WW', t <= {shown(t)}: x'Ax <= t + x'Bx", self.why[1])

    def variances(self, p: Any, k: int, A: Any, inside: Any = ()) -> Fraction:
        """Return the sum of the rk largest A_ii: for a semidefinite A, x'Ax is at most its trace on the support of x.

        If only A + low I is semidefinite, its trace on the support is larger by low per feature, and the variance of
        each unit vector is larger by low. There is at least one vector, so low × (features − 1) is added.
        """
        low = Fraction(0)
        if not A.columns:
            low = max(check.eigenvalue([[-v for v in row] for row in A.rows], A.over, p["least"]), low)
        largest = nlargest(self.r * k, A.diagonal)
        most = Fraction(sum(largest), A.over) + low * max(len(largest) - 1, 0)
        why = f"at most {len(largest)} features are used; the largest A_ii sum to <= {shown(most)}"
        return self._found(most, "A is semidefinite, so x'Ax is at most its trace on the support of x", why)

    def boxes(self, p: Any, k: int, A: Any, best: Fraction, own: Any) -> dict[int, Fraction]:
        """Return upper bounds on the masses x_i² of the features C, given bounds on all masses; A in units of ``best``.

        For any λ > 0, (1 − A_ii) x_i + λ x_i²/2 <= λ/2 + the k − 1 largest of max over 0 <= x <= r_j of A_ij x − λ x²/2
        where r_j² bounds the mass of j; for j outside C, A_ij <= √(A_ii A_jj) is used. All are integers times 2^-64.
        """
        C, attained, one = p["C"], best * A.over, 1 << 64
        need(2 <= k < len(C) <= WIDEST, f"C has {len(C)} features; more than k = {k} and at most {WIDEST} are needed")
        check.pay(len(C) ** 2 * 20 * (1 + len(p["prices"])))
        B, chosen = A.restricted(C), {*C}
        over, under = one * attained.denominator, attained.numerator
        rows = [
            [-(-self._part(v) * over // under) if j != i else 0 for j, v in enumerate(B._row(i))] for i in range(B.n)
        ]
        alone = [-(-own[j].numerator * one // own[j].denominator) for j in C]
        s, mass = [isqrt(v << 64) + 1 for v in alone], [min(v, one) for v in alone]
        largest_outside = int(max((v for j, v in own.items() if j not in chosen), default=Fraction(0)) * one) + 1
        for stage in p["prices"]:
            root = [isqrt(v << 64) + 1 for v in mass]
            for i, row in enumerate(rows):
                price, room = int(Fraction(float(stage[i])) * one), one - alone[i]
                need(price > 0, "a price is not positive")
                if room <= 0:
                    continue
                gains = [
                    (a * r - (price * r * r >> 65) if a << 64 >= price * r else (a * a << 63) // price) + 1
                    for a, r in zip(row, root, strict=True)
                ]
                most = (price << 63) + sum(nlargest(k - 1, (max(f, s[i] * largest_outside) for f in gains)))
                x = 2 * most // (room + isqrt(room * room + (2 * price * most >> 64))) + 1
                mass[i] = min(mass[i], (x * x >> 64) + 1)
        return {j: Fraction(v, one) for j, v in zip(C, mass, strict=True)}

    def joint(self, p: Any, k: int, A: Any, same: Any = None, apart: Any = None) -> Fraction:
        """Return r λ_max(A − L − VV') + ‖V‖² + [the r largest g_i] + [the rk largest v_j].

        g_i = L_ii − v_i + the k − 1 largest (M_ij − v_j)⁺, including all j that are known to be in the part of i.
        Outside S, L is A, and v is zero.
        """
        S = p.get("S", range(A.n))
        n, limits, prices = len(S), p.get("limits", [0] * len(S)), p.get("v", [0] * len(S))
        same, apart = same or [set()] * n, apart or [set()] * n
        used = set().union(*same)
        need(
            n > 0 and (n == A.n or not (used or any(apart))),
            "known features are allowed only in a proof on all features",
        )
        B, (L, M, fine, (theta, v)) = A.restricted(S), self.halves(p, k, n, [limits, prices], apart)
        need(min(theta) >= 0, "a limit is negative")
        need(all(price >= 0 or j in used for j, price in enumerate(v)), "a price is negative")
        rest = [[(a << fine) - B.over * L[i][j] for j, a in enumerate(row)] for i, row in enumerate(B.rows)]
        t, costs = tail(rest, B.over << fine, p), []
        top = norm(p, n) if self.r > 1 else self.along(low_rank(p, n), k) / Fraction(4) ** p["shift"]
        for i, row in enumerate(M):
            sure = [row[j] - v[j] for j in same[i]]
            candidates = [j for j in range(n) if j != i and j not in same[i] and j not in apart[i]]
            others = [max(row[j] - v[j], 0) for j in candidates] + [theta[i]] * (k - 1)
            shares = sum(sure) + sum(nlargest(max(k - 1 - len(sure), 0), others)) - v[i]
            costs.append(Fraction(L[i][i] + shares, 1 << fine))
        free = nlargest(max(self.r * k - len(used), 0), (v[j] for j in range(n) if j not in used))
        price_total = Fraction(sum(v[j] for j in used) + sum(free), 1 << fine)
        products = "2 L_ij x_i x_j <= M_ij x_i² + M_ji x_j², as M_ij M_ji >= L_ij²"
        first = f"tI − A + L + VV' = RR' + remainder: λ_max(A − L − VV') <= {shown(t)}; ‖V'x‖² <= {shown(top)}"
        if n < A.n:
            limit_of = dict(zip(S, map(Fraction, limits), strict=True))
            self.why = (first, products)
            level = t + nlargest(self.r, costs)[-1]
            level = self.outside(p, k, A, limit_of, {j: Fraction(v[i], 1 << fine) for i, j in enumerate(S)}, level)
            costs += [level - t] * self.r  # up to r rows outside S may be among the r largest
        most = self.r * t + top + sum(nlargest(self.r, costs)) + price_total
        return self._found(most, first, f"{products}: the {self.r} largest L_ii − v_i + the {k - 1} largest M_ij − v_j")

    def groups(self, p: Any, k: int, A: Any) -> Fraction:
        """Return the largest bound over cases that cover all choices of parts: two features share a part, or do not."""

        def sides(node: Any, pair: int) -> list[Any]:
            (group, apart), (i, j) = node, divmod(pair, A.n)
            need(j not in group[i] | apart[i], "a pair that is already decided is split again")
            check.pay(A.n * A.n)
            both = group[i] | group[j]
            far = frozenset().union(*(apart[f] for f in both))
            apart_if_split = [a | (both - group[f]) if f in both else a for f, a in enumerate(apart)]
            apart_if_joined = [far if f in both else a | both if f in far else a for f, a in enumerate(apart)]
            groups_if_joined = [both if f in both else g for f, g in enumerate(group)]
            return [(groups_if_joined, apart_if_joined)] * (len(both) <= k) + [(group, apart_if_split)]

        start = [frozenset({i}) for i in range(A.n)], [frozenset[int]()] * A.n
        tree, most = leaves(p["splits"], [start], sides, p["leaves"]), Fraction(0)
        for (group, apart), leaf in tree:
            most = max(most, self.joint(leaf, k, A, [g - {i} for i, g in enumerate(group)], apart))
        return self._found(most, f"{len(p['leaves'])} cases cover all choices", f"none has more than {shown(most)}")


def norm(p: Any, n: int) -> Fraction:
    """Return ‖V‖², an upper bound on Σ ‖V'x‖² over orthonormal vectors x."""
    return sum(dot(v, v) for v in low_rank(p, n)) / Fraction(4) ** p["shift"]


if __name__ == "__main__":
    sys.exit(check.main(sys.argv[1:], Checker))
