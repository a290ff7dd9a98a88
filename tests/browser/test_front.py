"""What a person sees first: one sentence, one picture, k as something to play, and a card for each data set."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_app import field, settled_url

pytestmark = pytest.mark.browser

SHIFTS = """window.shifts = [];
new PerformanceObserver(list => list.getEntries().forEach(e => window.shifts.push([e.value,
  e.sources.map(s => s.node?.dataset?.testid ?? ""), e.hadRecentInput])))
  .observe({type: "layout-shift", buffered: true});"""


def player(page: Page) -> Locator:
    """Return the player, once it shows a component."""
    found = page.locator(".play[data-k]")
    found.wait_for(timeout=60_000)
    return found


def grown(page: Page, most: int) -> Locator:
    """Return the player, once its path has some values of k."""
    found = player(page)
    page.wait_for_function(
        "most => [...document.querySelectorAll('.st-key-stage *')].map(e => e.shadowRoot ?? e)"
        ".some(e => Number(e.querySelector?.('input[type=range]')?.max ?? 0) >= most)",
        arg=most,
        timeout=90_000,
    )
    return found


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
@pytest.mark.parametrize("dark", [False, True])
def test_one_sentence_one_picture_and_one_thing_to_do_stand_above_the_fold(visit, width, height, dark):
    page = visit("/", width=width, height=height, dark=dark)
    found = player(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Find the few features that vary together most")
    for part in (page.get_by_role("heading", level=1), found.locator(".picture"), found.locator("[data-do=play]")):
        box = part.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height
        assert box["x"] + box["width"] <= width
    assert found.locator(".picture").bounding_box()["height"] >= 200
    expect(found.locator(".picture")).to_have_attribute("aria-label", re.compile("of 625 pixels coloured"))


def test_k_plays_the_component_and_the_dot_without_a_rerun_a_step(visit):
    page = visit("/?data=pitprops")
    found = grown(page, 12)
    slider = found.get_by_role("slider")
    slider.focus()
    page.keyboard.press("Home")
    expect(found).to_have_attribute("data-k", "1")
    assert len(found.get_attribute("data-support").split(",")) == 1
    found.get_by_role("button", name="Play k").click()
    expect(found).to_have_attribute("data-k", re.compile("^([5-9]|1[0-3])$"), timeout=20_000)
    expect(field(page, "k")).to_have_value("4")  # nothing is told while it plays
    found.get_by_role("button", name="Pause").click()
    rested = found.get_attribute("data-k")
    settled_url(page, k=rested)
    expect(field(page, "k")).to_have_value(rested)
    assert float(found.get_attribute("data-slowest")) < 50  # milliseconds a step


def test_arrow_keys_walk_along_k_and_the_page_follows_when_they_rest(visit):
    page = visit("/?data=pitprops&k=4")
    found = grown(page, 12)
    found.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(found).to_have_attribute("data-k", "6")
    settled_url(page, k="6")
    expect(found.locator("[data-say=words]")).to_contain_text(re.compile("6 of 13 features keep .* of λ₁"))


def test_what_is_proven_is_said_beside_the_picture(visit):
    page = visit("/?data=pitprops&k=4")
    words = player(page).locator("[data-say=words]")
    expect(words).to_contain_text(re.compile("proven optimal|nobody can keep more than"), timeout=60_000)


def test_a_card_opens_its_data_set_in_its_own_view(visit):
    page = visit("/?data=pitprops")
    player(page)
    page.locator(".gallery button[data-name=digits]").click()
    settled_url(page, data="digits")
    expect(page.get_by_text("Handwritten digits").first).to_be_visible()
    expect(field(page, "k")).to_have_value("16")


def test_the_page_hardly_moves_while_it_loads(visit):
    page = visit("/?data=pitprops")
    page.context.add_init_script(SHIFTS)
    page.reload()
    grown(page, 12)
    page.wait_for_timeout(1500)
    moved = page.evaluate("() => window.shifts")
    # Streamlit's own: the frame makes room for the sidebar before anything of ours is drawn
    ours = [
        value for value, nodes, by_hand in moved if not by_hand and nodes not in (["stAppViewContainer"], ["stMain"])
    ]
    assert sum(ours) < 0.1, moved


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "noun"), [("cbcl-faces", "pixels"), ("lrs", "wavelengths"), ("leukemia", "genes")])
def test_real_data_play_too(visit, real_data, name, noun):
    page = visit(f"/?data={name}&k=10")
    found = grown(page, 8)
    expect(found.locator(".picture")).to_have_attribute("aria-label", re.compile(f"{noun} coloured"))
    found.get_by_role("button", name="Play k").click()
    page.wait_for_timeout(1500)
    assert float(found.get_attribute("data-slowest")) < 50
