"""Parts on one face: every part in its own colour over the mean, with a list of the parts that shows and hides them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nnspca.datasets import Dataset
from nnspca.result import Components, sentences, wording
from nnspca.view import sanitize
from nnspca.view.link import canvas
from nnspca.view.parts.figures.over_mean import COLOURS
from nnspca.view.sources import store
from nnspca.view.ui import scene
from nnspca.view.words import percent

HOME = Path(__file__).parent / "browser"
NAMED = 8  # features of a part whose names are sent where they are a list
_mount = canvas.component("face", HOME, ("face.js",))


def show(parts: Components, data: Dataset) -> None:
    """Show parts whose loadings are nonnegative, all on one picture."""
    _mount(key="face", data=payload(parts, data))


def payload(parts: Components, data: Dataset) -> dict[str, Any]:
    """Return what the browser draws: the scene, and each part's features, colour and share of the total variance."""
    noun, listed, named, unlisted = scene.noun(data), [], set(), scene.unlisted(data)
    for r, part in enumerate(parts.parts):
        support = part.support
        many = noun if len(support) != 1 else noun.removesuffix("s")
        heavy = [i for i in wording.heaviest(part) if i not in unlisted][:NAMED]
        named |= set(heavy)
        where = ""
        if data.image_shape is not None:
            where = sentences.pixels(support, data.image_shape)
        elif data.axis is not None:
            where = sentences.along(support, data.axis.values, f"{data.axis.name} ({data.axis.unit})")
        called = [] if where else [str(data.feature_names[i]) for i in heavy]
        listed.append(
            {
                "support": canvas.pack(support, "i4"),
                "weights": canvas.pack(part.loadings[support], "f4"),
                "colour": COLOURS[r % len(COLOURS)],
                "says": f"{len(support):,} {many} · {percent(part.variance / (parts.total or 1.0), 1)}",
                "where": where,
                "names": [sanitize.line(name, sanitize.NAME) for name in called],
            }
        )
    content = {
        "noun": noun,
        "parts": listed,
        "scene": scene.packed(data, store.mean(data), sorted(named)),
    }
    return canvas.signed(content)
