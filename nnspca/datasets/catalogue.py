"""The catalogue of data sets: description, citation, and how each is made or obtained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nnspca.datasets import bundled, fetch, fetched, symbols
from nnspca.datasets.dataset import Content, Dataset, DatasetInfo, Kind
from nnspca.errors import DataError


@dataclass(frozen=True)
class Request:
    """The arguments of :func:`nnspca.datasets.load` beside the name."""

    with_negatives: bool = False
    on_progress: fetch.OnProgress | None = None
    should_stop: fetch.ShouldStop | None = None


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A data set: its description, and a function that returns its content and source."""

    name: str
    title: str
    shape: tuple[int, int]
    kind: Kind
    description: str
    citation: str
    terms: str
    homepage: str
    make: Callable[[Request], tuple[Content, str]]
    file: fetch.RemoteFile | None = None
    parse: Callable[[bytes], Content] | None = None
    has_negatives: bool = False
    is_local: Callable[[], bool] | None = None  # None for bundled data
    names: fetch.RemoteFile | None = None  # the file that gives its features better names

    def info(self) -> DatasetInfo:
        """The entry's current line in the catalogue."""
        told = ("name", "title", "shape", "kind", "citation", "terms", "description", "homepage")
        return DatasetInfo(
            **{name: getattr(self, name) for name in told},
            bundled=self.is_local is None,
            local=self.is_local is None or self.is_local(),
            download_url=self.file.url if self.file and self.is_local else "",
            size_bytes=sum(file.size for file in (self.file, self.names) if file and self.is_local),
            names_bytes=self.names.size if self.names and not fetch.is_local(self.names) else 0,
        )

    def dress(self, content: Content, source: str) -> Dataset:
        """Join the content with the story."""
        story = {name: getattr(self, name) for name in ("name", "title", "kind", "description", "citation", "terms")}
        return Dataset.dress(content, source=source, **story)


def _cbcl(request: Request) -> tuple[Content, str]:
    data, source = fetch.obtain(fetched.CBCL, request.on_progress, request.should_stop)
    return fetched.cbcl_faces(data), source


def _leukemia(request: Request) -> tuple[Content, str]:
    """Fetch both files if they are missing, in one go; the symbols are optional."""
    whole = sum(file.size for file in (symbols.FILE, fetched.MLL))

    def after(before: int) -> fetch.OnProgress | None:
        tell = request.on_progress
        return None if tell is None else lambda done, _: tell(before + done, whole)

    if fetch.is_local(fetched.MLL):
        data, source = fetch.obtain(fetched.MLL, request.on_progress, request.should_stop)
        return fetched.leukemia(data), source
    try:
        fetch.obtain(symbols.FILE, after(0), request.should_stop)
    except fetch.DownloadStopped:
        raise
    except DataError:  # the probes' own names serve; the catalogue still offers the symbols
        pass
    data, source = fetch.obtain(fetched.MLL, after(symbols.FILE.size), request.should_stop)
    return fetched.leukemia(data), source


_CBCL_TERMS = "Research use, with acknowledgement of the MIT Center for Biological and Computational Learning."
_CBCL_HOMEPAGE = "http://cbcl.mit.edu/software-datasets/FaceData2.html"

_SPIKED = bundled.spiked()  # 300 × 120 numbers: made in a millisecond

ENTRIES: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
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
            make=lambda request: (bundled.lfw_faces(request.with_negatives), "bundled with scikit-image"),
            has_negatives=True,
        ),
        Entry(
            name="cbcl-faces",
            title="CBCL faces (normalised by Lee and Seung)",
            shape=(fetched.N_FACES, 361),
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
            file=fetched.CBCL,
            parse=fetched.cbcl_faces,
            make=_cbcl,
            is_local=lambda: fetch.is_local(fetched.CBCL),
        ),
        Entry(
            name="cbcl-faces-raw",
            title="CBCL faces (raw greys)",
            shape=(fetched.N_FACES, 361),
            kind="faces",
            description=(
                "The same 2,429 faces of 19×19 pixels with their original grey values: differences in "
                "brightness outweigh everything else. You supply the file."
            ),
            citation="MIT Center for Biological and Computational Learning: CBCL Face Database #1.",
            terms=_CBCL_TERMS,
            homepage=_CBCL_HOMEPAGE,
            make=lambda request: fetched.cbcl_faces_raw(request.with_negatives),
            has_negatives=True,
            is_local=fetched.cbcl_raw_is_local,
        ),
        Entry(
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
            file=fetched.SPECTROMETER,
            parse=fetched.lrs,
            make=lambda _: (
                fetched.lrs(fetch.unpack(fetched.SPECTROMETER)),
                f"{fetched.SPECTROMETER.name}, bundled with nnspca",
            ),
        ),
        Entry(
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
            terms=f"Published supplementary data of the article; cite it. {symbols.TERMS}",
            homepage="https://doi.org/10.1038/ng765",
            file=fetched.MLL,
            parse=fetched.leukemia,
            make=_leukemia,
            is_local=lambda: fetch.is_local(fetched.MLL),
            names=symbols.FILE,
        ),
        Entry(
            name="digits",
            title="Handwritten digits",
            shape=(1797, 64),
            kind="images",
            description=(
                "1,797 handwritten digits of 8×8 pixels with greys from 0 to 16. A component is a stroke or part of "
                "one."
            ),
            citation=(
                "E. Alpaydin and C. Kaynak: Optical Recognition of Handwritten Digits. "
                "UCI Machine Learning Repository, 1998. Test set, as in scikit-learn."
            ),
            terms="UCI Machine Learning Repository: free to use with citation.",
            homepage="https://archive.ics.uci.edu/ml/datasets/Optical+Recognition+of+Handwritten+Digits",
            make=lambda _: (bundled.digits(), "bundled with scikit-learn"),
        ),
        Entry(
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
            make=lambda _: (bundled.pitprops(), "typed in from Jeffers (1967)"),
        ),
        Entry(
            name="synthetic-spiked",
            title="Synthetic: planted directions",
            shape=(300, 120),
            kind="table",
            description=_SPIKED.description,
            citation="None needed: made by nnspca.",
            terms="Free to use.",
            homepage="",
            make=lambda _: (_SPIKED, _SPIKED.source),
        ),
    )
}
