"""Parts on one face: every part in its own colour over the mean, with a list of the parts that shows and hides them."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np

from nnspca.datasets import Dataset
from nnspca.result import Components
from nnspca.view import foreign
from nnspca.view.session import canvas, scene, store
from nnspca.view.words import fixed

HOME = Path(__file__).parent / "browser"
NAMED = 8  # features of a part whose names are sent where they are a list
# Okabe & Ito's colours for all kinds of sight; each part also wears its number.
COLOURS = ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#D55E00", "#CC79A7", "#3D8BFF", "#B5B5B5")

_mount = canvas.component("face", HOME, ("face.js",))


def show(title: str, parts: Components, data: Dataset) -> None:
    """Show parts whose loadings are nonnegative, all on one picture."""
    _mount(key="face", data=payload(title, parts, data))


def payload(title: str, parts: Components, data: Dataset) -> dict[str, Any]:
    """Return what the browser draws: the scene, and for each part its features, colour and share of all variance."""
    noun, listed, named = scene.noun(data), [], set()
    for r, part in enumerate(parts.parts):
        support = part.support
        weights = part.loadings[support]
        heavy = support[np.argsort(-np.abs(weights), kind="stable")[:NAMED]]
        named |= {int(i) for i in heavy}
        share = math.floor(1e4 * part.variance / (parts.total or 1.0)) / 100
        called = [] if data.image_shape or data.axis else [str(data.feature_names[i]) for i in heavy]
        listed.append(
            {
                "support": canvas.pack(support, "i4"),
                "weights": canvas.pack(weights, "f4"),
                "colour": COLOURS[r % len(COLOURS)],
                "says": f"{len(support):,} {noun} · {fixed(share, 2)} % of all variance",
                "names": [foreign.line(name, foreign.NAME) for name in called],
            }
        )
    content = {
        "title": title,
        "noun": noun,
        "parts": listed,
        "scene": scene.packed(data, store.mean(data), sorted(named)),
    }
    signature = hashlib.sha256(repr(content).encode()).hexdigest()[:16]
    return {**content, "signature": signature, "colours": canvas.colours()}
