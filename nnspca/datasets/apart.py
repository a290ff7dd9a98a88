"""Reads a file in a separate process with limited memory and computing time, so that a bad file ends only that process.

The process receives the files on its standard input. It reports its progress line by line, and then
returns plain arrays and JSON, which run no code when read.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from types import SimpleNamespace
from typing import Any, BinaryIO

import numpy as np

from nnspca.datasets import formats, limits, progress
from nnspca.datasets.cells import ReadingOptions
from nnspca.datasets.dataset import Content
from nnspca.datasets.missing import MissingValues
from nnspca.datasets.sparse import compressed
from nnspca.errors import DataError

SECONDS = 12.0  # of computing that a file gets
BUSY = 10.0  # how many times as long that may take by the clock, where others keep the machine busy
TOO_LONG = (
    f"reading it takes more than the {SECONDS:g} seconds of computing that a file gets. Damaged files do that; if this "
    "one is sound, keep fewer rows or columns, or save the numbers as an NPY file."
)
MEMORY = 640_000_000  # bytes that the process may take beyond what it begins with, the files themselves included
TOO_MUCH = (
    f"reading it takes more than the {MEMORY // 10**6:,} MB of memory that a file gets: keep fewer rows or columns, or "
    "save the numbers as an NPY file."
)
GAVE_UP = (
    "the file is damaged, or takes far more memory than its numbers do: the library that reads it gave up. Save it "
    "again, or as CSV."
)
ADDRESSES = 4 * 2**30  # bytes of address space, in which libraries lie too
POLL_SECONDS = 0.05  # between two polls of the stop switch
MOST_TOLD = 200  # most bytes of a progress line
MOST_WORDS = 200_000_000  # bytes of all names together
SPENT = -getattr(signal, "SIGXCPU", 1000)  # how a process ends that has used up its seconds of computing
SCRIPT = "from nnspca.datasets.apart import answer; answer()"

SMALL = 1_000_000  # bytes of a file of plain text or numbers, which is read as soon as another process is begun
PLAIN = (".csv", ".tsv", ".txt", ".arff", ".npy")


def parse(files: Mapping[str, bytes], options: ReadingOptions) -> Content:
    """Read files that form one data set, in a separate process unless they are small and in a plain format."""
    small = sum(map(len, files.values())) <= SMALL and all(name.lower().endswith(PLAIN) for name in files)
    if small or limits.are_lifted():  # the reader's own file, and the reader's own time and memory
        return formats.parse_files(files, options)
    return read_apart(files, options)


def read_apart(files: Mapping[str, bytes], options: ReadingOptions) -> Content:
    """Read files in another process, which is ended if it exceeds its limits or its caller is gone."""
    path = os.pathsep.join(filter(None, sys.path))
    threads = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path, **threads, "ARROW_DEFAULT_MEMORY_POOL": "system"},
    )
    request = {"sizes": {name: len(content) for name, content in files.items()}, **asdict(options)}
    exchange = _Exchange(process, json.dumps(request).encode(), list(files.values()))
    exchange.start()
    end = time.monotonic() + BUSY * SECONDS
    try:
        while exchange.is_alive():
            progress.report_or_stop(exchange.share, 1, exchange.what)
            if time.monotonic() > end:
                raise DataError(TOO_LONG)
            exchange.join(POLL_SECONDS)
    finally:
        process.kill()
        exchange.join()
        status = process.wait()
    if status == SPENT:
        raise DataError(TOO_LONG)
    if exchange.answer is None or status != 0:
        raise DataError(GAVE_UP)
    if isinstance(exchange.answer, DataError):
        raise exchange.answer
    return exchange.answer


class _Exchange(threading.Thread):
    """Sends the files to the other process, receives its progress, and reads its answer."""

    def __init__(self, process: subprocess.Popen[bytes], request: bytes, contents: list[bytes]):
        super().__init__(daemon=True, name="nnspca-reading")
        self._process, self._request, self._contents = process, request, contents
        self.share, self.what = 0.0, "Opening the file"
        self.answer: Content | DataError | None = None

    def run(self) -> None:
        to, of = self._process.stdin, self._process.stdout
        assert to is not None and of is not None
        # the process may end at any moment, and write anything
        with suppress(OSError, ValueError, KeyError, TypeError, MemoryError), to, of:
            to.write(self._request + b"\n")
            for content in self._contents:
                to.write(content)
            to.close()
            while line := of.readline(MOST_TOLD).rstrip(b"\n"):
                share, what = line.decode().split("\t", 1)
                self.share, self.what = float(share), what
            answer = _read_answer(of)
            if self._process.wait() == 0:
                self.answer = answer


def answer() -> None:
    """The other process: read files from the standard input and write their content, or the error."""
    out = sys.stdout.buffer
    sys.stdout = sys.stderr

    def tell(share: float, what: str) -> None:
        out.write(f"{share:.4f}\t{what}\n".encode())
        out.flush()

    given = json.loads(sys.stdin.buffer.readline())
    sizes = given.pop("sizes")
    _limit(SECONDS, MEMORY)
    result: Content | DataError
    try:
        files = {name: sys.stdin.buffer.read(size) for name, size in sizes.items()}
        with progress.reporting(tell, None):
            result = formats.parse_files(files, ReadingOptions(**given))
    except DataError as error:
        result = error
    except MemoryError:
        result = DataError(TOO_MUCH)
    files = {}
    out.write(b"\n")
    _hand_over(result, out)
    out.flush()
    os._exit(0)


def _limit(seconds: float, memory: int) -> None:
    """Limit the further computing time and memory of this process, if the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        spent = math.ceil(time.process_time() + seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (spent, spent + 1))
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
        with open("/proc/self/statm", encoding="ascii") as counted:  # Linux has it, and counts all that is written to
            used = int(counted.read().split()[5]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_DATA, (used + memory, used + memory))


