"""The catalogue of data sets: description, citation, and how each is made or obtained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from nnspca.control.arguments import check_callables, check_flag
from nnspca.datasets import fetch, originals
from nnspca.datasets.dataset import Content, Dataset, DatasetInfo
from nnspca.errors import DataError


@dataclass(frozen=True)
class Request:
    """The arguments of :func:`nnspca.datasets.load` beside the name."""

    with_negatives: bool = False
    on_progress: fetch.OnProgress | None = None
    should_stop: fetch.ShouldStop | None = None


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A data set: its line in the catalogue, and a function that returns its content and source."""

    told: DatasetInfo
    make: Callable[[Request], tuple[Content, str]]
    file: fetch.RemoteFile | None = None
    parse: Callable[[bytes], Content] | None = None
    has_negatives: bool = False
    is_local: Callable[[], bool] | None = None  # None for bundled data
    names: fetch.RemoteFile | None = None  # the file that gives its features better names

    def info(self) -> DatasetInfo:
        """The entry's current line."""
        if self.is_local is None:
            return self.told
        files = [file for file in (self.file, self.names) if file]
        return replace(
            self.told,
            bundled=False,
            local=self.is_local(),
            download_url=self.file.url if self.file else "",
            size_bytes=sum(file.size for file in files),
            names_bytes=self.names.size if self.names and not fetch.is_local(self.names) else 0,
        )

    def dress(self, content: Content, source: str) -> Dataset:
        """Join the content with the story."""
        story = ("name", "title", "kind", "description", "citation", "terms")
        return Dataset.dress(content, source=source, **{name: getattr(self.told, name) for name in story})


def _cbcl(request: Request) -> tuple[Content, str]:
    data, source = fetch.obtain(originals.CBCL, request.on_progress, request.should_stop)
    return originals.cbcl_faces(data), source


def _leukemia(request: Request) -> tuple[Content, str]:
    """Fetch both files if they are missing, in one go; the symbols are optional."""
    whole = sum(file.size for file in (originals.SYMBOLS, originals.MLL))

    def after(before: int) -> fetch.OnProgress | None:
        tell = request.on_progress
        return None if tell is None else lambda done, _: tell(before + done, whole)

    if fetch.is_local(originals.MLL):
        data, source = fetch.obtain(originals.MLL, request.on_progress, request.should_stop)
        return originals.leukemia(data), source
    try:
        fetch.obtain(originals.SYMBOLS, after(0), request.should_stop)
    except fetch.DownloadStopped:
        raise
    except DataError:  # the probes' own names serve; the catalogue still offers the symbols
        pass
    data, source = fetch.obtain(originals.MLL, after(originals.SYMBOLS.size), request.should_stop)
    return originals.leukemia(data), source


_CBCL_TERMS = "Research use, with acknowledgement of the MIT Center for Biological and Computational Learning."
_CBCL_HOMEPAGE = "http://cbcl.mit.edu/software-datasets/FaceData2.html"

_SPIKED = originals.spiked()  # 300 × 120 numbers: made in a millisecond

