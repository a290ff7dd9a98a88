"""Sums of the blocks of a dask array, made where the blocks are: only sums travel, added up in a fixed order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nnspca.control.stopping import Stopped, run_cancellable
from nnspca.control.threads import one_blas_thread
from nnspca.covariance.sources import Source, plain, within_chunk
from nnspca.errors import DataError, ReadingStopped, reason

TOGETHER = 8  # sums that are added up in one task


def over_blocks(source: Source, kind: Callable[..., Any], weights: np.ndarray | None = None) -> Any:
    """Return the sums of all rows, of the kind asked for; workers that are lost cost time only.

    The blocks' own order decides what is added to what: however many workers there are, the answer
    is the same to the last bit. Without a cluster it runs in dask's own threads.
    """
    import dask

    blocks = source.blocks
    heights = [int(size) for size in blocks.chunks[0]]
    n, begin, parts = int(blocks.shape[1]), 0, []
    summed = dask.delayed(_of_block, pure=False)
    for number, (block, height) in enumerate(zip(blocks.to_delayed()[:, 0], heights, strict=True)):
        own = None if weights is None else weights[begin : begin + height]
        start = begin if weights is None else int(np.count_nonzero(weights[:begin]))
        parts.append(summed(kind, block, (height, n), own, names=source.names, start=start, chunk=number))
        begin += height
    added = dask.delayed(_added, pure=False)
    while len(parts) > 1:
        parts = [added(parts[at : at + TOGETHER]) for at in range(0, len(parts), TOGETHER)]
    source.monitor.tell(0.0, f"summing {len(heights):,} blocks where they are")
    try:
        return run_cancellable(parts[0].compute, source.monitor)
    except Stopped:
        raise ReadingStopped("the summing of the dask array's blocks was stopped") from None
    except DataError:
        raise
    except Exception as error:
        raise DataError(f"a block of the dask array cannot be computed{reason(error, 300)}") from error


def _of_block(kind: Callable[..., Any], block: Any, shape: tuple[int, int], weights: Any, **place: Any) -> Any:
    """The sums of one block; where its own chunk is not what was announced, an error says so."""
    with within_chunk(place["chunk"]):
        rows = plain(block)
    if rows.shape != shape:
        raise DataError(f"chunk {place['chunk']} has shape {rows.shape} where {shape} was announced")
    sums = kind(shape[1], **place)
    with one_blas_thread():
        sums.add(rows, weights)
        sums.flush()
    return sums


def _added(parts: list[Any]) -> Any:
    """Sums of different rows as one; those given stay as they are, for a task that is run again."""
    whole = parts[0].copy()
    for part in parts[1:]:
        whole.merge(part)
    return whole
