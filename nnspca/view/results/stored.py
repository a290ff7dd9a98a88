"""Stored ledger: results of thorough runs that come with the package, written by ``python -m tests.ledger``.

One array file holds, for each data set in the view it opens with, the components and upper bounds at
some 25 k and at those that the documents name, and for 1 to 10 parts at the opening k. Loadings are
16-bit shares of the largest one: the variance that this loses is of the order of their rounding squared.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from nnspca.result import Component
from nnspca.view.results.ledger import Problem

FILE = Path(__file__).with_name("stored.npz")
METHOD = "best"
STEPS = 65535  # of the largest loading


@dataclass(frozen=True, eq=False)
class Record:
    """What is stored of one data set."""

    name: str
    content_hash: str
    standardise: bool
    n: int  # number of features
    opening: int  # the k that the data set opens with
    components: dict[int, tuple[Component, float]]  # by k: the component and the upper bound
    parts: dict[int, tuple[tuple[Component, ...], float]]  # by number of parts, at the opening k

    @property
    def problem(self) -> Problem:
        """The covariance and sign constraint that the record is about."""
        return self.content_hash, self.standardise, True


@cache
def records(file: Path = FILE) -> dict[str, Record]:
    """Return what is stored, by name of the data set."""
    with np.load(file, allow_pickle=False) as arrays:
        about = json.loads(str(arrays["about"]))
        return {name: _record(name, fields, arrays) for name, fields in about.items()}


def cardinalities(problem: Problem) -> tuple[int, ...]:
    """Return the k at which results of a problem are stored, ascending; none where it is not stored."""
    return next((tuple(sorted(record.components)) for record in records().values() if record.problem == problem), ())


def pack(loadings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the support and the 16-bit loadings of a nonnegative vector."""
    levels = np.rint(loadings / loadings.max() * STEPS).astype("<u2")
    support = np.flatnonzero(levels)
    return support.astype("<u2"), levels[support]


def unpack(support: np.ndarray, levels: np.ndarray, n: int) -> np.ndarray:
    """Return the unit vector that :func:`pack` has packed.

    >>> unpack(*pack(np.array([0.0, 0.6, 0.8])), 3).round(4).tolist()
    [0.0, 0.6, 0.8]
    """
    loadings = np.zeros(n)
    loadings[support] = levels.astype(float) / STEPS
    return loadings / np.linalg.norm(loadings)


def _record(name: str, fields: dict, arrays: np.lib.npyio.NpzFile) -> Record:
    def components(kind: str, ks: list[int]) -> list[Component]:
        support, levels = arrays[f"{name}/{kind}support"], arrays[f"{name}/{kind}levels"]
        starts = np.concatenate([[0], np.cumsum(fields[f"{kind}nonzeros"])]).astype(int)
        return [
            Component(unpack(support[a:b], levels[a:b], fields["n"]), variance, METHOD, k, True)
            for variance, k, (a, b) in zip(fields[f"{kind}lower"], ks, pairwise(starts.tolist()), strict=True)
        ]

    ks, opening = fields["ks"], fields["opening"]
    each = components("parts_", [opening] * len(fields["parts_nonzeros"]))
    starts = np.concatenate([[0], np.cumsum(fields["parts_of"])])
    grouped = [tuple(each[a:b]) for a, b in pairwise(starts.tolist())]
    return Record(
        name,
        fields["content_hash"],
        fields["standardise"],
        fields["n"],
        opening,
        dict(zip(ks, zip(components("", ks), fields["upper"], strict=True), strict=True)),
        dict(zip(fields["counts"], zip(grouped, fields["parts_upper"], strict=True), strict=True)),
    )
