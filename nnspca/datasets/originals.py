"""The data sets of the catalogue, each made as its source has it: from installed packages, typed in, or from a file."""

from __future__ import annotations

import bz2
import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import distribution
from pathlib import Path, PurePosixPath

import numpy as np

from nnspca.control.arguments import check_callables, check_several, check_whole, real, shown
from nnspca.datasets import fetch, formats, images
from nnspca.datasets.arrays import read_mat
from nnspca.datasets.dataset import Axis, Content, Dataset
from nnspca.datasets.options import Reading
from nnspca.datasets.tables import table_content
from nnspca.errors import DataError, needed

_FACTS = tomllib.loads(Path(__file__).with_name("originals.toml").read_text(encoding="utf-8"))
CBCL, MLL, SPECTROMETER, SYMBOLS = (fetch.RemoteFile(**file) for file in _FACTS["files"])
CHIP = "GPL8300"  # what NCBI's GEO calls the HG-U95Av2
_TEXT = b"\x00\x04\x00\x09"  # before each text, whose length in four bytes follows
_HEAD = b"RDX2\nX\n"
PLAIN = Reading(samples="rows", kind="table", missing_codes=())
CBCL_SHAPE = (19, 19)
LEUKEMIA_TESTED = 15
N_FACES, N_NON_FACES = 2429, 4548
ARCHIVES = ("face.train.tar.gz", "faces.tar.gz")


def lfw_faces(with_negatives: bool = False) -> Content:
    """Return 100 faces of 25×25 pixels, grey values from 0 to 1, followed by 100 non-faces if wanted."""
    images = needed("skimage.data", "the LFW faces", "'nnspca[faces]'").lfw_subset()
    X = images.reshape(len(images), -1)
    if not with_negatives:
        return Content(X=X[:100], image_shape=(25, 25))
    return Content(X=X, image_shape=(25, 25), labels=np.repeat([0, 1], [100, 100]), label_names=("face", "non-face"))


def digits() -> Content:
    """Return 1797 handwritten digits of 8×8 pixels, grey values from 0 to 16."""
    held = distribution("scikit-learn").locate_file("sklearn/datasets/data/digits.csv.gz")  # its import takes a second
    table = np.loadtxt(str(held), delimiter=",")
    X, labels = table[:, :-1], table[:, -1].astype(int)
    return Content(X=X, image_shape=(8, 8), labels=labels, label_names=tuple("0123456789"))


def pitprops() -> Content:
    """Return the correlation matrix of 13 measurements on 180 pit props."""
    names = tuple(_FACTS["pitprops"]["names"])
    R = np.eye(len(names))
    for i, row in enumerate(_FACTS["pitprops"]["thousandths"], start=1):
        R[i, :i] = R[:i, i] = np.array(row) / 1000
    return Content(X=R, feature_names=names)


def spiked(
    n_samples: int = 300,
    n_features: int = 120,
    *,
    cardinalities: Sequence[int] = (8, 12, 20),
    variances: Sequence[float] = (12.0, 8.0, 5.0),
    noise: float = 1.0,
    seed: int = 0,
) -> Dataset:
    r"""Make data with known nonnegative sparse directions hidden in noise.

    Each sample is :math:`\sum_j \sqrt{\theta_j}\, z_j v_j + \sigma \epsilon` with independent
    standard normal :math:`z_j` and :math:`\epsilon`, so the true covariance is
    :math:`\sigma^2 I + \sum_j \theta_j v_j v_j'`. The unit vectors :math:`v_j` are nonnegative and
    their supports are disjoint.

    Parameters
    ----------
    n_samples, n_features : int
        Shape of the data, at least 2 samples.
    cardinalities : sequence of int
        Number of nonzero loadings of each planted direction; together at most ``n_features``.
    variances : sequence of float
        :math:`\theta_j`, the variance each planted direction adds, one for each cardinality.
    noise : float
        :math:`\sigma`, the standard deviation of the noise in every feature.
    seed : int
        The same seed gives the same data.

    Returns
    -------
    Dataset
        With ``planted`` of shape (n_features, r): the directions :math:`v_j` in columns.

    Raises
    ------
    ValueError
        When the sizes do not fit or a variance or the noise is negative.

    Examples
    --------
    >>> ds = spiked(50, 10, cardinalities=(3, 2), variances=(4, 2))
    >>> ds.X.shape, (ds.planted > 0).sum(axis=0)
    ((50, 10), array([3, 2]))
    >>> np.round(ds.planted.T @ ds.planted, 12)
    array([[1., 0.],
           [0., 1.]])
    """
    n_samples = check_whole("n_samples", n_samples, 2)
    n_features = check_whole("n_features", n_features, 1)
    allowed = f"whole numbers of at least 1, together at most {n_features} features"
    several = check_several("cardinalities", cardinalities, "several", allowed)
    cardinalities = [check_whole("a cardinality", k, 1) for k in several]
    variances = check_several("variances", variances, "several", "positive numbers, one for each cardinality")
    seed = check_whole("seed", seed, 0)
    _check_spiked(n_features, cardinalities, variances, noise)
    rng = np.random.default_rng(seed)
    r = len(cardinalities)
    V = np.zeros((n_features, r))
    supports = np.split(rng.permutation(n_features)[: sum(cardinalities)], np.cumsum(cardinalities)[:-1])
    for j, support in enumerate(supports):
        V[support, j] = rng.uniform(0.5, 1.0, size=len(support))
    V /= np.linalg.norm(V, axis=0)
    scores = rng.standard_normal((n_samples, r)) * np.sqrt(variances)
    X = scores @ V.T + noise * rng.standard_normal((n_samples, n_features))
    truth = ", ".join(f"{k} features (variance {v:g})" for k, v in zip(cardinalities, variances, strict=True))
    return Dataset(
        X=X,
        planted=V,
        name="synthetic-spiked",
        title="Synthetic: planted directions",
        kind="table",
        description=(
            f"Made-up data with a known answer: {r} hidden nonnegative directions on separate "
            f"groups of {truth}, in noise of standard deviation {noise:g}. A good method finds the "
            "groups again."
        ),
        citation="None needed: made by nnspca.",
        terms="Free to use.",
        source=f"made by nnspca (seed {seed})",
    )


