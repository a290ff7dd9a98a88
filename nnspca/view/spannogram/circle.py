"""The circle: the rows that are drawn, sets and crossings of their curves, and the canvas that turns it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from nnspca.datasets import Dataset
from nnspca.result import rounded
from nnspca.spannogram import curves, enumeration
from nnspca.view.link.canvas import component, pack, signed
from nnspca.view.subject import Subject
from nnspca.view.ui import component as picturing

DRAGGED = 12  # rows up to which a curve can be dragged
FARTHEST = 1_000_000

# In the plane of the first two columns: crossings well apart, curves that cross zero, and sets
# whose leading direction lies outside the directions they allow.
EXAMPLE = np.array([[-1.2, -0.4, 0.9], [0.2, 0.9, 1.1], [1.9, 0.1, -0.3], [0.8, 1.9, 0.4]])
BROWSER = Path(__file__).with_name("browser")
SCRIPTS = ("mathematics.js", "captions.js", "plot.js", "panels.js", "turning.js", "player.js", "input.js")
ALL_CURVES = 60  # rows up to which every curve is drawn and every crossing marked
DRAWN = 30  # curves drawn of more rows: those that are in the set over the widest angles
OBJECTIVE_SAMPLES = 720  # samples of the objective over half a turn
TINTS = (0, 1, 2, 3, 5)  # colours of a palette's series for curves in the set: without the grey
EDGE = 240  # samples of the envelope of the other curves over a turn
_mount = component("spannogram", BROWSER, SCRIPTS)


@dataclass(frozen=True, eq=False)
class Rows:
    """What is drawn: one row of V for each curve, and what the rows stand for."""

    V: np.ndarray  # shape (n, d)
    names: tuple[str, ...] = ()  # empty where rows are just numbered
    scene: dict[str, Any] | None = None  # the image, or the axis, on which the features lie


def example(rank: int) -> np.ndarray:
    """Return the four rows that show everything there is to see, shape (4, rank)."""
    return EXAMPLE[:, :rank].copy()


def random(n: int, rank: int, seed: int) -> np.ndarray:
    """Return rows of independent normal entries, rounded so that they can be read, shape (n, rank)."""
    return np.round(np.random.default_rng(seed).standard_normal((n, rank)), 2)


def most_directions(data: Dataset) -> int:
    """Return how many eigenvectors a person may choose from."""
    samples = data.n_features if data.kind == "covariance" else data.X.shape[0]
    return min(8, data.n_features, samples)


def of_data(subject: Subject, d: int) -> Rows:
    """Return the rows of the ``d`` leading eigenvectors, each scaled by its deviation.

    Of two, the first is the column of cos φ: at φ = 0, in the middle of the picture, the direction
    is that eigenvector's own.
    """
    data = subject.data
    eigenvalues, vectors = subject.cov.eigenpairs(d)
    signs = np.where(vectors.sum(axis=0) < 0, -1.0, 1.0)  # an eigenvector's sign is free: mostly positive reads best
    V = vectors * signs * np.sqrt(np.maximum(eigenvalues, 0.0))
    lies = data.image_shape is not None or data.axis is not None
    scene = picturing.features_payload(data, picturing.mean_sample(data), ()) if lies else None
    names = tuple(picturing.feature_names(data, range(data.n_features)).values())
    return Rows(V[:, ::-1] if d == 2 else V, names, scene)


def rows_in_link(V: np.ndarray) -> str:
    """Return rows as a link carries them.

    >>> rows_in_link(np.array([[1.0, -0.5], [2.25, 0.0]]))
    '1,-0.5;2.25,0'
    """
    return ";".join(",".join(f"{x:.6g}" for x in row) for row in V)


def read_link(text: str, shape: tuple[int, int]) -> np.ndarray:
    """Read rows from a link.

    Raises ValueError: when the text is not rows of numbers of this shape, or no curve could be drawn of them.

    >>> read_link("1,-0.5;2.25,0", (2, 2))
    array([[ 1.  , -0.5 ],
           [ 2.25,  0.  ]])
    >>> read_link("1,-0.5;1e9,0", (2, 2))
    Traceback (most recent call last):
        ...
    ValueError: Row 2 of the link has a number that is not between -1,000,000 and 1,000,000.
    """
    pieces = [row.split(",") for row in text.split(";")]
    n, d = shape
    if len(pieces) != n or any(len(row) != d for row in pieces):
        raise ValueError(f"The numbers in the link are not {n} rows of {d}.")
    try:
        V = np.array([[float(piece) for piece in row] for row in pieces])
    except ValueError:
        raise ValueError("The link contains a number that cannot be read.") from None
    for row in np.flatnonzero(~(np.abs(V) <= FARTHEST).all(axis=1)):
        raise ValueError(f"Row {row + 1} of the link has a number that is not between {-FARTHEST:,} and {FARTHEST:,}.")
    if not V.any():
        raise ValueError("All numbers of the link are zero, so every curve is flat.")
    return V


@dataclass(frozen=True, eq=False)
class CircleCurves:
    """Everything about n curves over an angle that is not drawing."""

    regions: curves.Regions  # where the set of the k highest curves changes, over a whole turn, −90° to 270°
    # shape (regions,): which candidate support each region has, by order of first appearance; −1 for the empty one
    ids: np.ndarray
    optimum: curves.Optimum
    objective: np.ndarray  # g at evenly spaced angles over the whole turn
    meetings: curves.Crossings | None  # all crossings, where they are few
    shown: np.ndarray  # the curves that are drawn one by one
    ever: np.ndarray  # the curves that are in the set somewhere
    tints: np.ndarray  # shape (n,): which of ``TINTS`` each curve has while it is in the set
    envelope: np.ndarray | None  # shape (2, samples): the lowest and highest value of the other curves over the turn
    bound: int  # how many candidates the paper allows

    @property
    def candidates(self) -> int:
        """Number of different candidate supports."""
        return int(self.ids.max(initial=-1)) + 1


@st.cache_resource(
    show_spinner="Finding where the set changes …", max_entries=24, hash_funcs={np.ndarray: np.ndarray.tobytes}
)
def curves_of(V: np.ndarray, k: int, nonnegative: bool) -> CircleCurves:
    """Work out the curves of V, shape (n, 2); kept by the rows' own bytes, so nothing is ever stale."""
    n = len(V)
    regions = curves.regions(V, k, nonnegative=nonnegative)
    turn = regions if nonnegative else _twice(regions)
    ever = np.unique(np.concatenate([regions.first, regions.entering[regions.entering >= 0]]))
    shown = np.arange(n) if n <= ALL_CURVES else _longest(turn, ever)
    angles = np.linspace(turn.start, turn.end, 2 * OBJECTIVE_SAMPLES + 1)
    pieces = np.array_split(angles, max(1, len(angles) * n // 2_000_000))
    return CircleCurves(
        turn,
        _numbered(turn, n),
        curves.optimum(V, k, nonnegative=nonnegative, precomputed=regions),
        np.concatenate([curves.objective(V, k, piece, nonnegative=nonnegative) for piece in pieces]),
        curves.crossings(V, nonnegative=nonnegative) if n <= ALL_CURVES else None,
        shown,
        ever,
        _tints(turn, n),
        _envelope(np.delete(V, shown, axis=0), turn, nonnegative) if len(shown) < n else None,
        enumeration.candidate_bound(n, 2, nonnegative),
    )


def _numbered(regions: curves.Regions, n: int) -> np.ndarray:
    """Number the different sets by first appearance: each feature has a random 64-bit sign, a set their sum."""
    signs = np.random.default_rng(0).integers(1, 2**63, n + 1, dtype=np.uint64)
    signs[-1] = 0  # none
    steps = signs[regions.entering] - signs[regions.leaving]
    sums = signs[regions.first].sum(dtype=np.uint64) + np.concatenate(
        [[np.uint64(0)], np.cumsum(steps, dtype=np.uint64)]
    )
    gains = (regions.entering >= 0).astype(int) - (regions.leaving >= 0)
    sizes = len(regions.first) + np.concatenate([[0], np.cumsum(gains)])
    numbers: dict[int, int] = {}
    return np.array(
        [numbers.setdefault(int(s), len(numbers)) if size else -1 for s, size in zip(sums, sizes, strict=True)],
        dtype=np.int32,
    )


def _twice(regions: curves.Regions) -> curves.Regions:
    """Return a half turn of magnitudes as a whole one: the opposite direction has the same ones."""
    last = regions.support(len(regions) - 1)
    out, new = np.setdiff1d(last, regions.first), np.setdiff1d(regions.first, last)  # none, but for ties at the seam
    seam = max(len(out), len(new))
    leaving, entering = (np.pad(side, (0, seam - len(side)), constant_values=-1) for side in (out, new))
    return curves.Regions(
        regions.start,
        regions.end + np.pi,
        regions.first,
        np.concatenate([regions.angles, np.full(seam, regions.end), regions.angles + np.pi]),
        np.concatenate([regions.leaving, leaving, regions.leaving]),
        np.concatenate([regions.entering, entering, regions.entering]),
    )


def _tints(turn: curves.Regions, n: int) -> np.ndarray:
    """Give each curve the colour that fewest others have when it first enters the set; few curves one each."""
    tints = np.arange(n) % len(TINTS)
    if n <= len(TINTS):
        return tints
    used, known = [0] * len(TINTS), set()
    for out, new in zip(
        [-1] * len(turn.first) + turn.leaving.tolist(), turn.first.tolist() + turn.entering.tolist(), strict=True
    ):
        if out >= 0:
            used[tints[out]] -= 1
        if new >= 0:
            if new not in known:
                known.add(new)
                tints[new] = used.index(min(used))
            used[tints[new]] += 1
    return tints


def _longest(turn: curves.Regions, ever: np.ndarray) -> np.ndarray:
    """Return the curves that are in the set over the widest angles, ascending."""
    if len(ever) <= DRAWN:
        return ever
    width = np.zeros(int(ever.max()) + 1)
    width[turn.first] -= turn.start
    came, went = turn.entering >= 0, turn.leaving >= 0
    np.subtract.at(width, turn.entering[came], turn.angles[came])
    np.add.at(width, turn.leaving[went], turn.angles[went])
    width[turn.support(len(turn) - 1)] += turn.end
    return np.sort(np.argsort(-width, kind="stable")[:DRAWN])


def _envelope(V: np.ndarray, turn: curves.Regions, nonnegative: bool) -> np.ndarray:
    """Return the lowest and the highest of some curves over a turn, shape (2, EDGE + 1)."""
    values = curves.values(V, np.linspace(turn.start, turn.end, EDGE + 1))
    heights = values if nonnegative else np.abs(values)
    return np.stack([heights.min(axis=1), heights.max(axis=1)])


def choices(n: int, k: int, nonnegative: bool = True) -> str:
    """Return how many supports there are, of at most k features (of k, without sign), as people write it.

    >>> choices(4, 2), choices(4, 2, nonnegative=False), choices(361, 40)
    ('10', '6', 'about 10⁵³')
    """
    term, total = 1, 0
    for size in range(1, k + 1):
        term = term * (n - size + 1) // size
        total += term
    ways = total if nonnegative else term
    if ways < 10**7:
        return f"{ways:,}"
    return f"about 10{str(len(str(ways)) - 1).translate(rounded.RAISED)}"


def curves_payload(rows: Rows, k: int, nonnegative: bool, named: Sequence[int]) -> dict[str, Any]:
    """Return what the browser knows of the curves themselves, with the names of those ``named``."""
    n = len(rows.V)
    return {
        "n": n,
        "k": k,
        "nonnegative": nonnegative,
        "V": pack(rows.V, "f8" if n <= 2000 else "f4"),
        "numbered": not rows.names,
        "names": {str(i): rows.names[i] for i in named} if rows.names else {},
    }


def payload(rows: Rows, k: int, nonnegative: bool, picture: CircleCurves) -> dict[str, Any]:
    """Return all the browser needs to draw and animate these curves."""
    regions, n = picture.regions, len(rows.V)
    named = range(n) if picture.meetings is not None else picture.ever.tolist()
    meet = picture.meetings
    content = {
        **curves_payload(rows, k, nonnegative, named),
        "first": pack(regions.first, "i4"),
        "angles": pack(regions.angles, "f8"),
        "leaving": pack(regions.leaving, "i4"),
        "entering": pack(regions.entering, "i4"),
        "ids": pack(picture.ids, "i4"),
        "candidates": picture.candidates,
        "bound": picture.bound,
        "choices": choices(n, k, nonnegative),
        "optimum": {"phi": picture.optimum.phi, "value": picture.optimum.value},
        "objective": pack(picture.objective, "f4"),
        "crossings": None
        if meet is None
        else {"angles": pack(meet.angles, "f8"), "i": pack(meet.i, "i4"), "j": pack(meet.j, "i4")},
        "drawn": pack(picture.shown, "i4"),
        "envelope": None
        if picture.envelope is None
        else {
            "low": pack(picture.envelope[0], "f4"),
            "high": pack(picture.envelope[1], "f4"),
            "others": n - len(picture.shown),
        },
        "tints": pack(picture.tints, "u1"),
        "editable": not rows.names and n <= DRAGGED,
        "scene": rows.scene,
    }
    return signed(content)


def show(data: dict[str, Any], *, phi: float, speed: float) -> Any:
    """Mount the animation; return what it says: ``row``, [i, a, b] in the run after row i was dragged to (a, b)."""
    return _mount(key="spannogram", data={**data, "phi": phi, "speed": speed}, on_row_change=lambda: None)
