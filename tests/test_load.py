"""Visitors sweep at once on a fresh server: each is shown its run or its place, and the health is told all the while.

The visitors speak Streamlit's protocol without a browser; ``python -m tests.benchmarks.load`` does it with real tabs.
"""

import os
import re
import threading
from contextlib import suppress

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.sync.client import connect

from tests.benchmarks.load import Seen, percentile, watching
from tests.server import serving

TABS = max(2, os.cpu_count() or 2) + 4  # four more than there are workers
LINK = "data=lfw-faces&method=em&em.restarts=60&k=160&ks=20,80,160,320&seed={}"
WITHIN, HEALTH = 60, 5.0  # seconds; several times what it takes on a quiet machine
STOP = b"Keep the best found so far."  # what the button says that stands beside a run
PLACE = re.compile(r"Waiting for a free worker: \d+ ahead")


class Tab:
    """A visitor of the Explore page: what it was shown, and whether its run is among it."""

    def __init__(self, address: str, seed: int):
        self.shown: list[bytes] = []
        self.drawn, self.over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._visit, args=(address, LINK.format(seed)), daemon=True)
        self._thread.start()

    def _visit(self, address: str, link: str) -> None:
        asked = BackMsg()
        asked.rerun_script.query_string = link
        asked.rerun_script.page_name = ""
        stream = address.replace("http", "ws") + "/_stcore/stream"
        with connect(stream, subprotocols=["streamlit"], max_size=None, origin=address) as socket:
            socket.send(asked.SerializeToString())
            while not self.over.is_set():
                with suppress(TimeoutError):
                    self.shown.append(socket.recv(timeout=0.2))
                    if STOP in self.shown[-1]:
                        self.drawn.set()

    def text(self) -> str:
        return b" ".join(list(self.shown)).decode(errors="ignore")

    def close(self) -> None:
        self.over.set()
        self._thread.join()


@pytest.mark.heavy
def test_who_comes_to_a_fresh_server_at_once_is_served_or_told_the_place_and_the_health_is_told():
    with serving() as server:
        seen = Seen()
        with watching(server, seen):
            tabs = [Tab(server.address, seed) for seed in range(TABS)]
            try:
                assert all(tab.drawn.wait(WITHIN) for tab in tabs), server.output()
                told = [tab.text() for tab in tabs]
            finally:
                for tab in tabs:
                    tab.close()
        output = server.output()
    assert "Traceback" not in output, output
    assert not [text for text in told if "encountered an error" in text]
    assert sum(bool(PLACE.search(text)) for text in told) >= 2
    assert percentile(seen.health, 0.95) < HEALTH, sorted(seen.health)[-5:]
