"""What a person sees first: one sentence, one picture, k as something to play, and a card for each data set."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_app import field, lines, quiet, settled_url, traces

pytestmark = pytest.mark.browser


def player(page: Page) -> Locator:
    """Return the player, once it shows a component."""
    found = page.locator(".play[data-k]")
    found.wait_for(timeout=60_000)
    return found


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
    proven = re.compile("proven optimal|nobody can keep more than")
    expect(found.locator("[data-say=words]")).to_contain_text(proven)
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(found).to_have_attribute("data-k", "6")
    settled_url(page, k="6")
    expect(found.locator("[data-say=words]")).to_contain_text(re.compile("6 of 13 features keep .* of λ₁"))
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
    expect(card).to_contain_text(re.compile(r"Handwritten digits.+\. *k = 16: at least [\d.]+ % of the best, proven"))
    assert card.locator("img").evaluate("image => image.naturalWidth") > 0
    card.click()
    settled_url(page, data="digits")
    expect(page.get_by_role("heading", name=re.compile("^Find the few features"))).to_be_in_viewport()
    expect(page.get_by_text("Handwritten digits").first).to_be_visible()
    expect(field(page, "k")).to_have_value("16")
    # a window made narrow, or a phone that is turned, keeps the curve in sight
    page.set_viewport_size({"width": 390, "height": 844})
    expect(found.locator(".picture")).to_have_css("height", "200px")


def test_what_every_good_answer_has_is_proven_on_a_phone_whose_bar_says_what_the_sidebar_says(visit):
    page = visit("/?data=digits&k=10&need=true&flavour=red", width=390, height=844, dark=True)
    expect(page.get_by_text("The link also says “flavour”: nothing here has that name")).to_be_visible()
    page.get_by_role("button", name="Find out", exact=True).click()
    said = page.get_by_role("heading", name=re.compile("Proven: [1-9] of these 10 pixels are in every component"))
    expect(said).to_be_visible()
    page.locator(".st-key-needed .legendtext").first.wait_for()
    marks = {trace["name"]: trace for trace in traces(page, "needed") if trace["type"] == "scatter"}
    proven = int(said.inner_text().split()[1])
    assert len(marks["every good component has it"]["x"]) == 6 * proven  # a square for each, and the step to the next
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("slider", name=re.compile("Good: it lacks at most")).press("ArrowLeft")
    settled_url(page, need="true", within="0.5")
    expect(page.get_by_role("button", name="Find out", exact=True)).to_be_visible()
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
    return page


def test_a_sketch_stands_where_the_figures_of_a_comparison_will_be(visit):
    sketched(visit, "/compare?vs=pitprops&vs=digits&fine=few", "together")


def test_a_link_to_the_variance_page_keeps_its_choices_and_a_point_opens_beside_its_curve(visit):
    link = "/variance?data=pitprops&ks=2,5,13&log=false&paper_band=true&point=5+%C2%B7+best&bounds=true"
    page = sketched(visit, link, "curve")
    expect(page.get_by_text("k = 5, best")).to_be_visible(timeout=60_000)
    page.locator(".st-key-curve .js-plotly-plot").wait_for(timeout=60_000)
    curve = page.locator(".st-key-curve").bounding_box()
    component = page.locator(".st-key-chosen").bounding_box()
    assert component["x"] >= curve["x"] + curve["width"] - 1
    assert component["y"] < curve["y"] + curve["height"]
    below = page.evaluate(
        """() => { const gd = document.querySelector('.st-key-curve .js-plotly-plot');
        return {gap: gd._fullData.filter(t => t.yaxis === 'y2').map(t => t.name),
                shared: gd._fullLayout.yaxis2.anchor, top: gd._fullLayout.yaxis2.domain[1],
                floor: gd._fullLayout.yaxis.domain[0]}; }"""
    )
    assert {"best", "em", "the optimum lies in here"} <= set(below["gap"])
    assert below["shared"] == "x"
    assert below["top"] < below["floor"]
    # what the link says is what is shown
    quiet(page)
    assert any("holds with probability" in str(t["name"]) for t in traces(page, "curve"))
    assert (
        page.evaluate("() => document.querySelector('.st-key-curve .js-plotly-plot')._fullLayout.xaxis.type")
        == "linear"
    )
    expect(field(page, "ks")).to_have_value("2,5,13")
    # every ceiling is a line of its own, named in the legend
    shown = lines(page, "curve", {"First eigenvalue", "Row sums", "Balanced row sums"})
    legend = page.locator(".st-key-curve .legendtext").all_text_contents()
    assert shown <= set(legend)
    assert any("not proven" in words for words in legend)
    expect(page.get_by_label(re.compile("Who wins where")).first).to_be_visible()
