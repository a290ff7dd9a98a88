"""What the experiments' cards show: a small picture of each stored run's first figure, and when it was made."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

BEFOREHAND = Path(__file__).parent / "thumbnails.json"  # written by `python -m tests.stored`


@cache
def beforehand() -> dict[str, dict[str, Any]]:
    """Return what was made beforehand, by study: picture, day, and the version that made it."""
    made: dict[str, dict[str, Any]] = json.loads(BEFOREHAND.read_text(encoding="utf-8"))
    return made
