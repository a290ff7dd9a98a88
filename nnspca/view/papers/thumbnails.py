"""Cards of the studies: a small picture of each stored run's first figure, and when it was made."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "thumbnails.json"  # written by `python -m tests.stored`


@cache
def thumbnails() -> dict[str, dict[str, Any]]:
    """Return what each card shows, by study: picture, day, and the version that made it."""
    cards: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return cards
