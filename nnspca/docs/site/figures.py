"""Figures of the gallery: each carries its own numbers, and all share one copy of Plotly's script."""

from __future__ import annotations

import shutil
from pathlib import Path
from textwrap import indent
from typing import Any

from plotly.graph_objects import Figure
from plotly.offline import get_plotlyjs

PICTURES = Path(__file__).parents[1] / "pictures"  # of each example, written by `python -m tests.stored gallery`
SCRIPT = "plotly.min.js"


def scraper(_block: Any, told: dict[str, Any], _settings: dict[str, Any]) -> str:
    """Return an example's figures for its page, and give sphinx-gallery its small picture."""
    name = Path(told["src_file"]).stem
    if (PICTURES / f"{name}.png").exists():
        shutil.copy(PICTURES / f"{name}.png", next(told["image_path_iterator"]))
    figures = [thing for thing in told["example_globals"].values() if isinstance(thing, Figure)]
    return "".join(_in_page(figure, f"{name}-{i}") for i, figure in enumerate(figures))


def write_script(static: Path) -> None:
    """Write Plotly's script into the site."""
    (static / SCRIPT).write_text(get_plotlyjs(), encoding="utf-8")


def _in_page(figure: Figure, name: str) -> str:
    settings = {"displaylogo": False, "responsive": True}
    drawn = figure.to_html(full_html=False, include_plotlyjs=False, div_id=name, config=settings)
    title = figure.layout.title.text or "figure"
    script = f'<script src="../_static/{SCRIPT}"></script>'
    html = f'{script}<div class="plotly-figure" role="img" aria-label="{title}">{drawn}</div>'
    return f"\n.. raw:: html\n\n{indent(html, '    ')}\n\n"
