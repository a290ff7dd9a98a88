"""Reads a person's files: a format by its ending, what is missing as chosen, and a preview of what was understood."""

from __future__ import annotations

import csv
import io
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from nnspca.control.arguments import check_choice, check_flag, check_instance, check_several, check_whole, shown
from nnspca.datasets import arrays, catalogue, cells, preparing
from nnspca.datasets.cells import MISSING, Grid, Missing, ReadingOptions, Role
from nnspca.datasets.dataset import Content, Dataset, Kind
from nnspca.datasets.images import SUFFIXES as IMAGES
from nnspca.datasets.images import members, no_images, of_images
from nnspca.datasets.tables import arrange, nothing, objection
from nnspca.errors import DataError, needed, reason

MAX_MAGNITUDE = 1e100  # of a number; squares and their sums must stay far from overflow
LONGEST = 100  # characters of a label
ROWS, COLUMNS, NAMES = 20, 100, 1000  # of a preview: cells, and columns of which it has the names
Path_ = str | os.PathLike[str]
Source = Path_ | bytes | bytearray | memoryview | Mapping[str, bytes] | Iterable[Path_]


class MissingValues(DataError):
    """Values are missing, and the call does not say how to handle them.

    Attributes
    ----------
    found : str
        What is missing and where, without what a program can do about it.
    count : int
        How many values are missing.
    rows, features : int
        In how many samples, and in how many features.
    shape : (int, int)
        All samples and features.

    Examples
    --------
    >>> import nnspca
    >>> try:
    ...     nnspca.datasets.read(b"a,b\\n1,2\\n3,\\n5,6\\n", "table.csv")
    ... except nnspca.datasets.MissingValues as error:
    ...     print(error.count, "of", error.shape)
    1 of (3, 2)
    """

    def __init__(self, found: str, count: int, rows: int, features: int, shape: tuple[int, int]):
        super().__init__(
            f"{found} Fill them in or remove those rows or columns; or missing='drop rows', missing='drop features' or "
            "missing='mean' does it."
        )
        self.found, self.count, self.rows, self.features, self.shape = found, count, rows, features, shape


