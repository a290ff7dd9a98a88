"""A figure of a paper in a real Chromium: run from its page, looked at, followed on a phone."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from nnspca.studies import STUDIES
from tests.browser.page import button, figure, quiet, unmoved

pytestmark = [pytest.mark.browser, pytest.mark.heavy]


def address(study) -> str:
    """Return the link to a study."""
    return "/papers?" + urlencode({"paper": study.source.short, study.paper: f"{study.figure}: {study.title}"})


def test_a_study_fits_a_phone_and_its_link_opens_the_same_four_curves(visit):
    """Every study runs in ``tests/pages/test_papers.py``, without a browser."""
    study = STUDIES["asteris2011-fig1"]
    images = unmoved(quiet(visit(address(STUDIES["zass2006-fig2"]))))
    assert figure(images, "zass2006-fig2-parts")
    page = visit(address(study), width=390, height=844)
    button(page, "start-study").click()
    page.get_by_text("Tables, downloads and code").click()
    page.get_by_role("link", name="Everything (ZIP)").wait_for()
    assert quiet(page).evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Play with it on the spannogram page").click()
    other = opened.value
    expect(other.locator(".st-key-top input")).to_have_value("2")
    expect(other.get_by_role("radio", name="four curves")).to_be_checked()
    expect(other.get_by_role("radio", name="any sign")).to_be_checked()
