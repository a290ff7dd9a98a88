"""Figures in pages: each carries its own numbers, and all share one copy of Plotly's script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from plotly.offline import get_plotlyjs

SCRIPT = "plotly.min.js"


def in_page(figure: Any, place: str, name: str) -> str:
    """Return a figure as HTML for a page from which ``place`` leads to the site's static files."""
    drawn = figure.to_html(
        full_html=False, include_plotlyjs=False, div_id=name, config={"displaylogo": False, "responsive": True}
    )
    title = figure.layout.title.text or "figure"
    return (
        f'<script src="{place}/{SCRIPT}"></script>'
        f'<div class="plotly-figure" role="img" aria-label="{title}">{drawn}</div>'
    )


def write_script(static: Path) -> None:
    """Write Plotly's script into the site."""
    (static / SCRIPT).write_text(get_plotlyjs(), encoding="utf-8")
