"""One BLAS thread while solving: the same answer on any machine, and no oversubscription among jobs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import scipy.linalg  # noqa: F401  the controller must see SciPy's BLAS as well as NumPy's
from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside = 0
_limit = None


@cache
def _controller() -> ThreadpoolController:
    """Look for the loaded BLAS libraries once: the look takes milliseconds."""
    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread until the last of all concurrent callers has left.

    The limit is the process's own, so it is counted rather than set and reset by each caller.
    """
    global _inside, _limit
    with _lock:
        if _inside == 0:
            _limit = _controller().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0 and _limit is not None:
                _limit.restore_original_limits()
                _limit = None
