"""Parts in a real Chromium: drawn once, looked at one by one, stopped, drawn from other samples."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.page import button, figure, in_view, quiet, rest, settled_url, stopped, traces, unmoved

pytestmark = pytest.mark.browser


def test_each_part_is_drawn_once_in_one_colour_beside_the_band_and_rebuilds_its_share_of_a_sample(visit):
    page = unmoved(rest(visit("/parts?data=digits&k=8&r=3&use=true&used=1")))
    assert page.locator(".st-key-parts-band .js-plotly-plot").count() == 1, "no second drawing of the parts"
    button(page, "start-parts-curve").click()
    rest(page)
    assert figure(page, "parts-band", "gd._fullData.find(t => t.name === 'upper bound, proven')?.x.length >= 2")
    face = page.locator(".component[data-seen]")
    expect(face).to_have_attribute("data-seen", "1,2,3")
    second = face.get_by_role("button", name=re.compile("Part 2"))
    second.hover()
    expect(face).to_have_attribute("data-seen", "2")
    expect(face.get_by_role("img")).to_have_attribute("aria-label", re.compile(r"^part 2: .+ % *, .+"))
    for seen in ("1,3", "1,2,3"):
        second.click()
        page.mouse.move(0, 0)
        expect(face).to_have_attribute("data-seen", seen)

    def squared_distance():
        both = np.array(traces(page, "rebuilt")[0]["z"], dtype=float)  # the image, and beside it what it is rebuilt to
        return ((both[:, :8] - both[:, -8:]) ** 2).sum()

    first = squared_distance()
    slider = page.get_by_role("slider", name="Parts used")
    slider.focus()
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    assert "3 parts" in figure(rest(page), "rebuilt", "gd.layout.title.text")
    assert squared_distance() < first
    page.set_viewport_size({"width": 390, "height": 844})
    in_view(page.locator(".st-key-rebuilt .gtitle"))


def test_a_search_is_stopped_and_so_are_resamples_and_what_was_found_stays(visit):
    page = visit("/parts?k=40&r=6&scale=standardised&seed=5")
    page.locator(".component[data-seen]").wait_for()
    page.get_by_role("button", name="Solve live").click()
    page.get_by_role("button", name="Stop").first.click()
    stopped(page)
    assert page.locator(".component[data-seen]").count() == 1
    asked = "?data=digits&k=6&r=1&with=em&proven=true&proven_view=stability&resamples=500"
    page.goto(page.url.partition("?")[0] + asked)
    page.get_by_role("button", name="Compute").click()
    page.get_by_role("progressbar").filter(has_text="of 500").first.wait_for()
    button(page, "stop-stable").click()  # one may be on its way out
    page.get_by_text(re.compile("probable")).first.wait_for()  # what was drawn by then
    expect(quiet(page).locator(".st-key-recurrence .component[data-seen]")).to_be_visible()
    settled_url(page, resamples="500")
