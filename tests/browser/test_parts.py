"""The parts page in a real browser: parts appear, sliders change what they should, the link reopens the view."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.test_app import settled_url
from tests.browser.waiting import rest

pytestmark = pytest.mark.browser


FALLEN = """before => {
  const drawn = document.querySelector('.st-key-parts-band .js-plotly-plot')?._fullData;
  const ceiling = drawn?.find(t => t.name === 'proven ceiling' && t.yaxis === 'y');
  return ceiling && ceiling.y[[...ceiling.x].indexOf(3)] < before;
}"""


def rows(page):
    return page.get_by_text(re.compile(r"parts of .* explain"))


def share_missing(page):
    found = page.get_by_text(re.compile(r"of this sample's squared distance")).inner_text()
    return float(re.search(r"([\d.]+) %", found)[1])


def heat(page, solver):
    """The values drawn for a solver's parts, once they are drawn."""
    drawn = f".st-key-parts-{solver} .js-plotly-plot"
    page.wait_for_function("at => document.querySelector(at)?._fullData?.length", arg=drawn)
    return page.evaluate("at => Array.from(document.querySelector(at)._fullData[0].z, row => Array.from(row))", drawn)


def figure(page, key, ask):
    """What a drawn figure says: ``ask`` is an expression of its ``gd``."""
    drawn = f".st-key-{key} .js-plotly-plot"
    page.wait_for_function("at => document.querySelector(at)?._fullData?.length", arg=drawn)
    return page.evaluate(f"at => (gd => {ask})(document.querySelector(at))", drawn)


def ceilings(page):
    """The proven ceilings drawn, by number of parts."""
    ask = "gd._fullData.filter(t => t.name === 'proven ceiling' && t.yaxis === 'y').map(t => [[...t.x], [...t.y]])[0]"
    drawn = figure(page, "parts-band", ask)
    return dict(zip(*drawn, strict=True)) if drawn else {}


def verdict(page):
    """The headline, once it stands."""
    said = page.get_by_role("heading", level=2).filter(has_text="such parts could").first
    said.wait_for(timeout=120_000)
    return said.inner_text()


def test_parts_fill_the_band_lie_on_one_picture_and_rebuild_a_sample(visit):
    page = visit("/parts?data=digits&k=8&r=3&with=best&with=pca&with=nmf&used=1")
    verdict(page)
    # the band fills with every number of parts
    at = ".st-key-parts-band .js-plotly-plot"
    page.wait_for_function(
        "at => document.querySelector(at)?._fullData?.find(t => t.fill === 'toself')?.x.length === 6",
        arg=at,
        timeout=120_000,
    )
    found = ceilings(page)
    assert sorted(found) == [1, 2, 3]
    lines = figure(page, "parts-band", "Object.fromEntries(gd._fullData.map(t => [t.name + t.yaxis, [...t.y]]))")
    each, both = lines["one after the othery"], lines["togethery"]
    assert len(each) == len(both) == 3
    for r in range(3):
        assert each[r] <= both[r] * (1 + 1e-9) <= found[r + 1] * (1 + 1e-6)
    # all lie on one picture, and its list hides and isolates them
    face = page.locator(".face[data-seen]")
    face.wait_for(timeout=60_000)
    expect(face).to_have_attribute("data-seen", "1,2,3")
    second = face.get_by_role("button", name=re.compile("Part 2"))
    expect(second).to_contain_text(re.compile(r"pixels · \d+\.\d\d % of all variance"))
    second.hover()
    expect(face).to_have_attribute("data-seen", "2")
    second.click()
    page.mouse.move(0, 0)
    expect(face).to_have_attribute("data-seen", "1,3")
    second.click()
    page.mouse.move(0, 0)
    expect(face).to_have_attribute("data-seen", "1,2,3")
    # each part used brings the sample nearer
    page.get_by_text("Sample 1, and what 1 part makes of it").wait_for()
    first = share_missing(page)
    slider = page.get_by_role("slider", name="Parts used")
    slider.focus()
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    page.get_by_text("Sample 1, and what 3 parts make of it").wait_for()
    assert share_missing(page) < first
    # one slider says how many parts every way shows
    page.get_by_text(re.compile("3 parts of .* explain")).nth(3).wait_for(timeout=60_000)
    slider = page.get_by_role("slider", name="Parts shown")
    slider.focus()
    slider.press("ArrowLeft")
    page.get_by_text(re.compile("2 parts of .* explain")).nth(3).wait_for(timeout=60_000)
    # on a phone the picture follows the words at once
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(600)  # the sidebar folds away
    words, picture = page.locator(".st-key-parts-gained").bounding_box(), face.bounding_box()
    assert 0 <= picture["y"] - words["y"] - words["height"] < 50


