"""Results as tables of pandas, which is imported on first use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any


def frame(columns: Mapping[str, Any], index: Sequence[object] | None = None, name: str | None = None) -> Any:
    """Return a data frame; ImportError with the package to install if pandas is absent."""
    pandas = _pandas()
    return pandas.DataFrame(dict(columns), index=None if index is None else pandas.Index(index, name=name))


def of_records(records: Sequence[Mapping[str, object]]) -> Any:
    """Return a data frame with a row for each record."""
    return _pandas().DataFrame(list(records))


def _pandas() -> Any:
    try:
        return import_module("pandas")
    except ImportError as error:
        raise ImportError("a table needs pandas: pip install pandas") from error
