"""The two pages of a room, a student's and the wall's, and what they ask for: routes beside Streamlit's own."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from string import Template
from typing import Any

import segno
import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from nnspca.view import cache, sanitize, session
from nnspca.view.learn import boards, chapters
from nnspca.view.learn.rooms import ROOMS, Room, RoomError
from nnspca.view.link import canvas, state
from nnspca.view.sources import catalogue, preparation
from nnspca.view.ui import component

HERE = Path(__file__).with_name("browser")
PLACE = "room"
LONGEST = 4096  # bytes of a request
NOT_STORED = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
PAGE = HERE / "room.html"
LOCAL = re.compile(r"https?://(localhost|127\.)")
REACHED = "streamlit run app.py --server.address 0.0.0.0"


def room_button(name: str) -> None:
    """Draw the button that opens a room with a data set, faces where it has no images, and the way to its wall."""
    asked = st.button(
        "Open a room", icon=":material/groups:", help="Students paint on their phones, without an account."
    )
    here = session.current()
    rooms = ROOMS.of(here.visitor, here.room)
    try:
        if asked and not any(not room.closed for room in rooms):
            rooms.insert(0, _opened(name))
    except RoomError as error:
        st.error(error.args[0])
    for room in rooms:
        wall, title = f"{PLACE}/{room.code}/wall#{room.owner}", sanitize.plain(room.board["title"])
        says = "open for two hours, or until you close it on its wall. [Show its wall to the class]"
        says = "closed. [Its results]" if room.closed else says
        st.markdown(f"Room **{room.code}** with {title} is {says}({wall})")
    if LOCAL.match(str(st.context.url)):
        st.caption(f"Phones do not reach this address: start the app by `{REACHED}`, open it by the computer's name.")


def _opened(name: str) -> Room:
    """Open a room with a data set as its opening view takes it; it ends after this visit."""
    here, shared = session.current(), cache.shared()
    if catalogue.dataset(name).image_shape is None:
        name = boards.BOARDS["faces"]
    data = catalogue.dataset(name)
    best = boards.proven(name)
    board = {
        "title": sanitize.line(data.title),
        "noun": component.called(data),
        "n": data.n_features,
        "k": boards.board_k(name),
        "scene": component.features_payload(data, component.mean_sample(data), ()),
        "solver": boards.solver(best),
    }
    own = name in here.desks
    maker = partial(preparation.covariance_task, standardise=state.opening(name).standardise, repair=False)
    key, make = maker(data)
    again = make if own else lambda: maker(catalogue.local_dataset(name))[1]()
    board["questions"], board["answers"] = chapters.questions()
    room = ROOMS.open(lambda: shared.get(key, again), board, best.lower, best.upper)
    here.room, room.browser = room.code, here.visitor
    if own:
        here.at_end["room"] = partial(ROOMS.drop, room.code)  # files of the visit's own go with it
    return room


def room_page(
    name: str, data: dict[str, Any], styles: Sequence[str] = ("room",), scripts: Sequence[str] = (), status: int = 200
) -> Response:
    """Return a page that stands outside Streamlit: it calls the function of its name with the data."""
    text = Template(PAGE.read_text(encoding="utf-8")).substitute(
        title=f"Room {data['code']}" if "code" in data else "nnspca",
        style="".join(canvas.component_style(style, HERE) for style in styles).replace(":host", ":root"),
        scripts=canvas.written(HERE, scripts or ("predict.js", f"{name}.js")),
        open=name,
        data=json.dumps(data).replace("<", "\\u003c"),
    )
    return HTMLResponse(text, status, NOT_STORED)


def _room(name: str) -> Callable[[Request, Room], Response]:
    return lambda _, room: room_page(name, {**room.board, "code": room.code})


def qr_code(request: Request, room: Room) -> Response:
    """Return a student's address as a QR code; the wall says whether it came by TLS, which a proxy may have ended."""
    file, scheme = io.BytesIO(), "https" if "tls" in request.query_params else request.url.scheme
    address = request.url.replace(scheme=scheme, path=request.url.path.removesuffix("/code.svg"), query="")
    segno.make(str(address), error="m").save(file, kind="svg", scale=8, border=2, light="white")
    return Response(file.getvalue(), 200, NOT_STORED, "image/svg+xml")


