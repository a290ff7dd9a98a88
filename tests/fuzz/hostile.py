"""What a stranger may bring, as strategies: words of links, damaged files of data, damaged certificates."""

import functools
import gzip
import io
import json
import tarfile
import zipfile

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.io
import scipy.sparse
from hypothesis import settings
from hypothesis import strategies as some
from PIL import Image

import nnspca
from tests.datasets.test_formats import h5ad
from tests.fuzz import MORE, extremes, forged
from tests.pages.test_sanitize import LURES


def attempts(count: int) -> settings:
    """So many attempts, the same each time, or many more and other ones."""
    return settings(max_examples=count * MORE, derandomize=MORE == 1)


# Links

TEXTS = (
    "", "0", "1", "-1", "00", "+3", "1e309", "-1e309", "1e-400", "inf", "-inf", "nan", "NaN", "Infinity", "1_000",
    "٣", "0x10", "1e3", "3.5", "9" * 400, "9" * 17, "true", "True", "false", "TRUE", "None", "null", "[]", "\0",
    "a" * 10_000, "![p](http://example.org)", "<b>", "%00", "em", "best", "40 · best", "../..", " 5 ", "5 ", "5,6",
    "NaN5", *LURES,
)  # fmt: skip
DATA = ("pitprops", "digits", "synthetic-spiked")


def texts_of(entry):
    """What a link may say of a key: what it takes, numbers at and beyond its limits, or nonsense."""
    said = [some.sampled_from(TEXTS), some.text(some.sampled_from("0123456789-:,; .enaif\u0665\n"), max_size=40)]
    if entry.options:
        said.append(some.sampled_from(list(map(str, entry.options))))
    if entry.key == "data":
        said.append(some.sampled_from(DATA))
    if entry.kind in ("switch", "fold"):
        said.append(some.sampled_from(("true", "false")))
    if entry.kind in ("whole", "number"):
        low, high = entry.low or -1e6, 1e17 if entry.high is None else entry.high
        numbers = some.floats(low, high) | some.sampled_from((low, high, low - 1, high + 1))
        said.append(numbers.map(lambda v: f"{v:.0f}" if entry.kind == "whole" else f"{v:.6g}"))
    return some.one_of(said)


# Files


@some.composite
def damaged(draw, contents):
    """One of these contents after one to three accidents: bits flipped, an end cut off, stretches lost or strange."""
    made, other = bytearray(draw(some.sampled_from(contents))), draw(some.sampled_from(contents))
    for _ in range(draw(some.integers(1, 3))):
        at = draw(some.integers(0, max(0, len(made) - 1)))
        length = min(len(made) - at, int(10 ** draw(some.floats(0, 3))))
        kind = draw(some.integers(0, 6))
        if kind == 0 and made:
            made[at] ^= 1 << draw(some.integers(0, 7))
        elif kind == 1:
            del made[at:]
        elif kind == 2:
            made[at : at + length] = bytes(length)
        elif kind == 3:
            made[at:at] = made[at : at + length]
        elif kind == 4:
            start = draw(some.integers(0, len(other)))
            made[at : at + length] = other[start : start + length]
        elif kind == 5:
            made[at:at] = draw(some.sampled_from(TOKENS))
        else:
            del made[at : at + length]
    return bytes(made)


TOKENS = (
    b",", b"\n", b'"', b"\x00", b"1e999", b"nan", b"\xff\xfe", b"-", b"@data", b"{", b"1" * 400, b";", b"\t", b"'",
)  # fmt: skip


def unpacked(content):
    """The members of a ZIP by name."""
    with zipfile.ZipFile(io.BytesIO(content)) as held:
        return {name: held.read(name) for name in held.namelist()}


