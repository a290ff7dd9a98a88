"""Loadings found elsewhere on the compare page: read, refused with a reason, judged, and drawn beside the solvers."""

import numpy as np
import pytest

import nnspca
from nnspca.view.compare import loadings
from nnspca.view.sources import catalogue
from tests.pages.conftest import settle, subject, texts

QUICK = {"data": "pitprops", "k": 4, "racers": ["em"], "given": True}
NAMES = ["a", "b", "c"]


@pytest.mark.parametrize("text", ["a,1\nc,2", "feature\tfirst\nc\t2\na\t1", "name;x\nc;2\na;1\nb;0", "a, 1\nc, 2\n\n"])
def test_names_order_separators_and_titles_make_no_difference(text):
    np.testing.assert_array_equal(loadings.read_loadings(text, NAMES), [[1.0], [0.0], [2.0]])


@pytest.mark.parametrize(
    "text",
    [
        "row 3, column 11: 0.5\nchr1:10: 2", "row 3, column 11,0.5\nchr1:10,2", "row 3, column 11\t0,5\nchr1:10\t2",
        '"row 3, column 11",0.5\n"chr1:10",2', "name;x\nrow 3, column 11;0,5\nchr1:10;2",
        "row 3, column 11: 0,5\nchr1:10:2",
    ],
)  # fmt: skip
def test_a_name_is_taken_as_the_app_prints_it_whatever_it_holds(text):
    names = ["row 3", "row 3, column 1", "row 3, column 11", "chr1", "chr1:10"]
    np.testing.assert_array_equal(loadings.read_loadings(text, names).T, [[0, 0, 0.5, 0, 2]])
    two = "\n".join(f"{line}, 1" if ": " in line else "" for line in text.splitlines())
    if two.strip():
        assert loadings.read_loadings(two, names)[2].tolist() == [0.5, 1]


def test_names_that_are_numbers_are_names_where_the_data_have_them():
    np.testing.assert_array_equal(loadings.read_loadings("1990,3\n1992,4", ["1990", "1991", "1992"]).T, [[3, 0, 4]])


@pytest.mark.parametrize(
    "text",
    [
        "a,1\nz,2", "a,1\na,2",
        "a,nan", "a,1e999", "a,x\nb,1", "a,1\nb,1,2", "1\n2", "1\n2\n3\n4\n5", "\x00,1", ",", '"a,1',
        "a," + ",".join(["1"] * 30), "a," + "9" * 200_000, "=cmd(),1", "a\n" * 5,
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_a_reason(text):
    with pytest.raises(ValueError, match=r"\w"):
        loadings.read_loadings(text, NAMES)


def test_loadings_are_judged_on_request_and_no_number_flatters_them(open_page, short_proofs):
    data = catalogue.dataset("pitprops")
    cov = nnspca.Covariance.from_dataset(data)
    mine = np.where(np.arange(13) < 4, 0.5, 0.0)
    text = "\n".join(f"{name},{x}" for name, x in zip(data.feature_names, mine, strict=True) if x)
    page = settle(open_page("pages/compare.py", **QUICK))
    example = page.text_area(key=loadings.TEXT).placeholder
    assert np.count_nonzero(loadings.read_loadings(example, data.feature_names)) == 2
    page.text_area(key=loadings.TEXT).set_value("<b>evil</b>,1").run()
    assert "no feature" in page.error[0].value and "<b>evil" not in page.error[0].value.replace("\\<", "")
    page.text_area(key=loadings.TEXT).set_value(text).run()
    page.button(key="start-judge").click().run()
    page = settle(page)
    (row,) = page.dataframe[0].value.to_dict("records")
    best = subject("pitprops").known_at(4)
    *_, explains, share, _ = row.values()
    assert explains <= 100 * cov.variance(mine) / cov.trace
    assert float(share.split()[0]) <= 100 * cov.variance(mine) / best.upper
    assert "Judged" not in texts(page) and not page.exception
