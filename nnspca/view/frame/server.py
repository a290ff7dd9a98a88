"""Beside Streamlit's server: its scripts packed and preloaded, our style, news and files, the documents."""

from __future__ import annotations

import asyncio
import gzip
import os
import re
import secrets
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, Router
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nnspca.view import session
from nnspca.view.figures.style import scale
from nnspca.view.link import canvas, state
from nnspca.view.session import DOWNLOAD, NEWS

POSTPONED = Path(__file__).with_name("browser") / "late.js"
LECTURE = POSTPONED.with_name("lecture.js")
SCENES = Path(__file__).with_name("lecture.txt")
SCRIPTS = Path(st.__file__).parent / "static" / "static" / "js"
# The elements of a first screen, as Streamlit's scripts are called: the browser asks for them, and
# for what each of them needs, only when the page has come. Named in the head they arrive while
# Streamlit's own frame is being built.
EAGER = ("Html", "BidiComponent", "Selectbox", "Radio", "NumberInput", "Multiselect", "Checkbox", "Button", "Progress")
LAZY = ("PlotlyChart", "DataFrame")  # scripts that keep a browser busy for seconds
EXPORTS = re.compile(rb"export\{([\w$, ]+)\};?\s*$")
OURS = ("narrow", "link")  # components of every page; and of some pages, by the last word of its path:
OWN = {"": ("play", "gallery"), "parts": ("component",), "spannogram": ("spannogram",), "learn": ("learn",)}
PACKED = re.compile(r"/static/((?:js|css|media)/[^/]+\.(?:js|css|woff2))$")
BROUGHT = {f"{kind}/{file.name}": file for kind in ("js", "css") for file in (SCRIPTS.parent / kind).glob(f"*.{kind}")}
# Of the font of icons, named as one release of Streamlit names it, those asked for: 16 kB of 375 (see adding.md).
BROUGHT |= {f"media/{file.name}": file for file in LECTURE.parent.glob("*.woff2")}
NEEDED = re.compile(r"""\b(?:from|import)\s*["'`]\./([^"'`]+\.js)["'`]""")
UNASKED = (b"accept-encoding", b"if-none-match", b"if-modified-since")  # the page is written anew for each visit
COMPRESSION = 6  # level of gzip
TYPES = {".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2"}
# Their names change with their content: a browser that has one needs not ask again.
STAYS = {
    "content-encoding": "gzip",
    "vary": "accept-encoding",
    "cache-control": "public, immutable, max-age=31536000",
    "x-content-type-options": "nosniff",
}
STYLE = Path(__file__).with_name("style.css")
LOW = {"switch", "fold"}  # kinds of keys whose widgets are one line; a label stands above all others
NOT_STORED = {"cache-control": "no-store"}
GONE = "This link has expired: its page was closed or no longer offers this file. Open the page again."
FOLDER = "NNSPCA_DOCS"  # the environment's name for a site that lies elsewhere
PLACE = "docs"  # below the app's own address


