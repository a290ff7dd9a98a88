"""A class's room: variances are computed on the server, no point is above the bound, the owner alone ends the game."""

import csv
import io
import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from types import SimpleNamespace

import numpy as np
import pytest
import uvicorn
from starlette.applications import Starlette

import nnspca
from nnspca.view import cache, session
from nnspca.view.learn import rooms, web
from nnspca.view.learn.rooms import Room, RoomError, Rooms
from nnspca.view.sources import catalogue, preparation
from tests import oracle
from tests.pages.conftest import alone, answered, brought
from tests.pages.test_upload import IMAGES
from tests.server import free_port

N, K = 9, 3


@pytest.fixture
def held(monkeypatch):
    """The server's rooms, none yet."""
    monkeypatch.setattr(web, "ROOMS", Rooms())
    return web.ROOMS


@pytest.fixture
def passes(monkeypatch):
    """Return ``passes(seconds)``: the rooms' time passes where a test says so."""
    now = [time.monotonic()]
    monkeypatch.setattr(rooms, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return lambda seconds: now.append(now.pop() + seconds)


def made(held):
    """An open room on a small problem, and its matrix and optimum."""
    X = np.random.default_rng(3).standard_normal((20, N))
    cov = nnspca.Covariance.from_data(X)
    cert = nnspca.certify(cov, K)
    scene = {"image": {"rows": 3, "columns": 3, "mean": None}}
    board = {"title": "nine", "noun": "pixels", "n": N, "k": K, "scene": scene}
    solver = {"support": cert.component.support.tolist(), "loadings": [1.0]}
    return (
        held.open(lambda: cov, board | {"solver": solver, "answers": [10.0, 20.0]}, cert.lower, cert.upper),
        cov,
        cert,
    )


def post(code, what, said, kind="application/json", **headers):
    body = said if isinstance(said, bytes) else json.dumps(said).encode()
    app = Starlette(routes=web.routes())
    status, _, content = answered(app, f"/room/{code}/{what}", "POST", body, content_type=kind, **headers)
    return status, json.loads(content)


@contextmanager
def listening():
    """A server of the rooms alone, in this process; its port."""
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=web.routes()), port=port, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join()


def opened(page):
    """Press the button; the code and the owner's token in the way to the wall."""
    page.button[0].click().run()
    assert not page.exception
    return re.search(r"room/(\w+)/wall#([\w-]+)", page.markdown[0].value).groups()


def offering(**kept):
    """A visit of its own, or the one that is kept, to a page that offers a room with its images or the faces."""
    script = """
from nnspca.view import session
from nnspca.view.learn import web
web.room_button(next(iter(session.current().uploads), "lfw-faces"))
"""
    return alone(script, **kept)


def test_what_an_attempt_explains_is_attained_and_never_above_the_optimum_of_its_features(held):
    rng = np.random.default_rng(0)
    _, cov, cert = made(held)
    for _ in range(60):
        features = rng.choice(N, int(rng.integers(1, K + 1)), replace=False).tolist()
        best, _ = oracle.optimum(cov.matrix[np.ix_(features, features)], len(features))
        assert best * (1 - 1e-6) <= rooms.variance(cov, features) <= best * (1 + 1e-12) <= cert.upper * (1 + 1e-12)
    assert rooms.variance(cov, []) == 0.0


def test_an_attempt_stands_on_the_wall_and_a_phone_that_comes_back_finds_what_it_painted(held):
    room, _, _ = made(held)
    status, me = post(room.code, "join", {"name": "A\u202eda <b>"})
    assert status == 200 and "\u202e" not in me["name"]
    status, told = post(room.code, "attempt", {"who": me["who"], "features": [4, 1]})
    assert status == 200 and told["percent"].endswith("%") and not told["revealed"]
    again = post(room.code.lower(), "join", {"who": me["who"]})[1]
    assert (again["who"], again["features"]) == (me["who"], [4, 1])
    news = room.news(0)
    assert (news["people"], news["count"], len(news["points"])) == (1, 1, 1) and 0 < news["points"][0][0] <= 1
    assert news["solver"] is None and "features" not in news["leaders"][0]
    assert room.news(1)["points"] == [] and me["who"] not in json.dumps(news)


