"""Gene symbols beside the probes of Leukemia: read from the table as R saves it, and never a condition."""

import bz2
import hashlib

import pytest

import nnspca
from nnspca import datasets
from nnspca.datasets import fetch, originals
from nnspca.errors import DataError, ReadingStopped

TABLE = [("1000_at", "MAPK3", "GPL8300"), ("37724_at", "MYC", "GPL8300"), ("1000_at", "WRONG", "GPL96")]
PROBES = b"1000_at,AFFX-x_at,37724_at,class\n" + b"".join(
    f"{i * i},{i % 7},{i % 5},{'ALL' if i % 2 else 'AML'}\n".encode() for i in range(20)
)


def text(word):
    return b"\x00\x04\x00\x09" + len(word).to_bytes(4, "big") + word.encode()


def saved(rows=TABLE):
    """What R's save() writes of a data frame of three columns of text."""
    count = len(rows).to_bytes(4, "big")
    columns = b"".join(b"\x00\x00\x00\x10" + count + b"".join(map(text, column)) for column in zip(*rows, strict=True))
    head = b"RDX2\nX\n\x00\x00\x00\x02\x00\x03\x05\x03\x00\x02\x03\x00\x00\x00\x04\x02\x00\x00\x00\x01"
    names = b"\x00\x00\x04\x02\x00\x00\x00\x01" + text("names") + b"".join(map(text, ("probe_id", "symbol", "gpl")))
    return bz2.compress(head + text("p2s_df") + b"\x00\x00\x03\x13\x00\x00\x00\x03" + columns + names)


def pinned(name, body):
    return fetch.RemoteFile(name, f"owner/repo/commit/{name}", hashlib.sha256(body).hexdigest(), len(body))


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A folder with small files in place of the two."""
    monkeypatch.setenv(fetch.CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(originals, "SYMBOLS", pinned("p2s_df.rda", saved()))
    monkeypatch.setattr(originals, "MLL", pinned("MLL.csv", PROBES))
    return tmp_path


def test_the_table_gives_the_symbols_of_one_chip():
    assert originals.read_symbols(saved()) == {"1000_at": "MAPK3", "37724_at": "MYC"}


@pytest.mark.parametrize("data", [b"", b"BZh9", bz2.compress(b"no table"), bz2.compress(b"RDX2\nX\n" + text("p2s_df"))])
def test_another_file_is_refused(data):
    with pytest.raises(DataError, match="remove that copy"):
        originals.read_symbols(data)


def test_probes_have_their_symbols_as_soon_as_the_table_is_here(folder):
    (folder / "MLL.csv").write_bytes(PROBES)
    before = datasets.load("leukemia")
    assert before.feature_names == ("1000_at", "AFFX-x_at", "37724_at")
    (folder / "p2s_df.rda").write_bytes(saved())
    after = datasets.load("leukemia")
    assert (after.feature_names, after.feature_titles) == (before.feature_names, ("MAPK3", "", "MYC"))
    assert before.content_hash == after.content_hash  # what is stored and proven of them is found
    part = nnspca.solve(nnspca.Covariance.from_dataset(after, standardize=True), 3)
    assert all(name in part.summary() for name in ("MAPK3 (1000_at)", "control AFFX-x_at"))
    assert set(part.names) <= set(after.feature_names)
    assert "Artistic License 2.0" in after.terms
    assert datasets.gene_symbols() == {"1000_at": "MAPK3", "37724_at": "MYC"}
    (folder / "p2s_df.rda").write_bytes(b"damaged")
    assert not datasets.load("leukemia").feature_titles


def test_both_files_come_in_one_go_and_stop_ends_it(folder, monkeypatch):
    bodies = {originals.SYMBOLS: saved(), originals.MLL: PROBES}

    def download(file, on_progress, should_stop):
        if should_stop is not None and should_stop():
            raise ReadingStopped("stopped")
        on_progress(file.size, file.size)
        return bodies[file]

    monkeypatch.setattr(fetch, "download", download)
    with pytest.raises(ReadingStopped):
        datasets.load("leukemia", on_progress=lambda *_: None, should_stop=lambda: True)
    seen = []
    assert "MYC" in datasets.load("leukemia", on_progress=lambda *told: seen.append(told)).feature_titles
    whole = originals.SYMBOLS.size + originals.MLL.size
    assert seen == [(originals.SYMBOLS.size, whole), (whole, whole)]
