import hashlib
import http.server
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest

from nnspca import datasets
from nnspca.datasets import fetch, originals
from nnspca.errors import DataError, ReadingStopped
from tests.disk import full_after

BODY = bytes(range(256)) * 400  # 102,400 bytes: several chunks
FILE = fetch.RemoteFile("body.bin", "owner/repo/commit/body.bin", hashlib.sha256(BODY).hexdigest(), len(BODY))


class Server(http.server.ThreadingHTTPServer):
    """Serves ``body`` at any path, in the way ``manner`` says."""

    daemon_threads = True
    body = BODY
    manner = "whole"
    requests: list[str]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with suppress(ConnectionError):  # a client that has stopped
            self.answer()

    def answer(self):
        self.server.requests.append(self.path)
        manner, body = self.server.manner, self.server.body
        if manner == "absent":
            self.send_error(404)
            return
        self.send_response(200)
        if manner != "unannounced":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if manner == "truncated":
            body = body[: len(body) // 2]
        if manner == "stalled":
            self.wfile.write(body[:1000])
            self.wfile.flush()
            self.server.released.wait(20)
            return
        for start in range(0, len(body), 20_000):
            self.wfile.write(body[start : start + 20_000])
            self.wfile.flush()
            if manner == "slow":
                time.sleep(0.12)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    with Server(("127.0.0.1", 0), Handler) as running:
        running.requests, running.released = [], threading.Event()
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        monkeypatch.setattr(fetch, "BASE_URL", f"http://127.0.0.1:{running.server_port}/")
        yield running
        running.released.set()
        running.shutdown()
        thread.join()


def test_a_file_is_fetched_once_checked_and_kept(server):
    data, source = fetch.obtain(FILE)
    assert data == BODY
    assert source.endswith("/owner/repo/commit/body.bin")
    assert fetch.is_local(FILE)
    assert fetch.obtain(FILE)[0] == BODY
    assert server.requests == ["/owner/repo/commit/body.bin"]
    assert [path.name for path in fetch.cache_folder().iterdir()] == ["body.bin"]


def test_progress_counts_the_bytes_received(server):
    server.manner = "slow"
    seen = []
    fetch.download(FILE, on_progress=lambda done, total: seen.append((done, total)))
    counts = [done for done, _ in seen]
    assert counts == sorted(counts)
    assert len(set(counts)) > 3
    assert seen[-1] == (len(BODY), len(BODY))
    server.manner = "unannounced"
    fetch.download(FILE, on_progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (len(BODY), None)


def refused(**arguments):
    with pytest.raises(DataError) as caught:
        fetch.obtain(FILE, **arguments)
    assert not fetch.cache_folder().exists() or not list(fetch.cache_folder().iterdir())
    return str(caught.value)


@pytest.mark.parametrize(
    ("manner", "body", "said"),
    [
        ("absent", BODY, "404"),
        ("truncated", BODY, "51,200 of 102,400 bytes"),
        ("whole", BODY[:-1] + b"x", f"{hashlib.sha256(BODY[:-1] + b'x').hexdigest()} and should be {FILE.sha256}"),
        ("whole", BODY * 100, "not the expected file"),
    ],
)
def test_what_is_wrong_with_a_download_is_told_with_the_way_out(server, manner, body, said):
    server.manner, server.body = manner, body
    message = refused()
    assert all(part in message for part in (said, "body.bin", FILE.url, "NNSPCA_DATA", "upload"))


def test_without_a_network_or_for_an_unknown_host_the_message_says_so(monkeypatch):
    assert "no connection" in (message := refused()) and "check the network" in message and "upload" in message
    monkeypatch.setattr(fetch, "BASE_URL", "https://nowhere.invalid/")
    assert "no connection" in refused()


@pytest.mark.parametrize("manner", ["stalled", "slow"])
def test_a_download_stops_within_a_second(server, manner):
    server.manner = manner
    start = time.perf_counter()
    with pytest.raises(ReadingStopped, match=r"body\.bin was stopped"):
        fetch.obtain(FILE, should_stop=lambda: time.perf_counter() - start > 0.2)
    assert time.perf_counter() - start < 1
    assert not fetch.is_local(FILE)


def test_a_server_that_falls_silent_is_given_up(server, monkeypatch):
    monkeypatch.setattr(fetch, "STALL_SECONDS", 0.3)
    server.manner = "stalled"
    assert "sent nothing for 0.3 seconds" in refused()


def test_a_damaged_copy_in_the_cache_is_fetched_again(server):
    fetch.cache_folder().mkdir(parents=True)
    (fetch.cache_folder() / FILE.name).write_bytes(BODY[:-1])
    assert fetch.obtain(FILE)[0] == BODY
    assert (fetch.cache_folder() / FILE.name).read_bytes() == BODY


def test_concurrent_fetches_leave_one_whole_file(server):
    server.manner = "slow"
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(fetch.obtain, [FILE] * 4)) == [(BODY, FILE.url)] * 4
    assert [path.name for path in fetch.cache_folder().iterdir()] == [FILE.name]


def test_a_cache_that_cannot_be_written_does_not_lose_the_data(server, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv(fetch.CACHE_VARIABLE, str(tmp_path / "file" / "cache"))
    assert fetch.obtain(FILE)[0] == BODY


def test_a_disk_that_is_full_loses_no_data_and_keeps_no_half_of_a_file(server):
    with full_after(1000):
        assert fetch.obtain(FILE)[0] == BODY
    assert not list(fetch.cache_folder().iterdir())
    assert fetch.obtain(FILE)[0] == BODY
    assert fetch.is_local(FILE)


def test_the_folder_of_files_comes_before_cache_and_network(tmp_path, monkeypatch):
    monkeypatch.setenv(fetch.DATA_VARIABLE, str(tmp_path))
    (tmp_path / FILE.name).write_bytes(BODY)
    assert fetch.obtain(FILE) == (BODY, "body.bin")
    (tmp_path / FILE.name).write_bytes(BODY + b"x")
    with pytest.raises(DataError, match="in the folder NNSPCA_DATA is not the expected file"):
        fetch.obtain(FILE)


def test_an_error_in_the_callers_progress_ends_the_transfer(server):
    server.manner = "slow"

    def fail(done, total):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fetch.obtain(FILE, on_progress=fail)


@pytest.mark.parametrize("variable", [fetch.DATA_VARIABLE, fetch.CACHE_VARIABLE])
def test_without_a_home_what_comes_along_still_works_and_nothing_is_written(variable, tmp_path, monkeypatch, server):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(variable, "~nobodyofthisname/data")
    assert {info.name for info in datasets.available() if info.local} >= {"digits", "lrs"}
    assert datasets.load("lrs").shape == (531, 93)
    server.body = BODY
    if variable == fetch.DATA_VARIABLE:
        with pytest.raises(DataError, match=r"'~nobodyofthisname/data', which is not a folder"):
            fetch.obtain(FILE)
    else:
        assert fetch.obtain(FILE)[0] == BODY
    assert not list(tmp_path.glob("~*"))


def test_a_folder_that_is_none_or_one_may_not_look_into_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv(fetch.DATA_VARIABLE, str(tmp_path / "tpyo"))
    calls = lambda: fetch.obtain(FILE), lambda: datasets.load("cbcl-faces-raw")
    for call in calls:
        with pytest.raises(DataError, match=r"tpyo.*not a folder"):
            call()
    monkeypatch.setenv(fetch.DATA_VARIABLE, str(tmp_path))
    assert fetch.folder_problem(fetch.data_folder()) == ""
    monkeypatch.setattr(fetch.os, "access", lambda folder, how: False)
    assert {info.name for info in datasets.available() if info.local} >= {"digits", "lrs"}
    for call in calls:
        with pytest.raises(DataError, match="not a folder that you may look into"):
            call()


@pytest.mark.real_data
def test_a_catalogued_data_set_comes_whole_over_the_network(server, raw_folder):
    name, file, seen = "cbcl-faces", originals.CBCL, []
    server.body = (raw_folder / file.name).read_bytes()
    ds = datasets.load(name, on_progress=lambda done, total: seen.append((done, total)))
    assert server.requests == [f"/{file.path}"] and np.isfinite(ds.X).all()
    (info,) = (i for i in datasets.available() if i.name == name)
    assert info.local and seen[-1] == (info.size_bytes, info.size_bytes) == (len(server.body),) * 2
    assert datasets.load(name).content_hash == ds.content_hash
    assert len(server.requests) == 1
