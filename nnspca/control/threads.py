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
_callers = 0
_limit = None


@cache
def _controller() -> ThreadpoolController:
    """Find the loaded BLAS libraries once: that takes milliseconds."""
    return ThreadpoolController()


def _run_in_short_thread(act: Callable[[], _T]) -> _T:
    """Run ``act`` in a short-lived thread.

    threadpoolctl accepts changes of OpenBLAS from one living thread only. If that were a long-lived
    one, such as a worker of a pool, no other thread could set the limit or lift it.
    """
    results: list[_T] = []
    thread = threading.Thread(target=lambda: results.append(act()))
    thread.start()
    thread.join()
    return results[0]


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread until the last concurrent caller is done.

    The limit belongs to the whole process, so it is counted rather than set and reset by each caller.
    """
    global _callers, _limit
    with _lock:
        libraries = _controller().lib_controllers  # asked first: that takes a microsecond, a limit half a millisecond
        if _callers == 0 and any(one.num_threads != 1 for one in libraries if one.user_api == "blas"):
            _limit = _run_in_short_thread(lambda: _controller().limit(limits=1, user_api="blas"))
        _callers += 1
    try:
        yield
    finally:
        with _lock:
            _callers -= 1
            if _callers == 0 and _limit is not None:
                _run_in_short_thread(_limit.restore_original_limits)
                _limit = None
