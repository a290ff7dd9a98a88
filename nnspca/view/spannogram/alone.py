"""A player as a web page of its own, which needs no network and no server."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

from nnspca.view.figures.style import DARK, LIGHT
from nnspca.view.link import canvas

BROWSER = Path(__file__).with_name("browser")


def page(name: str, scripts: Sequence[str], content: dict[str, Any], title: str) -> str:
    """Return the component ``name`` with its content as a web page."""
    texts = [(canvas.SHARED / script).read_text(encoding="utf-8") for script in canvas.COMMON]
    texts += [(BROWSER / script).read_text(encoding="utf-8") for script in scripts]
    return Template((BROWSER / "alone.html").read_text(encoding="utf-8")).substitute(
        title=html.escape(title),
        style=(BROWSER / f"{name}.css").read_text(encoding="utf-8"),
        body=(BROWSER / f"{name}.html").read_text(encoding="utf-8"),
        scripts="\n".join(texts).replace("export default function", "function mount"),
        given=json.dumps(content).replace("<", "\\u003c"),  # no word of it ends the script it stands in
        **{
            f"{name}_{part}": getattr(look, part)
            for name, look in (("light", LIGHT), ("dark", DARK))
            for part in ("ink", "paper", "empty", "grid", "found")
        },
    )
