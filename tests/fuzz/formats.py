"""Mutated files of the formats that other packages read: a data set, or a DataError; nothing else comes out."""

import functools
import gzip
import io
from unittest import mock

import h5py
import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.io
import scipy.sparse

import nnspca
from nnspca.datasets import apart
from tests.fuzz import GotThrough
from tests.fuzz.damage import damaged, damaged_inside

SLOW, APART = 0.004, 9  # share of those files, the last APART, that are read in a process of their own


@functools.cache
def honest():
    """Small files of every format, (name, content) each."""
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((6, 4)), 3)
    counts = scipy.sparse.random_array((6, 4), density=0.5, format="csr", rng=rng)
    made = []

    def write(name, how):
        buffer = io.BytesIO()
        how(buffer)
        made.append((name, buffer.getvalue()))

    for form in ("csr", "csc", "coo"):
        write(f"{form}.npz", lambda file, form=form: scipy.sparse.save_npz(file, counts.asformat(form)))
    write("t.mtx", lambda file: scipy.io.mmwrite(file, counts))
    made.append(("t.mtx.gz", gzip.compress(made[-1][1])))
    write("t.mat", lambda file: scipy.io.savemat(file, {"X": X}))
    write("z.mat", lambda file: scipy.io.savemat(file, {"X": X, "S": counts}, do_compression=True))
    book = openpyxl.Workbook()
    for row in [["a", "b", "c", "d"], *X.tolist()]:
        book.active.append(row)
    write("t.xlsx", book.save)
    table = pa.table({"a": X[:, 0], "b": np.arange(6), "c": list("uvuvuv"), "d": [True, None] * 3})
    write("t.parquet", lambda file: pq.write_table(table, file))
    write("z.parquet", lambda file: pq.write_table(table, file, compression="none", use_dictionary=False))
    for chunks in ({}, {"chunks": (3,), "compression": "gzip", "shuffle": True}):
        write(f"{len(chunks)}.h5ad", lambda file, chunks=chunks: _anndata(file, counts, chunks))
    return made


def _anndata(out, counts, chunks):
    with h5py.File(out, "w") as file:
        group = file.create_group("X")
        group.attrs["encoding-type"], group.attrs["shape"] = "csr_matrix", counts.shape
        for name in ("data", "indices", "indptr"):
            group.create_dataset(name, data=getattr(counts, name), **chunks)
        file["var/_index"], file["obs/_index"] = list("abcd"), list("uvwxyz")
        file["obs/kind/categories"], file["obs/kind/codes"] = ["p", "q"], np.array([0, 1, 0, 1, 0, 1], np.int8)


def mutated(rng):
    """Name and content of a damaged file."""
    files = honest()
    name, content = files[rng.integers(len(files) if rng.random() < SLOW else len(files) - APART)]
    other = files[rng.integers(len(files))]
    if name.endswith((".xlsx", ".npz")) and rng.random() < 0.7:
        content = damaged_inside(rng, content, other[1])
    elif name.endswith(".gz") and rng.random() < 0.7:
        content = gzip.compress(damaged(rng, gzip.decompress(content), other[1]))
    else:
        content = damaged(rng, content, other[1])
    return (other[0] if rng.random() < 0.05 else name), content


def read(content, name):
    """Read a file as :func:`nnspca.datasets.read` does: here, unless a library takes part that could end this."""
    told = name.endswith((".parquet", ".h5ad", ".xlsx")) and content.startswith((b"PAR1", b"\x89HDF", b"PK"))
    if told or name.endswith((".mat", ".mtx", ".mtx.gz")):
        return nnspca.datasets.read(content, name)
    with mock.patch.object(apart, "parse", apart.formats.parse_files):
        return nnspca.datasets.read(content, name)


def attempt(rng):
    """Damage a file and read it, under its own name or another."""
    name, content = mutated(rng)
    try:
        made = read(content, name)
    except nnspca.DataError:
        return False
    values = made.X.data if made.is_sparse else made.X
    if not isinstance(made, nnspca.datasets.Dataset) or not np.isfinite(values).all() or made.X.ndim != 2:
        raise GotThrough(f"{name} was read as {made!r:.100}")
    return True
