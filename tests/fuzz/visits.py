"""Random links on the running app, by Streamlit's protocol without a browser: each is drawn to its end.

``python -m tests.fuzz.visits [links]`` opens 300 unless told otherwise, and looks through the server's log.
"""

import re
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from tests.fuzz import GotThrough, generator
from tests.fuzz.pages import PAGES, address, drawn
from tests.server import Server, serving

PATIENCE = 60  # seconds until a page is drawn
AT_ONCE = 4  # visitors
WRONG = re.compile(r"Traceback|\bERROR\b|Exception")


def visit(server: Server, page: str, link: dict) -> Counter:
    """Open one page by one link as a new visitor; return how many elements of each kind it was told to draw."""
    asked = BackMsg()
    asked.rerun_script.query_string = address(link)
    asked.rerun_script.page_name = "" if page == "app" else page
    drawn_of: Counter = Counter()
    stream = server.address.replace("http", "ws") + "/_stcore/stream"
    end = time.monotonic() + PATIENCE
    with connect(stream, subprotocols=["streamlit"], max_size=None, origin=server.address) as socket:
        socket.send(asked.SerializeToString())
        while True:
            told = ForwardMsg.FromString(socket.recv(timeout=max(0.0, end - time.monotonic())))
            if told.WhichOneof("type") == "delta" and told.delta.WhichOneof("type") == "new_element":
                drawn_of[told.delta.new_element.WhichOneof("type")] += 1
            if told.WhichOneof("type") == "script_finished":
                if told.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                    return drawn_of
                if told.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                    raise GotThrough(f"{page} by ?{address(link):.2000} cannot be read")


def campaign(server: Server, count: int, seed: int = 0) -> None:
    """Open so many random links, every page in turn; raise at the first that shows an error of Python or logs one.

    A few visitors at once: most of a visit is waiting for a run that may still be quick.
    """

    def open_one(number: int) -> None:
        page = PAGES[number % len(PAGES)]
        link = drawn(generator("visits", number, seed), "explore" if page == "app" else page)
        seen = visit(server, page, link)
        if not seen or seen["exception"]:
            raise GotThrough(f"{page} by ?{address(link):.2000} drew {dict(seen)}")
        if wrong := [line for line in server.output().splitlines() if WRONG.search(line)]:
            raise GotThrough(f"{page} by ?{address(link):.2000}, or one beside it, made the server say {wrong[0]:.300}")

    with ThreadPoolExecutor(AT_ONCE) as visitors:
        for _ in visitors.map(open_one, range(count)):
            pass


if __name__ == "__main__":
    links = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with serving() as running:
        campaign(running, links)
        print(f"{links} links over {len(PAGES)} pages, and no error in the log")
