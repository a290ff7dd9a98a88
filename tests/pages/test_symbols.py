"""The data page offers gene symbols once, and says where what was fetched could not be kept."""

import hashlib

import pytest

import nnspca
from nnspca.datasets import fetch, originals
from nnspca.view.ui import component
from tests.datasets.test_symbols import PROBES, pinned, saved
from tests.pages.conftest import settle


@pytest.fixture
def cache(monkeypatch, tmp_path, nothing_fetched):
    monkeypatch.setattr(originals, "SYMBOLS", pinned("p2s_df.rda", saved()))
    monkeypatch.setattr(originals, "MLL", pinned("MLL.csv", PROBES))
    return tmp_path


def test_symbols_are_offered_where_the_data_are_here_without_them(open_page, cache, monkeypatch):
    (cache / "MLL.csv").write_bytes(PROBES)
    monkeypatch.setattr(fetch, "download", lambda file, *_: saved())
    page = open_page("pages/data.py", data="leukemia")
    page.button(key="start-names-leukemia").click().run()
    settle(page)
    assert (cache / "p2s_df.rda").is_file()
    assert hashlib.sha256((cache / "p2s_df.rda").read_bytes()).hexdigest() == originals.SYMBOLS.sha256
    assert "start-names-leukemia" not in [button.key for button in page.button]
    assert component.feature_names(nnspca.datasets.load("leukemia"), [2]) == {2: "MYC (37724_at)"}


@pytest.mark.parametrize("key", ["start-names-leukemia", "start-fetch-leukemia"])
def test_what_cannot_be_kept_is_told_and_the_page_rests(key, open_page, cache, monkeypatch):
    if key == "start-names-leukemia":
        (cache / "MLL.csv").write_bytes(PROBES)
    monkeypatch.setattr(fetch, "_keep", lambda data, path: None)
    monkeypatch.setattr(fetch, "download", lambda file, *_: saved() if file is originals.SYMBOLS else PROBES)
    page = open_page("pages/data.py", data="leukemia")
    page.button(key=key).click().run()
    assert any(fetch.CACHE_VARIABLE in told.value for told in settle(page).error)
