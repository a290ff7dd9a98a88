"""Branch and bound: over features, "without i" or "with i"; of several parts over pairs, "they share a part" or not.

Each case is bounded by the pair-scaled dual, or the joint one. The optimum is at most the largest bound over the leaves
of the tree, whatever the tree, so the search may stop at any time (docs/mathematics/branch.md and parts.md). It opens
the leaf of largest bound; children start at their parent's multipliers. A leaf without a feature that belongs in the
support is closed almost at once (it is then known to be in every optimal one), one with a feature that does not belong
there as well (it is then screened off): both kinds of safe screening are the two sides of a split.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nnspca.bounds import eigenvalues
from nnspca.bounds.pair_scaled import CHECK, bound_of, proof_of, run_in_thread
from nnspca.bounds.plan import is_stalling, step_seconds
from nnspca.bounds.splitting import AGAIN, Splitting
from nnspca.certificates.proofs import PairProof, TreeProof
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible, rounding
from nnspca.result import Bound

NODE_STEPS = 60  # most steps of the splitting of a node. Half, double: 0 on LRS, k = 20 and 60, and on digits, k = 20.
# Nodes that the work should suffice for, else each takes half as many steps. Half: −.0031 on 68 × 68 correlations of
# any sign, k = 20; at 50: −.0002 on LFW, k = 20.
NODES = 20

# of prices and memory, measured
NODE_STEP = 3.0  # time of a step of a node, its share of the bounds included, relative to that of any step
TREE_ENTRIES = 1.2e7  # most numbers in the proofs of a tree, and of all splittings of an elimination

Proven = tuple[float, PairProof]


@dataclass(order=True)
class Node:
    """A node of the tree; ordered by bound, the largest first."""

    key: tuple[float, int]
    case: Any = field(compare=False)  # what is decided in it
    proof: PairProof | None = field(compare=False)  # a leaf's
    splitting: Splitting | None = field(compare=False)
    split: int | tuple[int, int] | None = field(compare=False, default=None)
    sides: tuple[Node, ...] = field(compare=False, default=())

    @property
    def value(self) -> float:
        """The upper bound on all that this node allows."""
        return -self.key[0]

    @property
    def entries(self) -> int:
        """The number of entries in the proof of a leaf."""
        return 0 if self.proof is None else self.proof.L.size + self.proof.M.size


def branch_and_bound(
    problem: Problem,
    X: np.ndarray,
    *,
    goal: float,
    monitor: Monitor,
    consider: Callable[[np.ndarray], None] = lambda likely: None,
    entries: float = TREE_ENTRIES,
    start: PairProof | None = None,
) -> Iterator[Bound]:
    """Yield decreasing bounds as the tree grows, until the goal is met or the budget is spent.

    X are the best parts known, shape (n,) or (r, n); ``monitor.search`` may be shared with other searches. Where a node
    suggests that something better lies, ``consider`` is called: with a support of at most k features, or with r
    approximate parts. The proof holds at most so many ``entries``. The tree begins at ``start``, what was proven of the
    whole.
    """
    X = np.atleast_2d(X)
    kind: type[_OfFeatures | _OfPairs] = _OfFeatures if len(X) == 1 else _OfPairs
    few = monitor.search.left < NODES * NODE_STEPS * step_seconds(problem.n, len(X))
    tree = kind(problem, X, goal, monitor, NODE_STEPS // 2 if few and len(X) == 1 else NODE_STEPS)
    root = tree.root(start)
    open_nodes, leaves, held, least = [root], 1, root.entries, np.inf
    while open_nodes:
        worst = open_nodes[0].value
        if worst < least and leaves > 1:
            least = worst
            yield tree.bound(root, leaves)
        elif leaves == 1 and worst <= goal and root.proof is not None:  # more steps on the whole were enough
            yield bound_of(worst, root.proof, len(X), 0 if root.splitting is None else root.splitting.steps)
        if worst <= goal or monitor.search.left <= 0 or held >= entries or monitor.stop():
            return
        node = heapq.heappop(open_nodes)
        split = tree.undecided(node)
        if split is None:
            return  # all is decided: no split can lower its bound
        sides = tree.sides(node, split)
        held += sum(side.entries for side in sides) - node.entries
        node.split, node.sides, node.splitting, node.proof = tree.named(node, split), sides, None, None
        leaves += len(sides) - 1
        for side in sides:
            heapq.heappush(open_nodes, side)
            if side.value > goal:
                consider(tree.likely(side))
            else:
                side.splitting = None  # it is never opened


@dataclass
class _Tree:
    """What all nodes of one tree share."""

    problem: Problem
    X: np.ndarray
    goal: float
    monitor: Monitor
    steps: int = NODE_STEPS  # most steps of a node
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def improved(
        self,
        splitting: Splitting,
        part: Problem,
        best: Proven | None,
        *,
        whole: bool,
        same: np.ndarray,
        apart: np.ndarray | None = None,
    ) -> Proven:
        """Take the steps of a node; stop at the goal, or if the gain is too small to reach it."""
        r = splitting.r
        past = [] if best is None else [best[0]]
        for step in range(1, self.steps + 1):
            run_in_thread(splitting.advance, part.n, self.monitor, r)
            self.monitor.pay((NODE_STEP - 1) * step_seconds(part.n, r))
            self.monitor.search.pay(step_seconds(part.n, r))
            last = step == self.steps or self.monitor.stop()
            if step % CHECK and not last:
                continue
            proven = proof_of(part, *splitting.multipliers(), r=r, same=same, apart=apart, monitor=self.monitor)
            best = proven if best is None or proven[0] < best[0] else best
            past.append(best[0])
            if (
                best[0] <= self.goal
                or last
                or is_stalling(past, self.goal)
                or (self.monitor.search.left <= 0 and not whole)
            ):
                break
        assert best is not None  # the last step makes one
        return best

    def preorder(self, root: Node, leaf: Any) -> tuple[list[Any], tuple[PairProof, ...], float]:
        """The splits, the proofs of the leaves and the largest of their bounds."""
        splits, proofs, most, stack = [], [], -np.inf, [root]
        while stack:
            node = stack.pop()
            splits.append(leaf if node.split is None else node.split)
            if node.proof is not None:
                proofs.append(node.proof)
                most = max(most, node.value)
            stack += node.sides[::-1]
        return splits, tuple(proofs), most


class _OfFeatures(_Tree):
    """Cases of one component: the features that are not left out, ascending, and which of them must be in.

    A node is split at the feature that carries most weight for how sure the relaxation is of its place. (Ranking by
    doubt alone wastes half of the splits: a quarter more leaves.)
    """

    def root(self, start: PairProof | None) -> Node:
        return self._node(np.arange(self.problem.n), self.problem.included, start=start)

    def sides(self, parent: Node, split: Any) -> tuple[Node, ...]:
        features, inside = parent.case
        known = inside.copy()
        known[split] = True
        without = self._node(np.delete(features, split), np.delete(inside, split), parent)
        return without, self._node(features, known, parent)

    def named(self, node: Node, split: Any) -> int:
        return int(node.case[0][split])

    def _node(
        self,
        features: np.ndarray,
        inside: np.ndarray,
        parent: Node | None = None,
        start: PairProof | None = None,
    ) -> Node:
        """Bound one node, from its parent's multipliers or from those that prove a bound on the whole."""
        if inside.sum() >= self.problem.k:  # no place is left: the support is known
            features, inside = features[inside], np.ones(self.problem.k, dtype=bool)
        part = self.problem.restrict(features)
        if inside.sum() == part.k:
            value, known = _of_known_support(part.cov)
            return Node((-value, next(self.numbers)), (features, inside), known, None)
        begin = lambda: self._splitting(part, features, inside, parent)  # noqa: E731
        splitting = run_in_thread(begin, len(features), self.monitor)
        first: Proven | None = None
        if parent is not None and parent.proof is not None:  # its best proof holds here as well
            places = np.searchsorted(parent.case[0], features)
            block = np.ix_(places, places)
            L, M = parent.proof.L[block], parent.proof.M[block]
            first = proof_of(part, L, M, same=inside, monitor=self.monitor)
        elif start is not None:
            splitting.begin_at(start, AGAIN)
            first = proof_of(part, start.L, start.M, same=inside, monitor=self.monitor)
        value, proof = self.improved(splitting, part, first, whole=parent is None, same=inside)
        return Node((-value, next(self.numbers)), (features, inside), proof, splitting)

    def _splitting(self, part: Problem, features: np.ndarray, inside: np.ndarray, parent: Node | None) -> Splitting:
        """The splitting of a node, started at the state of its parent's."""
        x = self.X[0, features]
        splitting = Splitting(part, feasible.unit(x if x.any() else np.ones(len(features))), inside)
        if parent is not None and parent.splitting is not None:
            splitting.follow(parent.splitting, np.searchsorted(parent.case[0], features), whole=True)
        return splitting

    def undecided(self, node: Node) -> int | None:
        splitting, (features, inside) = node.splitting, node.case
        if splitting is None or len(features) == 1:
            return None
        member = np.clip(splitting.Y.sum(axis=0) + splitting.z, 0.0, 1.0)
        doubt = np.where(inside, -1.0, np.minimum(member, 1 - member) * np.maximum(splitting.z, 0.0))
        if doubt.max() <= 0:
            doubt = np.where(inside, -1.0, member)
        return int(doubt.argmax()) if doubt.max() >= 0 else None

    def likely(self, node: Node) -> np.ndarray:
        """The k features that the relaxation most clearly places in the support."""
        features, inside = node.case
        if node.splitting is None:
            return features
        member = np.where(inside, np.inf, node.splitting.Y.sum(axis=0) + node.splitting.z)
        return np.sort(features[np.argsort(-member, kind="stable")[: self.problem.k]])

    def bound(self, root: Node, leaves: int) -> Bound:
        splits, proofs, most = self.preorder(root, -1)
        detail = (
            f"All choices of {self.problem.k} features are split into {leaves} cases, by features that are in or out; "
            "no case has more variance than this."
        )
        return Bound("branch", most, detail=detail, ingredients=TreeProof(tuple(splits), proofs))


