"""Reading a file in a process of its own, with so much memory and computing: what a file breaks ends with that process.

The process gets the files on its standard input. It says how far it is, line by line, and then
answers with plain arrays and words, which run no code when read.
"""

from __future__ import annotations

import importlib
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
from typing import Any, BinaryIO

import numpy as np

from nnspca.datasets import limits, progress
from nnspca.datasets.arranging import ReadingOptions, SeveralClasses
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
POLL_SECONDS = 0.05  # between two looks at whoever waits
MOST_TOLD = 200  # bytes of a line that says how far it is
MOST_WORDS = 200_000_000  # bytes of all names together
SLAB = 2**22  # bytes handed over at once
SPENT = -getattr(signal, "SIGXCPU", 1000)  # how a process ends that has used up its seconds of computing
SCRIPT = "from nnspca.datasets.apart import answer; answer()"

SMALL = 1_000_000  # bytes of a file of plain text or numbers, which is read as soon as another process is begun
PLAIN = (".csv", ".tsv", ".txt", ".arff", ".npy", ".mtx")


def parse(files: Mapping[str, bytes], options: ReadingOptions, header: bool | None) -> Content:
    """Read files that are one data set, apart unless all is small and only this package and NumPy look at it."""
    if limits.are_lifted():  # the reader's own file, and the reader's own time and memory
        return _parse_here(files, options, header)
    if sum(map(len, files.values())) <= SMALL and all(name.lower().endswith(PLAIN) for name in files):
        return _parse_here(files, options, header)
    return read_apart(files, options, header)


def read_apart(files: Mapping[str, bytes], options: ReadingOptions, header: bool | None) -> Content:
    """Read files in another process, which is ended when it takes too much or its caller has gone."""
    path = os.pathsep.join(filter(None, sys.path))
    threads = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path, **threads, "ARROW_DEFAULT_MEMORY_POOL": "system"},
    )
    asked = {"sizes": {name: len(content) for name, content in files.items()}, "header": header, **asdict(options)}
    talk = _Talk(process, json.dumps(asked).encode(), list(files.values()))
    talk.start()
    end = time.monotonic() + BUSY * SECONDS
    try:
        while talk.is_alive():
            progress.report_or_stop(talk.share, 1, talk.what)
            if time.monotonic() > end:
                raise DataError(TOO_LONG)
            talk.join(POLL_SECONDS)
    finally:
        process.kill()
        talk.join()
        ended = process.wait()
    if ended == SPENT:
        raise DataError(TOO_LONG)
    if talk.answer is None or ended != 0:
        raise DataError(GAVE_UP)
    if isinstance(talk.answer, DataError):
        raise talk.answer
    return talk.answer


class _Talk(threading.Thread):
    """Hands the files over, listens how far the other process is, and takes its answer."""

    def __init__(self, process: subprocess.Popen[bytes], asked: bytes, contents: list[bytes]):
        super().__init__(daemon=True, name="nnspca-reading")
        self._process, self._asked, self._contents = process, asked, contents
        self.share, self.what = 0.0, "Opening the file"
        self.answer: Content | DataError | None = None

    def run(self) -> None:
        to, of = self._process.stdin, self._process.stdout
        assert to is not None and of is not None
        # it may end at any moment, and say anything
        with suppress(OSError, ValueError, KeyError, TypeError, MemoryError), to, of:
            to.write(self._asked + b"\n")
            for content in self._contents:
                to.write(content)
            to.close()
            while told := of.readline(MOST_TOLD).rstrip(b"\n"):
                share, what = told.decode().split("\t", 1)
                self.share, self.what = float(share), what
            answer = _taken(of)
            if self._process.wait() == 0:
                self.answer = answer


def answer() -> None:
    """Read the files on the standard input and write what they hold, or what is wrong with them: the other process."""
    out = sys.stdout.buffer
    sys.stdout = sys.stderr

    def tell(share: float, what: str) -> None:
        out.write(f"{share:.4f}\t{what}\n".encode())
        out.flush()

    given = json.loads(sys.stdin.buffer.readline())
    sizes, header = given.pop("sizes"), given.pop("header")
    _limit(SECONDS, MEMORY)
    made: Content | DataError
    try:
        files = {name: sys.stdin.buffer.read(size) for name, size in sizes.items()}
        with progress.reporting(tell, None):
            made = _parse_here(files, ReadingOptions(**given), header)
    except DataError as error:
        made = error
    except MemoryError:
        made = DataError(TOO_MUCH)
    files = {}
    out.write(b"\n")
    _hand_over(made, out)
    out.flush()
    os._exit(0)