def packed(members):
    """A ZIP of these members, with sums that fit."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, content in members.items():
            made.writestr(name, content)
    return buffer.getvalue()


@some.composite
def damaged_inside(draw, contents):
    """A ZIP of which one member is damaged, lost, exchanged or another's, behind the archive's sums."""
    members, others = (unpacked(draw(some.sampled_from(contents))) for _ in range(2))
    a, b = draw(some.sampled_from(sorted(members))), draw(some.sampled_from(sorted(members)))
    kind = draw(some.integers(0, 3))
    if kind == 0:
        members[a], members[b] = members[b], members[a]
    elif kind == 1:
        members[a] = draw(some.sampled_from(sorted(others.values())))
    elif kind == 2:
        del members[a]
    else:
        members[a] = draw(damaged((members[a], members[b])))
    return packed(members)


@functools.cache
def honest():
    """Small files of every format, (name, content) each."""
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((6, 4)), 3)
    counts = scipy.sparse.random_array((6, 4), density=0.5, format="csr", rng=rng)
    table = "\n".join(["a,b,c,d", *(",".join(map(str, row)) for row in X)]).encode()
    arff = b"@relation r\n" + b"".join(b"@attribute a%d numeric\n" % i for i in range(4)) + b"@data\n" + table[8:]
    made = [("t.csv", table), ("t.tsv", table.replace(b",", b"\t")), ("t.txt", table[8:]), ("t.arff", arff)]

    def write(name, how):
        buffer = io.BytesIO()
        how(buffer)
        made.append((name, buffer.getvalue()))

    write("t.npy", lambda file: np.save(file, X))
    write("t.npz", lambda file: np.savez(file, X=X))
    write("z.npz", lambda file: np.savez_compressed(file, X=X, y=np.arange(6)))
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
    columns = pa.table({"a": X[:, 0], "b": np.arange(6), "c": list("uvuvuv"), "d": [True, None] * 3})
    write("t.parquet", lambda file: pq.write_table(columns, file))
    write("z.parquet", lambda file: pq.write_table(columns, file, compression="none", use_dictionary=False))
    for by, z in (("csr", None), ("csc", "gzip")):
        made.append((f"{by}.h5ad", h5ad(counts, by=by, genes="abcd", cells=tuple("pqpqpq"), compression=z)))
    for i, form in enumerate(("PNG", "PNG", "BMP", "PPM")):
        image = Image.fromarray(rng.integers(0, 255, (5, 4), dtype=np.uint8))
        write(f"{i}.{form.lower()}", lambda file, image=image, form=form: image.save(file, form))
    pictures = dict(made[-4:])
    made.append(("p.zip", packed(pictures)))
    for name, mode in (("p.tar.gz", "w:gz"), ("p.tar", "w")):
        write(name, lambda file, mode=mode: _archive(file, mode, pictures))
    return tuple(made)


def _archive(out, mode, members):
    with tarfile.open(fileobj=out, mode=mode) as made:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            made.addfile(entry, io.BytesIO(content))


# Formats that take a process of their own: read seldom.
APART = (".parquet", ".h5ad", ".xlsx", ".mat", ".mtx", ".gz")


def data_files(apart=False):
    """Name and content of a damaged file of data, now and then under another's name."""
    mine = [file for file in honest() if file[0].endswith(APART) == apart]
    contents = tuple(content for _, content in honest())

    def of(file):
        name, content = file
        harmed = damaged((content, *contents))
        if name.endswith((".zip", ".npz", ".xlsx")):
            harmed |= damaged_inside((content,))
        elif name.endswith(".mtx.gz"):
            harmed |= damaged((gzip.decompress(content),)).map(gzip.compress)
        return some.tuples(some.just(name), harmed)

    return some.sampled_from(mine).flatmap(of)


# Certificates


@functools.cache
def saved():
    """Files of honest certificates, each with the problem it speaks about."""
    made = []
    for target in forged.targets()[:8]:
        ask = {"nonnegative": target.nonnegative}
        certs = [nnspca.certify(target.cov, target.k, **ask)]
        if target.cov.held.holds_entries:
            certs.append(nnspca.certify_parts(target.cov, 2, target.k, **ask))
        for cert in certs:
            buffer = io.BytesIO()
            nnspca.save_certificate(cert, buffer, target.cov)
            made.append((buffer.getvalue(), target))
    return tuple(made)


def certificates():
    """A damaged file of a certificate, and the problem that the one it was made of speaks about."""
    contents = tuple(content for content, _ in saved())

    def of(file):
        content, target = file
        first = (content, *contents)
        return some.tuples(damaged(first) | damaged_inside(contents) | retold(content), some.just(target))

    return some.sampled_from(saved()).flatmap(of)


@some.composite
def retold(draw, content):
    """The file with one value of its JSON changed or lost."""
    members = unpacked(content)
    told = json.loads(str(np.load(io.BytesIO(members["certificate.npy"]))))
    place = told
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = draw(some.sampled_from(keys))
        if not isinstance(place[key], dict | list) or not place[key]:
            break
        place = place[key]
    number = place[key] if isinstance(place[key], int | float) and not isinstance(place[key], bool) else 1.0
    strange = extremes.number(np.random.default_rng(draw(some.integers(0, 2**32))), number)
    if draw(some.integers(0, 4)):
        place[key] = strange if isinstance(strange, int | float | str | list | dict | None) else repr(strange)
    else:
        del place[key]
    buffer = io.BytesIO()
    np.save(buffer, np.array(json.dumps(told)))
    return packed({**members, "certificate.npy": buffer.getvalue()})
