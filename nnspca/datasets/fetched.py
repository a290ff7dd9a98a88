"""The files of the papers' data sets, from raw bytes to samples in rows."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

from nnspca.datasets import fetch, images, symbols
from nnspca.datasets.arrays import read_mat
from nnspca.datasets.cells import ReadingOptions
from nnspca.datasets.dataset import Axis, Content
from nnspca.datasets.formats import parse_files
from nnspca.errors import DataError

CBCL = fetch.RemoteFile(
    "CBCL.mat",
    "amjadseyedi/NMFcUDA/6e0d0bb4612790df2b06cd8cc327c85fc446c245/CBCL.mat",
    "b2c4a9c3933f1dbc20889efb65e4aaa7a339ec91a13f93ead909c94b23993fa0",
    877_056,
)
MLL = fetch.RemoteFile(
    "MLL.csv",
    "taiyang479/HRO-GWO/67fb6c5ab55af2004b24cd359488d3d629446dca/data/MLL.csv",
    "07d80e95cfa2d85c81a90052041452d9c5e636a5e4e4cb05fac55c7b94a2b2e0",
    4_094_739,
)
SPECTROMETER = fetch.RemoteFile(
    "spectrometer.arff",
    "renatopp/arff-datasets/c59f172882592bb58982cc54d2d3c8a2b57e9b73/classification/spectrometer.arff",
    "277916f0161f24725d434a2a7a948bc1d9872c1b5cab55dec1ed1f678e86053d",
    519_394,
)

PLAIN = ReadingOptions(samples="rows", kind="table", missing_codes=())
CBCL_SHAPE = (19, 19)
LEUKEMIA_TESTED = 15
N_FACES, N_NON_FACES = 2429, 4548
ARCHIVES = ("face.train.tar.gz", "faces.tar.gz")
_FOLDERS = ("train", ".")  # below the data folder, where face/ and non-face/ may lie


def cbcl_faces(data: bytes) -> Content:
    """Read Lee and Seung's version of the CBCL faces from CBCL.mat.

    MATLAB keeps an image column after column and a sample in each column; here samples are rows and
    their pixels run row after row.
    """
    columns = read_mat(data, ReadingOptions(samples="columns")).X
    upright = columns.reshape(-1, *CBCL_SHAPE).transpose(0, 2, 1)
    return Content(X=upright.reshape(columns.shape), image_shape=CBCL_SHAPE)


def leukemia(data: bytes) -> Content:
    """Read the expression levels and the three kinds of leukemia from MLL.csv.

    The file opens with the 15 samples the article tested on; here the samples are grouped by class
    and those 15 close their groups. Probes whose symbols are on this machine are called by both.
    """
    content = parse_files({MLL.name: data}, PLAIN)
    if content.labels is None:
        raise DataError("the file names no class for its samples; a column of text should.")
    last_first = np.roll(np.arange(len(content.X)), -LEUKEMIA_TESTED)
    order = last_first[np.argsort(content.labels[last_first], kind="stable")]
    sorted_out = dataclasses.replace(content, X=content.X[order], labels=content.labels[order], notes=())
    return symbols.with_symbols(sorted_out)


def lrs(data: bytes) -> Content:
    """Read the 93 fluxes of each spectrum from spectrometer.arff; wavelengths stand in its comments."""
    content = parse_files({SPECTROMETER.name: data}, PLAIN)
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


def cbcl_raw_is_local() -> bool:
    """Return whether an archive or a folder of the raw CBCL faces can be found."""
    return any(_archive(folder) or _faces_folder(folder) for folder in fetch.local_folders())


def cbcl_faces_raw(with_negatives: bool = False) -> tuple[Content, str]:
    """Read the raw CBCL training images from an archive or a folder; return them and the source's name."""
    given = fetch.data_folder()
    if given is not None:
        fetch.require_folder(given)
    for folder in fetch.local_folders():
        if archive := _archive(folder):
            members = images.members(_training_archive(fetch.read_local(archive)), (".pgm",))
            return _cbcl_raw(members, with_negatives, archive.name), archive.name
        if faces := _faces_folder(folder):
            paths = sorted(faces.parent.glob("*/*.pgm"))
            members = ((f"{path.parent.name}/{path.name}", fetch.read_local(path)) for path in paths)
            return _cbcl_raw(members, with_negatives, "the folder"), "face/*.pgm"
    raise DataError(
        "The raw CBCL faces are not here, and no address is known that still serves them. They "
        'are the MIT CBCL "Face Data": get faces.tar.gz or face.train.tar.gz, put it (or the '
        "unpacked folder train/face) in a folder and name that folder in the environment variable "
        f"{fetch.DATA_VARIABLE}, or upload face.train.tar.gz in the app. The data set cbcl-faces "
        "holds the same faces, normalised, and can be downloaded."
    )


def _archive(folder: Path) -> Path | None:
    return next((folder / name for name in ARCHIVES if os.path.isfile(folder / name)), None)


def _faces_folder(folder: Path) -> Path | None:
    candidates = (folder / above / "face" for above in _FOLDERS)
    with suppress(PermissionError):
        return next((faces for faces in candidates if next(faces.glob("*.pgm"), None)), None)
    return None


def _training_archive(data: bytes) -> bytes:
    """The archive of training images itself, also when it comes inside faces.tar.gz."""
    name, inner = next(images.members(data, ("face.train.tar.gz", ".pgm")), ("", b""))
    return inner if name.endswith(".gz") else data


def _cbcl_raw(members: Iterator[images.Member], with_negatives: bool, source: str) -> Content:
    groups: dict[str, list[images.Member]] = {"face": [], "non-face": []}
    for name, content in sorted(members):
        folder = name.split("/")[-2] if "/" in name else ""
        if folder in groups and (with_negatives or folder == "face"):
            groups[folder].append((name, content))
    counts = {"face": N_FACES, "non-face": N_NON_FACES} if with_negatives else {"face": N_FACES}
    for folder, count in counts.items():
        _check_raw(groups[folder], folder, count, source)
    X, shape = images.stack([images.Grey(content, name) for name, content in groups["face"] + groups["non-face"]])
    if not with_negatives:
        return Content(X=X, image_shape=shape)
    labels = np.repeat([0, 1], [N_FACES, N_NON_FACES])
    return Content(X=X, image_shape=shape, labels=labels, label_names=("face", "non-face"))


def _check_raw(group: list[images.Member], folder: str, count: int, source: str) -> None:
    if len(group) != count:
        raise DataError(
            f"{source} holds {len(group):,} images in {folder}/ where the CBCL training set has {count:,}. "
            "Unpack or download it again."
        )
    for name, content in group:
        if not re.match(rb"P5\s+(#[^\n]*\s+)*19\s+19\s+255\s", content[:200]):
            raise DataError(f"{name.rpartition('/')[2][:60]!r} in {source} is not a 19×19 grey PGM (P5) image.")
