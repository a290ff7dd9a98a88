"""The documents beside the app: the site that ``python -m nnspca.docs build`` made is served under ``/docs``."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.routing import Mount, Router
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from nnspca.view.link import guide


class Documents:
    """ASGI middleware: requests below ``/docs`` are answered with files of the site, all others by the app.

    Parameters
    ----------
    app : ASGI application
    folder : path
        Where the site is.
    """

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


def link(root: Path) -> None:
    """Draw the way to the documents, where they are served."""
    if guide.built(root) is not None:
        st.markdown(f"[Guide, reference and examples]({guide.PLACE}/index.html)")
