"""Samples and features in a real browser: each question asked on faces, spectra and genes; a brush asks no server."""

import re
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from tests.browser.page import rest

pytestmark = pytest.mark.browser


def opened(page):
    """Return the sheet, once it is drawn with both components."""
    sheet = page.locator(".sheet[data-why]")
    expect(sheet.locator("[data-say=second]")).to_contain_text("second component")
    return sheet


def drag(page, canvas, start, end):
    """Press, pull and let go, in shares of a canvas's width and height."""
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    at = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in (start, end)]
    page.mouse.move(*at[0])
    page.mouse.down()
    page.mouse.move(*at[1], steps=4)
    page.mouse.up()
    page.mouse.move(0, 0)


def picked(sheet):
    return int(sheet.get_attribute("data-picked"))


SENT = """() => {
  const send = WebSocket.prototype.send;
  const counted = function (...words) { window.sent++; send.apply(this, words); };
  if (window.sent === undefined) WebSocket.prototype.send = counted;
  window.sent = 0;
}"""


@contextmanager
def unasked(page):
    """Hold that nothing in here sends the server a word, once the run along k asks for nothing any more."""
    expect(page.locator(".play [data-say=note]")).to_be_empty(timeout=90_000)
    rest(page)
    page.wait_for_timeout(300)
    page.evaluate(SENT)
    yield
    page.wait_for_timeout(300)
    assert page.evaluate("window.sent") == 0


def test_faces_and_spectra_are_asked_who_has_most_and_why_a_feature_is_in(visit):
    page = visit("/?samples=true&k=40", height=800)
    sheet = opened(page)
    # one screen: the component, and the faces with the highest and the lowest scores
    sheet.scroll_into_view_if_needed()
    top = sheet.locator(".picture").bounding_box()["y"]
    for shown in (sheet.locator(".picture"), sheet.locator(".high"), sheet.locator(".low")):
        box = shown.bounding_box()
        assert box["y"] + box["height"] - top <= 800
    cards = sheet.locator(".high button, .low button")
    expect(cards).to_have_count(16)
    scores = [float(text.replace("−", "-")) for text in cards.locator("span").all_inner_texts()]
    assert scores[:8] == sorted(scores[:8], reverse=True)
    assert scores[8:] == sorted(scores[8:])
    assert scores[7] > scores[15]
    with unasked(page):
        cards.first.click()
        expect(cards.first).to_have_attribute("aria-pressed", "true")
        assert picked(sheet) == 1
        drag(page, sheet.locator(".ladder"), (0.2, 0.2), (0.35, 0.25))
        assert 5 < picked(sheet) < 40
        expect(cards.last).to_have_attribute("aria-pressed", "false")
        expect(sheet.locator("[data-say=picked]")).to_contain_text(f"{picked(sheet)} of 100 samples picked, mean score")
        expect(sheet.locator(".mean")).to_be_visible()
        drag(page, sheet.locator(".cloud"), (0.6, 0.1), (0.97, 0.9))
        some = picked(sheet)
        assert 0 < some < 100
        drag(page, sheet.locator(".picture"), (0.25, 0.02), (0.4, 0.1))
        assert sheet.get_attribute("data-marked")
    assert re.search(r"picked=b\d+_\d+_\d+_\d+", page.url)
    sheet.locator(".picture").click(position={"x": 140, "y": 20})  # the forehead
    expect(sheet.locator("[data-say=title]")).to_contain_text(re.compile(r"^Why is pixel \(\d, 1\d\) included\?$"))
    expect(sheet.locator(".answer li")).to_have_count(4)
    expect(sheet.locator(".answer")).to_contain_text("Removing it costs at most")
    assert picked(sheet) == some
    assert page.evaluate("window.sent") > 0  # the measure of silence hears a question
    why = sheet.get_attribute("data-why")
    assert f"why={why}" in page.url
    page.reload()
    sheet = opened(page)
    expect(sheet).to_have_attribute("data-why", why)
    expect(sheet).to_have_attribute("data-picked", str(some))
    expect(sheet).to_have_attribute("data-marked", why)

    page.locator("[data-testid=stSidebar] [data-testid=stSelectbox] input").click()
    page.get_by_role("option", name=re.compile("Infrared spectra")).click()
    expect(sheet.locator("[data-say=lead]")).to_contain_text("8 wavelengths")
    sheet = opened(page)
    expect(sheet).to_have_attribute("data-picked", "0")  # other data, other samples
    expect(sheet.locator("[data-say=separation]")).to_contain_text(re.compile(r"separates class .* \(AUC 0\.9\d\)"))
    assert "picked=" not in page.url
    assert "why=" not in page.url
    with unasked(page):
        kind = sheet.locator("[data-class]").nth(1)
        kind.click()
        expect(kind).to_have_attribute("aria-pressed", "true")
        assert f"({picked(sheet)})" in kind.inner_text()
        expect(sheet.locator(".high button[aria-pressed=true]").first).to_be_visible()
        sheet.locator("input[name=from]").fill("1")
        sheet.locator("input[name=to]").fill("8")
        page.keyboard.press("Tab")
        assert picked(sheet) == 8
        expect(sheet.locator(".high button[aria-pressed=true]")).to_have_count(8)
    sheet.locator(".ask input").fill("90")
    page.keyboard.press("Enter")
    expect(sheet.locator("[data-say=title]")).to_contain_text(re.compile("^Why is wavelength .* not included"))
    expect(sheet).to_have_attribute("data-picked", "8")
    print(f"the slowest drawing took {sheet.get_attribute('data-slowest')} ms")


