"""What the spannogram page works out about its curves: sets, crossings; kept by the rows' own bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from nnspca.spannogram import curves, enumeration
from nnspca.view import words

ALL_CROSSINGS = 60  # rows up to which every crossing is marked, not only those that change the top set
ALL_CURVES = 600  # rows up to which every curve is drawn
MUTED = 240  # other curves drawn for company where not all are
STEPS = 720  # samples of the objective over half a circle


@dataclass(frozen=True, eq=False)
class Picture:
    """Everything about n curves over an angle that is not drawing.

    Attributes
    ----------
    found : curves.Regions
    ids : ndarray of int, shape (regions,)
        Which candidate support each region has, by order of first appearance; −1 for the empty one.
    optimum : curves.Optimum
    objective : ndarray
        g at evenly spaced angles over the whole range.
    meetings : curves.Crossings or None
        All crossings, where they are few.
    drawn : ndarray of int
        The curves worth drawing one by one.
    ever : ndarray of int
        The curves that are in the top set somewhere.
    bound : int
        How many candidates the paper allows.
    """

    found: curves.Regions
    ids: np.ndarray
    optimum: curves.Optimum
    objective: np.ndarray
    meetings: curves.Crossings | None
    drawn: np.ndarray
    ever: np.ndarray
    bound: int

    @property
    def candidates(self) -> int:
        """Number of different candidate supports."""
        return int(self.ids.max(initial=-1)) + 1


@st.cache_resource(show_spinner="Finding where the top set changes …", max_entries=24)
def _picture(rows: bytes, n: int, k: int, nonnegative: bool) -> Picture:
    V = np.frombuffer(rows).reshape(n, 2)
    found = curves.regions(V, k, nonnegative=nonnegative)
    ever = np.unique(np.concatenate([found.first, found.entering[found.entering >= 0]]))
    return Picture(
        found,
        _numbered(found, n),
        curves.optimum(V, k, nonnegative=nonnegative, found=found),
        _objective(V, k, found, nonnegative),
        curves.crossings(V, nonnegative=nonnegative) if n <= ALL_CROSSINGS else None,
        _worth_drawing(ever, n),
        ever,
        enumeration.candidate_bound(n, 2, nonnegative),
    )


def picture(V: np.ndarray, k: int, nonnegative: bool) -> Picture:
    """Work out the curves of V, shape (n, 2); kept by the rows' own bytes, so nothing is ever stale."""
    return _picture(np.ascontiguousarray(V, dtype=float).tobytes(), len(V), k, nonnegative)


def _numbered(found: curves.Regions, n: int) -> np.ndarray:
    """Number the different sets by first appearance: each feature has a random 64-bit sign, a set their sum."""
    signs = np.random.default_rng(0).integers(1, 2**63, n + 1, dtype=np.uint64)
    signs[-1] = 0  # nobody
    steps = signs[found.entering] - signs[found.leaving]
    sums = signs[found.first].sum(dtype=np.uint64) + np.concatenate([[np.uint64(0)], np.cumsum(steps, dtype=np.uint64)])
    gains = (found.entering >= 0).astype(int) - (found.leaving >= 0)
    sizes = len(found.first) + np.concatenate([[0], np.cumsum(gains)])
    numbers: dict[int, int] = {}
    return np.array(
        [numbers.setdefault(int(s), len(numbers)) if size else -1 for s, size in zip(sums, sizes, strict=True)],
        dtype=np.int32,
    )


def _objective(V: np.ndarray, k: int, found: curves.Regions, nonnegative: bool) -> np.ndarray:
    angles = np.linspace(found.start, found.end, STEPS * (2 if nonnegative else 1) + 1)
    pieces = np.array_split(angles, max(1, len(angles) * len(V) // 2_000_000))
    return np.concatenate([curves.objective(V, k, piece, nonnegative=nonnegative) for piece in pieces])


def _worth_drawing(ever: np.ndarray, n: int) -> np.ndarray:
    """All curves where they are few; else those that reach the top set, and some others for company."""
    if n <= ALL_CURVES:
        return np.arange(n)
    rng = np.random.default_rng(0)
    reach = ever if len(ever) <= ALL_CURVES else rng.choice(ever, ALL_CURVES, replace=False)
    return np.union1d(reach, rng.choice(n, min(MUTED, n), replace=False))


def left_out(picture: Picture, n: int) -> str:
    """Say which curves are not drawn, if any."""
    if len(picture.drawn) == n:
        return ""
    reach = (
        "every curve that is ever in the top set"
        if len(picture.ever) <= ALL_CURVES
        else (f"{ALL_CURVES} of the {len(picture.ever):,} curves that are ever in the top set")
    )
    return (
        f"Of {n:,} curves {len(picture.drawn):,} are drawn: {reach}, and a random few of the others. All are counted."
    )


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
    return f"about 10{str(len(str(ways)) - 1).translate(words.RAISED)}"
