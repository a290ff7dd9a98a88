"""Who reads with little sight, with a screen reader or on a phone: contrast, names and width of every page."""

from pathlib import Path
from urllib.parse import urlsplit

import axe_playwright_python
import pytest
from playwright.sync_api import Page

from nnspca.view.link import state
from tests.browser import test_spannogram
from tests.browser.waiting import rest

pytestmark = pytest.mark.browser

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
BOTH, DATA, NONE = {"data", "k"}, {"data"}, set[str]()
# For each page its address, and what a phone has at its foot there: what counts on it, and nothing else.
PAGES = {
    "explore": (
        "/?data=pitprops&ks=2,5,13&methods=best&methods=em&samples=true&proof=true&proof_view=bounds&bounds=true"
        "&paper_band=true&more=true",
        BOTH,
    ),
    "explore's certificate": ("/?data=pitprops&proof=true&more=true&more_view=data", BOTH),
    "explore's samples": ("/?data=lrs&picked=r1-9&marked=2-3&why=3", BOTH),
    "parts": ("/parts?data=pitprops&k=4&r=3&rebuild=true&certificate=true&take=true", BOTH),
    "the circle": ("/spannogram?curves=random", NONE),
    "the circle of the data": ("/spannogram?curves=data+set&data=pitprops", BOTH),
    "the sphere": ("/spannogram?dimensions=3%3A+a+sphere", NONE),
    "solvers": ("/compare?what=solvers&data=pitprops&racers=best&racers=em&racers=pca&who=best&take=true", BOTH),
    "data sets": ("/compare?data=pitprops&vs=pitprops&vs=digits&fine=few&panels=true&take=true", NONE),
    "papers": ("/papers?tables=true", NONE),
    "data": ("/data?data=pitprops", DATA),
    "the lesson": ("/learn?step=10&sheet=true", NONE),
}
# Of Streamlit's own making: its navigation puts headings into a list, its drop zone is a named presentation.
STREAMLIT = {
    "list": "stSidebarNavItems",
    "listitem": "<li class=",
    "presentation-role-conflict": "stFileUploaderDropzone",
}
# What is read: text of HTML and SVG, shadow roots included, each against what is painted behind it.
CONTRAST = """() => {
  const read = (text) => (text.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const clear = (text) => text === "transparent" || text === "none" || read(text)[3] === 0;
  const over = ([r, g, b, a = 1], back) => [r, g, b].map((v, i) => v * a + back[i] * (1 - a));
  const light = (c) => c.map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const up = (node) => node.parentElement ?? node.getRootNode().host ?? null;
  const chain = (node) => { const all = []; for (let n = node; n; n = up(n)) all.push(n); return all; };
  const found = [];
  const judge = (element, text) => {
    if (element.checkVisibility && !element.checkVisibility({opacityProperty: true, visibilityProperty: true})) return;
    const box = element.getBoundingClientRect(), style = getComputedStyle(element), line = chain(element);
    if (box.width < 2 || box.height < 2 || box.right <= 0) return;  // a folded sidebar stands outside
    if (line.some(n => n.disabled || n.getAttribute?.("aria-disabled") === "true" || n.inert)) return;
    if (element.matches("[data-testid=stIconMaterial]")) return;  // the name of a picture, not meant to be read
    let back = [255, 255, 255];
    for (const n of [...line].reverse()) {
      const behind = getComputedStyle(n).backgroundColor;
      const thumb = n.querySelector(":scope > [data-testid=stSliderThumbValue]");  // its number stands above it
      if (!clear(behind) && !thumb) back = over(read(behind), back);
    }
    const paint = element instanceof SVGElement ? style.fill : style.color;
    if (clear(paint)) return;
    const seen = line.reduce((product, n) => product * Number(getComputedStyle(n).opacity), 1);
    const [r, g, b, a = 1] = read(paint);
    const [x, y] = [light(over([r, g, b, a * seen], back)), light(back)].sort((p, q) => q - p);
    const ratio = (x + .05) / (y + .05), large = parseFloat(style.fontSize) >= 24;
    const said = `“${text.trim().slice(0, 60)}” (${paint} on ${back})`;
    if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)}: ${said}`);
  };
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) walk(element.shadowRoot);
      if (["SCRIPT", "STYLE", "TITLE", "DESC", "OPTION", "NOSCRIPT"].includes(element.tagName.toUpperCase())) continue;
      const own = [...element.childNodes].filter(n => n.nodeType === 3).map(n => n.textContent).join("");
      if (/[\\p{L}\\p{N}]/u.test(own)) judge(element, own);
      else if (element.tagName === "INPUT" && element.value && element.type === "text") judge(element, element.value);
    }
  };
  walk(document.body);
  return [...new Set(found)];
}"""
MOVING = """document.querySelector('[data-testid=stSkeleton], [data-stale=true]') ||
  document.getAnimations().some(a => a instanceof CSSTransition)"""