ENTRIES: dict[str, Entry] = {
    entry.told.name: entry
    for entry in (
        Entry(
            told=DatasetInfo(
                name="lfw-faces",
                title="LFW faces (100 small images)",
                shape=(100, 625),
                kind="faces",
                description=(
                    "A hundred photographs of faces, cropped to 25×25 grey pixels. "
                    "A component is a loading for each pixel, and looks like a part of a face."
                ),
                citation=(
                    "G. B. Huang, M. Ramesh, T. Berg and E. Learned-Miller: Labeled Faces in the "
                    "Wild: A database for studying face recognition in unconstrained environments. "
                    "University of Massachusetts, Amherst, Technical Report 07-49, 2007. Subset by "
                    "scikit-image."
                ),
                terms="Published for research; comes with scikit-image. Cite the authors.",
                homepage="http://vis-www.cs.umass.edu/lfw/",
            ),
            make=lambda request: (originals.lfw_faces(request.with_negatives), "bundled with scikit-image"),
            has_negatives=True,
        ),
        Entry(
            told=DatasetInfo(
                name="cbcl-faces",
                title="CBCL faces (normalised by Lee and Seung)",
                shape=(originals.N_FACES, 361),
                kind="faces",
                description=(
                    "2,429 faces of 19×19 grey pixels, each brought to the same brightness and contrast. "
                    "The faces on which nonnegative parts were first shown."
                ),
                citation=(
                    "MIT Center for Biological and Computational Learning: CBCL Face Database #1. "
                    "Normalised as in D. D. Lee and H. S. Seung: Learning the parts of objects by "
                    "non-negative matrix factorization. Nature 401 (1999) 788–791."
                ),
                terms=_CBCL_TERMS,
                homepage=_CBCL_HOMEPAGE,
            ),
            file=originals.CBCL,
            parse=originals.cbcl_faces,
            make=_cbcl,
            is_local=lambda: fetch.is_local(originals.CBCL),
        ),
        Entry(
            told=DatasetInfo(
                name="cbcl-faces-raw",
                title="CBCL faces (raw greys)",
                shape=(originals.N_FACES, 361),
                kind="faces",
                description=(
                    "The same 2,429 faces of 19×19 pixels with their original grey values: differences in "
                    "brightness outweigh everything else. You supply the file."
                ),
                citation="MIT Center for Biological and Computational Learning: CBCL Face Database #1.",
                terms=_CBCL_TERMS,
                homepage=_CBCL_HOMEPAGE,
            ),
            make=lambda request: originals.cbcl_faces_raw(request.with_negatives),
            has_negatives=True,
            is_local=originals.cbcl_raw_is_local,
        ),
        Entry(
            told=DatasetInfo(
                name="lrs",
                title="Infrared spectra of stars (LRS)",
                shape=(531, 93),
                kind="spectra",
                description=(
                    "531 infrared spectra of stars: the flux at 93 wavelengths from 7.9 to 22.9 µm, "
                    "in two overlapping bands, each spectrum scaled to a mean of 5000. A component is "
                    "a band of wavelengths."
                ),
                citation=(
                    "Low Resolution Spectrometer. Infra-Red Astronomy Satellite Project Database; "
                    "donated by J. Stutz to the UCI Machine Learning Repository, 1988."
                ),
                terms="UCI Machine Learning Repository, CC BY 4.0: free to use and to pass on with citation.",
                homepage="https://archive.ics.uci.edu/ml/datasets/Low+Resolution+Spectrometer",
            ),
            file=originals.SPECTROMETER,
            parse=originals.lrs,
            make=lambda _: (
                originals.lrs(fetch.unpack(originals.SPECTROMETER)),
                f"{originals.SPECTROMETER.name}, bundled with nnspca",
            ),
        ),
        Entry(
            told=DatasetInfo(
                name="leukemia",
                title="Leukemia gene expression (MLL)",
                shape=(72, 12582),
                kind="genes",
                description=(
                    "How strongly 12,582 gene probes respond in 72 patients with one of three kinds of leukemia "
                    "(ALL, MLL, AML), on the raw scale. A component is a small set of genes that vary together."
                ),
                citation=(
                    "S. A. Armstrong et al.: MLL translocations specify a distinct gene expression profile that "
                    "distinguishes a unique leukemia. Nature Genetics 30 (2002) 41–47."
                ),
                terms=f"Published supplementary data of the article; cite it. {originals.SYMBOLS_TERMS}",
                homepage="https://doi.org/10.1038/ng765",
            ),
            file=originals.MLL,
            parse=originals.leukemia,
            make=_leukemia,
            is_local=lambda: fetch.is_local(originals.MLL),
            names=originals.SYMBOLS,
        ),
        Entry(
            told=DatasetInfo(
                name="digits",
                title="Handwritten digits",
                shape=(1797, 64),
                kind="images",
                description=(
                    "1,797 handwritten digits of 8×8 pixels with greys from 0 to 16. A component is a stroke or part "
                    "of one."
                ),
                citation=(
                    "E. Alpaydin and C. Kaynak: Optical Recognition of Handwritten Digits. "
                    "UCI Machine Learning Repository, 1998. Test set, as in scikit-learn."
                ),
                terms="UCI Machine Learning Repository: free to use with citation.",
                homepage="https://archive.ics.uci.edu/ml/datasets/Optical+Recognition+of+Handwritten+Digits",
            ),
            make=lambda _: (originals.digits(), "bundled with scikit-learn"),
        ),
        Entry(
            told=DatasetInfo(
                name="pitprops",
                title="Pit props (correlations)",
                shape=(13, 13),
                kind="covariance",
                description=(
                    "Correlations between 13 measurements of 180 wooden pit props: diameter, length, "
                    "moisture, rings, knots. Small enough to check by hand, and the classic test of "
                    "sparse components."
                ),
                citation=(
                    "J. N. R. Jeffers: Two case studies in the application of principal component analysis. "
                    "Applied Statistics 16 (1967) 225–236."
                ),
                terms="Published table; cite it.",
                homepage="https://doi.org/10.2307/2985919",
            ),
            make=lambda _: (originals.pitprops(), "typed in from Jeffers (1967)"),
        ),
        Entry(
            told=DatasetInfo(
                name="synthetic-spiked",
                title="Synthetic: planted directions",
                shape=(300, 120),
                kind="table",
                description=_SPIKED.description,
                citation="None needed: made by nnspca.",
                terms="Free to use.",
                homepage="",
            ),
            make=lambda _: (_SPIKED, _SPIKED.source),
        ),
    )
}


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
        having = ", ".join(name for name, entry in ENTRIES.items() if entry.has_negatives)
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
    note = f"Byte for byte the file of “{entry.told.title}” in the catalogue, and read as that."
    return replace(known, name=name, title=name, notes=(*known.notes, note))
