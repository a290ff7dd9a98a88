"""Where a row stands: in the data, and in the chunk it came in, so that an error can say it."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.errors import DataError


class Places:
    """The rows at which chunks begin, and what features are called.

    Examples
    --------
    >>> places = Places(("a", "b"), 0, 0)
    >>> places.next(2)
    >>> places.refuse(np.array([[1.0, np.nan]]), 3)
    Traceback (most recent call last):
    nnspca.errors.DataError: a value is not finite: chunk 1, its row 1 (row 3 of the data), feature 'b' is NaN; ...
    """

    def __init__(self, names: tuple[str, ...] | None, start: int, chunk: int | None) -> None:
        """Begin with the numbers of the first row and chunk; ``chunk`` is None where the library cuts the data."""
        self.names, self._chunk, self._begins = names, chunk, [start]

    def next(self, row: int) -> None:
        """Take the row at which another chunk begins."""
        self._begins.append(row)

    def refuse(self, rows: Any, first: int) -> None:
        """Raise DataError for the first value among rows that is not finite; ``first`` is the first one's index."""
        if scipy.sparse.issparse(rows):
            listed = rows.tocoo()
            bad = int(np.flatnonzero(~np.isfinite(listed.data))[0])
            i, j = (int(side[bad]) for side in listed.coords)
            value = listed.data[bad]
        else:
            i, j = map(int, np.argwhere(~np.isfinite(rows))[0])
            value = rows[i, j]
        row = first + i
        place = bisect_right(self._begins, row) - 1
        where = f"row {row}"
        if self._chunk is not None:
            where = f"chunk {self._chunk + place}, its row {row - self._begins[place]} (row {row} of the data)"
        name = f"feature {j}" if self.names is None else f"feature {self.names[j]!r:.60}"
        value_text = "NaN" if np.isnan(value) else "infinite"
        raise DataError(f"a value is not finite: {where}, {name} is {value_text}; remove or fill such values")
