"""Routes of our own beside Streamlit's: news for components, files to download, and the documents under ``/docs``."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, Router
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from nnspca.view import session
from nnspca.view.link import guide
from nnspca.view.session import DOWNLOAD, NEWS

FRESH = {"cache-control": "no-store"}
GONE = "This link has expired: its page was closed or no longer offers this file. Open the page again."


async def news(request: Request) -> Response:
    """Answer with what is new since the version that the browser has; 204 where nothing is."""
    visit = session.find(request.path_params["visit"])
    answer = None if visit is None else visit.answer(request.path_params["name"])
    if answer is None:
        return Response(GONE, 404, FRESH, "text/plain")
    content = await run_in_threadpool(answer, request.query_params.get("version", ""))
    return Response(None, 204, FRESH) if content is None else JSONResponse(content, headers=FRESH)


async def download(request: Request) -> Response:
    """Answer with a file that an open page offers."""
    visit, key, name = (request.path_params[part] for part in ("visit", "key", "name"))
    visitor = session.find(visit)
    file = None if visitor is None else visitor.file(key, name)
    if file is None:
        return Response(GONE, 404, FRESH, "text/plain")
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}", **FRESH}
    content = await run_in_threadpool(file.read)
    return Response(content, 200, headers | {"x-content-type-options": "nosniff"}, file.mime)


def routes() -> list[Route]:
    """Return the routes."""
    return [
        Route(f"/{NEWS}/{{visit}}/{{name:path}}", news),
        Route(f"/{DOWNLOAD}/{{visit}}/{{key}}/{{name:path}}", download),
    ]


class Documents:
    """ASGI middleware: requests below ``/docs`` are answered with files of the site in ``folder``."""

    def __init__(self, app: ASGIApp, folder: Path) -> None:
        self._app = app
        files = ExceptionMiddleware(StaticFiles(directory=folder, html=True))  # a page that is not there: 404
        self._site = Router([Mount(f"/{guide.PLACE}", files)], default=app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        answer = self._site if scope["type"] == "http" else self._app
        await answer(scope, receive, send)


def served(root: Path) -> list[Middleware]:
    """Return what serves the site of a checkout, or the one that NNSPCA_DOCS names; nothing where none was built."""
    folder = guide.built(root)
    return [] if folder is None else [Middleware(Documents, folder=folder)]


def link_to_documents(root: Path) -> None:
    """Draw the way to the documents, where they are served."""
    if guide.built(root) is not None:
        st.markdown(f"[Guide, reference and examples]({guide.PLACE}/index.html)")
