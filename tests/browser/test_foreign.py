"""A hostile file and a hostile link in a real browser: nothing is asked of the outside, nothing leads there."""

from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.browser.page import quiet, rest
from tests.pages.test_sanitize import FILE, LURES, hostile

pytestmark = pytest.mark.browser

FOREIGN = """() => [...document.querySelectorAll('a, img, svg a, script, iframe, form')]
  .map(e => e.href?.baseVal ?? e.href ?? e.src ?? e.action ?? '')
  .filter(where => /^[^?#]*evil/.test(where))"""
CHANGED = """() => [...document.querySelectorAll('strong, em, del, .katex, [data-testid=stIconMaterial], b, tspan')]
  .map(e => e.textContent).filter(said => /^ *evil *$|^bolt$/.test(said))"""


def test_nothing_of_a_hostile_file_or_link_comes_alive_and_all_of_it_is_shown(visit):
    file = {"name": f"{FILE}.csv", "mimeType": "text/csv", "buffer": hostile()}
    lures = dict.fromkeys(("data", "sign", "seed"), LURES[0]) | {"scale": "a:b{c}"}
    page = visit("/data?" + "&".join(f"{key}={quote(lure)}" for key, lure in lures.items()))
    notes = page.get_by_role("status")
    expect(notes.filter(has_text="](http://evil.example/p.png)").first).to_be_visible()  # shown as it was written
    expect(page.get_by_text("a:\u2060b{c}").first).to_be_visible()  # and so are braces behind a colon
    rest(page).locator(".st-key-upload input[type=file]").set_input_files(file)
    expect(page.get_by_role("heading").filter(has_text="![p](www.evil.example)")).to_be_visible()
    assert not page.evaluate(FOREIGN), page.evaluate(FOREIGN)
    assert not page.evaluate(CHANGED), page.evaluate(CHANGED)
    for name in ("Parts", "Explore"):
        page.get_by_role("link", name=name, exact=True).click()
        quiet(page) if name != "Explore" else expect(page.get_by_text("![p](www.evil.example)").first).to_be_visible()
        assert not page.evaluate(FOREIGN), page.evaluate(FOREIGN)
        assert not page.evaluate(CHANGED), page.evaluate(CHANGED)
