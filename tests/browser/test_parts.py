"""The parts page in a real browser: parts appear, sliders change what they should, the link reopens the view."""

import re

import pytest

pytestmark = pytest.mark.browser


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


def test_two_solvers_show_their_parts_side_by_side(visit):
    page = visit("/parts?k=40&r=6")
    rows(page).nth(1).wait_for()
    drawn = heat(page, "best")
    assert sum(1 for row in drawn for v in row if v) >= 6 * 30
    assert heat(page, "em") is not None


def test_each_part_used_brings_the_sample_nearer(visit):
    page = visit("/parts?k=40&r=6&rebuild=true&used=1")
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


def test_a_phone_shows_the_parts_one_below_the_other(visit):
    page = visit("/parts?r=2", width=390)
    rows(page).nth(1).wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.real_data
@pytest.mark.parametrize(("data", "k"), [("cbcl-faces", 40), ("lrs", 10), ("leukemia", 20)])
def test_faces_spectra_and_genes_each_come_as_what_they_are(visit, real_data, data, k):
    page = visit(f"/parts?data={data}&k={k}&r=3&rebuild=true")
    rows(page).nth(1).wait_for(timeout=60_000)
    said = {"cbcl-faces": "Sample 1, and what", "lrs": "Sample 1, and what", "leukemia": "The samples along part"}[data]
    page.get_by_text(re.compile(said)).first.wait_for()