@pytest.mark.parametrize("features", [[0, 0], [0, 1, 2, 3], [N], [-1], [True], ["1"], "all", [0.0]])
def test_what_is_no_painting_is_refused(held, features):
    room, _, _ = made(held)
    who = post(room.code, "join", {})[1]["who"]
    assert post(room.code, "attempt", {"who": who, "features": features})[0] == 400
    assert room.news(0)["count"] == 0


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"[" * web.LONGEST, "application/json", 400),
        (b'{"a":' * 800, "application/json", 400),
        (b'{"who": "\\ud800", "features": [1]}', "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"{}", "text/plain", 415),
        (b" " * (web.LONGEST + 1), "application/json", 413),
        (b'{"who": "guess", "features": [1]}', "application/json", 403),
    ],
)
def test_what_is_no_request_is_refused(held, body, kind, status):
    code = made(held)[0].code
    for what in ("attempt", "join", "ask") if status == 400 else ("attempt",):
        assert post(code, what, body, kind)[0] == status


def test_a_visit_has_one_room_and_all_rooms_of_a_data_set_one_covariance_within_the_limit(held, monkeypatch):
    visits = [offering(), offering()]
    (first, owner), (second, _) = map(opened, visits)
    assert opened(visits[0]) == (first, owner) and first != second
    ways = [held.find(code).cov for code in (first, second)]
    shared, (key, _) = cache.shared(), preparation.covariance_task(catalogue.dataset("lfw-faces"), True, False)
    assert ways[0]() is ways[1]() is shared.get(key, pytest.fail)
    monkeypatch.setattr(shared, "most_bytes", 1)
    shared.get("other", lambda: np.zeros(10))
    assert not shared.holds(key)
    who = post(first, "join", {})[1]["who"]
    assert post(first, "attempt", {"who": who, "features": [200, 201]})[0] == 200
    assert post(first, "close", {"owner": owner})[0] == 200
    assert opened(visits[0])[0] not in (first, second)


def test_a_room_ends_once_its_owner_is_gone_and_no_phone_is_left(held, passes):
    (left, watched, played), _ = zip(*[opened(offering()) for _ in range(3)], strict=True)
    owner, app = held.find(watched).owner, Starlette(routes=web.routes())
    for _ in range(3):
        passes(0.4 * rooms.IDLE)
        assert answered(app, f"/room/{watched}/news", owner=owner)[0] == 200
        assert answered(app, f"/room/{played}/now")[0] == 200
        answered(app, f"/room/{left}/news")  # which anyone may do
    assert answered(app, f"/room/{left}/news")[0] == 404
    passes(1.1 * rooms.IDLE)
    assert answered(app, f"/room/{watched}/news", owner=owner)[0] == 404


def test_a_room_with_images_of_the_owners_own_ends_with_the_visit_and_holds_them_no_longer(
    held, open_page, monkeypatch
):
    monkeypatch.setattr(session, "seconds_kept", lambda: 0.01)
    visit = offering(session=brought(open_page("pages/data.py"), *IMAGES).session_state["session"])
    code, _ = opened(visit)
    here = visit.session_state["session"]
    (data,) = here.uploads.values()
    assert held.find(code).cov() is preparation.covariance_for(data, False, False)
    before = threading.enumerate()
    here.leave()
    for ending in set(threading.enumerate()).difference(before):
        ending.join()
    with pytest.raises(RoomError):
        held.find(code)
    assert not here.uploads and not cache.shared().forget({data.name})


