"""A visit to the running app by Streamlit's protocol, without a browser: the page is drawn to its end."""

import re
import time
from collections import Counter

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from tests.fuzz import GotThrough
from tests.fuzz.hostile import address
from tests.server import Server

PATIENCE = 60  # seconds until a page is drawn
WRONG = re.compile(r"Traceback|\bERROR\b|Exception")


def visit(server: Server, page: str, link: dict) -> None:
    """Open one page by one link as a new visitor; raise where it shows an error of Python or the server logs one."""
    asked = BackMsg()
    asked.rerun_script.query_string = address(link)
    asked.rerun_script.page_name = "" if page == "app" else page
    seen: Counter = Counter()
    stream = server.address.replace("http", "ws") + "/_stcore/stream"
    end = time.monotonic() + PATIENCE
    with connect(stream, subprotocols=["streamlit"], max_size=None, origin=server.address) as socket:
        socket.send(asked.SerializeToString())
        while True:
            told = ForwardMsg.FromString(socket.recv(timeout=max(0.0, end - time.monotonic())))
            if told.WhichOneof("type") == "delta" and told.delta.WhichOneof("type") == "new_element":
                seen[told.delta.new_element.WhichOneof("type")] += 1
            if told.WhichOneof("type") == "script_finished":
                if told.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                    break
                if told.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                    raise GotThrough(f"{page} by ?{address(link):.2000} cannot be read")
    if not seen or seen["exception"]:
        raise GotThrough(f"{page} by ?{address(link):.2000} drew {dict(seen)}")
    if wrong := [line for line in server.output().splitlines() if WRONG.search(line)]:
        raise GotThrough(f"{page} by ?{address(link):.2000} made the server say {wrong[0]:.300}")
