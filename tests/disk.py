"""A disk that is full: files may grow to so many bytes and no further, as the system itself enforces it."""

import resource
from contextlib import contextmanager


@contextmanager
def full_after(size):
    """Let no file of this process grow beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
