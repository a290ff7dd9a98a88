"""The documents are served beside the app, once they are built."""

import pytest
from streamlit.testing.v1 import AppTest

from nnspca.view.frame import server
from tests.pages.conftest import answered


@pytest.fixture
def site(tmp_path):
    folder = tmp_path / "build" / "docs"
    (folder / "start").mkdir(parents=True)
    (folder / "index.html").write_text("first page")
    (folder / "start" / "python.html").write_text("ten minutes")
    (tmp_path / "secret.txt").write_text("not for visitors")
    return folder


async def app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"the app"})


def ask(folder, path):
    """Return status and body of an answer."""
    status, _, body = answered(server.Documents(app, folder), path)
    return status, body


def test_pages_of_the_site_are_served_and_all_else_is_the_apps(site):
    assert ask(site, "/docs/") == (200, b"first page")
    assert ask(site, "/docs/start/python.html") == (200, b"ten minutes")
    assert ask(site, "/docs")[0] == 307
    for path in ("/", "/parts", "/docs-of-mine", "/_stcore/health"):
        assert ask(site, path) == (200, b"the app")


@pytest.mark.parametrize("path", ["/docs/../../secret.txt", "/docs/%2e%2e/secret.txt", "/docs/nothing.html"])
def test_no_other_file_is_served(site, path):
    assert ask(site, path)[0] == 404


def test_the_sidebar_leads_to_documents_that_are_served(tmp_path, site):
    def page(root):
        from pathlib import Path

        from nnspca.view.frame import server

        server.link_to_documents(Path(root))

    shown = AppTest.from_function(page, args=(str(tmp_path),)).run()
    assert len(shown.markdown) == 1 and shown.markdown[0].value.endswith("](docs/index.html)")
    assert not AppTest.from_function(page, args=(str(tmp_path / "elsewhere"),)).run().markdown


def test_what_was_not_built_is_not_served(tmp_path, site, monkeypatch):
    assert len(server.documents_route(tmp_path)) == 1
    assert server.documents_route(tmp_path / "elsewhere") == []
    monkeypatch.setenv("NNSPCA_DOCS", str(site))
    assert len(server.documents_route(tmp_path / "elsewhere")) == 1
