"""Words that others wrote, in a file or a link: made safe to show on a page, in a figure and as plain text."""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Sequence

LONGEST, WORD, NAME = 1000, 200, 60  # characters of a text, of one word of it, and of a name in a figure
REMEMBERED = 2000  # texts: a page shows the same ones each time it is drawn
JOINER = "\u2060"  # invisible, and does not break the text; but what looks for ":name:" or "name@host" finds neither
JOINERS = "\u200c\u200d"  # joiners that some scripts are written with
ADDRESS = re.compile(r"((?:https?|ftp)://\S+|www\.\S+)", re.IGNORECASE)
MARKUP = re.compile(r"([\\`*_\[\]<>~$&|{])")
OPENING = re.compile(r"^(#+(?=\s|$)|[-+](?=\s|$)|-{3,}|=+(?=\s*$)|\d+(?=[.)](?:\s|$)))")
DIRECTIVES = re.compile(r"(:(?=\S)|@(?=\S))")
SYMBOL = re.compile(r"(?<!\S)(?=(?:<->|->|<-|--|>=|<=|~=)(?!\S))")  # which Streamlit draws as an arrow or a sign
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;", "%{": "&#37;{"}


@functools.lru_cache(maxsize=REMEMBERED)
def line(text: str, most: int = LONGEST) -> str:
    """Return a text as one line of at most ``most`` visible characters in their written order.

    Line ends become spaces; control characters and those that turn the direction of writing go.

    >>> line("one\\r\\ntwo\\u202e three\\x00"), line("abcdefgh", 6)
    ('one two three', 'abcde…')
    """
    shown = "".join(_shown(c) for c in text)
    words = (_cut(word, WORD) for word in shown.split())
    return _cut(" ".join(words), most)


def _shown(character: str) -> str:
    """Return a character as a line has it."""
    kind = unicodedata.category(character)
    if character.isspace() or kind in ("Zl", "Zp"):
        return " "
    return "" if kind in ("Cc", "Cf", "Cs", "Co", "Cn") and character not in JOINERS else character


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


@functools.lru_cache(maxsize=REMEMBERED)
def plain(text: str, most: int = LONGEST) -> str:
    """Return the Markdown that shows a text as it is: no link, picture, icon, colour or formula comes of it.

    An address shows as code, which nothing turns into a link.

    >>> print(plain("![p](x) $y$ **z**"))
    !\\[p\\](x) \\$y\\$ \\*\\*z\\*\\*
    >>> print(plain("see http://example.org/a_b"))
    see `http://example.org/a_b`
    >>> plain("--") == JOINER + "--"
    True
    """
    pieces = ADDRESS.split(line(text, most))
    return "".join(code(piece) if i % 2 else _escaped(piece) for i, piece in enumerate(pieces))


def _escaped(text: str) -> str:
    """Return Markdown that shows a text without addresses."""
    escaped = MARKUP.sub(r"\\\1", SYMBOL.sub(JOINER, OPENING.sub(_stay, text)))
    return DIRECTIVES.sub(rf"\1{JOINER}", escaped)


def _stay(opening: re.Match[str]) -> str:
    """Keep what opens a heading, a list or a rule from doing so."""
    return f"{opening[0]}{JOINER}" if opening[0].isdigit() else f"{JOINER}{opening[0]}"


def code(text: str) -> str:
    """Return the Markdown that shows a text as code.

    >>> code("digits"), code("a`b")
    ('`digits`', '`` a`b ``')
    """
    shown = line(text)
    runs = re.findall("`+", shown)
    if not runs:
        return f"`{shown}`"
    fence = "`" * (max(map(len, runs)) + 1)
    return f"{fence} {shown} {fence}"


@functools.lru_cache(maxsize=REMEMBERED)
def figure_text(text: str, most: int = NAME) -> str:
    """Return a text as a figure's title, legend, tick or hover box takes it: Plotly reads a little HTML.

    >>> figure_text('<a href="x">R&D</a>')
    '&lt;a href="x"&gt;R&amp;D&lt;/a&gt;'
    """
    return re.sub(r"[&<>$]|%\{", lambda match: ENTITIES[match[0]], line(text, most))


def column_names(texts: Sequence[object]) -> list[str]:
    """Return texts as distinct headings of a table: a repeated one gets a number."""
    names: dict[str, None] = {}
    for text in texts:
        name = line(str(text), NAME)
        again = (f"{_cut(name, NAME - 8)} ({number})" for number in itertools.count(2))
        names[name if name not in names else next(other for other in again if other not in names)] = None
    return list(names)
