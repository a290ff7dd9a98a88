"""A file read in a process of its own: the same data set, how far it is, Stop at any moment, and never too much."""

import io
import resource
import subprocess
import sys
import time

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse

from nnspca.datasets import MissingValues, ReadingStopped, apart, h5ad, read
from nnspca.errors import DataError
from tests.datasets.test_formats import packed, parquet, picture, rows, sheet, workbook, zipped

X = np.random.default_rng(0).normal(size=(400, 30))


def annotated(**options):
    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        file.create_dataset("X", data=X, **options)
    return out.getvalue()


@pytest.mark.parametrize(
    ("filename", "content", "said", "shares"),
    [
        ("chunks.h5ad", annotated(chunks=(100, 30), compression="gzip"), "Reading the numbers", [0, 0.25, 0.5, 0.75]),
        ("whole.h5ad", annotated(), "Reading the numbers", [0, 0.25, 0.5, 0.75]),
    ],
    ids=["chunks of h5ad", "h5ad in one piece"],
)
def test_the_other_process_says_how_much_of_the_numbers_is_read(filename, content, said, shares, monkeypatch):
    smaller = "from nnspca.datasets import progress, h5ad; progress.REPORT_SECONDS = 0.0; "
    monkeypatch.setattr(apart, "SCRIPT", f"{smaller}h5ad.SLAB = {X.nbytes // 4}; {apart.SCRIPT}")
    told = []

    class Heard(apart._Exchange):
        what = ""

        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            if name == "what":
                told.append((self.share, value))

    monkeypatch.setattr(apart, "_Exchange", Heard)
    assert np.array_equal(read(content, filename).X, X)
    assert [share for share, what in told if what == said] == shares


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
    slow += "from nnspca.datasets import formats; apart.SECONDS = 0.6; inner = formats.parse_files; "
    slow += "formats.parse_files = lambda *its: "
    monkeypatch.setattr(apart, "SCRIPT", f"{slow}(time.sleep(1.5), inner(*its))[1]; {apart.SCRIPT}")
    assert np.array_equal(read(annotated(), "t.h5ad").X, X)
    monkeypatch.setattr(apart, "SCRIPT", apart.SCRIPT.replace("time.sleep(1.5)", "[0 for _ in iter(int, 1)]"))
    with pytest.raises(DataError, match="12 seconds of computing"):
        read(annotated(), "t.h5ad")


def test_a_file_is_given_so_much_memory(monkeypatch):
    greedy = "from nnspca.datasets import apart, formats; formats.parse_files = lambda *its: bytes(10**9); "
    monkeypatch.setattr(apart, "SCRIPT", greedy + apart.SCRIPT)
    with pytest.raises(DataError, match=r"'t\.h5ad': .*more than the 640 MB of memory"):
        read(annotated(), "t.h5ad")


def whole(scipy_writes, *given):
    out = io.BytesIO()
    scipy_writes(out, *given)
    return out.getvalue()


EACH = {
    "t.parquet": parquet({"a": X[:, 0], "b": X[:, 1], "kind": ["u", "v"] * 200}),
    "t.xlsx": workbook([["a", "b"], *X[:50, :2].tolist()], "another"),
    "t.zip": zipped({f"{'ab'[i % 2]}/{i}.png": picture(i) for i in range(9)}),
    "t.npz": whole(lambda out: np.savez_compressed(out, X=X, y=np.arange(400) % 3)),
    "sparse.npz": whole(scipy.sparse.save_npz, scipy.sparse.random_array((40, 30), density=0.1, format="csc", rng=1)),
    "t.mat": whole(scipy.io.savemat, {"X": X}),
    "large.csv": "\n".join(["a,b,kind", *(f"{i},{i * i},{'uv'[i % 2]}" for i in range(90_000))]).encode(),
}


@pytest.mark.parametrize("filename", EACH)
def test_the_same_data_set_comes_back_from_another_process(filename, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(apart.formats, "parse_files", None)
        made = read(EACH[filename], filename)
    monkeypatch.setattr(apart, "parse", apart.formats.parse_files)
    here = read(EACH[filename], filename)
    assert made.content_hash == here.content_hash
    assert (made.feature_names, made.label_names, made.notes) == (here.feature_names, here.label_names, here.notes)
    assert (made.image_shape, made.kind, made.class_columns) == (here.image_shape, here.kind, here.class_columns)
    assert made.is_sparse == here.is_sparse
    np.testing.assert_array_equal(made.labels, here.labels)


@pytest.mark.parametrize("filename", EACH)
def test_stop_ends_the_reading_of_every_format_within_a_second(filename):
    asked = []

    def stop():
        if time.monotonic() - began > 0.3:
            asked.append(time.monotonic())
        return bool(asked)

    began = time.monotonic()
    try:
        read(EACH[filename], filename, should_stop=stop)
    except ReadingStopped:
        assert time.monotonic() - asked[0] < 1
    else:
        assert not asked, "it was read to its end although a stop was asked for"


def test_errors_that_offer_a_choice_come_back_with_it():
    with pytest.raises(MissingValues) as missing:
        read(parquet({"a": [1.0, None, 3], "b": [1.0, 2, 5]}), "t.parquet")
    assert (missing.value.count, missing.value.shape) == (1, (3, 2))


def test_the_other_process_ends_where_the_one_that_asked_is_gone():
    begun = subprocess.Popen([sys.executable, "-c", apart.SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    begun.stdin.write(
        b'{"sizes": {"t.npy": 1000}, "header": null, "samples": "rows", "label": null, "missing": "mean"}\n'
    )
    begun.stdin.close()
    begun.wait(timeout=20)


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


def test_a_table_of_very_many_columns_is_read_or_refused_by_their_number():
    many = {f"c{j}": [float(j), 1.0] for j in range(5_000)}
    assert read(parquet(many), "t.parquet").shape == (2, 5_000)
    schema = pa.schema([(f"c{j}", pa.float64()) for j in range(100_001)])
    out = io.BytesIO()
    pq.write_table(schema.empty_table(), out)
    with pytest.raises(DataError):
        read(out.getvalue(), "t.parquet")


HOSTILE = {
    "two cells far apart": packed(
        sheet(b"", rows("<v>1</v>") + b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>')
    ),
    "a row beyond all": packed(
        sheet(b"", rows("<v>1</v>") + b'<row r="999999999"><c r="A999999999"><v>1</v></c></row>')
    ),
    "shared by all": packed(
        b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        + b'<Relationship Type="http://x" Target="a.xml" Id="r"/>' * 1_000_000
        + b"</Relationships>",
        "xl/_rels/workbook.xml.rels",
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_workbook_ends_only_the_process_that_reads_it(what):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with pytest.raises(DataError, match=r"'t\.xlsx'"):
        read(HOSTILE[what], "t.xlsx")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime - before.ru_utime < 5