def test_people_join_from_one_address_as_fast_as_a_class_and_a_browser_is_one_person(held, passes, monkeypatch):
    monkeypatch.setattr(rooms, "JOINS", 3)
    room, _, _ = made(held)
    phone = {"cookie": f"{session.COOKIE}1=its"}
    assert len({post(room.code, "join", {}, **phone)[1]["who"] for _ in range(5)}) == 1
    assert [post(room.code, "join", {})[0] for _ in range(4)] == [200, 200, 429, 429]
    assert room.join("", "", "another address")["who"] and post(room.code, "join", {}, **phone)[0] == 200
    passes(1.1 * rooms.WITHIN)
    assert post(room.code, "join", {})[0] == 200


def test_the_owner_takes_someone_out_who_does_not_come_in_again(held):
    room, _, _ = made(held)
    phone = {"cookie": f"{session.COOKIE}1=its"}
    rude, other = (
        post(room.code, "join", {"name": name}, **more)[1]["who"] for name, more in (("X", phone), ("Y", {}))
    )
    for who in (rude, other):
        post(room.code, "attempt", {"who": who, "features": [1]})
    assert room.news(0)["everyone"] is None
    (number,) = (one["number"] for one in room.news(0, room.owner)["everyone"] if one["name"] == "X")
    assert post(room.code, "remove", {"owner": other, "number": number})[0] == 403
    assert post(room.code, "remove", {"owner": room.owner, "number": number})[0] == 200
    news = room.news(0, room.owner)
    assert [one["name"] for one in (*news["everyone"], *news["leaders"])] == ["Y", "Y"] and len(news["points"]) == 1
    assert post(room.code, "attempt", {"who": rude, "features": [1]})[0] == 403
    assert post(room.code, "join", {"who": rude})[0] == post(room.code, "join", {}, **phone)[0] == 403
    assert number not in {one["number"] for one in room.news(0, room.owner)["everyone"]}
    assert (
        room.join("", "Z")["name"] == "Z" and len({one["number"] for one in room.news(0, room.owner)["everyone"]}) == 2
    )


def test_the_owner_alone_reveals_and_closes(held):
    room, cov, _ = made(held)
    who = post(room.code, "join", {})[1]["who"]
    post(room.code, "attempt", {"who": who, "features": [2]})
    for owner in ("", who, room.code):
        assert (
            post(room.code, "ask", {"owner": owner, "chapter": 0})[0]
            == post(room.code, "close", {"owner": owner})[0]
            == 403
        )
    assert post(room.code, "ask", {"owner": room.owner, "chapter": 0, "answered": True})[0] == 200
    news = room.news(0)
    assert news["solver"]["percent"].endswith("%") and news["leaders"][0]["features"] == (2,)
    assert post(room.code, "ask", {"owner": room.owner, "chapter": 2})[0] == 200
    assert post(room.code, "ask", {"owner": who, "chapter": 1})[0] == 403
    assert room.now() == {"asked": 2, "answer": None}
    assert [post(room.code, "guess", {"who": who, "value": value})[0] for value in ("7", 10**400, 0.5)] == [
        400,
        400,
        200,
    ]
    assert room.news(0)["guesses"] == [0.5] and room.news(0)["answer"] is None
    assert post(room.code, "ask", {"owner": room.owner, "chapter": 2, "answered": True})[0] == 200
    assert room.news(0)["answer"] == room.now()["answer"] == 20.0
    assert post(room.code, "guess", {"who": who, "value": 1})[0] == 400  # the answer is known
    assert post(room.code, "close", {"owner": room.owner})[0] == 200
    assert [post(room.code, act, {"who": who})[0] for act in ("join", "attempt", "results")] == [404, 404, 403]
    results = post(room.code, "results", {"owner": room.owner})[1]
    painting, guess = list(csv.DictReader(io.StringIO(results["csv"])))
    assert float(painting["value"]) == pytest.approx(rooms.variance(cov, [2]))
    assert float(painting[rooms.RESULT[4]]) <= 1 and painting["time"]
    assert (guess["what"], float(guess["value"])) == ("guess, chapter 2", 0.5)
    assert results["paintings"][0]["features"] == [2]


