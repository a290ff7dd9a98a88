"""Every page as its visitors have it: still while it loads, readable, usable by ear, by hand and on a phone.

One visit to a page asks all of it: a phone at night first, where most can jump and least fits, then a laptop by day,
where the first screen does what its sentence says.
"""

import re
from pathlib import Path
from urllib.parse import urlsplit

import axe_playwright_python
import pytest
from playwright.sync_api import Locator, Page, expect

from nnspca.view.frame import server
from nnspca.view.link import state
from tests.browser.page import OPTIMAL, PROVEN, player, still, unmoved

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")


def seen(where: Locator) -> Locator:
    """What is wholly on the first screen."""
    expect(where).to_be_in_viewport(ratio=0.99)
    return where


def sentence(page: Page) -> None:
    """What a page is for, below its title."""
    first = page.locator("[data-testid=stMain] [data-testid=stMarkdown]").first
    expect(seen(first)).to_contain_text(re.compile(r"\w[.?]"))


def explore(page: Page) -> None:
    sentence(page)
    found = player(page)
    seen(found.locator(".picture"))
    expect(seen(found.locator("[data-say=words]"))).to_contain_text(PROVEN)
    before = found.get_attribute("data-support")
    slider = seen(found.get_by_role("slider"))
    slider.focus()
    slider.press("ArrowRight")
    expect(found).not_to_have_attribute("data-support", before)


def parts(page: Page) -> None:
    sentence(page)
    shown = page.locator(".component[data-seen]")
    expect(seen(shown.locator("ol button").nth(2))).to_be_visible()
    expect(page.get_by_role("heading", level=2).first).to_contain_text(PROVEN)
    seen(page.get_by_role("button", name=re.compile("Increment|increase", re.I)).nth(1)).click()
    expect(shown).to_have_attribute("data-seen", "1,2,3,4")


def circle(page: Page) -> None:
    sentence(page)
    seen(page.locator("[data-say=set]"))
    seen(page.get_by_role("button", name="Next change")).click()
    expect(page.locator("[data-say=change]")).to_contain_text(re.compile("cross.*(leaves|enters)"))


def learn(page: Page) -> None:
    expect(seen(page.locator("section.lesson [data-say=idea]"))).to_contain_text(re.compile(r"\b40 of 625\b"))
    seen(page.locator("section.lesson canvas")).click(position={"x": 200, "y": 60})
    seen(page.get_by_role("button", name="Show the solver")).click()
    said = re.compile(rf"\d\s%.*\d\s%.*\d\s%.*{OPTIMAL}.*\d\s%", re.S)  # the visitor's, the solver's, the upper bound
    expect(page.locator("[data-say=readout]")).to_contain_text(said)


def compare(page: Page) -> None:
    proven = re.compile(rf"{OPTIMAL}|at least [\d.]+\s%", re.I)
    expect(seen(page.locator(".st-key-compare-says"))).to_contain_text(proven)
    seen(page.get_by_text("solvers", exact=True)).click()
    expect(page.get_by_role("heading", name="Compare solvers")).to_be_in_viewport()


def papers(page: Page) -> None:
    sentence(page)
    seen(page.get_by_role("button", name=re.compile("Fig. 2")).first).click()
    expect(page.get_by_role("heading", name=re.compile("^Fig. 2"))).to_be_in_viewport()
    expect(page).to_have_url(re.compile(r"=Fig\.\+2"))
    expect(page.get_by_text("A stored run")).to_be_visible()


def data(page: Page) -> None:
    """A file that is dropped is in use on the other pages, with nothing chosen by hand."""
    seen(page.get_by_role("button", name=re.compile("Handwritten digits"))).click()
    expect(page).to_have_url(re.compile("data=digits"))
    rows = [",".join(str((i * j) % 7 + i % 3) for j in range(1, 6)) for i in range(20)]
    table = "\n".join(["roses,tulips,ferns,moss,ivy", *rows])
    seen(page.locator(".st-key-upload")).locator("input[type=file]").set_input_files(
        {"name": "garden.csv", "mimeType": "text/csv", "buffer": table.encode()}
    )
    page.locator(".st-key-read").filter(has_text="garden").wait_for()
    page.get_by_role("link", name="Explore →").click()
    found = player(page)
    expect(found.locator("[data-say=words]")).to_contain_text(PROVEN)
    named = re.compile("; the largest: (roses|tulips|ferns|moss|ivy)")
    expect(found.locator(".picture")).to_have_attribute("aria-label", named)
    page.get_by_role("link", name="Parts", exact=True).click()
    expect(page.get_by_role("heading", level=2).first).to_contain_text(re.compile(r"\d\s%"))
    expect(page.locator(".component[data-seen]")).to_be_visible()


def nothing(page: Page) -> None:
    """Another look of a page whose first screen is asked elsewhere."""


BOTH, DATA, NONE = {"data", "k"}, {"data"}, set[str]()
# For each page its address, what a phone has at its foot there (what counts on it, and nothing else), and what is done.
PAGES = {
    "explore": ("/?data=pitprops&ks=2,5,13&methods=best&methods=em&these=true&proof=true&more=true", BOTH, explore),
    "explore's samples": ("/?data=lrs&why=3", BOTH, nothing),
    "parts": ("/parts?data=pitprops&k=4&r=3&use=true&proven=true&others=true", BOTH, parts),
    "the circle": ("/spannogram", NONE, circle),
    "the circle of the data": ("/spannogram?curves=data+set&data=pitprops", BOTH, nothing),
    "the sphere": ("/spannogram?dimensions=3%3A+a+sphere", NONE, nothing),
    "solvers": ("/compare?what=solvers&data=pitprops&racers=best&racers=em&racers=pca&take=true", BOTH, nothing),
    "data sets": ("/compare?what=data+sets&vs=pitprops&vs=digits", NONE, compare),
    "papers": ("/papers?tables=true", NONE, papers),
    "data": ("/data?data=pitprops", DATA, data),
    "the game": ("/learn", NONE, learn),
    "a chapter": ("/learn?step=7", NONE, nothing),
}
# Of Streamlit's own making: its navigation puts headings into a list, its drop zone is a named presentation.
STREAMLIT = {
    "list": "stSidebarNavItems",
    "listitem": "<li class=",
    "presentation-role-conflict": "stFileUploaderDropzone",
}
# What is read: text of HTML and SVG, shadow roots included, each against what is painted behind it.
CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")
REDRAWN = """dark => [...document.querySelectorAll('.js-plotly-plot')]
  .every(gd => gd.layout?.meta && gd.layout.meta.dark === dark)"""
