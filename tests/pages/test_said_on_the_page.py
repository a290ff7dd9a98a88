"""The Data page speaks of its own choices where the library speaks Python, and no file takes a catalogue's name."""

import pytest

from nnspca.datasets import catalogue, fetch, read
from nnspca.errors import DataError
from nnspca.view.sources import files
from tests.pages.conftest import settle

HOLES = b"a,b\n1,2\n3,NA\n4,0\n6,1\n"
PYTHON = ("missing=", "drop rows")


def test_what_is_wrong_with_a_file_names_the_choices_of_the_page(open_page):
    with pytest.raises(DataError) as caught:
        read(HOLES, "mine.csv")
    assert any(word in str(caught.value) for word in PYTHON)
    page = open_page("pages/data.py")
    page.file_uploader(key="upload").set_value([("mine.csv", HOLES, "text/csv")]).run()
    (told,) = settle(page).error
    assert "mine.csv" in told.value and "Choose what to do with them" in told.value
    assert not any(word in told.value for word in PYTHON)


def test_what_was_decided_is_said_without_the_arguments_of_a_program(open_page):
    coded = "town;a;b\n" + "".join(f"t{i};{i},5;{-99 if i == 3 else i % 5}\n" for i in range(9)) + "Total;36;4\n"
    page = open_page("pages/data.py")
    page.file_uploader(key="upload").set_value([("coded.csv", coded.encode(), "text/csv")]).run()
    (told,) = settle(page).error
    assert "1 value -99 in 'b', far from all others there, read as missing." in told.value and "=" not in told.value
    (keep,) = [toggle for toggle in page.toggle if "as they are" in toggle.label]
    settle(keep.set_value(True).run())
    assert not page.error and "10 × 2, table" in page.success[0].value


def test_a_file_of_the_catalogue_is_told_from_the_catalogues_own(open_page, monkeypatch):
    entry = catalogue.ENTRIES["leukemia"]
    monkeypatch.setattr(fetch, "is_content", lambda data, file: file is entry.file)
    rows = "\n".join(f"{i},{i * i % 7},{'ab'[i % 2]}" for i in range(20))
    content = f"p,q,kind\n{rows}\n".encode()
    assert read(content, "MLL.csv").name == "leukemia"
    assert files.own_name("MLL.csv", content) == "MLL"
    assert files.own_name("leukemia.csv", content) == "leukemia (yours)"
    page = open_page("pages/data.py")
    page.file_uploader(key="upload").set_value([("MLL.csv", content, "text/csv")]).run()
    settle(page)
    assert list(page.session_state["session"].uploads) == ["MLL"]
    said = next(told.value for told in page.success)
    assert "your file **MLL**" in said and "Byte for byte the file of “Leukemia" in said
    assert page.session_state["session"].uploads["MLL"].title == "MLL"
    assert page.session_state["data"] == "MLL"
    assert page.session_state["session"].readings["MLL"].name == "MLL"  # which the Python that reads it again gives
