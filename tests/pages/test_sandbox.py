"""A file read in a process of its own: the same data set, Stop at any moment, and never too much."""

import functools
import io
import socket
import subprocess
import sys
import time
from dataclasses import replace

import h5py
import numpy as np
import pytest
import scipy.io
import scipy.sparse

import nnspca
from nnspca.datasets import MissingValues, ReadingStopped
from nnspca.errors import DataError
from nnspca.view.sources import sandbox
from tests.datasets.test_formats import parquet, picture, workbook, zipped

CONTAINED = "from nnspca.view.sources import sandbox; print(*sandbox.contain())"
X = np.random.default_rng(0).normal(size=(400, 30))


def read(content, filename, should_stop=lambda: False, **options):
    seen = sandbox.preview({filename: content}, should_stop, **options)
    if seen.error is not None:
        raise seen.error
    return seen.data


def annotated(**options):
    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        file.create_dataset("X", data=X, **options)
    return out.getvalue()


def whole(scipy_writes, *given):
    out = io.BytesIO()
    scipy_writes(out, *given)
    return out.getvalue()


def does(first):
    return f"from nnspca.view.sources import sandbox; import nnspca, time; {first}; sandbox.serve()"


def test_stop_ends_the_other_process_within_a_second(monkeypatch):
    monkeypatch.setattr(sandbox, "SCRIPT", "import sys, time; sys.stdin.buffer.read(); time.sleep(60)")
    began, since = time.monotonic(), []

    def stop():
        if time.monotonic() - began > 0.5:
            since.append(time.monotonic())
        return bool(since)

    with pytest.raises(ReadingStopped):
        read(annotated(), "t.h5ad", stop)
    assert time.monotonic() - since[0] < 1


def test_a_file_is_given_seconds_of_computing_and_not_of_the_clock(monkeypatch):
    """On a machine that others keep busy a sound file may take many times as long."""
    slow = "sandbox.SECONDS = 0.6; inner = nnspca.datasets.preview; nnspca.datasets.preview = lambda *its, **more: "
    data = EACH["t.npz"]
    monkeypatch.setattr(sandbox, "SCRIPT", does(f"{slow}(time.sleep(1.5), inner(*its, **more))[1]"))
    assert np.array_equal(read(data, "t.npz").X, X)
    monkeypatch.setattr(sandbox, "SCRIPT", does(f"{slow}all(True for _ in iter(int, 1))"))
    with pytest.raises(DataError, match="12 seconds of computing"):
        read(data, "t.npz")


def test_a_file_is_given_so_much_memory(monkeypatch):
    monkeypatch.setattr(sandbox, "SCRIPT", does("nnspca.datasets.preview = lambda *its, **more: bytes(10**9)"))
    with pytest.raises(DataError, match=r"'t\.h5ad': .*more than the 640 MB of memory"):
        read(annotated(), "t.h5ad")


REACHES = """
import os, socket, subprocess, nnspca.datasets
from nnspca.errors import DataError
from nnspca.view.sources import sandbox

def reads(*its, **more):
    tries = {{
        "connect": lambda: socket.create_connection(("127.0.0.1", {port}), 2),
        "send": lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", {port})),
        "write": lambda: open({folder!r} + "/new", "w"),
        "change": lambda: open({folder!r} + "/old", "a"),
        "remove": lambda: os.remove({folder!r} + "/old"),
        "start": lambda: subprocess.run(["/bin/true"]),
    }}
    done = []
    for name, attempt in tries.items():
        try:
            attempt()
        except OSError:
            continue
        done.append(name)
    return nnspca.datasets.FilePreview(error=DataError("reached " + " ".join(done)))

nnspca.datasets.preview = reads
{first}
"""


def test_the_process_that_reads_a_file_reaches_neither_the_network_nor_the_disk(tmp_path, monkeypatch):
    has = subprocess.run([sys.executable, "-c", CONTAINED], capture_output=True, text=True, check=True).stdout.split()
    (tmp_path / "old").touch()
    with socket.create_server(("127.0.0.1", 0)) as server:
        script = functools.partial(REACHES.format, port=server.getsockname()[1], folder=str(tmp_path))
        monkeypatch.setattr(sandbox, "SCRIPT", script(first="sandbox.contain = tuple; sandbox.serve()"))
        with pytest.raises(DataError, match="reached connect send write change remove start"):
            read(annotated(), "t.h5ad")
        (tmp_path / "old").touch()
        monkeypatch.setattr(sandbox, "SCRIPT", script(first="sandbox.serve()"))
        with pytest.raises(DataError) as error:
            read(annotated(), "t.h5ad")
    reached = str(error.value).partition("reached")[2].split()
    assert not {"write", "change", "remove", "start"} & set(reached) or "files" not in has
    assert not {"connect", "send"} & set(reached) or "network" not in has
    assert "connect" not in reached or "files" not in has  # Landlock refuses connections, too


