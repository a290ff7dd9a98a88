"""Identifiers of sessions: one that is guessed, or another visitor's own, opens nothing that is not the asker's."""

import urllib.error
import urllib.request
import uuid
from contextlib import contextmanager, nullcontext

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from tests.server import serving, shared

PATIENCE = 60  # seconds until a session answers


@pytest.fixture(scope="module")
def server():
    given = shared()
    with nullcontext(given) if given else serving() as running:
        yield running


@contextmanager
def entered(server, *subprotocols):
    """Open a session, naming an identifier if any; its identifier, and all that is sent until the page is drawn."""
    stream = server.address.replace("http", "ws") + "/_stcore/stream"
    with connect(stream, subprotocols=["streamlit", *subprotocols], max_size=None, origin=server.address) as socket:
        yield _drawn(socket)


def _drawn(socket):
    """Ask for a page and read until its script has finished."""
    request = BackMsg()
    request.rerun_script.page_name = "data"
    socket.send(request.SerializeToString())
    given, sent = None, b""
    while True:
        sent += (message := socket.recv(timeout=PATIENCE))
        answer = ForwardMsg.FromString(message)
        if answer.WhichOneof("type") == "new_session":
            given = answer.new_session.initialize.session_id
        if given and answer.WhichOneof("type") == "script_finished":
            return given, sent


def test_an_identifier_that_is_guessed_is_not_taken(server):
    guess = str(uuid.uuid4())
    with entered(server, "none", guess) as (given, _):
        assert given != guess


def test_an_identifier_is_the_key_of_its_session_and_sent_to_its_own_visitor_alone(server):
    """Streamlit opens the session to any browser that sends it, as a reload does: no other visitor may learn it."""
    with entered(server) as (own, _):
        with entered(server) as (given, sent):
            assert given != own and own.encode() not in sent and given.encode() in sent
        assert own not in server.output()
        with entered(server, "none", own) as (again, _):
            assert again == own


def test_a_file_is_taken_at_the_address_that_the_page_is_given_and_at_no_other_of_its_own(server):
    """Else one page could send any number of them, each of a size that is allowed, and have all of them kept."""
    stream = server.address.replace("http", "ws") + "/_stcore/stream"
    with connect(stream, subprotocols=["streamlit"], max_size=None, origin=server.address) as socket:
        session, _ = _drawn(socket)
        request = BackMsg()
        request.file_urls_request.request_id = "1"
        request.file_urls_request.file_names.append("a.csv")
        socket.send(request.SerializeToString())
        while (answer := ForwardMsg.FromString(socket.recv(timeout=PATIENCE))).WhichOneof(
            "type"
        ) != "file_urls_response":
            pass
        (given,) = answer.file_urls_response.file_urls
        with urllib.request.urlopen(f"{server.address}/_stcore/health", timeout=PATIENCE) as health:
            token = health.headers["Set-Cookie"].partition("_streamlit_xsrf=")[2].partition(";")[0]
        own = f"/_stcore/upload_file/{session}/{uuid.uuid4()}"
        assert given.upload_url.startswith(f"/_stcore/upload_file/{session}/")
        assert [_put(server, address, token) for address in (given.upload_url, own)] == [204, 404]


def _put(server, address, token):
    """Send a file of a megabyte and return the answer's status."""
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    request = urllib.request.Request(
        server.address + address, data=head + bytes(2**20) + b"\r\n--x--\r\n", method="PUT"
    )
    for name, value in (
        ("Content-Type", "multipart/form-data; boundary=x"),
        ("X-Xsrftoken", token),
        ("Cookie", f"_streamlit_xsrf={token}"),
    ):
        request.add_header(name, value)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_no_file_is_put_into_or_taken_from_a_session_by_an_identifier_that_is_guessed(server, method):
    place = f"{server.address}/_stcore/upload_file/{uuid.uuid4()}/{uuid.uuid4()}"
    request = urllib.request.Request(place, data=b"x" if method == "PUT" else None, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            assert method == "DELETE" and answer.status == 204  # which takes nothing, as nothing is there
    except urllib.error.HTTPError as error:
        assert error.code in (400, 403, 404)
        error.close()
