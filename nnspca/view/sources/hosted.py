"""Data sets that the server's owner names in NNSPCA_OPEN: opened lazily, read in one or two passes, shared by all."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

import nnspca
from nnspca.covariance.choosing import both_scales
from nnspca.covariance.samples import READ_WHOLE, form_of_rows
from nnspca.covariance.sources import Source, chunked
from nnspca.datasets import Dataset, DatasetInfo, LazyData, open_lazily
from nnspca.datasets.dataset import distinct
from nnspca.datasets.images import SUFFIXES as IMAGES
from nnspca.datasets.lazily import OPENED, files_of, split
from nnspca.errors import DataError
from nnspca.result import Progress, rounded
from nnspca.view.jobs import Job, part_of_report

OPEN = "NNSPCA_OPEN"
MOST_FEATURES = 3000  # features that the app works with, of data that are not small
POLL_SECONDS = 0.05
_log = logging.getLogger(__name__)


def resolve(path: str) -> Path:
    """Return the real path of a named one, links resolved.

    Raises DataError: it, or a link in the folder that it names, leads out of the folder of the path. The message has no
    folder in it.
    """
    file_here, _ = split(Path(os.path.abspath(path)))
    target = Path(os.path.abspath(path)).resolve()
    for real in (target, *_links(file_here.resolve())):
        if not real.is_relative_to(file_here.parent.resolve()):
            raise DataError(f"{file_here.name!r} leads outside its folder: name its real path in {OPEN}.")
    return target


def _links(folder: Path) -> Iterator[Path]:
    """The real paths of the links in a folder."""
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            if os.path.islink(inner := os.path.join(place, name)):
                yield Path(inner).resolve()


@dataclass(frozen=True, eq=False, kw_only=True)
class Summed(Dataset):
    """A covariance formed from a file whose samples are not in memory; ``X`` is A."""

    scales: tuple[nnspca.Covariance, nnspca.Covariance | DataError]  # as the data are, and standardised


class HostedFile:
    """One data set in a file, by the ``name`` that the app gives it; what has a ``path`` goes to the reading desk."""

    def __init__(self, name: str, file: LazyData, path: Path | None = None) -> None:
        m, n = file.shape
        self.name, self.file, self.path = name, file, path
        self.kept = n if n <= MOST_FEATURES or m * n <= READ_WHOLE else MOST_FEATURES  # that the app works with
        self.passes = 1 if self.kept == n else 2  # over the file: 2 where features are chosen by their variance first
        self.in_memory = m * self.kept <= READ_WHOLE  # whether the samples are; of others only the covariance is
        self.data: Dataset | None = None  # what was read
        self._reading = threading.Lock()

    @property
    def info(self) -> DatasetInfo:
        """Its line in the list of data sets."""
        (m, n), data = self.file.shape, self.data
        text = f"{m:,} × {n:,} numbers in a file that this server reads. {self.kept_text}"
        if self.path is not None:
            text = f"A file of {rounded.size(self.file.size_bytes)} that this server reads."
        return DatasetInfo(
            name=self.name,
            title=self.name,
            description=f"{text} {data.description if data is not None else ''}".strip(),
            kind="table",
            shape=(m, self.kept),
            citation="",
            terms="",
            bundled=False,
            local=self.data is not None,
        )

    @property
    def kept_text(self) -> str:
        """What the app keeps of it, and what follows from that."""
        if self.passes == 1 and self.in_memory:
            return "All of them are kept in memory."
        samples = "" if self.in_memory else "Only the covariance is kept in memory, not the samples."
        if self.passes == 1:
            return samples
        chosen = f"the {self.kept:,} features of largest variance, of {self.file.shape[1]:,}: n is {self.kept:,}"
        return f"The app keeps {chosen}, and a certificate says nothing of the other features. {samples}".strip()

    def read(self, job: Job) -> None:
        """Read the file, unless another visit does or has done; ``data`` is set unless the job is stopped."""
        while not self._reading.acquire(timeout=POLL_SECONDS):
            job.report(Progress(0.0, "Waiting for another visit that reads this file"))
            if job.should_stop():
                return
        try:
            with job.uninterruptible():
                self.data = self.data or self._made(job)
        except nnspca.datasets.ReadingStopped:
            pass
        finally:
            self._reading.release()

    def _made(self, job: Job) -> Dataset:
        source, text, features = chunked(self.file), "", np.arange(self.kept)
        assert source is not None  # of a file opened lazily
        source = replace(source, read=_guarded(source.read))
        if self.passes == 2:
            few = nnspca.most_variable(
                source, self.kept, should_stop=job.should_stop, on_progress=self._reporting(job, 0)
            )
            source = few.source
            features = few.features
            text = f"The chosen features have {rounded.percent(few.share, 1)} of the total variance."
        source = replace(source, names=source.names or tuple(f"feature {i + 1}" for i in features))
        source = source.heeding(job.should_stop, self._reporting(job, self.passes - 1))
        if self.in_memory:
            return Dataset(X=form_of_rows(source, False), **self._words(source, text))
        scales = both_scales(source)
        return Summed(X=scales[0].held.entries, kind="covariance", scales=scales, **self._words(source, text))

    def _words(self, source: Source, text: str) -> dict[str, Any]:
        """The fields of a data set that are words."""
        names = {"name": self.name, "title": self.name, "source": self.file.name}
        return {**names, "feature_names": source.names or (), "description": text}

    def _reporting(self, job: Job, number: int) -> Callable[[Progress], None]:
        """Report a pass as a part of all passes."""
        of = f"Pass {number + 1} of {self.passes}: " if self.passes > 1 else ""
        return part_of_report(job.report, number / self.passes, (number + 1) / self.passes, lambda at: f"{of}{at}")

    def code(self, variable: str) -> list[str]:
        """Return the Python that reads these data into ``variable``: a Dataset where they fit into memory."""
        lazy = f"nnspca.datasets.open_lazily({self.file.name!r})"
        note = "  # the path of your file"
        if self.passes == 1:
            return [f"{variable} = {lazy}{'.load()' if self.in_memory else ''}{note}"]
        few = f"nnspca.most_variable({variable}, {self.kept})"
        return [
            f"{variable} = {lazy}{note}",
            f"{variable} = {f'{variable}.load({few}.features)' if self.in_memory else few}",
        ]


def _guarded(chunks: Callable[[], Iterator[Any]]) -> Callable[[], Iterator[Any]]:
    """Give the chunks; the words of another package's error, with paths in them, go to the server's log alone."""

    def read_chunks() -> Iterator[Any]:
        try:
            yield from chunks()
        except (DataError, MemoryError):
            raise
        except Exception as problem:
            _log.exception("a file of %s cannot be read", OPEN)
            raise OSError(f"{type(problem).__name__}; the server's log says more") from None

    return read_chunks


@st.cache_resource(show_spinner=False)
def _listed(paths: str) -> tuple[dict[str, HostedFile], tuple[str, ...]]:
    """Open what the environment names; what cannot be opened is an error in words, and its path goes to the log."""
    files: list[tuple[LazyData, Path | None]] = []
    problems = []
    named = filter(None, map(str.strip, paths.split(os.pathsep)))
    for path in (file for one in named for file in files_of(one)):
        try:
            files.append(_open(resolve(path)))
        except (DataError, OSError) as problem:
            text = str(problem)
            if not isinstance(problem, DataError):
                text = f"one path cannot be read ({type(problem).__name__})."
            _log.warning("%s names %s: %s", OPEN, path, text)
            problems.append(text)
    names = distinct(file.name for file, _ in files)
    made = {name: HostedFile(name, file, path) for name, (file, path) in zip(names, files, strict=True)}
    return made, tuple(problems)


def _open(path: Path) -> tuple[LazyData, Path | None]:
    """Open a file of any size; a table or images go by their path to the reading desk of who asks for them."""
    if split(path)[0].suffix.lower() in OPENED or (
        path.is_dir() and not any(one.name.lower().endswith(IMAGES) for one in path.iterdir())
    ):
        file = open_lazily(path)
        chunked(file)
        return file, None
    if not path.exists():
        raise DataError(f"{path.name!r}: there is no such file or folder.")
    inside = path.iterdir() if path.is_dir() else [path]
    return LazyData(path.name, (0, 1), sum(one.stat().st_size for one in inside), None), path


def datasets() -> dict[str, HostedFile]:
    """Return the data sets that the environment names, by name."""
    return _listed(os.environ.get(OPEN, ""))[0]


def problems() -> tuple[str, ...]:
    """Return what is wrong with those that cannot be opened."""
    return _listed(os.environ.get(OPEN, ""))[1]
