"""Files made to exhaust their reader, of sizes drawn at random: each is read or refused within limits, and stops.

No file may take more than five seconds of computing beyond what its process is allowed, nor a gigabyte of memory
beyond itself, in all processes together; and a stop is answered within a second.
"""

from __future__ import annotations

import gzip
import io
import os
import resource
import tarfile
import threading
import time
import zipfile
import zlib
from contextlib import suppress

import h5py
import numpy as np
import openpyxl
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.io
from PIL import Image

import nnspca
from nnspca.view.sources import sandbox
from tests.fuzz import GotThrough

SECONDS, MEMORY, SOON = sandbox.SECONDS + 5.0, 10**9, 1.0
LARGEST = 60_000_000  # bytes of a file
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SPACE = f'xmlns="{MAIN}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'.encode()
PACKAGE = b'xmlns="http://schemas.openxmlformats.org/package/2006/%s"'
SHEET, STYLES, SHARED = "xl/worksheets/sheet1.xml", "xl/styles.xml", "xl/sharedStrings.xml"


def attempt(rng, make, decades=6.0):
    """Make a bomb of up to 10^decades items, and read it or stop while it is read; True where it was read."""
    count = int(10 ** rng.uniform(2, decades))
    name, content = make(rng, count)
    patience = float(rng.uniform(0.0, 2.0)) if rng.random() < 0.25 else np.inf
    said = f"{name} by {make.__name__}({count:,}), {len(content):,} bytes,"
    began = time.monotonic()
    asked: list[float] = []

    def stop():
        if time.monotonic() - began > patience:
            asked.append(time.monotonic())
        return bool(asked)

    watch = Watch()
    try:
        read = sandbox.preview({name: content}, stop).error is None
    except nnspca.datasets.ReadingStopped:
        read = False
    finally:
        seconds, memory = watch.end()
    if asked and time.monotonic() - asked[0] > SOON:
        raise GotThrough(f"{said} went on for {time.monotonic() - asked[0]:.1f} s after it was to stop")
    if seconds > SECONDS or memory > MEMORY:
        raise GotThrough(f"{said} took {seconds:.1f} s and {memory / 1e6:,.0f} MB")
    return read


class Watch(threading.Thread):
    """Counts the computing, and looks again and again how much memory this process and its children hold."""

    def __init__(self):
        super().__init__(daemon=True)
        self._me, self._done, self._began, self._most = psutil.Process(), threading.Event(), _spent(), 0
        self._before, self._others = _held(self._me), set(self._me.children())  # those of other tests do not count
        self.start()

    def run(self):
        while not self._done.wait(0.01):
            children = (child for child in self._me.children() if child not in self._others)
            self._most = max(self._most, _held(self._me) - self._before + sum(map(self._own, children)))

    def _own(self, child):
        """What a child holds, once it has begun its own program: before, it shares the memory of this process."""
        with suppress(psutil.Error):
            return _held(child) if child.cmdline() != self._me.cmdline() else 0
        return 0

    def end(self):
        """Seconds of computing, and the most bytes."""
        self._done.set()
        self.join()
        return _spent() - self._began, self._most


def _spent():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _held(process):
    return process.memory_info().rss


def _zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def _workbook(content, part=SHEET, more=()):
    """A small workbook in which one part is another."""
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in (["a", "b"], [1, 2], [3, 5]):
        book.active.append(row)
    book.save(out)
    with zipfile.ZipFile(out) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return "t.xlsx", _zipped({**members, part: content, **dict(more)})


def _sheet(rows, before=b""):
    return before + b"<worksheet " + SPACE + b"><sheetData>" + rows + b"</sheetData></worksheet>"


