"""Reading a file in a process of its own: where a damaged one makes a library crash or never return, only that ends.

The process gets the file on its standard input. It says how far it is, line by line, then answers
with an NPZ of plain arrays, which runs no code when read.
"""

from __future__ import annotations

import importlib
import io
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Literal

import numpy as np
import scipy.sparse

from nnspca.datasets import limits, progress
from nnspca.datasets.arranging import ReadingOptions, SeveralClasses
from nnspca.datasets.dataset import Content
from nnspca.datasets.missing import MissingValues
from nnspca.datasets.sparse import compressed
from nnspca.errors import DataError

PATIENCE, SLOWEST = 30.0, 2e6  # seconds of computing that any file gets, and bytes a second beyond these
BUSY = 10.0  # how many times as long that may take by the clock, where others keep the machine busy
TOO_LONG = "the file takes far too long to read, as damaged ones do: save it again."
MEMORY = 4 * 2**30  # bytes of address space, where the system can hold a process to that
POLL_SECONDS = 0.05  # between two looks at whoever waits
MOST_TOLD = 200  # bytes of a line that says how far it is
SPENT = -getattr(signal, "SIGXCPU", 1000)  # how a process ends that has used up its seconds of computing
SCRIPT = "from nnspca.datasets.apart import answer; answer()"

Form = Literal["h5ad", "parquet"]


def read_apart(form: Form, data: bytes, options: ReadingOptions) -> Content:
    """Read a file in another process, which is ended when it takes too long or nobody waits any more."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, form, json.dumps(asdict(options))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    talk = _Talk(process, data)
    talk.start()
    end = time.monotonic() + BUSY * _seconds(data)
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
    if not talk.answered:
        raise DataError("the file is damaged: the library that reads it gave up. Save it again.")
    return _unpacked(talk.answered)


def _seconds(data: bytes) -> float:
    """How many seconds of computing a file gets."""
    return PATIENCE + len(data) / SLOWEST


class _Talk(threading.Thread):
    """Hands the file over, listens how far the other process is, and takes its answer."""

    def __init__(self, process: subprocess.Popen[bytes], data: bytes):
        super().__init__(daemon=True, name="nnspca-reading")
        self._process, self._data = process, data
        self.share, self.what = 0.0, "Opening the file"
        self.answered = b""

    def run(self) -> None:
        to, of = self._process.stdin, self._process.stdout
        assert to is not None and of is not None
        with to, of, suppress(OSError, ValueError):  # it may end at any moment, and say anything
            to.write(self._data)
            to.close()
            while told := of.readline(MOST_TOLD).rstrip(b"\n"):
                share, what = told.decode().split("\t", 1)
                self.share, self.what = float(share), what
            answered = of.read()
            if self._process.wait() == 0:
                self.answered = answered


def answer() -> None:
    """Read the file on the standard input and write what it holds, or what is wrong with it: the other process."""
    _limit_memory()
    form, options = sys.argv[1], ReadingOptions(**json.loads(sys.argv[2]))
    read_here = importlib.import_module(f"nnspca.datasets.{form}").read_here
    out = sys.stdout.buffer
    sys.stdout = sys.stderr

    def tell(share: float, what: str) -> None:
        out.write(f"{share:.4f}\t{what}\n".encode())
        out.flush()

    try:
        with progress.reporting(tell, None):
            data = sys.stdin.buffer.read()
            _limit_seconds(_seconds(data))
            held = _packed(read_here(data, options))
    except DataError as error:
        held = {"error": np.array(json.dumps({"kind": type(error).__name__, "said": str(error), **vars(error)}))}
    made = io.BytesIO()
    np.savez(made, allow_pickle=False, **held)
    out.write(b"\n")
    out.write(made.getbuffer())
    out.flush()
    os._exit(0)


def _limit_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, OSError, ValueError):  # not every system has it
        pass


def _limit_seconds(more: float) -> None:
    try:
        import resource

        most = math.ceil(time.process_time() + more)
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
    except (ImportError, OSError, ValueError):
        pass


def _packed(content: Content) -> dict[str, Any]:
    words = {name: np.array(getattr(content, name), dtype=str) for name in _WORDS}
    held = words if content.labels is None else {**words, "labels": content.labels}
    if isinstance(content.X, np.ndarray):
        return {**held, "X": content.X}
    X = content.X
    return {**held, "data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape)}


def _unpacked(answered: bytes) -> Content:
    limits.check_unpacked(len(answered) // 4)
    with np.load(io.BytesIO(answered), allow_pickle=False) as held:
        if "error" in held:
            raise _error(**json.loads(str(held["error"])))
        if "X" in held:
            X: Any = held["X"]
        else:
            rows, columns = map(int, held["shape"])
            X = compressed(held["data"], held["indices"], held["indptr"], (rows, columns), by_rows=True)
            assert isinstance(X, scipy.sparse.csr_array)
        names, classes, notes, classed = (tuple(map(str, held[name])) for name in _WORDS)
        return Content(
            X=X,
            feature_names=names,
            labels=dict(held).get("labels"),
            label_names=classes,
            notes=notes,
            class_columns=classed,
        )


def _error(kind: str, said: str, **more: Any) -> DataError:
    """The error that the other process met."""
    if kind == "MissingValues":
        rows, columns = more["shape"]
        return MissingValues(more["found"], more["count"], more["rows"], more["features"], (rows, columns))
    if kind == "SeveralClasses":
        return SeveralClasses(more["found"], tuple(more["columns"]))
    return DataError(said)


_WORDS = ("feature_names", "label_names", "notes", "class_columns")