def _check_spiked(n_features: int, cardinalities: Sequence[int], variances: Sequence[float], noise: float) -> None:
    if not cardinalities or sum(cardinalities) > n_features:
        raise ValueError(
            f"cardinalities {tuple(cardinalities)} must each be at least 1 and together at most {n_features} features"
        )
    *sizes, deviation = (np.nan if (number := real(value)) is None else number for value in (*variances, noise))
    positive = all(0 < size < np.inf for size in sizes) and 0 <= deviation < np.inf
    if not positive or len(variances) != len(cardinalities):
        raise ValueError(
            f"variances {shown(tuple(variances))} must be positive, one for each of the "
            f"{len(cardinalities)} cardinalities, and noise={shown(noise)} not negative"
        )


def cbcl_faces(data: bytes) -> Content:
    """Read Lee and Seung's version of the CBCL faces from CBCL.mat.

    MATLAB keeps an image column after column and a sample in each column; here samples are rows and
    their pixels run row after row.
    """
    columns = read_mat(data, Reading(samples="columns")).X
    upright = columns.reshape(-1, *CBCL_SHAPE).transpose(0, 2, 1)
    return Content(X=upright.reshape(columns.shape), image_shape=CBCL_SHAPE)


def leukemia(data: bytes) -> Content:
    """Read the expression levels and the three kinds of leukemia from MLL.csv.

    The file opens with the 15 samples the article tested on; here the samples are grouped by class
    and those 15 close their groups. Gene symbols that are on this machine are the titles of their probes.
    """
    content = table_content(formats.read_text(data, PLAIN), PLAIN)
    if content.labels is None:
        raise DataError("the file names no class for its samples; a column of text should.")
    last_first = np.roll(np.arange(len(content.X)), -LEUKEMIA_TESTED)
    order = last_first[np.argsort(content.labels[last_first], kind="stable")]
    sorted_out = replace(content, X=content.X[order], labels=content.labels[order], notes=(), table=None)
    return _with_symbols(sorted_out)


def lrs(data: bytes) -> Content:
    """Read the 93 fluxes of each spectrum from spectrometer.arff; wavelengths stand in its comments."""
    content = table_content(formats.read_arff(data, PLAIN), PLAIN)
    fluxes = [j for j, name in enumerate(content.feature_names) if "-band-flux_" in name]
    bands = [content.feature_names[j].partition("-")[0] for j in fluxes]
    listed = re.findall(r"^%\s*-\s*\d+\.\s+(\d+\.\d+)\s*$", data.decode("ascii", "replace"), re.MULTILINE)
    if len(listed) != len(fluxes):
        raise DataError(f"the file lists {len(listed)} wavelengths for {len(fluxes)} fluxes; they should agree.")
    return Content(
        X=content.X[:, fluxes],
        feature_names=tuple(f"{band} {float(w):.4f} µm" for band, w in zip(bands, listed, strict=True)),
        labels=content.labels,
        label_names=content.label_names,
        axis=Axis(np.array(listed, dtype=float), name="wavelength", unit="µm"),
    )


