"""The guide, the mathematics and the architecture: files and pages they name are there; their code runs as doctests."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "nnspca" / "docs"
ROOT = DOCS.parents[1]
ROOMS = ("guide", "mathematics", "architecture")
PAGES = [page for room in ROOMS for page in sorted((DOCS / room).glob("*.md"))]


def text(page):
    return page.read_text(encoding="utf-8")


def named(page):
    """What stands between single backticks, code blocks aside."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text(page), flags=re.DOTALL))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_files_that_a_page_names_are_there(page):
    files = [word for word in named(page) if re.fullmatch(r"(nnspca|tests|pages)/[\w/]+\.(py|md|npz)", word)]
    rooms = [word for word in named(page) if re.fullmatch(r"[a-z]+/[\w/]+\.py", word) and word not in files]
    assert all((ROOT / word).is_file() for word in files), files
    assert all((ROOT / "nnspca" / word).is_file() for word in rooms), rooms


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_pages_that_a_page_links_to_are_there(page):
    linked = [target for target in re.findall(r"\]\(([^)#\s]+)", text(page)) if not target.startswith("http")]
    missing = [target for target in linked if not (page.parent / target).exists()]
    assert not missing


@pytest.mark.parametrize("room", ROOMS)
def test_an_index_leads_to_every_page_of_its_room(room):
    index = text(DOCS / room / "index.md")
    assert all(f"({page.name}" in index for page in PAGES if page.parent.name == room and page.name != "index.md")


def test_the_pages_of_the_mathematics_use_the_same_matrix():
    rows = re.compile(r"\[8\.0, -2, 2, 4\],\s*(?:\.\.\.\s*)?\[-2, 6, 4, 2\],\s*(?:\.\.\.\s*)?\[2, 4, 9, 4\]")
    without = {page.name for page in PAGES if page.parent.name == "mathematics" and not rows.search(text(page))}
    assert without == {"carried.md", "new.md"}  # which ask for optima of it alone, and for public matrices
