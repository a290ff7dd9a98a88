"""The command ``nnspca``: the app in a browser tab, on a table of yours where one is named; proofs checked.

nnspca [TABLE] [--port PORT] [--no-browser]      the app
nnspca check CERTIFICATE DATA [BILLIONS]         check a certificate against its data, an array or a table, exactly
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import webbrowser
from pathlib import Path
from urllib.parse import quote

import numpy as np

import nnspca
from nnspca import check, check_more
from nnspca.control.installed import beside_package
from nnspca.datasets.lazily import files_of

PORT, PORTS, START_SECONDS = 8501, 20, 60  # the first port tried, and how many; how long the app may take to answer


def main(given: list[str] | None = None) -> int:
    """Run the command; return its status: 0 where all went well, 2 where it cannot be done."""
    given = sys.argv[1:] if given is None else given
    parser = argparse.ArgumentParser(prog="nnspca", description="Nonnegative sparse PCA with proofs.")
    parser.add_argument("--version", action="version", version=f"nnspca {nnspca.__version__}")
    commands = parser.add_subparsers(dest="command")
    app = commands.add_parser("app", help="start the app and open a browser tab: what nnspca alone does")
    app.add_argument("table", nargs="?", type=Path, help="a table, images in a ZIP, or a folder: the app opens on it")
    app.add_argument("--port", type=int, help=f"where it listens; unless given the first free port from {PORT} on")
    app.add_argument("--no-browser", action="store_true", help="open no tab; the address is printed")
    proof = commands.add_parser("check", help="check a certificate against its data in exact arithmetic")
    proof.add_argument("files", nargs="+", metavar="FILE", help="certificate.npz data.npy (or a table) [billions]")
    named = {*given[:1]} & {"app", "check", "-h", "--help", "--version"}
    asked = parser.parse_args(given if named else ["app", *given])
    try:
        if asked.command == "check":
            return _check(*asked.files)
        return _start(asked)
    except (ValueError, OSError) as problem:
        print(f"nnspca: {problem}", file=sys.stderr)
        return 2


def _check(certificate: str, *data: str) -> int:
    """Check a certificate against a .npy file as it is, or against what :func:`nnspca.datasets.read` gives."""
    with tempfile.TemporaryDirectory() as folder:
        if data and (path := Path(data[0])).exists() and not _is_npy(path):
            table = nnspca.datasets.read(path)
            print(f"{path.name}: {table.shape[0]:,} × {table.shape[1]:,} numbers are read.", *table.notes)
            data = (str(Path(folder, "data.npy")), *data[1:])
            np.save(data[0], table.X.toarray() if table.is_sparse else table.X)
        return check.main([certificate, *data], check_more.Checker)


def _is_npy(path: Path) -> bool:
    """Whether a file begins as NumPy's own do."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(6) == b"\x93NUMPY"


def _start(asked: argparse.Namespace) -> int:
    """Run the app until it is stopped."""
    if importlib.util.find_spec("streamlit") is None:
        raise ValueError('the app needs more packages: pip install "nnspca[app]"')
    port = _free(asked.port)
    address = f"http://127.0.0.1:{port}"
    settings, link = dict(os.environ), address
    if asked.table is not None:
        if not asked.table.exists():
            raise FileNotFoundError(f"there is no file or folder {str(asked.table)!r}")
        others = filter(None, [os.environ.get("NNSPCA_OPEN")])
        table = str(asked.table.resolve())
        settings["NNSPCA_OPEN"] = os.pathsep.join([table, *others])
        link = f"{address}/?data={quote(Path(files_of(table)[0]).name)}"  # of a folder of data sets the first
    command = [sys.executable, "-m", "streamlit", "run", str(beside_package() / "app.py"), "--server.port", str(port)]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # the server ends with this process
    server = subprocess.Popen([*command, "--server.headless", "true"], env=settings, stdout=subprocess.DEVNULL)
    try:
        if answers(address, server):
            print(f"{link}   (Ctrl+C stops it)", flush=True)
            if not asked.no_browser:
                webbrowser.open(link)
        return server.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        server.terminate()
        server.wait()


def _free(wanted: int | None) -> int:
    """The port wanted, or the first free one; OSError where there is none."""
    for port in [wanted] if wanted is not None else range(PORT, PORT + PORTS):
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise OSError(f"port {wanted} is in use" if wanted is not None else f"no port from {PORT} to {port} is free")


def answers(address: str, server: subprocess.Popen[bytes]) -> bool:
    """Wait until the app answers; False where it has ended, or takes too long."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
                return True
        except OSError:
            time.sleep(0.1)
    return False


if __name__ == "__main__":
    sys.exit(main())
