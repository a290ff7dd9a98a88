"""The sphere on a canvas: packs the recorded search for the browser, which plays it, here or in a file of its own."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from nnspca.view import words
from nnspca.view.link import canvas
from nnspca.view.spannogram.canvas import BROWSER, page
from nnspca.view.spannogram.globe import Globe

SCRIPTS = ("ball.js", "closing.js", "rounds.js")
TINTS = 240  # sets told apart by colour

_mount = canvas.component("sphere", BROWSER, SCRIPTS)


def payload(world: Globe, nonnegative: bool, verdicts: list[str], note: str) -> dict[str, Any]:
    """Return all the browser needs to play the rounds; ``verdicts`` is what is known after each."""
    rounds, cells = world.rounds, world.record
    # The best value may lie between the grid's nodes.
    most = max([float(world.objective.max(initial=0.0)), *(round_.value for round_ in rounds)]) or 1.0
    content = {
        "nonnegative": nonnegative,
        "side": world.side,
        "most": most,
        "mostText": words.number(most),
        "objective": canvas.pack(np.floor(255 * world.objective / most), "u1"),
        "supports": canvas.pack(world.supports % TINTS, "u1"),
        "points": canvas.pack(cells.points, "f4"),
        "corners": int(cells.cells.shape[1]),
        "cells": canvas.pack(cells.cells, "i4"),
        "born": canvas.pack(cells.born, "u1"),
        "gone": canvas.pack(cells.gone, "u1"),
        "closes": canvas.pack(cells.closes, "u1"),
        "best": canvas.pack(np.array([round_.direction for round_ in rounds]), "f4"),
        "values": [round_.value for round_ in rounds],
        "uppers": [round_.upper for round_ in rounds],
        "valuesText": [words.number(round_.value) for round_ in rounds],
        "uppersText": [words.number(round_.upper, up=True) for round_ in rounds],
        "open": [int(round_.open.sum()) for round_ in rounds],
        "examined": [round_.examined for round_ in rounds],
        "plain": f"{world.plain:,}" if world.plain < 10**7 else words.number(float(world.plain)),
        "verdicts": verdicts,
        "note": note,
    }
    signature = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
    return {**content, "signature": signature, "colours": canvas.colours()}


def show(content: dict[str, Any], *, first_round: int, by_set: bool, flat: bool) -> None:
    """Mount the player, which begins at ``first_round``; playback sends nothing to the server."""
    _mount(key="sphere", data={**content, "at": first_round, "bySet": by_set, "flat": flat})


def standalone_page(content: dict[str, Any], title: str) -> str:
    """Return the player as a web page that needs no network and no server."""
    return page("sphere", SCRIPTS, {**content, "at": 0, "bySet": False, "flat": False}, title)
