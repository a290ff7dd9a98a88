"""A visitor with a stop-watch: a real Chromium that notes, in its own time, when a page shows what is waited for."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from playwright.sync_api import Browser, Page, WebSocket, sync_playwright

from tests.browser.conftest import FLAGS
from tests.chromium import find
from tests.protocol import ForwardMsg
from tests.server import serving

PATIENCE = 45_000  # milliseconds after which what has not come by then counts as never

# What is waited for is looked for by the page itself, so that asking takes no time: `deep` also looks into the
# components' own trees, `plot` for a drawn Plotly figure, `sketched` for the sketch that stands before it.
WATCH = Path(__file__).with_name("visits.js").read_text(encoding="utf-8")


@dataclass
class Visit:
    """One new visitor's page, and what came to it over the wire."""

    page: Page
    loaded: list[int] = field(default_factory=list)  # bytes of each answer by HTTP, as compressed
    messages: list[bytes] = field(default_factory=list)  # over Streamlit's own connection

    def counted(self) -> tuple[int, int, int, int, int]:
        """Return what came: bytes of Streamlit's connection, as it compresses them, messages, runs, bytes by HTTP."""
        runs = sum(ForwardMsg.FromString(message).WhichOneof("type") == "new_session" for message in self.messages)
        wire = zlib.compressobj(wbits=-15)
        packed = sum(len(wire.compress(message) + wire.flush(zlib.Z_SYNC_FLUSH)) for message in self.messages)
        return sum(map(len, self.messages)), packed, len(self.messages), runs, sum(self.loaded)

    def seen(self, name: str) -> float:
        """Return the seconds from the visit's start to the moment the page showed what has this name."""
        self.page.wait_for_function("name => name in window.seen", arg=name, polling=100, timeout=PATIENCE)
        return float(self.page.evaluate("name => window.seen[name]", name))

    def do(self, act: str) -> None:
        """Do ``act``, JavaScript, as soon as the page has what it is done to."""
        tried = f"() => {{ {_helpers()} try {{ {act}; return true; }} catch {{ return false; }} }}"
        self.page.wait_for_function(tried, polling=50, timeout=PATIENCE)

    def until(self, act: str, is_so: str) -> float:
        """Return the seconds from doing ``act`` in the page to the moment ``is_so`` holds, both JavaScript."""
        return float(
            self.page.evaluate(
                f"""() => new Promise(answer => {{
                  {_helpers()}
                  const begun = performance.now();
                  {act};
                  const look = setInterval(() => {{
                    let so = false;
                    try {{ so = {is_so}; }} catch (e) {{}}
                    if (so || performance.now() - begun > {PATIENCE}) {{
                      clearInterval(look); answer((performance.now() - begun) / 1000); }}
                  }}, 10);
                }})"""
            )
        )


def _helpers() -> str:
    """Return the definitions that conditions are written with."""
    return WATCH.partition("const wanted")[0].replace("window.seen = {};", "")


@dataclass
class Visitor:
    """Who visits: a browser, the address of the app, and a seed that no visit shares with another."""

    browser: Browser
    address: str
    process: int
    _seed: int = field(default_factory=lambda: time.time_ns() % 1_000_000_000)

    def fresh(self) -> str:
        """Return a seed that was never asked for: what is found for it is known to no session before."""
        self._seed += 1
        return f"seed={self._seed}"

    @contextmanager
    def visit(self, path: str, **wanted: str) -> Iterator[Visit]:
        """Open ``path`` with nothing kept from earlier visits, and note when each of ``wanted`` is first so."""
        context = self.browser.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        visit = Visit(page)
        conditions = "{" + ",".join(f"{json.dumps(name)}: () => {is_so}" for name, is_so in wanted.items()) + "}"
        page.add_init_script(f"(() => {{ {WATCH.replace('WANTED', conditions)} }})();")
        wire = context.new_cdp_session(page)
        wire.send("Network.enable")
        wire.on("Network.loadingFinished", lambda event: visit.loaded.append(int(event["encodedDataLength"])))
        page.on("websocket", lambda socket: _listen(socket, visit))
        page.goto(self.address + path, wait_until="commit")
        try:
            yield visit
        finally:
            context.close()

    def cpu(self) -> float:
        """Return the seconds of processor that the server and its workers have used so far."""
        first = psutil.Process(self.process)
        each = [one.cpu_times() for one in (first, *first.children(recursive=True))]
        return sum(took.user + took.system + took.children_user + took.children_system for took in each)


def _listen(socket: WebSocket, visit: Visit) -> None:
    socket.on("framereceived", lambda message: visit.messages.append(message))


@contextmanager
def visiting() -> Iterator[Visitor]:
    """Start the app and a Chromium, and end both at the close."""
    path = find()
    if path is None:
        raise SystemExit("no Chromium found: install one, or name it in NNSPCA_CHROMIUM")
    with serving() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield Visitor(browser, server.address, server.process)
        finally:
            browser.close()