REDRAWN = """dark => [...document.querySelectorAll('.js-plotly-plot')]
  .every(gd => gd.layout?.meta && gd.layout.meta.dark === dark)"""
UNNAMED = """() => [...document.querySelectorAll('[data-testid=stPlotlyChart]')]
  .filter(c => !c.closest('[aria-label]') && !c.querySelector('[aria-label]')).length"""
# What lies beyond the width of a phone: the page itself, its title, and what canvases are made of.
BEYOND = """() => [
  ...(document.querySelector('[data-testid=stMain]').scrollWidth > innerWidth ? ['the page'] : []),
  ...[document.querySelector('h1'), ...[...document.querySelectorAll('*')]
      .flatMap(e => e.shadowRoot ? [...e.shadowRoot.querySelectorAll('*')] : [])]
    .filter(e => !e.parentElement?.closest('nav.strip'))  // which scrolls by itself
    .filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.className || e.tagName)]"""
# Contrast is measured above, in shadow roots and SVG too.
FAULTS = """async () => (await axe.run(document,
    {resultTypes: ["violations"], rules: {"color-contrast": {enabled: false}}})).violations
  .flatMap(v => v.nodes.map(n => [v.id, n.html.slice(0, 300), n.failureSummary]))"""


def still(page: Page) -> Page:
    """Wait until all is drawn, and nothing is dimmed because it is about to be drawn anew."""
    return rest(page, MOVING, 500)


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_read_in_both_themes_by_a_screen_reader_and_on_a_phone(visit, name):
    path, counting = PAGES[name]
    page = still(visit(path))
    moved = sum(ours for ours, by_hand, *_ in page.evaluate("() => window.shifts") if not by_hand)
    assert moved < 0.05, page.evaluate("() => window.shifts")
    page.add_script_tag(path=AXE)
    bar = page.locator("form.narrow")
    assert not bar.is_visible()
    wrong = {}
    # Each theme once, and each width; the sidebar, which a phone folds away, in both themes.
    looks = [("light", 1280), ("dark", 390)] if name != "explore" else [("light", 1280), ("dark", 1280), ("dark", 390)]
    for theme, width in looks:
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=theme)
        page.wait_for_function(REDRAWN, arg=theme == "dark")
        still(page)
        faint = page.evaluate(CONTRAST)
        judged = page.evaluate(FAULTS) if (theme, width) != ("dark", 1280) else []  # differs by its colours alone
        faults = [f for f in judged if STREAMLIT.get(f[0], "no such") not in f[1]]
        found = {"faint": faint, "axe": faults, "unnamed": page.evaluate(UNNAMED)}
        wrong |= {f"{theme}, {width}, {kind}": what for kind, what in found.items() if what}
    assert not wrong, wrong
    assert page.evaluate(BEYOND) == []
    assert {what for what in ("data", "k") if bar.locator(f"[data-do={what}]").is_visible()} == counting
    if counting:
        box = bar.bounding_box()
        assert box["y"] + box["height"] <= 844


PHONE = [
    "/data?data=digits",
    "/parts?data=digits&k=8&r=3&with=best&with=pca&with=nmf&used=1",  # asked elsewhere, too: found once
    "/?data=pitprops&ks=2,5,13",
    "/?data=digits&why=20",
    "/compare?vs=pitprops&vs=digits&fine=few",
    "/compare?what=solvers&data=pitprops&racers=best&racers=em&racers=pca",
    "/spannogram",
]
# What moves while a page settles, where it is more than it should be: to be brought down.
FIGURE_FIRST = {"/parts", "/compare", "/spannogram"}  # its choices, which are many, stand under it
ORDER = """[...document.querySelectorAll('[class*=st-key-figure-first-]')].map(
  ({children: [choices, shown]}) => shown.getBoundingClientRect().bottom <= choices.getBoundingClientRect().top)"""


@pytest.mark.parametrize("path", PHONE)
def test_nothing_jumps_on_a_phone_while_a_page_loads_and_its_figure_stands_above_its_choices(visit, path):
    page = still(visit(path, 390, height=844))
    shifts = page.evaluate("() => window.shifts")
    assert sum(ours for ours, by_hand, *_ in shifts if not by_hand) < 0.05, shifts
    assert page.evaluate(ORDER) == [True] * (path.partition("?")[0] in FIGURE_FIRST)
    if path == "/spannogram":
        test_spannogram.nothing_reaches_beyond_a_phone(page)


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
    assert "2.85: “faint”" in said
    assert "“dimmed”" in said
    assert "“shaded”" in said  # in a shadow root, as the canvases are
    assert "plain" not in said


def test_every_page_is_among_those_looked_at():
    assert {urlsplit(path).path.strip("/") or "explore" for path, _ in PAGES.values()} == set(state.PAGES)