def test_a_browser_finds_its_rooms_again_and_a_phone_without_a_code_is_asked_for_it(held):
    app = Starlette(routes=web.routes())
    room, cov, _ = made(held)
    room.browser = frozenset({"its"})
    assert held.of(frozenset({"its"}), "") == held.of(frozenset(), room.code) == [room]
    assert held.of(frozenset({"another"}), "") == []
    for path, status in (("/room", 200), ("/room/WRONG", 404)):
        answer = answered(app, path, accept="text/html")
        assert answer[0] == status and b"enter(" in answer[2]
    me, other = (post(room.code, "join", {})[1] for _ in range(2))
    post(room.code, "attempt", {"who": other["who"], "features": [0, 1, 2]})
    standing = post(room.code, "attempt", {"who": me["who"], "features": [0]})[1]
    assert (standing["number"], standing["painters"]) == (1, 2)
    assert standing["place"] == 1 + (rooms.variance(cov, [0]) < rooms.variance(cov, [0, 1, 2]))


def test_rooms_people_and_attempts_are_limited_and_a_room_ends(held, passes, monkeypatch):
    monkeypatch.setattr(rooms, "MOST_PEOPLE", 2)
    monkeypatch.setattr(rooms, "MOST_ROOMS", 1)
    monkeypatch.setattr(rooms, "IDLE", np.inf)
    room, _, _ = made(held)
    who = [post(room.code, "join", {})[1].get("who") for _ in range(3)]
    assert who[2] is None and post(room.code, "join", {"who": who[0]})[0] == 200
    statuses = [post(room.code, "attempt", {"who": who[0], "features": [1]})[0] for _ in range(rooms.PER_SECOND + 1)]
    assert statuses.count(200) >= rooms.PER_SECOND and room.news(0)["count"] == statuses.count(200)
    with pytest.raises(RoomError, match="1 rooms open"):
        made(held)
    passes(1.1 * rooms.LASTS)
    assert post(room.code, "join", {})[0] == 404
    assert isinstance(made(held)[0], Room)  # there is room again


def test_a_class_plays_over_http_a_wall_keeps_the_latest_attempts_and_what_is_malformed_fills_no_log(
    held, monkeypatch, capfd
):
    monkeypatch.setattr(rooms, "MOST_POINTS", 100)
    monkeypatch.setattr(rooms, "JOINS", rooms.MOST_PEOPLE)
    room, _, _ = made(held)
    many, each = 40, 3
    room.ask(room.owner, 1, False)

    def ask(wire, method, what, said=None):
        body = said if said is None or isinstance(said, bytes) else json.dumps(said)
        wire.request(method, f"/room/{room.code}/{what}", body, {"content-type": "application/json"})
        answer = wire.getresponse()
        return answer.status, json.loads(answer.read())

    def student(number, port):
        with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as wire:
            who = ask(wire, "POST", "join", {"name": f"S{number}"})[1]["who"]
            for turn in range(each):
                features = [(number + turn + step) % N for step in range(K)]
                assert ask(wire, "POST", "attempt", {"who": who, "features": features})[0] == 200
            assert ask(wire, "POST", "guess", {"who": who, "value": number})[0] == 200
            assert ask(wire, "POST", "attempt", (b"[" * 4000, b'{"who": "\\ud800"}', b"\xff")[number % 3])[0] == 400
            return ask(wire, "GET", "news?since=0")[1]

    with listening() as port, ThreadPoolExecutor(many) as crowd:
        seen = list(crowd.map(student, range(many), [port] * many))
    assert max(news["people"] for news in seen) == many and max(news["count"] for news in seen) == many * each
    for news in seen:
        assert len(news["points"]) == min(news["count"], 100) and all(share <= 1 for share, _ in news["points"])
    assert sorted(room.news(0)["guesses"]) == list(range(many))
    assert not capfd.readouterr().err
