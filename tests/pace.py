"""How slow the machine is at this moment: what must be over within seconds is said for an idle one."""

import time

ADDITIONS = 1_000_000
IDLE = 0.04  # seconds they take on an idle machine of the kind the limits were measured on


def slowness() -> float:
    """Return how many times as long as on an idle machine a little work takes now, at least 1.

    A machine may be busy with others' work, or lent to others by its owner: then all that is measured in
    seconds takes so much longer. Ask right after what was measured.
    """
    begun, total = time.perf_counter(), 0
    for number in range(ADDITIONS):
        total += number
    return max(1.0, (time.perf_counter() - begun) / IDLE)
