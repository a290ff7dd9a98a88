"""The order in which the k of a curve are computed: levels from coarse to fine, and the warm starts of each point."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Container, Iterable, Sequence

from nnspca.tasks._certify import is_neighbour

Point = tuple[int, str]  # k and method


def coarse_first(ks: Iterable[int]) -> list[tuple[int, ...]]:
    """Return the values of k in levels: both ends, then the middle of each gap, and again.

    >>> coarse_first(range(1, 10))
    [(1, 9), (5,), (3, 7), (2, 4, 6, 8)]
    """
    every = sorted(set(ks))
    levels = [tuple(dict.fromkeys((every[0], every[-1])))] if every else []
    gaps = [(0, len(every) - 1)]
    while gaps := [(low, high) for low, high in gaps if high - low > 1]:
        middles = [(low + high) // 2 for low, high in gaps]
        levels.append(tuple(every[m] for m in middles))
        gaps = [half for (low, high), m in zip(gaps, middles, strict=True) for half in ((low, m), (m, high))]
    return levels


def predecessors(levels: Sequence[Sequence[int]], methods: Sequence[str]) -> dict[Point, tuple[Point, ...]]:
    """Each point in order of submission, and its predecessors: ``best`` at the two nearest k of earlier levels.

    ``best`` goes first, as its curve takes longest and is looked at most. Points without
    predecessors can run at any time, so that no worker idles at the end of a level.

    >>> predecessors([(1, 9), (5,)], ["best"])
    {(1, 'best'): (), (9, 'best'): (), (5, 'best'): ((1, 'best'), (9, 'best'))}
    >>> list(predecessors([(1, 9), (5,)], ["em", "best"]))[2:]
    [(5, 'best'), (1, 'em'), (9, 'em'), (5, 'em')]
    """
    order: dict[Point, tuple[Point, ...]] = {}
    if "best" in methods:
        for k, others in neighbours(levels).items():
            order[k, "best"] = tuple((other, "best") for other in others)
    return order | {(k, name): () for level in levels for k in level for name in methods if name != "best"}


def neighbours(levels: Sequence[Sequence[int]]) -> dict[int, tuple[int, ...]]:
    """Return for each k, coarse first, the nearest smaller and the nearest larger one of earlier levels.

    >>> neighbours([(1, 9), (5,), (3, 7)])
    {1: (), 9: (), 5: (1, 9), 3: (1, 5), 7: (5, 9)}
    """
    around: dict[int, tuple[int, ...]] = {}
    earlier: list[int] = []
    for level in levels:
        for k in level:
            place = bisect(earlier, k)
            around[k] = tuple(earlier[max(place - 1, 0) : place + 1])
        earlier = sorted([*earlier, *level])
    return around


def warm_starts(levels: Sequence[Sequence[int]], certified: Container[int]) -> dict[int, int | None]:
    """Each k to certify, coarse first, and the k of its warm start: the nearest certified or of an earlier level.

    None if that is too far to be useful: such a k can run at any time.

    >>> warm_starts([(2, 40), (20,), (30, 36)], {20})
    {2: None, 40: None, 30: None, 36: 40}
    """
    sources: dict[int, int | None] = {}
    earlier = {k for level in levels for k in level if k in certified}
    for level in levels:
        for k in level:
            if k not in certified:
                nearest = min(earlier, key=lambda other: (max(other, k) / min(other, k), other), default=None)
                sources[k] = nearest if nearest is not None and is_neighbour(k, nearest) else None
        earlier |= set(level)
    return sources
