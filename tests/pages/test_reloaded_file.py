"""A reload takes a file away: the page says so, and where to bring it again."""

from tests.pages.conftest import texts


def test_a_link_to_a_file_of_ones_own_says_why_the_file_is_gone(open_page):
    said = texts(open_page(data="pitprops (yours)"))
    assert "Data set: “pitprops (yours)” cannot be used here" in said


def test_another_choice_that_cannot_be_used_says_nothing_of_files(open_page):
    said = texts(open_page(data="pitprops", k="9000"))
    assert "“9000” cannot be used here" in said
