"""Branch and bound over features: "without i" or "with i", each side bounded by the pair-scaled dual.

An optimal support either contains feature i or does not. A node of the tree has a set of excluded
features and a set F of included ones; its bound is the pair-scaled dual on the features it keeps,
where in

    x'Lx <= Σ_{i∈J} x_i² (L_ii + Σ_{j∈J∖i} M_ij)

the companions J∖i of each row contain F∖i: the row costs its entries in F∖i and its largest
``k − 1 − |F∖i|`` others, not its k−1 largest. The optimum is at most the largest bound over the
leaves of the tree, whatever the tree, so the search may stop at any time. It opens the leaf of
largest bound, and splits it at the feature that carries most weight for how sure the relaxation is
of its place: with Y_ij for x_i² times "j is in the support", column j of Y adds up to how much j is
in, and X_jj is its weight. (Ranking by doubt alone wastes half of the splits: a quarter more
leaves.) Children start at their parent's multipliers.

A leaf without a feature that belongs in the support is closed almost at once (it is then known to
be in every optimal one), one with a feature that does not belong there as well (it is then screened
off): both kinds of safe screening are the two sides of a split. Neighbouring pixels of a face leave
the relaxation a few parts in a thousand of freedom at small k; some tens of leaves take it away.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from nnspca.bounds import eigenvalues
from nnspca.bounds.pair_scaled import CHECK, described, proof_of, run_interruptibly
from nnspca.bounds.plan import step_seconds
from nnspca.bounds.splitting import Splitting
from nnspca.certificates.proofs import PairProof, TreeProof
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.result import Bound

ROOT = 300  # most steps of the splitting of the whole
LONG = 200  # most steps of the splitting of a node
SHORT = 30  # the same in a large tree or in little time, where many quick leaves gain more than few good ones
MANY = 500  # leaves from which a tree counts as large
LOOK_BACK = 4  # bounds after which the progress of a node is judged
SLOW = 0.02  # share of the remaining gap that those bounds must have gained
ENTRIES = 2.4e7  # most numbers in a proof
NODE_STEP = 3.0  # time of a step of a node, its share of the bounds included, relative to what it is counted at
LEAF = -1


@dataclass(order=True)
class Node:
    """A node of the tree; ordered by bound, the largest first."""

    key: tuple[float, int]
    features: np.ndarray = field(compare=False)  # features not left out, ascending
    inside: np.ndarray = field(compare=False)  # of those: known to be in
    proof: PairProof | None = field(compare=False)  # a leaf's
    splitting: Splitting | None = field(compare=False)
    split: int = field(compare=False, default=LEAF)
    sides: tuple[Node, Node] | None = field(compare=False, default=None)

    @property
    def value(self) -> float:
        """The upper bound on every support of this node."""
        return -self.key[0]


class Meter:
    """The remaining work, in counted seconds."""

    def __init__(self, budget: float) -> None:
        self.left = budget

    def pay(self, n: int, steps: float = 1) -> None:
        """Subtract the cost of steps of a splitting of n features."""
        self.left -= steps * step_seconds(n)


def tighten(
    problem: Problem,
    x: np.ndarray,
    *,
    goal: float,
    meter: Meter,
    monitor: Monitor,
    consider: Callable[[np.ndarray], None] = lambda support: None,
    entries: float = ENTRIES,
    start: PairProof | None = None,
    hurried: bool = False,
) -> Iterator[Bound]:
    """Yield decreasing bounds as the tree grows, until the goal is met or the budget is spent.

    Parameters
    ----------
    problem : Problem
        Its covariance held as a matrix.
    x : ndarray, shape (n,)
        The best feasible point known, to start from.
    goal : float
        Leaves are closed, and the search is done, at this bound.
    meter : Meter
        Counts the work; it may be shared with other searches.
    monitor : Monitor
    consider : callable, optional
        Called with a support of at most k features that a node finds likely: a better x may lie
        there.
    entries : float
        Most numbers that the proof may hold.
    start : PairProof, optional
        What was proven of the whole: the tree begins there instead of finding it again.
    hurried : bool
        Whether there is time for some tens of leaves only.
    """
    cov, k = problem.cov, problem.k
    most = int(entries / (2 * cov.n_features**2))
    steps = SHORT if hurried or most >= MANY else LONG
    nodes = _Nodes(problem, x, goal, meter, monitor)
    root = nodes.root(start)
    open_nodes, leaves, entry_count = [root], 1, _entry_count(root)
    least = np.inf
    while True:
        worst = open_nodes[0].value
        if worst < least and leaves > 1:
            least = worst
            yield _bound(root, leaves, k)
        elif leaves == 1 and worst <= goal and root.proof is not None:  # more steps on the whole were enough
            yield described(problem, worst, root.proof, 0 if root.splitting is None else root.splitting.steps)
        if worst <= goal or meter.left <= 0 or entry_count >= entries or monitor.stop():
            return
        node = heapq.heappop(open_nodes)
        j = _undecided(node)
        if j is None:
            return  # its support is known: no split can lower its bound
        sides = nodes.sides(node, j, steps)
        entry_count += _entry_count(sides[0]) + _entry_count(sides[1]) - _entry_count(node)
        node.split, node.sides, node.splitting, node.proof = int(node.features[j]), sides, None, None
        leaves += 1
        for side in sides:
            heapq.heappush(open_nodes, side)
            if side.value > goal:
                consider(_likely(side, k))
            else:
                side.splitting = None  # it is never opened


@dataclass(frozen=True, eq=False)
class _Nodes:
    """The settings common to all nodes of one tree.

    Attributes
    ----------
    problem : Problem
        The whole.
    x : ndarray, shape (n,)
        The best feasible point known.
    goal : float
        A node at this bound is done.
    meter : Meter
    monitor : Monitor
    """

    problem: Problem
    x: np.ndarray
    goal: float
    meter: Meter
    monitor: Monitor

    def root(self, proven: PairProof | None) -> Node:
        """Bound the whole problem, starting from its earlier proof."""
        n = self.problem.n
        return self._node(np.arange(n), self.problem.included, ROOT, proven=proven)

    def sides(self, parent: Node, j: int, steps: int) -> tuple[Node, Node]:
        """Bound both sides of a split at the feature at place j of the parent: without it, and with it."""
        known = parent.inside.copy()
        known[j] = True
        without = self._node(np.delete(parent.features, j), np.delete(parent.inside, j), steps, parent)
        return without, self._node(parent.features, known, steps, parent)

    def _node(
        self,
        features: np.ndarray,
        inside: np.ndarray,
        steps: int,
        parent: Node | None = None,
        proven: PairProof | None = None,
    ) -> Node:
        """Bound one node, from its parent's multipliers or from those that prove a bound on the whole."""
        number = int(self.meter.left) if parent is not None else 0
        if inside.sum() >= self.problem.k:  # no place is left: the support is known
            features, inside = features[inside], np.ones(self.problem.k, dtype=bool)
        part = self.problem.restrict(features)
        if inside.sum() == part.k:
            value, known = _of_known_support(part.cov)
            return Node((-value, number), features, inside, known, None)
        splitting = run_interruptibly(
            lambda: self._start_splitting(part, features, inside, parent), len(features), self.monitor
        )
        first: tuple[float, PairProof] | None = None
        if parent is not None and parent.proof is not None:  # its best proof holds here as well
            block = np.ix_(np.searchsorted(parent.features, features), np.searchsorted(parent.features, features))
            L, M = parent.proof.L[block], parent.proof.M[block]
            first = proof_of(part, L, M, forced=inside, monitor=self.monitor)
        elif proven is not None:
            splitting.begin_at(proven)
            first = proof_of(part, proven.L, proven.M, forced=inside, monitor=self.monitor)
        value, proof = self._improved(splitting, part, inside, steps, first, whole=parent is None)
        return Node((-value, number), features, inside, proof, splitting)

    def _start_splitting(
        self, part: Problem, features: np.ndarray, inside: np.ndarray, parent: Node | None
    ) -> Splitting:
        """The splitting of a node, started at the state of its parent's."""
        start = self.x[features]
        if not start.any():
            start = np.ones(len(features))
        splitting = Splitting(part, start / np.linalg.norm(start), inside)
        if parent is not None and parent.splitting is not None:
            splitting.follow(parent.splitting, np.searchsorted(parent.features, features), whole=True)
        return splitting

    def _improved(
        self,
        splitting: Splitting,
        part: Problem,
        inside: np.ndarray,
        steps: int,
        best: tuple[float, PairProof] | None,
        *,
        whole: bool,
    ) -> tuple[float, PairProof]:
        """Take the steps of a node; stop at the goal, or if the gain is too small to reach it."""
        past = [] if best is None else [best[0]]
        for step in range(1, steps + 1):
            run_interruptibly(splitting.advance, part.n, self.monitor)
            self.monitor.pay((NODE_STEP - 1) * step_seconds(part.n))
            self.meter.pay(part.n)
            last = step == steps or self.monitor.stop()
            if step % CHECK and not last:
                continue
            proven = proof_of(part, *splitting.multipliers(), forced=inside, monitor=self.monitor)
            best = proven if best is None or proven[0] < best[0] else best
            past.append(best[0])
            slow = len(past) > LOOK_BACK and past[-1 - LOOK_BACK] - best[0] < SLOW * (best[0] - self.goal)
            if best[0] <= self.goal or last or slow or (self.meter.left <= 0 and not whole):
                break
        assert best is not None  # the last step makes one
        return best