_WORDS = ("feature_names", "label_names", "notes", "class_columns", "sample_names", "name_columns")


def _hand_over(result: Content | DataError, out: BinaryIO) -> None:
    """Write an answer: the fields as JSON, then each array in NumPy's own format."""
    arrays: dict[str, np.ndarray] = {}
    if isinstance(result, DataError):
        fields: dict[str, Any] = {"error": {"kind": type(result).__name__, "message": str(result), **vars(result)}}
    else:
        X = result.X
        arrays = {"X": X} if isinstance(X, np.ndarray) else {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        if result.labels is not None:
            arrays["labels"] = result.labels
        fields = {name: getattr(result, name) for name in _WORDS}
        fields |= {"image_shape": result.image_shape, "shape": X.shape, "arrays": list(arrays)}
    words = json.dumps(fields).encode()
    out.write(len(words).to_bytes(8, "big") + words)
    for array in arrays.values():  # a file would be asked for its place, which a pipe has not
        np.lib.format.write_array(SimpleNamespace(write=out.write), array, allow_pickle=False)


def _read_answer(of: Any) -> Content | DataError:
    length = int.from_bytes(of.read(8), "big")
    if not 0 < length <= MOST_WORDS:
        raise ValueError("no answer")
    fields = json.loads(of.read(length))
    if "error" in fields:
        return _error(**fields["error"])
    source = SimpleNamespace(read=of.read)
    arrays = {name: np.lib.format.read_array(source, allow_pickle=False) for name in fields["arrays"]}
    X: Any = arrays.get("X")
    if X is None:
        rows, columns = map(int, fields["shape"])
        X = compressed(arrays["data"], arrays["indices"], arrays["indptr"], (rows, columns), by_rows=True)
    shape = fields["image_shape"]
    content = Content(X=X, image_shape=shape and (int(shape[0]), int(shape[1])), labels=arrays.get("labels"))
    words: dict[str, Any] = {name: tuple(map(str, fields[name])) for name in _WORDS}
    return replace(content, **words)


def _error(kind: str, message: str, **more: Any) -> DataError:
    """The error that the other process raised."""
    offering: Any = {error.__name__: error for error in (MissingValues,)}.get(kind)
    if offering is None:
        return DataError(message)
    return offering(**{name: tuple(value) if isinstance(value, list) else value for name, value in more.items()})
