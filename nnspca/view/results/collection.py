"""Gallery of the data sets: cards with a picture and a proven share, both computed beforehand."""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

from nnspca.datasets import DatasetInfo
from nnspca.view import foreign
from nnspca.view.session import catalogue, gallery, preview
from nnspca.view.session.gallery import Card
from nnspca.view.session.state import State
from nnspca.view.words import fixed

BEFOREHAND = Path(__file__).parent / "collection.json"  # written by `python -m tests.gallery`


@cache
def beforehand() -> dict[str, dict[str, Any]]:
    """Return what was computed beforehand, by data set: share, k, preprocessing, content hash and picture."""
    made: dict[str, dict[str, Any]] = json.loads(BEFOREHAND.read_text(encoding="utf-8"))
    return made


def cards(now: State) -> None:
    """Show a card for each data set; a press opens it in its own view."""
    infos = catalogue.infos()
    gallery.show(
        "gallery",
        "Data sets",
        [_card(name, info) for name, info in infos.items()],
        now.data,
        lambda name: catalogue.use(name, infos[name].shape[1]),
    )


def _card(name: str, info: DatasetInfo) -> Card:
    made = beforehand().get(name)
    says = info.description.split(". ")[0].rstrip(".") + "."
    return Card(
        name,
        foreign.line(info.title),
        says if info.local else f"{says} Not on this machine yet.",
        f"k = {made['k']}: at least {fixed(made['share'], 1)} % of the best, proven beforehand" if made else "",
        made["picture"] if made else _own(name),
    )


def _own(name: str) -> str:
    """Return the picture of a data set that was brought; empty for any other."""
    data = catalogue.uploads().get(name)
    return "" if data is None else base64.b64encode(preview.thumbnail(data)).decode()
