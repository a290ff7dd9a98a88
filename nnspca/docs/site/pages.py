"""Gathers the pages for Sphinx: the written ones, the reference from docstrings, the gallery from its scripts.

Hand-written pages are plain Markdown that reads the same in a repository's viewer: a section's pages come in the order
in which its ``index.md`` links to them, and links to files outside the documents stay as they are.
"""

from __future__ import annotations

import re
from pathlib import Path

from nnspca.docs.site import gallery, reference

DOCS = Path(__file__).parents[1]
SECTIONS = ("start", "guide", "mathematics", "reference", "gallery", "architecture")
LAST = ("glossary", "peers", "changelog")
FORMAT = "guide/certificate-file.md"  # where the site keeps the page that lies beside the certificates' code
LINK = re.compile(r"\]\(([^)#\s]+\.md)(?:#[^)]*)?\)")


def gather(source: Path) -> None:
    """Write all pages into a folder, with the files they link to beside it."""
    _beside(source)
    for page in written():
        target = source / page.relative_to(DOCS)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_adapted(page.read_text(encoding="utf-8"), page), encoding="utf-8")
    (source / "CITATION.cff").write_text((DOCS / "CITATION.cff").read_text(encoding="utf-8"), "utf-8")
    (source / FORMAT).write_text((DOCS.parent / "certificates" / "CERTIFICATE.md").read_text(encoding="utf-8"), "utf-8")
    reference.write(source / "reference")
    gallery.write(source / "gallery")
    for section in SECTIONS:
        _order(source / section)
    sections = [f"{section}/index" for section in SECTIONS if (source / section).exists()]
    _append(source / "index.md", _toctree([*sections, *LAST]))


def written() -> list[Path]:
    """Return the pages written by hand."""
    return sorted(page for page in DOCS.rglob("*.md"))


def _beside(source: Path) -> None:
    """Lay the checkout's other files where relative links of the pages expect them."""
    root = source.parents[1]
    source.mkdir(parents=True)
    for name in ("assets", "tests", "pages", "app.py", "README.md", "pyproject.toml"):
        if (DOCS.parents[1] / name).exists():
            (root / name).symlink_to(DOCS.parents[1] / name)
    for path in DOCS.parent.iterdir():
        if path.name != DOCS.name:
            (source.parent / path.name).symlink_to(path)


def _adapted(text: str, page: Path) -> str:
    """Return a page's text with links that lead to pages of the site, and with the figures it asks for."""
    up = "../" * (len(page.relative_to(DOCS).parts) - 1)
    text = re.sub(r"\]\((?:\.\./)+certificates/CERTIFICATE\.md", f"]({up}{FORMAT}", text)
    text = re.sub(rf"(\]\((?:(?:\.\./)*gallery/)?(?:{'|'.join(gallery.names())}))\.py\)", r"\1.md)", text)
    text = re.sub(r"\n\n```$", "\n```", text, flags=re.M)  # doctest asks for the blank line, a reader does not
    return gallery.with_figures(reference.linked(text, up), up)


def _order(section: Path) -> None:
    """Give a section its list of pages: as its first page links to them, then the rest by name."""
    if not section.exists():
        return
    index = section / "index.md"
    linked = [name.removesuffix(".md") for name in LINK.findall(index.read_text(encoding="utf-8")) if "/" not in name]
    present = sorted(page.stem for page in section.glob("*.md") if page != index)
    order = [name for name in dict.fromkeys(linked) if name in present]
    _append(index, _toctree([*order, *(name for name in present if name not in order)]))


def _toctree(names: list[str]) -> str:
    return "\n".join(["", "```{toctree}", ":hidden:", "", *names, "```", ""])


def _append(page: Path, text: str) -> None:
    page.write_text(page.read_text(encoding="utf-8") + text, encoding="utf-8")
