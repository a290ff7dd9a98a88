"""One visit to the data page: a file is brought, in use, turned, its missing values settled, prepared, and stopped."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.page import passed, rest, stopped

pytestmark = pytest.mark.browser

HOLES = b"id,s1,s2,s3,s4\ng1,1,2,3,500\ng2,4,,7,100\ng3,0,1,5,200\n"


def long_file(folder):
    """Enough rows, each of which needs a second look, to press Stop in time."""
    rows = "\n".join(f"${i},{i} %,({i})" for i in range(1_500_000))
    path = folder / "long.csv"
    path.write_text(f"a,b,c\n{rows}\n")
    return path


def test_what_is_asked_of_a_file_is_answered_where_it_was_brought_and_a_role_is_changed_in_its_line(visit, tmp_path):
    page = rest(visit("/data?data=pitprops"))
    chooser = page.locator(".st-key-upload input[type=file]")
    chooser.set_input_files({"name": "holes.csv", "mimeType": "text/csv", "buffer": HOLES})
    expect(page.get_by_role("alert").filter(has_text=re.compile(r"\b1\D+1 of 3\b"))).to_be_visible()
    page.locator(".st-key-doubt-0").get_by_role("button", name="mean").click()
    read = page.locator(".st-key-read")
    expect(read).to_contain_text(re.compile(r"holes\.csv\D+\b3\D+4\b"))
    expect(read).to_contain_text("standardised")  # scales differ by a factor of a hundred
    expect(read.get_by_role("link", name="Parts →")).to_have_attribute("href", re.compile(r"\bparts\b"))
    expect(page).to_have_url(re.compile("data=holes&reading=.*mean"))
    rest(page).locator(".st-key-desk [data-testid=stDataFrame]").click(position={"x": 30, "y": 87})  # s1, below id
    for key in ("ArrowRight", "Enter", *"left", "Enter"):  # its role
        page.keyboard.press(key)
        passed(page, 200)
    expect(read).to_contain_text(re.compile(r"\b3\D+3\b"))
    expect(page).to_have_url(re.compile("s1.*left"))
    read.get_by_role("link", name="Parts →").click()
    page.get_by_role("heading", name="Parts", level=1).wait_for()
    page.locator("[data-testid=stSidebarNav]").get_by_role("link", name="Data").click()
    expect(read).to_contain_text(re.compile(r"\b3\D+3\b"))
    chooser.set_input_files(long_file(tmp_path))
    page.get_by_role("button", name="Stop").click()
    stopped(page)
    expect(page.get_by_role("heading", name="In use: holes")).to_be_visible()
