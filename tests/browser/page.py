"""What a test asks of a page in a browser: that it has come to rest, what its figures hold, what its address says."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, TimeoutError, expect

RUNS = 300_000  # milliseconds in which runs end and files are made on the busiest machine
OPTIMAL = "proven optimal"
PROVEN = re.compile(rf"at least [\d.]+ % of the optimum|{OPTIMAL}")
WAITED_FOR = """() => ({script: document.querySelector('[data-testid=stApp]').dataset.testScriptState,
  runs: [...document.querySelectorAll('[class*=st-key-stop-]')].map(e => /st-key-[\\w-]+/.exec(e.className)[0]),
  said: [...document.querySelectorAll('[role=progressbar]')].map(e => e.innerText)})"""
NOTHING_YET = """!document.querySelector('.js-plotly-plot') && ![...document.querySelectorAll('[class*=st-key-] *')]
  .some(e => e.shadowRoot?.querySelector('canvas'))"""
MOVING = """document.querySelector('[data-testid=stSkeleton], [data-stale=true]') ||
  document.getAnimations().some(a => a instanceof CSSTransition)"""
TRACES = """key => {
  const gd = document.querySelector(`.st-key-${key} .js-plotly-plot`) ??
             document.querySelector(`.st-key-${key}-running .js-plotly-plot`);
  return gd && gd._fullData ? gd._fullData.map(t => ({
    name: t.name, type: t.type, panel: t.yaxis ?? 'y', x: Array.from(t.x ?? []), y: Array.from(t.y ?? []),
    z: t.z ? Array.from(t.z, row => Array.from(row)) : null, zmin: t.zmin, fill: t.fill})) : [];
}"""


def rest(page: Page, busy: str = "false", pause: int = 500) -> Page:
    """Wait until for ``pause`` milliseconds neither the script nor a run was under way, nor ``busy``, a JavaScript."""
    page.get_by_role("heading", level=1).wait_for()
    page.evaluate("() => { window.restsSince = undefined; }")  # a rest before what was just done is none
    try:
        page.wait_for_function(
            f"""pause => {{
              const busy = document.querySelector('[data-testid=stApp]').dataset.testScriptState !== 'notRunning' ||
                document.querySelector('[class*=st-key-stop-]') || {busy};
              if (busy) window.restsSince = undefined;
              else window.restsSince ??= performance.now();
              return !busy && performance.now() - window.restsSince > pause;
            }}""",
            arg=pause,
            timeout=RUNS,
            polling=100,
        )
    except TimeoutError:
        raise AssertionError(f"the page did not come to rest: {page.evaluate(WAITED_FOR)}, {page.url}") from None
    return page


def quiet(page: Page) -> Page:
    """Wait until the page has been drawn and, for a while, neither its script nor a run is under way."""
    return rest(page, NOTHING_YET, 400)


def still(page: Page) -> Page:
    """Wait until all is drawn, and nothing is dimmed because it is about to be drawn anew."""
    return rest(page, MOVING, 500)


def unmoved(page: Page) -> Page:
    """State that what the page shows has hardly moved since it was opened (``shifting.js``)."""
    shifts = page.evaluate("() => window.shifts")
    assert sum(ours for ours, by_hand, *_ in shifts if not by_hand) < 0.05, [s for s in shifts if s[0]]
    assert sum(whole for _, by_hand, whole, _ in shifts if not by_hand) < 0.1, shifts
    return page


def passed(page: Page, milliseconds: int = 0) -> Page:
    """Let time pass as the page itself counts it, which a busy machine holds up, and what was done be drawn."""
    frames = "requestAnimationFrame(() => requestAnimationFrame(done))"
    page.evaluate(f"time => new Promise(done => setTimeout(() => {frames}, time))", milliseconds)
    return page


def kept(page: Page) -> str:
    """Return the address once it says what was last chosen, as it does 300 milliseconds later (``shown.js``)."""
    return passed(page, 350).url


def in_view(where: Locator) -> Locator:
    """Scroll to what the page may still be moving until it is wholly in view; return it."""
    for _ in range(60):
        where.scroll_into_view_if_needed()
        try:
            expect(where).to_be_in_viewport(ratio=0.99, timeout=1000)
        except AssertionError:
            continue
        return where
    raise AssertionError(f"not in view: {where}")


def traces(page: Page, key: str) -> list[dict]:
    """Return what a figure draws; nothing where it is not drawn yet."""
    return page.evaluate(TRACES, key)


def figure(page: Page, key: str, ask: str = "gd._fullData.map(t => t.type)") -> Any:
    """Wait until a figure is drawn, and return what it says: ``ask`` is an expression of its ``gd``."""
    drawn = f".st-key-{key} .js-plotly-plot"
    said = f"at => (gd => gd?._fullData?.length && {{said: {ask}}})(document.querySelector(at))"  # it may be drawn anew
    return page.wait_for_function(said, arg=drawn).json_value()["said"]


def field(page: Page, key: str) -> Locator:
    """Return the input of the widget with this key."""
    return page.locator(f".st-key-{key.replace('.', '-')} input").first


def enter(page: Page, key: str, value: object) -> None:
    """Type a value into the field with this key."""
    field(page, key).fill(str(value))
    page.keyboard.press("Enter")


def button(page: Page, key: str) -> Locator:
    """Return the button with this key; one with a help text is drawn twice, for mouse and touch."""
    return page.locator(f".st-key-{key} button:visible").first


def stopped(page: Page) -> None:
    """State that the page says what a press on Stop left."""
    expect(page.get_by_text("Stopped.").first).to_be_visible()


def saved(page: Page, name: str, folder: Path) -> Path:
    """Press a download once the page rests, and return where what it brings lies, under the name it comes with."""
    still(page)  # a link that is drawn anew under the mouse brings nothing
    with page.expect_download(timeout=RUNS) as got:  # it begins once all of the file is made
        page.get_by_role("link", name=name).first.click()
    got.value.save_as(folder / got.value.suggested_filename)
    return folder / got.value.suggested_filename


def settled_url(page: Page, **wanted: str) -> str:
    """Return the address once it carries what is wanted."""
    for _ in range(400):  # a busy machine takes seconds for what takes an idle one a tenth of one
        said = parse_qs(urlsplit(page.url).query)
        if all(said.get(key) == [value] for key, value in wanted.items()):
            return page.url
        page.wait_for_timeout(50)
    raise AssertionError(f"{wanted} not in {page.url}")


def player(page: Page, k: int | None = None) -> Locator:
    """Return Explore's player, once it shows a component, of this k if one is given."""
    found = page.locator(".play[data-k]")
    found.wait_for()
    if k is not None:
        expect(found).to_have_attribute("data-k", str(k))
    return found


def grown(page: Page, most: int) -> Locator:
    """Return the player, once its path has some values of k."""
    found = player(page)
    page.wait_for_function(
        "most => [...document.querySelectorAll('.st-key-stage *')].map(e => e.shadowRoot ?? e)"
        ".some(e => Number(e.querySelector?.('.play')?.dataset.steps ?? 0) >= most)",
        arg=most,
        timeout=RUNS,
    )
    return found
