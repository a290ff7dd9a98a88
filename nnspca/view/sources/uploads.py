"""Files of a visitor's own: read as a job, kept for one visit within a limit, and the code that reads them."""

from __future__ import annotations

import gc
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import streamlit as st

import nnspca
from nnspca.datasets import Dataset, Inspection
from nnspca.datasets.catalogue import recognised
from nnspca.datasets.cells import Missing
from nnspca.errors import DataError
from nnspca.result import Progress
from nnspca.view import cache, sanitize, session
from nnspca.view.cache import nbytes
from nnspca.view.jobs import Job, Work
from nnspca.view.link import state
from nnspca.view.link.state import STANDARDISED, State
from nnspca.view.sources import catalogue, preparation, sandbox
from nnspca.view.sources.preparation import Preparation
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
    ahead = preparer()
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


OWN, ALL = 400 * 2**20, 1024 * 2**20  # bytes of files that one visit keeps, and all visits together


def keep(data: Dataset, *, repair: bool = False) -> nnspca.Covariance:
    """Keep a data set for this session, once its covariance is known to be one; return that.

    With ``repair``, a matrix that is none stands for the nearest one from here on.

    Raises nnspca.DataError: when no page could use it: an indefinite matrix, or numbers too small or too large to
    square.
    """
    room = _make_room(data)
    cov = preparation.covariance_for(data, standardise=False, repair=repair)
    mended = session.current().repaired
    (mended.add if repair else mended.discard)(data.content_hash)
    for name in room:
        del catalogue.uploaded()[name]
    catalogue.uploaded()[data.name] = data
    _brought().add(data)
    return cov


@st.cache_resource(show_spinner=False)
def _brought() -> weakref.WeakSet[Dataset]:
    """Return the data sets that visitors have brought and that are still held for any of them."""
    return weakref.WeakSet()


def _make_room(data: Dataset) -> list[str]:
    """Return which of this visit's data sets go for this one, the oldest first; refuse it where others fill all."""
    own = {name: nbytes(other) for name, other in catalogue.uploaded().items() if name != data.name}
    away = []
    while own and sum(own.values()) + nbytes(data) > OWN:
        away.append(next(iter(own)))
        del own[away[-1]]
    others = _others()
    if others + sum(own.values()) + nbytes(data) > ALL:
        gc.collect()  # sessions that have ended lie in cycles
        others = _others()
    if others + sum(own.values()) + nbytes(data) > ALL:
        raise nnspca.DataError(
            f"visitors' files take {others >> 20:,} MB of this server's memory already, and at most "
            f"{ALL >> 20:,} MB are kept: try again later, or upload fewer rows or columns"
        )
    session.current().put_away = [*(n for n in evicted() if n not in (data.name, *away)), *away]
    return away


def _others() -> int:
    return sum(nbytes(other) for other in _brought() if other not in catalogue.uploaded().values())


def evicted() -> list[str]:
    """Return the data sets of this visit that went to make room for later ones."""
    return list(session.current().put_away)


def preparer() -> Callable[[Dataset], None]:
    """Return what a run can call to prepare data as they are, so that the page finds them prepared."""
    shared = cache.shared()
    return lambda data: Preparation(data, held=shared).make(lambda share, doing: None, lambda: False)


def note(data: Dataset, seen: Inspection) -> None:
    """Keep what was noticed in a file: whether it opens standardised, and what its pages warn of."""
    here = session.current()
    (here.mixed.add if seen.standardise else here.mixed.discard)(data.name)
    here.inspected[data.name] = seen


def warn(now: State) -> None:
    """Warn if one column of the visitor's own table holds nearly all the variance, until it is changed or accepted."""
    seen, accepted = session.current().inspected.get(now.data), session.current().accepted
    if seen is None or now.standardise or now.prep or now.data in accepted or now.data not in catalogue.uploaded():
        return
    dominant = seen.note("dominant")
    if dominant is None:
        return
    with st.container(border=True, key="caution"):
        st.warning(
            f"{sanitize.plain(dominant.says)} A component then only shows which column has the largest unit.",
            icon=":material/scale:",
        )
        with st.container(horizontal=True):
            st.button(
                "Standardise",
                key="caution-standardise",
                on_click=state.assign,
                kwargs={"scale": STANDARDISED},
                icon=":material/balance:",
            )
            st.button("Keep it as it is", key="caution-keep", on_click=accepted.add, args=(now.data,))
