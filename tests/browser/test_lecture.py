"""A lecture: P begins it, keys lead through scenes that are the app's own pages, Esc ends it where it began."""

import re

import pytest
from playwright.sync_api import expect

from nnspca.view.figures.style import SIZES
from nnspca.view.frame.server import SCENES
from tests.lesson import assert_known

LEAST = 22  # pixels of words in charts, on a screen of 1,920
# Scenes, what has the focus in them, and a key that leads on.
FOCUSED = (
    (2, "input[type=range]", "ArrowRight"),
    (4, "[role=slider]", "ArrowRight"),
    (5, "[data-testid=stMain] input[type=radio]", "ArrowRight"),
    (7, ".chapters button", "PageDown"),
)


def scenes():
    for scene in re.split(r"^# ", SCENES.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title, link, *_ = scene.splitlines()
        yield pytest.param(link, id=title)


@pytest.mark.parametrize("link", list(scenes()))
def test_every_scene_is_a_link_whose_values_a_page_knows(link):
    assert_known(link)


def focus(scene, control):
    """Give the first such control of a scene the focus, once its page has come to rest."""
    scene.locator(control).first.wait_for()
    scene.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    scene.locator(control).first.focus()
    assert scene.locator(control).first.evaluate("control => control.getRootNode().activeElement === control")


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
    for number, control, key in FOCUSED:
        page.goto(re.sub(r"scene=\d+", f"scene={number}", page.url))
        focus(scene, control)
        for shown in (expect(page.locator(".notes")).to_be_visible, expect(page.locator(".notes")).to_be_hidden):
            page.keyboard.press("n")
            shown()
        page.keyboard.press(key)
        expect(line).to_contain_text(f"{number + 1} of 12")
    page.goto(re.sub(r"scene=\d+", "scene=4", page.url))
    focus(scene, "[data-testid=stMain] input[type=number]")
    for key in ("n", "ArrowRight", "PageDown"):
        page.keyboard.press(key)
    expect(line).to_contain_text("4 of 12")
    expect(page.locator(".notes")).to_be_hidden()
    page.goto(re.sub(r"scene=\d+", "scene=12", page.url))
    scene.get_by_text("What was proven").wait_for()
    page.set_viewport_size({"width": 390, "height": 844})
    assert line.locator("b").evaluate("title => title.scrollWidth <= title.clientWidth"), "no title is cut"
    page.goto(page.url.replace("scene=12", "scene=7"))
    focus(scene, ".chapters button")
    page.keyboard.press("Escape")
    page.wait_for_url(began)
