"""How stable, and which k: both folds in a real browser, opened by a link, run, stopped, and read."""

import re

import pytest

from tests.browser.waiting import rest

pytestmark = pytest.mark.browser


def drawn(page, key):
    """The figure's description, and whether all its traces are there."""
    at = f".st-key-{key} .js-plotly-plot"
    page.wait_for_function("at => document.querySelector(at)?._fullData?.length", arg=at)
    return page.evaluate("at => document.querySelector(at)._fullData.map(t => t.type)", at)


def test_both_folds_are_opened_run_and_kept_in_the_link(visit):
    page = visit("/parts?data=digits&k=6&r=1&with=em&stable=true&resamples=500")
    page.get_by_text("proves nothing").first.wait_for()
    page.get_by_role("button", name="Compute").click()
    page.get_by_text(re.compile(r"esample \d+ of 500")).first.wait_for()
    page.locator(".st-key-stop-stable button:visible").first.click()  # one may be on its way out
    page.get_by_text("Stopped. The resamples").first.wait_for()
    page.get_by_text(re.compile("probable, not proven")).first.wait_for()  # what was drawn by then
    assert "heatmap" in drawn(page, "recurrence")
    assert page.get_by_text("Every feature (CSV)").count() == 1
    assert "proven_view=stability" in page.url
    assert "resamples=500" in page.url
    rest(page, "false", 500)  # a table's file is asked for as the page is drawn: none may be under way
    page.goto(
        page.url.split("/parts")[0] + "/?data=digits&k=12&ks=1,6,12,64&methods=em&more=true&more_view=which+k&folds=3"
    )
    page.get_by_role("button", name="Compute").click()
    page.get_by_text(re.compile(r"(Best|Suggested) k: \d+ \(probable, not proven")).first.wait_for()
    assert "scatter" in drawn(page, "held-out")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
