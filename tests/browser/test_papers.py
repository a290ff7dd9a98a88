"""Figures of every paper, run again from their page in a real Chromium."""

import csv
import io
import os
import time
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from nnspca.datasets import fetch
from nnspca.studies import STUDIES, stored
from tests.browser.test_app import traces
from tests.pace import slowness

pytestmark = pytest.mark.browser
# One of every paper, among them the paper's own numbers; and with what is only looked at, every kind of picture.
WALKED = ("asteris2014-fig1", "asteris2011-counts", "sigg2008-fig3-left", "zass2006-fig5")
LOOKED_AT = ("zass2006-fig2",)


def require_data(study) -> None:
    """Fail where the paper's own data should be at hand and are not."""
    if study.missing() and os.environ.get(fetch.DATA_VARIABLE):
        pytest.fail(f"{', '.join(study.missing())} missing from the folder {fetch.DATA_VARIABLE} names")


def address(study, **more) -> str:
    """Return the link to a study: on the paper's own data where they are at hand."""
    require_data(study)
    query = {"paper": study.source.short, study.paper: f"{study.figure}: {study.title}", **more}
    return "/papers?" + urlencode(query)


def button(page: Page, key: str) -> Locator:
    """Return the button with this key; one with a help text is drawn twice, for mouse and touch."""
    return page.locator(f".st-key-{key} button:visible")


def press_run(page: Page) -> None:
    button(page, "run-study").click()


def wait_for_tables(page: Page, study, seconds: float = 150) -> None:
    """Wait until the run has ended: its tables can be taken home."""
    page.locator(f"a.download[href*='/csv-{study.name}']").first.wait_for(timeout=1000 * seconds)


def test_a_study_of_every_paper_runs_reduced_from_the_page(visit, request):
    """One visitor walks through the papers: the first study by its link, the others by their cards.

    The others run in ``tests/pages/test_papers_run.py``, without a browser. A second try has a seed of its own:
    what the first has run is kept, and would be shown at once.
    """
    first, *others = [STUDIES[name] for name in WALKED]
    page = visit(address(first, seed=getattr(request.node, "execution_count", 1) - 1))
    runs_reduced(page, first)
    for study in others:
        require_data(study)
        page.locator(f".gallery button[data-name='{study.name}']").click()
        runs_reduced(page, study)
    for name in LOOKED_AT:
        page.locator(f".gallery button[data-name='{name}']").click()
        for table in stored(name).tables:
            if table.picture is not None:
                drawn = f".st-key-{name}-{table.name} .js-plotly-plot"
                page.wait_for_function("at => document.querySelector(at)?._fullData?.length", arg=drawn)
                assert any(len(trace["x"]) or trace["z"] for trace in traces(page, f"{name}-{table.name}")), table.name


def runs_reduced(page: Page, study) -> None:
    """Run a study, look at its figures and the printed numbers, and take a table home."""
    first = study.summary.partition(". ")[0]
    expect(page.get_by_text(first[:60]).first).to_be_visible()
    expect(page.get_by_text("A stored run")).to_be_visible()
    expect(page.locator(f"[class*=st-key-{study.name}-] .js-plotly-plot").first).to_be_visible()  # before any run
    press_run(page)
    wait_for_tables(page, study)
    keys = [table.name for table in STUDIES[study.name].run(data=study.stand_ins, should_stop=lambda: True).tables]
    shown: list[dict] = []
    for _ in range(100):  # the chart's own library arrives after the page
        shown = [trace for key in keys for trace in traces(page, f"{study.name}-{key}")]
        if shown:
            break
        page.wait_for_timeout(100)
    assert any(len(trace["x"]) or trace["z"] for trace in shown), study.name
    if not study.missing() and page.get_by_text("The paper's numbers beside ours").count():
        expect(page.get_by_role("columnheader", name="Printed", exact=True)).to_be_visible()
    tables = ", ".join(f"a.download[href*='/csv-{study.name}-{key}/']:visible" for key in keys)
    with page.expect_download() as saved:
        page.locator(tables).first.click()  # the page may be drawn once more: the click waits for it
    rows = list(csv.reader(io.StringIO(saved.value.path().read_text())))
    assert len(rows) > 1, study.name
    assert all(len(row) == len(rows[0]) for row in rows), study.name


def test_stop_ends_a_long_run_within_a_second_and_keeps_what_was_found(visit):
    study = STUDIES["asteris2014-fig5"]
    page = visit(address(study, form="full"))
    press_run(page)
    stop = button(page, "stop-study")
    stop.wait_for()
    expect(page.get_by_text("A stored run")).to_have_count(0)  # the run has rows of its own
    page.wait_for_function(f"document.querySelector('.st-key-{study.name}-variance .js-plotly-plot')", timeout=60_000)
    stop.click()
    began = time.monotonic()
    page.get_by_text("Stopped. The rows known by then are shown").wait_for()
    assert time.monotonic() - began < 2 * slowness()  # a second, and a second to draw what was found
    wait_for_tables(page, study)
    assert any(len(t["x"]) for t in traces(page, f"{study.name}-variance"))


def test_a_study_fits_a_phone_and_its_link_to_the_spannogram_opens_the_same_four_curves(visit):
    study = STUDIES["asteris2011-fig1"]
    page = visit(address(study), width=390, height=844)
    press_run(page)
    wait_for_tables(page, study)
    wide = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
    assert wide <= 390
    link = page.get_by_role("link", name="Play with it on the spannogram page")
    with page.context.expect_page() as opened:
        link.click()
    other = opened.value
    expect(other.locator(".st-key-top input")).to_have_value("2")
    expect(other.get_by_role("radio", name="four curves")).to_be_checked()
    expect(other.get_by_role("radio", name="any sign")).to_be_checked()
