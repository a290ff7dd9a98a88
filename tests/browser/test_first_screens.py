"""A new user does on the first screen of each page what the page's one sentence says; nothing is scrolled."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

OPTIMUM = re.compile("of the optimum|proven optimal")


def seen(where: Locator) -> Locator:
    """What is wholly on the first screen."""
    expect(where).to_be_in_viewport(ratio=0.99)
    return where


def sentence(page: Page, words: str) -> None:
    seen(page.get_by_text(re.compile(words)).first)


def explore(page: Page) -> None:
    sentence(page, "which 40 of 625 .*pixels vary together most, and how close to the optimum is that choice")
    found = page.locator(".play[data-k]")
    seen(found.locator(".picture"))
    expect(seen(found.locator("[data-say=words]"))).to_contain_text(OPTIMUM)  # how close
    before = found.get_attribute("data-support")
    slider = seen(found.get_by_role("slider"))
    slider.focus()
    slider.press("ArrowRight")
    expect(found).not_to_have_attribute("data-support", before)


def parts(page: Page) -> None:
    sentence(page, "found together and never overlap")
    shown = page.locator(".face[data-seen]")
    expect(seen(shown.locator("ol button").nth(5))).to_be_visible()
    seen(page.get_by_role("button", name=re.compile("Increment|increase", re.I)).nth(1)).click()
    expect(page.get_by_role("heading", name=re.compile("These seven parts explain"))).to_contain_text(OPTIMUM)


def spannogram(page: Page) -> None:
    sentence(page, "k highest curves above zero form the set: the best .* changes only where curves cross")
    seen(page.locator("[data-say=set]"))
    seen(page.get_by_role("button", name="Next change")).click()
    expect(page.locator("[data-say=change]")).to_contain_text(re.compile("Curves . and . cross: . leaves, . enters"))


def learn(page: Page) -> None:
    sentence(page, "Which 40 pixels of a face brighten and darken together most")
    seen(page.locator("section.lesson canvas")).click(position={"x": 200, "y": 60})
    seen(page.get_by_role("button", name="Show the solver")).click()
    said = page.locator("[data-say=readout]")
    expect(said).to_contain_text(re.compile("You: .*Solver: .*of the optimum.*upper bound", re.S))


def compare(page: Page) -> None:
    seen(page.locator("[data-testid=stMarkdown]").filter(has_text=re.compile("at every k|of the optimum")).first)
    seen(page.get_by_text("solvers", exact=True)).click()
    expect(page.get_by_role("heading", name="Compare solvers")).to_be_in_viewport()
    expect(page.get_by_text(re.compile("first to reach the best component")).first).to_be_in_viewport(timeout=60_000)


def papers(page: Page) -> None:
    sentence(page, "does each come out as printed, and what is proven today")
    seen(page.get_by_role("button", name=re.compile("Fig. 2")).first).click()
    expect(page.get_by_role("heading", name=re.compile("^Fig. 2"))).to_be_in_viewport()
    expect(page.get_by_text("A stored run")).to_be_visible()


def data(page: Page) -> None:
    sentence(page, "Drop a file of your own or choose a data set: Explore, Parts and Compare then use it")
    seen(page.get_by_role("button", name=re.compile("Handwritten digits"))).click()
    expect(page).to_have_url(re.compile("data=digits"))
    rows = [",".join(str((i * j) % 7 + i % 3) for j in range(1, 6)) for i in range(20)]
    table = "\n".join(["roses,tulips,ferns,moss,ivy", *rows])
    seen(page.locator(".st-key-upload")).locator("input[type=file]").set_input_files(
        {"name": "garden.csv", "mimeType": "text/csv", "buffer": table.encode()}
    )
    page.get_by_text("In use: your file garden").wait_for()
    page.get_by_role("link", name="Explore →").click()
    expect(page.get_by_text(re.compile("garden.*which .* features vary together most")).first).to_be_visible()
    found = page.locator(".play[data-k]")
    expect(found.locator("[data-say=words]")).to_contain_text(OPTIMUM)
    named = re.compile("; the largest: (roses|tulips|ferns|moss|ivy)")
    expect(found.locator(".picture")).to_have_attribute("aria-label", named)
    page.get_by_role("link", name="Parts", exact=True).click()
    expect(page).to_have_url(re.compile("parts"))
    expect(page.get_by_text(re.compile("parts explain"))).to_be_visible()  # with nothing chosen by hand
    expect(page.locator(".face[data-seen]")).to_be_visible()


@pytest.mark.parametrize("act", [explore, parts, learn, compare, papers, data], ids=lambda act: act.__name__)
def test_the_first_screen_does_what_its_sentence_says(visit, act):
    """That of the spannogram does so in ``test_spannogram.py``."""
    page = visit("/" if act is explore else f"/{act.__name__}", height=800)
    page.get_by_role("heading", level=1).wait_for()
    act(page)