def _of_known_support(part: Covariance) -> tuple[float, PairProof]:
    """The bound for a known support: an eigenvalue."""
    nothing = np.zeros_like(part.entries)
    tail = eigenvalues.of_matrix(part.entries, part.room())
    return rounding.total(tail, np.zeros(1)), PairProof(nothing, nothing, tail)


def _entry_count(node: Node) -> int:
    """The number of entries in the proof of a leaf."""
    return 0 if node.proof is None else node.proof.L.size + node.proof.M.size


def _undecided(node: Node) -> int | None:
    """The place of the undecided feature of largest weight times doubt; None if all are decided."""
    splitting = node.splitting
    if splitting is None or len(node.features) == 1:
        return None
    member = np.clip(splitting.Y.sum(axis=0) + splitting.z, 0.0, 1.0)
    doubt = np.where(node.inside, -1.0, np.minimum(member, 1 - member) * np.maximum(splitting.z, 0.0))
    if doubt.max() <= 0:
        doubt = np.where(node.inside, -1.0, member)
    return int(doubt.argmax()) if doubt.max() >= 0 else None


def _likely(node: Node, k: int) -> np.ndarray:
    """The k features that the relaxation most clearly places in the support."""
    if node.splitting is None:
        return node.features
    member = np.where(node.inside, np.inf, node.splitting.Y.sum(axis=0) + node.splitting.z)
    return np.sort(node.features[np.argsort(-member, kind="stable")[:k]])


def _bound(root: Node, leaves: int, k: int) -> Bound:
    """The largest bound over the leaves, with the tree that proves it."""
    splits: list[int] = []
    proofs: list[PairProof] = []
    most = -np.inf
    stack = [root]
    while stack:
        node = stack.pop()
        splits.append(node.split)
        if node.proof is not None:
            proofs.append(node.proof)
            most = max(most, node.value)
        elif node.sides is not None:
            stack += node.sides[::-1]  # "without" comes first
    return Bound(
        "branch",
        most,
        detail=(
            f"All choices of {k} features are split into {leaves} cases, by features that are in or out; no case has "
            "more variance than this."
        ),
        ingredients=TreeProof(tuple(splits), tuple(proofs)),
    )
