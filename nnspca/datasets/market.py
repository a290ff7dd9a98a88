"""MatrixMarket files, and the three files in which 10x Genomics publishes counts.

scipy reads the matrix: a damaged file can make it end the process it runs in.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Mapping

import scipy.sparse

from nnspca.datasets import limits
from nnspca.datasets.cells import ReadingOptions
from nnspca.datasets.dataset import Content
from nnspca.datasets.naming import distinct
from nnspca.datasets.sparse import check_shape, triplets
from nnspca.errors import DataError, reason

FEATURES = ("genes.tsv", "features.tsv")
SAMPLES = ("barcodes.tsv",)
BESIDE = (*FEATURES, *SAMPLES)
SHORTEST = {"coordinate": 4, "array": 2}  # bytes of a line that holds a number


def read_market(data: bytes, options: ReadingOptions, beside: Mapping[str, bytes] | None = None) -> Content:
    """Read a matrix in MatrixMarket format, gzipped or not, with the names of its features and samples.

    With such names the orientation is known: 10x writes genes in rows. Without them,
    ``options`` decide.

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


def _matrix(text: bytes) -> scipy.sparse.csr_array:
    """The numbers, after a check that the bytes can hold as many as the header claims."""
    from scipy import io as scipy_io

    if not text[:14].lower() == b"%%matrixmarket":
        raise DataError("the first line does not say %%MatrixMarket matrix …: is this a MatrixMarket file?")
    rows, columns, stored, layout, numbers, symmetry = scipy_io.mminfo(io.BytesIO(text))
    if numbers == "complex":
        raise DataError("the matrix holds 'complex'; real numbers, integers and patterns are read.")
    shape = check_shape((rows, columns), stored, at_most=len(text) // SHORTEST[layout] + 1)
    limits.check_entries(stored * (1 if symmetry == "general" else 2))
    read = scipy.sparse.coo_array(scipy_io.mmread(io.BytesIO(text)))
    return triplets(read.data, read.row, read.col, shape)


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