def news(request: Request, room: Room) -> Response:
    """Return what is new on the wall."""
    since = request.query_params.get("since", "0")
    first = int(since) if since.isdecimal() and len(since) < 10 else 0
    return JSONResponse(room.news(first, request.headers.get("owner", "")), headers=NOT_STORED)


def _text(said: dict[str, Any], key: str) -> str:
    return str(said.get(key, ""))[:64]


def _join(room: Room, said: dict[str, Any], request: Request) -> dict[str, Any]:
    address = request.client.host if request.client else ""
    return room.join(_text(said, "who"), _text(said, "name"), address, session.visitor(request.cookies))


ACTS: dict[str, Callable[[Room, dict[str, Any], Request], dict[str, Any]]] = {
    "join": _join,
    "attempt": lambda room, said, _: room.attempt(_text(said, "who"), said.get("features")),
    "remove": lambda room, said, _: room.remove(_text(said, "owner"), said.get("number")),
    "guess": lambda room, said, _: room.guess(_text(said, "who"), said.get("value")),
    "ask": lambda room, said, _: room.ask(_text(said, "owner"), said.get("chapter"), said.get("answered")),
    "results": lambda room, said, _: room.results(_text(said, "owner")),
    "close": lambda room, said, _: room.close(_text(said, "owner")),
}
LOOKS: dict[str, Callable[[Request, Room], Response]] = {
    "": _room("phone"),
    "/wall": _room("wall"),
    "/now": lambda _, room: JSONResponse(room.now(), headers=NOT_STORED),
    "/code.svg": qr_code,
    "/news": news,
}


async def act(request: Request) -> Response:
    """Do what a phone or the wall asks for."""
    try:
        room, body = ROOMS.find(request.path_params["code"]), bytearray()
        if not request.headers.get("content-type", "").startswith("application/json"):  # no form of another site
            raise RoomError("Send JSON.", 415)
        async for part in request.stream():
            body += part
            if len(body) > LONGEST:
                raise RoomError(f"More than {LONGEST} bytes.", 413)
        try:
            said = json.loads(bytes(body))
            json.dumps(said, ensure_ascii=False).encode()  # half a surrogate pair is no text
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            raise RoomError("Send a JSON object.", 400)
        return JSONResponse(
            await run_in_threadpool(ACTS[request.path_params["act"]], room, said, request), headers=NOT_STORED
        )
    except KeyError:
        return JSONResponse({"error": f"Ask for {', '.join(ACTS)}."}, 404, NOT_STORED)
    except RoomError as error:
        return JSONResponse({"error": error.args[0]}, error.args[1], NOT_STORED)


def _look(answer: Callable[[Request, Room], Response]) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        try:
            return await run_in_threadpool(answer, request, ROOMS.find(request.path_params["code"]))
        except RoomError as error:
            if "text/html" in request.headers.get("accept", ""):
                return room_page("enter", {"said": error.args[0]}, status=error.args[1])
            return Response(error.args[0], error.args[1], NOT_STORED, "text/plain")
        except ValueError:  # a Host that is none, or too long for a QR code
            return Response("Ask by the address of this server.", 400, NOT_STORED, "text/plain")

    return endpoint


def routes() -> list[Route]:
    """Return the routes."""
    enter = Route(f"/{PLACE}", lambda _: room_page("enter", {"said": ""}))
    looks = [enter, *(Route(f"/{PLACE}/{{code}}{path}", _look(answer)) for path, answer in LOOKS.items())]
    return [*looks, Route(f"/{PLACE}/{{code}}/{{act}}", act, methods=["POST"])]
