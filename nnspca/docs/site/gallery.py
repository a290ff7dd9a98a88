"""The gallery: runs each script, and writes a page with its code, output and figures."""

from __future__ import annotations

import contextlib
import functools
import io
import re
import runpy
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nnspca.docs.site import figures

SCRIPTS = Path(__file__).parents[1] / "gallery"
HEAD = re.compile(r'^"""(?P<title>[^\n]+)\n\n(?P<text>.*?)\n\nApp: (?P<app>[^\n]+)\n"""\n+(?P<code>.*)$', re.S)
FIGURE = re.compile(r"<!-- figure of (\w+) -->")


@dataclass(frozen=True)
class Example:
    """One script: its words, its code, the app's link, and what a run printed and drew."""

    name: str
    title: str
    text: str
    app: str
    code: str
    printed: str
    figures: tuple[Any, ...]


def names() -> list[str]:
    """Return the scripts' names."""
    return sorted(path.stem for path in SCRIPTS.glob("*.py"))


@functools.cache
def example(name: str) -> Example:
    """Run one script; ValueError where its head is not as it must be."""
    path = SCRIPTS / f"{name}.py"
    head = HEAD.match(path.read_text(encoding="utf-8"))
    if head is None:
        raise ValueError(f"{path.name}: give a title, a paragraph and a line 'App: /…' at its top")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("error")
        names = runpy.run_path(str(path))
    shown = tuple(thing for thing in names.values() if hasattr(thing, "to_html") and hasattr(thing, "layout"))
    return Example(name, head["title"], head["text"], head["app"], head["code"], printed.getvalue(), shown)


def write(folder: Path) -> None:
    """Write a page for each script."""
    for name in names():
        (folder / f"{name}.md").write_text(page(example(name)), encoding="utf-8")


def page(example: Example) -> str:
    """Return one page."""
    drawn = "".join(
        _raw(figures.in_page(figure, "../_static", f"{example.name}-{i}")) for i, figure in enumerate(example.figures)
    )
    printed = f"It prints:\n\n```text\n{example.printed}```\n" if example.printed else ""
    app = _raw(f'<p><a href="{example.app}">See the same in the app</a> (where the app serves these pages).</p>')
    return f"# {example.title}\n\n{example.text}\n\n{drawn}\n```python\n{example.code}```\n\n{printed}{app}"


def with_figures(text: str, up: str) -> str:
    """Return a page's text with each ``<!-- figure of script -->`` replaced by that script's first figure."""
    place = f"{up}_static"
    return FIGURE.sub(lambda of: _raw(figures.in_page(example(of[1]).figures[0], place, f"of-{of[1]}")), text)


def _raw(html: str) -> str:
    return f"\n```{{raw}} html\n{html}\n```\n"
