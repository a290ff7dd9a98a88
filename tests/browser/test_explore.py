"""Explore as a person plays it: k walked and played, asked why, stopped, linked, tightened and taken home."""

import math
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

import nnspca
from tests.browser.page import (
    OPTIMAL,
    PROVEN,
    button,
    enter,
    field,
    grown,
    in_view,
    passed,
    player,
    quiet,
    saved,
    settled_url,
    stopped,
    unmoved,
)

pytestmark = pytest.mark.browser

MARKED = """() => { window.marked = 0; const { animate } = Element.prototype;
  Element.prototype.animate = function (...a) { marked += this.matches(".words"); return animate.apply(this, a); }; }"""
# Keeps what the chart draws from now on: its words without a halo, as boxes, and its upright dashed lines.
WATCHED = Path(__file__).with_name("watched.js").read_text(encoding="utf-8")
CROSSED = """() => seen.lines.flatMap(([[x, top], [, foot]]) => seen.words.filter(
  ([, left, right, high, low]) => left < x && x < right && top < low && high < foot).map(([words]) => words))"""
# Keeps what each frame shows of k as it is painted: all that names k, and the component beside it; after WATCHED.
FRAMES = Path(__file__).with_name("frames.js").read_text(encoding="utf-8")
SLOW = "/?data=digits&method=epsilon-net&d=8&epsilon-net.epsilon=0.01&epsilon-net.max_samples=10000000"


def along(found: Locator, k: int, last: int) -> tuple[float, float, float]:
    """Return where k stands in the chart, from left, and where its upper panel begins and ends."""
    box = found.locator(".curve").bounding_box()
    low, high = math.log(0.9), math.log(1.06 * last)
    x = 58 + (math.log(k) - low) / (high - low) * (box["width"] - 12 - 58)
    return box["x"] + x, box["y"] + 46, box["y"] + 44 + 0.36 * (box["height"] - 40 - 44)


def test_k_is_played_walked_and_chosen_in_the_chart_and_a_card_opens_other_data(visit):
    told: list[bytes] = []

    def hear(page: Page) -> None:
        page.once("websocket", lambda socket: socket.on("framereceived", lambda one: told.append(one)))

    page = visit("/?data=pitprops&methods=best&methods=thresholding&ks=1-13", before=hear)
    found = grown(page, 12)
    entries = page.evaluate("history.length")
    unmoved(page)
    # k plays the component and the dot, without a rerun a step
    slider = found.get_by_role("slider")
    slider.focus()
    page.keyboard.press("Home")
    expect(found).to_have_attribute("data-k", "1")
    assert len(found.get_attribute("data-support").split(",")) == 1
    expect(field(page, "k")).to_have_value("1")
    # arrow keys walk along k, and the page follows when they rest; also to the k that was told before
    page.evaluate(MARKED)
    for k in ("3", "5"):
        told.clear()
        enter(page, "k", k)
        expect(found).to_have_attribute("data-k", k)
        settled_url(page, k=k)
        quiet(page)
        assert len(told) < 130 and sum(map(len, told)) < 40_000, "neither scripts nor the curve are sent again"
        slider.focus()
        for _ in range(int(k), 6):
            page.keyboard.press("ArrowRight")
        settled_url(page, k="6")
        expect(field(page, "k")).to_have_value("6")
    expect(found.locator("[data-say=words]")).to_contain_text(PROVEN)
    assert page.evaluate("marked") >= 2, "an answer that has changed is marked"
    quiet(page)
    page.evaluate(WATCHED)
    slider.press("End")
    for _ in range(6):
        slider.press("ArrowLeft")
    settled_url(page, k="7")
    page.wait_for_function("() => new Set(seen.lines.map(line => line[0][0])).size > 2")
    assert not page.evaluate(CROSSED), "the line at k crosses no words"
    # the chart says what is under the mouse, and a point of another solver's curve takes the picture's place
    x, top, foot = along(found, 7, 13)
    page.mouse.move(x, foot - 20)  # below every curve
    tip, y = found.locator(".curve-tip"), top
    expect(found.locator("[data-say=note]")).to_be_empty()  # the other curve is there
    share = re.search(r"explain ([\d.]+)", slider.get_attribute("aria-valuetext"))[1]
    expect(tip).to_have_text(re.compile(rf"\b7\b.*\b{re.escape(share)} %.*{OPTIMAL}"))
    while "Click" not in tip.inner_text():
        y += 4
        assert y < foot, "no point of another curve at k = 7"
        page.mouse.move(x, y)
    page.mouse.click(x, y)
    settled_url(page, k="7", method="thresholding")
    expect(found).to_have_attribute("data-k", "7")
    expect(field(page, "k")).to_have_value("7")
    # a card has a picture, a sentence and what is proven, and opens its data set in its own view
    card = page.locator(".gallery button[data-name=digits]")
    expect(card).to_contain_text(re.compile(f"digits.+{OPTIMAL}"))
    expect(in_view(card).locator("img")).not_to_have_js_property("naturalWidth", 0)
    card.click()
    settled_url(page, data="digits")
    assert page.evaluate("history.length") <= entries + 9, "one entry for each choice, none for each step"
    expect(page.get_by_role("heading", name="Explore")).to_be_in_viewport()
    expect(field(page, "k")).to_have_value("16")
    asks_why(page)


