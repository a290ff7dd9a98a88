"""Play k: packs a path for the browser, which draws the component growing and the dot that runs along the curve."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from nnspca.bounds import carried
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component
from nnspca.view.session import canvas, scene
from nnspca.view.words import ceil

HOME = Path(__file__).parent / "browser"
SCRIPTS = ("path.js", "curve.js", "player.js", "component.js")
HEIGHT = 536  # pixels, on a phone as on a desk: what stands below is not moved when the player arrives
LISTED = 24  # names sent for each k where features are a list

_mount = canvas.component("play", HOME, SCRIPTS)


def payload(
    parts: Mapping[int, Component],
    certificates: Mapping[int, Certificate],
    data: Dataset,
    backdrop: np.ndarray | None,
    leading: float,
    *,
    least: float,
    k: int,
    about: str,
    note: str = "",
) -> dict[str, Any]:
    """Return all the browser needs to play a path; shares are of λ₁, a ceiling's rounded up.

    ``least`` is the least variance of a feature, by which a ceiling holds at every larger k as
    well.
    """
    ks = sorted(parts)
    supports = [parts[at].support for at in ks]
    weights = [parts[at].loadings[support] for at, support in zip(ks, supports, strict=True)]
    heavy = {
        int(i)
        for support, w in zip(supports, weights, strict=True)
        for i in support[np.argsort(-np.abs(w), kind="stable")[:LISTED]]
    }
    unit = leading or 1.0
    proven = {at: certificate.upper for at, certificate in certificates.items()}
    ceilings = carried.along(ks, proven, least) if proven else []
    content = {
        "about": about,
        "n": data.n_features,
        "k": k,
        "noun": scene.noun(data),
        "note": note,
        "ks": ks,
        "shares": [parts[at].variance / unit for at in ks],
        # λ₁ itself is a ceiling: what rounding adds to its share is not said
        "ceilings": [ceil(min(value / unit, 1.0), 9) for value in ceilings],
        "proven": sorted(certificates),
        "starts": canvas.pack(np.cumsum([0, *map(len, supports)]), "i4"),
        "support": canvas.pack(np.concatenate([*supports, []]), "i4"),
        "weights": canvas.pack(np.concatenate([*weights, []]), "f4"),
        "scene": scene.packed(data, backdrop, sorted(heavy)),
    }
    signature = hashlib.sha256(repr(content).encode()).hexdigest()[:16]
    return {**content, "signature": signature, "colours": canvas.colours()}


def show(content: dict[str, Any], on_k: Callable[[], None], key: str = "play") -> Any:
    """Mount the player; ``on_k`` is called each time it has come to rest, its ``k`` is where, and None otherwise."""
    return _mount(key=key, data=content, height=HEIGHT, on_k_change=on_k)
