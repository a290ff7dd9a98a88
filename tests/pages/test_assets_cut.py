"""A script that came out cut short, once, is not what every later visitor gets."""

import asyncio
import gzip
from concurrent.futures import ThreadPoolExecutor

from starlette.responses import FileResponse

from nnspca.view.frame import assets
from tests.pages.test_assets import FILE, ask, brought

__all__ = ("brought",)  # a fixture


class Faltering:
    """A server of one script whose first answers end early, each at another length."""

    def __init__(self, *lengths):
        self.lengths = list(lengths)

    async def __call__(self, scope, receive, send):
        body = FILE[: self.lengths.pop(0)] if self.lengths else FILE
        headers = [(b"content-type", b"text/javascript"), (b"content-length", str(len(FILE)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def test_a_script_cut_short_is_asked_for_again_and_not_kept():
    app = assets.AssetMiddleware(Faltering(0))
    assert gzip.decompress(ask(app, "/static/js/one.js", accept_encoding="gzip")[2]) == FILE


def test_one_that_stays_cut_short_is_refused_and_comes_whole_when_it_is_whole():
    app = assets.AssetMiddleware(Faltering(0, 10))
    status, headers, _ = ask(app, "/static/js/one.js", accept_encoding="gzip")
    assert status == 503
    assert headers["cache-control"] == "no-store"
    assert gzip.decompress(ask(app, "/static/js/one.js", accept_encoding="gzip")[2]) == FILE


def test_who_leaves_while_a_script_is_on_its_way_leaves_it_whole_for_the_next(tmp_path):
    (tmp_path / "one.js").write_bytes(FILE)
    app = assets.AssetMiddleware(FileResponse(tmp_path / "one.js", media_type="text/javascript"))
    asked = [(b"accept-encoding", b"gzip")]
    scope = {"type": "http", "method": "GET", "path": "/static/js/one.js", "headers": asked}
    sent = []

    async def gone():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    async def visits():
        for _ in range(2):
            sent.clear()
            await asyncio.wait_for(app(dict(scope), gone, send), 10)

    with ThreadPoolExecutor(1) as apart:  # a loop of its own: the browser's tests keep one running here
        apart.submit(asyncio.run, visits()).result()
    assert gzip.decompress(sent[1]["body"]) == FILE