def test_stop_ends_the_search_and_keeps_what_was_found(visit):
    page = visit("/parts?k=40&r=6&scale=standardised&seed=5")
    page.locator(".face[data-seen]").wait_for(timeout=60_000)
    stop = page.get_by_role("button", name="Stop").first
    stop.click()
    page.get_by_text("Stopped. What was found by then is shown").wait_for(timeout=20_000)
    assert page.locator(".face[data-seen]").count() == 1


def test_the_headline_is_what_is_proven_of_all_parts_together_and_tighten_brings_the_ceiling_down(visit):
    page = visit("/parts?data=digits&k=12&r=3&hands=true")
    said = re.search(r"These three parts keep at least ([\d.]+) % of what any three such parts could", verdict(page))
    assert 90 < float(said[1]) < 100
    rows(page).nth(1).wait_for()
    drawn = heat(page, "best")
    assert sum(1 for row in drawn for v in row if v) >= 3 * 9
    # what changed hands is shown in two pictures
    page.get_by_text("went from one part to another").first.wait_for(timeout=60_000)
    assert figure(page, "hands-best", "gd._fullData.length") > 1
    before = ceilings(page)[3]
    page.get_by_role("button", name="Tighten the proof").click()
    page.get_by_text("Tightening").first.wait_for()
    page.wait_for_function(FALLEN, arg=before, timeout=120_000)  # while watched
    page.locator(".st-key-stop-tighten-parts button:visible").click()  # the band has a Stop of its own
    page.get_by_text("the ceiling came down from").wait_for()
    assert ceilings(page)[3] < before


def test_a_higher_price_of_overlap_lowers_the_overlap(visit):
    page = visit("/parts?data=digits&apart=joint&with=coordinate-descent&r=4&alpha=0.05&beta=0.0")
    said = rows(page).first
    said.wait_for()

    def overlap():
        return float(re.search(r"overlap ([\d.]+)", said.inner_text())[1])

    cheap = overlap()
    page.get_by_role("slider", name=re.compile("α")).press("End")
    settled_url(page, alpha="1000.0")
    rest(page, "false", 400)
    assert overlap() < cheap


def test_the_parts_of_pit_props_are_a_chart_and_are_proven(visit):
    page = visit("/parts?data=pitprops&k=4&r=2&proofs=true")
    page.get_by_text(re.compile("Part 2 of best: at least")).wait_for()
    assert heat(page, "best") is not None


@pytest.mark.real_data
@pytest.mark.parametrize(("data", "k"), [("cbcl-faces", 40), ("lrs", 10), ("leukemia", 10)])
def test_faces_spectra_and_genes_each_come_as_what_they_are(visit, real_data, data, k):
    page = visit(f"/parts?data={data}&k={k}&r=2&rebuild=true")
    rows(page).nth(1).wait_for(timeout=60_000)
    said = {"cbcl-faces": "Sample 1, and what", "lrs": "Sample 1, and what", "leukemia": "The samples along part"}[data]
    page.get_by_text(re.compile(said)).first.wait_for()
