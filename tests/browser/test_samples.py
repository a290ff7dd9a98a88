"""Samples in a real browser: strips under the component, named under the mouse, drawn over it by a press."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.page import player, quiet, settled_url

pytestmark = pytest.mark.browser


def test_a_sample_is_named_under_the_mouse_and_drawn_over_the_component_by_a_press(visit):
    page = quiet(visit("/?data=digits&k=16", height=800))
    strips, tip = player(page).locator(".strips"), player(page).locator(".tip").first
    expect(strips).to_be_in_viewport(ratio=1)
    box = strips.bounding_box()
    for x in range(120, int(box["width"]), 3):
        page.mouse.move(box["x"] + x, box["y"] + 15)
        if tip.is_visible():
            break
    named = tip.inner_text()
    page.mouse.down()
    page.mouse.up()
    settled_url(page, over=re.match(r"image ([\d,]+), class", named)[1].replace(",", ""))
    expect(player(page).locator("[data-say=over]")).to_contain_text(named.partition(": score")[0])
    page.goto(page.url.partition("?")[0])  # of data without classes they are one press away
    expect(player(page).locator(".strips")).to_be_hidden()
    page.locator("summary", has_text="Who scores high?").click()
    expect(player(page).locator(".strips")).to_be_visible()
