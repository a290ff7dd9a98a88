"""What goes out beside a page: scripts packed and complete, the page's head with what the page will want, documents."""

import gzip
import re

import pytest
from streamlit.testing.v1 import AppTest

from nnspca.view.frame import server
from tests.pages.conftest import answered

FILE = b"export const a = 1;" * 200
PAGE = b"<html><head><title>x</title></head><body><p></p></body></html>"


@pytest.fixture(autouse=True)
def brought(tmp_path_factory, monkeypatch):
    """The scripts of this server lie on the disk, as Streamlit's do."""
    for name in ("one.js", "one.abc.js"):
        file = tmp_path_factory.mktemp("js") / name
        file.write_bytes(FILE)
        monkeypatch.setitem(server.BROUGHT, f"js/{name}", file)


class Origin:
    """A server of one script and one page, that counts how often it is asked."""

    def __init__(self):
        self.asked = []

    async def __call__(self, scope, receive, send):
        self.asked.append(dict(scope["headers"]))
        kind, body = (b"text/javascript", FILE) if scope["path"].endswith("/static/js/one.js") else (b"text/html", PAGE)
        headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), (b"etag", b'"1"')]
        headers.append((b"cache-control", b"public, immutable"))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body[:100], "more_body": True})
        await send({"type": "http.response.body", "body": body[100:]})


def test_a_path_that_only_looks_like_a_script_of_streamlits_gets_its_page():
    app = server.AssetMiddleware(Origin())
    before = server.packed.cache_info().currsize
    for path in ("/static/js/made-up.js", "/static/js/../js/one.js.map", "/js/one.js"):
        status, headers, body = answered(app, path, accept_encoding="gzip")
        assert (status, body) == (200, PAGE) and "content-encoding" not in headers
    for i in range(50):
        assert gzip.decompress(answered(app, f"/{i}/static/js/one.js", accept_encoding="gzip")[2]) == FILE
    assert server.packed.cache_info().currsize == before + 1


def test_a_script_goes_out_packed_once_and_unpacks_to_what_it_was():
    origin = Origin()
    app = server.AssetMiddleware(origin)
    answers = [answered(app, "/static/js/one.abc.js", accept_encoding="gzip, br") for _ in range(2)]
    assert answers[0] == answers[1]
    assert not origin.asked
    status, headers, body = answers[0]
    assert status == 200
    assert gzip.decompress(body) == FILE
    assert headers["content-length"] == str(len(body))
    assert (headers["content-encoding"], headers["vary"].lower()) == ("gzip", "accept-encoding")
    assert "immutable" in headers["cache-control"]


@pytest.mark.parametrize("asked", [{}, {"accept_encoding": "br"}, {"accept_encoding": "gzip", "range": "bytes=0-9"}])
def test_who_takes_nothing_packed_gets_the_file_as_it_is(asked):
    _, headers, body = answered(server.AssetMiddleware(Origin()), "/static/js/one.js", **asked)
    assert body == FILE
    assert "content-encoding" not in headers


def test_the_page_names_its_scripts_and_brings_its_style():
    origin = Origin()
    _, headers, body = answered(server.AssetMiddleware(origin), "/data", accept="text/html", if_none_match='"1"')
    page = body.decode()
    head, _, rest = page.partition("</head>")
    named = re.findall(r'<link rel="modulepreload" crossorigin href="\./static/js/([^"]+)">', head)
    assert named == list(server.with_imports())
    assert server.style() in rest.partition("</body>")[0]
    assert page.startswith("<html><head><title>x</title>")
    assert headers["content-length"] == str(len(body))
    assert "etag" not in headers  # another version of ours brings another page
    assert b"if-none-match" not in origin.asked[0]


def test_what_is_no_page_and_no_script_is_left_alone():
    app = server.AssetMiddleware(Origin())
    for path, method in (("/_stcore/health", "GET"), ("/static/js/one.js", "HEAD"), ("/media/a.png", "GET")):
        _, headers, body = answered(app, path, method, accept="*/*", accept_encoding="gzip")
        assert body in (FILE, PAGE)
        assert headers["etag"] == '"1"'


def test_streamlit_still_has_every_script_that_is_named_early():
    """A new release that calls them otherwise costs speed, and nothing else would tell."""
    files = server.with_imports()
    assert [stem for stem in server.EAGER if not any(name.startswith(f"{stem}.") for name in files)] == []
    assert all((server.SCRIPTS / name).is_file() for name in files)
    assert sum((server.SCRIPTS / name).stat().st_size for name in files) < 4e6  # no figure library among them


def test_a_script_that_keeps_a_browser_busy_is_fetched_late_and_gives_what_it_gave():
    app = server.AssetMiddleware(Origin())
    for stem in server.LAZY:
        (file,) = server.SCRIPTS.glob(f"{stem}.*.js")
        late, whole = (
            gzip.decompress(answered(app, f"/static/js/{file.name}{query}", accept_encoding="gzip")[2])
            for query in ("", "?whole")
        )
        assert whole == file.read_bytes() and len(late) < 2000 and f'"./{file.name}?whole"'.encode() in late
        for name in re.findall(rb" as ([\w$]+)", whole[whole.rindex(b"export{") :]):
            assert re.search(rb"\b%s\b" % name, late.partition(b"\nexport")[2])


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
