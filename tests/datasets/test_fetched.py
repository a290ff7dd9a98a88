import functools
import re
import tarfile

import numpy as np
import pytest

from nnspca import datasets
from nnspca.datasets import fetch, originals
from nnspca.errors import DataError
from tests.datasets.test_images import tarred

pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def loaded(raw_folder):
    """Return ``load`` from the folder of real files, each data set once."""

    @functools.cache
    def load(name):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(fetch.DATA_VARIABLE, str(raw_folder))
            return datasets.load(name)

    return load


def ratios(X, count=5):
    """lambda_2/lambda_1 and so on of the covariance of the rows."""
    values = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    return values[1 : count + 1] / values[0]


SPECTRA = {
    "cbcl-faces-raw": [0.19420, 0.11160, 0.05656, 0.04998, 0.04317],
    "cbcl-faces": [0.82291, 0.39437, 0.33946, 0.25884, 0.22816],
    "lrs": [0.77791, 0.07510, 0.04836, 0.02039, 0.00800],
    "leukemia": [0.45240, 0.28888, 0.22705, 0.17507, 0.14190],
}


@pytest.mark.parametrize("name", SPECTRA)
def test_the_spectrum_is_the_published_one(name, loaded):
    X = loaded(name).X
    np.testing.assert_allclose(ratios(X), SPECTRA[name], atol=6e-6)
    if name == "leukemia":
        published = [0.62551, 0.35185, 0.24733, 0.20719, 0.15902]
        np.testing.assert_allclose(ratios((X - X.mean(axis=0)) / X.std(axis=0)), published, atol=6e-6)
    if name == "cbcl-faces-raw":
        leading = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[0] ** 2 / len(X)
        np.testing.assert_allclose(leading, 505948.93, atol=0.01)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("cbcl-faces", "cbcl_faces_leeseung.npz"),
        ("cbcl-faces-raw", "cbcl_faces.npz"),
        ("lrs", "lrs.npz"),
        ("leukemia", "leukemia_armstrong.npz"),
    ],
)
def test_the_numbers_equal_the_parsed_copy(name, file, loaded, oracle):
    np.testing.assert_array_equal(loaded(name).X, oracle(file)["X"])


def test_cbcl_images_are_upright_and_normalised_from_the_raw_ones(loaded):
    raw, normalised = loaded("cbcl-faces-raw").X, loaded("cbcl-faces").X
    scaled = (raw - raw.mean(axis=1, keepdims=True)) / raw.std(axis=1, ddof=1, keepdims=True)
    np.testing.assert_array_equal(np.floor(255 * np.clip(0.25 + 0.25 * scaled, 0, 1)), normalised)


def test_spectra_know_their_wavelengths_and_classes(loaded, oracle):
    ds, parsed = loaded("lrs"), oracle("lrs.npz")
    np.testing.assert_array_equal(ds.axis.values, parsed["wavelength_um"])
    assert (ds.axis.name, ds.axis.unit) == ("wavelength", "µm")
    assert ds.feature_names[0] == "blue 7.8636 µm"
    assert ds.feature_names[44] == "red 10.9929 µm"
    assert len(set(ds.feature_names)) == 93
    np.testing.assert_array_equal(ds.labels, parsed["y"])
    assert ds.label_names == tuple(parsed["label_names"])


def test_leukemia_knows_its_probes_and_classes(loaded, oracle):
    ds, parsed = loaded("leukemia"), oracle("leukemia_armstrong.npz")
    assert ds.feature_names == tuple(parsed["feature_names"])
    np.testing.assert_array_equal(ds.labels, parsed["y"])
    assert ds.label_names == ("ALL", "MLL", "AML")
    np.testing.assert_array_equal(np.bincount(ds.labels), [24, 20, 28])


@pytest.mark.parametrize("name", SPECTRA)
def test_a_fetched_data_set_is_what_its_catalogue_line_says(name, real_data, loaded):
    (info,) = (i for i in datasets.available() if i.name == name)
    ds = loaded(name)
    assert (ds.shape, ds.kind, ds.title) == (info.shape, info.kind, info.title)
    assert str(real_data) not in ds.source


def test_non_faces_follow_the_raw_faces_when_asked_for(real_data, loaded):
    both = datasets.load("cbcl-faces-raw", with_negatives=True)
    assert both.shape == (2429 + 4548, 361)
    np.testing.assert_array_equal(np.bincount(both.labels), [2429, 4548])
    np.testing.assert_array_equal(both.X[both.labels == 0], loaded("cbcl-faces-raw").X)


@pytest.fixture(scope="module")
def training_files(raw_folder):
    with tarfile.open(raw_folder / "face.train.tar.gz") as archive:
        return {m.name: archive.extractfile(m).read() for m in archive if m.isreg()}


def test_the_outer_archive_is_as_good_as_the_inner_one(real_data, loaded, tmp_path, monkeypatch):
    packed = loaded("cbcl-faces-raw")
    files = {"README": b"read me", "face.test.tar.gz": b"not looked at"}
    files["face.train.tar.gz"] = (real_data / "face.train.tar.gz").read_bytes()
    (tmp_path / "faces.tar.gz").write_bytes(tarred(files, "w:gz"))
    monkeypatch.setenv(fetch.DATA_VARIABLE, str(tmp_path))
    ds = datasets.load("cbcl-faces-raw")
    assert ds.content_hash == packed.content_hash
    assert ds.source == "faces.tar.gz"


def test_raw_archives_with_other_content_are_refused(training_files, tmp_path, monkeypatch):
    monkeypatch.setenv(fetch.DATA_VARIABLE, str(tmp_path))
    faces = {name: content for name, content in training_files.items() if "/face/" in name}
    first, packed = next(iter(faces)), tmp_path / "face.train.tar.gz"
    for files, said in (
        (dict(list(faces.items())[1:]), r"2,428 images in face/ where the CBCL training set has 2,429"),
        ({**faces, first: b"P5\n20 20\n255\n" + bytes(400)}, r"face00001.pgm.*not a 19×19"),
        ({**faces, first: b"P5\n19 19\n255\n" + bytes(100)}, r"face00001.pgm"),
    ):
        packed.write_bytes(tarred(files, "w:gz"))
        with pytest.raises(DataError, match=said):
            datasets.load("cbcl-faces-raw")
    packed.write_bytes(packed.read_bytes()[: packed.stat().st_size // 2])
    with pytest.raises(DataError, match="damaged"):
        datasets.load("cbcl-faces-raw")


def test_a_wrong_file_in_the_folder_is_named_with_both_checksums(raw_folder, tmp_path, monkeypatch):
    monkeypatch.setenv(fetch.DATA_VARIABLE, str(tmp_path))
    changed = bytearray((raw_folder / "CBCL.mat").read_bytes())
    changed[-1] ^= 1
    (tmp_path / "CBCL.mat").write_bytes(changed)
    with pytest.raises(DataError, match=f"CBCL.mat in the folder NNSPCA_DATA.*{originals.CBCL.sha256}") as caught:
        datasets.load("cbcl-faces")
    assert len(re.findall(r"\b[0-9a-f]{64}\b", str(caught.value))) == 2
