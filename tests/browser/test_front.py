"""What a person sees first: one sentence, one picture, k as something to play, and a card for each data set."""

import math
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_app import PROVEN, field, player, settled_url, traces

pytestmark = pytest.mark.browser


def grown(page: Page, most: int) -> Locator:
    """Return the player, once its path has some values of k."""
    found = player(page)
    page.wait_for_function(
        "most => [...document.querySelectorAll('.st-key-stage *')].map(e => e.shadowRoot ?? e)"
        ".some(e => Number(e.querySelector?.('input[type=range]')?.max ?? 0) >= most)",
        arg=most,
        timeout=90_000,
    )
    return found


def test_k_is_played_and_walked_and_what_the_page_shows_hardly_moves_while_it_loads(visit):
    page = visit("/?data=pitprops")
    found = grown(page, 12)
    page.wait_for_timeout(1500)
    moved = page.evaluate("() => window.shifts")
    assert moved is not None
    assert sum(ours for ours, by_hand, *_ in moved if not by_hand) < 0.05, moved
    # k plays the component and the dot, without a rerun a step
    slider = found.get_by_role("slider")
    slider.focus()
    page.keyboard.press("Home")
    expect(found).to_have_attribute("data-k", "1")
    assert len(found.get_attribute("data-support").split(",")) == 1
    settled_url(page, k="1")
    found.get_by_role("button", name="Play k").click()
    expect(found).to_have_attribute("data-k", re.compile("^([5-9]|1[0-3])$"), timeout=20_000)
    expect(field(page, "k")).to_have_value("1")  # nothing is told while it plays
    found.get_by_role("button", name="Pause").click()
    rested = found.get_attribute("data-k")
    settled_url(page, k=rested)
    expect(field(page, "k")).to_have_value(rested)
    print(f"the slowest step took {found.get_attribute('data-slowest')} ms")  # 50 at most on an idle machine
    # arrow keys walk along k, and the page follows when they rest
    field(page, "k").fill("4")
    page.keyboard.press("Enter")
    expect(found).to_have_attribute("data-k", "4")
    expect(found.locator("[data-say=words]")).to_contain_text(PROVEN)
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(found).to_have_attribute("data-k", "6")
    settled_url(page, k="6")
    expect(found.locator("[data-say=words]")).to_contain_text(re.compile("6 of 13 features explain .* of λ₁"))
    # the k that was told last is told again once another was chosen elsewhere
    field(page, "k").fill("5")
    page.keyboard.press("Enter")
    expect(found).to_have_attribute("data-k", "5")
    settled_url(page, k="5")
    slider.focus()
    page.keyboard.press("ArrowRight")
    settled_url(page, k="6")
    expect(field(page, "k")).to_have_value("6")
    # a card has a picture, a sentence and what is proven, and opens its data set in its own view
    card = page.locator(".gallery button[data-name=digits]")
    expect(card).to_contain_text(re.compile(r"Handwritten digits.+k = 16: proven optimal \(stored proof\)"))
    expect(card.locator("img")).not_to_have_js_property("naturalWidth", 0)
    card.click()
    settled_url(page, data="digits")
    expect(page.get_by_role("heading", name="Explore")).to_be_in_viewport()
    expect(page.get_by_text("Handwritten digits").first).to_be_visible()
    expect(field(page, "k")).to_have_value("16")
    # a window made narrow, or a phone that is turned, keeps the curve in sight
    page.set_viewport_size({"width": 390, "height": 844})
    expect(found.locator(".picture")).to_have_css("height", "180px")


def test_indispensable_features_are_proven_on_a_phone_whose_bar_says_what_the_sidebar_says(visit):
    page = visit("/?data=digits&k=10&proof=true&proof_view=indispensable&flavour=red", width=390, height=844, dark=True)
    expect(page.get_by_text("The link also names “flavour”, which does not exist here")).to_be_visible()
    page.get_by_role("button", name="Compute", exact=True).click()
    said = page.get_by_role("heading", name=re.compile("^[1-9] of these 10 pixels (is|are) indispensable"))
    expect(said).to_be_visible()
    page.locator(".st-key-needed .legendtext").first.wait_for()
    marks = {trace["name"]: trace for trace in traces(page, "needed") if trace["type"] == "scatter"}
    proven = int(said.inner_text().split()[0])
    assert len(marks["indispensable"]["x"]) == 6 * proven  # a square for each, and the step to the next
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("slider", name=re.compile("Tolerance")).press("ArrowLeft")
    settled_url(page, proof="true", proof_view="indispensable", within="0.5")
    expect(page.get_by_role("button", name="Compute", exact=True)).to_be_visible()
    # the bar changes k and the data
    player(page)
    bar = page.locator("form.narrow")
    bar.get_by_role("button", name="One feature more").click()
    settled_url(page, k="11")
    expect(page.locator(".play[data-k='11']")).to_be_visible()
    bar.get_by_label("k", exact=True).fill("99")
    bar.get_by_label("k", exact=True).press("Tab")
    settled_url(page, k="64")
    bar.get_by_label("Data").select_option("pitprops")
    settled_url(page, data="pitprops")
    expect(bar.get_by_label("k", exact=True)).to_have_value("4")
    expect(page.get_by_text("Pit props").first).to_be_visible()


def test_a_number_near_zero_is_said_without_a_sign(visit):
    page = visit("/spannogram?V=0.3,0.001;-0.004,0.5;0.2,0.7;0.1,-0.2&phi=-0.0000001")
    expect(page.get_by_text(re.compile("φ = 0.0°")).first).to_be_visible(timeout=30_000)
    said = page.evaluate(
        """() => { const all = []; const walk = root => root.querySelectorAll('*').forEach(e => {
        if (e.shadowRoot) walk(e.shadowRoot); else if (!e.children.length) all.push(e.textContent); });
        walk(document); return all.join(' | '); }"""
    )
    assert not re.search(r"[-−]0(\.0+)?(?![.\d])", said), said