@dataclass(frozen=True, eq=False)
class FilePreview:
    """What was understood of a file, to be shown before it is used: what :func:`preview` returns.

    Attributes
    ----------
    shape : (int, int)
        Rows and columns below the header, as they stand in the file.
    names : tuple of str
        Of the columns, at most the first thousand.
    roles : tuple of str
        What becomes of each: ``"feature"``, ``"name"``, ``"class"``, ``"left out"``, or ``"sample"`` where samples are
        columns. Empty where a problem came before.
    rows : tuple of tuple of str
        At most the first twenty, and of each the first hundred cells.
    decided : dict
        Arguments of :func:`read` and what was found for each by looking, or given.
    sheets : tuple of str
        Of a workbook.
    notes : tuple of str
        A sentence on each decision.
    problem : str
        Why the file cannot be read so; empty where it can, or where only values are missing.
    data : Dataset or None
        What :func:`read` returns.
    error : DataError or None
        What it raises instead: :class:`MissingValues` where values are missing.

    Examples
    --------
    >>> import nnspca
    >>> nnspca.datasets.preview(b"a,b\\n1 cm,2 cm\\n", "table.csv").problem[:39]
    "'table.csv': no column of numbers among"
    """

    shape: tuple[int, int] = (0, 0)
    names: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    decided: dict[str, Any] = field(default_factory=dict)
    sheets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str = ""
    data: Dataset | None = None
    error: DataError | None = None


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
    columns: Mapping[str, Role] | None = None,
    missing: Missing = "refuse",
    missing_codes: Sequence[float | str] | None = None,
    keep_totals: bool = False,
    image_size: tuple[int, int] | None = None,
) -> Dataset:
    """Read a data set from a file, from several that belong together, or from uploaded bytes.

    Tables: CSV and other text (.csv, .tsv, .txt, .tab, .dat, .data, .asc, .prn; gzipped, too), Excel and LibreOffice
    (.xlsx, .xlsm, .xls, .xlsb, .ods), Parquet, Feather, Stata (.dta), SAS (.xpt, .sas7bdat), SPSS (.sav, with
    pyreadstat) and ARFF. Arrays: NPY, NPZ (of scipy.sparse too), MAT (v5 to v7), MatrixMarket (.mtx, gzipped or not,
    with 10x's files of names beside it), AnnData (.h5ad), and images, alone or in a ZIP or TAR(.gz). Sparse
    arrays stay sparse.

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
    columns : mapping of str to {"feature", "name", "class", "left out"}, optional
        For tables: what becomes of columns, by name (``""`` is a column without one); others as found by looking. Of a
        feature, words are missing values.
    missing : {"refuse", "drop rows", "drop features", "mean"}
        What becomes of missing values: an error that counts them, samples or features left out that have some, or the
        mean of the feature in their place. A word in a column of numbers, or a limit of detection such as "<0.3", is
        a missing value.
    missing_codes : sequence of float or str, optional
        Numbers and words that stand for a missing value in every column; ``()`` for none. By default −9, −99, 999 and
        the like, where the other values of a column are far away.
    keep_totals : bool
        Whether rows called total, sum, mean or average are samples.
    image_size : (int, int), optional
        Height and width in pixels that images of other sizes are resized to; by default those of most of them.

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
    chosen = {key: value for key, value in locals().items() if key not in ("path_or_bytes", "filename", "name")}
    if name is not None:
        check_instance("name", name, str, "what to call the data set")
    options = _checked(**chosen)
    called, files = _opened(path_or_bytes, filename)
    return _recognised(files, name) or _dataset(called, files, name, options, [], [])


def preview(path_or_bytes: Source, filename: str | None = None, **options: Any) -> FilePreview:
    """Show how a file is understood: its first rows, what becomes of each column, and every decision.

    Parameters
    ----------
    path_or_bytes, filename, **options
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
    chosen = _checked(**options)
    label, files = _opened(path_or_bytes, filename)
    held: list[Grid] = []
    parsed: list[Content] = []
    data: Dataset | None = None
    error: DataError | None = None
    decided: dict[str, Any] = {}
    try:
        data = _recognised(files, name) or _dataset(label, files, name, chosen, held, parsed)
    except DataError as raised:
        error = raised
    content = next(iter(parsed), None)
    problem = "" if isinstance(error, MissingValues) or error is None else str(error)
    if content is not None:
        with suppress(DataError):
            covariance = _kind(content, chosen.kind) == "covariance"
            decided = {"samples": chosen.samples or "rows", "kind": "covariance" if covariance else "table"}
    if not held:
        if content is None:
            return FilePreview(problem=problem, data=data, error=error)
        few = content.X[:ROWS, :COLUMNS]
        values = (few if isinstance(few, np.ndarray) else few.toarray()).tolist()
        names = content.feature_names[:COLUMNS]
        rows = tuple(tuple(map(cells.text_of, row)) for row in values)
        roles: tuple[str, ...] = ("feature",) * len(names)
        return FilePreview(content.X.shape, names, roles, rows, decided, (), content.notes, problem, data, error)
    grid, names = held[0], tuple(held[0].names[:NAMES])
    roles = () if content is None else tuple(grid.taken.get(name, "left out") for name in names)
    some = grid.frame.iloc[:ROWS, :COLUMNS].astype(object)
    rows = tuple(tuple(map(cells.text_of, row)) for row in some.where(some.notna(), None).to_numpy().tolist())
    said = content.notes if content is not None else tuple(grid.notes)
    decided |= grid.decided
    return FilePreview(grid.frame.shape, names, roles, rows, decided, grid.sheets, said, problem, data, error)


def names_in(data: bytes) -> dict[str, str]:
    """New names by old ones, of a file of two columns parted by tabs, commas or semicolons; DataError if it is none.

    >>> names_in(b"X95735_at\\tZYX\\nM55150_at\\tFAH")
    {'X95735_at': 'ZYX', 'M55150_at': 'FAH'}
    """
    text = data.decode("utf-8-sig", "replace")
    first = next((line for line in text.splitlines() if line.strip()), "")
    mapping: dict[str, str] = {}
    delimiter = max("\t,;", key=first[:10_000].count)
    try:
        for number, row in enumerate(csv.reader(io.StringIO(text), delimiter=delimiter), start=1):
            pair = [cell.strip() for cell in row]
            if any(pair) and len(pair) != 2:
                raise DataError(
                    f"row {number:,} of the file of names has {len(pair):,} cell(s); two are needed: the name in the "
                    "data and what to call it."
                )
            old, new = pair if any(pair) else ("", "")
            if old and new and mapping.setdefault(old, new) != new:
                raise DataError(f"row {number:,} calls {old!r:.60} {new!r:.60}, and a row before {mapping[old]!r:.60}.")
    except csv.Error as error:
        raise DataError(f"the file of names cannot be read{reason(error)}.") from error
    if not mapping:
        raise DataError("the file of names is empty: each row needs a name in the data and what to call it.")
    return mapping


