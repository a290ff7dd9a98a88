"""Reads strangers' files in a process of limited computing and memory, so that a bad file ends only that process.

The process receives the files on its standard input and answers with JSON and plain arrays, which run no code when
read. A person's own `nnspca.datasets.read` has no such limits.
"""

from __future__ import annotations

import ctypes
import io
import json
import math
import os
import signal
import struct
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

import nnspca
from nnspca.datasets import Axis, Choice, Column, Dataset, FilePreview, MissingValues, Note
from nnspca.errors import DataError, ReadingStopped

MAX_BYTES = 200_000_000  # of all files together
MAX_ENTRIES = 20_000_000  # numbers that are stored: 160 MB in memory
SECONDS = 12.0  # of computing that a file gets
BUSY = 10.0  # how many times as long that may take by the clock, where others keep the machine busy
MEMORY = 640_000_000  # bytes that the process may take beyond what it begins with, the files themselves included
ADDRESSES = 4 * 2**30  # bytes of address space, in which libraries lie too
ANSWER = 1_000_000_000  # most bytes of an answer
POLL_SECONDS = 0.05  # between two polls of the stop switch
SPENT = -getattr(signal, "SIGXCPU", 1000)  # how a process ends that has used up its seconds of computing
SCRIPT = "from nnspca.view.sources.sandbox import serve; serve()"
QUICK_BYTES, PLAIN = 300_000, (".csv", ".tsv", ".txt")  # bytes of text that is read as soon as another process is begun
ROW = 20_000  # bytes of one row of it: its 10,000 cells take a second, as beginning a process does

# Of Linux, the same on every processor: linux/landlock.h, linux/prctl.h, linux/sched.h, and the first of three calls.
LANDLOCK, NO_NEW_PRIVILEGES, NEW_USER, NEW_NETWORK = 444, 38, 0x10000000, 0x40000000
READING = 1 << 2 | 1 << 3  # of the rights that Landlock lists: a file, a folder

WORDS = tomllib.loads(Path(__file__).with_name("sandbox.toml").read_text(encoding="utf-8")).values()
TOO_LONG, TOO_MUCH, GAVE_UP = (said.format(seconds=SECONDS, megabytes=MEMORY // 10**6) for said in WORDS)
_TEXTS = ("name", "title", "kind", "description", "citation", "terms", "source")
_LISTS, _ROWS = ("feature_names", "feature_titles", "label_names", "sample_names"), ("labels", "weights")
ready: dict[str, subprocess.Popen[bytes]] = {}  # a process that waits for a file, where one was begun
_beginning = threading.Lock()
_SEEN = ("shape", "rows", "decided", "sheets", "problem")  # of a preview, as JSON has them


def preview(files: Mapping[str, bytes], should_stop: Callable[[], bool], **options: Any) -> FilePreview:
    """Read files as :func:`nnspca.datasets.preview` does, in another process unless they are small and narrow.

    Its error also tells of files beyond the limits. Raises ReadingStopped when ``should_stop`` says so.
    """
    size = sum(map(len, files.values()))
    if size > MAX_BYTES:
        return _refused(files, f"{size:,} bytes are more than can be read; at most {MAX_BYTES:,} are read.")
    plain = size <= QUICK_BYTES and all(name.lower().endswith(PLAIN) and _narrow(text) for name, text in files.items())
    known = len(files) == 1 and nnspca.datasets.catalogue.catalogue_name(next(iter(files.values()))) is not None
    seen = _here(files, options) if plain or known else read_apart(files, should_stop, options)
    data = seen.data
    if data is not None and (data.X.nnz if data.is_sparse else data.X.size) > MAX_ENTRIES:
        problem = (
            f"{data.name!r:.60}: {data.shape[0]:,} × {data.shape[1]:,} numbers are more than the {MAX_ENTRIES:,} that "
            "are read. Keep fewer samples or features, or make images smaller."
        )
        return replace(seen, data=None, error=DataError(problem), problem=problem)
    return seen


def _narrow(text: bytes) -> bool:
    """Whether no row of a text can have many cells; where cells are quoted a row may have several lines."""
    rows = [text] if b'"' in text or b"\0" in text else text.splitlines()
    return max(map(len, rows), default=0) <= ROW


def _refused(files: Mapping[str, Any], problem: str) -> FilePreview:
    error = DataError(f"{next(iter(files))!r:.100}: {problem}")
    return FilePreview(problem=str(error), error=error)


def _here(files: Mapping[str, bytes], options: Mapping[str, Any]) -> FilePreview:
    only = len(files) == 1
    filename, content = next(iter(files.items()))
    return nnspca.datasets.preview(content if only else files, filename if only else None, **options)


def read_apart(files: Mapping[str, bytes], should_stop: Callable[[], bool], options: Mapping[str, Any]) -> FilePreview:
    """Read files in another process, which is ended if it exceeds its limits or its caller is gone."""
    process = ready.pop(SCRIPT, None)
    if process is None or process.poll() is not None:
        process = _process()
    request = json.dumps({"sizes": {name: len(content) for name, content in files.items()}, "options": options})
    said: list[bytes] = []
    talk = threading.Thread(target=_talk, args=(process, request, files, said), daemon=True, name="nnspca-reading")
    talk.start()
    end = time.monotonic() + BUSY * SECONDS
    try:
        while talk.is_alive():
            if should_stop():
                raise ReadingStopped("the reading was stopped; nothing of the file was kept.")
            if time.monotonic() > end:
                return _refused(files, TOO_LONG)
            talk.join(POLL_SECONDS)
    finally:
        process.kill()
        talk.join()
        status = process.wait()
    if status == SPENT:
        return _refused(files, TOO_LONG)
    try:
        return _understood(b"".join(said)) if status == 0 else _refused(files, GAVE_UP)
    except Exception:  # the process may have written anything
        return _refused(files, GAVE_UP)


def begin_process() -> None:
    """Begin the process that reads the next file, unless there is one: it takes seconds to load its libraries."""
    with _beginning:  # one that is begun beside would wait for ever
        if SCRIPT not in ready:
            ready[SCRIPT] = _process()


def _process() -> subprocess.Popen[bytes]:
    threads = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    path = os.pathsep.join(filter(None, sys.path))
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path, **threads, "ARROW_DEFAULT_MEMORY_POOL": "system"},
    )


