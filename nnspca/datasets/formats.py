"""Chooses the reader by a file's name."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from nnspca.datasets import arrays, cells
from nnspca.datasets.cells import Grid, ReadingOptions
from nnspca.datasets.dataset import Content
from nnspca.datasets.images import SUFFIXES as IMAGES
from nnspca.datasets.images import members, no_images, of_images
from nnspca.datasets.tables import arrange
from nnspca.errors import DataError, needed, reason

MATRICES = (".mtx", ".mtx.gz")
TEXTS = (".csv", ".tsv", ".txt")


def suffix(label: str) -> str:
    """Return the format's full ending; empty if it is not a known one.

    >>> suffix("faces.TAR.GZ"), suffix("notes.doc")
    ('.TAR.GZ', '')
    """
    return next((label[-len(s) :] for s in sorted(SUFFIXES, key=len, reverse=True) if label.lower().endswith(s)), "")


def parse_files(files: Mapping[str, bytes], options: ReadingOptions) -> Content:
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
        if what in TABLES:
            return arrange(TABLES[what](data, options), options)
        return READERS[what](data, options)
    except DataError:
        raise
    except MemoryError as error:
        raise DataError(
            f"it needs more memory than there is{reason(error)}; damaged files claim such sizes."
        ) from error
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
        if strange := [name for name in others if not arrays.is_beside(name)]:
            raise DataError(f"{strange[0]!r} beside the matrix is neither genes.tsv, features.tsv nor barcodes.tsv.")
        return arrays.read_market(files[matrices[0]], options, others)
    if all(name.lower().endswith(IMAGES) for name in files):
        return of_images(files.items(), Counter(), options.samples or "rows")
    listed = ", ".join(repr(name[-40:]) for name in list(files)[:5])
    raise DataError(
        f"{len(files)} files came together ({listed}); several are read as one only where they are images of one size, "
        "a .mtx with genes.tsv and barcodes.tsv, or a table with a file of two columns that names its features."
    )


def _archive(data: bytes, options: ReadingOptions) -> Content:
    """An archive of images, or of a matrix with its names."""
    seen: Counter[str] = Counter()
    suffixes = (*IMAGES, *MATRICES, *(f"{name}{gz}" for name in arrays.BESIDE for gz in ("", ".gz")))
    files = dict(members(data, suffixes, seen))
    if any(name.lower().endswith(MATRICES) for name in files):
        return _together({n: c for n, c in files.items() if not n.lower().endswith(IMAGES)}, options)
    images = {name: content for name, content in files.items() if name.lower().endswith(IMAGES)}
    for name in files.keys() - images.keys():
        seen[repr(f".{name.rpartition('.')[2]}")] += 1
    if not images:
        raise no_images(seen)
    return of_images(images.items(), seen, options.samples or "rows")


def _refuse(label: str) -> None:
    if label.lower().endswith(IMAGES):
        raise DataError(
            "this is one image, and that is one sample: drop several of the same size together, or pack them in a ZIP."
        )
    _, dot, ending = label.rpartition(".")
    problem = f"ends in {dot + ending!r}" if dot else "has no ending"
    raise DataError(f"the name {problem}; files ending in {', '.join(SUFFIXES)} are read. Save it as one of these.")


def _pandas(function: str, package: str = "pandas") -> Callable[[bytes, ReadingOptions], Grid]:
    """A reader of tables that is pandas' own function of that name, through that package."""

    def read_table(data: bytes, _: ReadingOptions) -> Grid:
        needed(package, f"{function.removeprefix('read_').title()} files")
        read: Any = getattr(needed("pandas", "tables"), function)
        return cells.read_frame(read(io.BytesIO(data), **({"format": "xport"} if function == "read_sas" else {})))

    return read_table


def _spss(data: bytes, _: ReadingOptions) -> Grid:
    import tempfile

    pyreadstat = needed("pyreadstat", "SPSS files", "pyreadstat")
    with tempfile.NamedTemporaryFile(suffix=".sav") as file:  # pyreadstat reads files only
        file.write(data)
        file.flush()
        return cells.read_frame(pyreadstat.read_sav(file.name, apply_value_formats=True)[0])


TABLES: dict[str, Callable[[bytes, ReadingOptions], Grid]] = {
    **dict.fromkeys((".csv", ".txt", ".dat"), cells.read_text),
    **dict.fromkeys((".tsv", ".tab"), lambda data, options: cells.read_text(data, options, tabs=True)),
    **dict.fromkeys((".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"), cells.read_sheets),
    ".parquet": _pandas("read_parquet", "pyarrow"),
    ".feather": _pandas("read_feather", "pyarrow"),
    ".dta": _pandas("read_stata"),
    ".xpt": _pandas("read_sas"),
    ".sav": _spss,
    ".arff": cells.read_arff,
}
READERS: dict[str, Callable[[bytes, ReadingOptions], Content]] = {
    ".npy": arrays.read_npy,
    ".npz": arrays.read_npz,
    ".mat": arrays.read_mat,
    **dict.fromkeys((".zip", ".tar", ".tar.gz", ".tgz"), _archive),
    ".h5ad": arrays.read_h5ad,
    **dict.fromkeys(MATRICES, arrays.read_market),
}
SUFFIXES = (*TABLES, *READERS)