def _checked(**given: Any) -> ReadingOptions:
    """The options of a call; ValueError or TypeError for any that is none."""
    options = ReadingOptions(**given)
    check_choice("samples", options.samples, ("rows", "columns"), none=True)
    check_choice("kind", options.kind, ("table", "covariance"), none=True)
    check_choice("missing", options.missing, MISSING)
    check_choice("decimal", options.decimal, (".", ","), none=True)
    check_flag("keep_totals", options.keep_totals)
    if options.header is not None and not isinstance(options.header, bool):
        check_whole("header", options.header, 0, more="or True or False")
    if options.missing_codes is not None:
        check_several("missing_codes", options.missing_codes, "several", "numbers or words, or () for none")
    if options.image_size is not None:
        sides = check_several("image_size", options.image_size, "two", "whole numbers: height and width")
        if len(sides) != 2:
            raise ValueError(f"image_size={shown(options.image_size)} is not allowed; give height and width")
        size = check_whole("image_size", sides[0], 1, 10_000), check_whole("image_size", sides[1], 1, 10_000)
        options = replace(options, image_size=size)
    if options.sheet is not None and not isinstance(options.sheet, int):
        check_instance("sheet", options.sheet, str, "its name, or its place from 0 on")
    named = (
        ("label", "a column's name, or '' for none"),
        ("sample_names", "a column's name, or '' for none"),
        ("delimiter", "one character"),
        ("encoding", "a name such as utf-8"),
    )
    for key, what in named:
        if (value := getattr(options, key)) is not None:
            check_instance(key, value, str, what)
    if options.delimiter is not None and len(options.delimiter) != 1:
        raise ValueError(f"delimiter={options.delimiter!r:.40} is not allowed; give one character")
    check_instance("columns", roles := options.columns or {}, Mapping, "what becomes of columns, by name")
    for column, role in roles.items():
        check_choice(f"columns[{column!r:.40}]", role, get_args(Role))
    for key, role in (("label", "class"), ("sample_names", "name")):
        if len(chosen := [name for name, one in roles.items() if one == role]) > 1:
            raise ValueError(f"columns={shown(roles)} is not allowed; give one column at most as {role!r}")
        if any(chosen):  # a column without a name is told by its role alone
            options = replace(options, **{key: chosen[0]})  # type: ignore[arg-type]
    return replace(options, columns=dict(roles), header=None if options.header is None else int(options.header))


def _recognised(files: Mapping[str, bytes], name: str | None) -> Dataset | None:
    """The data set of the catalogue that the one file is."""
    return catalogue.recognise(next(iter(files.values())), name) if len(files) == 1 else None


def _dataset(
    label: str,
    files: dict[str, bytes],
    name: str | None,
    options: ReadingOptions,
    held: list[Grid],
    parsed: list[Content],
) -> Dataset:
    """Read what was opened; the grid of a table is added to ``held``, what was understood to ``parsed``."""
    try:
        files, names = _part_names(files)
        only = len(files) == 1  # a file of names may lie beside it
        label = next((n for n in files if only or n.lower().endswith(MATRICES)), label)
        parsed.append(_parsed(files, options, held))
        content = _handle_missing(parsed[0], options)
        _check(content, options.kind)
        drawn_as = _kind(content, options.kind)
        if options.kind is None and content.labels is None:
            content = replace(content, notes=(*content.notes, *_said_of_squares(content.X, drawn_as)))
        if drawn_as == "covariance":  # its rows are features
            content = replace(content, sample_names=(), name_columns=())
    except MissingValues as error:
        known = error.count, error.rows, error.features, error.shape
        raise MissingValues(f"{label!r}: {error.found}", *known) from error
    except DataError as error:
        alike = len(files) > 1 and label.lower().endswith(IMAGES)  # dropped together: the first is not at fault
        whose = f"of {len(files):,} files" if alike else repr(label)
        lines = held[0].beginning if held else ""  # of a table, as they were understood
        raise DataError(f"{whose}: {error}" if lines in str(error) else f"{whose}: {error} {lines}") from error
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
    return preparing.numbered(preparing.renamed(dataset, names) if names else dataset)


# Which files, and what each of them is