def _talk(process: subprocess.Popen[bytes], request: str, files: Mapping[str, bytes], said: list[bytes]) -> None:
    """Send the files, and take the answer."""
    to, of = process.stdin, process.stdout
    assert to is not None and of is not None
    with suppress(OSError, ValueError, MemoryError), to, of:  # the process may end at any moment
        to.write(request.encode() + b"\n")
        for content in files.values():
            to.write(content)
        to.close()
        answered = of.read(ANSWER)
        if process.wait() == 0:
            said.append(answered)


def contain() -> tuple[str, ...]:
    """Give up writing, starting programs and the network for good; return which of "files", "network" the kernel bars.

    Landlock (Linux 5.13, connections from 6.7) bars files, programs and TCP; namespaces, where a process without
    privileges may make them, leave no network at all. What is open already, such as pipes, stays open.
    """
    if sys.platform != "linux":
        return ()
    system, barred = ctypes.CDLL(None, use_errno=True), []
    version = system.syscall(LANDLOCK, None, 0, 1)
    if version > 0:
        writing = (1 << min(13 + (version > 1) + (version > 2), 15)) - 1 & ~READING
        rules = struct.pack("QQQ", writing, (1 << 2) - 1, (1 << 2) - 1)  # of files, TCP, sockets and signals
        size = 8 if version < 4 else 16 if version < 6 else 24
        ruleset = system.syscall(LANDLOCK, rules, size, 0)
        if ruleset >= 0 and not system.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            barred += ["files"] if not system.syscall(LANDLOCK + 2, ruleset, 0) else []
    if not system.unshare(NEW_USER | NEW_NETWORK):
        barred.append("network")
    return tuple(barred)


