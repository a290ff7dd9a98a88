"""Passes over a Dask array: each block gives its share where it lies, and the shares are merged.

A pass is one graph, so that what blocks have in common is computed once. On a cluster each worker merges its own shares
first: what crosses the wire is one share a worker, whatever the blocks.
"""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.errors import DataError, ReadingStopped, reason
from nnspca.machines.workers import POLL_SECONDS

MERGED = 8  # shares merged at a time
FEWER = "give blocks of fewer rows, as by X.rechunk((rows, -1)), or workers more memory"
Leaf = Callable[[Any, int, Any], Any]  # of a block, the number of its first row, and what lies beside its rows


def blocks_total(
    X: Any, leaf: Leaf, merged: Callable[[Sequence[Any]], Any], monitor: Monitor, beside: np.ndarray | None = None
) -> Any:
    """Return what the blocks of rows of a Dask array add up to.

    ``leaf`` and ``merged`` are pickled; neither changes what it is given, as Dask may run it again. ``beside`` has a
    row for each row of X.

    >>> import dask.array
    >>> X = dask.array.from_array(np.arange(12.0).reshape(6, 2), chunks=(2, 2))
    >>> blocks_total(X, lambda rows, start, _: rows.sum(axis=0), sum, Monitor())
    array([30., 36.])
    """
    import dask.array

    given = [X]
    if beside is not None:
        given.append(dask.array.from_array(beside, chunks=(X.chunks[0], beside.shape[1])))
    made = dask.array.map_blocks(
        partial(_share, leaf),
        *given,
        name=f"nnspca-{uuid.uuid4().hex}",  # what a pass adds up is never that of another call
        chunks=((1,) * X.numblocks[0], (1,)),
        dtype=object,
        meta=np.empty((0, 0), object),
    )
    shares = made.to_delayed().ravel().tolist()
    client = client_of(X)
    return _here(shares, merged, monitor) if client is None else _there(client, X, shares, merged, monitor)


def _share(leaf: Leaf, rows: Any, beside: np.ndarray | None = None, *, block_info: Any = None) -> Any:
    return leaf(rows, block_info[0]["array-location"][0][0], beside)


def _here(shares: list[Any], merged: Callable[..., Any], monitor: Monitor) -> Any:
    """In the threads of Dask here, as a tree."""
    import dask

    done, keys = 0, {share.key for share in shares}

    def count(key: Any, *_: Any) -> None:
        nonlocal done
        done += key in keys
        _tell(monitor, done, len(keys))

    tree = shares
    while len(tree) > 1:
        tree = [dask.delayed(merged)(tree[i : i + MERGED]) for i in range(0, len(tree), MERGED)]
    with _said():  # Dask's own Callback is not for several passes at a time
        return tree[0].compute(callbacks=[(None, None, None, count, None)])


def _there(client: Any, X: Any, shares: list[Any], merged: Callable[..., Any], monitor: Monitor) -> Any:
    """On the workers of a client, each of which merges its own shares; blocks that lie on workers stay there.

    Shares are merged while others are made: a worker holds few at a time.
    """
    from nnspca.machines.cluster import check_workers

    check_workers(client)
    futures: list[Any] = []
    blocks = {share.key for share in shares}
    with _said():
        try:
            for own, there in _places(client, _lying(X), len(shares)):
                futures += client.compute([shares[i] for i in own], **there)
            while len(futures) > 1 or not futures[0].done():
                ended = [future for future in futures if future.done()]
                for failed in (future for future in ended if future.status != "finished"):
                    failed.result()
                left = blocks.intersection(future.key for future in futures if not future.done())
                _tell(monitor, len(blocks) - len(left), len(blocks))
                last = len(ended) == len(futures)
                places = _places(client, ended, len(ended)) if last or len(ended) >= MERGED else []
                if last and len(places) == len(ended):  # one of each worker
                    places = [(list(range(len(ended)))[i : i + MERGED], {}) for i in range(0, len(ended), MERGED)]
                for own, there in places:
                    if last or len(own) >= MERGED:
                        some = [ended[i] for i in own]
                        whole = client.submit(merged, some, pure=False, priority=1, **there)
                        futures = [future for future in futures if future not in some] + [whole]
                time.sleep(POLL_SECONDS)
            return futures[0].result()
        except BaseException:
            if client.status == "running":  # else the scheduler is gone
                client.cancel(futures, force=True)
            raise


def _lying(X: Any) -> list[Any]:
    """Return the blocks that lie on workers; none unless all do, and each block of X is made of one alone."""
    import distributed
    from dask.core import flatten

    futures, first = distributed.futures_of(X), X.blocks[0]
    needed = dict(first.dask.cull(list(flatten(first.__dask_keys__()))))
    few = len(futures) == X.numblocks[0] and len(distributed.futures_of(needed)) == 1
    return sorted(futures, key=lambda future: future.key[1:]) if few else []


def _places(client: Any, futures: list[Any], count: int) -> list[tuple[list[int], dict[str, Any]]]:
    """Return the futures of each worker, and the settings by which a task runs there, or elsewhere if it is lost."""
    places: dict[str, list[int]] = {}
    held = client.who_has(futures) if futures else {}
    for i, future in enumerate(futures):
        places.setdefault(min(held.get(future.key, ()), default=""), []).append(i)
    if not futures or "" in places:  # nothing known, or one lost
        return [(list(range(count)), {})]
    return [(own, {"workers": worker, "allow_other_workers": True}) for worker, own in places.items()]


def _tell(monitor: Monitor, done: int, blocks: int) -> None:
    monitor.tell(done / blocks, f"{done:,} of {blocks:,} blocks read")
    if monitor.stop():
        raise ReadingStopped(f"the reading was stopped after {done:,} of {blocks:,} blocks")


def client_of(X: Any) -> Any:
    """The client whose workers hold blocks of an array, or else the one that Dask computes with; None without any."""
    import dask.base

    distributed: Any = sys.modules.get("distributed")  # a client exists only if it was imported
    if distributed is None:
        return None
    futures = distributed.futures_of(X)
    owner = futures[0].client if futures else getattr(dask.base.get_scheduler(collections=[X]), "__self__", None)
    return owner if isinstance(owner, distributed.Client) else None


@contextmanager
def _said() -> Iterator[None]:
    """Turn an error that Dask raises into one that says what to do."""
    try:
        yield
    except (DataError, BrokenExecutor):
        raise
    except MemoryError as error:
        raise MemoryError(f"a block and what it adds up to take more memory than a worker has: {FEWER}") from error
    except Exception as error:
        kind = type(error).__name__
        if kind == "KilledWorker":
            lost = "a block's task ended several workers: they were killed, or ran out of memory"
            raise BrokenExecutor(f"{lost}; {FEWER}") from error
        if "Cancelled" in kind or (isinstance(error, OSError | TimeoutError) and "Comm" in kind):
            raise BrokenExecutor(
                "the scheduler is gone, or the call was cancelled there: connect a new client, make the array anew"
            ) from error
        raise DataError(f"a block of the dask array cannot be computed{reason(error, 200)}") from error
