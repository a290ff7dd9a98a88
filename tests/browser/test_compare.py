"""Compare in a real Chromium: data sets in one figure, solvers on one clock, both stopped, linked and taken home."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.page import OPTIMAL, button, quiet, stopped, traces, unmoved

pytestmark = pytest.mark.browser


def test_the_answer_and_the_whole_figure_stand_without_a_run_and_stop_keeps_them(visit):
    link, drawing = "/compare?what=data+sets&vs=pitprops&vs=lfw-faces", re.compile(r"/PlotlyChart[^/]*\.js")
    page = visit(link, before=lambda page: page.route(drawing, lambda route: None))
    place = page.locator(".st-key-together-sketched")  # where a sketch stands until the browser can draw the figure
    sketch = place.locator(".sketch")
    expect(sketch).to_be_visible()
    # both frames, a band and a curve at least, once the first points are known
    expect(sketch).to_have_attribute("style", re.compile("url.*data:image/svg.xml(.*%3Cpath){4}"))
    assert page.locator(".js-plotly-plot").count() == 0
    page.unroute_all()  # what was held goes on
    place.locator(".js-plotly-plot .main-svg").first.wait_for()
    expect(sketch).to_be_hidden()
    answer = page.locator(".st-key-compare-says")
    expect(answer).to_contain_text(re.compile(rf"{OPTIMAL}.*Pit props.*LFW faces\D+99\.\d+\s%", re.I))
    lines = [t for t in traces(page, "together") if t["name"] in ("Pit props", "LFW faces") and t["panel"] == "y"]
    assert len(lines) == 2 and max(lines[0]["x"]) == max(lines[1]["x"]) == 1, "both curves to the last k"
    unmoved(quiet(page))
    button(page, "start-compare").click()
    button(page, "stop-compare").click()
    stopped(page)
    expect(answer).to_be_visible()
    assert answer.bounding_box()["y"] < page.locator(".st-key-together").bounding_box()["y"]
    # one more data set, and the link opens the same view
    box = page.locator(".st-key-vs input")
    box.click()
    box.fill("synthetic")
    box.press("Enter")
    box.press("Escape")  # an open menu hides the page from screen readers, and so from the test
    page.wait_for_url(re.compile("synthetic-spiked"))
    link = page.url
    again = visit(link[link.index("/compare") :])
    page.wait_for_function(
        """() => document.querySelector('.st-key-together .js-plotly-plot, .st-key-together-running .js-plotly-plot')
        ?._fullData?.some(t => /Synthetic/.test(t.name))"""
    )
    again.get_by_role("radiogroup", name="What to compare").get_by_text("solvers").click()
    expect(again.get_by_role("heading", name="Compare solvers")).to_be_visible()
    expect(again.locator(".st-key-racers")).to_be_visible()


def test_a_race_runs_and_stop_keeps_what_was_found(visit):
    page = visit("/compare?k=100&racers=epsilon-net&racers=best&d=8&seed=7")
    button(page, "start-race").click()
    page.locator(".st-key-race-standing").get_by_text("%").first.wait_for()  # told without a run of the page
    button(page, "stop-race").click()
    stopped(page)
    assert traces(quiet(page), "race")
