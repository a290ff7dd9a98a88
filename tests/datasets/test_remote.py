"""Data sets at an address are opened as those in a file, with the same covariance; no other address is asked."""

import os
import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from nnspca import Covariance, DataError
from nnspca.datasets import open_lazily, remote
from nnspca.view.sources import allowed
from tests.datasets.test_lazily import X, written

KINDS = ("h5ad", "dense.h5ad", "h5", "zarr", "annotated.zarr", "parquet")


class Ranged(SimpleHTTPRequestHandler):
    """Files of a folder, whole or the bytes that are asked for; the paths asked for are noted on the server."""

    def do_GET(self):
        self.server.asked.append(self.path)
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        path = self.translate_path(self.path)
        if wanted is None or not os.path.isfile(path):
            super().do_GET()
            return
        with open(path, "rb") as file:
            file.seek(int(wanted[1]))
            part = file.read(int(wanted[2]) - int(wanted[1]) + 1)
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {wanted[1]}-{int(wanted[1]) + len(part) - 1}/{os.path.getsize(path)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)

    def end_headers(self):
        self.send_header("Accept-Ranges", "bytes")
        super().end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def served(tmp_path):
    """The address of a folder, and the server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Ranged, directory=str(tmp_path)))
    server.asked = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", server
    server.shutdown()
    server.server_close()


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("scheme", ["http", "file"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_address_gives_the_covariance_of_its_numbers(kind, scheme, served, tmp_path):
    path, names = written(kind, tmp_path)
    opened = open_lazily(f"{served[0]}/{path.name}" if scheme == "http" else path.as_uri())
    assert (opened.name, opened.shape, opened.feature_names) == (path.name, (40, 5), names)
    assert bool(served[1].asked) == (scheme == "http")
    np.testing.assert_allclose(Covariance.from_data(opened, False).matrix, np.cov(X.T, ddof=0), rtol=1e-6)


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
def test_the_path_goes_on_inside_and_a_folder_of_parquet_files_is_one_table(tmp_path):
    path, _ = written("h5ad", tmp_path)
    twice = open_lazily(path.as_uri() + "/layers/twice")
    assert twice.name == "few.h5ad/layers/twice"
    np.testing.assert_allclose(Covariance.from_data(twice, False).matrix, 4 * np.cov(X.T, ddof=0), rtol=1e-6)
    folder, names = written("parts", tmp_path)
    folder = folder.rename(tmp_path / "many.parquet")
    opened = open_lazily(folder.as_uri())
    assert (opened.shape, opened.feature_names) == ((40, 5), names)
    assert opened.size_bytes == sum(part.stat().st_size for part in folder.iterdir())


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("{}/none.h5ad", "'none.h5ad' cannot be opened"),
        ("{}/few.npy", "'few.npy': no known format; at an address, .h5ad, .h5, .hdf5, .zarr, .parquet are opened"),
        ("{}/../few.h5", "'few.h5': an address must not contain '..'"),
        ("{}/%2e%2e/few.h5", "'few.h5': an address must not contain '..'"),
        ("http://127.0.0.1:9/few.h5", "'few.h5' cannot be opened"),
        ("nostore://few.h5", "'few.h5': no store is known for this address"),
    ],
)
def test_what_cannot_be_opened_is_refused_with_its_name(address, said, served):
    with pytest.raises(DataError, match=re.escape(said)) as refused:
        open_lazily(address.format(served[0]))
    assert "127.0.0.1" not in str(refused.value)


def test_the_app_opens_no_address(served, monkeypatch):
    """What answers at one may send on to any other, which no list of roots has."""
    for roots in (None, served[0] + "/"):
        monkeypatch.delenv(allowed.ROOTS, raising=False) if roots is None else monkeypatch.setenv(allowed.ROOTS, roots)
        (address, *_) = allowed.listed(f"{served[0]}/few.h5")
        with pytest.raises(DataError, match="an address") as refused:
            allowed.resolve(address)
        assert "127.0.0.1" not in str(refused.value)
    assert allowed.listed(os.pathsep.join(["/data/a.npy", "d.h5ad/layers/counts"])) == (
        "/data/a.npy",
        "d.h5ad/layers/counts",
    )
    assert not served[1].asked


def test_without_the_package_the_error_names_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    with pytest.raises(DataError, match=re.escape("pip install 'nnspca[remote]'")):
        remote.size("https://host/few.h5")