def cbcl_faces_raw(with_negatives: bool = False) -> tuple[Content, str]:
    """Read the raw CBCL training images from an archive; return them and the source's name."""
    given = fetch.data_folder()
    if given is not None:
        fetch.require_folder(given)
    archive = cbcl_archive()
    if archive is None:
        raise DataError(
            "The raw CBCL faces are not here, and no address is known that still serves them. They "
            'are the MIT CBCL "Face Data": get faces.tar.gz or face.train.tar.gz, put it in a folder and name that '
            f"folder in the environment variable {fetch.DATA_VARIABLE}, or upload face.train.tar.gz in the app. The "
            "data set cbcl-faces holds the same faces, normalised, and can be downloaded."
        )
    data = fetch.read_local(archive)
    name, inner = next(
        images.archive_members(data, ("face.train.tar.gz", ".pgm")), ("", b"")
    )  # it may come inside faces.tar.gz
    members = images.archive_members(inner if name.endswith(".gz") else data, (".pgm",))
    return _cbcl_raw(members, with_negatives, archive.name), archive.name


def cbcl_archive() -> Path | None:
    """Return the archive of the raw CBCL faces, where it can be found."""
    places = (folder / name for folder in fetch.local_folders() for name in ARCHIVES)
    return next(filter(os.path.isfile, places), None)


def _cbcl_raw(members: Iterator[images.Member], with_negatives: bool, source: str) -> Content:
    counts = {"face": N_FACES, "non-face": N_NON_FACES} if with_negatives else {"face": N_FACES}
    groups: dict[str, list[images.Member]] = {folder: [] for folder in counts}
    for name, content in sorted(members):
        groups.get(PurePosixPath(name).parent.name, []).append((name, content))
    rows = [row for folder in counts for row in _raw(groups[folder], folder, counts[folder], source)]
    X = np.array(rows, dtype=float)
    if not with_negatives:
        return Content(X=X, image_shape=CBCL_SHAPE)
    labels = np.repeat([0, 1], [N_FACES, N_NON_FACES])
    return Content(X=X, image_shape=CBCL_SHAPE, labels=labels, label_names=("face", "non-face"))


def _raw(group: list[images.Member], folder: str, count: int, source: str) -> Iterator[np.ndarray]:
    """Yield the pixels of so many images of one size; DataError for any other."""
    if len(group) != count:
        raise DataError(
            f"{source} holds {len(group):,} images in {folder}/ where the CBCL training set has {count:,}. "
            "Download it again."
        )
    for name, content in group:
        head = re.match(rb"P5\s+(#[^\n]*\s+)*19\s+19\s+255\s", content[:200])
        if head is None or len(content) < head.end() + 19 * 19:
            raise DataError(f"{name.rpartition('/')[2][:60]!r} in {source} is not a 19×19 grey PGM (P5) image.")
        yield np.frombuffer(content, np.uint8, 19 * 19, head.end())


def gene_symbols(
    *, on_progress: fetch.OnProgress | None = None, should_stop: fetch.ShouldStop | None = None
) -> dict[str, str]:
    """Return gene symbols for the probes of Affymetrix's chip HG-U95Av2; the table is fetched once.

    The data set ``leukemia`` has them as titles of its probes as soon as the table is on this machine. It is looked
    for, and kept, as the files of :func:`load` are.

    Parameters
    ----------
    on_progress, should_stop : callable, optional
        As in :func:`load`.

    Returns
    -------
    dict
        About 11,000 symbols; a few percent of the probes have none.

    Raises
    ------
    nnspca.DataError
        When the table cannot be had; the message says what happened and how to supply the file by hand.

    Examples
    --------
    >>> import nnspca
    >>> symbols = nnspca.datasets.gene_symbols()    # doctest: +SKIP
    >>> symbols["41096_at"]                         # doctest: +SKIP
    'S100A8'
    """
    check_callables(on_progress=on_progress, should_stop=should_stop)
    return read_symbols(fetch.obtain(SYMBOLS, on_progress, should_stop)[0])


def read_symbols(data: bytes) -> dict[str, str]:
    """Read the table in R's format; the file was verified, so no other form is handled."""
    try:
        saved = bz2.decompress(data)
    except (OSError, ValueError) as error:
        raise DataError("the table of gene symbols is damaged: remove that copy.") from error
    head, called, *texts = [*saved.split(_TEXT), b""]
    rows = int.from_bytes(called[-4:], "big")  # the frame's name is the first text; before the second, their number
    if not head.startswith(_HEAD) or not 0 < 3 * rows < len(texts):
        raise DataError("the table of gene symbols is none that R saved: remove that copy.")
    names = [text[4 : 4 + int.from_bytes(text[:4], "big")].decode() for text in texts[: 3 * rows]]
    probes, symbols, chips = (names[j * rows : (j + 1) * rows] for j in range(3))
    return {probe: symbol for probe, symbol, of in zip(probes, symbols, chips, strict=True) if of == CHIP}


def _with_symbols(content: Content) -> Content:
    """Return the content with the symbol of each probe that has one as its title, if the table is here."""
    try:
        table = fetch.local(SYMBOLS)
        symbols = {} if table is None else read_symbols(table)
    except DataError:  # the probes' own names do
        return content
    titles = tuple(symbols.get(name, "") for name in content.feature_names)
    return replace(content, feature_titles=titles if any(titles) else ())
