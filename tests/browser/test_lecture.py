"""A lecture: P begins it, keys lead through scenes that are the app's own pages, Esc ends it where it began."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from nnspca.view.figures.style import SIZES
from nnspca.view.frame.server import SCENES
from nnspca.view.link import state

LEAST = 22  # pixels of words in charts, on a screen of 1,920


def scenes():
    for scene in re.split(r"^# ", SCENES.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title, link, *_ = scene.splitlines()
        yield pytest.param(link, id=title)


@pytest.mark.parametrize("link", list(scenes()))
def test_every_scene_is_a_link_whose_values_a_page_knows(link):
    address = urlsplit(link)
    page = address.path or "explore"
    known = state.SHARED | state.keys_of(page)
    assert page in state.PAGES
    for key, texts in parse_qs(address.query, strict_parsing=True).items():
        entry = known[key]
        if key != "data":
            assert entry.read(texts)[1], (key, texts)


@pytest.mark.browser
@pytest.mark.heavy
def test_keys_lead_through_a_lecture_whatever_has_the_focus(visit):
    page = visit("/spannogram?top=1", width=1920, height=1080)
    page.locator(".st-key-spannogram").wait_for()
    began = page.url
    page.keyboard.press("p")
    line = page.get_by_role("navigation", name="Lecture")
    scene = page.frame_locator("iframe")
    expect(line).to_contain_text("1 of 12")
    scene.get_by_role("button", name="Show the solver").wait_for()
    assert not scene.get_by_test_id("stSidebar").is_visible()
    scale = page.locator("iframe").evaluate(
        "frame => frame.getBoundingClientRect().width / frame.contentWindow.innerWidth"
    )
    assert scale * SIZES["small"] >= LEAST
    scene.locator("canvas").first.click()  # arrows are the canvas's now
    page.keyboard.press("ArrowRight")
    expect(line).to_contain_text("1 of 12")
    page.keyboard.press("PageDown")
    expect(line).to_contain_text("2 of 12")
    scene.get_by_role("heading", name="What PCA loads on").wait_for()
    page.keyboard.press("n")
    expect(page.locator(".notes")).to_be_visible()
    page.get_by_role("button", name="Next scene").click()
    page.keyboard.press("Escape")
    page.wait_for_url(began)
    page.goto(began + "&lecture=3")
    expect(line).to_contain_text("3 of 12")
    expect(scene.locator(".curve")).to_be_in_viewport(ratio=0.99)
    page.goto(page.url.replace("scene=3", "scene=12"))
    scene.get_by_text("What was proven").wait_for()
    page.set_viewport_size({"width": 390, "height": 844})
    assert line.locator("b").evaluate("title => title.scrollWidth <= title.clientWidth"), "no title is cut"
