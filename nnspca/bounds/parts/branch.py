"""Branch and bound over pairs of features: "they share a part" or "they do not", each side bounded by the joint dual.

Parts are interchangeable, so branching on the part of a feature would repeat each case r! times.
Branching on whether two features share a part does not (Ryan & Foster 1981, for set partitioning).
A node of the tree has some decided pairs (:class:`nnspca.bounds.parts.decided.Decided`), and its
bound is the joint dual that uses them. The optimum is at most the largest bound over the leaves,
whatever the tree, so the search may stop at any time. It opens the leaf of largest bound, and
splits it at the pair whose relaxed sharing is most fractional: Y_ij stands for x_i² times "j shares
the part of i", X_ii for x_i². Children start at their parent's multipliers.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from nnspca.bounds.pair_scaled import CHECK
from nnspca.bounds.parts.decided import Decided
from nnspca.bounds.parts.dual import proof_of
from nnspca.bounds.parts.plan import joint_step_seconds
from nnspca.bounds.parts.splitting import Splitting
from nnspca.certificates.proofs import PairProof, TreeProof
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.result import Bound

ROOT = 400  # maximum number of steps of the splitting at the root
STEPS = 60  # maximum number of steps of the splitting at any other node
LOOK_BACK = 3  # number of bounds after which the progress of a node is judged
SLOW = 0.05  # share of the remaining gap that those bounds must have gained
ENTRIES = 1.2e7  # maximum number of numbers in a proof
LEAF = (-1, -1)


@dataclass(order=True)
class Node:
    """A node of the tree; ordered by bound, the largest first."""

    key: tuple[float, int]
    decided: Decided = field(compare=False)
    proof: PairProof = field(compare=False)
    splitting: Splitting | None = field(compare=False)
    split: tuple[int, int] = field(compare=False, default=LEAF)
    sides: tuple[Node, ...] = field(compare=False, default=())

    @property
    def value(self) -> float:
        """The upper bound on all parts of this node."""
        return -self.key[0]


def tighten(
    problem: Problem,
    X: np.ndarray,
    *,
    goal: float,
    budget: float,
    monitor: Monitor,
    consider: Callable[[np.ndarray], None] = lambda parts: None,
) -> Iterator[Bound]:
    """Yield decreasing bounds as the tree grows, until the goal is met or the budget is spent.

    Parameters
    ----------
    problem : Problem
        The problem of each single part; its covariance must be stored as a matrix.
    X : ndarray, shape (r, n)
        The best parts known, to start from.
    goal : float
        Leaves are closed, and the search is done, at this bound.
    budget : float
        Maximum work, in counted seconds.
    monitor : Monitor
    consider : callable, optional
        Called with r approximate parts from a node's relaxation, shape (r, n): starting points for a
        local search.
    """
    search = _Search(problem, X, goal, budget, monitor)
    n = problem.n
    max_leaves = int(ENTRIES / (2 * n * n + len(X) * n))
    root = search.node(Decided.nothing(n), None, ROOT)
    assert root is not None
    open_nodes, leaves = [root], 1
    least = np.inf
    while open_nodes:
        worst = open_nodes[0].value
        if worst < least and leaves > 1:
            least = worst
            yield _bound(root, leaves, len(X))
        if worst <= goal or search.left <= 0 or leaves >= max_leaves or monitor.stop():
            return
        node = heapq.heappop(open_nodes)
        pair = _undecided(node)
        if pair is None:
            return  # all is decided: no split can lower its bound
        apart, joined = node.decided.parted(*pair), node.decided.joined(*pair)
        children = [search.node(apart, node, STEPS)]
        if joined.largest <= problem.k:
            children.append(search.node(joined, node, STEPS))
        node.split, node.sides, node.splitting = pair, tuple(children), None
        leaves += len(children) - 1
        for side in children:
            heapq.heappush(open_nodes, side)
            if side.value > goal:
                consider(_approximate_parts(side, len(X)))


@dataclass
class _Search:
    """The settings common to all nodes; ``left`` is the remaining budget."""

    problem: Problem
    X: np.ndarray
    goal: float
    left: float
    monitor: Monitor
    node_count: int = 0

    def node(self, decided: Decided, parent: Node | None, steps: int) -> Node:
        """Bound one node; stop at the goal, or if the gain is too small to reach it."""
        problem = self.problem
        splitting = Splitting(problem.cov.entries, problem.k, self.X, problem.nonnegative, decided)
        best, past = None, []
        if parent is not None:
            assert parent.splitting is not None
            splitting.follow(parent.splitting)
            assert parent.proof.v is not None
            best = self._proof(parent.proof.L, parent.proof.M, parent.proof.v, decided)
            past.append(best[0])
        for step in range(1, steps + 1):
            if best is not None and best[0] <= self.goal:
                break
            splitting.advance()
            self.left -= joint_step_seconds(problem.n)
            last = step == steps or self.monitor.stop()
            if step % CHECK and not last:
                continue
            proven = self._proof(*splitting.multipliers(), decided)
            best = proven if best is None or proven[0] < best[0] else best
            past.append(best[0])
            slow = len(past) > LOOK_BACK and past[-1 - LOOK_BACK] - best[0] < SLOW * (best[0] - self.goal)
            if last or slow or (self.left <= 0 and parent is not None):
                break
        assert best is not None
        self.node_count += 1
        return Node((-best[0], self.node_count), decided, best[1], splitting)

    def _proof(self, L: np.ndarray, M: np.ndarray, v: np.ndarray, decided: Decided) -> tuple[float, PairProof]:
        return proof_of(self.problem, len(self.X), L, M, v, decided)


def _undecided(node: Node) -> tuple[int, int] | None:
    """The pair whose relaxed sharing is most fractional, weighted by mass; None if all pairs are decided."""
    assert node.splitting is not None
    Y, z = node.splitting.Y, node.splitting.z
    uncertainty = np.minimum(Y, z[:, None] - Y)
    uncertainty = np.maximum(uncertainty + uncertainty.T, 0.0) + 1e-12
    uncertainty[node.decided.same | node.decided.apart] = -1.0
    np.fill_diagonal(uncertainty, -1.0)
    i, j = np.unravel_index(int(uncertainty.argmax()), uncertainty.shape)
    return (int(i), int(j)) if uncertainty[i, j] > 0 else None


def _approximate_parts(node: Node, r: int) -> np.ndarray:
    """Approximate parts from the relaxation.

    The first is the row of the feature of largest mass, the second that of the largest mass not in its part,
    and so on.
    """
    assert node.splitting is not None
    W, Y, weight = node.splitting.W, node.splitting.Y, node.splitting.z.copy()
    rows = np.zeros((r, len(W)))
    for row in rows:
        i = int(weight.argmax())
        row[:] = W[i]
        weight *= 1.0 - np.clip(Y[i] / max(node.splitting.z[i], 1e-12), 0.0, 1.0)
        weight[i] = -1.0
    return rows


def _bound(root: Node, leaves: int, r: int) -> Bound:
    """The largest bound over the leaves, with the tree that proves it."""
    splits: list[tuple[int, int]] = []
    proofs: list[PairProof] = []
    most = -np.inf
    stack = [root]
    while stack:
        node = stack.pop()
        splits.append(node.split)
        if not node.sides:
            proofs.append(node.proof)
            most = max(most, node.value)
        stack += node.sides[::-1]  # "apart" comes first
    return Bound(
        "joint-branch",
        most,
        detail=(
            f"All choices of {r} parts are split into {leaves} cases according to which features share a part; no case "
            "has more variance than this."
        ),
        ingredients=TreeProof(np.array(splits), tuple(proofs)),
    )
