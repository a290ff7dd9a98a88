"""Entry point for users' files: reads every format into one checked data set."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from nnspca.control.arguments import (
    check_choice,
    check_flag,
    check_instance,
    check_several,
    check_whole,
    shown,
)
from nnspca.datasets import formats, loading, naming
from nnspca.datasets.cells import ReadingOptions
from nnspca.datasets.dataset import Content, Dataset, Kind
from nnspca.datasets.formats import SUFFIXES as SUFFIXES
from nnspca.datasets.missing import CHOICES, Missing, MissingValues, counted, without_missing
from nnspca.datasets.tables import objection
from nnspca.errors import DataError

MAX_MAGNITUDE = 1e100  # of a number; squares and their sums must stay far from overflow
Path_ = str | os.PathLike[str]
Bytes = bytes | bytearray | memoryview
Source = Path_ | Bytes | Mapping[str, bytes] | Iterable[Path_]
LONGEST = 100  # characters of a label


def read(
    path_or_bytes: Source,
    filename: str | None = None,
    *,
    name: str | None = None,
    samples: Literal["rows", "columns"] | None = None,
    kind: Literal["table", "covariance"] | None = None,
    sheet: str | int | None = None,
    header: bool | int | None = None,
    delimiter: str | None = None,
    decimal: Literal[".", ","] | None = None,
    encoding: str | None = None,
    label: str | None = None,
    sample_names: str | None = None,
    missing: Missing = "refuse",
    missing_codes: Sequence[float | str] | None = None,
    keep_totals: bool = False,
) -> Dataset:
    """Read a data set from a file, from several that belong together, or from uploaded bytes.

    Tables: CSV and other text (.csv, .tsv, .txt, .tab, .dat), Excel and LibreOffice (.xlsx, .xlsm, .xls, .xlsb, .ods),
    Parquet, Feather, Stata (.dta), SAS (.xpt), SPSS (.sav, with pyreadstat) and ARFF. Arrays: NPY, NPZ (of
    scipy.sparse too), MAT (v5 to v7), MatrixMarket (.mtx, gzipped or not, with 10x's files of names beside it),
    AnnData (.h5ad), and images of one size, alone or in a ZIP or TAR(.gz). Sparse arrays stay sparse.

    Of a table, delimiter, decimal sign, sheet, header, names, class, orientation and what stands for a missing value
    are found by looking at it. ``notes`` has a sentence on each decision, and an argument reverses it. A file of the
    catalogue is recognised by its checksum and comes back as the data set it is. Nothing is unpacked to disk and no
    code in a file is ever run.

    Parameters
    ----------
    path_or_bytes : path, bytes, list of paths, or mapping of bytes
        Where the file is, or what it contains. Several files (a folder, a list of paths, contents by name) are one
        data set where they are images, a .mtx with its names, or a table with a file of two columns that names its
        features.
    filename : str, optional
        With bytes: the name of the file. Only its ending (the format) and its last part (a label) matter.
    name : str, optional
        What to call the data set; the file's name unless given.
    samples : {"rows", "columns"}, optional
        Where the samples are. By default in the rows, unless names, counts and shape say that these are genes.
    kind : {"table", "covariance"}, optional
        Read a square symmetric matrix as samples, or insist on a covariance. By default a symmetric matrix that can be
        a covariance is taken as one, also where only a triangle of it is filled or other columns stand beside it.
    sheet : str or int, optional
        For workbooks: the name of a sheet, or its place from 0 on; by default the one with the most numbers.
    header : bool or int, optional
        How many rows name the columns; False for none.
    delimiter, decimal, encoding : str, optional
        For text: what parts the cells, the decimal sign ("." or ","), and how letters are encoded.
    label : str, optional
        For tables: the column that is the class, ``""`` for none. By default one called class, label or target, else
        the first column of text that repeats. Other columns of text are left out.
    sample_names : str, optional
        For tables: the column that names the samples, ``""`` for none; by default the first text that differs in all
        rows.
    missing : {"refuse", "drop rows", "drop features", "mean"}
        What becomes of missing values: an error that counts them, samples or features left out that have some, or the
        mean of the feature in their place. A word in a column of numbers, or a limit of detection such as "<0.3", is
        a missing value.
    missing_codes : sequence of float or str, optional
        Numbers and words that stand for a missing value in every column; ``()`` for none. By default −9, −99, 999 and
        the like, where the other values of a column are far away.
    keep_totals : bool
        Whether rows called total, sum, mean or average are samples.

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
    check_choice("samples", samples, ("rows", "columns"), none=True)
    check_choice("kind", kind, ("table", "covariance"), none=True)
    check_choice("decimal", decimal, (".", ","), none=True)
    check_choice("missing", missing, CHOICES)
    check_flag("keep_totals", keep_totals)
    if header is not None and not isinstance(header, bool):
        check_whole("header", header, 0)
    if missing_codes is not None:
        missing_codes = tuple(check_several("missing_codes", missing_codes, "several", "numbers or words"))
    column = "the name of a column"
    named = (
        ("name", name, "what to call the data set"),
        ("label", label, column),
        ("sample_names", sample_names, column),
        ("delimiter", delimiter, "what parts the cells"),
        ("encoding", encoding, "a name such as utf-8"),
    )
    for key, value, what in named:
        if value is not None:
            check_instance(key, value, str, what)
    if delimiter is not None and len(delimiter) != 1:
        raise ValueError(f"delimiter={delimiter!r:.40} is not allowed; give one character")
    options = ReadingOptions(
        samples,
        label,
        missing,
        sample_names,
        kind,
        None if header is None else int(header),
        sheet,
        delimiter,
        decimal,
        encoding,
        missing_codes,
        keep_totals,
    )
    return _read(path_or_bytes, filename, name, options)


def _read(source: Source, filename: str | None, name: str | None, options: ReadingOptions) -> Dataset:
    label, files = _opened(source, filename)
    names: dict[str, str] = {}
    if len(files) == 1:
        ((label, data),) = files.items()
        known = loading.recognise(data, name)
        if known is not None:
            return known
    try:
        files, names = _part_names(files)
        only = len(files) == 1  # a file of names may lie beside it
        label = next((n for n in files if only or n.lower().endswith(formats.MATRICES)), label)
        content = formats.parse_files(files, options)
        content = _handle_missing(content, options)
        _check(content, options.kind)
        drawn_as = _kind(content, options.kind)
        if options.kind is None and content.labels is None:
            content = replace(content, notes=(*content.notes, *_said_of_squares(content.X, drawn_as)))
        if drawn_as == "covariance":  # its rows are features
            content = replace(content, sample_names=(), name_columns=())
    except MissingValues as error:
        raise error.named(label) from error
    except DataError as error:
        alike = len(files) > 1 and label.lower().endswith(formats.IMAGES)  # dropped together: the first is not at fault
        whose = f"of {len(files):,} files" if alike else repr(label)
        raise DataError(f"{whose}: {error}") from error
    called = label[: len(label) - len(formats.suffix(label))] or label
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
    return naming.numbered(naming.rename(dataset, names) if names else dataset)


def _opened(source: Source, filename: object) -> tuple[str, dict[str, bytes]]:
    """The label, and name and content of each file that belongs to it: several for a folder or a list."""
    if isinstance(filename, os.PathLike):
        filename = os.fspath(filename)
    if filename is not None and not isinstance(filename, str):
        raise TypeError(f"filename={shown(filename)} is not allowed; give the name of the file as a text")
    if isinstance(source, Bytes):
        if not filename:
            raise DataError("bytes alone do not tell their format; give the file's name too, for instance 'data.csv'.")
        return label_of(filename), {label_of(filename): bytes(source)}
    if isinstance(source, Mapping):
        return _several([(str(name), bytes(content)) for name, content in source.items()], filename)
    if isinstance(source, list | tuple) and source and all(isinstance(one, str | os.PathLike) for one in source):
        return _several([(os.fspath(one), _content(Path(one).expanduser())) for one in source], filename)
    if not isinstance(source, str | os.PathLike):
        raise TypeError(
            f"path_or_bytes={shown(source)} is not allowed; give a path or what a file contains as bytes (numbers at "
            "hand need no file: Covariance.from_data(X))"
        )
    path = Path(source).expanduser()
    if not os.path.isdir(path):
        called = label_of(filename or path.name)
        return called, {called: _content(path)}
    inside = sorted(one for one in path.iterdir() if one.is_file() and not one.name.startswith("."))
    if not inside:
        raise DataError(f"the folder {label_of(path.name)!r} holds no files.")
    return _several([(one.name, _content(one)) for one in inside], filename or path.name)


def _content(path: Path) -> bytes:
    name = label_of(path.name)
    if not os.path.isfile(path):
        raise DataError(f"there is no file {name!r} at the place given. Check the path.")
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{name!r} cannot be opened: {error.strerror}. Check that you may read it.") from error


def _several(files: list[tuple[str, bytes]], filename: str | None) -> tuple[str, dict[str, bytes]]:
    if not files:
        raise DataError("no file was given.")
    called = {label_of(name): content for name, content in files}
    if len(called) < len(files):
        raise DataError("two of the files have the same name: rename one of them.")
    return label_of(filename or next(iter(called))), called


def label_of(filename: str) -> str:
    """Return the last part of a file's name, printable and short; never a path.

    >>> label_of("../../etc/faces.csv")
    'faces.csv'
    """
    last = re.split(r"[/\\\\]", filename.strip())[-1]
    printable = "".join(c if c.isprintable() else "_" for c in last)
    return printable[-LONGEST:] or "upload"


def _part_names(files: Mapping[str, bytes]) -> tuple[dict[str, bytes], dict[str, str]]:
    """Separate a file of two columns, which names the features, from the one data file."""
    texts = [name for name in files if name.lower().endswith(formats.TEXTS)]
    if len(files) == 2 and texts and not any(n.lower().endswith((*formats.MATRICES, *formats.IMAGES)) for n in files):
        for name in sorted(texts, key=lambda name: len(files[name])):
            try:
                names = naming.read_names(files[name])
            except DataError:
                continue
            return {other: content for other, content in files.items() if other != name}, names
    return dict(files), {}


def _handle_missing(content: Content, options: ReadingOptions) -> Content:
    X = content.X
    if not isinstance(X, np.ndarray) or X.ndim != 2 or not np.isnan(X).any():
        return content
    if options.missing == "refuse":
        what = "samples" if options.samples == "columns" else "rows"
        i, j = (int(at) for at in np.unravel_index(np.argmax(np.isnan(X)), X.shape))
        error = counted(X, f"row {i + 1:,}, column {j + 1:,} ({content.feature_names[j][:60]!r})", what)
        said = " ".join(note for note in content.notes if "read as missing" in note)
        raise error.adding(said) if said and isinstance(error, MissingValues) else error
    X, rows, features, note = without_missing(X, options.missing)
    whole = bool(features.all())
    return replace(
        content,
        X=X,
        feature_names=tuple(n for n, retained in zip(content.feature_names, features, strict=True) if retained),
        image_shape=content.image_shape if whole else None,
        labels=None if content.labels is None else content.labels[rows],
        sample_names=tuple(n for n, retained in zip(content.sample_names, rows, strict=False) if retained),
        notes=(*content.notes, note[:1].upper() + note[1:]),
    )


def _check(content: Content, kind: str | None) -> None:
    X = content.X
    rows, columns = X.shape
    if rows < 2 or columns < 1:
        raise DataError(
            f"found {rows} {'row' if rows == 1 else 'rows'} and {columns} "
            f"{'column' if columns == 1 else 'columns'} of numbers; at least 2 rows (samples) and 1 column "
            "are needed."
        )
    if not isinstance(X, np.ndarray):
        _check_sparse(content)
        return
    _check_values(content, ~np.isfinite(X), "is not finite", "Fill it in or remove that row or column.")
    too_large = np.abs(X) > MAX_MAGNITUDE
    _check_values(content, too_large, f"is beyond ±{MAX_MAGNITUDE:g}", "Rescale that column.")
    if kind != "covariance" and not np.ptp(X, axis=0).any():
        raise DataError(
            f"all {rows:,} rows are equal, so nothing varies and there is nothing to explain. "
            "Check that samples are in rows and that the right numbers were saved."
        )


def _check_sparse(content: Content) -> None:
    """The same for the stored numbers of a sparse array."""
    stored, (rows, columns) = content.X.data, content.X.shape
    bad = ~np.isfinite(stored) | (np.abs(stored) > MAX_MAGNITUDE)
    if bad.any():
        at = int(np.argmax(bad))
        raise DataError(
            f"the value {stored[at]:g} in column {int(content.X.indices[at]) + 1:,} is not finite, or beyond "
            f"±{MAX_MAGNITUDE:g} ({int(bad.sum()):,} such values in all). Leave it out or rescale."
        )
    if not (np.asarray(content.X.max(axis=0).toarray()) != content.X.min(axis=0).toarray()).any():
        raise DataError(f"all {rows:,} rows are equal in all {columns:,} columns, so there is nothing to explain.")


def _check_values(content: Content, bad: np.ndarray, what: str, remedy: str) -> None:
    count = int(np.count_nonzero(bad))
    if count:
        i, j = np.unravel_index(np.argmax(bad), bad.shape)
        more = f" ({count:,} such values in all)" if count > 1 else ""
        raise DataError(
            f"the value {content.X[i, j]:g} in row {i + 1:,}, column {j + 1:,} "
            f"({content.feature_names[j][:60]!r}) {what}{more}. {remedy}"
        )


def _kind(content: Content, given: str | None) -> Kind:
    if given == "covariance":
        if objection(content.X) is not None:
            raise DataError(
                f"a covariance is asked for, but the {content.X.shape[0]:,} × "
                f"{content.X.shape[1]:,} matrix is not square and symmetric with a diagonal that "
                "dominates. Check the matrix, or read it as samples."
            )
        return "covariance"
    if content.image_shape is not None:
        return "images"
    return "covariance" if given is None and content.labels is None and objection(content.X) is None else "table"


def _said_of_squares(A: object, drawn_as: Kind) -> tuple[str, ...]:
    """Return why a square symmetric table is read as samples, or that it is read as a covariance."""
    if drawn_as == "covariance":
        return ("It is square and symmetric, and read as a covariance: kind='table' reads it as any other table.",)
    why = objection(A) if drawn_as == "table" else ""
    if not why or len(A) < 3:  # type: ignore[arg-type]
        return ()
    return (f"It is square and symmetric, but no covariance: {why}. So each row is read as a sample.",)
