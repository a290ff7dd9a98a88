"""Entry point of the catalogue: list the data sets, load one by name, recognise one by its file."""

from __future__ import annotations

from dataclasses import replace

from nnspca.control.arguments import check_callables, check_flag
from nnspca.datasets import fetch
from nnspca.datasets.catalogue import ENTRIES, Request
from nnspca.datasets.dataset import Dataset, DatasetInfo


def available() -> tuple[DatasetInfo, ...]:
    """List the data sets in menu order; checks the disk for fetched ones, and never uses the network.

    Examples
    --------
    >>> [info.shape for info in available() if info.name == "digits"]
    [(1797, 64)]
    """
    return tuple(entry.info() for entry in ENTRIES.values())


def load(
    name: str,
    *,
    with_negatives: bool = False,
    on_progress: fetch.OnProgress | None = None,
    should_stop: fetch.ShouldStop | None = None,
) -> Dataset:
    """Load a data set by name, fetching it once if it is not on this machine.

    Fetched files are looked for in the folder named by ``NNSPCA_DATA``, then in the cache
    (``NNSPCA_CACHE`` or the user's own), then at their pinned address (or the same path below
    ``NNSPCA_MIRROR``, an https address or a folder). Their checksums are verified before use.

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
        :class:`DownloadStopped`.

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
        When the data cannot be had; the message says what happened and how to supply the file by
        hand.

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
        having = ", ".join(e.name for e in ENTRIES.values() if e.has_negatives)
        raise ValueError(f"{name!r} has no images beside its own; with_negatives=True works for: {having}")
    content, source = entry.make(Request(with_negatives, on_progress, should_stop))
    return entry.dress(content, source)


def recognised(data: bytes) -> str | None:
    """Return the name of the catalogued data set whose file this is, byte for byte, if there is one."""
    return next((n for n, e in ENTRIES.items() if e.file and e.parse and fetch.is_content(data, e.file)), None)


def recognise(data: bytes, name: str | None = None) -> Dataset | None:
    """Return the catalogued data set of this file, if there is one; under another ``name`` the note gives both."""
    entry = ENTRIES.get(recognised(data) or "")
    if entry is None or entry.file is None or entry.parse is None:
        return None
    known = entry.dress(entry.parse(data), entry.file.name)
    if name is None:
        return known
    note = f"Byte for byte the file of “{entry.title}” in the catalogue, and read as that."
    return replace(known, name=name, title=name, notes=(*known.notes, note))
