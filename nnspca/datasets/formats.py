"""Chooses the reader by a file's name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from nnspca.datasets import market
from nnspca.datasets.archives import members
from nnspca.datasets.arff import read_arff
from nnspca.datasets.arranging import ReadingOptions
from nnspca.datasets.arrays import read_mat, read_npy, read_npz
from nnspca.datasets.dataset import Content
from nnspca.datasets.delimited import read_delimited
from nnspca.datasets.h5ad import read_h5ad
from nnspca.datasets.images import SUFFIXES as IMAGES
from nnspca.datasets.images import no_images, of_images
from nnspca.datasets.parquet import read_parquet
from nnspca.datasets.workbook import read_workbook
from nnspca.errors import DataError, reason

MATRICES = (".mtx", ".mtx.gz")
TEXTS = (".csv", ".tsv", ".txt")


def suffix(label: str) -> str:
    """Return the format's full ending; empty if it is not a known one.

    >>> suffix("faces.TAR.GZ"), suffix("notes.doc")
    ('.TAR.GZ', '')
    """
    return next((label[-len(s) :] for s in sorted(SUFFIXES, key=len, reverse=True) if label.lower().endswith(s)), "")


def parse_files(files: Mapping[str, bytes], options: ReadingOptions, header: bool | None) -> Content:
    """Read one file, or several that form one data set; any error of a decoder on damaged input is a DataError."""
    what = suffix(next(iter(files))).lower() if len(files) == 1 else "several files"
    try:
        if len(files) > 1:
            return _together(files, options)
        ((label, data),) = files.items()
        if not what:
            _refuse(label)
        if not data:
            raise DataError("the file is empty.")
        return READERS[what](data, options, header)
    except (DataError, MemoryError):
        raise
    except Exception as error:
        raise DataError(
            f"this cannot be read as {what}{reason(error, 200)}. "
            "It is damaged, or another format under this ending: save it again."
        ) from error


def _together(files: Mapping[str, bytes], options: ReadingOptions) -> Content:
    """Read several files that form one data set: images of one size, or a matrix with its names."""
    matrices = [name for name in files if name.lower().endswith(MATRICES)]
    if len(matrices) == 1:
        others = {name: content for name, content in files.items() if name != matrices[0]}
        if strange := [name for name in others if not market.sides(name)]:
            raise DataError(f"{strange[0]!r} beside the matrix is neither genes.tsv, features.tsv nor barcodes.tsv.")
        return market.read_market(files[matrices[0]], options, others)
    if all(name.lower().endswith(IMAGES) for name in files):
        return of_images(files.items(), Counter(), options.samples)
    listed = ", ".join(repr(name[-40:]) for name in list(files)[:5])
    raise DataError(
        f"{len(files)} files came together ({listed}); several are read as one only where they are images of one size, "
        "a .mtx with genes.tsv and barcodes.tsv, or a table with a file of two columns that names its features."
    )


def _archive(data: bytes, options: ReadingOptions) -> Content:
    """An archive of images, or of a matrix with its names."""
    seen: Counter[str] = Counter()
    suffixes = (*IMAGES, *MATRICES, *(f"{name}{gz}" for name in market.BESIDE for gz in ("", ".gz")))
    files = dict(members(data, suffixes, seen))
    if any(name.lower().endswith(MATRICES) for name in files):
        return _together({n: c for n, c in files.items() if not n.lower().endswith(IMAGES)}, options)
    images = {name: content for name, content in files.items() if name.lower().endswith(IMAGES)}
    for name in files.keys() - images.keys():
        seen[repr(f".{name.rpartition('.')[2]}")] += 1
    if not images:
        raise no_images(seen)
    return of_images(images.items(), seen, options.samples)


def _refuse(label: str) -> None:
    if label.lower().endswith(IMAGES):
        raise DataError(
            "this is one image, and that is one sample: drop several of the same size together, or pack them in a ZIP."
        )
    if label.lower().endswith(".xls"):
        raise DataError("this is a workbook of old Excel (.xls): save it as .xlsx, or as CSV.")
    _, dot, ending = label.rpartition(".")
    problem = f"ends in {dot + ending!r}" if dot else "has no ending"
    raise DataError(f"the name {problem}; files ending in {', '.join(SUFFIXES)} are read. Save it as one of these.")


READERS: dict[str, Callable[[bytes, ReadingOptions, bool | None], Content]] = {
    ".csv": lambda data, options, header: read_delimited(data, options, header=header),
    ".tsv": lambda data, options, header: read_delimited(data, options, delimiter="\t", header=header),
    ".txt": lambda data, options, header: read_delimited(data, options, header=header),
    ".npy": lambda data, options, _: read_npy(data, samples=options.samples),
    ".npz": lambda data, options, _: read_npz(data, samples=options.samples),
    ".mat": lambda data, options, _: read_mat(data, samples=options.samples),
    ".arff": lambda data, options, _: read_arff(data, options),
    **dict.fromkeys((".zip", ".tar", ".tar.gz", ".tgz"), lambda data, options, _: _archive(data, options)),
    ".parquet": lambda data, options, _: read_parquet(data, options),
    **dict.fromkeys((".xlsx", ".xlsm"), lambda data, options, header: read_workbook(data, options, header=header)),
    ".h5ad": lambda data, options, _: read_h5ad(data, options),
    **dict.fromkeys(MATRICES, lambda data, options, _: market.read_market(data, options)),
}
SUFFIXES = tuple(READERS)