def test_another_k_is_a_dozen_messages(visit):
    page, sent = visit("/?k=30"), []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda one: sent.append(one)))
    page.reload()
    quiet(page)
    sent.clear()
    field(page, "k").press("ArrowUp")
    page.keyboard.press("Enter")
    settled_url(page, k="31")
    quiet(page)
    assert 0 < len(sent) <= 12


@pytest.mark.parametrize("width", [1280, 390])
def test_a_walk_loses_no_step_and_while_k_is_played_dragged_and_typed_every_frame_shows_one_k(visit, width):
    page = visit("/?data=pitprops&methods=best&ks=1-6,8-13&k=3", width, height=844)
    found, told = grown(page, 11), {}
    slider = found.get_by_role("slider")
    slider.press("Home" if width == 1280 else "End")
    for k in (1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13) if width == 1280 else ():
        expect(found).to_have_attribute("data-k", str(k))
        passed(page, 320)  # a rest is told after 250
        expect(found).to_have_attribute("data-k", str(k))
        told[k] = [found.locator("[data-say=words]").inner_text(), found.get_attribute("data-support")]
        page.keyboard.press("ArrowRight")

    def chosen(k: object) -> Page:
        expect(field(page, "k")).to_have_value(str(k))
        return quiet(page)

    for script in (WATCHED, FRAMES):
        chosen(13).evaluate(script, 13)
    found.get_by_role("button", name="Play k").click()
    expect(found).to_have_attribute("data-k", re.compile("^([5-9]|1[0-3])$"))
    assert field(page, "k").input_value() == "13", "nothing is told while it plays"
    found.get_by_role("button", name="Pause").click()
    chosen(found.get_attribute("data-k"))
    in_view(found.locator(".curve"))
    y = along(found, 2, 13)[1]
    for k in (2, 4, 6, 10):
        page.mouse.move(along(found, k, 13)[0], y + 20, steps=4)
        page.mouse.down()
    page.mouse.up()
    chosen(10)
    box = page.locator("form.narrow").get_by_label("k", exact=True) if width == 390 else field(page, "k")
    box.press("ArrowDown")
    page.keyboard.press("Enter")
    chosen(9)
    for k in (12, 7):  # of which the browser has no component
        box.click(click_count=3)
        box.press_sequentially(str(k), delay=60)
        page.keyboard.press("Enter")
        chosen(k)
    for component, ks in (frames := page.evaluate("frames_")):
        shown = {int(k) for k in ks.values() if k}
        assert len(shown) == 1 and component in (None, told.get(*shown, component)), ks
    assert len({ks["label"] for _, ks in frames}) > 6


def asks_why(page: Page) -> None:
    """A click in the picture opens the answer beside what was pressed; the page does not move."""
    found = player(page, 16)
    quiet(page)
    picture, tip = found.locator(".picture"), found.locator(".tip").first
    in_view(picture)
    box = picture.bounding_box()
    for step in range(40):  # moved again, where the picture was laid anew under a mouse that rested
        place = {"x": box["width"] / 2 + 4 + step % 2, "y": box["height"] / 2 + 4}
        picture.hover(position=place)
        if tip.is_visible():
            break
        passed(page, 250)
    row, column = map(int, re.findall(r"row (\d), column (\d)", tip.inner_text())[0])
    picture.click(position=place)
    why = str(8 * (row - 1) + column)
    settled_url(page, why=why)
    answer, scrolled = found.locator(".why"), page.locator("[data-testid=stMain]").evaluate("main => main.scrollTop")
    expect(answer.locator("[data-say=why-asks]")).to_contain_text(f"({row}, {column})")
    expect(answer.locator("[data-say=why-code]")).to_contain_text(f", {int(why) - 1})")
    expect(answer).to_be_in_viewport(ratio=1)  # beside the picture, which is in view
    assert page.locator("[data-testid=stMain]").evaluate("main => main.scrollTop") == scrolled
    answer.press("Escape")
    expect(answer).to_be_hidden()
    page.wait_for_function("!location.search.includes('why=')")


