"""Files sent to the server: taken only where a page has an address for them, within limits, and not longer than it."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from nnspca.view.frame import uploading
from nnspca.view.frame.uploading import UploadMiddleware
from nnspca.view.session import COOKIE

MB = 2**20


def cookie(browser):
    """The header by which a browser tells that it is the one."""
    return b"cookie", f"{COOKIE}1={browser}".encode()


class Streamlit:
    """What stands behind the middleware: a page that is given the addresses asked for, and keeps what is put there."""

    def __init__(self):
        self.kept = {}
        self.leaves = {}

    async def __call__(self, scope, receive, send):
        if scope["type"] == "websocket":
            session, files = scope["wants"]
            for file in files:
                content = b"\x0a" + f"/_stcore/upload_file/{session}/{file}".encode() + b"\x12"
                await send({"type": "websocket.send", "bytes": content})
            await self.leaves.setdefault(session, asyncio.Event()).wait()
            return
        body, more = b"", scope["method"] == "PUT"
        while more:
            message = await receive()
            body, more = body + message["body"], message["more_body"]
        if scope["method"] == "PUT":
            self.kept[scope["path"]] = body
        else:
            assert dict(scope["headers"])[b"x-xsrftoken"] == b"t"  # Streamlit refuses to delete without it
            self.kept.pop(scope["path"], None)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


class Server:
    def __init__(self, **limits):
        self.inner = Streamlit()
        self.app = UploadMiddleware(self.inner, **limits)
        self.pages = {}

    async def visit(self, session, *files, again=False, browser=""):
        words = ["streamlit", "xsrf", *([session] if again else [])]
        headers = [cookie(browser or session), (b"sec-websocket-protocol", ", ".join(words).encode())]
        scope = {"type": "websocket", "path": "/_stcore/stream", "wants": (session, files), "headers": headers}
        self.inner.leaves[session] = asyncio.Event()
        page = self.app(scope | {"subprotocols": words}, None, self.nothing)
        self.pages[session] = asyncio.ensure_future(page)
        await asyncio.sleep(0)

    async def leave(self, session, seconds):
        self.inner.leaves[session].set()
        await self.pages[session]
        await asyncio.sleep(seconds)

    async def nothing(self, message):
        pass

    async def send(self, method, session, file, size=0, announced=True, *, browser="", stalls=False):
        chunks, sent = [min(MB, size - at) for at in range(0, size, MB)] or [0], []

        async def receive():
            await asyncio.sleep(60 if not chunks else 0)
            return {"type": "http.request", "body": bytes(chunks.pop(0)), "more_body": stalls or bool(chunks)}

        async def send(message):
            sent.append(message)

        headers = [
            cookie(browser or session),
            (b"x-xsrftoken", b"t"),
            *([(b"content-length", str(size).encode())] if announced else []),
        ]
        path = f"/_stcore/upload_file/{session}/{file}"
        await self.app({"type": "http", "method": method, "path": path, "headers": headers}, receive, send)
        return sent[0]["status"], b"".join(m.get("body", b"") for m in sent).decode()

    @property
    def held(self):
        return sum(map(len, self.inner.kept.values()))


def run(play, **limits):
    """Run a scene in a thread of its own: a worker that drives a browser has an event loop already."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(play(Server(**limits)))).result()


@pytest.mark.parametrize("announced", [True, False])
def test_a_page_is_given_room_for_so_many_bytes_and_all_pages_together_too(announced):
    async def play(server):
        await server.visit("one", *"abcdefgh")
        answers = [await server.send("PUT", "one", file, 2 * MB, announced) for file in "abcdefgh"]
        assert [status for status, _ in answers] == [204, 204, *[413] * 6]
        assert server.held == 4 * MB and "remove" in answers[-1][1]
        assert (await server.send("DELETE", "one", "a"))[0] == 204
        assert (await server.send("PUT", "one", "h", 2 * MB, announced))[0] == 204
        await server.visit("two", "a", "b")
        assert (await server.send("PUT", "two", "a", 2 * MB, announced))[0] == 204
        status, said = await server.send("PUT", "two", "b", 2 * MB, announced)
        assert status == 413 and "later" in said and server.held == 6 * MB

    run(play, own=5 * MB, total=7 * MB)


