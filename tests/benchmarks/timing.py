"""Seconds of a call on a machine where others work: the least of a few, as what else runs only adds."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

REPEATS = 3
LONG = 1.0  # seconds of a call that is made once


def timed(call: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> tuple[float, Any]:
    """Return the least seconds of a few calls (of one that takes long), and what was returned."""
    least = np.inf
    for _ in range(REPEATS):
        begun = clock()
        value = call()
        least = min(least, clock() - begun)
        if least > LONG:
            break
    return least, value
