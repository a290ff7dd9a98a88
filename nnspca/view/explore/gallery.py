"""The gallery: one card for each data set, with a picture and a proven share, both computed beforehand."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from nnspca.view import foreign
from nnspca.view.session import canvas, sidebar, store
from nnspca.view.session.state import State
from nnspca.view.words import fixed

HOME = Path(__file__).parent / "browser"
BEFOREHAND = HOME.parent / "gallery.json"  # written by `python -m tests.gallery`

_mount = canvas.component("gallery", HOME, ("gallery.js",))


@cache
def beforehand() -> dict[str, dict[str, Any]]:
    """Return what was computed beforehand, by data set: share, k, preprocessing, content hash and picture."""
    made: dict[str, dict[str, Any]] = json.loads(BEFOREHAND.read_text(encoding="utf-8"))
    return made


def cards(now: State) -> None:
    """Show a card for each data set; a press opens it in its own view."""
    infos = store.catalogue()

    def choose() -> None:
        name = st.session_state["gallery"].chosen
        if name in infos:
            sidebar.use(name, infos[name].shape[1])

    content = []
    for name, info in infos.items():
        made = beforehand().get(name)
        content.append(
            {
                "name": name,
                "title": foreign.line(info.title),
                "says": info.description.split(". ")[0].rstrip(".") + ".",
                "share": _share(made) if made else "",
                "picture": made["picture"] if made else "",
                "local": info.local,
            }
        )
    _mount(key="gallery", data={"cards": content, "here": now.data}, on_chosen_change=choose)


def _share(made: dict[str, Any]) -> str:
    """Say what was proven beforehand."""
    return f"k = {made['k']}: at least {fixed(made['share'], 1)} % of the best, proven beforehand"
