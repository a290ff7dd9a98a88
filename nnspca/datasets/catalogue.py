"""The catalogue of data sets: what is said of each stands in catalogue.toml, how it is made or obtained here."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from nnspca.control.arguments import check_callables, check_flag
from nnspca.datasets import fetch, originals
from nnspca.datasets.dataset import Content, Dataset, DatasetInfo
from nnspca.datasets.notes import decision
from nnspca.errors import DataError, ReadingStopped

Tell = fetch.OnProgress | None
Stop = fetch.ShouldStop | None
_SPIKED = originals.spiked()  # 300 × 120 numbers: made in a millisecond
_SAID = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_SAID["synthetic-spiked"]["description"] = _SPIKED.description
STORED = {name for name, said in _SAID.items() if said.pop("stored", True)}  # those of which the app's ledger has all


@dataclass(frozen=True)
class Entry:
    """How a data set is made."""

    make: Callable[[bool, Tell, Stop], tuple[Content, str]]  # with negatives or not; gives its content and source
    parse: Callable[[bytes], Content] | None = None
    file: fetch.RemoteFile | None = None
    has_negatives: bool = False
    is_local: Callable[[], bool] | None = None  # None for bundled data
    names: fetch.RemoteFile | None = None  # the file that gives its features better names


def _cbcl(_: bool, tell: Tell, should_stop: Stop) -> tuple[Content, str]:
    data, source = fetch.obtain(originals.CBCL, tell, should_stop)
    return originals.cbcl_faces(data), source


def _leukemia(_: bool, tell: Tell, should_stop: Stop) -> tuple[Content, str]:
    """Fetch both files if they are missing, in one go; the symbols are optional."""
    files = [originals.MLL] if fetch.is_local(originals.MLL) else [originals.SYMBOLS, originals.MLL]
    whole, before = sum(file.size for file in files), 0
    for file in files:
        report = None if tell is None else partial(lambda before, done, _: tell(before + done, whole), before)
        try:
            data, source = fetch.obtain(file, report, should_stop)
        except DataError as error:  # the probes' own names serve; the catalogue still offers the symbols
            if file is originals.MLL or isinstance(error, ReadingStopped):
                raise
        before += file.size
    return originals.leukemia(data), source


_OTHERS = {  # than those that one function of ``originals`` makes, which catalogue.toml names
    "lfw-faces": Entry(lambda both, *_: (originals.lfw_faces(both), "bundled with scikit-image"), has_negatives=True),
    "cbcl-faces": Entry(_cbcl, originals.cbcl_faces, originals.CBCL, is_local=lambda: fetch.is_local(originals.CBCL)),
    "cbcl-faces-raw": Entry(
        lambda both, *_: originals.cbcl_faces_raw(both),
        has_negatives=True,
        is_local=lambda: originals.cbcl_archive() is not None,
    ),
    "lrs": Entry(
        lambda *_: (originals.lrs(fetch.unpack(originals.SPECTROMETER)), "spectrometer.arff, bundled with nnspca"),
        originals.lrs,
        originals.SPECTROMETER,
    ),
    "leukemia": Entry(
        _leukemia,
        originals.leukemia,
        originals.MLL,
        is_local=lambda: fetch.is_local(originals.MLL),
        names=originals.SYMBOLS,
    ),
    "synthetic-spiked": Entry(lambda *_: (_SPIKED, _SPIKED.source)),
}


def _made(function: str, source: str) -> Entry:
    return Entry(lambda *_: (getattr(originals, function)(), source))


ENTRIES = {name: _OTHERS.get(name) or _made(said.pop("made"), said.pop("source")) for name, said in _SAID.items()}


def _line(name: str) -> DatasetInfo:
    """The current line of the catalogue about a data set."""
    said, entry = _SAID[name], ENTRIES[name]
    fetched = entry.is_local is not None
    files = [file for file in (entry.file, entry.names) if file and fetched]
    return DatasetInfo(
        name=name,
        **{**said, "shape": tuple(said["shape"])},
        bundled=not fetched,
        local=entry.is_local is None or entry.is_local(),
        download_url=files[0].url if files else "",
        size_bytes=sum(file.size for file in files),
        names_bytes=entry.names.size if entry.names and not fetch.is_local(entry.names) else 0,
    )


def _dressed(name: str, content: Content, source: str) -> Dataset:
    """Join a content with its story."""
    story = {key: value for key, value in _SAID[name].items() if key not in ("shape", "homepage")}
    return Dataset.dress(content, name=name, source=source, **story)


def available() -> tuple[DatasetInfo, ...]:
    """List the data sets in menu order; checks the disk for fetched ones, and never uses the network.

    Examples
    --------
    >>> [info.shape for info in available() if info.name == "digits"]
    [(1797, 64)]
    """
    return tuple(map(_line, ENTRIES))


def load(
    name: str,
    *,
    with_negatives: bool = False,
    on_progress: fetch.OnProgress | None = None,
    should_stop: fetch.ShouldStop | None = None,
) -> Dataset:
    """Load a data set by name, fetching it once if it is not on this machine.

    Fetched files are looked for in the folder named by ``NNSPCA_DATA``, then in the cache
    (``NNSPCA_CACHE`` or the user's own), then at their pinned address. Their checksums are verified before use.

    Parameters
    ----------
    name : str
        A name of :func:`available`.
    with_negatives : bool
        Add the images that are no faces, with labels: ``lfw-faces`` and ``cbcl-faces-raw`` only.
    on_progress : callable, optional
        Called as ``on_progress(done, total)`` in bytes while downloading; ``total`` may be None.
    should_stop : callable, optional
        Asked about every 50 ms while downloading; a true answer ends the call with
        :class:`ReadingStopped`.

    Returns
    -------
    Dataset
        Samples in rows, float64, read-only.

    Raises
    ------
    ValueError
        When the name is unknown, or ``with_negatives`` asks for images that do not exist.
    TypeError
        When ``on_progress`` or ``should_stop`` is no function.
    nnspca.DataError
        When the data cannot be had; the message says what happened and how to supply the file by hand.

    Examples
    --------
    >>> ds = load("digits")
    >>> ds.shape, ds.image_shape, ds.source
    ((1797, 64), (8, 8), 'bundled with scikit-learn')
    """
    if not isinstance(name, str) or name not in ENTRIES:
        raise ValueError(f"no data set is called {name!r:.60}; there are: {', '.join(ENTRIES)}")
    check_flag("with_negatives", with_negatives)
    check_callables(on_progress=on_progress, should_stop=should_stop)
    entry = ENTRIES[name]
    if with_negatives and not entry.has_negatives:
        having = ", ".join(name for name, entry in ENTRIES.items() if entry.has_negatives)
        raise ValueError(f"{name!r} has no images beside its own; with_negatives=True works for: {having}")
    return _dressed(name, *entry.make(with_negatives, on_progress, should_stop))


def catalogue_name(data: bytes) -> str | None:
    """Return the name of the catalogued data set whose file this is, byte for byte, if there is one."""
    return next((n for n, e in ENTRIES.items() if e.file and e.parse and e.file.is_content(data)), None)


def catalogue_dataset(data: bytes, name: str | None = None) -> Dataset | None:
    """Return the catalogued data set of this file, if there is one; under another ``name`` the note gives both."""
    entry = ENTRIES.get(found := catalogue_name(data) or "")
    if entry is None or entry.file is None or entry.parse is None:
        return None
    known = _dressed(found, entry.parse(data), entry.file.name)
    if name is None:
        return known
    note = f"Byte for byte the file of “{known.title}” in the catalogue, and read as that."
    return replace(known, name=name, title=name, notes=(*known.notes, decision(note)))
