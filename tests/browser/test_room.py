"""A teacher and three phones play in one room."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.heavy]


def counts(people: int, attempts: int) -> re.Pattern[str]:
    """What the wall says of those who have joined and of what they painted."""
    return re.compile(rf"^{people}\D+{attempts}\D+$")


def test_three_phones_paint_one_comes_back_and_the_teacher_shows_the_answer(visit, browsing):
    teacher = visit("/learn")
    teacher.get_by_role("button", name="Open a room").click()
    address = teacher.get_by_role("link", name="Show its wall to the class").evaluate("link => link.href")
    teacher.goto(address)
    status = teacher.get_by_role("status")
    expect(status).to_have_text(counts(0, 0))
    phones = [browsing.browser.new_context(viewport={"width": 390, "height": 844}) for _ in range(3)]
    try:
        for number, phone in enumerate(phones):
            page = phone.new_page()
            page.goto(address.partition("/wall")[0])
            box = page.locator("canvas").bounding_box()
            y = box["y"] + box["height"] * (0.2 + 0.2 * number)
            page.mouse.move(box["x"] + 40, y)
            page.mouse.down()
            page.mouse.move(box["x"] + 200, y, steps=12)
            page.mouse.up()
            expect(page.get_by_role("status")).to_have_text(re.compile(r"[\d.]+ %\D+[\d.]+ %"))  # this one, the best
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
        expect(status).to_have_text(counts(3, 3))
        painted = re.match(r"\d+", page.get_by_role("status").inner_text())[0]
        page.reload()
        expect(page.get_by_role("status")).to_have_text(re.compile(rf"^{painted}\D+40\D.*[\d.]+ %"))
        other = browsing.browser.new_context()
        phones.append(other)
        stranger = other.new_page()
        stranger.goto(address.partition("#")[0])  # without the owner's token
        expect(stranger.locator("button.reveal")).to_be_hidden()
        teacher.get_by_label("Ask").select_option("1")
        page.locator(".question input").press("ArrowRight")
        page.get_by_role("button", name="This is my guess").click()
        expect(teacher.locator("h1")).to_contain_text("1 guess")
        teacher.get_by_role("button", name="Show the answer").click()
        expect(page.locator(".question")).to_contain_text(re.compile(r"\b51 %\D+\b19\.5 %"))
        teacher.get_by_label("Ask").select_option("0")
        teacher.get_by_role("button", name="Show the solver's answer").click()
        expect(teacher.locator(".drawings figure")).to_have_count(4)
        teacher.get_by_text("Everyone in the room").click()
        teacher.get_by_role("button", name="Remove").first.click()
        expect(status).to_have_text(counts(2, 3))
        close, sure = teacher.get_by_role("button", name="Close the room"), teacher.get_by_role("dialog")
        close.click()
        sure.get_by_role("button", name="Keep it open").click()
        close.click()
        teacher.keyboard.press("Escape")
        expect(sure).to_be_hidden()
        expect(status).to_have_text(counts(2, 3))
        close.click()
        sure.get_by_role("button", name="Close it").click()
        expect(status).to_contain_text("closed")
        with teacher.expect_download() as got:
            teacher.get_by_role("button", name="All paintings").click()
        assert Path(got.value.path()).read_bytes().startswith(b"\x89PNG")
        teacher.goto(address.partition("/room")[0] + "/learn")
        expect(teacher.get_by_role("link", name="Its results")).to_have_attribute("href", re.compile("/wall#"))
        assert other.request.get(address.partition("/wall")[0] + "/news").status == 404
    finally:
        for phone in phones:
            phone.close()
