"""The rows the spannogram page draws: the four of the lesson, random ones, dragged ones, or the data's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Axis, Dataset
from nnspca.view import sanitize
from nnspca.view.link.state import State
from nnspca.view.sources import store

DRAGGED = 12  # rows up to which a curve can be dragged
LARGEST = 1_000_000

# In the plane of the first two columns: crossings well apart, curves that cross zero, and sets
# whose leading direction lies outside the directions they allow.
EXAMPLE = np.array([[-1.2, -0.4, 0.9], [0.2, 0.9, 1.1], [1.9, 0.1, -0.3], [0.8, 1.9, 0.4]])


@dataclass(frozen=True, eq=False)
class Rows:
    """What is drawn: one row of V for each curve, and what the rows stand for."""

    V: np.ndarray  # shape (n, d)
    names: tuple[str, ...] = ()  # empty where rows are just numbered
    image_shape: tuple[int, int] | None = None
    place: np.ndarray | None = None  # shape (n,): position of each row among the features of the data
    axis: Axis | None = None  # a numeric coordinate of the rows


def example(rank: int) -> np.ndarray:
    """Return the four rows that show everything there is to see, shape (4, rank)."""
    return EXAMPLE[:, :rank].copy()


def random(n: int, rank: int, seed: int) -> np.ndarray:
    """Return rows of independent normal entries, rounded so that they can be read, shape (n, rank)."""
    return np.round(np.random.default_rng(seed).standard_normal((n, rank)), 2)


@st.cache_data(show_spinner="Finding the strongest directions …", max_entries=16)
def _directions(name: str, content_hash: str, standardise: bool, d: int, _cov: nnspca.Covariance) -> np.ndarray:
    eigenvalues, vectors = _cov.eigenpairs(d)
    signs = np.where(vectors.sum(axis=0) < 0, -1.0, 1.0)  # an eigenvector's sign is free: mostly positive reads best
    return vectors * signs * np.sqrt(np.maximum(eigenvalues, 0.0))


def most_directions(data: Dataset) -> int:
    """Return how many eigenvectors a person may choose from."""
    samples = data.n_features if data.kind == "covariance" else data.X.shape[0]
    return min(8, data.n_features, samples)


def of_data(data: Dataset, now: State, chosen: Sequence[int], m: int) -> Rows:
    """Return the ``m`` largest rows of the chosen eigenvectors (from 1), each scaled by its deviation.

    Of two, the first is the column of cos φ: at φ = 0, in the middle of the picture, the direction
    is that eigenvector's own.
    """
    every = _directions(
        data.name, data.content_hash, now.standardise, most_directions(data), store.covariance(data, now)
    )
    V = every[:, [a - 1 for a in (chosen if len(chosen) > 2 else reversed(chosen))]]
    strongest = np.argsort(-np.einsum("ij,ij->i", V, V), kind="stable")[:m]
    rows = np.sort(strongest)
    axis = None
    if data.axis is not None:
        axis = Axis(data.axis.values[rows], name=data.axis.name, unit=data.axis.unit)
    names = tuple(sanitize.line(str(data.feature_names[i]), sanitize.NAME) for i in rows)
    return Rows(V[rows], names, data.image_shape, rows, axis)


def write_link(V: np.ndarray) -> str:
    """Return rows as a link carries them.

    >>> write_link(np.array([[1.0, -0.5], [2.25, 0.0]]))
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
    for row in np.flatnonzero(~(np.abs(V) <= LARGEST).all(axis=1)):
        raise ValueError(f"Row {row + 1} of the link has a number that is not between {-LARGEST:,} and {LARGEST:,}.")
    if not V.any():
        raise ValueError("All numbers of the link are zero, so every curve is flat.")
    return V
