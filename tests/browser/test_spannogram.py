"""The spannogram as a person sees and turns it, in a real Chromium."""

import re
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from nnspca.spannogram import curves
from nnspca.view.spannogram import circle, sphere
from tests.browser.page import kept, passed, rest, settled_url, unmoved
from tests.browser.test_learn import Wire

pytestmark = pytest.mark.browser


def ready(page: Page) -> Page:
    """Wait until the canvas has drawn something and no run is under way."""
    page.locator("section.spannogram[data-frames]").wait_for()
    return rest(page, pause=300)


def said(page: Page, name: str) -> str:
    return page.locator("section.spannogram").get_attribute(f"data-{name}") or ""


def number(page: Page, name: str) -> float:
    return float(said(page, name))


def members(text: str | None) -> list[int]:
    return [int(i) for i in text.split(",")] if text else []


def link(page: Page, name: str) -> str:
    """Wait until the address carries a choice."""
    page.wait_for_function("name => new URLSearchParams(location.search).has(name)", arg=name)
    return parse_qs(urlsplit(page.url).query)[name][0]


def change(page: Page | Locator, name: str) -> str:
    return page.locator("[data-say=change]").get_attribute(f"data-{name}") or ""


def press(page: Page, key: str) -> None:
    page.locator("section.spannogram .stage").focus()
    page.keyboard.press(key)
    passed(page)


def at(page: Page, phi: float, height: float) -> tuple[float, float]:
    """Where an angle and a height of a curve are on the screen."""
    stage = page.locator("section.spannogram .stage")
    left, right, middle, scale, _ = map(float, (stage.get_attribute("data-place") or "").split(","))
    box = stage.bounding_box()
    x = left + ((phi + np.pi / 2) % (2 * np.pi)) / (2 * np.pi) * (right - left)
    return box["x"] + x, box["y"] + middle - scale * height


def top(V: np.ndarray, k: int, phi: float, nonnegative: bool = True) -> list[int]:
    w = curves.values(V, phi)
    score = w if nonnegative else np.abs(w)
    return sorted(i for i in np.argsort(-score)[:k].tolist() if not nonnegative or w[i] > 0)


def test_nothing_moves_before_a_person_moves_it_dragging_finds_the_set_and_play_slows_where_it_changes(visit):
    page = unmoved(ready(visit("/spannogram?phi=0.39")))
    stage = page.get_by_role("slider", name="Direction, as an angle")
    assert "the 2 highest" in (stage.get_attribute("aria-valuetext") or "")
    for name in ("Play", "Previous change", "Next change", "Go to the optimum", "Full screen"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    assert number(passed(page, 600), "phi") == pytest.approx(0.39)
    slows_where_the_set_changes(page)
    is_turned_by_dragging(page)


def slows_where_the_set_changes(page: Page) -> None:
    """For a second, and the caption says what happens; without a flash for who asks for less motion."""
    V = circle.example(2)
    found = curves.regions(V, 2)
    (edge,) = np.flatnonzero((found.angles > 0.39) & (found.angles < 0.5))
    page.get_by_role("button", name="Play", exact=True).click()
    caption = page.locator("[data-say=change]")
    expect(caption).to_have_attribute("data-phi", re.compile("."))
    assert (members(change(page, "left")), members(change(page, "right"))) == ([1, 3], [2, 3])
    assert float(change(page, "phi")) == found.angles[edge]
    assert said(page, "flashing") == "true"
    assert said(page, "slowed") == "1"
    page.emulate_media(reduced_motion="reduce")  # from here on the change is told without a flash
    page.get_by_label("Speed").select_option("4")
    page.locator("section.spannogram[data-slowed='2']").wait_for()
    assert said(page, "flashing") == "false"
    page.get_by_role("button", name="Pause").click()
    page.locator("section.spannogram[data-playing=false]").wait_for()
    page.emulate_media(reduced_motion="no-preference")


def is_turned_by_dragging(page: Page) -> None:
    """Each direction has its set."""
    V = circle.example(2)
    page.mouse.move(*at(page, -1.0, 0))
    page.mouse.down()
    for phi in (-0.6, -0.1, 0.3):
        page.mouse.move(*at(page, phi, 0), steps=3)
        assert number(passed(page), "phi") == pytest.approx(phi, abs=0.02)
        assert members(said(page, "set")) == top(V, 2, number(page, "phi"))
    page.mouse.up()


def test_a_pixel_that_is_pointed_at_lights_its_curve_up(visit):
    page = ready(visit("/spannogram?curves=data+set&data=digits&k=5"))
    box = page.locator("canvas.component").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2 + 3, box["y"] + box["height"] / 2 + 3)
    page.locator("section.spannogram[data-lit='36']").wait_for()
    expect(page.locator("section.spannogram .stage .tip")).to_contain_text(re.compile(r"\b5\D+\b5\b"))


