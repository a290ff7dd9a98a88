"""The app's own server for the browser tests: started as the README says, on a free port, its words kept in a file."""

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

from nnspca.__main__ import answers

ROOT = Path(__file__).resolve().parents[1]
SHARED = "NNSPCA_TEST_SERVER"  # address and log of a server that all workers use


@dataclass(frozen=True)
class Server:
    """A running app: where it answers, what it has said so far, and its process, where this one has started it."""

    address: str
    log: Path
    process: int = 0

    def output(self) -> str:
        """Return everything the server has written."""
        return self.log.read_text(encoding="utf-8", errors="replace")


@contextmanager
def at_hand() -> Iterator[Server]:
    """Yield the server the environment names, once it answers, or one of this run's own."""
    address, _, log = os.environ.get(SHARED, "").partition(" ")
    if not address:
        with serving() as own:
            yield own
        return
    server = Server(address, Path(log))
    assert answers(address, SimpleNamespace(poll=lambda: None)), server.output()
    yield server


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def serving(wait: bool = True) -> Iterator[Server]:
    """Start the app, wait until it answers unless others do, and end it at the close."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with tempfile.TemporaryDirectory(prefix="nnspca-server-") as folder:
        place = Path(folder) / "log"
        with place.open("wb") as log:
            process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        server = Server(f"http://127.0.0.1:{port}", place, process.pid)
        try:
            if wait and not answers(server.address, process):
                raise RuntimeError(f"the app did not start: {server.output()}")
            yield server
        finally:
            process.terminate()
            process.wait(timeout=20)
