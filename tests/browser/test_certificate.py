"""Certificates as a person meets them: opened, raced, tightened, stopped, downloaded and checked."""

import re
import subprocess
import sys
import time

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_app import RATIO, field, lines, quiet, settled_url, traces
from tests.browser.test_front import grown, player
from tests.pace import slowness

pytestmark = pytest.mark.browser


PROVEN = """() => document.querySelector('.st-key-place .js-plotly-plot')?._fullData
  ?.some(t => t.name === 'proven ceiling')"""


def ceiling(page: Page) -> float:
    """Return where the gauge draws the proven ceiling."""
    (mark,) = [t for t in traces(page, "place") if t["name"] == "proven ceiling"]
    return mark["x"][0]


def test_proven_optima_are_told_and_an_opened_certificate_explains_checks_and_downloads_itself(visit, tmp_path):
    page = quiet(visit("/?closer=true&data=digits&k=2"))
    expect(
        page.get_by_text("Proven optimal: no such component has more variance (to 1 part in 10,000).")
    ).to_be_visible()
    field(page, "k").fill("5")
    page.keyboard.press("Enter")
    settled_url(page, k="5")
    quiet(page)
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


def test_the_first_screen_stands_above_the_fold_shows_a_part_of_a_face_and_tightens_its_proof(visit):
    page = visit("/")
    # one sentence, one picture and one thing to do stand above the fold, on a laptop and on a phone
    found = player(page)
    expect(found).to_have_attribute("data-k", "40")  # the k asked for, whatever of the path is known already
    expect(page.get_by_role("heading", level=1)).to_contain_text("Find the few features that vary together most")
    expect(found.locator(".picture")).to_have_attribute("aria-label", re.compile("of 625 pixels coloured"))
    for width, height in ((390, 844), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(600)  # the sidebar folds away, and unfolds
        for part in (page.get_by_role("heading", level=1), found.locator(".picture"), found.locator("[data-do=play]")):
            box = part.bounding_box()
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= height
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
        assert found.locator(".picture").bounding_box()["height"] >= 200
    # below it the component, with its proven share in words
    page.get_by_text("Look closer").click()
    quiet(page)  # what opens moves what stands below
    page.get_by_text(re.compile("The data: ")).click()
    quiet(page)
    expect(page.get_by_text(RATIO).first).to_be_visible()
    (image,) = [t for t in traces(page, "component") if t["type"] == "heatmap"]
    weights = [w for row in image["z"] for w in row]
    assert len(weights) == 625
    assert sum(w > 0 for w in weights) == 40
    assert min(weights) == 0 == image["zmin"]
    assert abs(sum(w * w for w in weights) - 1) < 1e-6
    expect(page.get_by_role("img", name=re.compile("images of LFW faces"))).to_be_visible()
    expect(page.get_by_label(re.compile("25 by 25 pixels, 40 of them coloured")).first).to_be_visible()
    # the ceiling falls while watched, and Stop keeps it
    field(page, "k").fill("162")  # where a longer proof soon comes further than a live one
    page.keyboard.press("Enter")
    settled_url(page, k="162")
    live = ceiling(quiet(page))
    page.get_by_role("button", name="Tighten the proof").click()
    expect(page.get_by_text(re.compile("Tightening k = 162: "))).to_be_visible()
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
    page.close()
    again = visit("/?closer=true&k=162")
    again.wait_for_function(PROVEN)
    assert ceiling(again) <= seen, "another visitor sees the tightened proof"
    again.close()
    # the first picture of a warm server is there in seconds
    took = []
    for k in (37, 38):  # again where the machine was busy with something else
        before = time.monotonic()
        visit(f"/?k={k}").get_by_role("img", name=re.compile(f"The component at k = {k}")).wait_for()
        took.append((time.monotonic() - before) / slowness())
        if took[-1] <= 3.0:
            break
    assert min(took) <= 3.0, took


def test_the_curve_tightens_k_by_k(visit):
    page = quiet(visit("/variance?ks=42,162&methods=best&patience=1"))
    before = next(t for t in traces(page, "curve") if t["name"] == "proven ceiling")["y"]
    page.get_by_role("button", name="Tighten the proof").click()
    expect(page.get_by_text(re.compile(r"Tightening k = \d+ \(1 of \d\)"))).to_be_visible()
    quiet(page)
    after = next(t for t in traces(page, "curve") if t["name"] == "proven ceiling")["y"]
    assert all(new <= old for new, old in zip(after, before, strict=True))
    expect(page.get_by_text("ceilings came down")).to_be_visible()


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
    if name == "lrs":  # the spectra say why fewer wavelengths are used than were allowed
        found.get_by_role("button", name="Pause").click()
        expect(field(page, "k")).to_have_value(found.get_attribute("data-k"))
        field(page, "k").fill("24")
        page.keyboard.press("Enter")
        said = re.compile(
            r"11 of 93 wavelengths keep .*24 were allowed: no further one would add variance without a neg"
        )
        expect(found.locator("[data-say=words]")).to_contain_text(said)
