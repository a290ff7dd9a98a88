"""Ten files of ten programs in one visit: each is in use after one drop, in the browser as in the tests of the page."""

import pytest
from playwright.sync_api import expect

from tests.browser.page import rest
from tests.datasets.test_formats import picture, zipped
from tests.datasets.test_real_files import FILES

pytestmark = [pytest.mark.browser, pytest.mark.heavy]

TEN = (
    "Excel German",
    "title and units in a sheet",
    "a README sheet first",
    "Parquet",
    "Stata",
    "R covariance",
    "scanpy",
    "genes in rows",
    "Weka",
)


def test_ten_files_of_ten_programs_are_in_use_one_after_the_other(visit):
    pictures = zipped({f"{kind}/{i}.png": picture(20 * i, (9, 9 - i % 2)) for i in range(6) for kind in "uv"})
    page = rest(visit("/data?data=pitprops"))
    for name, content in [*((FILES[case].name, FILES[case].content) for case in TEN), ("faces.zip", pictures)]:
        page.locator(".st-key-upload input[type=file]").set_input_files(
            {"name": f"mine {name}", "mimeType": "application/octet-stream", "buffer": content}
        )
        expect(page.locator(".st-key-read")).to_contain_text(f"your file mine {name.split('.')[0]}")
        expect(page.locator(".st-key-desk").get_by_role("alert").filter(has_text="cannot")).to_have_count(0)
        rest(page)
    expect(page.locator(".st-key-desk")).to_contain_text("images were resized")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
