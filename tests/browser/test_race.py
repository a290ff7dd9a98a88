"""Solvers compared on one clock, in a real Chromium: faces and genes; a click opens a component."""

import json
import re
import time
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.test_app import quiet, settled_url, traces
from tests.pace import slowness

pytestmark = [pytest.mark.browser, pytest.mark.real_data]

POINT = """([name, at]) => { const gd = document.querySelector('.st-key-race .js-plotly-plot');
  const t = gd._fullData.find(t => t.name === name), box = gd.getBoundingClientRect(), s = gd._fullLayout;
  return [box.x + s.xaxis._offset + s.xaxis.d2p(t.x[at]), box.y + s.yaxis._offset + s.yaxis.d2p(t.y[at])]; }"""


def test_a_race_runs_on_faces_and_genes_and_a_click_opens_a_picture(visit, real_data):
    page = quiet(visit("/compare?what=solvers&racers=thresholding&racers=em&racers=exact&limit=1"))
    lanes = {trace["name"]: trace for trace in traces(page, "race")}
    assert {"Thresholded PCA", "EM", "upper bound of this run", "lowest upper bound known", "finished"} <= set(lanes)
    assert max(lanes["EM"]["y"]) <= 100 <= lanes["upper bound of this run"]["y"][0]
    reached = re.compile("was the first to reach the best component( of this live run)?, after")
    expect(page.get_by_text(reached)).to_be_visible()
    page.get_by_text("Every solver: proven share").click()
    expect(page.get_by_text("Did not start: Exact (branch and bound) (it takes at most 24 features")).to_be_visible()
    where = page.evaluate(POINT, ["Thresholded PCA", 0])
    page.mouse.move(*where)
    page.mouse.click(*where)
    link = settled_url(page, who="thresholding", mark="1")
    quiet(page)
    (image,) = [t for t in traces(page, "race-picture") if t["type"] == "heatmap"]
    assert 0 < sum(w > 0 for row in image["z"] for w in row) <= 40
    ways, picture = (page.locator(f".st-key-{key} .js-plotly-plot").bounding_box() for key in ("race", "race-picture"))
    assert abs(ways["y"] - picture["y"]) < 5, "beside the race"

    page.goto(link.replace("racers=thresholding&racers=em&racers=exact", "racers=thresholding&racers=best"))
    quiet(page)
    assert parse_qs(urlsplit(page.url).query)["who"] == ["thresholding"], "the link opens the same picture"
    assert [t["name"] for t in traces(page, "race") if t["name"] == "chosen"] == ["chosen"]
    genes = "?what=solvers&data=leukemia&k=25&racers=em&racers=best&limit=1&take=true"
    page.goto(page.url.partition("?")[0] + genes)
    quiet(page)
    assert any(trace["type"] == "bar" for trace in traces(page, "race-picture"))
    expect(
        page.get_by_text(re.compile(r"features( live)?: (at least .* of the optimum|proven optimal)"))
    ).to_be_visible()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Result (JSON)").click()
    told = json.loads(saved.value.path().read_text())
    assert told["data"] == "leukemia"
    assert all(mark["variance"] <= told["upper"] for solver in told["solvers"] for mark in solver["marks"])

    page.goto(
        f"{page.url.partition('?')[0]}?what=solvers&data=leukemia&k=100&racers=epsilon-net&racers=best&d=8&limit=60"
    )
    page.get_by_text(re.compile("^Running: ")).first.wait_for()
    page.locator(".st-key-race-running .js-plotly-plot").first.wait_for()
    before = time.monotonic()
    page.locator(".st-key-stop-race button:visible").click()
    expect(page.get_by_text("Stopped.")).to_be_visible()
    assert time.monotonic() - before < 2 * slowness(), "a second, and a second to draw what was found"
    quiet(page)
    page.get_by_text("Every solver: proven share").click()
    expect(page.get_by_text("Not finished: ")).to_be_visible()