def tree_of_cases(problem: Problem, X: np.ndarray, goal: float, monitor: Monitor) -> _OfFeatures:
    """Return the tree of one component for a caller that opens its nodes as long as it likes, in any order."""
    return _OfFeatures(problem, X, goal, monitor)


def _of_known_support(part: Covariance) -> tuple[float, PairProof]:
    """The bound for a known support: an eigenvalue."""
    nothing = np.zeros_like(part.held.entries)
    tail = eigenvalues.of_matrix(part.held.entries, part.held.room())
    return rounding.total(tail, np.zeros(1)), PairProof(nothing, nothing, tail)


@dataclass(frozen=True, eq=False)
class Decided:
    """Decided pairs, both relations closed: features that share a part with i are apart from all that i is."""

    same: np.ndarray  #: Shape (n, n). Both are in one part. No feature is paired with itself.
    apart: np.ndarray  #: Shape (n, n). They are not in one part: in two, or one of them, or both, in none.

    @classmethod
    def nothing(cls, n: int) -> Decided:
        """No pair decided."""
        return cls(np.zeros((n, n), dtype=bool), np.zeros((n, n), dtype=bool))

    @property
    def used(self) -> np.ndarray:
        """Features known to be in some part, shape (n,)."""
        return np.any(self.same, axis=1)

    @property
    def largest(self) -> int:
        """Most features known to share one part."""
        return int(self.same.sum(axis=1).max(initial=0)) + 1

    def joined(self, i: int, j: int) -> Decided:
        """Features i and j share a part, and so do all that are with either."""
        group = self._with(i) | self._with(j)
        same, apart = self.same.copy(), self.apart.copy()
        same[np.ix_(group, group)] = True
        np.fill_diagonal(same, False)
        others = (apart[i] | apart[j]) & ~group
        apart[np.ix_(group, others)] = True
        apart[np.ix_(others, group)] = True
        return Decided(same, apart)

    def parted(self, i: int, j: int) -> Decided:
        """Features i and j do not share a part, and no feature with i one with those with j."""
        apart = self.apart.copy()
        apart[np.ix_(self._with(i), self._with(j))] = True
        apart[np.ix_(self._with(j), self._with(i))] = True
        return Decided(self.same, apart)

    def _with(self, i: int) -> np.ndarray:
        group = self.same[i].copy()
        group[i] = True
        return group


