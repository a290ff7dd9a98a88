"""Certificates as a person meets them: opened, raced, tightened, stopped, downloaded and checked."""

import re
import subprocess
import sys
import time

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_app import PROVEN, field, lines, player, quiet, settled_url
from tests.browser.test_front import grown
from tests.pace import slowness

pytestmark = pytest.mark.browser


def gap_said(page: Page) -> float:
    """Return the proven share of the optimum that the sentence says, in per cent."""
    said = player(page).locator("[data-say=words]").inner_text()
    return 100.0 if "proven optimal" in said else float(re.search(r"at least ([\d.]+)\s%\sof the optimum", said)[1])


def test_proven_optima_are_told_and_an_opened_certificate_explains_checks_and_downloads_itself(visit, tmp_path):
    page = quiet(visit("/?data=digits&k=2"))
    said = player(page).locator("[data-say=words]")
    expect(said).to_contain_text(": proven optimal, to 1 part in 10,000")
    expect(page.get_by_role("button", name="Tighten the proof")).to_be_disabled()
    field(page, "k").fill("5")
    page.keyboard.press("Enter")
    settled_url(page, k="5")
    quiet(page)
    page.get_by_text("The proof: certificate, upper bounds").click()
    settled_url(page, proof="true")
    for words in ("What was proven.", "The lowest upper bound:", "Why it holds."):
        expect(page.get_by_text(words).first).to_be_visible()
    page.get_by_role("button", name="Check it by a second route").click()
    expect(page.get_by_text("Confirmed:")).to_be_visible()
    for button, name in (("Certificate (NPZ)", None), ("Verifier (Python)", "check.py")):
        with page.expect_download() as got:
            page.get_by_role("link", name=button).click()
        got.value.save_as(tmp_path / (name or got.value.suggested_filename))
    done = subprocess.run([sys.executable, "check.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "found and checked" in done.stdout
    assert "no component with at most 5 features has more than" in done.stdout


def test_the_first_screen_stands_above_the_fold_and_shows_a_part_of_a_face(visit):
    page = visit("/")
    # one sentence, one picture and one thing to do stand above the fold, on a laptop and on a phone
    found = player(page)
    expect(found).to_have_attribute("data-k", "40")  # the k asked for, whatever of the path is known already
    expect(page.get_by_role("heading", level=1)).to_have_text("Explore")
    expect(page.get_by_text("vary together most")).to_be_visible()
    expect(found.locator(".picture")).to_have_attribute("aria-label", re.compile("of 625 pixels coloured"))
    expect(found.locator("[data-say=words]")).to_contain_text(re.compile(r"40 of 625 pixels explain .*stored proof"))
    for width, height in ((390, 844), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(600)  # the sidebar folds away, and unfolds
        for part in (page.get_by_role("heading", level=1), found.locator(".picture"), found.locator("[data-do=play]")):
            box = part.bounding_box()
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= height
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
        assert found.locator(".picture").bounding_box()["height"] >= 180
    expect(found.locator("[data-say=live]")).to_contain_text(PROVEN, timeout=90_000)  # the live run beside it
    # the data stand below it
    page.get_by_text("Downloads and code, the data").click()
    page.get_by_text("The data", exact=True).click()
    settled_url(page, more="true", more_view="data")
    expect(page.get_by_role("img", name=re.compile("images of LFW faces"))).to_be_visible()
    # the first picture of a warm server is there in seconds
    took = []
    for k in (37, 38):  # again where the machine was busy with something else
        before = time.monotonic()
        visit(f"/?k={k}").get_by_role("img", name=re.compile(f"The component at k = {k}")).wait_for()
        took.append((time.monotonic() - before) / slowness())
        if took[-1] <= 3.0:
            break
    assert min(took) <= 3.0, took


def test_the_upper_bound_falls_while_watched_and_what_is_proven_then_is_seen_by_others(visit):
    page = quiet(visit("/?prep=crop-4&k=90"))  # fewer pixels, where a longer proof soon comes further than a live one
    live = gap_said(page)
    page.get_by_role("button", name="Tighten the proof").click()
    expect(page.get_by_text(re.compile("Tightening k = 90: "))).to_be_visible()
    deadline = time.monotonic() + 90
    while (seen := gap_said(page)) <= live:
        assert time.monotonic() < deadline, (seen, live)
        page.wait_for_timeout(200)
    page.locator(".st-key-stop-tighten button:visible").first.click()
    expect(page.get_by_text("Every upper bound proven so far is kept.")).to_be_visible()
    quiet(page)
    assert gap_said(page) >= seen > live
    expect(page.get_by_text("the upper bound came down from").first).to_be_visible()
    page.close()
    assert gap_said(visit("/?prep=crop-4&k=90")) >= seen, "another visitor sees the tightened proof"


@pytest.mark.real_data
def test_real_data_show_a_component_play_k_and_confirm_their_certificate(visit, real_data):
    page = quiet(visit("/?data=lrs&k=5&proof=true&bounds=true"))
    expect(player(page).locator("[data-say=words]")).to_contain_text(PROVEN)
    page.get_by_role("button", name="Check it by a second route").click()
    expect(page.get_by_text("Confirmed:")).to_be_visible(timeout=60_000)
    page.get_by_text("Upper bounds", exact=True).click()
    lines(page, "band", {"First eigenvalue", "Balanced row sums", "Shifted rank d"})
    expect(field(page, "k")).to_have_value("5")
    found = grown(page, 8)
    expect(found.locator(".picture")).to_have_attribute("aria-label", re.compile("wavelengths coloured"))
    found.get_by_role("button", name="Play k").click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.st-key-stage *')].some(e => "
        "Number((e.shadowRoot ?? e).querySelector?.('.play')?.dataset.k ?? 5) !== 5)"
    )
    print(f"the slowest step took {found.get_attribute('data-slowest')} ms")
    # the spectra say why fewer wavelengths are used than were allowed
    found.get_by_role("button", name="Pause").click()
    expect(field(page, "k")).to_have_value(found.get_attribute("data-k"))
    field(page, "k").fill("24")
    page.keyboard.press("Enter")
    said = re.compile(
        r"11 of 93 wavelengths explain .* The component uses 11 of 24: more would need negative loadings\."
    )
    expect(found.locator("[data-say=words]")).to_contain_text(said)
