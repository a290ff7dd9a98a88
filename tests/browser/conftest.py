"""A real server, a real Chromium, and pages that fail on any outside request or error."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect, sync_playwright

from tests.chromium import find
from tests.server import serving, shared

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE = 60_000  # milliseconds; twenty times what anything takes: others work beside
expect.set_options(timeout=PATIENCE)
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
    given = shared()
    with nullcontext(given) if given else serving() as running:
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
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser.new_context(accept_downloads=True)
        browser.close()


@pytest.fixture
def visit(server: str, browsing: BrowserContext) -> Iterator[Callable[..., Page]]:
    """Return ``visit(path, width=, dark=)``: a new visitor's page, ready; it may not err or call outside.

    ``before`` is given the page before it opens the address, for what must be there from the first moment.
    A visit costs some seconds of computing before anything is asked: ask of one all that it can say.
    """
    wrong: list[str] = []

    def note_response(response) -> None:
        if response.status >= 400 and not response.url.endswith(EXPECTED):
            wrong.append(f"{response.status} {response.url}")

    def note_console(message) -> None:
        if message.type == "error" and not message.location.get("url", "").endswith(EXPECTED):
            wrong.append(f"console: {message.text}")

    def note_request(request) -> None:
        address = urlsplit(request.url)
        if address.scheme in ("http", "https", "ws", "wss") and address.hostname != "127.0.0.1":
            wrong.append(f"outside request: {request.url}")

    def visit_one(
        path: str = "/",
        width: int = 1280,
        dark: bool = False,
        height: int = 900,
        before: Callable[[Page], object] | None = None,
    ) -> Page:
        page = browsing.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.set_default_timeout(PATIENCE)
        page.on("request", note_request)
        page.on("response", note_response)
        page.on("console", note_console)
        page.on("pageerror", lambda error: wrong.append(f"page error: {error}"))
        if before is not None:
            before(page)
        page.goto(server + path)
        page.locator("[data-testid=stApp][data-test-connection-state=CONNECTED]").wait_for()
        return page

    yield visit_one
    for page in browsing.pages:
        if page.get_by_test_id("stException").count():
            wrong.append(f"a traceback on {page.url}")
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        page.close()
    browsing.clear_cookies()
    assert not wrong, wrong


@pytest.fixture(scope="session")
def real_data() -> str:
    """Skip unless the real data files are at hand."""
    folder = os.environ.get("NNSPCA_DATA")
    if not folder:
        pytest.skip("NNSPCA_DATA names no folder with the real data files")
    return folder