def _opened(source: Source, filename: object) -> tuple[str, dict[str, bytes]]:
    """The label, and name and content of each file that belongs to it: several for a folder or a list."""
    if isinstance(filename, os.PathLike):
        filename = os.fspath(filename)
    if filename is not None and not isinstance(filename, str):
        raise TypeError(f"filename={shown(filename)} is not allowed; give the name of the file as a text")
    if isinstance(source, bytes | bytearray | memoryview):
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
    """Return the last part of a file's name, printable and short; never a path."""
    last = re.split(r"[/\\\\]", filename.strip())[-1]
    printable = "".join(c if c.isprintable() else "_" for c in last)
    return printable[-LONGEST:] or "upload"


def suffix(label: str) -> str:
    """Return the format's full ending; empty if it is not a known one."""
    return next((label[-len(s) :] for s in sorted(SUFFIXES, key=len, reverse=True) if label.lower().endswith(s)), "")


def _part_names(files: Mapping[str, bytes]) -> tuple[dict[str, bytes], dict[str, str]]:
    """Separate a file of two columns, which names the features, from the one data file."""
    texts = [name for name in files if name.lower().endswith((".csv", ".tsv", ".txt"))]
    if len(files) == 2 and texts and not any(name.lower().endswith((*MATRICES, *IMAGES)) for name in files):
        for name in sorted(texts, key=lambda name: len(files[name])):
            try:
                names = names_in(files[name])
            except DataError:
                continue
            return {other: content for other, content in files.items() if other != name}, names
    return dict(files), {}


def _parsed(files: Mapping[str, bytes], options: ReadingOptions, held: list[Grid]) -> Content:
    """Read one file, or several that form one data set; the grid of a table is added to ``held``."""
    label, data = next(iter(files.items()))
    what = suffix(label).lower() if len(files) == 1 else "several files"
    with _damaged(what):
        if len(files) > 1:
            return _together(files, options)
        if not what:
            raise _refused(label)
        if not data:
            raise DataError("the file is empty.")
        if what not in TABLES:
            return READERS[what](data, options)
        held.append(TABLES[what](data, options))
        return arrange(held[0], options)


@contextmanager
def _damaged(what: str) -> Iterator[None]:
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


