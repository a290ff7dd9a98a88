"""Reads a person's files: a format by its ending, what is missing as chosen, and a preview of what was understood."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from nnspca.control.arguments import check_instance
from nnspca.datasets import catalogue, cells, missing, preparing, series
from nnspca.datasets.columns import Column, Table
from nnspca.datasets.covariances import invalid_entry
from nnspca.datasets.dataset import Content, Dataset, Kind
from nnspca.datasets.files import FileSource, contents_of, part_names
from nnspca.datasets.formats import MATRICES
from nnspca.datasets.images import SUFFIXES as IMAGES
from nnspca.datasets.layout import Grid
from nnspca.datasets.missing import MissingValues
from nnspca.datasets.notes import DataDoubt, Note, decision
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import counted, quoted
from nnspca.datasets.readers import error_in_file, parse_files, suffix
from nnspca.datasets.tables import table_content
from nnspca.errors import DataError, UnknownOption

MAX_MAGNITUDE = 1e100  # of a number; squares and their sums must stay far from overflow
ROWS, COLUMNS, NAMES = 20, 100, 1000  # of a preview: cells, and columns of which it has the names


@dataclass(frozen=True, eq=False)
class FilePreview:
    """What was understood of a file, to be shown before it is used: what :func:`preview` returns.

    Examples
    --------
    >>> import nnspca
    >>> nnspca.datasets.preview(b"a,b\\n1 cm,2 cm\\n", "table.csv").problem[:39]
    "'table.csv': no column of numbers among"
    """

    shape: tuple[int, int] = (0, 0)  #: Rows and columns below the header, as they stand in the file
    #: All of them, with their roles; of a file that could not be read their names alone
    columns: tuple[Column, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()  #: At most the first twenty, and of each the first hundred cells
    #: Options of :class:`Reading` and what was found for each by looking, or given
    decided: Mapping[str, Any] = field(default_factory=dict)
    sheets: tuple[str, ...] = ()  #: Of a workbook
    notes: tuple[Note, ...] = ()  #: As a :class:`Dataset` has them
    doubts: tuple[Note, ...] = ()  #: As a :class:`Dataset` has them
    problem: str = ""  #: Why the file cannot be read so; empty where it can, or where only values are missing
    data: Dataset | None = None  #: What :func:`read` returns
    error: DataError | None = None  #: What it raises instead: :class:`MissingValues` where values are missing

    @property
    def names(self) -> tuple[str, ...]:
        """Those of the columns, at most the first thousand."""
        return tuple(column.name for column in self.columns[:NAMES])

    @property
    def roles(self) -> tuple[str, ...]:
        """What becomes of each of these; empty where the file could not be read."""
        return tuple(column.role for column in self.columns[:NAMES] if column.role)


def read(
    path_or_bytes: FileSource,
    filename: str | Reading | None = None,
    reading: Reading | None = None,
    *,
    name: str | None = None,
    **options: Any,
) -> Dataset:
    """Read a data set from a file, from several that belong together, or from uploaded bytes.

    Tables: CSV and other text (.csv, .tsv, .txt, .tab, .dat, .data, .asc, .prn; gzipped, too), Excel and LibreOffice
    (.xlsx, .xlsm, .xls, .xlsb, .ods), Parquet, Feather, Stata (.dta), SAS (.xpt, .sas7bdat), SPSS (.sav, with
    pyreadstat), ARFF and records in JSON. Arrays: NPY, NPZ (of scipy.sparse too), MAT (v5 to v7), HDF5, MatrixMarket
    (.mtx, gzipped or not, with 10x's files of names beside it), AnnData (.h5ad), and images or spectra, one file a
    sample, several or in a ZIP or TAR(.gz). Sparse arrays stay sparse.

    Of a table, delimiter, decimal sign, sheet, header, names, class, orientation and what stands for a missing value
    are found by looking at it. ``notes`` has each decision, ``doubts`` what may be misread, with the options that
    settle it. A file of the catalogue is recognised by its checksum and comes back as the data set it is. Nothing is
    unpacked to disk and no code in a file is ever run.

    Parameters
    ----------
    path_or_bytes : path, bytes, list of paths, or mapping of bytes
        Where the file is, or what it contains. Several files (a folder, a list of paths, contents by name) are one
        data set where they are images, spectra, a .mtx with its names, or a table with a file of two columns that names
        its features.
    filename : str, optional
        With bytes: the name of the file. Only its ending (the format) and its last part (a label) matter.
    reading : Reading, optional
        How it is read; given in place of the name, too, where the file has one.
    name : str, optional
        What to call the data set; the file's name unless given.
    **options
        Each field of :class:`Reading` by its name, in place of that of ``reading``: ``samples``, ``header``, ….

    Returns
    -------
    Dataset
        Of kind ``"table"``, ``"images"`` or ``"covariance"``; ``notes`` says what was decided on the way.

    Raises
    ------
    nnspca.DataError
        When it cannot be used as given; says what was found, shows how the first lines were understood, and what to
        change. :class:`MissingValues` where values are missing.
    ValueError, TypeError
        For an option of another kind than those above.

    Examples
    --------
    >>> ds = read(b"height,width\\n1,2\\n3,5\\n4,0", "shapes.csv")
    >>> ds.name, ds.kind, ds.shape, ds.feature_names
    ('shapes', 'table', (3, 2), ('height', 'width'))
    >>> read(b"2,1\\n1,2", "shapes.csv").kind
    'covariance'
    >>> ds = read(b"height;width\\n1,5;2\\n3;<0,1\\n4;0", "shapes.csv", missing="mean")
    >>> ds.X[1]
    array([3., 1.])
    >>> print(*ds.notes, sep="\\n")
    Cells are parted by semicolons, and decimals written with a comma.
    Column 'width' holds 1 × '<0,1', which is no number: read as missing.
    1 missing value: filled with the mean of the feature.
    """
    seen = _seen(path_or_bytes, *_asked(filename, reading, options), name)
    if seen.error is not None:
        raise seen.error
    assert seen.data is not None
    if doubts := seen.data.doubts:
        asked = [f"{note} {note.topic!r}: " + " / ".join(map(str, note.settles)) for note in doubts]
        warnings.warn("\n".join(["this may be misread:", *asked]), DataDoubt, stacklevel=2)
    return seen.data


def preview(
    path_or_bytes: FileSource, filename: str | Reading | None = None, reading: Reading | None = None, **options: Any
) -> FilePreview:
    """Show how a file is understood: its first rows, what becomes of each column, every decision and doubt.

    Parameters
    ----------
    path_or_bytes, filename, reading, **options
        As for :func:`read`. A file that cannot be read so gives a preview, too, with its ``problem``; missing values
        are none here.

    Examples
    --------
    >>> seen = preview(b"site;pH\\nA;7,5\\nB;6,9\\nC;7,1", "water.csv")
    >>> seen.names, seen.roles, seen.rows[0]
    (('site', 'pH'), ('name', 'feature'), ('A', '7.5'))
    >>> seen.decided["delimiter"], seen.decided["decimal"], seen.decided["header"]
    (';', ',', 1)
    """
    name = options.pop("name", None)
    filename, reading = _asked(filename, reading, options)
    seen = _seen(path_or_bytes, filename, reading, name)
    grid, content, error = seen.grid, seen.content, seen.error
    problem = "" if isinstance(error, MissingValues) or error is None else str(error)
    about = grid if content is None else content
    shown: dict[str, Any] = {} if about is None else {"notes": about.notes, "doubts": about.doubts}
    if grid is not None:
        some = grid.frame.iloc[:ROWS, :COLUMNS].astype(object)
        values, shape = some.where(some.notna(), None).to_numpy().tolist(), grid.frame.shape
        shown |= {"columns": tuple(map(Column, grid.names)), "sheets": grid.sheets, "decided": grid.decided}
    elif content is not None:
        few, shape = content.X[:ROWS, :COLUMNS], content.X.shape
        values = (few if isinstance(few, np.ndarray) else few.toarray()).tolist()
    else:
        return FilePreview(problem=problem, data=seen.data, error=error)
    if content is not None:
        last = content if seen.data is None else seen.data
        shown["columns"] = columns = last.columns
        samples = "columns" if any(one.role == "sample" for one in columns) else reading.samples or "rows"
        drawn_as = "covariance" if seen.data is not None and seen.data.kind == "covariance" else "table"
        shown["decided"] = {"samples": samples, "kind": drawn_as, **shown.get("decided", {})}
    rows = tuple(tuple(map(cells.text_of, row)) for row in values)
    return FilePreview(shape=shape, rows=rows, problem=problem, data=seen.data, error=error, **shown)


@dataclass(frozen=True, eq=False)
class _Seen:
    """How far reading came: the cells of a table, its numbers, the data set, or the error that ended it."""

    grid: Grid | None = None
    content: Content | None = None
    data: Dataset | None = None
    error: DataError | None = None


def _asked(filename: object, reading: Reading | None, options: Mapping[str, Any]) -> tuple[Any, Reading]:
    """The file's name and the reading, which may come in its place or as keywords."""
    if isinstance(filename, Reading):
        filename, reading = None, filename
    known = [one.name for one in fields(Reading)]
    if strange := [name for name in options if name not in known]:
        raise UnknownOption(f"there is no option {strange[0]!r:.60}; there are: {', '.join(known)}")
    if reading is None:
        return filename, Reading(**options)
    check_instance("reading", reading, Reading, "how to read the file")
    return filename, replace(reading, **options)


def _seen(source: FileSource, filename: Any, reading: Reading, name: str | None) -> _Seen:
    """Read a file as far as it can be read."""
    if name is not None:
        check_instance("name", name, str, "what to call the data set")
    label, files = contents_of(source, filename)
    seen = _Seen()
    beginning = ""
    try:
        if len(files) == 1 and (known := catalogue.catalogue_dataset(next(iter(files.values())), name)) is not None:
            return replace(seen, data=known)
        files, names = part_names(files)
        only = len(files) == 1  # a file of names may lie beside it
        label = next((n for n in files if only or n.lower().endswith(MATRICES)), label)
        with error_in_file(suffix(label).lower() if only else "several files"):
            found = parse_files(files, reading)
            if isinstance(found, Grid):
                seen, beginning = replace(seen, grid=found), found.beginning
            content = table_content(found, reading) if isinstance(found, Grid) else found
        accepted = tuple(note for note in content.doubts if note.topic in reading.accepted)  # are decisions
        still = tuple(note for note in content.doubts if note not in accepted)
        content = replace(content, notes=(*content.notes, *accepted), doubts=still)
        seen = replace(seen, content=content)
        return replace(seen, data=_dressed(content, files, label, name, names, reading))
    except MissingValues as error:
        known_so = error.count, error.rows, error.features, error.shape
        again: DataError = MissingValues(f"{label!r}: {error.found}", *known_so)
        again.__cause__ = error
    except DataError as error:
        alike = len(files) > 1 and label.lower().endswith(IMAGES)  # dropped together: the first is not at fault
        whose = f"of {len(files):,} files" if alike else repr(label)
        again = DataError(f"{whose}: {error}" if beginning in str(error) else f"{whose}: {error} {beginning}")
        again.__cause__ = error
    return replace(seen, error=again)


def _dressed(
    content: Content,
    files: Mapping[str, bytes],
    label: str,
    name: str | None,
    names: Mapping[str, str],
    reading: Reading,
) -> Dataset:
    """What was read as a data set: missing values handled, checked, and named."""
    content = series.changes_of(missing.fill_or_drop(content, reading), reading)
    _check(content, reading.kind)
    drawn_as, notes = _kind(content, reading.kind)
    content = replace(content, notes=(*content.notes, *notes))
    if drawn_as == "covariance":  # its rows are features
        content = replace(content, sample_names=())
    called = label[: len(label) - len(suffix(label))] or label
    if label in files and len(files) > 1 and content.image_shape is not None:  # images: no single name fits
        label = called = f"{called.rpartition('.')[0]} and {len(files) - 1:,} more"
    dataset = Dataset.dress(
        content,
        name=name or called,
        title=name or label,
        kind=drawn_as,
        description=f"Read from the file {label}." if len(files) == 1 else f"Read from {len(files)} files.",
        source=label,
    )
    dataset = preparing.with_distinct_names(preparing.rename_features(dataset, names) if names else dataset)
    return _of_features(dataset, reading)


def _of_features(dataset: Dataset, reading: Reading) -> Dataset:
    """Leave out the features that were chosen by names they have only after reading; DataError for unknown names."""
    every = dataset.table.every if isinstance(dataset.table, Table) else dataset.feature_names
    later = {name: role for name, role in reading.columns.items() if name not in every and role != "class"}
    if unknown := [name for name in later if name not in dataset.feature_names]:
        raise DataError(f"columns= names {unknown[0]!r:.60}, and no column is called so; there are: {quoted(every)}.")
    return preparing.leave_out(dataset, [name for name, role in later.items() if role == "left out"])


def _check(content: Content, kind: str | None) -> None:
    """Refuse what cannot be used: too few rows, numbers that are not finite or too large, rows that are all equal."""
    X = content.X
    rows, columns = X.shape
    if rows < 2 or columns < 1:
        raise DataError(
            f"found {counted(rows, 'row')} and {counted(columns, 'column')} of numbers; at least 2 rows "
            "(samples) and 1 column are needed."
        )
    dense = isinstance(X, np.ndarray)
    stored = X if dense else X.data
    for bad, what, remedy in (
        (~np.isfinite(stored), "is not finite", "Fill it in or remove that row or column."),
        (np.abs(stored) > MAX_MAGNITUDE, f"is beyond ±{MAX_MAGNITUDE:g}", "Rescale that column."),
    ):
        if bad.any():
            count, at = int(bad.sum()), int(bad.argmax())
            i, j = divmod(at, columns) if dense else (X.indptr.searchsorted(at, "right") - 1, int(X.indices[at]))
            more = f" ({count:,} such values in all)" if count > 1 else ""
            raise DataError(
                f"the value {stored.flat[at]:g} in row {i + 1:,}, column {j + 1:,} ({content.feature_names[j][:60]!r}) "
                f"{what}{more}. {remedy}"
            )
    low, high = (ends if dense else ends.toarray() for ends in (X.min(axis=0), X.max(axis=0)))
    if kind != "covariance" and not np.any(low != high):
        raise DataError(
            f"all {rows:,} rows are equal, so nothing varies and there is nothing to explain. "
            "Check that samples are in rows and that the right numbers were saved."
        )


def _kind(content: Content, given: str | None) -> tuple[Kind, tuple[Note, ...]]:
    """Return how it is drawn, and what was decided where it is square and symmetric."""
    why, labelled = invalid_entry(content.X), content.labels is not None
    if given == "covariance" and why is not None:
        m, n = content.X.shape
        raise DataError(
            f"a covariance is asked for, but the {m:,} × {n:,} matrix is not square and symmetric with a diagonal that "
            "dominates. Check the matrix, or read it as samples."
        )
    if content.image_shape is not None and given is None:
        return "images", ()
    if given == "covariance" or (given is None and not labelled and why is None):
        says = "It is square and symmetric, and read as a covariance."
        return "covariance", () if given else (decision(says, "kind", kind="table"),)
    if not why or given or labelled or len(content.X) < 3:
        return ("table" if content.image_shape is None else "images"), ()
    says = f"It is square and symmetric, but no covariance: {why}. So each row is read as a sample."
    return "table", (decision(says, "kind"),)
