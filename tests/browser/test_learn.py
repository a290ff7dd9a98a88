"""The lesson as a class plays it: painted, dragged, answered and linked, and the server hears nothing of it."""

import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from nnspca.result.rounded import RAISED
from nnspca.view import ledger
from nnspca.view.learn import boards, chapters
from nnspca.view.learn.chapters import CHAPTERS
from tests.browser.page import OPTIMAL, kept, passed, rest, still, unmoved
from tests.lesson import checked

pytestmark = pytest.mark.browser

NARROWER = (768, 390)
FORGERIES = {"rows": "Forge: claim", "products": "Forge: shrink M", "signs": "Forge: M below 0"}  # by what fails
TIGHT = re.compile(r"\b7, .*\{1, 2\} has variance 7\b")  # every row of M is at most what a pair has
BEYOND = """() => [...document.querySelector('.st-key-learn').querySelectorAll('*')]
  .flatMap(e => e.shadowRoot ? [...e.shadowRoot.querySelectorAll('*')] : [e])
  .filter(e => e.checkVisibility({contentVisibilityAuto: true}))
  .filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.className || e.tagName)"""


@pytest.fixture(autouse=True)
def only_what_is_stored():
    """Expected numbers come from the stored ledger: what tests in this process have computed is forgotten."""
    ledger.shared.clear()


class Wire:
    """What the page tells the server: every message it sends."""

    def __init__(self, page: Page):
        self.sent = 0
        page.once("websocket", lambda socket: socket.on("framesent", self._count))

    def _count(self, _) -> None:
        self.sent += 1


def lesson(page: Page) -> Locator:
    found = page.locator("section.lesson[data-frames]")
    found.wait_for()
    rest(page, pause=400)
    return found


def readout(page: Page) -> str:
    return passed(page).locator("[data-say=readout]").inner_text().replace("\u00a0", " ")


def cell(page: Page, row: int, column: int) -> tuple[float, float]:
    """Where a pixel of the painted face is on the screen, wide or narrow."""
    box = page.locator("section.lesson canvas").bounding_box()
    wide = box["width"] >= 430
    width, height = (box["width"] - 192, box["height"]) if wide else (box["width"], box["height"] - 84)
    side = min(width, height) / 25
    left = box["x"] + (width - 25 * side) / 2
    return left + (column + 0.5) * side, box["y"] + (height - 25 * side) / 2 + (row + 0.5) * side


def paint(page: Page, row: int, columns: tuple[int, int]) -> None:
    page.mouse.move(*cell(page, row, columns[0]))
    page.mouse.down()
    page.mouse.move(*cell(page, row, columns[1]), steps=2 * (columns[1] - columns[0]))
    page.mouse.up()


def share(support: list[int]) -> float:
    """The share of the upper bound that these pixels keep with their best weights; all of them co-vary positively."""
    cov = boards.opening_covariance("lfw-faces")
    block = cov.block(np.array(support), np.array(support))
    assert (block >= 0).all()
    return float(np.linalg.eigvalsh(block)[-1]) / boards.proven("lfw-faces").upper


def chapter(page: Page, at: int) -> None:
    """Open a chapter from the list; the game is none."""
    page.locator(".chapters button").nth(at).click()


CUT = """() => { window.cut = []; const pen = CanvasRenderingContext2D.prototype, write = pen.fillText;
  pen.fillText = function (words, x, y) {
    const wide = this.measureText(words).width, from = x - { center: 0.5, right: 1 }[this.textAlign] * wide || x;
    const [left, right] = [from, from + wide].map((at) => this.getTransform().transformPoint({ x: at, y }).x);
    if (left < -1 || right > this.canvas.width + 1) window.cut.push(words);
    return write.call(this, words, x, y);
  }; }"""


def guess(page: Page, at: int) -> None:
    """Guess at the answer of a chapter's question, or skip it; the figure then says what it is."""
    asked = page.locator(".predict")
    if at % 4 == 3:
        asked.get_by_role("button", name="Skip").click()
        return
    slider = asked.locator("input")
    if slider.count():
        slider.press("ArrowRight")
    asked.locator("button").first.click()
    expect(asked).to_contain_text("You guessed")


