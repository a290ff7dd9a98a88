"""Certificates as a person meets them: opened, raced, tightened, stopped, downloaded and checked."""

import re
import subprocess
import sys
import time

import pytest
from playwright.sync_api import Page, expect

import nnspca
from tests.browser.test_app import RATIO, SLOW, field, quiet, settled_url, traces
from tests.browser.test_front import grown

pytestmark = pytest.mark.browser

TITLES = {info.title for info in nnspca.BOUNDS.values()}


def flick(page: Page, label: str) -> None:
    """Click a toggle by its words."""
    page.get_by_test_id("stCheckbox").filter(has_text=label).locator("label").first.click()


def lines(page: Page, key: str, wanted: set[str]) -> set[str]:
    """Return the bounds a figure draws, once those wanted are among them."""
    for _ in range(200):
        shown = {t["name"] for t in traces(page, key)} & TITLES
        if wanted <= shown:
            return shown
        page.wait_for_timeout(100)
    raise AssertionError(f"{wanted - shown} not among {shown}")


def ceiling(page: Page) -> float:
    """Return where the gauge draws the proven ceiling."""
    (mark,) = [t for t in traces(page, "place") if t["name"] == "proven ceiling"]
    return mark["x"][0]


def test_every_ceiling_appears_on_both_pages_and_in_the_link(visit):
    page = quiet(visit("/?closer=true&data=pitprops"))
    assert not TITLES & {t["name"] for t in traces(page, "place")}
    flick(page, "Every ceiling")
    settled_url(page, bounds="true")
    shown = lines(page, "place", {"First eigenvalue", "Row sums", "Balanced row sums", "The paper's bound"})
    expect(page.locator(".st-key-place .annotation-text").filter(has_text="the lowest proven")).to_have_count(1)
    curve = quiet(visit("/variance?data=pitprops&ks=2,5,13&bounds=true"))
    lines(curve, "curve", {"First eigenvalue", "Row sums", "Balanced row sums"})
    legend = curve.locator(".st-key-curve .legendtext").all_text_contents()
    assert shown - {"The paper's bound"} <= set(legend)
    assert any("not proven" in words for words in legend)
    expect(curve.get_by_label(re.compile("Who wins where")).first).to_be_visible()