@pytest.mark.real_data
def test_genes_are_asked_which_patients_have_most_and_why_a_gene_is_in(visit, real_data):
    page = visit("/?samples=true&data=leukemia&k=40")
    sheet = opened(page)
    expect(sheet.locator("[data-say=separation]")).to_contain_text(
        "The score separates ALL best of 3 classes (AUC 0.97)"
    )
    expect(sheet.locator(".low button").first).to_contain_text("ALL")
    chips = sheet.locator("[data-class]")
    expect(chips).to_have_text([re.compile(r"ALL \(24\)"), re.compile(r"MLL \(20\)"), re.compile(r"AML \(28\)")])
    chips.nth(2).click()
    expect(sheet.locator("[data-say=picked]")).to_contain_text("28 of 72 samples picked")
    cloud = sheet.locator(".cloud")
    cloud.scroll_into_view_if_needed()
    box = cloud.bounding_box()
    for step in range(40):  # along the cloud until a sample is met
        page.mouse.move(box["x"] + box["width"] * (0.15 + 0.02 * step), box["y"] + box["height"] * 0.5)
        if sheet.locator(".tip").is_visible():
            break
    expect(sheet.locator(".tip")).to_contain_text(re.compile(r"sample \d+ \((ALL|MLL|AML)\): score"))
    sheet.locator(".picture").scroll_into_view_if_needed()
    sheet.locator(".picture").click(position={"x": 150, "y": 15})  # the first of the list
    expect(sheet.locator("[data-say=title]")).to_have_text(re.compile(r"^Why is gene .+ included\?$"))
    expect(sheet.locator(".answer")).to_contain_text("Replacing it by the best substitute found")
    heaviest = sheet.get_attribute("data-why")
    drag(page, sheet.locator(".picture"), (0.5, 0.05), (0.55, 0.2))
    assert len(re.findall(r"\d+", sheet.get_attribute("data-marked"))) >= 2
    ladder = sheet.locator(".ladder")
    ladder.scroll_into_view_if_needed()
    tall = ladder.bounding_box()["height"]
    ladder.click(position={"x": 200, "y": tall - 30})  # a row of the map
    expect(sheet).not_to_have_attribute("data-why", heaviest)
    expect(sheet.locator("[data-say=picked]")).to_contain_text("28 of 72 samples picked")
