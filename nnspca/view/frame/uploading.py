"""ASGI middleware before Streamlit's route for files: bytes are counted by page and in total, and go with the page.

Streamlit limits the size of one file alone, takes any number of them for any open page, and keeps them until it
happens to collect the page.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nnspca.view.session import stay
from nnspca.view.sources.uploads import ALL, OWN

GIVEN = re.compile(rb"/upload_file/([\w-]+)/([\w-]+)")  # an address for a file, as a page is sent it
ASKED = re.compile(r"/upload_file/([\w-]+)/([\w-]+)$")
LONGEST = 2**16  # bytes of a message that gives addresses
UNKNOWN = "No open page has this address: load the page again, then choose the file again."


@dataclass
class _Page:
    """What is known of a page, by the session that Streamlit has for it."""

    connections: int = 0
    given: set[str] = field(default_factory=set)  # files that it has an address for
    held: dict[str, int] = field(default_factory=dict)  # bytes of those that have come
    coming: dict[object, int] = field(default_factory=dict)  # and of each request that brings one
    puts: dict[str, Scope] = field(default_factory=dict)  # the requests that brought them

    @property
    def size(self) -> int:
        """Bytes of all files, with what has come of those on their way."""
        return sum(self.held.values()) + sum(self.coming.values())


class UploadMiddleware:
    """ASGI middleware: takes files at addresses that open pages were given, up to these bytes; deletes them after."""

    def __init__(self, app: ASGIApp, own: int = OWN, total: int = ALL, stay: float | None = None) -> None:
        self._app, self._own, self._total = app, own, total
        self._stay = stay  # seconds that a page may be away; as long as Streamlit waits for it when None
        self._pages: dict[str, _Page] = {}
        self._deleting: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        asked = ASKED.search(scope["path"]) if scope["type"] == "http" else None
        if scope["type"] == "websocket":
            await self._connected(scope, receive, send)
        elif asked is not None and scope["method"] == "PUT":
            await self._put(asked[1], asked[2], scope, receive, send)
        else:
            await self._app(scope, receive, send)
            if asked is not None and scope["method"] == "DELETE" and asked[1] in self._pages:
                self._pages[asked[1]].held.pop(asked[2], None)
                self._pages[asked[1]].puts.pop(asked[2], None)

    async def _connected(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Note which addresses a page is given while it is connected."""
        own: set[str] = set()

        def enter(session: str) -> _Page:
            page = self._pages.setdefault(session, _Page())
            page.connections += session not in own
            own.add(session)
            return page

        async def noting(message: Message) -> None:
            content = message.get("bytes") or b""
            for session, file in GIVEN.findall(content) if len(content) <= LONGEST else ():
                enter(session.decode()).given.add(file.decode())
            await send(message)

        for session in set(scope.get("subprotocols", ())) & self._pages.keys():  # one whose connection was lost
            enter(session)
        try:
            await self._app(scope, receive, noting)
        finally:
            seconds = stay() if self._stay is None else self._stay
            for session in own:
                self._pages[session].connections -= 1
                asyncio.get_running_loop().call_later(seconds, self._left, session)

    def _left(self, session: str) -> None:
        """Delete the files of a page that has not come back."""
        if session in self._pages and not self._pages[session].connections:
            for put in self._pages.pop(session).puts.values():
                task = asyncio.ensure_future(self._delete(put))
                self._deleting.add(task)
                task.add_done_callback(self._deleting.discard)

    async def _delete(self, put: Scope) -> None:
        """Delete a file as its page would: with the token and cookie of the request that brought it."""

        async def nothing() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def unheard(message: Message) -> None:
            pass

        await self._app({**put, "method": "DELETE"}, nothing, unheard)

    async def _put(self, session: str, file: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a file while there is room for what has come of it."""
        page = self._pages.get(session)
        if page is None or file not in page.given:
            await _to_the_end(receive)
            await PlainTextResponse(UNKNOWN, 404)(scope, receive, send)
            return
        request, taken = object(), False
        page.coming[request] = 0

        async def counted() -> Message:
            message = await receive()
            page.coming[request] += len(message.get("body", b""))
            if full := self._full(page):
                if message.get("more_body"):
                    await _to_the_end(receive)
                raise HTTPException(413, full)
            return message

        async def heard(message: Message) -> None:
            nonlocal taken
            taken = taken or 200 <= message.get("status", 0) < 300
            await send(message)

        announced = Headers(scope=scope).get("content-length", "")
        try:
            if full := self._full(page, int(announced) if announced.isdigit() else 0):
                await _to_the_end(receive)
                raise HTTPException(413, full)
            await self._app(scope, counted, heard)
        except HTTPException as full:
            await PlainTextResponse(full.detail, full.status_code)(scope, receive, send)
        finally:
            count = page.coming.pop(request)
        if taken:
            page.held[file] = count
            page.puts[file] = scope
            if self._pages.get(session) is not page:  # it was left meanwhile
                await self._delete(scope)

    def _full(self, page: _Page, more: int = 0) -> str:
        """Say why so many bytes more have no room; nothing where they have."""
        own, total = page.size, sum(one.size for one in self._pages.values())
        if own + more > self._own:
            return (
                f"The files of this page take {own >> 20:,} MB already, and at most {self._own >> 20:,} MB are taken: "
                "remove (×) those that are not needed."
            )
        if total + more > self._total:
            return (
                f"Visitors' files take {total >> 20:,} MB of this server's memory already, and at most "
                f"{self._total >> 20:,} MB are taken: try again later, or with a smaller file."
            )
        return ""


async def _to_the_end(receive: Receive) -> None:
    """Let a file that is refused come to its end, unless it is too long: only then does a browser read the answer."""
    left = ALL
    while left > 0 and (message := await receive()).get("more_body"):
        left -= len(message.get("body", b""))
