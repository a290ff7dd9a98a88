"""The parts page in a real browser: parts appear, sliders change what they should, the link reopens the view."""

import re

import pytest

pytestmark = pytest.mark.browser


FALLEN = """before => {
  const drawn = document.querySelector('.st-key-parts-band .js-plotly-plot')?._fullData;
  const ceiling = drawn?.find(t => t.name === 'proven ceiling' && t.yaxis === 'y');
  return ceiling && ceiling.y[[...ceiling.x].indexOf(4)] < before;
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


def test_the_band_fills_with_every_number_of_parts(visit):
    page = visit("/parts?data=digits&k=8&r=3")
    verdict(page)
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


def test_stop_ends_the_search_and_keeps_what_was_found(visit):
    page = visit("/parts?k=40&r=6&scale=standardised&seed=5")
    page.locator(".face[data-seen]").wait_for(timeout=60_000)
    stop = page.get_by_role("button", name="Stop").first
    stop.click()
    page.get_by_text("Stopped. What was found by then is shown").wait_for(timeout=20_000)
    assert page.locator(".face[data-seen]").count() == 1


def test_the_headline_is_what_is_proven_of_all_parts_together_and_tighten_brings_the_ceiling_down(visit):
    page = visit("/parts?data=digits&k=16&r=4")
    said = re.search(r"These four parts keep at least ([\d.]+) % of what any four such parts could", verdict(page))
    assert 90 < float(said[1]) < 100
    rows(page).nth(1).wait_for()
    drawn = heat(page, "best")
    assert sum(1 for row in drawn for v in row if v) >= 4 * 12
    before = ceilings(page)[4]
    page.get_by_role("button", name="Tighten the proof").click()
    page.get_by_text("Tightening").first.wait_for()
    page.wait_for_function(FALLEN, arg=before, timeout=120_000)  # while watched
    page.locator(".st-key-stop-tighten-parts button:visible").click()  # the band has a Stop of its own
    page.get_by_text("the ceiling came down from").wait_for()
    assert ceilings(page)[4] < before


def test_one_slider_says_how_many_parts_every_way_shows(visit):
    page = visit("/parts?data=digits&k=8&r=3&with=best&with=pca&with=nmf&shown=1")
    page.get_by_text(re.compile("1 part of .* explain")).nth(3).wait_for(timeout=60_000)
    slider = page.get_by_role("slider", name="Parts shown")
    slider.focus()
    slider.press("ArrowRight")
    page.get_by_text(re.compile("2 parts of .* explain")).nth(3).wait_for(timeout=60_000)


def test_what_changed_hands_is_shown_in_two_pictures(visit):
    page = visit("/parts?data=digits&k=16&r=4&hands=true")
    page.get_by_text("went from one part to another").wait_for(timeout=60_000)
    assert figure(page, "hands-best", "gd._fullData.length") > 1


def test_each_part_used_brings_the_sample_nearer(visit):
    page = visit("/parts?data=digits&k=8&r=6&used=1")
    page.get_by_text("Sample 1, and what 1 part makes of it").wait_for()
    first = share_missing(page)
    slider = page.get_by_role("slider", name="Parts used")
    slider.focus()
    for _ in range(5):
        slider.press("ArrowRight")
    page.get_by_text("Sample 1, and what 6 parts make of it").wait_for()
    assert share_missing(page) < first


def test_a_higher_price_of_overlap_lowers_the_overlap(visit):
    def overlap(alpha):
        page = visit(f"/parts?data=digits&apart=joint&with=coordinate-descent&r=4&alpha={alpha}&beta=0.0")
        said = rows(page).first
        said.wait_for()
        return float(re.search(r"overlap ([\d.]+)", said.inner_text())[1])

    assert overlap("100.0") < overlap("0.05")


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
