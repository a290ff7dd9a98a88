"""Routes of our own beside Streamlit's: news for components, files to download."""

from __future__ import annotations

from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from nnspca.view.link import visits
from nnspca.view.link.visits import DOWNLOAD, NEWS

FRESH = {"cache-control": "no-store"}
GONE = "This link has expired: its page was closed or no longer offers this file. Open the page again."


async def news(request: Request) -> Response:
    """Answer with what is new since the version that the browser has; 204 where nothing is."""
    visit = visits.find(request.path_params["visit"])
    answer = None if visit is None else visit.answer(request.path_params["name"])
    if answer is None:
        return Response(GONE, 404, FRESH, "text/plain")
    content = await run_in_threadpool(answer, request.query_params.get("version", ""))
    return Response(None, 204, FRESH) if content is None else JSONResponse(content, headers=FRESH)


async def download(request: Request) -> Response:
    """Answer with a file that an open page offers."""
    visit, key, name = (request.path_params[part] for part in ("visit", "key", "name"))
    visitor = visits.find(visit)
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
