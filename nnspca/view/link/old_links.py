"""Links of earlier versions: the page and the keys that open the same view today."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

PAGES = {"variance": "", "samples": "", "race": "compare", "experiments": "papers"}  # the new page of each old one
# Folds of earlier versions: the fold that holds the same today, and what is chosen in it.
FOLDS = {
    "closer": ("proof", "proof_view", "bounds"),
    "certificate": ("proof", "proof_view", "certificate"),
    "need": ("proof", "proof_view", "indispensable"),
    "given": ("more", "more_view", "data"),
    "take": ("more", "more_view", "downloads"),
    "which": ("more", "more_view", "which k"),
}
PARTS_FOLDS = {
    "certificate": ("proven", "proven_view", "certificate"),
    "proofs": ("proven", "proven_view", "each part alone"),
    "stable": ("proven", "proven_view", "stability"),
    "hands": ("others", "", ""),
    "rebuild": ("use", "use_view", "samples"),
    "take": ("use", "use_view", "downloads"),
}
DROPPED = ("live", "ghost")  # what has no choice any more
POINT = " · "  # between k and solver, in an old key that named a point of a curve
Query = list[tuple[str, str]]


def rewritten(path: str, query: str) -> tuple[str, str] | None:
    """Return today's page and query of an old link; None where nothing has changed.

    >>> rewritten("/race", "racers=em&k=3")
    ('compare', 'what=solvers&racers=em&k=3')
    >>> rewritten("/compare", "vs=lrs&scale=as+is")
    ('compare', 'vs=lrs&scales=as+is')
    >>> rewritten("/variance", "methods=em&point=5+%C2%B7+em")
    ('', 'methods=em&k=5&method=em')
    >>> rewritten("/", "certificate=true"), rewritten("/", "k=3")
    (('', 'proof=true&proof_view=certificate'), None)
    """
    old = path.strip("/").rpartition("/")[2]
    pairs = parse_qsl(query, keep_blank_values=True)
    known = [pair for pair in pairs if pair[0] not in DROPPED]
    page = PAGES.get(old, old)
    if page in ("", "explore"):
        page, known = "", _explored(old, known)
    elif page == "parts":
        known = _folded(known, PARTS_FOLDS)
    elif old == "race":
        known = [("what", "solvers"), *known]
    elif page == "compare" and ("what", "solvers") not in known:
        known = [("scales" if key == "scale" else key, value) for key, value in known]
    if old not in PAGES and known == pairs:
        return None
    return page, urlencode(known)


def _explored(old: str, pairs: Query) -> Query:
    """Return the keys of the Explore page that say what those of an older page said."""
    keys = {key for key, _ in pairs}
    new: Query = []
    if old == "variance" and "methods" not in keys:
        new += [("methods", "best"), ("methods", "em")]
    if old == "samples":
        new.append(("samples", "true"))
    for key, value in _folded(pairs, FOLDS):
        if key == "point" and POINT in value:
            k, _, method = value.partition(POINT)
            new += [("k", k), ("method", method)]
        else:
            new.append((key, value))
    if {"bounds", "paper_band"} & keys and not {"proof", "closer", "certificate", "need"} & keys:
        new += [("proof", "true"), ("proof_view", "bounds")]
    return new


def _folded(pairs: Query, folds: Mapping[str, tuple[str, str, str]]) -> Query:
    """Return the keys with those of former folds replaced by the fold that holds the same today, the first of each.

    >>> _folded([("stable", "true"), ("proofs", "true"), ("r", "3")], PARTS_FOLDS)
    [('proven', 'true'), ('proven_view', 'stability'), ('r', '3')]
    """
    new: Query = []
    for key, value in pairs:
        if key not in folds:
            new.append((key, value))
        elif value == "true" and folds[key][0] not in {name for name, _ in new}:
            fold, choice, view = folds[key]
            new += [(fold, "true"), *([(choice, view)] if choice else [])]
    return new


def _is_page(scope: Scope) -> bool:
    """Tell whether a request asks for a page."""
    return (
        scope["type"] == "http" and scope["method"] == "GET" and "text/html" in Headers(scope=scope).get("accept", "")
    )


class OldLinks:
    """ASGI middleware: a page asked for by an old link is redirected to where it stands today."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if _is_page(scope):
            new = rewritten(scope["path"], scope.get("query_string", b"").decode("ascii", "replace"))
            if new is not None:
                await RedirectResponse(f"./{new[0]}?{new[1]}", status_code=307)(scope, receive, send)
                return
        await self._app(scope, receive, send)
