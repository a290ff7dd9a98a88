"""Limits BLAS to one thread while solving: the same answer on any machine, and no oversubscription."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TypeVar

import scipy.linalg  # noqa: F401  the controller must see SciPy's BLAS as well as NumPy's
from threadpoolctl import ThreadpoolController

_T = TypeVar("_T")
_lock = threading.Lock()
_inside = 0
_limit = None


@cache
def _controller() -> ThreadpoolController:
    """Find the loaded BLAS libraries once: that takes milliseconds."""
    return ThreadpoolController()


def _one_already() -> bool:
    """Return whether BLAS already has one thread: the query takes a microsecond, a limit half a millisecond."""
    return all(library.num_threads == 1 for library in _controller().lib_controllers if library.user_api == "blas")


def _in_passing(act: Callable[[], _T]) -> _T:
    """Run ``act`` in a short-lived thread.

    threadpoolctl lets one living thread change OpenBLAS and ignores all others: a long-lived
    thread with that right (a worker of a pool, say) would leave the others unlimited, or the limit
    in place for good.
    """
    done: list[_T] = []
    thread = threading.Thread(target=lambda: done.append(act()))
    thread.start()
    thread.join()
    return done[0]


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread until the last of all concurrent callers has left.

    The limit is the process's own, so it is counted rather than set and reset by each caller.
    """
    global _inside, _limit
    with _lock:
        if _inside == 0 and not _one_already():
            _limit = _in_passing(lambda: _controller().limit(limits=1, user_api="blas"))
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0 and _limit is not None:
                _in_passing(_limit.restore_original_limits)
                _limit = None
