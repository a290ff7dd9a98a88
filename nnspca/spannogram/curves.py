"""The rank-2 spannogram: n curves over an angle, their crossings, and where the top-k set changes.

With ``c(φ) = (sin φ, cos φ)`` curve i is ``V_i1 sin φ + V_i2 cos φ`` (Asteris et al. 2014, section 4.1); φ runs over
(−π/2, 3π/2] if loadings must be nonnegative, since v(φ + π) = −v(φ), and over (−π/2, π/2] if not: then only |v(φ)|
counts (Asteris et al. 2011).

n curves cross n²/2 times, but the top-k set changes only at crossings of the k-th place. An interval is searched with
the range of each curve over it (a sinusoid's extremes are at the ends or at its peak). The k-th largest of the lower
ends and of the upper ends enclose the k-th value, so every curve above is always in, every curve below is always out,
and only the rest can change. If the rest are few, their crossings are sorted and swept; if not, the interval is halved,
and only the rest are examined in the halves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

ZERO = -1  # "index" of the zero curve, and of no curve at all
SWEPT = 48  # curves whose crossings are sorted at once: half and twice as many take the same time
NARROW = 1e-12  # width below which an interval is not halved


def values(V: np.ndarray, phi: np.ndarray | float) -> np.ndarray:
    """Return v(φ) for each angle, shape (..., n).

    >>> values(np.array([[1.0, 0.0], [0.0, 2.0]]), 0.0)
    array([0., 2.])
    """
    phi = np.asarray(phi)
    return np.stack([np.sin(phi), np.cos(phi)], axis=-1) @ V.T


@dataclass(frozen=True, eq=False)
class Crossings:
    """Crossings of two curves, or of one with zero, by angle in (−π/2, π/2]."""

    angles: np.ndarray  # ascending
    i: np.ndarray  # a curve
    j: np.ndarray  # the curve that it meets; −1 for a crossing with zero


def crossings(V: np.ndarray, *, nonnegative: bool = True) -> Crossings:
    """Return all crossings, n(n+1)/2 of them with the zero curve; n(n−1) of magnitudes without sign.

    Curves that are equal everywhere do not cross.

    >>> meet = crossings(np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> np.round(meet.angles / np.pi, 2)
    array([0.  , 0.25, 0.5 ])
    """
    i, j = np.triu_indices(len(V), 1)
    pairs = [(i, j, V[i] - V[j])]
    if nonnegative:
        every = np.arange(len(V))
        pairs.append((every, np.full(len(V), ZERO), V))
    else:
        pairs.append((i, j, V[i] + V[j]))
    angle_lists, first, second = [], [], []
    for a, b, difference in pairs:
        distinct = difference.any(axis=1)
        angle_lists.append(_root(difference[distinct]))
        first.append(a[distinct])
        second.append(b[distinct])
    angles = np.concatenate(angle_lists)
    order = np.argsort(angles, kind="stable")
    return Crossings(angles[order], np.concatenate(first)[order], np.concatenate(second)[order])


def _root(difference: np.ndarray) -> np.ndarray:
    """Angle in (−π/2, π/2] at which a sin φ + b cos φ is zero, for rows (a, b)."""
    a, b = difference[:, 0], difference[:, 1]
    flip = np.where((a < 0) | ((a == 0) & (b < 0)), -1.0, 1.0)
    phi = np.arctan2(-b * flip, a * flip)
    return np.where(phi <= -np.pi / 2, np.pi / 2, phi + 0.0)  # + 0.0: no negative zero


@dataclass(frozen=True, eq=False)
class Regions:
    """The angles φ at which the top-k set changes, and the changes."""

    start: float  # of the range of φ searched
    end: float
    first: np.ndarray  # the top-k set at the start, ascending
    angles: np.ndarray  # where it changes, ascending
    leaving: np.ndarray  # the curve that leaves at each; −1 for none (one crosses zero, fewer than k are positive)
    entering: np.ndarray  # the curve that enters

    def __len__(self) -> int:
        return len(self.angles) + 1

    def supports(self) -> Iterator[tuple[float, float, np.ndarray]]:
        """Yield (from, to, top-k set) for each region in turn."""
        current = set(self.first.tolist())
        start = self.start
        for angle, out, new in zip(self.angles, self.leaving, self.entering, strict=True):
            yield start, float(angle), np.array(sorted(current), dtype=np.int64)
            current.discard(int(out))
            if new != ZERO:
                current.add(int(new))
            start = float(angle)
        yield start, self.end, np.array(sorted(current), dtype=np.int64)

    def support(self, region: int) -> np.ndarray:
        """Return the top-k set of one region, ascending."""
        count = np.zeros(1 + max(int(a.max(initial=0)) for a in (self.first, self.leaving, self.entering)), dtype=int)
        count[self.first] += 1
        entered, departed = self.entering[:region], self.leaving[:region]
        np.add.at(count, entered[entered != ZERO], 1)
        np.subtract.at(count, departed[departed != ZERO], 1)
        return np.flatnonzero(count > 0)

    def candidates(self) -> int:
        """Number of different nonempty top-k sets."""
        return len({hash(support.tobytes()) for _, _, support in self.supports() if len(support)})


def regions(V: np.ndarray, k: int, *, nonnegative: bool = True) -> Regions:
    """Return where the top-k set (of positive entries, or of magnitudes) changes, V of shape (n, 2).

    At most one curve leaves and one enters at a time; several changes at one angle are listed one after another.

    >>> result = regions(np.array([[1.0, 0.0], [0.0, 1.0]]), k=1)
    >>> [(round(a / np.pi, 2), s.tolist()) for a, _, s in result.supports()]
    [(-0.5, [1]), (0.25, [0]), (1.0, [])]
    """
    start, end = -np.pi / 2, 3 * np.pi / 2 if nonnegative else np.pi / 2
    changes = _Changes(len(V))
    pieces = 16 if nonnegative else 8
    edges = np.linspace(start, end, pieces + 1)
    no_rows = np.zeros(0, dtype=np.int64)
    stack = [(edges[p], edges[p + 1], np.arange(len(V)), no_rows, k) for p in range(pieces)][::-1]
    while stack:
        left, right, rows, inside, places = stack.pop()
        low, high = _range(V[rows], left, right, nonnegative)
        rows, gained, places = _undecided(rows, low, high, places, nonnegative)
        inside = np.concatenate([inside, gained])
        if len(rows) > SWEPT and right - left > NARROW:
            middle = (left + right) / 2
            stack.append((middle, right, rows, inside, places))
            stack.append((left, middle, rows, inside, places))
        else:
            angles, tops = _swept(V[rows], left, right, places, nonnegative)
            changes.extend(angles, rows, tops, inside)
    leaving, entering = (np.array(curves, dtype=np.int64) for curves in (changes.leaving, changes.entering))
    return Regions(start, end, changes.first, np.array(changes.angles), leaving, entering)


def _range(V: np.ndarray, left: float, right: float, nonnegative: bool) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest value of each curve (of its magnitude, without sign) over an interval."""
    ends = values(V, np.array([left, right]))
    low, high = ends.min(axis=0), ends.max(axis=0)
    size = np.hypot(V[:, 0], V[:, 1])
    peak = np.arctan2(V[:, 0], V[:, 1])  # the curve is size · cos(φ − peak)
    turns = np.ceil((left - peak) / (2 * np.pi))
    high = np.where(peak + 2 * np.pi * turns <= right, size, high)
    turns = np.ceil((left - peak - np.pi) / (2 * np.pi))
    low = np.where(peak + np.pi + 2 * np.pi * turns <= right, -size, low)
    if nonnegative:
        return low, high
    crosses = (low <= 0) & (high >= 0)
    return np.where(crosses, 0.0, np.minimum(np.abs(low), np.abs(high))), np.maximum(np.abs(low), np.abs(high))


def _undecided(
    rows: np.ndarray, low: np.ndarray, high: np.ndarray, places: int, nonnegative: bool
) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the rows that may enter or leave, those always in, and the number of free places."""
    if nonnegative:
        possible = high >= 0
        rows, low, high = rows[possible], low[possible], high[possible]
    if places <= 0 or not len(rows):
        return rows[:0], rows[:0], 0
    if places >= len(rows):
        upper_bound, floor = -np.inf, -np.inf  # room for all rows: only zero matters
    else:
        upper_bound = np.partition(high, -places - 1)[-places - 1]  # at most `places` rows exceed it
        floor = np.partition(low, -places)[-places]  # a lower bound on the k-th value
    always = low > (max(upper_bound, 0.0) if nonnegative else upper_bound)
    never = high < floor
    return rows[~always & ~never], rows[always], places - int(always.sum())


def _swept(V: np.ndarray, left: float, right: float, places: int, nonnegative: bool) -> tuple[np.ndarray, np.ndarray]:
    """Angles at which the order of a few curves may change, the left end first, and the top set after each."""
    if not len(V) or places == 0:
        return np.array([left]), np.zeros((1, len(V)), dtype=bool)
    angles = crossings(V, nonnegative=nonnegative).angles
    if nonnegative and right > np.pi / 2:
        angles = np.concatenate([angles, angles + np.pi])
    cuts = np.unique(angles[(angles > left) & (angles < right)])
    edges = np.concatenate([[left], cuts, [right]])
    heights = values(V, (edges[:-1] + edges[1:]) / 2)
    scores = heights if nonnegative else np.abs(heights)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :places]
    tops = np.zeros(scores.shape, dtype=bool)
    np.put_along_axis(tops, order, True, axis=1)
    if nonnegative:
        tops &= scores > 0
    return edges[:-1], tops


class _Changes:
    """Collects the curves that leave and enter, interval by interval, one pair at a time."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.first = np.zeros(0, dtype=np.int64)
        self.current: np.ndarray | None = None
        self.angles: list[float] = []
        self.leaving: list[int] = []
        self.entering: list[int] = []

    def extend(self, angles: np.ndarray, rows: np.ndarray, tops: np.ndarray, inside: np.ndarray) -> None:
        """Add one interval: ``tops[t]`` of ``rows`` is in from ``angles[t]`` on, ``inside`` throughout."""
        at_start = np.zeros(self.n, dtype=bool)
        at_start[inside] = True
        at_start[rows[tops[0]]] = True
        if self.current is None:
            self.first = np.flatnonzero(at_start)
        else:
            changed = np.flatnonzero(at_start != self.current)  # only where curves cross at the very edge
            self._append(float(angles[0]), changed[self.current[changed]], changed[at_start[changed]])
        for t in np.flatnonzero((tops[1:] != tops[:-1]).any(axis=1)):
            out, new = rows[tops[t] & ~tops[t + 1]], rows[~tops[t] & tops[t + 1]]
            self._append(float(angles[t + 1]), out, new)
        at_start[rows] = tops[-1]
        self.current = at_start

    def _append(self, angle: float, out: np.ndarray, new: np.ndarray) -> None:
        for position in range(max(len(out), len(new))):
            self.angles.append(angle)
            self.leaving.append(int(out[position]) if position < len(out) else ZERO)
            self.entering.append(int(new[position]) if position < len(new) else ZERO)


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best angle of a rank-2 problem."""

    phi: float
    value: float  # largest ‖V'x‖² over the feasible set
    support: np.ndarray


def optimum(V: np.ndarray, k: int, *, nonnegative: bool = True, precomputed: Regions | None = None) -> Optimum:
    """Solve the rank-2 problem exactly: in each region the best angle is known in closed form.

    With the top set I fixed the objective is c'Qc, ``Q = V_I'V_I``: half its trace plus a cosine of twice the angle,
    largest at the leading eigenvector of Q if that lies in the region, else at an end of it. Q changes by one or two
    rows from region to region, so all of them come from running sums.

    >>> best = optimum(np.array([[2.0, 0.0], [1.0, 1.0], [0.0, -3.0]]), k=1)
    >>> round(best.value, 6), best.support.tolist()
    (9.0, [2])
    """
    precomputed = regions(V, k, nonnegative=nonnegative) if precomputed is None else precomputed
    products = np.stack([V[:, 0] ** 2, V[:, 0] * V[:, 1], V[:, 1] ** 2], axis=1)
    padded = np.vstack([products, np.zeros(3)])  # row −1 stands for no curve
    steps = padded[precomputed.entering] - padded[precomputed.leaving]
    q = products[precomputed.first].sum(axis=0) + np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])
    edges = np.concatenate([[precomputed.start], precomputed.angles, [precomputed.end]])
    left, right = edges[:-1], edges[1:]
    mean, cosine, sine = (q[:, 0] + q[:, 2]) / 2, (q[:, 2] - q[:, 0]) / 2, q[:, 1]
    peak = np.arctan2(sine, cosine) / 2  # objective = mean + hypot(cosine, sine) · cos(2(φ − peak))
    peak = peak + np.pi * np.ceil((left - peak) / np.pi)
    inside = peak <= right
    angles = np.stack([left, right, np.where(inside, peak, left)], axis=1)
    heights = mean[:, None] + cosine[:, None] * np.cos(2 * angles) + sine[:, None] * np.sin(2 * angles)
    region, column = np.unravel_index(int(heights.argmax()), heights.shape)
    phi = float(angles[region, column])
    support = precomputed.support(int(region))
    w = values(V[support], phi)
    if nonnegative:
        support, w = support[w > 0], w[w > 0]
    return Optimum(phi, float((w**2).sum()), support)


def objective(V: np.ndarray, k: int, phi: np.ndarray, *, nonnegative: bool = True) -> np.ndarray:
    """Return ``g(c(φ))``, the sum of squares of the top-k (positive) values, at each angle."""
    w = values(V, phi)
    score = np.maximum(w, 0.0) if nonnegative else np.abs(w)
    if k < score.shape[-1]:
        score = np.partition(score, -k, axis=-1)[..., -k:]
    return (score**2).sum(axis=-1)


def feasible_arc(V: np.ndarray, support: np.ndarray) -> tuple[float, float] | None:
    """Return the arc of angles at which every curve of the support is nonnegative; None if there is none.

    It is the feasible set of (P₂) (Asteris et al. 2014, Fig. 2): an intersection of half circles,
    so an arc of length at most π, or the whole circle (−π/2, 3π/2) where every row is zero.

    >>> low, high = feasible_arc(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1]))
    >>> round(low / np.pi, 3), round(high / np.pi, 3)
    (0.0, 0.5)
    """
    rows = V[support]
    rows = rows[rows.any(axis=1)]
    if not len(rows):
        return -np.pi / 2, 3 * np.pi / 2
    peaks = np.arctan2(rows[:, 0], rows[:, 1])
    offset = (peaks - peaks[0] + np.pi) % (2 * np.pi) - np.pi  # peaks as seen from the first
    low, high = float(offset.max()) - np.pi / 2, float(offset.min()) + np.pi / 2
    if low > high + 1e-12:
        return None
    return float(peaks[0]) + low, float(peaks[0]) + max(high, low)