def _together(files: Mapping[str, bytes], options: ReadingOptions) -> Content:
    """Read several files that form one data set: images of one size, or a matrix with its names."""
    matrices = [name for name in files if name.lower().endswith(MATRICES)]
    if len(matrices) == 1:
        others = {name: content for name, content in files.items() if name != matrices[0]}
        if strange := [name for name in others if not arrays.is_beside(name)]:
            raise DataError(f"{strange[0]!r} beside the matrix is neither genes.tsv, features.tsv nor barcodes.tsv.")
        return arrays.read_market(files[matrices[0]], options, others)
    if all(name.lower().endswith(IMAGES) for name in files):
        return of_images(files.items(), Counter(), options)
    listed = ", ".join(repr(name[-40:]) for name in list(files)[:5])
    raise DataError(
        f"{len(files)} files came together ({listed}); several are read as one only where they are images, "
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
    return of_images(images.items(), seen, options)


def _refused(label: str) -> DataError:
    if label.lower().endswith(IMAGES):
        return DataError(
            "this is one image, and that is one sample: drop several of the same size together, or pack them in a ZIP."
        )
    _, dot, ending = label.rpartition(".")
    problem = f"ends in {dot + ending!r}" if dot else "has no ending"
    return DataError(f"the name {problem}; files ending in {', '.join(SUFFIXES)} are read. Save it as one of these.")


# What is missing, and what cannot be used


def _handle_missing(content: Content, options: ReadingOptions) -> Content:
    X, choice = content.X, options.missing
    if not isinstance(X, np.ndarray) or X.ndim != 2:
        return content
    missing = np.asarray(np.isnan(X))
    if not missing.any():
        return content
    if missing.all():
        raise nothing(X.shape)
    count = int(missing.sum())
    rows, features = (~np.asarray(missing.any(axis=axis)) for axis in (1, 0))
    if choice == "refuse":
        i, j = (int(at) for at in np.unravel_index(missing.argmax(), X.shape))
        gone, what = int((~rows).sum()), "samples" if options.samples == "columns" else "rows"
        found = (
            f"{count:,} {'value is' if count == 1 else 'values are'} missing in {gone:,} of {len(X):,} {what} "
            f"(first at row {i + 1:,}, in {content.feature_names[j][:60]!r})."
        )
        found = " ".join([found, *(note for note in content.notes if "read as missing" in note)])
        raise MissingValues(found, count, gone, int((~features).sum()), X.shape)
    note = f"{count:,} missing value{'' if count == 1 else 's'}"
    if choice == "mean":
        empty = np.asarray(missing.all(axis=0))
        if empty.any():
            raise DataError(
                f"{int(empty.sum()):,} of {len(empty):,} features {'has' if empty.sum() == 1 else 'have'} no value at "
                f"all, so no mean either (the first is {content.feature_names[int(empty.argmax())]!r:.60}). Leave out "
                "the features with missing values, or remove these."
            )
        X = np.where(missing, np.nanmean(X, axis=0), X)
        return replace(content, X=X, notes=(*content.notes, f"{note}: filled with the mean of the feature."))
    by_rows = choice == "drop rows"
    retained, what = (rows, "samples") if by_rows else (features, "features")
    gone, left = int((~retained).sum()), int(retained.sum())
    if left < (2 if by_rows else 1):
        raise DataError(
            f"{note} in {gone:,} of {len(retained):,} {what}: without these {what}, {left} would be left. Choose "
            "another way to deal with missing values."
        )
    note += f": left out the {gone:,} of {len(retained):,} {what} that {'has' if gone == 1 else 'have'} one."
    places = np.flatnonzero(retained)
    if not by_rows:
        names = tuple(content.feature_names[j] for j in places)
        return replace(content, X=X[:, places], feature_names=names, image_shape=None, notes=(*content.notes, note))
    return replace(
        content,
        X=X[places],
        labels=None if content.labels is None else content.labels[places],
        sample_names=tuple(content.sample_names[i] for i in places) if content.sample_names else (),
        notes=(*content.notes, note),
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


def _said_of_squares(A: Any, drawn_as: Kind) -> tuple[str, ...]:
    """Return why a square symmetric table is read as samples, or that it is read as a covariance."""
    if drawn_as == "covariance":
        return ("It is square and symmetric, and read as a covariance: kind='table' reads it as any other table.",)
    why = objection(A) if drawn_as == "table" else ""
    if not why or len(A) < 3:
        return ()
    return (f"It is square and symmetric, but no covariance: {why}. So each row is read as a sample.",)


# The formats


def _by_pandas(function: str, package: str = "pandas", **how: Any) -> Callable[[bytes, ReadingOptions], Grid]:
    """A reader of tables that is pandas' own function of that name, through that package."""

    def read_table(data: bytes, _: ReadingOptions) -> Grid:
        needed(package, f"{function.removeprefix('read_').title()} files")
        return cells.of_frame(getattr(needed("pandas", "tables"), function)(io.BytesIO(data), **how))

    return read_table


def _spss(data: bytes, _: ReadingOptions) -> Grid:
    needed("pyreadstat", "SPSS files")
    read = needed("pandas", "tables").read_spss  # which takes paths only
    if hasattr(os, "memfd_create"):  # a file in memory, as the app's reader may write none
        with open(os.memfd_create("table.sav"), "wb") as file:
            file.write(data)
            file.flush()
            return cells.of_frame(read(f"/proc/self/fd/{file.fileno()}"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.sav")
        path.write_bytes(data)
        return cells.of_frame(read(path))


MATRICES, TEXTS = (".mtx", ".mtx.gz"), (".csv", ".txt", ".dat", ".data", ".asc", ".prn")
TABLES: dict[str, Callable[[bytes, ReadingOptions], Grid]] = {
    **dict.fromkeys(TEXTS, cells.read_text),
    **dict.fromkeys(
        (f"{ending}.gz" for ending in (*TEXTS, ".tsv")),
        lambda data, options: cells.read_text(arrays.plain(data), options),
    ),
    **dict.fromkeys((".tsv", ".tab"), lambda data, options: cells.read_text(data, options, tabs=True)),
    **dict.fromkeys((".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"), cells.read_sheets),
    ".parquet": _by_pandas("read_parquet", "pyarrow", dtype_backend="numpy_nullable"),
    ".feather": _by_pandas("read_feather", "pyarrow", dtype_backend="numpy_nullable"),
    ".dta": _by_pandas("read_stata"),
    ".xpt": _by_pandas("read_sas", format="xport", encoding="utf-8"),
    ".sas7bdat": _by_pandas("read_sas", format="sas7bdat", encoding="infer"),
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