# Canvases say what they write.
LISTEN = """() => { window.written = []; const pen = CanvasRenderingContext2D.prototype, write = pen.fillText;
  pen.fillText = function (words, ...where) {
    window.written.push(String(words));
    return write.call(this, words, ...where);
  };
}"""


def along(page: Page, found: Locator, k: int, last: int) -> tuple[float, float, float]:
    """Return where k stands in the chart, from left, and where its upper panel begins and ends."""
    box = found.locator(".curve").bounding_box()
    low, high = math.log(0.9), math.log(1.06 * last)
    x = 58 + (math.log(k) - low) / (high - low) * (box["width"] - 12 - 58)
    return box["x"] + x, box["y"] + 46, box["y"] + 44 + 0.5 * (box["height"] - 36 - 44)


def test_the_chart_has_a_lens_and_a_point_of_another_curve_takes_the_pictures_place(visit):
    page = visit("/?data=pitprops&k=4&methods=best&methods=thresholding&ks=1-13")
    found = grown(page, 12)
    expect(found.locator("[data-say=note]")).to_be_empty(timeout=90_000)
    page.evaluate(LISTEN)
    x, top, foot = along(page, found, 7, 13)
    page.mouse.move(x, foot - 20)  # below every curve: the lens
    page.wait_for_function("() => window.written.some(words => /^k = 7: (gap [\\d.]+ %|proven optimal)$/.test(words))")
    told = " ".join(page.evaluate("window.written"))
    for words in (
        r"at most [\d.]+ %",
        r"found [\d.]+ %",
        "proven optimal at",
        "log scale",
    ):
        assert re.search(words, told), words
    assert "the optimum lies in here" not in told  # the band has closed everywhere
    tip, y = found.locator(".curve-tip"), top
    while not tip.is_visible():
        y += 4
        assert y < foot, "no point of another curve at k = 7"
        page.mouse.move(x, y)
    expect(tip).to_contain_text(re.compile(r"^Thresholded PCA, k = 7: [\d.]+ %.* Click to see it\.$"))
    page.mouse.click(x, y)
    settled_url(page, k="7", method="thresholding")
    expect(found).to_have_attribute("data-k", "7")
    expect(field(page, "k")).to_have_value("7")
    expect(found.locator("[data-say=words]")).to_contain_text("7 of 13 features explain")


def test_a_click_in_the_picture_asks_why_and_the_answer_opens_below_without_leaving_the_page(visit):
    page = visit("/?data=digits&k=16")
    found = player(page)
    page.wait_for_timeout(500)
    picture = found.locator(".picture")
    box = picture.bounding_box()
    tip = found.locator(".tip").first
    for step in range(40):  # moved again, where the picture was laid anew under a mouse that rested
        picture.hover(position={"x": box["width"] / 2 + step % 2, "y": box["height"] / 2})
        if tip.is_visible():
            break
        page.wait_for_timeout(250)
    expect(tip).to_contain_text(re.compile(r"row \d, column \d: .*Click: why\?"))
    row, column = map(int, re.findall(r"row (\d), column (\d)", tip.inner_text())[0])
    picture.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    why = str(8 * (row - 1) + column)
    settled_url(page, why=why)
    sheet = page.locator(".sheet[data-why]")
    expect(sheet).to_have_attribute("data-why", why)
    title = re.compile(rf"^Why is pixel \({row}, {column}\) (not )?included\?$")
    expect(sheet.locator("[data-say=title]")).to_have_text(title)
    expect(sheet.locator(".answer")).to_be_in_viewport()
    # another is asked about in the sheet, and then one in the picture again: each is answered
    sheet.locator(".ask input").fill("1")
    page.keyboard.press("Enter")
    expect(sheet).to_have_attribute("data-why", "1")
    picture.scroll_into_view_if_needed()
    picture.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    expect(sheet).to_have_attribute("data-why", why)
    settled_url(page, why=why)
    expect(sheet).to_have_attribute("data-marked", why)


def test_a_link_keeps_the_charts_choices_and_every_bound_stands_with_the_band(visit):
    link = "/?data=pitprops&k=5&ks=2,5,13&log=false&proof=true&proof_view=bounds&paper_band=true"
    page = visit(f"{link}&methods=best&methods=em")
    page.locator(".st-key-band .js-plotly-plot").wait_for(timeout=60_000)
    page.wait_for_function(
        """() => { const gd = document.querySelector('.st-key-band .js-plotly-plot');
        const drawn = gd?._fullData?.map(t => t.name) ?? [];
        return drawn.includes('EM') && drawn.some(name => /probability/.test(name)); }"""
    )
    drawn = page.evaluate(
        """() => { const gd = document.querySelector('.st-key-band .js-plotly-plot');
        return {gap: gd._fullData.filter(t => t.yaxis === 'y2').map(t => t.name), kind: gd._fullLayout.xaxis.type,
                shared: gd._fullLayout.yaxis2.anchor, top: gd._fullLayout.yaxis2.domain[1],
                floor: gd._fullLayout.yaxis.domain[0]}; }"""
    )
    assert {"best known", "EM"} <= set(drawn["gap"])
    assert (drawn["kind"], drawn["shared"]) == ("linear", "x")
    assert drawn["top"] < drawn["floor"]
    page.get_by_role("button", name="Options").click()
    expect(field(page, "ks")).to_have_value("2,5,13")