def painted(found: Locator) -> list[int]:
    said = found.get_attribute("data-painted") or ""
    return [int(j) for j in said.split(",") if j]


def test_the_game_is_painted_hinted_undone_revealed_and_kept_in_the_link_without_a_word_to_the_server(visit, server):
    wires: list[Wire] = []
    page = visit("/learn", before=lambda page: wires.append(Wire(page)))  # watched from its first message
    (wire,) = wires
    found = lesson(page)
    before = wire.sent
    assert before > 0
    for row in range(4):
        paint(page, row, (8, 16))
    support = painted(found)
    assert sorted(support) == [25 * row + column for row in range(4) for column in range(8, 17)]
    assert float(found.get_attribute("data-you")) == pytest.approx(share(support), rel=1e-5)
    page.get_by_role("button", name="Hint").click()
    page.locator("section.lesson canvas").focus()
    page.keyboard.press("Space")
    passed(page)
    (hinted,) = set(painted(found)) - set(support)
    others = [share([*support, j]) for j in range(4 * 25 + 6, 4 * 25 + 19) if j != hinted]
    assert share([*support, hinted]) >= max(others)
    page.get_by_role("button", name="Undo").click()
    passed(page)
    assert painted(found) == support
    paint(page, 4, (10, 16))  # four more, then all are used
    assert len(painted(found)) == 40
    page.get_by_role("button", name="Show the solver").click()
    expect(page.locator("[data-say=readout]")).to_contain_text(OPTIMAL)
    best, whole, said = boards.proven("lfw-faces"), boards.opening_covariance("lfw-faces").trace, readout(page)
    mine, you, its, bound = map(float, re.findall(r"(\d+\.\d+) %", said))
    assert you <= 100 * share(painted(found)) < you + 0.11
    assert mine <= 100 * share(painted(found)) * best.upper / whole < mine + 0.11
    assert its <= 100 * best.lower / whole < its + 0.011
    assert bound >= 100 * best.upper / whole > bound - 0.011
    address = kept(page).removeprefix(server)
    assert "painted=" in address
    assert "best=" in address
    assert wire.sent == before, "a run while painting"
    other = visit(address)
    assert sorted(painted(lesson(other))) == sorted(painted(found))
    other.get_by_role("button", name="Digits").click()
    expect(other.locator("[data-say=readout]")).to_contain_text(re.compile(r"\b1,797\D+64\b"))
    words = boards.facts("digits")
    expect(other.locator("[data-say=question]")).to_contain_text(f"10{words['power']} ")
    expect(other.locator(".deeper a")).to_have_attribute("href", re.compile(f"data=digits&k={words['k']}&"))


