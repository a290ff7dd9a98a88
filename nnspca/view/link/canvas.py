"""Custom browser components: arrays packed for the wire, both themes' colours; cards to choose from, and progress."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from nnspca.result.rounded import OPTIMAL
from nnspca.view import session
from nnspca.view.figures import style as look
from nnspca.view.figures.style import DARK, LIGHT, SIZES, Palette
from nnspca.view.link import state

BARE = re.compile(r"^ *//[^\n]*\n|^ */\*\*.*?\*/\n|^ +", re.MULTILINE | re.DOTALL)  # comments and margins of scripts
SHARED = Path(__file__).parent / "browser"
FRAME = str(SHARED / "frame.js")
COMMON = ("numbers.js", "shown.js", "news.js", "theme.js", "brush.js", "picture.js")
addresses: dict[str, str] = {}  # of the scripts of components, by name
# On two lines: Streamlit takes one for the path of a file.
IMPORTED = 'const script = await import(new URL("{}", document.baseURI));\nexport default script.default;'


def pack(array: np.ndarray, kind: str) -> dict[str, str]:
    """Return an array as text: ``kind`` is u1, u2, i2, i4, f4 or f8, little-endian.

    >>> pack(np.array([1, 2]), "i4")
    {'kind': 'i4', 'data': 'AQAAAAIAAAA='}
    """
    raw = np.ascontiguousarray(array, dtype=f"<{kind}").tobytes()
    return {"kind": kind, "data": base64.b64encode(raw).decode("ascii")}


def greys(image: np.ndarray) -> dict[str, str]:
    """Return an image as bytes, its darkest 0 and its brightest 255.

    >>> greys(np.array([0.0, 1.0, 2.0]))["data"]
    'AH//'
    """
    low, high = float(image.min()), float(image.max())
    return pack(np.floor(255 * (image - low) / ((high - low) or 1.0)), "u1")


def signature(content: object) -> str:
    """Return a short text by which the browser recognises a content."""
    return hashlib.sha256(repr(content).encode()).hexdigest()[:16]


def signed(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is drawn with its signature."""
    return {**content, "signature": signature(content)}


def value_from(key: str, field: str) -> Any:
    """Return what a component's browser half last sent; None where the page no longer has the component.

    A message can be on its way while the page is run again without the component: its callback then finds no state.
    """
    return getattr(st.session_state.get(key), field, None)


def written(home: Path, scripts: Sequence[str], shared: Sequence[str] = COMMON, dark: Palette = DARK) -> str:
    """Return the ``shared`` scripts and those of a component in ``home``, as one, with both palettes."""
    files = [*(SHARED / script for script in shared), *(home / script for script in scripts)]
    texts = (file.read_text(encoding="utf-8") for file in files)
    colours = json.dumps({"light": asdict(LIGHT), "dark": asdict(dark)})
    return BARE.sub("", "\n".join([f"const SIZES = {SIZES}, OPTIMAL = {OPTIMAL}, COLOURS = {colours};", *texts]))


def component_style(name: str, home: Path) -> str:
    """Return the style sheet of a component in ``home``, after what all share."""
    sheets = (file.read_text(encoding="utf-8") for file in (SHARED / "shared.css", home / f"{name}.css"))
    return "\n".join([f":host {{ {look.scale()} }}", *sheets])


def component(name: str, home: Path, scripts: Sequence[str], shared: Sequence[str] = COMMON) -> Callable[..., Any]:
    """Return a component of ``name``.html and ``name``.css in ``home`` and of scripts: one script, fetched once."""
    body = home / f"{name}.html"
    page = f"<style>{component_style(name, home)}</style>{body.read_text(encoding='utf-8')}" if body.exists() else ""
    script = f"const PAGE = {json.dumps(page)};\n{written(home, (*scripts, FRAME), shared)}"
    addresses[name] = session.keep_file(f"{name}.js", script.encode(), "text/javascript")
    return st.components.v2.component(f"nnspca-{name}", js=IMPORTED.format(addresses[name]))


_gallery = component("gallery", SHARED, ("gallery.js",), ("shown.js", "theme.js"))


@dataclass(frozen=True)
class Card:
    """One card."""

    name: str  # what a press chooses
    # its three lines
    title: str
    says: str
    foot: str = ""
    picture: str = ""  # its address, fetched once the card is in view; empty for none
    group: str = ""  # the heading it stands under; empty for none. Cards of one group follow each other.


def cards(
    key: str, label: str, cards: Sequence[Card], here: str, choose: Callable[[str], None], *, lay: str = ""
) -> None:
    """Draw the cards, the one that is ``here`` marked; ``choose`` is called with the name of a card pressed.

    A ``strip`` stands beside what is chosen and scrolls by itself; on a phone it lies in one row, as a ``row`` does.
    """

    def pressed() -> None:
        if (name := value_from(key, "chosen")) in {card.name for card in cards}:
            choose(name)

    data = {"label": label, "cards": [asdict(card) for card in cards], "here": here, "lay": lay}
    _gallery(key=key, data=data, on_chosen_change=pressed)


_progress = component("progress", SHARED, ("progress.js",), ("news.js",))


def progress(name: str, look: Callable[[], dict[str, object]], every: float) -> None:
    """Show progress, read every so many seconds; the page is run again once ``look`` has something to draw.

    A look is the ``fraction`` that is done, a ``text``, and whether to ``draw``.
    """
    key = f"progress-{name}"
    here = session.current()
    here.runs += 1
    _progress(
        key=key,
        data={
            **look(),
            "address": here.publish(key, lambda _: look()),
            "every": round(1000 * every),
            "assignments": state.assignments(),
            "run": here.runs,
        },
        on_draw_change=lambda: keep_choices(key, "draw"),
    )


def keep_choices(key: str, field: str) -> None:
    """Keep choices that the browser had not learned of when a component asked for a rerun."""
    seen = value_from(key, field)
    if seen is not None:
        state.assign_again(int(seen))


_link = component("link", SHARED, ("link.js",), ("theme.js",))


def write_link(keys: Set[str], says: Mapping[str, Sequence[str]], key: str) -> None:
    """Let the address say these values of these keys, and nothing of the others of them.

    Back, and the colours of another theme, are asked of the whole page, by the component of the ``key`` "link".

    Streamlit's own query parameters enter each change into the browser's history, twice: Back would need many presses,
    and would bring an address that the page is not about.
    """
    here = session.current()
    here.runs += 1

    def back() -> None:
        if asked := value_from("link", "back"):
            here.back, here.turn = str(asked["link"]), int(asked["turn"])

    data = {"keys": sorted(keys), "says": says, "choices": list(state.SHARED), "turn": here.turn, "run": here.runs}
    asks = {"on_back_change": back, "on_theme_change": lambda: None}  # a change of the theme is a run
    _link(key=key, data={**data, "part": key != "link", "theme": st.context.theme.type}, height=0, **asks)
