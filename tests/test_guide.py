"""The guide, the mathematics and the architecture: files and pages they name are there; their code runs as doctests."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "nnspca" / "docs"
ROOT = DOCS.parents[1]
ROOMS = ("guide", "mathematics", "architecture")
PAGES = [page for room in ROOMS for page in sorted((DOCS / room).glob("*.md"))]


def text(page):
    return page.read_text(encoding="utf-8")


def named(page):
    """What stands between single backticks, code blocks aside."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text(page), flags=re.DOTALL))


def test_files_that_a_page_names_are_there():
    words = [(page.name, word) for page in PAGES for word in named(page)]
    files = [each for each in words if re.fullmatch(r"(nnspca|tests|pages)/[\w/]+\.(py|md|npz)", each[1])]
    rooms = [each for each in words if re.fullmatch(r"[a-z]+/[\w/]+\.py", each[1]) and each not in files]
    assert not [each for each in files if not (ROOT / each[1]).is_file()]
    assert not [each for each in rooms if not (ROOT / "nnspca" / each[1]).is_file()]


def test_an_index_leads_to_every_page_of_its_room():
    pages = [page for page in PAGES if page.name != "index.md"]
    assert not [page for page in pages if not re.search(rf"[(`]{page.name}", text(page.with_name("index.md")))]
