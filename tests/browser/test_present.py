"""Presenter mode: a talk held with the keyboard alone, read from the last row."""

import re

import pytest
from playwright.sync_api import expect

from nnspca.view.frame import present
from tests.browser.waiting import rest

pytestmark = pytest.mark.browser

# Words of the slide that are smaller than twenty pixels on the screen; small letters of formulae aside.
SMALL = """() => {
  const slide = document.querySelector('[data-slide=here]'), small = [];
  const larger = slide.getBoundingClientRect().width / slide.offsetWidth;
  const walk = (root, times) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) walk(element.shadowRoot, times);
      if (/^(script|style|option|title|sub|sup)$/i.test(element.tagName)) continue;
      const own = [...element.childNodes].filter(n => n.nodeType === 3).map(n => n.textContent).join('').trim();
      const shown = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      const size = parseFloat(getComputedStyle(element).fontSize) * times;
      const seen = own && shown && element.getBoundingClientRect().width > 1;
      if (seen && size < 19.99) small.push(`${own.slice(0, 40)}: ${size}`);
    }
  };
  walk(slide, larger);
  walk({ querySelectorAll: () => document.querySelectorAll('#nnspca-foot, #nnspca-foot *') }, 1);
  return small;
}"""
# Canvases say what they write, and how large it comes out.
LISTEN = """() => {
  window.written = [];
  const pen = CanvasRenderingContext2D.prototype, write = pen.fillText;
  pen.fillText = function (words, ...where) {
    const box = this.canvas.getBoundingClientRect();
    if (this.canvas.isConnected && box.height) {  // not those that a slide leaves out
      const size = parseFloat(this.font.match(/([\\d.]+)px/)[1]);
      const pixels = (size * this.getTransform().d * box.height) / this.canvas.height;
      window.written.push([String(words), pixels]);
    }
    return write.call(this, words, ...where);
  };
}"""
FITS = """() => {
  const slide = document.querySelector('[data-slide=here]'), box = slide.getBoundingClientRect();
  const drawn = slide.querySelector('.js-plotly-plot .main-svg')?.getBoundingClientRect();
  return slide.scrollHeight <= slide.clientHeight + 1 && slide.scrollWidth <= slide.clientWidth + 1
    && box.right <= innerWidth + 1 && box.bottom <= innerHeight
    && (!drawn || (drawn.bottom <= box.bottom && drawn.width > 900));
}"""
SEEN = """() => [...document.querySelectorAll('[data-testid=stSidebar], [data-testid=stHeader]')]
  .filter(e => e.checkVisibility()).length"""
PROJECTED = """() => { const all = [...document.querySelectorAll('.js-plotly-plot')];
  return all.length && all.every(gd => gd.layout?.meta?.tall && gd.layout.meta.dark); }"""
# A page that is drawn anew has only the first of its figures for a moment: two keys are pressed in it.
LACKING = """() => {
  window.lacking = [...document.querySelectorAll('[data-stale=false]')].filter(e => !e.dataset.slide);
  for (const place of window.lacking) place.dataset.stale = 'true';
  for (let at = 0; at < 2; at++) document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
}"""
BACK = "() => { for (const place of window.lacking) place.dataset.stale = 'false'; }"
RESTS = "() => document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"
TURNED = """before => document.querySelector('[data-slide=here] [data-slide=here]').shadowRoot
  .querySelector('section.spannogram').dataset.phi !== before"""


THREE = "data=pitprops&proof=true&proof_view=bounds&bounds=true"


def test_a_talk_of_three_slides_is_held_with_the_keyboard_alone(visit):
    page = rest(
        visit(f"/?{THREE}", 1920, height=1080),
        "document.querySelector('[data-testid=stSkeleton]')",
        700,
    )
    page.keyboard.press("p")
    foot = page.locator("#nnspca-foot")
    expect(foot).to_contain_text("1 of 3")
    page.wait_for_function(FITS)
    page.evaluate(LISTEN)
    page.emulate_media(color_scheme="dark")  # all is drawn anew
    page.wait_for_function("() => window.written.length > 20")
    assert [words for words, pixels in page.evaluate("window.written") if pixels < 19.99] == []
    page.wait_for_function(PROJECTED)  # charts in the colours of the theme too
    page.wait_for_function(RESTS)
    page.evaluate(LACKING)
    page.evaluate(BACK)
    expect(foot).to_contain_text("3 of 3")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    for at, key in enumerate(["", "ArrowRight", "PageDown"], 1):
        if key:
            page.keyboard.press(key)
        expect(foot).to_contain_text(f"{at} of 3")
        page.wait_for_function(FITS)
        assert page.evaluate(SMALL) == []
        assert page.evaluate(SEEN) == 0
    page.keyboard.press("ArrowRight")
    page.keyboard.press("PageUp")
    expect(foot).to_contain_text("2 of 3")
    assert re.search("present=true.*slide=2", page.url)
    page.keyboard.press("q")
    code = page.get_by_role("dialog", name="A code that opens this view on a phone")
    address = re.sub("&present=true|&slide=2", "", page.url)
    page.locator(f"#nnspca-code[data-address='{address}'] svg").wait_for()
    drawn = re.search(' d="([^"]+)"', present.code(address)["svg"].split("stroke")[1])
    assert drawn is not None
    assert drawn[1] in code.locator("svg").inner_html()
    expect(code).to_contain_text("Only this computer can open this address")
    page.keyboard.press("Escape")
    expect(code).to_be_hidden()
    page.keyboard.press("Escape")
    page.wait_for_function(f"() => ({SEEN})() > 0")
    assert "present" not in page.url


def test_arrows_move_the_steps_of_a_slide_and_a_focused_player_keeps_its_own(visit):
    page = visit("/spannogram?present=true", 1920, height=1080)
    page.locator("section.spannogram[data-frames]").wait_for()
    foot, tour = page.locator("#nnspca-foot"), page.locator("section.spannogram .tour")
    expect(foot).to_contain_text("1 of 1")
    expect(foot).to_contain_text("Page Up, Page Down, or ← → outside a figure")
    page.wait_for_function(RESTS)
    page.evaluate(LISTEN)
    page.keyboard.press("ArrowRight")
    assert tour.get_attribute("data-step") == "1"
    page.keyboard.press("ArrowRight")
    assert tour.get_attribute("data-answered") == "shown"
    page.keyboard.press("PageDown")
    assert tour.get_attribute("data-step") == "2"
    page.locator("section.spannogram .stage").focus()
    before = page.locator("section.spannogram").get_attribute("data-phi")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(TURNED, arg=before)
    assert tour.get_attribute("data-step") == "2"
    page.keyboard.press("PageUp")
    assert tour.get_attribute("data-step") == "1"
    page.wait_for_function(FITS)
    assert page.evaluate(SMALL) == []
    page.wait_for_timeout(1500)
    assert [words for words, pixels in page.evaluate("window.written") if pixels < 19.99] == []
    page.set_viewport_size({"width": 1280, "height": 720})  # as many projectors
    page.wait_for_function(FITS)
