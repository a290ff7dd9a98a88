"""Passes over a Dask array: each block gives its share where it lies, and Dask merges the shares as a tree.

A pass is one graph, so that what blocks have in common is computed once. Where a client is connected, the shares are
merged on each worker first: what crosses the wire is one share a worker, whatever the blocks.
"""

from __future__ import annotations

import itertools
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.errors import DataError, ReadingStopped, reason
from nnspca.machines.workers import POLL_SECONDS

TOGETHER = 8  # shares merged at a time
Leaf = Callable[[Any, int, Any], Any]  # of a block, the number of its first row, and what lies beside its rows


def total(
    X: Any,
    leaf: Leaf,
    merged: Callable[[Sequence[Any]], Any],
    monitor: Monitor,
    *,
    beside: np.ndarray | None = None,
    start: int = 0,
) -> Any:
    """Return what the blocks of rows of a Dask array add up to.

    ``leaf`` and ``merged`` are pickled; neither changes what it is given, as Dask may run it again. ``beside`` has a
    row for each row of X, and ``start`` is added to the place of a block's first.

    >>> import dask.array
    >>> X = dask.array.from_array(np.arange(12.0).reshape(6, 2), chunks=(2, 2))
    >>> total(X, lambda rows, start, _: rows.sum(axis=0), sum, Monitor())
    array([30., 36.])
    """
    return _Pass(X, monitor).total(leaf, merged, beside, start)


def blocks(X: Any, monitor: Monitor) -> Iterator[Any]:
    """Give all blocks of rows, which one graph computes, to this process."""
    return (rows for _, rows in _Pass(X, monitor).total(_block, _listed, None))


def _block(rows: Any, start: int, beside: Any) -> list[tuple[int, Any]]:
    return [(start, rows)]


def _listed(shares: Sequence[list[tuple[int, Any]]]) -> list[Any]:
    return sorted(itertools.chain(*shares), key=lambda share: share[0])


