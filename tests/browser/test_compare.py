"""The compare page of data sets in a real Chromium."""

import csv
import io
import re
from contextlib import suppress

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_app import quiet, settled_url, traces

pytestmark = pytest.mark.browser
QUICK = "/compare?vs=pitprops&vs=digits&fine=few"


def test_the_answer_and_the_whole_figure_stand_before_the_run_has_ended_and_the_switch_turns_to_solvers(visit):
    page = visit("/compare?vs=pitprops&vs=lfw-faces&fine=many&limit=1")
    answer = page.get_by_text("Proven optimal at every k: Pit props.")
    expect(answer).to_contain_text(re.compile(r"LFW faces: at least 99\..\s% of the optimum at every k"))
    page.wait_for_function("document.querySelector('.st-key-together .js-plotly-plot')?._fullData?.length")
    lines = [t for t in traces(page, "together") if t["name"] in ("Pit props", "LFW faces") and t["panel"] == "y"]
    assert [len(line["x"]) for line in lines] == [13, 25]
    page.locator(".st-key-stop-compare button:visible").click()
    expect(page.get_by_text("Stopped.")).to_be_visible()
    top, figure = answer.bounding_box(), page.locator(".st-key-together").bounding_box()
    assert top["y"] < figure["y"] < 300
    page.get_by_role("radiogroup", name="What to compare").get_by_text("solvers").click()
    expect(page.get_by_role("heading", name="Compare solvers")).to_be_visible()
    expect(page.get_by_text(re.compile("was the first to reach the best component"))).to_be_visible()
    assert "what=solvers" in settled_url(page, what="solvers")


def sketched(visit, path: str, key: str) -> Page:
    """Open a page where a sketch stands in a figure's place until the browser can draw it, and state that."""
    held, drawing = [], re.compile(r"/PlotlyChart[^/]*\.js")
    page = visit(path, before=lambda page: page.route(drawing, lambda route: held.append(route)))
    place = page.locator(f".st-key-{key}-sketched, .st-key-{key}-running-sketched")
    sketch = place.locator(".sketch")
    expect(sketch).to_be_visible()
    # both frames, a band and a curve at least, once the first points are known
    expect(sketch).to_have_attribute("style", re.compile("url.*data:image/svg.xml(.*%3Cpath){4}"))
    assert page.locator(".js-plotly-plot").count() == 0
    while held:
        held.pop().continue_()
    place.locator(".js-plotly-plot .main-svg").first.wait_for()
    expect(sketch).to_be_hidden()
    page.unroute_all()  # while requests are watched, nothing that was kept is used
    return page


def test_all_data_sets_stand_in_one_figure_the_table_goes_home_and_the_link_opens_the_same_view(visit):
    page = quiet(sketched(visit, QUICK + "&by=best&panels=true", "together"))
    lines = [t for t in traces(page, "together") if t["name"] in ("Pit props", "Handwritten digits")]
    assert {line["panel"] for line in lines} == {"y", "y2"}
    for name, n in (("pitprops", 13), ("digits", 64)):
        (best, *_) = [t for t in traces(page, f"compared-{name}") if t["name"] == "Portfolio (default)"]
        assert [round(x * n) for x in best["x"]][-1] == n
    expect(page.get_by_text("Proven optimal at every k")).to_be_visible()
    page.get_by_text("Table, downloads and code").click()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Every point (CSV)").click()
    rows = list(csv.DictReader(io.StringIO(saved.value.path().read_text())))
    assert len(rows) == 6
    assert all(float(row["variance"]) <= float(row["upper"]) for row in rows)
    frame = page.get_by_test_id("stDataFrame").nth(1)
    frame.scroll_into_view_if_needed()
    first = frame.get_by_role("gridcell", include_hidden=True).first
    expect(first).to_have_text("pitprops")
    for _ in range(3):  # the canvas takes no click for one while the page around it still moves
        frame.locator("canvas").first.click(position={"x": 15, "y": 17}, force=True)
        with suppress(AssertionError):
            expect(first).to_have_text("digits", timeout=5_000)
            break
    expect(first).to_have_text("digits")

    page.set_viewport_size({"width": 390, "height": 844})
    boxes = [page.locator(f".st-key-compared-{name}").bounding_box() for name in ("pitprops", "digits")]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"], "a phone shows one below the other"
    page.set_viewport_size({"width": 1280, "height": 900})

    box = page.locator(".st-key-vs input")
    box.click()
    box.fill("synthetic")
    box.press("Enter")
    box.press("Escape")  # an open menu hides the page from screen readers, and so from the test
    page.locator(".st-key-compared-synthetic-spiked .js-plotly-plot").first.wait_for()
    address = quiet(page).url
    assert "synthetic-spiked" in address
    again = quiet(visit(address[address.index("/compare") :]))
    assert {"Pit props", "Handwritten digits", "Synthetic: planted directions"} <= {
        t["name"] for t in traces(again, "together")
    }
    assert traces(again, "compared-synthetic-spiked")


def test_stop_keeps_what_was_found(visit):
    page = visit("/compare?vs=pitprops&vs=lfw-faces&fine=many&by=best&by=em&by=coordinate-descent&seed=3&panels=true")
    page.locator(".st-key-compared-pitprops .js-plotly-plot").first.wait_for()
    page.locator(".st-key-stop-compare button:visible").click()
    expect(page.get_by_text("Stopped.")).to_be_visible()
    quiet(page)  # the page is drawn once more when the run has ended
    page.locator(".st-key-compared-pitprops .js-plotly-plot").first.wait_for()
    assert traces(page, "compared-pitprops")