def test_an_opened_certificate_explains_checks_and_downloads_itself(visit, tmp_path):
    page = quiet(visit("/?closer=true&data=digits&k=5"))
    page.get_by_text("Open the certificate").click()
    settled_url(page, certificate="true")
    for words in ("What was proven.", "By which bound:", "Why that is true."):
        expect(page.get_by_text(words).first).to_be_visible()
    page.get_by_role("button", name="Check it by a second route").click()
    expect(page.get_by_text("Confirmed:")).to_be_visible()
    for button, name in (("Certificate (NPZ)", None), ("Verifier (Python)", "check.py")):
        with page.expect_download() as got:
            page.get_by_role("button", name=button).click()
        got.value.save_as(tmp_path / (name or got.value.suggested_filename))
    done = subprocess.run([sys.executable, "check.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "found and checked" in done.stdout
    assert "no component with at most 5 features has more than" in done.stdout


def test_proven_optima_are_told_and_ringed(visit):
    page = quiet(visit("/?closer=true&data=digits&k=2"))
    expect(
        page.get_by_text("Proven optimal: no such component has more variance (to 1 part in 10,000).")
    ).to_be_visible()
    curve = quiet(visit("/variance?data=digits&ks=1,2"))
    (ring,) = [t for t in traces(curve, "curve") if str(t["name"]).startswith("proven optimal")]
    assert ring["x"] == [1, 2]
    expect(curve.locator(".st-key-curve .legendtext").filter(has_text="proven optimal")).to_be_visible()


def test_the_ceiling_falls_while_watched_and_stop_keeps_it(visit):
    page = quiet(visit("/?closer=true&k=40"))
    live = ceiling(page)
    page.get_by_role("button", name="Tighten the proof").click()
    expect(page.get_by_text(re.compile("Tightening k = 40: "))).to_be_visible()
    page.wait_for_function(
        """live => { const gd = document.querySelector('.st-key-place .js-plotly-plot');
        const mark = gd?._fullData?.find(t => t.name === 'proven ceiling'); return mark && mark.x[0] < live; }""",
        arg=live,
        timeout=90_000,
    )
    seen = ceiling(page)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Every ceiling proven by then is kept.")).to_be_visible()
    quiet(page)
    assert ceiling(page) <= seen < live
    expect(page.get_by_text("the ceiling came down from").first).to_be_visible()
    again = quiet(visit("/?closer=true&k=40"))
    assert ceiling(again) <= seen, "another visitor sees the tightened proof"


def test_the_curve_tightens_k_by_k(visit):
    page = quiet(visit("/variance?ks=10,40&methods=best&patience=2"))
    before = next(t for t in traces(page, "curve") if t["name"] == "proven ceiling")["y"]
    page.get_by_role("button", name="Tighten the proof").click()
    expect(page.get_by_text(re.compile(r"Tightening k = \d+ \(1 of \d\)"))).to_be_visible()
    quiet(page)
    after = next(t for t in traces(page, "curve") if t["name"] == "proven ceiling")["y"]
    assert all(new <= old for new, old in zip(after, before, strict=True))
    expect(page.get_by_text("ceilings came down")).to_be_visible()


@pytest.mark.parametrize("seed", [1, 2])
def test_a_click_on_stop_in_its_first_instant_is_not_lost(visit, seed):
    page = visit(f"{SLOW}&seed={seed}")
    middle = """() => { const b = document.querySelector('.st-key-stop-explore button')?.getBoundingClientRect();
    return b && b.height ? [b.x + b.width / 2, b.y + b.height / 2] : null; }"""
    page.mouse.click(*page.wait_for_function(middle, polling=20).json_value())
    expect(page.get_by_text("Stopped.")).to_be_visible()


def test_the_first_picture_of_a_warm_server_is_there_in_seconds(visit):
    quiet(visit("/?closer=true")).close()
    took = []
    for k in (37, 38):  # again where the machine was busy with something else
        before = time.monotonic()
        visit(f"/?k={k}").get_by_role("img", name=re.compile(f"The component at k = {k}")).wait_for()
        took.append(time.monotonic() - before)
        if took[-1] <= 6.0:
            break
    assert min(took) <= 6.0, took  # 3 s on an idle machine


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "kind", "noun"),
    [("lrs", "scatter", "wavelengths"), ("cbcl-faces", "heatmap", "pixels"), ("leukemia", "bar", "genes")],
)
def test_real_data_show_a_component_play_k_and_confirm_their_certificate(visit, real_data, name, kind, noun):
    page = quiet(visit(f"/?closer=true&data={name}&k=5&certificate=true&bounds=true"))
    expect(page.get_by_text(RATIO).first).to_be_visible()
    assert any(t["type"] == kind for t in traces(page, "component"))
    lines(page, "place", {"First eigenvalue", "Row sums", "Balanced row sums", "Shifted rank d"})
    page.get_by_role("button", name="Check it by a second route").click()
    expect(page.get_by_text("Confirmed:")).to_be_visible(timeout=60_000)
    expect(field(page, "k")).to_have_value("5")
    found = grown(page, 8)
    expect(found.locator(".picture")).to_have_attribute("aria-label", re.compile(f"{noun} coloured"))
    found.get_by_role("button", name="Play k").click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.st-key-stage *')].some(e => "
        "Number((e.shadowRoot ?? e).querySelector?.('.play')?.dataset.k ?? 5) !== 5)"
    )
    print(f"{name}: the slowest step took {found.get_attribute('data-slowest')} ms")
