"""Reading of uploaded files: as a job, under a name of their own, and the code that reads them again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import nnspca
from nnspca.datasets import Dataset
from nnspca.datasets.catalogue import recognised
from nnspca.datasets.cells import Missing
from nnspca.errors import DataError
from nnspca.result import Progress
from nnspca.view import session
from nnspca.view.jobs.job import Job, Work
from nnspca.view.sources import sandbox, uploads
from nnspca.view.tasks import Task

ARGUMENTS = ("samples", "label", "missing", "missing_codes", "keep_totals", "sample_names")  # of nnspca.datasets.read
YOURS = "{} (yours)"  # what a file is called that has the name of a data set of the catalogue


class File(Protocol):
    """What Streamlit hands over of a file."""

    name: str
    file_id: str

    def getvalue(self) -> bytes:
        """Return what the file contains."""
        ...


@dataclass(frozen=True)
class Reading:
    """How a file is read."""

    samples: Literal["rows", "columns"] | None = None  # where the samples are; None to decide by looking
    label: str | None = None  # the column of the class; "" for none, None to decide by looking
    missing: Missing = "refuse"  # what becomes of missing values
    names: str = ""  # the file of two columns that names the features; empty for none
    every: bool = False  # whether constant columns, identifiers, dates and copies are kept
    missing_codes: tuple[()] | None = None  # () where numbers such as −99 are kept, None to decide by looking
    keep_totals: bool = False  # whether rows of totals are samples
    sample_names: str | None = None  # the column that names the samples; "" for none, None to decide by looking


@dataclass(frozen=True)
class _Kept:
    """Of a data set that was brought: its files and how they were read."""

    files: tuple[str, ...]
    name: str | None
    reading: Reading
    left_out: tuple[str, ...] = ()


def reading_of(files: Sequence[File], names: File | None, reading: Reading) -> Task:
    """Return the task of reading these files."""
    key = tuple(f.file_id for f in files), names.file_id if names else "", reading
    return Task("read", key, lambda: _work(list(files), names, reading))


def _work(files: list[File], names: File | None, reading: Reading) -> Work:
    """Return the work of reading; a file that cannot be read is an answer too."""
    contents = {file.name: file.getvalue() for file in files}
    mapping = names.getvalue() if names else None
    called = own_name(files[0].name, files[0].getvalue()) if len(files) == 1 else None
    ahead = uploads.preparer()
    twice = [name for name, count in Counter(file.name for file in files).items() if count > 1]

    def work(job: Job) -> Dataset | DataError | None:
        with job.uninterruptible():
            return outcome(job)

    def outcome(job: Job) -> Dataset | DataError | None:
        if twice:
            return DataError(f"of {len(files)} files two are called {twice[0]!r:.100}: rename one of them.")
        options = {"name": called, **{key: getattr(reading, key) for key in ARGUMENTS}}
        try:
            job.report(Progress(0.0, "Reading the file"))
            data = sandbox.read(contents, job.should_stop, **options)
            if mapping is not None:
                data = nnspca.datasets.rename(data, nnspca.datasets.read_names(mapping))
            job.about = inspected = nnspca.datasets.inspect(data)
            if inspected.left_out and not reading.every:
                data = nnspca.datasets.leave_out(data, inspected.left_out)
            remarks = [note.says for note in inspected.notes if note.choice != "leave out" or not reading.every]
            data = replace(data, notes=(*data.notes, *remarks))
            job.report(Progress(1.0, "Preparing the covariance"))
            if not job.should_stop():
                ahead(data)  # here, where Stop is heard meanwhile: the page that draws it next hears nothing
            return None if job.should_stop() else data
        except nnspca.datasets.ReadingStopped:
            return None
        except DataError as problem:
            return problem

    return work


def own_name(filename: str, content: bytes = b"") -> str | None:
    """Return what to call a file that is named like a data set of the catalogue, or is its file; None for any other.

    >>> own_name("lfw-faces.csv"), own_name("genes.csv")
    ('lfw-faces (yours)', None)
    """
    stem = filename.rpartition("/")[2].partition(".")[0]
    if stem in {info.name for info in nnspca.datasets.available()}:
        return YOURS.format(stem)
    return stem if recognised(content) else None


def remember(
    data: Dataset, files: Sequence[File], reading: Reading, names: File | None, left_out: Sequence[str]
) -> None:
    """Remember how a data set was read, for the Python that reads it again."""
    record = _Kept(
        tuple(file.name for file in files),
        own_name(files[0].name, files[0].getvalue()) if len(files) == 1 else None,
        replace(reading, names=names.name if names else ""),
        tuple(left_out),
    )
    session.current().readings[data.name] = record


def code(name: str, variable: str) -> list[str]:
    """Return the Python that reads a file of this session again as ``variable``; empty where it is not known how."""
    record: _Kept | None = session.current().readings.get(name)
    if record is None:
        return []
    source = repr(record.files[0]) if len(record.files) == 1 else repr(list(record.files))
    if len(record.files) > 5:
        source = "'the folder of your files'"
    usual = Reading()
    options: dict[str, Any] = {key: getattr(record.reading, key) for key in ARGUMENTS}
    arguments = [f"{key}={value!r}" for key, value in options.items() if value != getattr(usual, key)]
    arguments += [f"name={record.name!r}"] if record.name else []
    lines = [f"{variable} = nnspca.datasets.read({', '.join([source, *arguments])})  # the path of your file"]
    if record.reading.names:
        names = f"nnspca.datasets.read_names({record.reading.names!r})"
        lines.append(f"{variable} = nnspca.datasets.rename({variable}, {names})")
    if record.left_out:
        lines.append(f"{variable} = nnspca.datasets.leave_out({variable}, {list(record.left_out)!r})")
    return lines
