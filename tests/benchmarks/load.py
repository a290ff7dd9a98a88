"""A class at work: visitors who ask for runs at once, and what they, newcomers and the health check wait for.

Run ``python -m tests.benchmarks.load [visitors]`` (10 unless given; Linux only: it reads /proc). They speak Streamlit's
protocol without a browser, and look again each second until their run is done. What is found is kept for the next
request, up to a number of bytes: so the memory after a second class is held against that after the first.
"""

import os
import re
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager

import psutil

from tests.protocol import drawn, session
from tests.server import Server, serving

LINK = "data=lfw-faces&method=em&em.restarts=60&k=160&ks=20,80,160,320&seed={}"
LONG = LINK.replace("restarts=60", "restarts=1000&em.max_iter=100000&em.tol=0")
STOP = b"Keep the best found so far."  # what the button says that stands beside a run
PLACE = re.compile(rb"Waiting for a free worker: \d+ ahead")
BETWEEN = 0.1  # seconds between two looks at the health
NEWCOMERS = 3
FORGOTTEN = 150  # seconds after which Streamlit has forgotten sessions that left (it keeps them for 120)


class Visitor(threading.Thread):
    """Looks at a page until no run is under way, or it leaves: what it was shown, and the seconds to the first page."""

    def __init__(self, address: str, link: str = "", every: float = 1.0):
        super().__init__(daemon=True)
        self.shown, self.waited, self.done = b"", 0.0, False
        self.drawn, self.leaves = threading.Event(), threading.Event()
        self._address, self._link, self._every, self._came = address, link, every, time.monotonic()
        self.start()

    def run(self) -> None:
        with session(self._address) as socket:
            while not (self.done or self.leaves.is_set()):
                _, sent = drawn(socket, query=self._link)
                self.waited = self.waited or time.monotonic() - self._came
                self.shown, self.done = self.shown + sent, STOP not in sent
                self.drawn.set()
                self.leaves.wait(self._every)


class Health(list[float]):
    """The seconds of each look at the server's health, and the most memory by then."""

    most = 0

    @contextmanager
    def watching(self, server: Server):
        """Look again and again, meanwhile."""
        over = threading.Event()

        def look() -> None:
            while not over.wait(BETWEEN):
                asked = time.monotonic()
                with urllib.request.urlopen(f"{server.address}/_stcore/health", timeout=60) as answer:
                    answer.read()
                self.append(time.monotonic() - asked)
                self.most = max(self.most, resident(server.process))

        thread = threading.Thread(target=look)
        thread.start()
        try:
            yield self
        finally:
            over.set()
            thread.join()

    @property
    def late(self) -> float:
        """The 95th percentile of the seconds."""
        return sorted(self)[int(0.95 * (len(self) - 1))]


def resident(process: int) -> int:
    """Return the bytes of memory that a process holds, with those that work for it."""
    first = psutil.Process(process)
    return sum(one.memory_info().rss for one in (first, *first.children(recursive=True)))


def main() -> None:
    """Print what was measured, with the machine's load before it."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"load before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors, {count} visitors", flush=True)
    with serving() as server:
        for number in (1, 2):
            began = time.monotonic()
            with Health().watching(server) as health:
                seeds = range(number * count, (number + 1) * count)
                visitors = [Visitor(server.address, LINK.format(seed)) for seed in seeds]
                newcomers = [Visitor(server.address, f"data=pitprops&seed={seed}") for seed in range(NEWCOMERS)]
                for visitor in (*visitors, *newcomers):
                    visitor.join()
            print(f"all are done after {time.monotonic() - began:.0f} s; the first page came after at most", end=" ")
            print(f"{max(visitor.waited for visitor in visitors):.1f} s, a newcomer's after", end=" ")
            print(f"{max(visitor.waited for visitor in newcomers):.1f} s; health {health.late:.2f} s", flush=True)
            time.sleep(FORGOTTEN)
            most, after = (size / 2**20 for size in (health.most, resident(server.process)))
            print(f"memory: {most:.0f} MB at most, {after:.0f} MB afterwards", flush=True)
        print("a traceback in the log" if "Traceback" in server.output() else "no traceback in the log")


if __name__ == "__main__":
    main()
