"""Samples in a real browser: those across which a person drags are counted and shown."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page import figure, in_view, quiet

pytestmark = pytest.mark.browser


def drag(page: Page, key: str) -> None:
    """Pull across the right half of a figure."""
    plot = in_view(page.locator(f".st-key-{key} .js-plotly-plot .nsewdrag").first)
    box = plot.bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] - 2, steps=5)
    page.mouse.up()


def test_samples_across_which_a_person_drags_are_counted_and_shown(visit):
    page = quiet(visit("/?samples=true&k=40"))
    figure(page, "samples-strips")
    expect(page.get_by_text("The highest scores", exact=True)).to_be_visible()
    drag(page, "samples-strips")
    said = page.get_by_text(re.compile(r"^Picked: \d+ of 100 samples\."))
    expect(said).to_be_visible()
    assert 0 < int(re.search(r"\d+", said.inner_text())[0]) < 100
    expect(page.get_by_text("The highest scores of those picked")).to_be_visible()
    expect(page.locator("img.picture").last).to_be_visible()
