"""The spannogram on a canvas: packs the curves for the browser and mounts the component that animates them."""

from __future__ import annotations

import hashlib
import html
import json
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

from nnspca.view.figures.style import DARK, LIGHT
from nnspca.view.link.canvas import colours, component, pack, style, written
from nnspca.view.spannogram.geometry import Picture, choices
from nnspca.view.spannogram.rows import EDITABLE, Rows

BROWSER = Path(__file__).with_name("browser")
PICTURE = ("mathematics.js", "captions.js", "plot.js")  # the lesson draws with them too
SCRIPTS = (*PICTURE, "panels.js", "player.js", "input.js", "examples.js", "tour.js")


_mount = component("spannogram", BROWSER, SCRIPTS)


def page(name: str, scripts: Sequence[str], content: dict[str, Any], title: str) -> str:
    """Return the component ``name`` with its content as a web page."""
    return Template((BROWSER / "alone.html").read_text(encoding="utf-8")).substitute(
        title=html.escape(title),
        style=style(name, BROWSER),
        body=(BROWSER / f"{name}.html").read_text(encoding="utf-8"),
        scripts=written(BROWSER, scripts).replace("export default function", "function mount"),
        given=json.dumps(content).replace("<", "\\u003c"),  # no word of it ends the script it stands in
        **{
            f"{name}_{part}": getattr(look, part)
            for name, look in (("light", LIGHT), ("dark", DARK))
            for part in ("ink", "paper", "empty", "grid", "found")
        },
    )


def payload(rows: Rows, k: int, nonnegative: bool, picture: Picture) -> dict[str, Any]:
    """Return all the browser needs to draw and animate these curves."""
    V, regions, n = rows.V, picture.regions, len(rows.V)
    exact = "f8" if n <= 2000 else "f4"
    named = range(n) if picture.meetings is not None else picture.ever.tolist()
    content = hashlib.sha256(V.tobytes() + f"{k} {nonnegative} {rows.names}".encode()).hexdigest()
    meet = picture.meetings
    return {
        "signature": content[:16],
        "n": n,
        "k": k,
        "nonnegative": nonnegative,
        "V": pack(V, exact),
        "first": pack(regions.first, "i4"),
        "angles": pack(regions.angles, "f8"),
        "leaving": pack(regions.leaving, "i4"),
        "entering": pack(regions.entering, "i4"),
        "ids": pack(picture.ids, "i4"),
        "candidates": picture.candidates,
        "bound": picture.bound,
        "choices": choices(n, k, nonnegative),
        "optimum": {"phi": picture.optimum.phi, "value": picture.optimum.value},
        "objective": pack(picture.objective, "f4"),
        "crossings": None
        if meet is None
        else {"angles": pack(meet.angles, "f8"), "i": pack(meet.i, "i4"), "j": pack(meet.j, "i4")},
        "drawn": pack(picture.shown, "i4"),
        "envelope": None
        if picture.envelope is None
        else {
            "low": pack(picture.envelope[0], "f4"),
            "high": pack(picture.envelope[1], "f4"),
            "others": n - len(picture.shown),
        },
        "tints": pack(picture.tints, "u1"),
        "colours": colours(),
        "numbered": not rows.names,
        "names": {str(i): rows.names[i] for i in named} if rows.names else {},
        "editable": not rows.names and n <= EDITABLE,
        "image": None if rows.image_shape is None else list(rows.image_shape),
        "place": None if rows.place is None else pack(rows.place, "i4"),
        "axis": None
        if rows.axis is None
        else {"values": pack(rows.axis.values, "f8"), "name": rows.axis.name, "unit": rows.axis.unit},
    }


def show(data: dict[str, Any], *, phi: float, speed: float, step: float) -> Any:
    """Mount the animation; return what it says.

    ``view`` is ``{"phi", "speed"}`` where it last came to rest, or None; ``row`` is ``[i, a, b]`` in the run after
    row i was dragged to (a, b).
    """
    return _mount(
        key="spannogram",
        data={**data, "phi": phi, "speed": speed, "step": int(step)},
        on_view_change=lambda: None,
        on_row_change=lambda: None,
    )


def standalone_page(data: dict[str, Any], title: str) -> str:
    """Return the animation as a web page that needs no network and no server."""
    return page("spannogram", SCRIPTS, {**data, "editable": False, "phi": 0.35, "speed": 1.0, "step": 0}, title)
