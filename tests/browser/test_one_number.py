"""One problem, one number: what all pages say of a problem, once their runs have ended, is the same."""

import re
from urllib.parse import urljoin

import pytest

from tests.browser.conftest import PARKED
from tests.browser.waiting import rest

SHARE = re.compile(r"at least ([\d.]+)\s%\sof the optimum|(proven optimal)", re.I)
pytestmark = pytest.mark.browser
STATED = re.compile("of the optimum|proven optimal", re.I)
PROBLEMS = [("lfw-faces", 40, "faces"), ("digits", 16, "digits")]


def shares(text):
    """The proven shares of the optimum that a text states; sentences of live runs aside."""
    said = "\n".join(line for line in text.splitlines() if "live" not in line.lower())
    return {share or "optimal" for share, optimal in SHARE.findall(said)}


def told(visit, path, selector, settled=True):
    """What a page says in one place, once it has come to rest, or as soon as it says it; the page is left then.

    A page that stayed open would have its runs go on, before those that the next one waits for.
    """
    page = visit(path)
    page.locator(selector).filter(has_text=STATED).first.wait_for()
    if settled:
        rest(page, "false", 600)
    said = "\n".join(page.locator(selector).all_inner_texts())
    leave(page)
    return said


def leave(page):
    """Leave the app without an error, and no tab open."""
    assert not page.get_by_test_id("stException").count()
    page.evaluate("() => sessionStorage.clear()")
    page.goto(urljoin(page.url, PARKED))


@pytest.mark.parametrize(("name", "k", "board"), PROBLEMS)
def test_a_component_has_one_proven_share_on_every_page(visit, name, k, board):
    problem = f"data={name}&k={k}"
    found = {
        "explore": shares(told(visit, f"/?{problem}", ".play .words", settled=False)),
        "card": shares(told(visit, f"/data?data={name}", f"[data-name='{name}']")),
        "compare": shares(told(visit, f"/compare?what=solvers&{problem}&racers=best&limit=2", "[data-testid=stMain]")),
        "parts": shares(told(visit, f"/parts?{problem}&r=1", ".st-key-parts-said")),
    }
    page = visit(f"/learn?board={board}")
    page.get_by_role("button", name="Show the solver").click()
    said = page.get_by_text(re.compile("Solver: .*(of the optimum|proven optimal)")).first
    said.wait_for()
    found["learn"] = shares(said.inner_text())
    leave(page)
    found["explore again"] = shares(told(visit, f"/?{problem}", ".play .words"))
    assert all(len(said) == 1 for said in found.values()), found
    assert len(set.union(*found.values())) == 1, found


def test_six_parts_have_one_proven_share_on_the_pages_that_show_them(visit):
    headline = told(visit, "/parts?data=lfw-faces&k=40&r=6", ".st-key-parts-said")
    page = visit("/learn?step=15")
    page.locator("section.lesson[data-frames]").wait_for()
    page.get_by_text("together", exact=True).first.click()
    said = page.get_by_text(re.compile("6 parts, found together, .* of the optimum")).first
    said.wait_for()
    assert shares(headline) == shares(said.inner_text()) != set()