class _OfPairs(_Tree):
    """Of several parts, which are interchangeable: a case is what is :class:`Decided` of pairs.

    A node is split at the pair whose relaxed sharing is most fractional, weighted by mass: Y_ij stands for x_i² times
    "j shares the part of i", z_i for x_i².
    """

    def root(self, start: PairProof | None) -> Node:
        return self._node(Decided.nothing(self.problem.n), None, start)

    def sides(self, parent: Node, split: Any) -> tuple[Node, ...]:
        cases = [parent.case.parted(*split), parent.case.joined(*split)]
        allowed = [case for case in cases if case.largest <= self.problem.k]
        return tuple(self._node(case, parent, parent.proof) for case in allowed)

    def named(self, node: Node, split: Any) -> tuple[int, int]:
        return split

    def _node(self, decided: Decided, parent: Node | None, start: PairProof | None) -> Node:
        """Bound one node, from the state of its parent and what was proven of that."""
        same, apart, first = decided.same, decided.apart, None
        splitting = Splitting(self.problem, self.X, same, apart)
        if parent is not None and parent.splitting is not None:
            splitting.follow(parent.splitting, np.arange(self.problem.n), whole=True)
        elif start is not None:
            splitting.begin_at(start)
        if start is not None:
            proof = start.L, start.M, start.v
            first = proof_of(self.problem, *proof, r=splitting.r, same=same, apart=apart, monitor=self.monitor)
        if first is None or first[0] > self.goal:
            whole = parent is None
            first = self.improved(splitting, self.problem, first, whole=whole, same=same, apart=apart)
        return Node((-first[0], next(self.numbers)), decided, first[1], splitting)

    def undecided(self, node: Node) -> tuple[int, int] | None:
        assert node.splitting is not None
        Y, z = node.splitting.Y, node.splitting.z
        uncertainty = np.minimum(Y, z[:, None] - Y)
        uncertainty = np.maximum(uncertainty + uncertainty.T, 0.0) + 1e-12
        uncertainty[node.case.same | node.case.apart] = -1.0
        np.fill_diagonal(uncertainty, -1.0)
        i, j = np.unravel_index(int(uncertainty.argmax()), uncertainty.shape)
        return (int(i), int(j)) if uncertainty[i, j] > 0 else None

    def likely(self, node: Node) -> np.ndarray:
        """The row of the feature of largest mass, then that of the largest mass not in its part, and so on."""
        assert node.splitting is not None
        W, Y, weight = node.splitting.W, node.splitting.Y, node.splitting.z.copy()
        rows = np.zeros((len(self.X), len(W)))
        for row in rows:
            i = int(weight.argmax())
            row[:] = W[i]
            weight *= 1.0 - np.clip(Y[i] / max(node.splitting.z[i], 1e-12), 0.0, 1.0)
            weight[i] = -1.0
        return rows

    def bound(self, root: Node, leaves: int) -> Bound:
        splits, proofs, most = self.preorder(root, (-1, -1))
        detail = (
            f"All choices of {len(self.X)} parts are split into {leaves} cases according to which features share a "
            "part; no case has more variance than this."
        )
        return Bound("branch", most, detail=detail, ingredients=TreeProof(np.array(splits), proofs))