class AssetMiddleware:
    """ASGI middleware: Streamlit's scripts go out compressed, its page with its head completed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        headers, asked = Headers(scope=scope), PACKED.search(scope["path"])
        takes = "gzip" in headers.get("accept-encoding", "") and "range" not in headers
        if takes and asked and (file := BROUGHT.get(asked[1])):  # only what Streamlit brings is ever kept
            body = await asyncio.to_thread(packed, file, bool(scope["query_string"]))
            await Response(body, 200, STAYS, TYPES[file.suffix])(scope, receive, send)
        elif "text/html" in headers.get("accept", ""):
            await self._page(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun: dict[str, Any] = {}
        body = bytearray()

        async def keep(message: Message) -> None:
            if message["type"] == "http.response.start":
                begun.update(message)
            else:
                body.extend(message.get("body", b""))

        plain = [(name, value) for name, value in scope["headers"] if name not in UNASKED]
        await self._app({**scope, "headers": plain}, receive, keep)
        headers, page = MutableHeaders(raw=list(begun["headers"])), bytes(body)
        if begun["status"] == 200 and headers.get("content-type", "").startswith("text/html"):
            page = with_head(page, scope["path"].strip("/").rpartition("/")[2])
            for name in ("etag", "last-modified"):
                del headers[name]
            if not session.visitor(Request(scope).cookies):  # no script reads it, no other site's page sends it
                secure = "; Secure" if scope["scheme"] == "https" else ""
                named = f"{session.COOKIE}{secrets.token_hex(4)}={secrets.token_urlsafe(16)}"
                headers.append("set-cookie", f"{named}; Path=/; HttpOnly; SameSite=Lax{secure}")
        headers["content-length"] = str(len(page))
        await send({**begun, "headers": headers.raw})
        await send({"type": "http.response.body", "body": page})


@cache
def packed(file: Path, whole: bool) -> bytes:
    """Return a script, or what stands in its place until the browser is idle, compressed once for all visitors."""
    content = file.read_bytes()
    if not whole and file.name.startswith(LAZY) and (found := EXPORTS.search(content)):
        given = {each.split()[-1] for each in found[1].split(b",")} - {b"default"}
        content = (
            POSTPONED.read_bytes().replace(b"NAME", file.name.encode()).replace(b"GIVEN", b", ".join(sorted(given)))
        )
    return gzip.compress(content, COMPRESSION)


def with_head(page: bytes, name: str) -> bytes:
    """Return a page with what it will want: scripts in its head, and our style where it outdoes Streamlit's.

    Streamlit writes its styles into the head while it draws; among rules of one weight the last on the page wins.
    """
    for end, added in ((b"</head>", _links(name)), (b"</body>", _foot())):
        before, found, after = page.rpartition(end)
        page = before + added + found + after if found else page
    return page


def _links(name: str) -> bytes:
    scripts = [f"./static/js/{script}" for script in with_imports()]
    scripts += [canvas.addresses.get(own, "") for own in (*OURS, *OWN.get(name, ()))]
    return "".join(f'<link rel="modulepreload" crossorigin href="{script}">' for script in scripts if script).encode()


@cache
def _foot() -> bytes:
    return f"<style>{style()}</style><script type=module>{LECTURE.read_text(encoding='utf-8')}</script>".encode()


@cache
def with_imports() -> tuple[str, ...]:
    """Return the file names of the scripts of a first screen and of all they need, each once."""
    found: dict[str, None] = {}
    wanted = [path.name for stem in EAGER for path in SCRIPTS.glob(f"{stem}.*.js")]
    while wanted:
        name = wanted.pop(0)
        script = SCRIPTS / name
        if name not in found and script.exists():
            found[name] = None
            wanted += NEEDED.findall(script.read_text(encoding="utf-8"))
    return tuple(found)


def style() -> str:
    """Return the style sheet, and the room of every widget with a label: it is kept until the widget is drawn."""
    labelled = [f".st-key-{entry.key}" for entry in state.TABLE if entry.kind not in LOW]
    sheet = f":root {{ {scale()} }}\n{STYLE.read_text(encoding='utf-8')}"
    return f"{sheet}\n:is({', '.join(labelled)}) {{ min-height: 68px; }}\n"


async def news(request: Request) -> Response:
    """Answer with what is new since the version that the browser has; 204 where nothing is."""
    visit = session.find(request.path_params["visit"], request.cookies)
    answer = None if visit is None else visit.answer(request.path_params["name"])
    if answer is None:  # also for a page that is leaving, whose session has ended before its last look
        return Response(None, 204, NOT_STORED)
    content = await run_in_threadpool(answer, request.query_params.get("version", ""))
    return Response(None, 204, NOT_STORED) if content is None else JSONResponse(content, headers=NOT_STORED)


async def download(request: Request) -> Response:
    """Answer with a file that an open page offers."""
    key, name = (request.path_params[part] for part in ("key", "name"))
    visit = session.find(request.path_params["visit"], request.cookies)
    file = None if visit is None else visit.file(key, name)
    if file is None:
        return Response(GONE, 404, NOT_STORED, "text/plain")
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}", **NOT_STORED}
    content = await run_in_threadpool(file.read)
    if file.packed:
        return Response(content, 200, STAYS | {"cache-control": "private, immutable, max-age=31536000"}, file.mime)
    return Response(content, 200, headers | {"x-content-type-options": "nosniff"}, file.mime)


def _presenter() -> str:
    page, script = (file.read_text(encoding="utf-8") for file in (LECTURE.with_suffix(".html"), LECTURE))
    return f"{page}<script type=module>{script}</script>"


def routes() -> list[Route]:
    """Return the routes."""
    return [
        Route("/explore", lambda asked: RedirectResponse(f"./?{asked.url.query}")),  # Streamlit has it at / alone
        Route("/lecture", lambda _: HTMLResponse(_presenter(), headers=NOT_STORED)),
        Route(f"/{SCENES.name}", lambda _: FileResponse(SCENES, headers={"cache-control": "no-cache"})),
        Route(f"/{NEWS}/{{visit}}/{{name:path}}", news),
        Route(f"/{DOWNLOAD}/{{visit}}/{{key}}/{{name:path}}", download),
    ]


class Documents:
    """ASGI middleware: requests below ``/docs`` are answered with files of the site in ``folder``."""

    def __init__(self, app: ASGIApp, folder: Path) -> None:
        self._app = app
        files = ExceptionMiddleware(StaticFiles(directory=folder, html=True))  # a page that is not there: 404
        self._site = Router([Mount(f"/{PLACE}", files)], default=app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        answer = self._site if scope["type"] == "http" else self._app
        await answer(scope, receive, send)


def documents_folder(root: Path) -> Path | None:
    """Return the folder of the site that ``python -m nnspca.docs build`` made; None where none was."""
    folder = Path(os.environ.get(FOLDER) or root / "build" / PLACE)
    return folder if (folder / "index.html").exists() else None


def documents_route(root: Path) -> list[Middleware]:
    """Return what serves the site of a checkout, or the one that NNSPCA_DOCS names; nothing where none was built."""
    folder = documents_folder(root)
    return [] if folder is None else [Middleware(Documents, folder=folder)]


def link_to_documents(root: Path) -> None:
    """Draw the way to the documents, where they are served."""
    if documents_folder(root) is not None:
        st.markdown(f"[Guide, reference and examples]({PLACE}/index.html)")
