"""How long a class waits for the lesson: ``python -m tests.benchmarks.lesson [sessions]``.

One session opens a fresh server, as the teacher does; then so many WebSocket sessions open it at the same moment, on
this one machine, and once again. Afterwards a lesson asks nothing more: what is measured here is all there is.
"""

import asyncio
import resource
import sys
import time

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.server import serving

SESSIONS = 30


async def session(address):
    """Open the lesson; return the seconds until it was complete, and the bytes that came."""
    begun, size = time.monotonic(), 0
    url = address.replace("http", "ws") + "/_stcore/stream"
    async with websockets.connect(url, subprotocols=["streamlit"], max_size=None) as socket:
        ask = BackMsg()
        ask.rerun_script.page_name = "learn"
        await socket.send(ask.SerializeToString())
        while True:
            answer = await socket.recv()
            size += len(answer)
            said = ForwardMsg.FromString(answer)
            whole = said.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY  # a fresh server begins a second run
            if said.WhichOneof("type") == "script_finished" and whole:
                return time.monotonic() - begun, size


async def together(address, many):
    """Return what so many sessions at once measured, the quickest first."""
    return sorted(await asyncio.gather(*(session(address) for _ in range(many))))


def main():
    """Print the seconds of the median and the slowest session."""
    many = int(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS
    with serving() as server:
        for name, count in (("first visit", 1), (f"{many} at once", many), (f"{many} at once, again", many)):
            before = time.monotonic()
            found = asyncio.run(together(server.address, count))
            seconds = [took for took, _ in found]
            print(
                f"{name}: median {seconds[len(seconds) // 2]:.2f} s, slowest {seconds[-1]:.2f} s, "
                f"{max(size for _, size in found) / 1e6:.2f} MB each, all in {time.monotonic() - before:.2f} s",
                flush=True,
            )
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"CPU of the server: {usage.ru_utime + usage.ru_stime:.1f} s")


if __name__ == "__main__":
    main()