def test_too_many_bytes_and_numbers_are_refused(monkeypatch):
    monkeypatch.setattr(sandbox, "MAX_ENTRIES", 11_999)
    with pytest.raises(DataError, match=r"400 × 30 numbers are more than the 11,999"):
        read(EACH["t.npz"], "t.npz")
    monkeypatch.setattr(sandbox, "MAX_BYTES", 10)
    with pytest.raises(DataError, match="at most 10 are read"):
        read(EACH["t.npz"], "t.npz")


EACH = {
    "t.parquet": parquet({"a": X[:, 0], "b": X[:, 1], "kind": ["u", "v"] * 200}),
    "t.xlsx": workbook([["a", "b"], *X[:50, :2].tolist()], "another"),
    "t.zip": zipped({f"{'ab'[i % 2]}/{i}.png": picture(i) for i in range(9)}),
    "t.npz": whole(lambda out: np.savez_compressed(out, X=X, y=np.arange(400) % 3)),
    "sparse.npz": whole(scipy.sparse.save_npz, scipy.sparse.random_array((40, 30), density=0.1, format="csc", rng=1)),
    "t.mat": whole(scipy.io.savemat, {"X": X}),
    "large.csv": "\n".join(["a,b,kind", *(f"{i},{i * i},{'uv'[i % 2]}" for i in range(90_000))]).encode(),
}


@pytest.mark.heavy
def test_an_array_that_says_it_is_huge_ends_only_the_process_that_reads_it():
    """Other files made to exhaust their reader: ``tests/fuzz/bombs.py``."""
    huge, out = {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**6)}, io.BytesIO()
    np.lib.format.write_array_header_1_0(out, huge)
    with pytest.raises(DataError):
        read(out.getvalue() + bytes(99), "t.npy")


@pytest.mark.parametrize("filename", EACH)
def test_the_same_data_set_comes_back_from_another_process(filename):
    apart = sandbox.read_apart({filename: EACH[filename]}, lambda: False, {})
    seen = nnspca.datasets.preview(EACH[filename], filename)
    assert vars(replace(apart, data=None, columns=None)) == vars(replace(seen, data=None, columns=None))
    assert repr(apart.columns) == repr(seen.columns) == repr(apart.data.columns)
    made, here = apart.data, seen.data
    assert made.content_hash == here.content_hash
    assert (made.feature_names, made.label_names, made.notes) == (here.feature_names, here.label_names, here.notes)
    assert (made.image_shape, made.kind) == (here.image_shape, here.kind)
    assert (made.name, made.title, made.source) == (here.name, here.title, here.source)
    assert made.is_sparse == here.is_sparse
    np.testing.assert_array_equal(made.labels, here.labels)


def test_a_process_begun_ahead_reads_the_next_file_and_an_error_that_offers_a_choice_comes_back_with_it():
    sandbox.begin_process()
    begun = sandbox.ready[sandbox.SCRIPT]
    with pytest.raises(MissingValues) as missing:
        read(parquet({"a": [1.0, None, 3], "b": [1.0, 2, 5]}), "t.parquet")
    assert (missing.value.count, missing.value.shape) == (1, (3, 2))
    assert begun.poll() == 0 and sandbox.ready == {}


def test_the_other_process_ends_where_the_one_that_asked_is_gone():
    begun = subprocess.Popen([sys.executable, "-c", sandbox.SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    begun.stdin.write(b'{"sizes": {"t.npy": 1000}, "options": {}}\n')
    begun.stdin.close()
    begun.wait(timeout=20)


@pytest.mark.parametrize(
    "script", ["raise SystemExit(3)", "sys.stdin.buffer.read(); sys.stdout.buffer.write(b'x' * 10**6)"]
)
def test_a_process_that_ends_at_once_or_talks_nonsense_is_a_damaged_file(script, monkeypatch):
    monkeypatch.setattr(sandbox, "SCRIPT", f"import sys; {script}")
    with pytest.raises(DataError, match=r"'t\.h5ad': .*damaged"):
        read(annotated(), "t.h5ad")


WIDE = b",".join([b"1"] * 74_000)


@pytest.mark.parametrize(
    "text", [WIDE + b"\n" + WIDE, b'"\n",' * 40_000 + b"\n1,2\n3,4\n", WIDE.decode().encode("utf-16"), b'"' + WIDE]
)
def test_a_small_text_of_very_many_columns_is_read_within_the_limits_too(text, monkeypatch):
    monkeypatch.setattr(sandbox, "SCRIPT", "raise SystemExit(3)")
    assert len(text) < sandbox.QUICK_BYTES
    for name in ("t.csv", "t.TXT"):
        with pytest.raises(DataError, match="gave up"):
            read(text, name)
    assert read(b"a,b\n1,2\n3,5\n4,4\n", "t.csv").shape == (3, 2)
