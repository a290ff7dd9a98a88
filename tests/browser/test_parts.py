"""The parts page in a real browser: parts appear, sliders change what they should, the link reopens the view."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.test_app import settled_url
from tests.browser.waiting import rest

pytestmark = pytest.mark.browser


SHARE = re.compile(r"explain ([\d.]+) % of the total variance.*(?:The proven maximum is ([\d.]+) %|proven optimal)")
TOOLBARS = """[...document.querySelectorAll('.js-plotly-plot')].every(plot => {
  const bar = plot.querySelector('.modebar'), title = plot.querySelector('.gtitle');
  if (!bar || !title || getComputedStyle(bar).opacity === '0' || !bar.offsetParent) return true;
  const a = bar.getBoundingClientRect(), b = title.getBoundingClientRect();
  return a.bottom <= b.top || b.bottom <= a.top || a.right <= b.left || b.right <= a.left;
})"""
SMALLEST = """Math.min(...[...document.querySelectorAll('.st-key-parts-band text')].filter(t => t.textContent.trim())
  .map(t => parseFloat(getComputedStyle(t).fontSize)))"""


def figure(page, key, ask):
    """What a drawn figure says: ``ask`` is an expression of its ``gd``."""
    drawn = f".st-key-{key} .js-plotly-plot"
    page.wait_for_function("at => document.querySelector(at)?._fullData?.length", arg=drawn)
    return page.evaluate(f"at => (gd => {ask})(document.querySelector(at))", drawn)


def maximum(page):
    """The proven maximum that the headline says, in per cent of the total variance."""
    said = page.get_by_role("heading", level=2).filter(has_text=SHARE).first
    said.wait_for(timeout=120_000)
    explained, most = SHARE.search(said.inner_text()).groups()
    return float(most or explained)


def settled(page):
    """Wait until the live run has ended."""
    page.get_by_text(re.compile(r"^Live, in")).wait_for(timeout=120_000)
    return page


def test_each_part_is_drawn_once_in_one_colour_beside_the_band(visit):
    page = settled(visit("/parts?data=digits&k=12&r=3"))
    assert maximum(page) > 0
    at = ".st-key-parts-band .js-plotly-plot"
    marks = "at => document.querySelector(at)?._fullData?.find(t => t.name === 'upper bound, proven')?.x.length >= 3"
    page.wait_for_function(marks, arg=at, timeout=120_000)
    assert page.locator(".js-plotly-plot").count() == 1, "the band, and no second drawing of the parts"
    assert page.evaluate(SMALLEST) >= 13
    face = page.locator(".face[data-seen]")
    expect(face).to_have_attribute("data-seen", "1,2,3")
    second = face.get_by_role("button", name=re.compile("Part 2"))
    expect(second).to_contain_text(re.compile(r"pixels · \d+\.\d.%"))
    second.hover()
    expect(face).to_have_attribute("data-seen", "2")
    second.click()
    page.mouse.move(0, 0)
    expect(face).to_have_attribute("data-seen", "1,3")
    second.click()
    page.mouse.move(0, 0)
    expect(face).to_have_attribute("data-seen", "1,2,3")
    # features that moved wear the colours of the list
    page.get_by_text("Other solvers, PCA and NMF").click()
    chips = face.locator("button i").evaluate_all("chips => chips.map(chip => getComputedStyle(chip).backgroundColor)")
    keys = "gd._fullData.filter(t => t.type === 'scatter').map(t => t.marker.color)"
    moved = figure(page, "moved-best", keys)
    assert [tuple(int(c[at : at + 2], 16) for at in (1, 3, 5)) for c in moved] == [
        tuple(map(int, re.findall(r"\d+", chip))) for chip in chips
    ]


def test_a_sample_is_rebuilt_and_each_part_explains_more_of_it(visit):
    page = settled(visit("/parts?data=digits&k=8&r=3&use=true&used=1"))

    def share():
        found = page.get_by_text(re.compile(r"explains? \d+ % of this image")).inner_text()
        return int(re.search(r"(\d+) %", found)[1])

    page.get_by_text("Sample 1, and its reconstruction from 1 part").wait_for()
    first = share()
    slider = page.get_by_role("slider", name="Parts used")
    slider.focus()
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    page.get_by_text("Sample 1, and its reconstruction from 3 parts").wait_for()
    assert share() > first


def test_on_a_phone_the_page_is_short_and_the_picture_follows_the_words(visit):
    page = visit("/parts?data=digits&prep=crop-2&k=2&r=6")  # few pixels, soon proven: as long a page as of more
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    page.locator(".st-key-parts-band .main-svg").first.wait_for()
    rest(page, "false", 600)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") < 2500
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(TOOLBARS)
    words, picture = page.locator(".st-key-parts-said").bounding_box(), page.locator(".face").bounding_box()
    assert 0 <= picture["y"] - words["y"] - words["height"] < 120  # the line of the live run is between them


def test_stop_ends_the_search_and_keeps_what_was_found(visit):
    page = visit("/parts?k=40&r=6&scale=standardised&seed=5")
    page.locator(".face[data-seen]").wait_for(timeout=60_000)
    stop = page.get_by_role("button", name="Stop").first
    stop.click()
    page.get_by_text("Stopped. What was found by then is shown").wait_for(timeout=20_000)
    assert page.locator(".face[data-seen]").count() == 1


def test_a_higher_price_of_overlap_lowers_the_overlap(visit):
    page = visit("/parts?data=digits&apart=joint&with=coordinate-descent&with=em&r=4&alpha=0.05&beta=0.0&angles=em")
    page.get_by_text(re.compile(r"^Live, in")).wait_for(timeout=60_000)
    drawn = "Math.min(...[...gd._fullData[0].z].flatMap(row => [...row]).filter(Number.isFinite))"
    page.get_by_text("NSPCA (coordinate descent)", exact=True).last.click()
    rest(page, "false", 400)
    cheap = figure(page, "angles-drawn", drawn)
    page.get_by_role("slider", name=re.compile("α")).press("End")
    settled_url(page, alpha="1000.0")
    rest(page, "false", 400)
    assert figure(page, "angles-drawn", drawn) > cheap


@pytest.mark.real_data
@pytest.mark.parametrize(("data", "k"), [("cbcl-faces", 40), ("lrs", 10), ("leukemia", 10)])
def test_faces_spectra_and_genes_each_come_as_what_they_are(visit, real_data, data, k):
    page = visit(f"/parts?data={data}&k={k}&r=2&rebuild=true")
    page.locator(".face[data-seen]").wait_for(timeout=60_000)
    said = {"cbcl-faces": "Sample 1, and its", "lrs": "Sample 1, and its", "leukemia": "The samples along part"}[data]
    page.get_by_text(re.compile(said)).first.wait_for(timeout=60_000)
