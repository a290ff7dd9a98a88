"""What words mean: names of columns and rows by their patterns, and known orders of five languages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

MOST_WORDS = 11  # of an order
NUMBERED = re.compile(
    r"(?:[A-Za-z]{0,2}(\d{1,2})|(\d{1,2})\s*[-–:.)=]\s*\S.*|\S.*\((\d{1,2})\))"
)  # A1, 4 - Agree, agree (4)
CODE = re.compile(r"[A-Za-z]*\d+")
AROUND = {"whole": r"\A(?:{})\Z", "ends": r"(?:^|[\W_])(?:{})$", "among": r"(?:^|[\W_])(?:{})(?:$|[\W_])"}


@cache
def patterns(what: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns that names.toml has for a meaning."""
    tables = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
    where = next(where for where in tables if what in tables[where])
    return tuple(re.compile(AROUND[where].format(one), re.IGNORECASE) for one in tables[where][what])


def means(what: str, name: str) -> bool:
    """Whether a name, or a cell, means what names.toml lists so.

    >>> means("weight", "pspwght"), means("identifier", "person_id"), means("total", "totally")
    (True, True, False)
    """
    return any(one.search(name) for one in patterns(what))


@cache
def scales() -> tuple[dict[str, int], ...]:
    """Return each known order as the places of its words: one a line of orders.txt, bars between words of one place."""
    lines = Path(__file__).with_name("orders.txt").read_text(encoding="utf-8").splitlines()
    return tuple(
        {word.strip(): i for i, place in enumerate(line.split("<")) for word in place.split("|")} for line in lines
    )


def order_of(words: Sequence[str]) -> tuple[str, ...]:
    """Return words in their order, the least first; empty where they have none that is known.

    >>> order_of(["Often", "Never", "Sometimes"])
    ('Never', 'Sometimes', 'Often')
    >>> order_of(["4 - Agree", "1 - Disagree", "3 - Neutral"])
    ('1 - Disagree', '3 - Neutral', '4 - Agree')
    >>> order_of(["red", "green", "blue"])
    ()
    """
    if not 2 <= len(words) <= MOST_WORDS:
        return ()
    plain = {word: re.sub(r"\s+", " ", word.strip().lower().replace("’", "'").rstrip(".")) for word in words}
    for scale in scales():
        if all(word in scale for word in plain.values()):
            places = {word: scale[plain[word]] for word in words}
            return tuple(sorted(words, key=places.__getitem__)) if len(set(places.values())) == len(words) else ()
    numbered = {word: NUMBERED.fullmatch(word.strip()) for word in words}
    if all(numbered.values()) and len(words) > 2:
        places = {word: int(next(filter(None, found.groups()))) for word, found in numbered.items() if found}
        stems = {re.sub(r"\d+", "", word) for word in words if CODE.fullmatch(word)}
        if len(set(places.values())) == len(words) and len(stems) <= 1 and max(places.values()) <= MOST_WORDS:
            return tuple(sorted(words, key=places.__getitem__))
    return ()
