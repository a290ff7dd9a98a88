"""Checks the links of the finished site: each target exists, and nothing is loaded from elsewhere."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ELSEWHERE = ("http", "https", "mailto", "data")


class _Page(HTMLParser):
    """What a page names (``anchors``), links to and loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Keep what matters of one element."""
        values = {key: value for key, value in attributes if value is not None}
        self.anchors |= {values[key] for key in ("id", "name") if key in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag == "link" and "href" in values and values.get("rel") not in ("next", "prev", "index", "search"):
            self.loaded.append(values["href"])
        elif "src" in values:
            self.loaded.append(values["src"])


def broken(folder: Path) -> list[str]:
    """Return a line for each broken link of a site, and for each file loaded from elsewhere."""
    read = {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    lines = []
    for path, page in read.items():
        name = path.relative_to(folder)
        lines += [f"{name}: loads {url}" for url in page.loaded if urlsplit(url).scheme in ELSEWHERE[:2]]
        lines += [f"{name}: {url} leads nowhere" for url in [*page.links, *page.loaded] if not _leads(url, path, read)]
    return lines


def _leads(url: str, path: Path, read: dict[Path, _Page]) -> bool:
    """Whether a link has a target; links to other sites, and into the app (``/…``), are not followed."""
    parts = urlsplit(url)
    if parts.scheme in ELSEWHERE or parts.path.startswith("/"):
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    anchor = unquote(parts.fragment)
    return target.exists() and (not anchor or target not in read or anchor in read[target].anchors)
