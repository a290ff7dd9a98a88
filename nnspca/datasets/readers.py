"""Entry point for users' files: reads every format, within limits, into one checked data set."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Literal

import numpy as np

from nnspca.control.arguments import check_callables, check_choice, check_flag, check_instance
from nnspca.datasets import apart, formats, loading, naming, progress, sources
from nnspca.datasets import limits as limiting
from nnspca.datasets.arranging import ReadingOptions, SeveralClasses
from nnspca.datasets.dataset import Content, Dataset, Kind
from nnspca.datasets.formats import SUFFIXES as SUFFIXES
from nnspca.datasets.missing import CHOICES, Missing, MissingValues, counted, without_missing
from nnspca.errors import DataError, ReadingStopped

SYMMETRY_TOLERANCE = 1e-8
CHECKING = "Checking the numbers"


def read(
    path_or_bytes: sources.Source,
    filename: str | None = None,
    *,
    name: str | None = None,
    samples: Literal["rows", "columns"] = "rows",
    kind: Literal["table", "covariance"] | None = None,
    header: bool | None = None,
    label: str | None = None,
    missing: Missing = "refuse",
    sample_names: str | None = None,
    limits: Literal["upload"] | None = "upload",
    on_progress: progress.OnProgress | None = None,
    should_stop: progress.ShouldStop | None = None,
) -> Dataset:
    """Read a data set from a file, from several that belong together, or from uploaded bytes.

    CSV, TSV, NPY, NPZ (of scipy.sparse too), MAT (v5 to v7), ARFF, MatrixMarket (.mtx, gzipped or
    not, with 10x's files of names beside it), images of one size, alone or in a ZIP or TAR(.gz);
    with ``pip install 'nnspca[formats]'`` also Parquet, Excel (.xlsx) and AnnData (.h5ad). Sparse
    arrays stay sparse. A column of text becomes the class, or the samples' names when all differ;
    true and false are 1 and 0, as in a data frame. A first column without a name that numbers the
    rows is left out. A square symmetric matrix that can be a covariance is taken as one. A file of
    the catalogue is recognised by its checksum and comes back as the data set it is. Nothing is
    unpacked to disk and no code in a file is ever run.

    Parameters
    ----------
    path_or_bytes : path, bytes, list of paths, or mapping of bytes
        Where the file is, or what it contains. Several files (a folder, a list of paths, contents
        by name) are one data set where they are images, a .mtx with its names, or a table with a
        file of two columns that names its features.
    filename : str, optional
        With bytes: the name of the file. Only its ending (the format) and its last part (a label)
        matter.
    name : str, optional
        What to call the data set; the file's name unless given.
    samples : {"rows", "columns"}
        Where the samples are; with ``"columns"`` the array is transposed.
    kind : {"table", "covariance"}, optional
        Read a square symmetric matrix as samples, or insist on a covariance, instead of deciding by
        looking.
    header : bool, optional
        For CSV, TSV and Excel: whether the first row names the columns, instead of deciding by
        looking.
    label : str, optional
        For tables: the column that is the class, instead of deciding by looking; ``""`` for none.
        Other columns of text are then left out.
    missing : {"refuse", "drop rows", "drop features", "mean"}
        What becomes of missing values: an error that counts them, samples or features left out that
        have some, or the mean of the feature in their place.
    sample_names : str, optional
        For tables: the column that names the samples, instead of deciding by looking; ``""`` for
        none.
    limits : {"upload"} or None
        None reads a file of your own of any size, with all the time and memory it takes, in this
        process, which a damaged one could end. Otherwise a file may have 200 MB and 20 million
        numbers, as an upload by others may, and is read in a process of its own.
    on_progress : callable, optional
        Called as ``on_progress(share, what)`` while reading: how much is done, from 0 to 1, and of
        what.
    should_stop : callable, optional
        Asked about every 50 ms; a true answer ends the call with :class:`ReadingStopped`.

    Returns
    -------
    Dataset
        Of kind ``"table"``, ``"images"`` or ``"covariance"``; ``notes`` says what was decided on
        the way.

    Raises
    ------
    nnspca.DataError
        When it cannot be used as given; says what was found, where, and what to change.
        :class:`MissingValues` where values are missing, :class:`SeveralClasses` where more than one
        column may be the class.
    ValueError, TypeError
        For an option of another kind than those above.

    Examples
    --------
    >>> ds = read(b"height,width\\n1,2\\n3,5\\n4,0", "shapes.csv")
    >>> ds.name, ds.kind, ds.shape, ds.feature_names
    ('shapes', 'table', (3, 2), ('height', 'width'))
    >>> read(b"2,1\\n1,2", "shapes.csv").kind
    'covariance'
    >>> read(b"height,width\\n1,2\\n3,NA\\n4,0", "shapes.csv", missing="mean").X[1]
    array([3., 1.])
    """
    check_choice("samples", samples, ("rows", "columns"))
    check_choice("kind", kind, ("table", "covariance"), none=True)
    check_choice("missing", missing, CHOICES)
    check_choice("limits", limits, ("upload",), none=True)
    check_callables(on_progress=on_progress, should_stop=should_stop)
    if header is not None:
        check_flag("header", header, none=True)
    column = "the name of a column"
    named = (
        ("name", name, "what to call the data set"),
        ("label", label, column),
        ("sample_names", sample_names, column),
    )
    for key, value, what in named:
        if value is not None:
            check_instance(key, value, str, what)
    with progress.reporting(on_progress, should_stop), nullcontext() if limits == "upload" else limiting.lifted():
        return _read(path_or_bytes, filename, name, kind, header, ReadingOptions(samples, label, missing, sample_names))


def _read(
    source: sources.Source,
    filename: str | None,
    name: str | None,
    kind: Literal["table", "covariance"] | None,
    header: bool | None,
    options: ReadingOptions,
) -> Dataset:
    label, files = sources.opened(source, filename)
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
        content = apart.parse(files, options, header)
        content = _handle_missing(content, options)
        _check(content, kind)
        drawn_as = _kind(content, kind)
        if kind is None and drawn_as == "table" and content.labels is None:
            content = replace(content, notes=(*content.notes, *_not_a_covariance(content.X)))
        if drawn_as == "covariance":  # its rows are features
            content = replace(content, sample_names=(), name_columns=())
    except (MissingValues, SeveralClasses) as error:
        raise error.named(label) from error
    except ReadingStopped:
        raise
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
        i, j = (int(at) for at in np.unravel_index(np.argmax(np.isnan(X)), X.shape))
        raise counted(X, f"row {i + 1:,}, column {j + 1:,} ({content.feature_names[j][:60]!r})")
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
    limiting.check_entries(rows, columns)
    progress.report_or_stop(1, 3, CHECKING)
    _check_values(content, ~np.isfinite(X), "is not finite", "Fill it in or remove that row or column.")
    progress.report_or_stop(2, 3, CHECKING)
    too_large = np.abs(X) > limiting.MAX_MAGNITUDE
    _check_values(content, too_large, f"is beyond ±{limiting.MAX_MAGNITUDE:g}", "Rescale that column.")
    if kind != "covariance" and not np.ptp(X, axis=0).any():
        raise DataError(
            f"all {rows:,} rows are equal, so nothing varies and there is nothing to explain. "
            "Check that samples are in rows and that the right numbers were saved."
        )


def _check_sparse(content: Content) -> None:
    """The same for the stored numbers of a sparse array."""
    stored, (rows, columns) = content.X.data, content.X.shape
    bad = ~np.isfinite(stored) | (np.abs(stored) > limiting.MAX_MAGNITUDE)
    if bad.any():
        at = int(np.argmax(bad))
        raise DataError(
            f"the value {stored[at]:g} in column {int(content.X.indices[at]) + 1:,} is not finite, or beyond "
            f"±{limiting.MAX_MAGNITUDE:g} ({int(bad.sum()):,} such values in all). Leave it out or rescale."
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
        if _objection(content.X) is not None:
            raise DataError(
                f"a covariance is asked for, but the {content.X.shape[0]:,} × "
                f"{content.X.shape[1]:,} matrix is not square and symmetric with a diagonal that "
                "dominates. Check the matrix, or read it as samples."
            )
        return "covariance"
    if content.image_shape is not None:
        return "images"
    return "covariance" if given is None and content.labels is None and _objection(content.X) is None else "table"


def _not_a_covariance(A: object) -> tuple[str, ...]:
    """Return the reason why a square symmetric table is read as samples; an empty result for any other table."""
    why = _objection(A)
    if not why or len(A) < 3:  # type: ignore[arg-type]
        return ()
    return (f"It is square and symmetric, but no covariance: {why}. So each row is read as a sample.",)


def _objection(A: object) -> str | None:
    """Return the entry that no covariance can have; None if there is none, "" if A is not square and symmetric.

    A covariance has no negative variance, and no 2×2 minor below zero.

    >>> _objection(np.eye(2)), _objection(np.zeros((2, 2))), _objection(np.array([[1.0, 3.0], [3.0, 1.0]]))
    (None, '', 'the number in row 1, column 2 is larger than its diagonal allows')
    """
    if not isinstance(A, np.ndarray) or A.shape[0] != A.shape[1] or not np.any(A):
        return ""
    scale, diagonal = np.abs(A).max(), np.diag(A)
    if not np.abs(A - A.T).max() <= SYMMETRY_TOLERANCE * scale:
        return ""
    if diagonal.min() < 0:
        return f"the number in row {int(np.argmin(diagonal)) + 1:,} of its diagonal is negative"
    spread = np.sqrt(diagonal / scale)
    sizes, most = np.abs(A) / scale, np.outer(spread, spread)
    if np.all(sizes <= most + SYMMETRY_TOLERANCE):
        return None
    i, j = np.unravel_index(np.argmax(sizes - most), A.shape)
    return f"the number in row {i + 1:,}, column {j + 1:,} is larger than its diagonal allows"