@pytest.mark.parametrize("sign", ["nonnegative", "any sign"])
def test_stepping_visits_every_change_and_names_both_sets_and_a_jump_reaches_the_best_value_there_is(visit, sign):
    page = ready(visit(f"/spannogram?sign={sign.replace(' ', '+')}"))
    V, nonnegative = circle.example(2), sign == "nonnegative"
    found = curves.regions(V, 2, nonnegative=nonnegative)
    supports = [s.tolist() for _, _, s in found.supports()]
    press(page, "Home")
    for edge, (left, right) in enumerate(pairwise(supports)):
        press(page, "ArrowRight")
        assert float(change(page, "phi")) == pytest.approx(found.angles[edge], abs=1e-6)
        assert (members(change(page, "left")), members(change(page, "right"))) == (left, right)
        assert change(page, "matters") == "true"
    press(page, "ArrowLeft")
    assert float(change(page, "phi")) == pytest.approx(found.angles[-2], abs=1e-6)
    assert int(said(page, "met")) == found.candidates()
    expect(page.locator(".met")).to_contain_text(f"all {found.candidates()}")
    jumps_to_the_optimum(page, V, 2, nonnegative)
    if nonnegative:
        says_why_a_crossing_changes_nothing(page, V)
        has_a_peak_dragged(page, V)
    else:
        opens_again_by_its_link(page)


def says_why_a_crossing_changes_nothing(page: Page, V: np.ndarray) -> None:
    """Stepped onto with Shift, and clicked."""
    meet, changes = curves.crossings(V), curves.regions(V, 2).angles
    dull = next(m for m in range(len(meet.angles)) if np.abs(changes - meet.angles[m]).min() > 0.05)
    press(page, "Home")
    for _ in range(dull + 1):
        press(page, "Shift+ArrowRight")
    assert float(change(page, "phi")) == pytest.approx(meet.angles[dull], abs=1e-6)
    assert change(page, "matters") == "false"
    press(page, "Home")
    height = float(curves.values(V, meet.angles[dull])[meet.i[dull]])
    page.mouse.click(*at(page, meet.angles[dull], height))
    assert float(change(page, "phi")) == pytest.approx(meet.angles[dull], abs=1e-6)


def jumps_to_the_optimum(page: Page, V: np.ndarray, k: int, nonnegative: bool) -> None:
    best = curves.optimum(V, k, nonnegative=nonnegative)
    page.get_by_role("button", name="Go to the optimum").click()
    assert number(passed(page, 100), "objective") == pytest.approx(best.value, rel=1e-9)
    assert members(said(page, "set")) == best.support.tolist()
    assert number(page, "phi") == pytest.approx(best.phi, abs=1e-9)


def opens_again_by_its_link(page: Page) -> None:
    press(page, "End")
    press(page, "ArrowLeft")
    phi, shown = number(page, "phi"), said(page, "set")
    kept(page)
    assert float(link(page, "phi")) == pytest.approx(phi, abs=1e-3)
    page.reload()
    assert number(ready(page), "phi") == pytest.approx(phi, abs=1e-3)
    assert said(page, "set") == shown