def test_on_a_phone_the_picture_stands_above_the_fold_and_the_bar_says_what_the_sidebar_says(visit):
    page = visit("/?data=digits&k=10&flavour=red", width=390, height=844, dark=True)
    expect(page.get_by_text("flavour").first).to_be_visible()  # a name that nothing has is told
    found, bar = player(page, 10), page.locator("form.narrow")
    for part in (page.get_by_role("heading", level=1), found.locator(".picture"), found.locator("[data-do=play]")):
        box = part.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 844
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    said, tops = found.locator("[data-say=words]"), []
    for words in ("Solving …", "one more word " * 20, "one more word " * 60):  # whatever is said, the picture stays
        said.evaluate("(place, words) => { place.textContent = words; }", words)
        tops.append(found.locator(".picture").bounding_box()["y"])
    assert len(set(tops)) == 1
    bar.get_by_role("button", name="One feature more").click()
    settled_url(quiet(page), k="11")
    bar.get_by_label("k", exact=True).fill("99")
    bar.get_by_label("k", exact=True).press("Tab")
    settled_url(quiet(page), k="64")
    bar.get_by_label("Data").select_option("pitprops")
    settled_url(page, data="pitprops")
    expect(bar.get_by_label("k", exact=True)).to_have_value("4")
    for k in (64, 11, 10, 11):  # three steps back, each to a choice made here, and one forward
        (page.go_back if k != 11 or "k=64" in page.url else page.go_forward)()
        settled_url(quiet(page), data="digits", k=str(k))
        player(page, k)


def test_a_curve_fills_in_while_watched_and_a_click_on_stop_in_its_first_instant_is_not_lost(visit):
    new = time.time_ns() % 1_000_000  # a seed that no other test has used
    page = visit("/?data=digits&prep=log1p&k=9")  # of which nothing is known
    grows = """() => [...document.querySelectorAll('[class*=st-key-] *')].some(e => {
    const play = e.shadowRoot?.querySelector('.play');
    return play?.dataset.bounds > 1 && play.dataset.proven > 1 && play.querySelector('[data-say=note]').textContent;
    })"""  # components and upper bounds at several k, and the note still says what is being computed
    page.wait_for_function(grows, timeout=90_000)
    page.goto(f"{page.url.partition('?')[0]}{SLOW[1:]}&seed={new}")
    at_once = """() => { const b = document.querySelector('.st-key-stop-explore button');
    if (b?.getBoundingClientRect().height) b.click();  // where it is now: the page may still move
    return Boolean(b?.getBoundingClientRect().height); }"""
    page.wait_for_function(at_once, polling=20)
    stopped(page)
    page.get_by_role("button", name="Solve live").click()
    page.get_by_role("progressbar").filter(has_text="directions").wait_for()
    page.get_by_role("button", name="Stop").click()
    stopped(page)
    expect(player(page).locator("[data-say=words]")).to_contain_text("of 64 pixels")


def test_a_broken_link_opens_a_page_that_has_notes_themes_keys_and_downloads(visit, tmp_path):
    page = quiet(visit("/?proof=true&data=pitprops&scale=none&k=minus&method=magic&ks=banana"))
    for value in ("minus", "magic", "banana"):
        expect(page.get_by_text(f"“{value}”").first).to_be_visible()
    changes_its_theme(page)
    is_reached_by_the_keyboard(page)
    is_proven_taken_home_and_checked_there(page, tmp_path)


def changes_its_theme(page: Page) -> None:
    """Switching the theme redraws the figures in it."""
    curve = player(page).locator(".curve")
    light = curve.evaluate("drawn => drawn.toDataURL()")
    page.locator("[data-testid=stMainMenu] button, [data-testid=stMainMenuButton]").first.click()
    page.get_by_test_id("stMainMenuItem-theme-Dark").click()
    quiet(page)
    assert curve.evaluate("drawn => drawn.toDataURL()") != light


def is_reached_by_the_keyboard(page: Page) -> None:
    """Everything: k, a folded part, and the options in it; at last k is 3."""
    field(page, "k").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    settled_url(page, k="5")
    page.locator("summary", has_text="Take it along").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Report (HTML)")).to_be_visible()
    page.get_by_role("button", name="Options").focus()
    page.keyboard.press("Enter")
    expect(field(page, "best.restarts")).to_be_visible()
    page.keyboard.press("Escape")
    enter(page, "k", 3)
    settled_url(page, k="3")
    quiet(page)


def is_proven_taken_home_and_checked_there(page: Page, folder: Path) -> None:
    """A report of one page that needs no network, and a certificate that the file beside it checks."""
    printed = page.context.new_page()
    printed.goto(saved(page, "Report (HTML)", folder).as_uri())
    expect(printed.get_by_role("row").filter(has_text="pper bound").first).to_be_visible()
    assert len(re.findall(rb"/Type\s*/Page\b", printed.pdf(prefer_css_page_size=True))) == 1
    button(page, "start-prove").click()
    button(page, "start-verify-explore").click()
    expect(page.get_by_test_id("stAlertContentSuccess")).to_be_visible()
    zipfile.ZipFile(saved(page, "All that checks it (ZIP)", folder)).extractall(folder)
    done = subprocess.run([sys.executable, "verify.py"], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    proof = nnspca.load_certificate(next(folder.glob("*.npz")))
    assert all(f"{number:.9g}" in done.stdout for number in (proof.lower, proof.upper))
