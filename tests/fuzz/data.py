"""Mutated data files: read as a data set, or refused with a DataError; nothing else comes out."""

import functools
import io
import tarfile
import warnings
import zipfile

import numpy as np
from PIL import Image

import nnspca
from tests.fuzz import GotThrough
from tests.fuzz.damage import damaged, damaged_inside
from tests.fuzz.formats import read

TOKENS = (
    b",",
    b"\n",
    b'"',
    b"\x00",
    b"1e999",
    b"nan",
    b"\xff\xfe",
    b"-",
    b"@data",
    b"{",
    b"1" * 400,
    b";",
    b"\t",
    b"'",
)


@functools.cache
def honest():
    """Small files of every format, (name, content) each."""
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((6, 4)), 3)
    table = "\n".join(["a,b,c,d", *(",".join(map(str, row)) for row in X)]).encode()
    arff = b"@relation r\n" + b"".join(b"@attribute a%d numeric\n" % i for i in range(4)) + b"@data\n" + table[8:]
    files = [("t.csv", table), ("t.tsv", table.replace(b",", b"\t")), ("t.txt", table[8:]), ("t.arff", arff)]
    for name, write in (
        ("t.npy", lambda file: np.save(file, X)),
        ("t.npz", lambda file: np.savez(file, X=X)),
        ("z.npz", lambda file: np.savez_compressed(file, X=X, y=np.arange(6))),
    ):
        buffer = io.BytesIO()
        write(buffer)
        files.append((name, buffer.getvalue()))
    pictures = []
    for i, form in enumerate(("PNG", "PNG", "BMP", "PPM")):
        buffer = io.BytesIO()
        Image.fromarray(rng.integers(0, 255, (5, 4), dtype=np.uint8)).save(buffer, form)
        pictures.append((f"{i}.{form.lower()}", buffer.getvalue()))
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as made:
        for name, content in pictures:
            made.writestr(name, content)
    with tarfile.open(fileobj=tarred, mode="w:gz") as made:
        for name, content in pictures:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            made.addfile(entry, io.BytesIO(content))
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as made:
        entry = tarfile.TarInfo(pictures[0][0])
        entry.size = len(pictures[0][1])
        made.addfile(entry, io.BytesIO(pictures[0][1]))
    files += [("p.zip", zipped.getvalue()), ("p.tar.gz", tarred.getvalue()), ("p.tar", plain.getvalue()), *pictures]
    return files


def attempt(rng):
    """Damage a file and read it, under its own name or another."""
    files = honest()
    name, content = files[rng.integers(len(files))]
    other = files[rng.integers(len(files))]
    if name == "p.zip" and rng.random() < 0.7:
        content = damaged_inside(rng, content, other[1])
    else:
        content = damaged(rng, content, other[1])
    if rng.random() < 0.3:
        at = int(rng.integers(len(content) + 1))
        content = content[:at] + TOKENS[rng.integers(len(TOKENS))] + content[at:]
    if rng.random() < 0.1:
        name = other[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            made = read(content, name)
        except nnspca.DataError:
            return False
    if not isinstance(made, nnspca.datasets.Dataset) or not np.isfinite(made.X).all() or made.X.ndim != 2:
        raise GotThrough(f"{name} was read as {made!r:.100}")
    return True
