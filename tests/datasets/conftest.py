import os
from pathlib import Path

import pytest

from nnspca.datasets import fetch, originals

FILES = (originals.CBCL.name, originals.MLL.name, originals.SPECTROMETER.name, "face.train.tar.gz")


@pytest.fixture(autouse=True)
def fresh_machine(monkeypatch, tmp_path):
    """No folder of data, an empty cache, and an address without a server."""
    monkeypatch.delenv(fetch.DATA_VARIABLE, raising=False)
    monkeypatch.setenv(fetch.CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(fetch, "BASE_URL", "https://127.0.0.1:9/")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


_GIVEN = os.environ.get(fetch.DATA_VARIABLE)


@pytest.fixture(scope="session")
def raw_folder():
    """The folder of real files that NNSPCA_DATA named when the tests began."""
    if not _GIVEN:
        pytest.skip("NNSPCA_DATA is not set: it names the folder of the real data files")
    folder = Path(_GIVEN)
    absent = [name for name in FILES if not (folder / name).is_file()]
    if absent:
        pytest.skip(f"the folder NNSPCA_DATA lacks {', '.join(absent)}")
    return folder


@pytest.fixture
def real_data(raw_folder, monkeypatch):
    monkeypatch.setenv(fetch.DATA_VARIABLE, str(raw_folder))
    return raw_folder


@pytest.fixture(scope="session")
def oracle(raw_folder):
    """Load one of the parsed copies that may lie beside the folder of raw files."""
    import numpy as np

    def load(name):
        path = raw_folder.parent / name
        if not path.is_file():
            pytest.skip(f"no {name} beside the folder NNSPCA_DATA")
        with np.load(path, allow_pickle=False) as arrays:
            return dict(arrays)

    return load
