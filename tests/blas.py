"""Set and read the number of BLAS threads, without keeping threadpoolctl's right to change it."""

import threading
from contextlib import contextmanager

from threadpoolctl import threadpool_info, threadpool_limits


def blas_threads():
    """Number of threads of each BLAS library loaded."""
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


@contextmanager
def with_blas_threads(count):
    """Run with so many BLAS threads."""
    limits = []
    _in_passing(lambda: limits.append(threadpool_limits(count, user_api="blas")))
    try:
        yield
    finally:
        _in_passing(limits[0].restore_original_limits)


def _in_passing(act):
    thread = threading.Thread(target=act)
    thread.start()
    thread.join()
