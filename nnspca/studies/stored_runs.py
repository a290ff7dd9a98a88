"""Stored runs: the tables of each study's reduced form on the paper's own data."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from nnspca.studies.picture import Band, Bars, Curves, Line, Mark, Parts, Picture, Span
from nnspca.studies.study import StudyResult
from nnspca.studies.table import Column, StudyTable

FOLDER = Path(__file__).parent / "stored"  # written by `python -m tests.stored`
PICTURES: dict[str, Callable[..., Picture]] = {"curves": Curves, "bars": Bars, "parts": Parts}
PIECES: dict[str, Callable[..., Any]] = {"lines": Line, "bands": Band, "spans": Span, "marks": Mark}


def pack(result: StudyResult) -> bytes:
    """Return a result as compressed JSON, with all digits of all numbers."""
    return lzma.compress(json.dumps(asdict(result), separators=(",", ":")).encode(), preset=9 | lzma.PRESET_EXTREME)


def unpack(packed: bytes) -> StudyResult:
    """Return the result from its packed form.

    >>> from nnspca.studies import STUDIES
    >>> result = STUDIES["asteris2011-fig1"].run()
    >>> unpack(pack(result)) == result
    True
    """
    content = json.loads(lzma.decompress(packed))
    return StudyResult(**{**content, "tables": tuple(map(_table, content["tables"])), "data": tuple(content["data"])})


@cache
def stored(study: str) -> StudyResult | None:
    """Return the stored run of a study: reduced, seed 0, on the paper's own data.

    Parameters
    ----------
    study : str
        A name in ``STUDIES``.

    Returns
    -------
    StudyResult or None
        None if no run is stored. Photographs of data sets that are not bundled are left out.

    Examples
    --------
    >>> stored("asteris2014-fig6").data, stored("no such study")
    (('lrs',), None)
    """
    file = FOLDER / f"{study}.json.xz"
    return unpack(file.read_bytes()) if file.is_file() else None


def _table(content: dict[str, Any]) -> StudyTable:
    return StudyTable(
        **{
            **content,
            "columns": tuple(Column(**column) for column in content["columns"]),
            "rows": tuple(map(tuple, content["rows"])),
            "picture": None if content["picture"] is None else _picture(content["picture"]),
        }
    )


def _picture(content: dict[str, Any]) -> Picture:
    pieces = {
        name: tuple(PIECES[name](**piece) for piece in value) if name in PIECES else _tuples(value)
        for name, value in content.items()
    }
    return PICTURES[content["kind"]](**pieces)


def _tuples(value: Any) -> Any:
    """Return nested lists as nested tuples."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