def has_a_peak_dragged(page: Page, V: np.ndarray) -> None:
    """Which reshapes its curve; the link keeps it until it is reset."""
    page.mouse.move(*at(page, np.arctan2(*V[1]), np.hypot(*V[1])))
    page.mouse.down()
    page.mouse.move(*at(page, -0.5, 2.0), steps=5)
    page.mouse.up()
    typed = link(page, "V")
    changed = circle.read_link(typed, (4, 2))
    assert np.arctan2(*changed[1]) == pytest.approx(-0.5, abs=0.05)
    np.testing.assert_array_equal(np.delete(changed, 1, axis=0), np.delete(V, 1, axis=0))
    passed(page, 800)
    assert members(said(page, "set")) == top(changed, 2, number(page, "phi"))
    page.get_by_role("button", name="Reset the curves").click()
    page.wait_for_function("() => !new URLSearchParams(location.search).has('V')")
    passed(page, 800)
    assert members(said(page, "set")) == top(V, 2, number(page, "phi"))


def front(ball: Locator) -> np.ndarray:
    return np.array([float(x) for x in ball.get_attribute("data-front").split(",")])


def names_each_region(page: Page, ball: Locator, V: np.ndarray) -> None:
    """The set that is pointed at is NumPy's, and has the colour of the one in front where it is that one."""
    eye, canvas = front(ball), ball.locator("canvas.ball")
    right, box = np.cross([0, 0, 1], eye) / np.hypot(*eye[:2]), canvas.bounding_box()
    for x, y in ((0.4, -0.2), (-0.3, 0.5), (0.1, -0.6), (0.15, 0.2), (-0.7, -0.1)):
        spot = [box["width"] / 2 + x * (box["height"] / 2 - 14), box["height"] / 2 - y * (box["height"] / 2 - 14)]
        canvas.hover(position={"x": spot[0], "y": spot[1]})
        w = V @ (x * right + y * np.cross(eye, right) + np.sqrt(1 - x * x - y * y) * eye)
        chosen = sorted(i for i in np.argsort(-w)[:3].tolist() if w[i] > 0)
        expect(ball).to_have_attribute("data-pointed", ",".join(map(str, chosen)))
        assert float(ball.get_attribute("data-worth")) == pytest.approx((w[chosen] ** 2).sum(), rel=0.02)
        red, _, blue, _ = canvas.evaluate("(c, at) => [...c.getContext('2d').getImageData(...at, 1, 1).data]", spot)
        assert (blue > red + 60) == (chosen == members(ball.get_attribute("data-set")))


def test_the_sphere_plays_in_the_browser_and_asks_the_server_nothing(visit):
    link, wires = "/spannogram?curves=random&n=12&top=3&dimensions=3:+a+sphere", []
    page = visit(link, before=lambda page: wires.append(Wire(page)))
    ball = page.locator("section.sphere")
    page.locator("section.sphere[data-frames]").wait_for()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    rounds = sphere.sphere_of(circle.random(12, 3, 0), 3, True).rounds
    names_each_region(page, ball, circle.random(12, 3, 0))
    box = ball.bounding_box()
    before = wires[0].sent
    stage = ball.locator(".stage")
    still = stage.screenshot()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 320, box["y"] + 230, steps=4)
    page.mouse.up()
    assert stage.screenshot() != still  # turned by hand
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.set_viewport_size({"width": 1280, "height": 600})
    page.mouse.wheel(0, 200)
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollTop > 0")
    stage.focus()
    page.keyboard.press("Space")
    page.locator("section.sphere[data-slowed]").wait_for()
    page.keyboard.press("Space")
    w = circle.random(12, 3, 0) @ front(ball)
    assert members(change(ball, "right")) == sorted(np.argsort(-w)[:3].tolist())
    ball.get_by_role("checkbox", name="Cells of the search").check()
    ball.get_by_role("button", name="Play").click()
    page.locator(f"section.sphere[data-round='{len(rounds) - 1}'][data-playing=false]").wait_for()
    expect(ball.locator(".verdict")).to_contain_text(f"Proven with {rounds[-1].examined:,} cells")
    assert (ball.get_attribute("data-open"), float(ball.get_attribute("data-upper"))) == ("0", rounds[-1].upper)
    settled_url(page, cells="true", round=str(len(rounds) - 1))
    ball.get_by_role("slider", name="Round").focus()
    page.keyboard.press("Home")
    expect(ball.locator(".verdict")).to_contain_text("After round 0")
    assert wires[0].sent == before
