"""A visit by Streamlit's protocol, without a browser: a page is asked for, and all that is sent until it is drawn."""

import urllib.request
from contextlib import contextmanager

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

PATIENCE = 60  # seconds until a session answers


def cookie(address):
    """Ask for the start page as a browser does; the cookie that comes with it."""
    request = urllib.request.Request(address, headers={"accept": "text/html"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as page:
        return page.headers.get("set-cookie", "").partition(";")[0]


@contextmanager
def session(address, *subprotocols, cookie=""):
    """Open a session, naming an identifier if any, as the browser that has this cookie."""
    stream = address.replace("http", "ws") + "/_stcore/stream"
    words, headers = ["streamlit", *subprotocols], {"cookie": cookie} if cookie else {}
    with connect(stream, subprotocols=words, max_size=None, origin=address, additional_headers=headers) as socket:
        yield socket


def told(socket):
    """The next message, as it was sent and read."""
    message = socket.recv(timeout=PATIENCE)
    return message, ForwardMsg.FromString(message)


def drawn(socket, page="", query="", address=""):
    """Ask for a page; its session's identifier (none where it was drawn before), and all that is sent until its end."""
    request = BackMsg()
    request.rerun_script.page_name, request.rerun_script.query_string = page, query
    request.rerun_script.context_info.url = address
    socket.send(request.SerializeToString())
    given, sent, ended = None, b"", False
    while not ended:
        message, answer = told(socket)
        sent += message
        if answer.WhichOneof("type") == "new_session":
            given = answer.new_session.initialize.session_id
        ended = answer.WhichOneof("type") == "script_finished" and given is not None
    return given, sent