def test_the_whole_lesson_is_walked_played_and_answered_at_three_widths_without_a_word_to_the_server(visit, server):
    wires: list[Wire] = []
    page = visit("/learn?step=1", before=lambda page: wires.append(Wire(page)))
    (wire,) = wires
    found = lesson(unmoved(page))
    before, told = wire.sent, library()
    for at, step in enumerate(CHAPTERS[1:], 1):
        expect(found).to_have_attribute("data-step", str(at))
        expect(page.locator("section.lesson h2")).to_contain_text(step["title"])
        expect(page.locator("section.lesson a[href]").last).to_have_attribute("href", step["deeper"][1])
        expect(page.locator("section.lesson canvas")).to_be_hidden()  # the question comes first
        guess(page, at)
        first = readout(page)
        for fact in told.get(step["figure"], ("",)):
            assert fact in first, (step["title"], fact)
        play(page)
        expect(page.locator("[data-say=readout]"), step["title"]).not_to_have_text(first)
        assert page.evaluate(BEYOND) == [], step["title"]
        if at == 4:
            page.locator(".question summary").click()
            expect(page.locator("[data-say=answer]")).to_be_visible()
        page.locator("section.lesson h2").focus()
        if at < len(CHAPTERS) - 1:
            page.keyboard.press("ArrowRight")
    facts = chapters.changes()["facts"]
    chapter(page, 6)
    page.get_by_role("slider", name="Curves, n").press("End")
    expect(page.locator("[data-say=readout]")).to_contain_text("40 curves")  # k may be as large again
    page.get_by_role("slider", name="In the set, k").fill(str(facts["k"]))
    said = readout(page)
    for fact in ("crossings", "changes", "candidates", "supports"):
        assert f" {facts[fact]} " in said, fact
    chapter(page, 8)
    page.get_by_role("button", name="Reset").click()
    expect(found).to_have_attribute("data-verdict", "accepted")
    A, k = np.array(chapters.check()["A"]), chapters.check()["k"]
    for fails, forgery in FORGERIES.items():
        page.get_by_role("button", name=forgery).click()
        expect(found).to_have_attribute("data-verdict", "refused")
        claim, *entries = map(float, parse_qs(urlsplit(kept(page)).query)["at"][0].split("_"))
        judged = checked(A, np.reshape(entries, A.shape), claim, k)
        assert [test for test in ("signs", "products", "rows") if not judged[test]] == [fails], (
            "one test alone reveals it"
        )
        page.get_by_role("button", name="Reset").click()
    page.get_by_role("button", name="A face").click()
    L, M = (np.array(chapters.small_face()[name]) for name in "LM")
    shrunk = (np.floor(0.9 * M[13]) * M[:, 13] < L[13].clip(0) ** 2).sum() - 1  # row 14 is open; its own is no pair
    for many, forgery in zip((len(L), shrunk, 1), FORGERIES.values(), strict=True):
        expect(found).to_have_attribute("data-verdict", "accepted")
        page.get_by_role("button", name=forgery).click()
        expect(page.locator("[data-say=readout]")).to_contain_text(f"{many} of {len(L) * (len(L) + 1) // 2 + 1} tests")
        page.get_by_role("button", name="Reset").click()
    chapter(page, 7)
    page.get_by_role("button", name="4 Share").click()
    page.get_by_role("slider", name="s, how row 1").fill("2")
    expect(page.locator("[data-say=readout]")).to_contain_text(TIGHT)
    page.wait_for_function("() => /step=7.*at=/.test(location.search)")
    address = kept(page).removeprefix(server)
    assert wire.sent == before, "a run while playing"
    again = visit(address)
    lesson(again)
    expect(again.locator("[data-say=readout]")).to_contain_text(TIGHT)
    for width in NARROWER:
        again.set_viewport_size({"width": width, "height": 844})
        still(again)  # the sidebar folds away
        for at in range(len(CHAPTERS)):
            chapter(again, at)
            assert passed(again).evaluate(BEYOND) == [], (width, at)
        chapter(again, 0)
        again.evaluate(CUT)
        show = again.get_by_role("button", name="Show the solver")
        assert width > 390 or show.bounding_box()["y"] < 800, (
            "the face and its first button are on one screen of a phone"
        )
        show.click()
        expect(again.locator("[data-say=readout]")).to_contain_text(OPTIMAL)
        assert passed(again, 200).evaluate("window.cut") == [], "no word beside the board is cut"


def library() -> dict[str, tuple[str, ...]]:
    """What the library says of the steps' first figures: the browser, which computes by itself, must say the same."""
    cloud, matrix, counting = chapters.cloud()["facts"], chapters.matrix()["facts"], chapters.counting(625, 40)["facts"]
    return {
        "counting": tuple(f"10{str(power).translate(RAISED)}" for power in map(counting.get, ("power", "years_power"))),
        "cloud": (cloud["covariance"].replace("-", "−"), f"PCA {cloud['pca']}, ours {cloud['ours']}"),
        "bounds": (matrix["leading"],),
        "check": ("Accepted", " at most 7."),
    }


def play(page: Page) -> None:
    """Do what the step asks for: slide, drag or press."""
    sliders = page.locator("section.lesson .slide:not([hidden]) input")
    if sliders.count():
        slider = sliders.first
        slider.press("End" if slider.input_value() == slider.get_attribute("min") else "Home")
    else:
        canvas = page.locator("section.lesson canvas")
        pressed = page.get_by_role("button", name="2 Row sums")
        if pressed.count():
            pressed.click()
        else:
            canvas.focus()
            for _ in range(8):
                page.keyboard.press("ArrowUp")
