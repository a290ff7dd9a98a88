"""Data that stay where they are: passes over them, and the rows of A that passes gave, as long as there is room."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from nnspca.control.progress import current
from nnspca.control.stopping import Stopped
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import spread
from nnspca.covariance.factor import DenseFactor, Factor, SparseFactor
from nnspca.covariance.passes import Images, Products, Squares
from nnspca.covariance.sources import Source
from nnspca.errors import DataError, ReadingStopped

FIRST = 256  # rows of the first pass that reads any
SHARED = 2**22  # numbers of a sum that is made by the workers of a cluster
FORMED = 3000  # features among which A may always be formed: 0.2 GB


class StoredData:
    """Data that are read anew for each question, and the rows of A that were asked for last.

    ``variance`` is of the data as read, ``scale`` what each feature is divided by. The rows held, and those that are
    being summed, may have ``memory`` bytes together; ``passes`` were made.
    """

    def __init__(self, source: Source, first: Squares, scale: np.ndarray, memory: int, passes: int) -> None:
        self.source, self.n, self.count, self.mark = source, first.n, first.count, first.mark
        self.reference, self.offset = first.reference, first.offset
        self.variance, self.scale, self.memory, self.passes = first.variance, scale, memory, passes
        self.sample = first.sample.rows()
        self.diagonal: np.ndarray = self.variance / scale / scale
        self.room = int(memory // (16 * self.n))  # rows; as many again for those that are being summed
        self._order = np.argsort(-self.diagonal, kind="stable")
        self._held: OrderedDict[int, np.ndarray] = OrderedDict()
        self._wanted = FIRST
        self._last = np.zeros(0, dtype=np.intp), np.zeros((0, 0))  # A among some features
        self._lock = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError(
            "a covariance of data that are read in passes cannot be pickled, or sent to another process: leave out "
            "executor=, or choose features: Covariance.from_data(nnspca.most_variable(X, 3000))"
        )

    def over(self, kind: Callable[..., Any]) -> Any:
        """Return what a pass over the data adds up; DataError where they changed since they were read first."""
        with self._lock, one_blas_thread():
            monitor = current(f"pass {self.passes + 1} over the data")
            try:
                total = summed(self.source.heeding(monitor.should_stop, monitor.on_progress), kind)
            except ReadingStopped:
                raise Stopped from None
            self.passes += 1
        if (total.count, total.mark) != (self.count, self.mark):
            what = f"{total.count} rows now, {self.count} before" if total.count != self.count else "a value differs"
            raise DataError(
                f"the data changed while they were read, between the first pass and pass {self.passes}: {what}; give "
                "data that stay as they are"
            )
        return total

    def rows(self, features: np.ndarray) -> np.ndarray:
        """Return rows of A, shape (len(features), n)."""
        wanted = np.unique(features)
        if len(wanted) > self.room:
            self._refuse(len(wanted))
        with self._lock:
            self._load(wanted)
            return np.array([self._held[int(i)] for i in features]).reshape(-1, self.n)

    def bring(self, features: np.ndarray) -> None:
        """Read as many of these rows as there is room for together, which will be asked for next."""
        with self._lock:
            self._load(np.unique(features[: self.room]))

    def lacks(self, features: np.ndarray) -> int:
        """How many of the rows are not held."""
        return sum(int(i) not in self._held and self.diagonal[i] > 0 for i in features)

    def _load(self, wanted: np.ndarray) -> None:
        for i in map(int, wanted):
            if self.diagonal[i] == 0:  # exactly: it never varies
                self._held[i] = np.zeros(self.n)
            elif i in self._held:
                self._held.move_to_end(i)
        needed = set(map(int, wanted))
        missing = np.array(sorted(needed - self._held.keys()), dtype=np.intp)
        if len(missing):
            missing = self._more(missing)
        most = max(1, len(missing) if self.source.blocks is None else SHARED // self.n)
        for start in range(0, len(missing), most):
            few = missing[start : start + most]
            products = self.over(partial(Products, few, self.reference, False)).result()
            rows = self._scaled(products, few, np.arange(self.n))
            free = [i for i in self._held if i not in needed]  # those that were not read for longest first
            for i in free[: max(0, len(self._held) + len(few) - self.room)]:
                del self._held[i]
            for i, row in zip(few, rows, strict=True):
                self._held[int(i)] = row.copy()  # its own, so that it can be let go alone

    def _more(self, missing: np.ndarray) -> np.ndarray:
        """The rows that are missing, and those that may be wanted next: of largest variance, or of less than these."""
        free_rows, begin = self.room - len(self._held), 0
        if free_rows < FIRST:  # they are read one after the other, and those before are let go
            free_rows, begin = self.room // 4, int(np.flatnonzero(np.isin(self._order, missing))[0])
        limit = min(self._wanted, self.room // 2, free_rows) - len(missing)
        self._wanted *= 2
        requested = set(map(int, missing))
        others = [i for i in map(int, self._order[begin:]) if i not in self._held and i not in requested]
        return np.concatenate([missing, np.array(others[: max(limit, 0)], dtype=np.intp)])

    def among(self, features: np.ndarray) -> np.ndarray:
        """Return A among some features, symmetric."""
        with self._lock:
            if (places := self._among_last(features)) is not None:
                return self._last[1][np.ix_(places, places)]
            if not self.lacks(features) or len(features) <= min(FIRST, self.room):
                matrix = self.rows(features)[:, features]
            else:
                if 24 * len(features) ** 2 > max(self.memory, 24 * FORMED**2):
                    self._refuse(len(features))
                products = self.over(partial(Products, features, self.reference, True)).result()
                matrix = self._scaled(products, features, features)
            matrix = (matrix + matrix.T) / 2
            np.fill_diagonal(matrix, self.diagonal[features])
            if FIRST < len(features) <= FORMED:
                self._last = features, matrix
            return matrix

    def _among_last(self, features: np.ndarray) -> np.ndarray | None:
        """Their places among the features that A was formed among last; None where they are not all there."""
        order = np.argsort(self._last[0])
        places = np.searchsorted(self._last[0], features, sorter=order)
        if not len(order) or places.max(initial=0) == len(order):
            return None
        places = order[places]
        return places if (self._last[0][places] == features).all() else None

    def _scaled(self, products: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """A of the sums of products; 0 where a feature never varies."""
        c, varies = self.offset, self.variance > 0
        for place, i in enumerate(rows):  # row by row, so that no second array is made
            products[place] /= self.count
            products[place] -= c[i] * c[columns]
            products[place] /= self.scale[i]
            products[place] /= self.scale[columns]
            products[place] *= varies[i] & varies[columns]
        return products

    def images(self, x: np.ndarray) -> np.ndarray:
        """Return A times each row of x, shape (r, n)."""
        images_sum = self.over(partial(Images, x / self.scale, self.reference, self.offset)).images
        return np.where(self.variance > 0, images_sum / self.count / self.scale, 0.0)

    def sampled(self) -> Factor:
        """Return the factor of some of the samples, drawn when the data were opened."""
        if isinstance(self.sample, np.ndarray):
            return DenseFactor.of_data(self.sample / self.scale, False)
        return SparseFactor.of_data(self.sample * (1.0 / self.scale)[None, :], False)

    def _refuse(self, rows: int) -> None:
        raise DataError(
            f"{rows:,} rows of the {self.n:,} × {self.n:,} covariance do not fit into memory={self.memory:,} bytes: "
            "give more, use method 'best' and a smaller k, or choose features: "
            "Covariance.from_data(nnspca.most_variable(X, 3000))"
        )


def summed(source: Source, kind: Callable[..., Any]) -> Any:
    """Return what a pass adds up; where the data are blocks of a cluster's, its workers do so."""
    if source.blocks is not None:
        return spread.over_blocks(source, kind)

    def poll() -> None:
        if source.monitor.stop():
            raise ReadingStopped(f"the reading was stopped after {total.count:,} rows")

    total: Any = None
    for chunk in source.chunks():
        if total is None:
            total = kind(chunk.shape[1], names=source.names, chunk=0 if source.stored else None)
            total.poll = poll
        total.add(chunk)
    return total