def serve() -> None:
    """The other process: read files from the standard input and write the data set, or the error."""
    contain()
    out, sys.stdout = sys.stdout.buffer, sys.stderr
    given = json.loads(sys.stdin.buffer.readline())
    _limit(SECONDS, MEMORY)
    try:
        files = {name: sys.stdin.buffer.read(size) for name, size in given["sizes"].items()}
        seen = _here(files, given["options"])
    except MemoryError:
        seen = _refused(given["sizes"], TOO_MUCH)
    fields: dict[str, Any] = {name: getattr(seen, name) for name in _SEEN}
    fields |= {name: list(map(asdict, getattr(seen, name))) for name in ("notes", "doubts")}
    fields["columns"] = [tuple(vars(column).values()) for column in seen.columns]
    arrays: dict[str, Any] = {}
    if (error := seen.error) is not None:
        fields["error"] = {"said": str(error), "is": type(error).__name__, **vars(error)}
    elif (data := seen.data) is not None:
        fields["data"] = {name: getattr(data, name) for name in (*_TEXTS, *_LISTS, "image_shape", "shape")}
        fields["data"]["notes"] = list(map(asdict, data.notes))
        fields["data"]["axis"] = data.axis and (data.axis.values.tolist(), data.axis.name, data.axis.unit)
        X = data.X
        arrays = {"data": X.data, "indices": X.indices, "indptr": X.indptr} if data.is_sparse else {"X": X}
        arrays |= {name: one for name in _ROWS if (one := getattr(data, name)) is not None}
        del files, data
    np.savez(out, fields=np.array(json.dumps(fields)), **arrays)
    out.flush()
    os._exit(0)


def _understood(answered: bytes) -> FilePreview:
    """The preview that the other process wrote, with its data set or error."""
    with np.load(io.BytesIO(answered), allow_pickle=False) as arrays:
        fields = json.loads(str(arrays["fields"]))
        data, error = fields.pop("data", None), fields.pop("error", None)
        rows, columns = map(int, fields["shape"])
        words: dict[str, Any] = {name: _notes(fields[name]) for name in ("notes", "doubts")}
        words |= {"shape": (rows, columns), "rows": tuple(tuple(map(str, row)) for row in fields["rows"])}
        decided = {name: _tuples(value) for name, value in fields["decided"].items()}
        words |= {"sheets": tuple(map(str, fields["sheets"])), "problem": str(fields["problem"])}
        seen = FilePreview(**words, decided=decided)
        table = _columns(fields["columns"])
        made = None if data is None else replace(_dataset(data, arrays), table=table, doubts=seen.doubts)
        raised = None if error is None else DataError(str(error["said"]))
        if error is not None and error["is"] == "MissingValues":
            more = error["count"], error["rows"], error["features"], (int(error["shape"][0]), int(error["shape"][1]))
            raised = MissingValues(str(error["found"]), *more)
        return replace(seen, columns=table, data=made, error=raised)


def _tuples(value: Any) -> Any:
    """Lists as tuples, which JSON does not have."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _notes(sent: Sequence[Mapping[str, Any]]) -> tuple[Note, ...]:
    """Notes that the other process wrote."""
    made = []
    for note in sent:
        settles = tuple(
            Choice(str(choice["label"]), {str(name): _tuples(value) for name, value in choice["sets"].items()})
            for choice in note["settles"]
        )
        rows = tuple(map(int, note["rows"]))
        made.append(Note(str(note["says"]), tuple(map(str, note["about"])), settles, str(note["topic"]), rows))
    return tuple(made)


def _columns(sent: Sequence[Sequence[Any]]) -> tuple[Column, ...]:
    """The columns that the other process wrote."""
    made: list[Any] = [str, str, str, float, float, float, int, int]  # what each field is made by
    made += [lambda several: tuple(map(str, several)), lambda several: tuple(map(int, several))]
    return tuple(Column(*(make(value) for make, value in zip(made, one, strict=True))) for one in sent)


def _dataset(sent: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Dataset:
    X: Any = arrays.get("X")
    if X is None:
        parts = tuple(arrays[name] for name in ("data", "indices", "indptr"))
        X = scipy.sparse.csr_array(parts, shape=tuple(map(int, sent["shape"])))
        X.check_format(full_check=True)
    words: dict[str, Any] = {name: str(sent[name]) for name in _TEXTS}
    words |= {name: tuple(map(str, sent[name])) for name in _LISTS}
    words |= {name: arrays.get(name) for name in _ROWS} | {"notes": _notes(sent["notes"])}
    if sent["axis"] is not None:
        words["axis"] = Axis(np.array(sent["axis"][0], float), *map(str, sent["axis"][1:]))
    shape = sent["image_shape"]
    return Dataset(X=X, image_shape=shape and (int(shape[0]), int(shape[1])), **words)


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
