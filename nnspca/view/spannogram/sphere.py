"""The sphere of directions: what each is worth, the recorded search that closes in on the best, and its canvas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from nnspca.numerics import feasible
from nnspca.result import rounded
from nnspca.spannogram import enumeration, sphere
from nnspca.spannogram.sphere import Round
from nnspca.view.link import canvas
from nnspca.view.spannogram.circle import BROWSER, Rows, curves_payload

FINEST, COARSEST = 128, 24  # nodes along an edge of the cube's faces
WORK = 20_000_000  # entries of Vc worked out for the picture
PIECE = 2_000_000  # of them held at a time
SCRIPTS = ("captions.js", "turning.js", "ball.js", "closing.js", "rounds.js")

_mount = canvas.component("sphere", BROWSER, SCRIPTS)


@dataclass(frozen=True, eq=False)
class Record:
    """Every cell of a search once, with the rounds in which it is there."""

    points: np.ndarray  # shape (p, d): unit corners
    cells: np.ndarray  # shape (c, d'): corners of each cell
    # shape (c,): first round with the cell, first one without it, first one in which it is closed; for what never
    # happens, the number of rounds
    born: np.ndarray
    gone: np.ndarray
    closes: np.ndarray


@dataclass(frozen=True, eq=False)
class Sphere:
    """A sphere of directions with what each is worth, and the search that closes in on the best."""

    side: int  # nodes along an edge of the cube around the sphere
    objective: np.ndarray  # shape (6 side²,): g in the directions of the nodes
    ever: np.ndarray  # the features that are in the set at a node
    rounds: tuple[Round, ...]
    record: Record  # the cells of the rounds
    support: np.ndarray  # the optimum's
    plain: int  # how many directions plain enumeration would visit


@st.cache_resource(show_spinner="Searching the sphere …", max_entries=8, hash_funcs={np.ndarray: np.ndarray.tobytes})
def sphere_of(V: np.ndarray, k: int, nonnegative: bool) -> Sphere:
    """Work out the sphere of V, shape (n, 3); kept by the rows' own bytes, so nothing is ever stale."""
    n = len(V)
    side = int(min(max(math.sqrt(WORK / (6 * n)), COARSEST), FINEST))
    nodes = cube(side)
    worth, ever = [], np.zeros(n, dtype=bool)
    for piece in np.array_split(nodes, max(1, len(nodes) * n // PIECE)):
        tops = feasible.keep_top(piece @ V.T, k, nonnegative)
        worth.append((tops**2).sum(axis=1))
        ever |= tops.any(axis=0)
    rounds = tuple(sphere.trace(V, k, nonnegative=nonnegative))
    top = np.abs(feasible.keep_top(rounds[-1].direction[None] @ V.T, k, nonnegative))[0]
    return Sphere(
        side,
        np.concatenate(worth),
        np.flatnonzero(ever),
        rounds,
        record(rounds),
        np.flatnonzero(top > 1e-12 * top.max(initial=1e-300)),
        enumeration.vertices(n, 3, nonnegative),
    )


def cube(side: int) -> np.ndarray:
    """Return the unit directions of the nodes of a cube's faces, shape (6 side², 3).

    Faces come in the order +x, −x, +y, −y, +z, −z; on the face of axis a, rows run along axis a + 1
    and columns along axis a + 2, both from −1 to 1.

    >>> cube(2)[0] * 3**0.5, cube(3)[9 + 4]
    (array([ 1., -1., -1.]), array([-1.,  0.,  0.]))
    """
    u, v = (grid.ravel() for grid in np.meshgrid(*2 * [np.linspace(-1.0, 1.0, side)], indexing="ij"))
    faces = [
        np.roll(np.stack([np.full_like(u, sign), u, v], axis=1), axis, axis=1)
        for axis in range(3)
        for sign in (1.0, -1.0)
    ]
    nodes = np.concatenate(faces)
    return nodes / np.linalg.norm(nodes, axis=1, keepdims=True)


def record(rounds: Sequence[Round]) -> Record:
    """Return the cells of all rounds, each once."""
    every = np.concatenate([now.corners for now in rounds]) + 0.0  # no −0: it would count as another corner
    sizes = [len(now.corners) for now in rounds]
    at = np.repeat(np.arange(len(rounds)), sizes)
    points, corner = np.unique(every.reshape(-1, every.shape[2]), axis=0, return_inverse=True)
    cells, leaf = np.unique(corner.reshape(every.shape[:2]), axis=0, return_inverse=True)
    leaf, shut = leaf.ravel(), ~np.concatenate([now.open for now in rounds])
    born, closes = (np.full(len(cells), len(rounds)) for _ in range(2))
    gone = np.zeros(len(cells), dtype=int)
    np.minimum.at(born, leaf, at)
    np.maximum.at(gone, leaf, at + 1)
    np.minimum.at(closes, leaf[shut], at[shut])
    return Record(points, cells, born, gone, closes)


def payload(rows: Rows, k: int, nonnegative: bool, world: Sphere, verdicts: list[str], note: str) -> dict[str, Any]:
    """Return all the browser needs to play the rounds; ``verdicts`` is what is known after each."""
    rounds, cells = world.rounds, world.record
    # The best value may lie between the grid's nodes.
    most = max([float(world.objective.max(initial=0.0)), *(round_.value for round_ in rounds)]) or 1.0
    content = {
        **curves_payload(rows, k, nonnegative, world.ever.tolist()),
        "side": world.side,
        "most": most,
        "mostText": rounded.number(most),
        "objective": canvas.pack(np.floor(255 * world.objective / most), "u1"),
        "points": canvas.pack(cells.points, "f4"),
        "corners": int(cells.cells.shape[1]),
        "cells": canvas.pack(cells.cells, "i4"),
        "born": canvas.pack(cells.born, "u1"),
        "gone": canvas.pack(cells.gone, "u1"),
        "closes": canvas.pack(cells.closes, "u1"),
        "best": canvas.pack(np.array([round_.direction for round_ in rounds]), "f4"),
        "values": [round_.value for round_ in rounds],
        "uppers": [round_.upper for round_ in rounds],
        "valuesText": [rounded.number(round_.value) for round_ in rounds],
        "uppersText": [rounded.number(round_.upper, up=True) for round_ in rounds],
        "open": [int(round_.open.sum()) for round_ in rounds],
        "examined": [round_.examined for round_ in rounds],
        "plain": f"{world.plain:,}" if world.plain < 10**7 else rounded.number(float(world.plain)),
        "verdicts": verdicts,
        "note": note,
    }
    return canvas.signed(content)


def show(content: dict[str, Any], *, cells: bool, first_round: int) -> None:
    """Mount the player, with the ``cells`` it begins at ``first_round``; playback sends nothing to the server."""
    _mount(key="sphere", data={**content, "withCells": cells, "at": first_round})
