"""The rank-2 spannogram: n curves over an angle, their crossings, and where the top-k set changes.

With ``c(φ) = (sin φ, cos φ)`` curve i is ``V_i1 sin φ + V_i2 cos φ`` (Asteris et al. 2014,
section 4.1). On (−π/2, π/2] the vector v(φ) and its negative cover the circle; here φ runs over
(−π/2, 3π/2] where loadings must be nonnegative, since v(φ + π) = −v(φ), and over (−π/2, π/2] where
they need not be (then only |v(φ)| counts, Asteris et al. 2011).

A *cell* is an interval between crossings of any two curves (or of one with zero): the order is
constant on it. A *region* is an interval on which the top-k set is constant: coarser, and all that
matters.

**Finding regions without all crossings.** n curves cross n²/2 times, but the top-k set changes only
at crossings of the k-th place. An interval is searched with the range of each curve over it (a
sinusoid's extremes are at the ends or at its peak). The k-th largest of the lower ends and of the
upper ends enclose the k-th value, so every curve above is in throughout, every curve below is out,
and only the rest can swap. Where the rest are few their crossings are sorted and swept; else the
interval is halved, and the halves look only at the rest. 12582 curves take a few seconds and little
memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

FEW = 48  # curves whose crossings are sorted at once
NARROW = 1e-12  # width below which an interval is not halved
ZERO = -1  # "index" of the zero curve, and of nobody


def values(V: np.ndarray, phi: np.ndarray | float) -> np.ndarray:
    """Return v(φ) for each angle, shape (..., n).

    Examples
    --------
    >>> values(np.array([[1.0, 0.0], [0.0, 2.0]]), 0.0)
    array([0., 2.])
    """
    phi = np.asarray(phi)
    return np.stack([np.sin(phi), np.cos(phi)], axis=-1) @ V.T


@dataclass(frozen=True, eq=False)
class Crossings:
    """Crossings of two curves, or of one with zero, by angle in (−π/2, π/2].

    Attributes
    ----------
    angles : ndarray, shape (c,)
        Ascending.
    i, j : ndarray of int, shape (c,)
        The curves that meet; j is −1 for a crossing with zero.
    mirrored : ndarray of bool, shape (c,)
        Without sign: True where v_i = −v_j, so that the magnitudes meet.
    heights : ndarray, shape (c,)
        Value of curve i there.
    """

    angles: np.ndarray
    i: np.ndarray
    j: np.ndarray
    mirrored: np.ndarray
    heights: np.ndarray


def crossings(V: np.ndarray, *, nonnegative: bool = True) -> Crossings:
    """Return all crossings, n(n+1)/2 of them with the zero curve; n(n−1) of magnitudes without sign.

    Curves that are equal everywhere do not cross.

    Parameters
    ----------
    V : ndarray, shape (n, 2)

    Examples
    --------
    >>> meet = crossings(np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> np.round(meet.angles / np.pi, 2)
    array([0.  , 0.25, 0.5 ])
    """
    i, j = np.triu_indices(len(V), 1)
    pairs = [(i, j, V[i] - V[j], False)]
    if nonnegative:
        every = np.arange(len(V))
        pairs.append((every, np.full(len(V), ZERO), V, False))
    else:
        pairs.append((i, j, V[i] + V[j], True))
    angle, first, second, mirror = [], [], [], []
    for a, b, difference, mirrored in pairs:
        real = difference.any(axis=1)
        angle.append(_root(difference[real]))
        first.append(a[real])
        second.append(b[real])
        mirror.append(np.full(int(real.sum()), mirrored))
    angles = np.concatenate(angle)
    order = np.argsort(angles, kind="stable")
    angles, one = angles[order], np.concatenate(first)[order]
    heights = V[one, 0] * np.sin(angles) + V[one, 1] * np.cos(angles)
    return Crossings(angles, one, np.concatenate(second)[order], np.concatenate(mirror)[order], heights)


def _root(difference: np.ndarray) -> np.ndarray:
    """Angle in (−π/2, π/2] at which a sin φ + b cos φ is zero, for rows (a, b)."""
    a, b = difference[:, 0], difference[:, 1]
    flip = np.where((a < 0) | ((a == 0) & (b < 0)), -1.0, 1.0)
    phi = np.arctan2(-b * flip, a * flip)
    return np.where(phi <= -np.pi / 2, np.pi / 2, phi + 0.0)  # + 0.0: no negative zero


@dataclass(frozen=True, eq=False)
class Regions:
    """Where the top-k set changes along φ, and how.

    Attributes
    ----------
    start, end : float
        The range of φ searched.
    first : ndarray of int
        The top-k set at the start, ascending.
    angles : ndarray, shape (e,)
        Where it changes, ascending.
    leaving, entering : ndarray of int, shape (e,)
        Who goes and who comes; −1 for nobody (a curve crossing zero where fewer than k are
        positive).
    """

    start: float
    end: float
    first: np.ndarray
    angles: np.ndarray
    leaving: np.ndarray
    entering: np.ndarray

    def __len__(self) -> int:
        return len(self.angles) + 1

    def supports(self) -> Iterator[tuple[float, float, np.ndarray]]:
        """Yield (from, to, top-k set) for each region in turn."""
        current = set(self.first.tolist())
        left = self.start
        for angle, out, new in zip(self.angles, self.leaving, self.entering, strict=True):
            yield left, float(angle), np.array(sorted(current), dtype=np.int64)
            current.discard(int(out))
            if new != ZERO:
                current.add(int(new))
            left = float(angle)
        yield left, self.end, np.array(sorted(current), dtype=np.int64)

    def support(self, region: int) -> np.ndarray:
        """Return the top-k set of one region, ascending."""
        count = np.zeros(1 + max(int(a.max(initial=0)) for a in (self.first, self.leaving, self.entering)), dtype=int)
        count[self.first] += 1
        came, went = self.entering[:region], self.leaving[:region]
        np.add.at(count, came[came != ZERO], 1)
        np.subtract.at(count, went[went != ZERO], 1)
        return np.flatnonzero(count > 0)

    def candidates(self) -> int:
        """Number of different nonempty top-k sets."""
        return len({hash(support.tobytes()) for _, _, support in self.supports() if len(support)})


def regions(V: np.ndarray, k: int, *, nonnegative: bool = True) -> Regions:
    """Return where the top-k set (of positive entries, or of magnitudes) changes.

    Parameters
    ----------
    V : ndarray, shape (n, 2)
    k : int
        1 <= k <= n.
    nonnegative : bool

    Returns
    -------
    Regions
        At most one curve leaves and one enters at a time; several changes at one angle are listed
        one after another.

    Examples
    --------
    >>> found = regions(np.array([[1.0, 0.0], [0.0, 1.0]]), k=1)
    >>> [(round(a / np.pi, 2), s.tolist()) for a, _, s in found.supports()]
    [(-0.5, [1]), (0.25, [0]), (1.0, [])]
    """
    start, end = -np.pi / 2, 3 * np.pi / 2 if nonnegative else np.pi / 2
    changes = _Changes(len(V))
    pieces = 16 if nonnegative else 8
    edges = np.linspace(start, end, pieces + 1)
    nobody = np.zeros(0, dtype=np.int64)
    stack = [(edges[p], edges[p + 1], np.arange(len(V)), nobody, k) for p in range(pieces)][::-1]
    while stack:
        left, right, rows, inside, places = stack.pop()
        low, high = _range(V[rows], left, right, nonnegative)
        rows, gained, places = _undecided(rows, low, high, places, nonnegative)
        inside = np.concatenate([inside, gained])
        if len(rows) > FEW and right - left > NARROW:
            middle = (left + right) / 2
            stack.append((middle, right, rows, inside, places))
            stack.append((left, middle, rows, inside, places))
        else:
            angles, tops = _swept(V[rows], left, right, places, nonnegative)
            changes.extend(angles, rows, tops, inside)
    return Regions(start, end, *changes.collected())


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
    """Part the rows into those that may come or go, those always in; and the places left to fill."""
    if nonnegative:
        possible = high >= 0
        rows, low, high = rows[possible], low[possible], high[possible]
    if places <= 0 or not len(rows):
        return rows[:0], rows[:0], 0
    if places >= len(rows):
        ceiling, floor = -np.inf, -np.inf  # there is room for all: only zero matters
    else:
        ceiling = np.partition(high, -places - 1)[-places - 1]  # at most `places` rows exceed it
        floor = np.partition(low, -places)[-places]  # the k-th value is never below it
    always = low > (max(ceiling, 0.0) if nonnegative else ceiling)
    never = high < floor
    return rows[~always & ~never], rows[always], places - int(always.sum())


def _swept(V: np.ndarray, left: float, right: float, places: int, nonnegative: bool) -> tuple[np.ndarray, np.ndarray]:
    """Angles where the order of a few curves may change, the left end first, and who is in from there on."""
    if not len(V) or places == 0:
        return np.array([left]), np.zeros((1, len(V)), dtype=bool)
    found = crossings(V, nonnegative=nonnegative).angles
    if nonnegative and right > np.pi / 2:
        found = np.concatenate([found, found + np.pi])
    cuts = np.unique(found[(found > left) & (found < right)])
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
    """Collects who leaves and who enters, interval by interval, one pair at a time."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.first: np.ndarray | None = None
        self.current = np.zeros(n, dtype=bool)
        self.angles: list[float] = []
        self.leaving: list[int] = []
        self.entering: list[int] = []

    def extend(self, angles: np.ndarray, rows: np.ndarray, tops: np.ndarray, inside: np.ndarray) -> None:
        """Go through one interval: ``tops[t]`` of ``rows`` is in from ``angles[t]`` on, ``inside`` throughout."""
        begin = np.zeros(self.n, dtype=bool)
        begin[inside] = True
        begin[rows[tops[0]]] = True
        if self.first is None:
            self.first = np.flatnonzero(begin)
        else:
            differ = np.flatnonzero(begin != self.current)  # only where curves cross at the very edge
            self._put(float(angles[0]), differ[self.current[differ]], differ[begin[differ]])
        for t in np.flatnonzero((tops[1:] != tops[:-1]).any(axis=1)):
            out, new = rows[tops[t] & ~tops[t + 1]], rows[~tops[t] & tops[t + 1]]
            self._put(float(angles[t + 1]), out, new)
        begin[rows] = tops[-1]
        self.current = begin

    def _put(self, angle: float, out: np.ndarray, new: np.ndarray) -> None:
        for position in range(max(len(out), len(new))):
            self.angles.append(angle)
            self.leaving.append(int(out[position]) if position < len(out) else ZERO)
            self.entering.append(int(new[position]) if position < len(new) else ZERO)

    def collected(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """First set, angles, leaving, entering."""
        first = np.zeros(0, dtype=np.int64) if self.first is None else self.first
        return (
            first,
            np.array(self.angles),
            np.array(self.leaving, dtype=np.int64),
            np.array(self.entering, dtype=np.int64),
        )


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best angle of a rank-2 problem.

    Attributes
    ----------
    phi : float
    value : float
        Largest ``‖V'x‖²`` over the feasible set.
    support : ndarray of int
    """

    phi: float
    value: float
    support: np.ndarray


def optimum(V: np.ndarray, k: int, *, nonnegative: bool = True, found: Regions | None = None) -> Optimum:
    """Solve the rank-2 problem exactly: in each region the best angle is known in closed form.

    With the top set I fixed the objective is c'Qc, ``Q = V_I'V_I``: half its trace plus a cosine of
    twice the angle, largest at the leading eigenvector of Q if that lies in the region, else at an
    end of it. Q changes by one or two rows from region to region, so all of them come from running
    sums.

    Examples
    --------
    >>> best = optimum(np.array([[2.0, 0.0], [1.0, 1.0], [0.0, -3.0]]), k=1)
    >>> round(best.value, 6), best.support.tolist()
    (9.0, [2])
    """
    found = regions(V, k, nonnegative=nonnegative) if found is None else found
    products = np.stack([V[:, 0] ** 2, V[:, 0] * V[:, 1], V[:, 1] ** 2], axis=1)
    padded = np.vstack([products, np.zeros(3)])  # row −1 is nobody
    steps = padded[found.entering] - padded[found.leaving]
    q = products[found.first].sum(axis=0) + np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])
    edges = np.concatenate([[found.start], found.angles, [found.end]])
    left, right = edges[:-1], edges[1:]
    mean, cosine, sine = (q[:, 0] + q[:, 2]) / 2, (q[:, 2] - q[:, 0]) / 2, q[:, 1]
    peak = np.arctan2(sine, cosine) / 2  # objective = mean + hypot(cosine, sine) · cos(2(φ − peak))
    peak = peak + np.pi * np.ceil((left - peak) / np.pi)
    inside = peak <= right
    tried = np.stack([left, right, np.where(inside, peak, left)], axis=1)
    heights = mean[:, None] + cosine[:, None] * np.cos(2 * tried) + sine[:, None] * np.sin(2 * tried)
    region, which = np.unravel_index(int(heights.argmax()), heights.shape)
    phi = float(tried[region, which])
    support = found.support(int(region))
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
    """Return the arc of angles at which every curve of the support is nonnegative, None when there is none.

    It is the feasible set of (P₂) (Asteris et al. 2014, Fig. 2): an intersection of half circles,
    so an arc of length at most π, or the whole circle (−π/2, 3π/2) where every row is zero.

    Examples
    --------
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
