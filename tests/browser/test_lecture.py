"""A lecture: P begins it, keys lead through scenes that are the app's own pages, Esc ends it where it began."""

import re

import pytest
from playwright.sync_api import expect

from nnspca.view.figures.style import SIZES
from nnspca.view.frame.server import SCENES
from tests.browser.page import still
from tests.lesson import assert_known

LEAST = 22  # pixels of all words
OVER = """() => { const main = document.querySelector('[data-testid=stMain]');
  return [main.scrollHeight - main.clientHeight, main.scrollWidth - main.clientWidth]; }"""


def scenes():
    for scene in re.split(r"^# ", SCENES.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title, link, *_ = scene.splitlines()
        yield pytest.param(link, id=title)


@pytest.mark.parametrize("link", list(scenes()))
def test_every_scene_is_a_link_whose_values_a_page_knows(link):
    assert_known(link)


def at(page, number):
    """Wait until a scene is there, drawn and at rest."""
    line = page.get_by_role("navigation", name="Lecture")
    expect(line).to_contain_text(f"{number} of 12")
    still(page)
    return line


@pytest.mark.browser
@pytest.mark.heavy
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080)])
def test_every_scene_fits_its_screen_in_words_of_22_pixels(visit, width, height):
    page = visit("/?lecture=1", width=width, height=height)
    for number in range(1, 13):
        at(page, number)
        if (skip := page.get_by_role("button", name="Skip")).count():
            skip.click()
            still(page)
        assert all(over <= 0 for over in page.evaluate(OVER)), number
        scale = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--larger')")
        assert float(scale) * SIZES["small"] >= LEAST - 1e-9
        page.keyboard.press("PageDown")


@pytest.mark.browser
@pytest.mark.heavy
def test_a_second_window_leads_a_lecture_and_a_clicker_whatever_has_the_focus(visit, tmp_path):
    page = visit("/spannogram?top=1", width=1280, height=720)
    page.locator(".st-key-spannogram").wait_for()
    began = page.url
    page.keyboard.press("p")
    at(page, 1)
    assert not page.get_by_test_id("stSidebar").is_visible()
    page.locator("canvas").first.click()  # arrows are the canvas's now
    page.keyboard.press("ArrowRight")
    page.keyboard.press("PageDown")
    at(page, 2)
    page.locator("input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    at(page, 3)
    with page.expect_popup() as opened:
        page.keyboard.press("n")
    notes = opened.value
    expect(notes.get_by_role("heading")).to_contain_text("3 of 12")
    notes.keyboard.press("PageDown")
    at(page, 4)
    expect(notes.locator(".notes")).to_contain_text("Four curves")
    own = tmp_path / "own.txt"
    own.write_text("# Away\nhttps://example.org/\n")
    notes.locator("summary").click()
    notes.locator("input").set_input_files(own)
    expect(notes.get_by_role("alert")).to_contain_text("example.org")
    own.write_text("# Mine\n?data=digits&k=10\nSay this.\n")
    notes.locator("input").set_input_files(own)
    notes.locator(".usual:not([hidden])").wait_for(state="attached")
    page.goto(re.sub("lecture=4", "lecture=1", page.url))
    expect(page.get_by_role("navigation", name="Lecture")).to_contain_text("1 of 1")
    page.keyboard.press("Escape")
    page.wait_for_url(lambda url: url.startswith(began.partition("?")[0]) and "lecture" not in url)
