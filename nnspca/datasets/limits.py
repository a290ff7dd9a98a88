"""Limits on the memory and computing that one data set may use."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from nnspca.errors import DataError

MAX_BYTES = 200_000_000  # of a file
MAX_UNPACKED_BYTES = 200_000_000  # what an archive unpacks to, in all
MAX_MEMBERS = 100_000  # an archive may list
MAX_ENTRIES = 20_000_000  # numbers in the array (rows times columns): 160 MB in memory
MAX_COLUMNS = 1_000_000  # of a table of text; each costs far more than its numbers until it is converted
MAX_TEXTS = 2_000_000  # cells of text in a table: classes and names of rows
MAX_MAGNITUDE = 1e100  # of a number; squares and their sums must stay far from overflow
LIFTED = 2**48  # takes the place of a limit that is lifted: more than any machine holds
_lifted: ContextVar[bool] = ContextVar("nnspca_limits_lifted", default=False)


@contextmanager
def lifted() -> Iterator[None]:
    """Read what is one's own, of any size: bytes, numbers, columns and texts are not counted."""
    token = _lifted.set(True)
    try:
        yield
    finally:
        _lifted.reset(token)


def are_lifted() -> bool:
    """Whether sizes are not limited here."""
    return _lifted.get()


def most(limit: int) -> int:
    """Return a limit as it holds here.

    >>> most(3)
    3
    >>> with lifted():
    ...     most(3) > 10**12
    True
    """
    return LIFTED if _lifted.get() else limit


def check_bytes(size: int) -> None:
    """Refuse a file larger than ``MAX_BYTES``."""
    if size > most(MAX_BYTES):
        raise DataError(
            f"the file holds {size:,} bytes; at most {MAX_BYTES:,} are read. Keep fewer rows or columns; in Python, "
            "limits=None reads your own file of any size."
        )


def check_unpacked(size: int) -> None:
    """Refuse an archive that unpacks to more than ``MAX_UNPACKED_BYTES``."""
    if size > most(MAX_UNPACKED_BYTES):
        raise DataError(
            f"the archive unpacks to at least {size:,} bytes; at most {MAX_UNPACKED_BYTES:,} are read. "
            "Pack fewer or smaller files."
        )


def check_members(count: int) -> None:
    """Refuse an archive that lists more than ``MAX_MEMBERS`` members."""
    if count > MAX_MEMBERS:
        raise DataError(
            f"the archive lists {count:,} or more members; at most {MAX_MEMBERS:,} are read. Pack fewer files."
        )


def check_columns(count: int) -> None:
    """Refuse a row of text with more than ``MAX_COLUMNS`` cells."""
    if count > most(MAX_COLUMNS):
        raise DataError(
            f"a row holds {count:,} cells; at most {MAX_COLUMNS:,} are read. "
            "Keep fewer features, or save the numbers as an NPY file."
        )


def check_texts(rows: int, columns: int) -> None:
    """Refuse a table with so many rows when its columns of text hold more than ``MAX_TEXTS`` cells."""
    if rows * columns > most(MAX_TEXTS):
        what = "one column" if columns == 1 else f"{columns:,} columns"
        raise DataError(
            f"{what} of text in {rows:,} or more rows are more than the {MAX_TEXTS:,} cells of text that are read. "
            "Keep the numbers and one column for the class."
        )


def check_entries(*shape: int) -> None:
    """Refuse an array of this shape when it has more than ``MAX_ENTRIES`` entries."""
    entries = math.prod(shape)
    if entries > most(MAX_ENTRIES):
        product = " × ".join(f"{n:,}" for n in shape) + " = " if len(shape) > 1 else ""
        raise DataError(
            f"{product}{entries:,} numbers are more than the {MAX_ENTRIES:,} "
            "that are read. Keep fewer samples or features, or make images smaller."
        )