def test_what_a_page_that_was_left_has_sent_is_deleted_and_makes_room():
    async def play(server):
        for session in ("one", "two", "three"):
            await server.visit(session, "a")
            assert (await server.send("PUT", session, "a", 2 * MB))[0] == 204
        await server.visit("four", "a")
        assert (await server.send("PUT", "four", "a", 2 * MB))[0] == 413
        for session in ("one", "two", "three"):
            await server.leave(session, 0.05)
        assert server.held == 0
        assert (await server.send("PUT", "four", "a", 2 * MB))[0] == 204

    run(play, own=3 * MB, total=7 * MB, stay=0.01)


def test_what_breaks_off_takes_no_room():
    async def play(server):
        await server.visit("one", "a")

        async def receive():
            chunks.append(MB)
            if len(chunks) > 3:
                raise ConnectionError
            return {"type": "http.request", "body": bytes(MB), "more_body": True}

        for _ in range(3):
            chunks = []
            with pytest.raises(ConnectionError):
                path = "/_stcore/upload_file/one/a"
                scope = {"type": "http", "method": "PUT", "path": path, "headers": [cookie("one")]}
                await server.app(scope, receive, None)
        assert (await server.send("PUT", "one", "a", 4 * MB))[0] == 204

    run(play, own=5 * MB)


def test_a_page_whose_connection_was_lost_for_a_moment_keeps_its_files():
    async def play(server):
        await server.visit("one", "a")
        await server.send("PUT", "one", "a", MB)
        await server.leave("one", 0)
        await server.visit("one", again=True)
        await asyncio.sleep(0.1)
        assert server.held == MB
        await server.leave("one", 0.1)
        assert server.held == 0

    run(play, stay=0.03)


def test_files_that_come_together_to_one_address_are_counted_each():
    async def play(server):
        await server.visit("one", "a")
        assert (await server.send("PUT", "one", "a", 3 * MB))[0] == 204
        await asyncio.gather(*(server.send("PUT", "one", "a", 2 * MB, False) for _ in range(3)))
        assert server.app.total_size == server.held

    run(play, own=5 * MB, total=20 * MB)


def test_what_others_have_on_their_way_refuses_nobody():
    async def play(server):
        tabs = [("one", "greedy"), ("two", "greedy"), ("three", "other")]
        for session, browser in (*tabs, ("four", "")):
            await server.visit(session, "a", browser=browser)
        begun = [
            asyncio.ensure_future(server.send("PUT", session, "a", 4 * MB, False, browser=browser, stalls=True))
            for session, browser in tabs
        ]
        await asyncio.sleep(0.05)
        assert [one.done() for one in begun] == [False, False, False]
        assert server.app.total_size <= 9 * MB  # two tabs of one browser have no more on their way than one may
        assert (await server.send("PUT", "four", "a", 3 * MB))[0] == 204
        statuses = [(await one)[0] for one in begun if one.done()]
        assert statuses == [413] and server.app.total_size <= 9 * MB  # the largest on its way has given way
        for one in begun:
            one.cancel()

    run(play, own=5 * MB, total=9 * MB)


def test_a_file_on_its_way_that_pauses_or_takes_too_long_takes_no_more_room(monkeypatch):
    monkeypatch.setattr(uploading, "SILENT", 0.05)

    async def play(server):
        await server.visit("one", "a")
        assert (await server.send("PUT", "one", "a", 4 * MB, stalls=True))[0] == 408
        monkeypatch.setattr(uploading, "LASTS", 0.0)
        assert (await server.send("PUT", "one", "a", 4 * MB))[0] == 408
        assert server.app.total_size == server.held == 0

    run(play, own=5 * MB)