def _parse_here(files: Mapping[str, bytes], options: ReadingOptions, header: bool | None) -> Content:
    formats = importlib.import_module("nnspca.datasets.formats")  # every reader, which this room stands below
    made: Content = formats.parse_files(files, options, header)
    return made


def _limit(seconds: float, memory: int) -> None:
    """Hold this process to so much more computing and memory than it has had, where the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        spent = math.ceil(time.process_time() + seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (spent, spent + 1))
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
        with open("/proc/self/statm", encoding="ascii") as counted:  # Linux has it, and counts all that is written to
            held = int(counted.read().split()[5]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_DATA, (held + memory, held + memory))


_WORDS = ("feature_names", "label_names", "notes", "class_columns")


def _hand_over(made: Content | DataError, out: BinaryIO) -> None:
    """Write an answer: a line that says what follows, then the words, then the numbers of each array."""
    if isinstance(made, DataError):
        said = {"kind": type(made).__name__, "said": str(made), **vars(made)}
        _write_words({"error": said}, {}, out)
        return
    X = made.X
    arrays = {"X": X} if isinstance(X, np.ndarray) else {"data": X.data, "indices": X.indices, "indptr": X.indptr}
    if made.labels is not None:
        arrays["labels"] = made.labels
    words = {name: getattr(made, name) for name in _WORDS}
    _write_words({**words, "image_shape": made.image_shape, "shape": X.shape}, arrays, out)
    for array in arrays.values():
        step = max(1, SLAB * len(array) // max(1, array.nbytes))
        for start in range(0, len(array), step):
            out.write(np.ascontiguousarray(array[start : start + step]).tobytes())


def _write_words(said: dict[str, Any], arrays: dict[str, np.ndarray], out: BinaryIO) -> None:
    shapes = {name: (array.dtype.str, array.shape) for name, array in arrays.items()}
    words = json.dumps({**said, "arrays": shapes}).encode()
    out.write(len(words).to_bytes(8, "big") + words)


def _taken(of: Any) -> Content | DataError:
    """Read an answer."""
    length = int.from_bytes(of.read(8), "big")
    if not 0 < length <= MOST_WORDS:
        raise ValueError("no answer")
    said = json.loads(of.read(length))
    if "error" in said:
        return _error(**said["error"])
    arrays = {name: _array(of, kind, tuple(shape)) for name, (kind, shape) in said["arrays"].items()}
    X: Any = arrays.get("X")
    if X is None:
        rows, columns = map(int, said["shape"])
        X = compressed(arrays["data"], arrays["indices"], arrays["indptr"], (rows, columns), by_rows=True)
    shape = said["image_shape"]
    made = Content(X=X, image_shape=shape and (int(shape[0]), int(shape[1])), labels=arrays.get("labels"))
    words: dict[str, Any] = {name: tuple(map(str, said[name])) for name in _WORDS}
    return replace(made, **words)


def _array(of: Any, kind: str, shape: tuple[int, ...]) -> np.ndarray:
    """Read the numbers of one array."""
    dtype = np.dtype(kind)
    limits.check_entries(*shape)
    if dtype.kind not in "biuf" or dtype.itemsize > 16 or min(shape, default=0) < 0:
        raise ValueError("no array of numbers")
    made = np.empty(shape, dtype)
    room, at = memoryview(made.reshape(-1).view(np.uint8)), 0  # type: ignore[arg-type]
    while at < len(room):
        got = of.readinto(room[at : at + SLAB])
        if not got:
            raise ValueError("cut short")
        at += got
    return made


def _error(kind: str, said: str, **more: Any) -> DataError:
    """The error that the other process met."""
    if kind == "MissingValues":
        rows, columns = more["shape"]
        return MissingValues(more["found"], more["count"], more["rows"], more["features"], (rows, columns))
    if kind == "SeveralClasses":
        return SeveralClasses(more["found"], tuple(more["columns"]))
    return DataError(said)
