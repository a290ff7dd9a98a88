import os
import subprocess
import sys

import numpy as np
import pytest

from nnspca import datasets
from nnspca.datasets import fetch, originals
from nnspca.errors import DataError

BUNDLED = [info.name for info in datasets.available() if info.bundled]


def test_the_catalogue_lists_every_data_set_with_its_story():
    infos = datasets.available()
    assert [info.name for info in infos if info.local] == BUNDLED and len(BUNDLED) < len(infos)
    for info in infos:
        assert info.citation and info.terms and info.description and info.title
        assert bool(info.download_url) == bool(info.size_bytes)


def test_what_comes_packed_is_the_published_file_and_a_changed_one_is_refused(monkeypatch):
    file = originals.SPECTROMETER
    whole = fetch.unpack(file)
    assert len(whole) == file.size
    monkeypatch.setattr(fetch.lzma, "decompress", lambda packed: whole.replace(b"0", b"1", 1))
    with pytest.raises(DataError, match=r"spectrometer\.arff as bundled is not the expected file"):
        datasets.load("lrs")


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_data_set_is_what_its_catalogue_line_says(name):
    (info,) = (i for i in datasets.available() if i.name == name)
    ds = datasets.load(name)
    for field in ("name", "title", "shape", "kind", "citation", "terms", "description"):
        assert getattr(ds, field) == getattr(info, field)
    assert len(ds.feature_names) == ds.n_features
    assert not ds.X.flags.writeable


def test_bundled_data_load_without_a_home_or_a_network(tmp_path):
    script = (
        "import socket; socket.socket.connect = None; from nnspca import datasets; "
        f"[datasets.load(name) for name in {BUNDLED}]"
    )
    environment = {**os.environ, "HOME": str(tmp_path / "no home"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("NNSPCA_DATA", None)
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)
    assert not (tmp_path / "no home").exists()


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match=r"'cats'.*lfw-faces.*lrs"):
        datasets.load("cats")
    for name in ("digits", "lrs"):
        with pytest.raises(ValueError, match=r"lfw-faces, cbcl-faces-raw"):
            datasets.load(name, with_negatives=True)


def test_raw_cbcl_faces_that_are_not_here_come_with_directions():
    with pytest.raises(DataError, match=r"faces\.tar\.gz.*face\.train\.tar\.gz.*NNSPCA_DATA.*upload"):
        datasets.load("cbcl-faces-raw")


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "file"), [("cbcl-faces", "CBCL.mat"), ("lrs", "spectrometer.arff")])
def test_an_uploaded_file_of_the_catalogue_becomes_that_data_set(name, file, real_data):
    uploaded = datasets.read((real_data / file).read_bytes(), f"copy of {file}")
    assert all(info.local for info in datasets.available())
    loaded = datasets.load(name)
    assert uploaded.name == name
    assert uploaded.content_hash == loaded.content_hash
    np.testing.assert_array_equal(uploaded.X, loaded.X)
