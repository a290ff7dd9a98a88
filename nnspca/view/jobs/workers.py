"""Bounded pool of workers that all sessions share: first come, first served, in turns."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

TURN = 6.0  # seconds of work after which a run gives way to others that wait
POLL_SECONDS = 0.1  # between two looks at whether a waiting run was stopped


class Ticket:
    """One run's claim to a worker."""

    def __init__(self) -> None:
        self.background = False  # whether no page shows this run: it works only while no other run waits
        self._turn = 0  # its place in the order of asking; a new one whenever it gives way
        self._since = 0.0  # when it was last given a worker


class FairSemaphore:
    """A bounded number of workers: first come first served, in turns where more runs ask than there are workers.

    A run holds its worker from :meth:`acquire` to :meth:`release` and calls :meth:`yield_turn` as
    often as it looks for Stop: there it waits while others are before it. So a quick run never
    waits for the end of a long one.
    """

    def __init__(self, count: int):
        self._free = count
        self._waiting: list[Ticket] = []
        self._changed = threading.Condition()
        self._asked = 0

    def acquire(self, ticket: Ticket, stopped: Callable[[], bool]) -> bool:
        """Wait for a worker; return False, without one, where the run was stopped before its turn came."""
        with self._changed:
            self._asked += 1
            ticket._turn = self._asked
            self._waiting.append(ticket)
            while ticket not in self._order()[: self._free]:
                self._changed.wait(POLL_SECONDS)
                if stopped():
                    self._waiting.remove(ticket)
                    self._changed.notify_all()
                    return False
            self._waiting.remove(ticket)
            self._free -= 1
            ticket._since = time.monotonic()
            self._changed.notify_all()
            return True

    def release(self) -> None:
        """Give a worker back."""
        with self._changed:
            self._free += 1
            self._changed.notify_all()

    def yield_turn(self, ticket: Ticket, stopped: Callable[[], bool]) -> bool:
        """Hand the worker to the run that is next in line and wait for the next turn; False where it was stopped."""
        if not self._waiting:  # read without the lock: this is called thousands of times a second
            return True
        with self._changed:
            if not self._should_give_way(ticket):
                return True
            self._free += 1
            self._changed.notify_all()
        return self.acquire(ticket, stopped)

    def before(self, ticket: Ticket) -> int | None:
        """Return how many runs are served before this one; None where it is not waiting."""
        with self._changed, suppress(ValueError):
            return self._order().index(ticket)
        return None

    def _order(self) -> list[Ticket]:
        return sorted(self._waiting, key=lambda ticket: (ticket.background, ticket._turn))

    def _should_give_way(self, ticket: Ticket) -> bool:
        """Tell whether someone waits who goes first: anyone before the background, and peers once a turn is over."""
        over = time.monotonic() - ticket._since > TURN
        waiting = [other for other in self._waiting if not other.background or ticket.background]
        return self._free < len(waiting) and any(over or (ticket.background and not w.background) for w in waiting)
