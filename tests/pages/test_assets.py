"""What goes out before a page: scripts packed and complete, the page's head with what the page will want."""

import gzip
import re
from urllib.request import Request, urlopen

from nnspca.view.frame import server
from tests.pages.conftest import answered
from tests.server import serving

FILE = b"export const a = 1;" * 200
PAGE = b"<html><head><title>x</title></head><body><p></p></body></html>"


class Origin:
    """A server of one script and one page, that counts how often it is asked."""

    def __init__(self, status=200):
        self.asked, self.status = [], status

    async def __call__(self, scope, receive, send):
        self.asked.append(dict(scope["headers"]))
        kind, body = (b"text/javascript", FILE) if scope["path"].endswith(".js") else (b"text/html", PAGE)
        headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), (b"etag", b'"1"')]
        headers.append((b"cache-control", b"public, immutable"))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": body[:100], "more_body": True})
        await send({"type": "http.response.body", "body": body[100:]})


def test_the_server_sends_streamlits_scripts_compressed_and_to_be_kept():
    name = server.early()[0]
    with serving() as here:
        asked = Request(f"{here.address}/static/js/{name}", headers={"accept-encoding": "gzip"})
        with urlopen(asked, timeout=60) as answer:
            headers, body = answer.headers, answer.read()
    assert headers["content-encoding"] == "gzip"
    assert "immutable" in headers["cache-control"]
    assert gzip.decompress(body) == (server.SCRIPTS / name).read_bytes()


def test_the_page_names_its_scripts_and_brings_its_style():
    origin = Origin()
    _, headers, body = answered(server.PageMiddleware(origin), "/data", accept="text/html", if_none_match='"1"')
    page = body.decode()
    head, _, rest = page.partition("</head>")
    named = re.findall(r'<link rel="modulepreload" crossorigin href="\./static/js/([^"]+)">', head)
    assert named == list(server.early())
    assert server.style() in rest.partition("</body>")[0]
    assert page.startswith("<html><head><title>x</title>")
    assert headers["content-length"] == str(len(body))
    assert "etag" not in headers  # another version of ours brings another page
    assert b"if-none-match" not in origin.asked[0]


def test_what_is_no_page_and_no_script_is_left_alone():
    for path, method in (("/_stcore/health", "GET"), ("/static/js/one.js", "HEAD"), ("/media/a.png", "GET")):
        _, headers, body = answered(server.PageMiddleware(Origin()), path, method, accept="*/*", accept_encoding="gzip")
        assert body in (FILE, PAGE)
        assert headers["etag"] == '"1"'


def test_streamlit_still_has_every_script_that_is_named_early():
    """A new release that calls them otherwise costs speed, and nothing else would tell."""
    files = server.early()
    assert [stem for stem in server.EARLY if not any(name.startswith(f"{stem}.") for name in files)] == []
    assert all((server.SCRIPTS / name).is_file() for name in files)
    assert sum((server.SCRIPTS / name).stat().st_size for name in files) < 4e6  # no figure library among them


def test_pages_about_a_chart_name_its_scripts_too():
    chart = next(server.SCRIPTS.glob("PlotlyChart.*.js")).name
    app = server.PageMiddleware(Origin())
    pages = {
        path: answered(app, path, accept="text/html")[2].decode()
        for path in ("/compare", "/deep/compare", "/", "/data")
    }
    assert [path for path, page in pages.items() if chart in page] == ["/compare", "/deep/compare"]
    assert pages["/compare"].count("modulepreload") > pages["/"].count("modulepreload") == len(server.early())
    assert f"const CHART = './static/js/{chart}';" in pages["/compare"].partition("</head>")[2]