UNNAMED = """() => [...document.querySelectorAll('[data-testid=stPlotlyChart]')]
  .filter(c => !c.closest('[aria-label]') && !c.querySelector('[aria-label]')).length"""
# What lies beyond the width of a phone: the page itself, its title and those of figures, what canvases are made of.
BEYOND = """() => [
  ...(document.querySelector('[data-testid=stMain]').scrollWidth > innerWidth ? ['the page'] : []),
  ...[...document.querySelectorAll('h1, .gtitle'), ...[...document.querySelectorAll('*')]
      .flatMap(e => e.shadowRoot ? [...e.shadowRoot.querySelectorAll('*')] : [])]
    .filter(e => !e.parentElement?.closest('nav:is(.strip, .row)'))  // which scrolls by itself
    .filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.className || e.tagName)]"""
# Contrast is measured above, in shadow roots and SVG too.
FAULTS = """async () => (await axe.run(document,
    {resultTypes: ["violations"], rules: {"color-contrast": {enabled: false}}})).violations
  .flatMap(v => v.nodes.map(n => [v.id, n.html.slice(0, 300), n.failureSummary]))"""


# Where choices are many, the figure stands above them.
FIGURE_FIRST = """[...document.querySelectorAll('[class*=st-key-figure-first-]')].every(
  ({children: [choices, shown]}) => shown.getBoundingClientRect().bottom <= choices.getBoundingClientRect().top)"""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_stays_in_place_is_read_in_both_themes_fits_a_phone_and_does_what_its_sentence_says(visit, name):
    path, counting, act = PAGES[name]
    page = unmoved(still(visit(path, 390, height=844, dark=True)))
    page.add_script_tag(path=AXE)
    bar = page.locator("form.narrow")
    wrong = read("a phone at night", page)
    assert page.evaluate(BEYOND) == []
    assert page.evaluate(FIGURE_FIRST)
    assert {what for what in ("data", "k") if bar.locator(f"[data-do={what}]").is_visible()} == counting
    assert not counting or bar.bounding_box()["y"] + bar.bounding_box()["height"] <= 844
    page.set_viewport_size({"width": 1280, "height": 844})
    if name == "explore":
        wrong |= read("a laptop at night", still(page))  # with the sidebar, which a phone folds away
    page.emulate_media(color_scheme="light")
    page.wait_for_function(REDRAWN, arg=False)
    wrong |= read("a laptop by day", still(page))
    assert not wrong, wrong
    assert not bar.is_visible()
    act(page)


def read(where: str, page: Page) -> dict[str, list]:
    """What is faint, wrong for a screen reader, or a figure without a name."""
    faults = [f for f in page.evaluate(FAULTS) if STREAMLIT.get(f[0], "no such") not in f[1]]
    found = {"faint": page.evaluate(CONTRAST), "axe": faults, "unnamed": page.evaluate(UNNAMED)}
    return {f"{where}, {kind}": what for kind, what in found.items() if what}


def test_the_measure_of_contrast_finds_what_is_faint(browsing):
    page = browsing.new_page()  # no page of the app is needed to measure
    page.set_content(
        """<body style="background: #fff; color: #000"><h1>
        <b style="font-size: 14px; color: #999; background: #fff">faint</b><i style="opacity: 0.3">dimmed</i></h1>
        <p id="host">plain</p></body>"""
    )
    page.evaluate(
        """() => { document.querySelector('#host').attachShadow({mode: 'open'}).innerHTML =
        '<span style="color: #aaa">shaded</span>'; }"""
    )
    said = " ".join(page.evaluate(CONTRAST))
    page.close()
    assert all(words in said for words in ("2.85: “faint”", "“dimmed”", "“shaded”")) and "plain" not in said


def test_the_small_font_has_every_icon_that_is_asked_for(visit):
    files = [*server.SCRIPTS.glob("*.js"), *(f for at in ("nnspca", "pages") for f in (ROOT / at).rglob("*.py"))]
    names = {name for f in files for name in re.findall(r":material/(\w+)", f.read_text("utf-8"))}
    size, wrong = visit("/learn").evaluate(
        """async names => {
          const font = '20px "Material Symbols Rounded"', pen = document.createElement('canvas').getContext('2d');
          await document.fonts.load(font, 'close');
          pen.font = font;
          const sent = performance.getEntriesByType('resource').find(file => /Symbols.*woff2$/.test(file.name));
          return [sent.encodedBodySize, names.filter(name => pen.measureText(name).width !== 20)];
        }""",
        sorted(names),
    )
    assert size < 20_000 and len(names) > 100
    assert set(wrong) <= {"star_filled"}  # which Streamlit itself has not


def test_every_page_is_among_those_looked_at():
    assert {urlsplit(path).path.strip("/") or "explore" for path, *_ in PAGES.values()} == set(state.PAGES)
