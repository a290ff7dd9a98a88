"""What other processes are given to do here: where it lies they import nothing beside it."""

import os
import time
from pathlib import Path

from nnspca.control.progress import Progress
from nnspca.errors import DataError


def times(shared, by, should_stop):
    return shared * by


def trace(shared, by, should_stop):
    """Say who was asked, and a multiple of the trace."""
    return os.getpid(), shared.trace * by


def wait_for_stop(shared, longest, should_stop):
    begun = time.monotonic()
    while time.monotonic() - begun < longest:
        if should_stop is not None and should_stop():
            return "stopped"
        time.sleep(0.01)
    return "never told"


def leave(shared, home, should_stop):
    """End the process it is called in, unless that is the caller's own."""
    if os.getpid() != home:
        os._exit(1)
    return shared


def count(shared, upto, *, should_stop, on_progress, on_found):
    for number in range(upto):
        on_progress(Progress(number / upto, str(number)))
        if number % 100 == 0:
            on_found(shared, number)
    return shared


def looks(shared, *, should_stop, on_found):
    """Tell that it looked for Stop, until it is told to."""
    number = 0
    while not should_stop():
        on_found(number)
        number += 1
        time.sleep(0.02)
    return number


def here(shared, *, should_stop):
    """Take a moment, unless told to stop; say who was asked."""
    for _ in range(5):
        time.sleep(0.1)
        if should_stop():
            break
    return os.getpid()


def fails(shared, *, should_stop):
    raise DataError(f"{shared} is not allowed")


def meet(shared, number, place, others, should_stop):
    """Wait until as many are at work at once, which takes as many workers; say who was asked, and with what."""
    (Path(place) / str(number)).touch()
    while len(list(Path(place).iterdir())) < others:
        time.sleep(0.01)
    return os.getpid(), number, float(shared.sum())


def nap(shared, number, seconds, should_stop):
    """Take some time, and say who was asked, with what, and whether to stop."""
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        if should_stop():
            return "stopped"
        time.sleep(0.01)
    return os.getpid(), number, float(shared.sum())