def _often(pattern, count):
    return pattern * min(count, LARGEST * 3 // len(pattern))


def styles(rng, count):
    cells = _often(b"<xf/>", 4 * count)
    return _workbook(b"<styleSheet " + SPACE + b"><cellXfs>" + cells + b"</cellXfs></styleSheet>", STYLES)


def nested(rng, count):
    return _workbook(_sheet(_often((b"<a>", b"<row>", b"<row><c>")[rng.integers(3)], count)))


def empty_rows(rng, count):
    return _workbook(_sheet(_often((b"<row/>", b'<row r="7"/>', b"<row><c/></row>")[rng.integers(3)], 3 * count)))


def far_cells(rng, count):
    cells = [b'<row r="%d"><c r="%s%d"><v>1</v></c></row>' % (r, c, r) for r, c in ((1, b"A"), (count, b"XFD"))]
    beyond = b'<row r="%d"><c r="A%d"><v>1</v></c></row>' % (10**9 - 1, 10**9 - 1)
    return _workbook(_sheet(b"".join(cells) + beyond * bool(rng.integers(2))))


def names_defined(rng, count):
    names = _often(b'<definedName name="a">Sheet!$A$1</definedName>', count)
    sheets = b'<sheets><sheet name="Sheet" sheetId="1" r:id="rId1"/></sheets>'
    made = b"<workbook " + SPACE + b">" + sheets + b"<definedNames>" + names + b"</definedNames></workbook>"
    return _workbook(made, "xl/workbook.xml")


def relations(rng, count):
    said = b'<Relationship Type="http://x" Target="/xl/worksheets/sheet1.xml" Id="rId%d"/>'
    many = b"".join(said % i for i in range(min(count, 1_500_000)))
    made = b"<Relationships " + PACKAGE % b"relationships" + b">" + many + b"</Relationships>"
    return _workbook(made, "xl/_rels/workbook.xml.rels")


def attributes(rng, count):
    many = b"".join(b'a%d="" ' % i for i in range(min(count, 2_000_000)))
    return _workbook(_sheet(b"<row " + many + b"/>"))


def shared_texts(rng, count):
    texts = _often(b"<si><t>a</t></si>", count)
    return _workbook(b"<sst " + SPACE + b">" + texts + b"</sst>", SHARED)


def one_text_often(rng, count):
    length = int(10 ** rng.uniform(2, 6))
    text = b"<sst " + SPACE + b"><si><t>" + b"a" * length + b"</t></si></sst>"
    cells = b"".join(b'<row r="%d"><c r="A%d" t="s"><v>0</v></c></row>' % (i, i) for i in range(1, min(count, 300_000)))
    return _workbook(_sheet(cells), SHEET, {SHARED: text}.items())


def entities(rng, count):
    depth = int(rng.integers(2, 12))
    said = b"".join(b"<!ENTITY e%d '%s'>" % (i, b"&e%d;" % (i - 1) * 10) for i in range(1, depth))
    before = b"<!DOCTYPE x [<!ENTITY e0 '7'>" + said + b"]>"
    made = _sheet(b'<row r="1"><c r="A1"><v>&e%d;</v></c></row>' % (depth - 1), before)
    part = (SHEET, "xl/worksheets/sheet1.XML", "xl/worksheets/sheet1.dat")[rng.integers(3)]
    at = b'<Relationship Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
    at += b'Target="/%s" Id="rId1"/>' % part.encode()
    relation = b"<Relationships " + PACKAGE % b"relationships" + b">" + at + b"</Relationships>"
    return _workbook(made, part, {"xl/_rels/workbook.xml.rels": relation}.items())


def photographs(rng, count):
    out = io.BytesIO()
    Image.fromarray(np.zeros((4, 6), np.uint8)).save(out, "JPEG")
    size, mark = int(rng.integers(40, 65_000)), (b"\xe1", b"\xe2", b"\xed", b"\xfe", b"\xee")[rng.integers(5)]
    again = b"\xff" + mark + size.to_bytes(2, "big") + b"Exif\0\0" + bytes(size - 8)
    whole = out.getvalue()[:2] + again * min(count, 150_000_000 // len(again)) + out.getvalue()[2:]
    return "t.zip", _zipped({"a.jpg": whole, "b.jpg": out.getvalue()})


def remarks(rng, count):
    out = io.BytesIO()
    Image.fromarray(np.zeros((4, 6), np.uint8)).save(out, "PNG")
    text = b"k\0" + b"x" * int(10 ** rng.uniform(0, 5))
    chunk = len(text).to_bytes(4, "big") + b"tEXt" + text + zlib.crc32(b"tEXt" + text).to_bytes(4, "big")
    whole = out.getvalue()[:33] + chunk * min(count, 150_000_000 // len(chunk)) + out.getvalue()[33:]
    return "t.zip", _zipped({"a.png": whole, "b.png": out.getvalue()})


def frames(rng, count):
    out = io.BytesIO()
    Image.fromarray(np.zeros((4, 6), np.uint8)).save(out, "GIF")
    remark = b"\x21\xfe\xff" + b"x" * 255 + b"\0"
    place = out.getvalue().index(b"\x2c")
    whole = out.getvalue()[:place] + remark * min(count, 400_000) + out.getvalue()[place:]
    return "t.zip", _zipped({"a.gif": whole, "b.gif": out.getvalue()})


def many_images(rng, count):
    out = io.BytesIO()
    Image.fromarray(rng.integers(0, 9, (5, 5), dtype=np.uint8)).save(out, ("PNG", "PPM", "BMP", "GIF")[rng.integers(4)])
    return "t.zip", _zipped({f"{i}.png": out.getvalue() for i in range(min(count, 60_000))})


def large_images(rng, count):
    side = min(int(count**0.5) + 1, 12_000)
    out = io.BytesIO()
    Image.fromarray(np.zeros((side, side), np.uint8)).save(out, ("PNG", "TIFF", "GIF", "JPEG")[rng.integers(4)])
    return "t.zip", _zipped({f"{i}.png": out.getvalue() for i in range(int(rng.integers(1, 9)))})


def zeros_packed(rng, count):
    size, kind = min(count * 60, 2 * 10**8), rng.integers(4)
    if kind == 0:
        return "t.mtx.gz", gzip.compress(b"%%MatrixMarket matrix array real general\n2 2\n" + b" " * size, 1)
    if kind == 1:
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as archive:
            member = tarfile.TarInfo("a.pgm")
            member.size = size
            archive.addfile(member, io.BytesIO(bytes(size)))
        return "t.tar.gz", out.getvalue()
    out = io.BytesIO()
    X = np.zeros((max(2, size // 800), 100))
    X[0, 0] = 1.0
    if kind == 2:
        np.savez_compressed(out, X=X)
        return "t.npz", out.getvalue()
    scipy.io.savemat(out, {"X": X}, do_compression=True)
    return "t.mat", out.getvalue()


def _parquet(columns, **options):
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, **options)
    return "t.parquet", out.getvalue()


def repeated_texts(rng, count):
    length, rows = int(10 ** rng.uniform(2, 6)), min(count, 1_000_000)
    texts = pa.array(["x" * length]).dictionary_encode().take(pa.array(np.zeros(rows, np.int32)))
    return _parquet({"a": np.arange(float(rows)), "t": texts})


def many_columns(rng, count):
    rows = int(rng.integers(2, 30))
    return _parquet({f"c{j}": np.arange(float(rows)) for j in range(min(count, 150_000))})


def many_groups(rng, count):
    return _parquet({"a": np.arange(float(min(count, 60_000))), "b": np.ones(min(count, 60_000))}, row_group_size=1)


def zeros_in_columns(rng, count):
    return _parquet({f"c{j}": np.zeros(count) for j in range(int(rng.integers(1, 4)))}, compression="zstd")


def chunks(rng, count):
    out = io.BytesIO()
    side = int(count**0.5) + 2
    with h5py.File(out, "w") as file:
        held = file.create_dataset("X", (side, side), dtype="f8", chunks=(side, side), compression="gzip")
        held.id.write_direct_chunk((0, 0), zlib.compress(bytes(min(40 * count, 2 * 10**8)), 1))
        for i in range(min(count, 20_000)):
            file.create_group(f"obs/c{i}")
    return "t.h5ad", out.getvalue()


def cells(rng, count):
    cell = (b"nan", b" NA", b'"1"', b"true", b"abc", b"1", b"1e17", b"9007199254740993", b"", b"inf")[rng.integers(10)]
    width = int(10 ** rng.uniform(0, 4))
    delimiter = (b",", b";", b"\t", b" ")[rng.integers(4)]
    head = delimiter.join([b"1"] * width) + b"\n" + delimiter.join([b"2"] * width) + b"\n"
    return "t.csv", head + _often(delimiter.join([cell] * width) + b"\n", count)[: LARGEST - len(head)]


def texts(rng, count):
    rows = b"".join(b"%d,t%d,%s\n" % (i, i * 7 % 1000, b"uv"[i % 2 :][:1]) for i in range(min(count, 300_000)))
    return "t.csv", b"a,b,c\n" + _often(rows, max(1, LARGEST // len(rows)))[:LARGEST]


def lines(rng, count):
    line = (b"\n", b'"\n', b",", b'"', b"\xe9", b"1\n2\n", b"\x00", b"1,2\n\n", b"\r")[rng.integers(9)]
    return "t.csv", b"1,2\n3,4\n" + line * min(10 * count, LARGEST)


def declared(rng, count):
    many = b"".join(b"@attribute a%d real\n" % i for i in range(min(count, 1_200_000)))
    return "t.arff", b"@relation r\n" + many + b"@data\n1,2\n3,4\n"


KINDS = (
    *(styles, nested, empty_rows, far_cells, names_defined, relations, attributes, shared_texts, one_text_often),
    *(entities, photographs, remarks, frames, many_images, large_images, zeros_packed, repeated_texts, many_columns),
    *(many_groups, zeros_in_columns, chunks, cells, texts, lines, declared),
)
if os.name != "posix":
    KINDS = ()  # nothing holds a process to a limit there