class _Pass:
    """One pass, on the workers of a client or in the threads of Dask here."""

    def __init__(self, X: Any, monitor: Monitor) -> None:
        self.X, self.monitor, self.client = X, monitor, client_of(X)
        self.halted, self.done = threading.Event(), 0
        if self.client is not None:
            from nnspca.machines.cluster import check_workers

            check_workers(self.client)

    def total(self, leaf: Leaf, merged: Callable[..., Any], beside: np.ndarray | None, start: int = 0) -> Any:
        import dask.array

        X, (height, _) = self.X, self.X.chunks
        form: dict[str, Any] = {"dtype": object, "meta": np.empty((0, 0), object)}
        given = [X] if beside is None else [X, dask.array.from_array(beside, chunks=(height, beside.shape[1]))]
        one_by_one = partial(_share, leaf, self._heed if self.client is None else None, start)
        tall = ((1,) * len(height), (1,))
        shares = dask.array.map_blocks(one_by_one, *given, name=_named("share"), chunks=tall, **form)
        join = partial(_joined, merged)
        how = form | {"combine": join, "concatenate": False, "split_every": TOGETHER}
        if self.client is not None:
            own = [
                dask.array.reduction(some, _as_it_is, join, name=_named("part"), keepdims=True, **how)
                for some in self._made_there(shares)
            ]
            shares = dask.array.concatenate(own)
        how |= {"meta": np.empty((), object), "name": _named("total")}
        return self._computed(dask.array.reduction(shares, _as_it_is, partial(_held, merged), **how))

    def _made_there(self, shares: Any) -> list[Any]:
        """The shares of each worker, where they lie.

        Blocks that lie on workers already stay there, unless one is lost.
        """
        import distributed

        client, rows = self.client, self.X.shape[0]
        if groups := self._groups():
            some = {"allow_other_workers": True}  # where one is lost
            there = [client.persist(shares.blocks[at], workers=[worker], **some) for worker, at in groups.items()]
            self._awaited(there, rows)
            return there
        shares = client.persist(shares)
        self._awaited([shares], rows)
        with _said():
            held = client.who_has(distributed.futures_of(shares))
        lies, places = {str(key): min(where, default="") for key, where in held.items()}, dict[str, list[int]]()
        for i in range(shares.numblocks[0]):
            places.setdefault(lies.get(str((shares.name, i, 0)), ""), []).append(i)
        return [shares.blocks[places[worker]] for worker in sorted(places)]

    def _groups(self) -> dict[str, list[int]]:
        """The blocks of each worker, where all lie on workers and each is made of its own rows alone."""
        import distributed

        futures, groups, first = distributed.futures_of(self.X), dict[str, list[int]](), self.X.blocks[0]
        needed = dict(first.__dask_graph__().cull([(first.name, 0, 0)]))
        if len(futures) != self.X.numblocks[0] or len(distributed.futures_of(list(needed.values()))) != 1:
            return groups
        with _said():
            held = self.client.who_has(futures)
        for i, future in enumerate(sorted(futures, key=lambda future: future.key[1:])):
            if not (where := held.get(future.key) or held.get(str(future.key))):
                return {}
            groups.setdefault(min(where), []).append(i)
        return groups

    def _awaited(self, there: list[Any], rows: int = 0) -> None:
        """Wait until arrays are on the workers, whose ``rows`` are told as read."""
        import distributed

        client, futures = self.client, [future for array in there for future in distributed.futures_of(array)]
        try:
            while True:
                done = sum(future.done() for future in futures)
                if done == len(futures) or any(future.status in ("error", "cancelled", "lost") for future in futures):
                    break
                self._poll(rows * done // len(futures), rows)
                time.sleep(POLL_SECONDS)
            with _said():
                for future in futures:
                    if future.done() and future.status != "finished":
                        future.result()
        except BaseException:
            if client.status == "running":  # else the scheduler is gone
                client.cancel(futures, force=True)
            raise

    def _computed(self, tree: Any) -> Any:
        import distributed

        if self.client is not None:
            tree = self.client.persist(tree)
            self._awaited([tree])
            with _said():
                return distributed.futures_of(tree)[0].result().item()
        with _said(), ThreadPoolExecutor(1) as thread:
            try:
                future = thread.submit(tree.compute)
                while not wait([future], POLL_SECONDS).done:
                    self._poll(self.done, self.X.shape[0])
            finally:
                self.halted.set()
            return future.result().item()

    def _poll(self, done: int, rows: int) -> None:
        if rows:
            self.monitor.tell(done / rows, f"{done:,} rows read")
        if self.monitor.stop():
            raise ReadingStopped(f"the reading was stopped after {done:,} rows")

    def _heed(self, rows: int) -> None:
        """In a thread here: go on, unless the call has ended."""
        if self.halted.is_set():
            raise ReadingStopped("the reading was stopped")
        self.done += rows


def client_of(X: Any) -> Any:
    """The client whose workers hold blocks of an array, or else the one that Dask computes with; None without any."""
    import dask.base

    try:
        import distributed
    except ImportError:
        return None
    futures = distributed.futures_of(X)
    owner = futures[0].client if futures else getattr(dask.base.get_scheduler(collections=[X]), "__self__", None)
    return owner if isinstance(owner, distributed.Client) else None


@contextmanager
def _said() -> Iterator[None]:
    """Say of what Dask raises what to do about it."""
    try:
        yield
    except (DataError, BrokenExecutor, KeyboardInterrupt):
        raise
    except MemoryError as error:
        raise MemoryError(f"a worker has too little memory for a block and its sums: {_SMALLER}") from error
    except Exception as error:
        kind = type(error).__name__
        if kind == "KilledWorker":
            message = "a block's task ended several workers: they were killed, or ran out of memory; "
            raise BrokenExecutor(message + _SMALLER) from error
        if "Cancelled" in kind or (isinstance(error, OSError | TimeoutError) and "Comm" in kind):
            message = (
                "the scheduler is gone, or the call was cancelled there: connect a new client, make the array anew"
            )
            raise BrokenExecutor(message) from error
        raise DataError(f"a block of the dask array cannot be computed{reason(error, 200)}") from error


_SMALLER = "give blocks of fewer rows, as by X.rechunk((rows, -1)), or workers more memory"


def _named(what: str) -> str:
    """A name that no other graph has: what a pass adds up is never that of another call."""
    return f"nnspca-{what}-{uuid.uuid4().hex}"


def _share(
    leaf: Leaf,
    heed: Callable[[int], None] | None,
    start: int,
    rows: Any,
    beside: np.ndarray | None = None,
    *,
    block_info: Any = None,
) -> Any:
    if heed is not None:
        heed(rows.shape[0])
    return leaf(rows, start + block_info[0]["array-location"][0][0], beside)


def _as_it_is(share: Any, axis: Any, keepdims: Any) -> Any:
    return share


def _joined(merged: Callable[[Sequence[Any]], Any], shares: Any, axis: Any, keepdims: Any) -> Any:
    """Merge shares that Dask hands over in lists of lists, one for each axis."""
    return merged([share for row in shares for share in row])


def _held(merged: Callable[[Sequence[Any]], Any], shares: Any, axis: Any, keepdims: Any) -> np.ndarray:
    """The last merge, held as an array, whatever it is."""
    whole = np.empty((), object)
    whole[()] = _joined(merged, shares, axis, keepdims)
    return whole
