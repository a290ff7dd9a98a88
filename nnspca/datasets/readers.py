"""Chooses the reader of a format by the ending of a file's name, for one file, several and archives of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from nnspca.datasets import arrays
from nnspca.datasets.dataset import Axis, Content, distinct
from nnspca.datasets.formats import MATRICES, TABLES, TEXTS
from nnspca.datasets.images import SUFFIXES as IMAGES
from nnspca.datasets.images import archive_members, no_images, of_images
from nnspca.datasets.layout import Grid
from nnspca.datasets.notes import decision
from nnspca.datasets.options import Reading
from nnspca.errors import DataError, reason


def parse_files(files: Mapping[str, bytes], reading: Reading) -> Grid | Content:
    """Read one file, or several that form one data set: the cells of a table, or the numbers of another format."""
    label, data = next(iter(files.items()))
    what = suffix(label).lower()
    if len(files) > 1:
        return _together(files, reading)
    if not what:
        raise _refused(label)
    if not data:
        raise DataError("the file is empty.")
    return TABLES[what](data, reading) if what in TABLES else READERS[what](data, reading)


def suffix(label: str) -> str:
    """Return the format's full ending; empty if it is not a known one."""
    return next((label[-len(s) :] for s in sorted(SUFFIXES, key=len, reverse=True) if label.lower().endswith(s)), "")


@contextmanager
def error_in_file(what: str) -> Iterator[None]:
    """Make a DataError of any error of a decoder on damaged input."""
    try:
        yield
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


def _together(files: Mapping[str, bytes], options: Reading) -> Content:
    """Read several files that form one data set: images of one size, spectra, or a matrix with its names."""
    matrices = [name for name in files if name.lower().endswith(MATRICES)]
    if len(matrices) == 1:
        others = {name: content for name, content in files.items() if name != matrices[0]}
        if strange := [name for name in others if not name.lower().removesuffix(".gz").endswith(arrays.BESIDE)]:
            raise DataError(f"{strange[0]!r} beside the matrix is neither genes.tsv, features.tsv nor barcodes.tsv.")
        return arrays.read_market(files[matrices[0]], options, others)
    if all(name.lower().endswith(IMAGES) for name in files):
        return of_images(files.items(), Counter(), options)
    if all(name.lower().endswith(TEXTS) for name in files):
        return _spectra(files, options)
    listed = ", ".join(repr(name[-40:]) for name in list(files)[:5])
    raise DataError(
        f"{len(files)} files came together ({listed}); several are read as one only where they are images, spectra, "
        "a .mtx with genes.tsv and barcodes.tsv, or a table with a file of two columns that names its features."
    )


def _spectra(files: Mapping[str, bytes], options: Reading) -> Content:
    """Read files of two columns of numbers, one sample each, whose first columns are equal."""
    grids = {name: TABLES[suffix(name)](content, options) for name, content in files.items()}
    columns = [grid.frame.to_numpy(float).T for grid in grids.values()]
    where = columns[0][0]
    for name, own in zip(files, columns, strict=True):
        if len(own) != 2 or not np.array_equal(own[0], where):
            raise DataError(f"files are a sample each where the first of two columns is equal; {name[-40:]!r} differs.")
    along = next(iter(grids.values()))
    heading = along.names[0] if along.named else "place"
    name, unit = found.groups() if (found := re.fullmatch(r"(.+?) ?[(\[](.+)[)\]]", heading)) else (heading, "")
    return Content(
        X=np.array([own[1] for own in columns]),
        feature_names=distinct(f"{value:g} {unit}".rstrip() for value in where),
        axis=Axis(where, name=name, unit=unit),
        sample_names=distinct(Path(name).stem for name in files),
        notes=(decision(f"Each of {len(files)} files is a sample, its first column what the features are."),),
    )


def _archive(data: bytes, options: Reading) -> Content:
    """An archive of images, of spectra, or of a matrix with its names."""
    seen: Counter[str] = Counter()
    suffixes = (*IMAGES, *MATRICES, *TEXTS, *(f"{name}{gz}" for name in arrays.BESIDE for gz in ("", ".gz")))
    files = dict(archive_members(data, suffixes, seen))
    if any(name.lower().endswith(MATRICES) for name in files):
        return _together({n: c for n, c in files.items() if not n.lower().endswith((*IMAGES, *TEXTS))}, options)
    if len(files) > 1 and all(name.lower().endswith(TEXTS) for name in files):
        return _together(files, options)
    images = {name: content for name, content in files.items() if name.lower().endswith(IMAGES)}
    for name in files.keys() - images.keys():
        seen[repr(f".{name.rpartition('.')[2]}")] += 1
    if not images:
        raise no_images(seen)
    return of_images(images.items(), seen, options)


def _refused(label: str) -> DataError:
    if label.lower().endswith(IMAGES):
        return DataError(
            "this is one image, and that is one sample: drop several of the same size together, or pack them in a ZIP."
        )
    _, dot, ending = label.rpartition(".")
    problem = f"ends in {dot + ending!r}" if dot else "has no ending"
    return DataError(f"the name {problem}; files ending in {', '.join(SUFFIXES)} are read. Save it as one of these.")


READERS: dict[str, Callable[[bytes, Reading], Content]] = {
    ".npy": arrays.read_npy,
    ".npz": arrays.read_npz,
    ".mat": arrays.read_mat,
    **dict.fromkeys((".zip", ".tar", ".tar.gz", ".tgz"), _archive),
    ".h5ad": arrays.read_h5ad,
    **dict.fromkeys((".h5", ".hdf5"), arrays.read_h5),
    **dict.fromkeys(MATRICES, arrays.read_market),
}
SUFFIXES = (*TABLES, *READERS)
