"""A file read in a process of its own: how far it is, truly, and Stop at any moment."""

import io
import time

import h5py
import numpy as np
import pytest

from nnspca.datasets import ReadingStopped, apart, h5ad, read
from nnspca.errors import DataError
from tests.datasets.test_formats import parquet

X = np.random.default_rng(0).normal(size=(400, 30))


def annotated(**options):
    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        file.create_dataset("X", data=X, **options)
    return out.getvalue()


@pytest.mark.parametrize(
    ("filename", "content", "said", "shares"),
    [
        ("t.parquet", parquet({f"f{j}": X[:, j] for j in range(30)}), "Reading the rows", [0, 0.25, 0.5, 0.75, 1]),
        ("chunks.h5ad", annotated(chunks=(100, 30), compression="gzip"), "Reading the numbers", [0, 0.25, 0.5, 0.75]),
        ("whole.h5ad", annotated(), "Reading the numbers", [0, 0.25, 0.5, 0.75]),
    ],
    ids=["parquet", "chunks of h5ad", "h5ad in one piece"],
)
def test_the_other_process_says_how_much_of_the_numbers_is_read(filename, content, said, shares, monkeypatch):
    smaller = (
        "from nnspca.datasets import progress, parquet, h5ad; progress.REPORT_SECONDS = 0.0; parquet.AT_A_TIME = 100; "
    )
    monkeypatch.setattr(apart, "SCRIPT", f"{smaller}h5ad.SLAB = {X.nbytes // 4}; {apart.SCRIPT}")
    told = []

    class Heard(apart._Talk):
        what = ""

        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            if name == "what":
                told.append((self.share, value))

    monkeypatch.setattr(apart, "_Talk", Heard)
    assert np.array_equal(read(content, filename).X, X)
    assert [share for share, what in told if what == said] == shares


@pytest.mark.clock
def test_stop_ends_the_other_process_within_a_second(monkeypatch):
    hangs = "import sys, time; sys.stdin.buffer.read(); print('0.5\tReading the rows', flush=True); time.sleep(60)"
    monkeypatch.setattr(apart, "SCRIPT", hangs)
    told, since = [], []

    def stop():
        if told and told[-1] == (0.5, "Reading the rows"):
            since.append(time.monotonic())
        return bool(since)

    with pytest.raises(ReadingStopped):
        read(annotated(), "t.h5ad", on_progress=lambda *said: told.append(said), should_stop=stop)
    assert time.monotonic() - since[0] < 1


def test_a_file_is_given_seconds_of_computing_and_not_of_the_clock(monkeypatch):
    """On a machine that others keep busy a sound file may take many times as long."""
    slow = "from nnspca.datasets import apart, h5ad; import time; "
    slow += "apart._seconds = lambda data: 0.4; read = h5ad.read_here; h5ad.read_here = lambda *its: "
    monkeypatch.setattr(apart, "SCRIPT", f"{slow}(time.sleep(1.5), read(*its))[1]; {apart.SCRIPT}")
    monkeypatch.setattr(apart, "PATIENCE", 1.0)
    assert np.array_equal(read(annotated(), "t.h5ad").X, X)
    monkeypatch.setattr(apart, "SCRIPT", apart.SCRIPT.replace("time.sleep(1.5)", "[0 for _ in iter(int, 1)]"))
    with pytest.raises(DataError, match="far too long to read"):
        read(annotated(), "t.h5ad")


@pytest.mark.parametrize(
    "does",
    [
        "raise SystemExit(3)",
        "sys.stdin.buffer.read(); print('nonsense')",
        "sys.stdin.buffer.read(); print('0.1\tReading'); raise SystemExit(3)",
        "sys.stdin.buffer.read(); print(); print('no archive')",
        "sys.stdin.buffer.read(); sys.stdout.buffer.write(b'x' * 10**6)",
    ],
)
def test_a_process_that_ends_at_once_or_talks_nonsense_is_a_damaged_file(does, monkeypatch):
    monkeypatch.setattr(apart, "SCRIPT", f"import sys; {does}")
    with pytest.raises(DataError, match=r"'t\.h5ad': .*damaged"):
        read(annotated(), "t.h5ad")


def test_numbers_in_one_piece_are_read_as_they_are_stored():
    assert X.nbytes < h5ad.SLAB * 4
    assert np.array_equal(read(annotated(), "t.h5ad").X, X)
