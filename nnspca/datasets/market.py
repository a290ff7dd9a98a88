"""MatrixMarket files, and the three files in which 10x Genomics publishes counts.

By hand, as a damaged file makes scipy.io.mmread end the process, which an upload must never do.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse

from nnspca.datasets import limits, progress
from nnspca.datasets.arranging import ReadingOptions
from nnspca.datasets.dataset import Content
from nnspca.datasets.naming import distinct
from nnspca.datasets.sparse import check_shape, triplets
from nnspca.errors import DataError, reason

FEATURES = ("genes.tsv", "features.tsv")
SAMPLES = ("barcodes.tsv",)
BESIDE = (*FEATURES, *SAMPLES)
AT_A_TIME = 2_000_000  # bytes between two polls of the stop switch
HEAD = 100_000  # characters in which the sizes have to stand
SHORTEST = {"coordinate": 4, "array": 2}  # bytes of a line that holds a number


def read_market(data: bytes, options: ReadingOptions, beside: Mapping[str, bytes] | None = None) -> Content:
    """Read a matrix in MatrixMarket format, gzipped or not, with the names of its features and samples.

    With such names the orientation is known: 10x writes genes in rows. Without them,
    ``options`` decide.

    Examples
    --------
    >>> matrix = b"%%MatrixMarket matrix coordinate integer general\\n2 3 2\\n1 1 5\\n2 3 7\\n"
    >>> content = read_market(matrix, ReadingOptions(), {"genes.tsv": b"G1\\tTP53\\nG2\\tMYC\\n"})
    >>> content.feature_names, content.X.shape, content.X.nnz
    (('TP53', 'MYC'), (3, 2), 2)
    """
    X = _matrix(plain(data))
    notes = [f"Sparse: {X.nnz:,} of {X.shape[0] * X.shape[1]:,} numbers are not zero, and no others are stored."]
    features, samples = _names(beside or {}, FEATURES), _names(beside or {}, SAMPLES)
    turned = options.samples == "columns"
    lengths = len(features or samples), "features" if features else "barcodes"
    if features or samples:
        rows, columns = X.shape
        as_10x = (not features or rows == len(features)) and (not samples or columns == len(samples))
        as_table = (not features or columns == len(features)) and (not samples or rows == len(samples))
        if not (as_10x or as_table):
            raise DataError(
                f"the matrix is {rows:,} × {columns:,}, and the file of {lengths[1]} beside it names {lengths[0]:,}: "
                "they do not belong together."
            )
        turned = as_10x
        notes.append(f"The samples are its {'columns' if turned else 'rows'}, by the names beside it.")
    X = scipy.sparse.csr_array(X.T) if turned else X
    sample_names = samples if len(samples) == X.shape[0] else ()
    return Content(
        X=X, feature_names=distinct(features) if features else (), notes=tuple(notes), sample_names=tuple(sample_names)
    )


def plain(data: bytes) -> bytes:
    """Return the content of a gzipped file, up to the limit; any other file unchanged."""
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        content = gzip.GzipFile(fileobj=io.BytesIO(data)).read(
            -1 if limits.are_lifted() else limits.MAX_UNPACKED_BYTES + 1
        )
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"the gzipped file is damaged{reason(error)}: save it again.") from error
    limits.check_unpacked(len(content))
    return content


@dataclass(frozen=True)
class _Header:
    """The banner and sizes of a file."""

    layout: str
    pattern: bool
    symmetry: str
    shape: tuple[int, int]
    stored: int
    end: int

    @property
    def width(self) -> int:
        """Numbers in a line."""
        return 1 if self.layout == "array" else 2 if self.pattern else 3


def _header(text: bytes) -> _Header:
    """Read banner and sizes, and refuse sizes that the bytes cannot hold."""
    first, _, _ = text[:HEAD].partition(b"\n")
    banner = first.decode("latin-1").lower().split()
    if len(banner) != 5 or banner[0] != "%%matrixmarket" or banner[1] != "matrix" or banner[2] not in SHORTEST:
        raise DataError("the first line does not say %%MatrixMarket matrix …: is this a MatrixMarket file?")
    layout, numbers, symmetry = banner[2:]
    if numbers not in ("real", "integer", "pattern", "double", "unsigned-integer"):
        raise DataError(f"the matrix holds {numbers!r:.40}; real numbers, integers and patterns are read.")
    allowed = ("general", "symmetric", "skew-symmetric") if layout == "coordinate" else ("general",)
    if symmetry not in allowed:
        raise DataError(f"the matrix is {layout} and {symmetry!r:.40}; of this layout {', '.join(allowed)} is read.")
    end, sizes = len(first) + 1, b""
    while end < min(len(text), HEAD) and (not sizes.strip() or sizes.startswith(b"%")):
        sizes, _, _ = text[end : end + HEAD].partition(b"\n")
        end += len(sizes) + 1
    fields = sizes.split()
    if len(fields) != (3 if layout == "coordinate" else 2) or not all(s.isdigit() and len(s) < 19 for s in fields):
        raise DataError("the line of sizes is missing or damaged: rows, columns and how many numbers follow.")
    shape = int(fields[0]), int(fields[1])
    stored = int(fields[2]) if layout == "coordinate" else shape[0] * shape[1]
    check_shape(shape, stored, at_most=len(text) // SHORTEST[layout] + 1)
    limits.check_entries(stored * (1 if symmetry == "general" else 2))
    return _Header(layout, numbers == "pattern", symmetry, shape, stored, end)


def _matrix(text: bytes) -> scipy.sparse.csr_array:
    """The numbers, after a check that the bytes can hold as many as the header claims."""
    header = _header(text)
    table = np.empty((header.stored, header.width))
    done, at = 0, header.end
    while at < len(text):
        progress.report_or_stop(at, len(text), "Reading the matrix")
        cut = text.rfind(b"\n", at, at + AT_A_TIME) + 1
        end = len(text) if cut == 0 or at + AT_A_TIME >= len(text) else cut
        block = _block(text[at:end], header.width)
        if done + len(block) > header.stored:
            raise DataError(f"more numbers follow than the {header.stored:,} that the file promises: save it again.")
        table[done : done + len(block)] = block
        done, at = done + len(block), end
    if done < header.stored:
        raise DataError(f"{done:,} numbers follow where the file promises {header.stored:,}: it is cut short.")
    if header.layout == "array":
        return scipy.sparse.csr_array(table.reshape(header.shape, order="F"))
    places = table[:, :2]
    if np.any(places != np.round(places)) or np.any(places < 1) or np.any(places > header.shape):
        raise DataError("an index lies outside the shape that the file promises: save it again.")
    rows, columns = (places - 1).astype(np.int64).T
    values = np.ones(header.stored) if header.pattern else table[:, 2]
    if header.symmetry != "general":
        off = rows != columns
        mirrored = values[off] * (1.0 if header.symmetry == "symmetric" else -1.0)
        rows, columns = np.concatenate([rows, columns[off]]), np.concatenate([columns, rows[off]])
        values = np.concatenate([values, mirrored])
    return triplets(values, rows, columns, header.shape)


def _block(text: bytes, width: int) -> np.ndarray:
    """Whole lines of a fixed count of numbers."""
    words = text.split()
    lines = sum(map(bool, map(bytes.strip, text.split(b"\n"))))
    if len(words) != width * lines or b"_" in text:
        raise DataError(f"a line of the matrix does not hold {width} number{'s' if width > 1 else ''}: save it again.")
    try:
        return np.fromiter(map(float, words), np.float64, len(words)).reshape(lines, width)
    except ValueError as error:
        raise DataError(f"the matrix holds what is no number{reason(error)}.") from error


def _names(beside: Mapping[str, bytes], endings: tuple[str, ...]) -> tuple[str, ...]:
    """The names in a file with this ending: its second column if it has one, where 10x writes symbols."""
    for name, content in beside.items():
        lowered = name.lower().removesuffix(".gz")
        if lowered.endswith(endings):
            text = plain(content)
            limits.check_columns(text.count(b"\n"))
            rows = [line.split("\t") for line in text.decode("utf-8", "replace").splitlines() if line.strip()]
            return tuple((row[1] if len(row) > 1 and row[1].strip() else row[0]).strip() for row in rows)
    return ()


def sides(name: str) -> bool:
    """Whether a file of this name holds the names beside a matrix.

    >>> sides("filtered/features.tsv.gz"), sides("matrix.mtx")
    (True, False)
    """
    return name.lower().removesuffix(".gz").endswith(BESIDE)
