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
def entered(server, *told):
    """Say an identifier, if any; the connection, and the identifier of the session that it is given."""
    stream = server.address.replace("http", "ws") + "/_stcore/stream"
    with connect(stream, subprotocols=["streamlit", *told], max_size=None, origin=server.address) as socket:
        yield socket, asked(socket)


def drawn(socket):
    """Everything that is sent while a page is drawn to its end."""
    heard = b""
    _ask(socket)
    while True:
        heard += (told := socket.recv(timeout=PATIENCE))
        if ForwardMsg.FromString(told).WhichOneof("type") == "script_finished":
            return heard


def _ask(socket):
    message = BackMsg()
    message.rerun_script.page_name = "data"
    socket.send(message.SerializeToString())


def asked(socket):
    """Ask for a page; the identifier of the session that draws it."""
    _ask(socket)
    while True:
        answer = ForwardMsg.FromString(socket.recv(timeout=PATIENCE))
        if answer.WhichOneof("type") == "new_session":
            return answer.new_session.initialize.session_id


def test_an_identifier_that_is_guessed_is_not_taken(server):
    guess = str(uuid.uuid4())
    with entered(server, "none", guess) as (_, given):
        assert given != guess


def test_an_identifier_is_the_key_of_its_session_and_told_to_its_own_visitor_alone(server):
    """Streamlit opens the session to any browser that sends it, as a reload does: no other visitor may learn it."""
    with entered(server) as (_, own):
        with entered(server) as (other, given):
            heard = drawn(other)
            assert given != own and own.encode() not in heard and given.encode() in heard
        assert own not in server.output()
        with entered(server, "none", own) as (_, again):
            assert again == own


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_no_file_is_put_into_or_taken_from_a_session_by_an_identifier_that_is_guessed(server, method):
    place = f"{server.address}/_stcore/upload_file/{uuid.uuid4()}/{uuid.uuid4()}"
    request = urllib.request.Request(place, data=b"x" if method == "PUT" else None, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            assert method == "DELETE" and answer.status == 204  # which takes nothing, as nothing is there
    except urllib.error.HTTPError as error:
        assert error.code in (400, 403)
        error.close()
