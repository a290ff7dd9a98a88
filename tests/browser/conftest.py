"""A real server, a real Chromium, and pages that fail on any outside request or error."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect, sync_playwright

from tests.chromium import find
from tests.server import at_hand

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--process-per-site",  # tabs share what the first one has compiled
]
# A visit lives for seconds: code that is optimised in it hardly runs, and what is compiled serves the next visit, too.
PLAINLY = "--js-flags=--no-opt --no-maglev --no-flush-bytecode"
SHIFTS = Path(__file__).with_name("shifting.js")
PATIENCE = 60_000  # milliseconds; twenty times what anything takes: others work beside
expect.set_options(timeout=PATIENCE)
PARKED = "/_stcore/health"  # an address of the app's server that runs nothing
# On a page's own address Streamlit's front end first looks for the server below that address.
EXPECTED = ("/_stcore/health", "/_stcore/host-config")
# A visitor who leaves while Streamlit opens or closes the connection: its server then says so, after the fact.
LEFT = re.compile(
    r"Exception in ASGI application\n(?:(?!Exception in ASGI).)*?"
    r"WebSocketDisconnected: Cannot call \"send\" once a close message has been sent\.",
    re.DOTALL,
)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """Yield the address of the app: of the server all workers share, or of one for this run."""
    with at_hand() as running:
        yield running.address
        output = LEFT.sub("", running.output())
    assert "Traceback" not in output, output


@pytest.fixture(scope="session")
def browsing() -> Iterator[BrowserContext]:
    """Start the Chromium that ``tests.chromium`` finds; all visits share what it keeps of the scripts it has read."""
    path = find()
    if path is None:
        pytest.fail(
            "no Chromium found: install one (Debian: apt-get install chromium; otherwise: "
            "python -m playwright install chromium) or name it in NNSPCA_CHROMIUM"
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, PLAINLY])
        yield browser.new_context(accept_downloads=True)
        browser.close()


class Tabs:
    """The visitors' tabs of one Chromium: one is kept, as what it has compiled of the app's scripts is most of a visit.

    Each counts from its first moment how far what it shows is moved (``shifting.js``). ``wrong`` is what the
    pages did that they may not: err, be answered with an error, or call outside.
    """

    def __init__(self, context: BrowserContext, server: str):
        self.wrong: list[str] = []
        self._context, self._parked = context, server + PARKED
        self._kept: Page | None = None  # free while it is parked

    def take(self) -> Page:
        """Return a tab without a past of this visitor: the one kept if it is free."""
        if self._kept is None:
            self._kept = self._opened()
            self._kept.goto(self._parked)
        return self._kept if self._kept.url == self._parked else self._opened()

    def leave(self, failed: bool) -> None:
        """Close all tabs, and forget what they stored; park the one that is kept, unless it was left in mid-action."""
        for page in self._context.pages:
            if page.get_by_test_id("stException").count():
                self.wrong.append(f"a traceback on {page.url}")
            page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
            if failed or page is not self._kept:
                page.close()
        self._context.clear_cookies()
        if self._kept is None or self._kept.is_closed():
            self._kept = None
        elif self._kept.url != self._parked:
            self._kept.mouse.move(0, 0)
            self._kept.unroute_all()
            self._kept.goto(self._parked)

    def _opened(self) -> Page:
        page = self._context.new_page()
        page.set_default_timeout(PATIENCE)
        page.add_init_script(path=SHIFTS)
        page.on("request", self._note_request)
        page.on("response", self._note_response)
        page.on("console", self._note_console)
        page.on("pageerror", lambda error: self.wrong.append(f"page error: {error}"))
        return page

    def _note_request(self, request) -> None:
        address = urlsplit(request.url)
        if address.scheme in ("http", "https", "ws", "wss") and address.hostname != "127.0.0.1":
            self.wrong.append(f"outside request: {request.url}")

    def _note_response(self, response) -> None:
        if response.status >= 400 and not response.url.endswith(EXPECTED):
            self.wrong.append(f"{response.status} {response.url}")

    def _note_console(self, message) -> None:
        if message.type == "error" and not message.location.get("url", "").endswith(EXPECTED):
            self.wrong.append(f"console: {message.text}")


@pytest.fixture(scope="session")
def tabs(browsing: BrowserContext, server: str) -> Tabs:
    """Return the tabs of this worker's Chromium."""
    return Tabs(browsing, server)


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Remember of every test whether it failed."""
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


@pytest.fixture
def visit(server: str, tabs: Tabs, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """Return ``visit(path, width=, dark=)``: a new visitor's page, ready; it may not err or call outside.

    ``before`` is given the page before it opens the address: for what must be watched from the first moment. A visit
    costs a second or more of computing before anything is asked: ask of one all that it can say.
    """
    tabs.wrong.clear()
    request.node.stash[FAILED] = False

    def visit_one(
        path: str = "/",
        width: int = 1280,
        dark: bool = False,
        height: int = 900,
        before: Callable[[Page], object] | None = None,
    ) -> Page:
        page = tabs.take()
        page.bring_to_front()  # Chromium draws a tab behind another once a second
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="no-preference")
        if before is not None:
            before(page)
        page.goto(server + path)
        page.bring_to_front()  # again: a tab that was parked may draw no frame until then
        page.locator("[data-testid=stApp][data-test-connection-state=CONNECTED]").wait_for()
        return page

    yield visit_one
    tabs.leave(request.node.stash[FAILED])
    assert not tabs.wrong, tabs.wrong
