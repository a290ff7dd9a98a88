"""Files brought to the data page: what is said of them, what can be chosen, and the Python that reads them again."""

import io
import time
import zipfile

import numpy as np
import pytest
import scipy.sparse
from PIL import Image

import nnspca
from nnspca.datasets import preparing
from nnspca.view import tasks
from nnspca.view.link.state import State
from nnspca.view.ui import downloads
from tests.datasets.test_formats import COUNTS, market, parquet, picture, workbook
from tests.pages.conftest import files_of, settle, texts

pytestmark = pytest.mark.usefixtures("short_proofs")

CSV = "text/csv"


def brought(page, *files):
    page.file_uploader(key="upload").set_value([(name, content, CSV) for name, content in files]).run()
    return settle(page)


def said(page):
    return "\n".join(e.value for e in (*page.success, *page.error, *page.warning, *page.info))


def test_a_file_is_in_use_at_once_and_stays_where_another_is_chosen_later(open_page):
    page = brought(open_page("pages/data.py"), ("shapes.csv", b"height,width\n1,2\n3,5\n4,0\n"))
    assert page.session_state["data"] == "shapes"
    assert "In use: your file **shapes**, 3 × 2, table" in said(page)
    assert "Each row of the file is one sample: 3 samples × 2 features" in texts(page)
    assert "Terms:" not in texts(page), "nothing is known of them"
    page.session_state["data"] = "pitprops"
    page.run()
    assert page.session_state["data"] == "pitprops"


def test_a_file_named_like_a_data_set_keeps_its_own_name_in_menus_and_code(open_page):
    page = brought(open_page("pages/data.py"), ("lfw-faces.csv", b"a,b\n1,2\n3,5\n4,0\n"))
    assert page.session_state["data"] == "lfw-faces (yours)"
    assert "lfw-faces (yours)" in page.session_state["session"].uploads
    assert "lfw-faces" not in page.session_state["session"].uploads
    kept = files_of(page)
    shown = settle(open_page("pages/explore.py", data="lfw-faces (yours)", k=2, more=True, **kept))
    code = "\n".join(block.value for block in shown.code)
    assert "nnspca.datasets.read('lfw-faces.csv', name='lfw-faces (yours)')" in code


def test_missing_values_are_counted_with_the_choices_and_the_code_says_which_was_taken(open_page):
    page = brought(open_page("pages/data.py"), ("holes.csv", b"a,b\n1,2\n3,\n4,0\n,5\n"))
    assert "2 values are missing in 2 of 4 rows" in said(page)
    (choice,) = page.radio
    assert choice.label == "2 missing values"
    settle(choice.set_value("drop rows").run())
    assert "left out the 2 of 4 samples" in said(page)
    assert page.session_state["session"].uploads["holes"].shape == (2, 2)
    (choice,) = page.radio
    settle(choice.set_value("mean").run())
    assert page.session_state["session"].uploads["holes"].shape == (4, 2)
    assert page.session_state["session"].readings["holes"].reading.missing == "mean"


def test_what_was_chosen_about_a_file_stays_while_a_slow_reading_is_followed(open_page, monkeypatch):
    """The choices are not drawn until the reading has ended: longer than the page waits."""
    read = nnspca.datasets.read

    def slowly(*given, **more):
        time.sleep(1.5 * tasks.PATIENCE)
        return read(*given, **more)

    monkeypatch.setattr(nnspca.datasets, "read", slowly)
    sheet = workbook([["a", "b", "u", "v"], [1, 2, "x", "p"], [3, None, "x", "q"], [4, 0, "y", "q"], [2, 2, "y", "p"]])
    page = brought(open_page("pages/data.py"), ("hole.xlsx", sheet))
    (choice,) = page.radio
    settle(choice.set_value("drop rows").run())
    (box,) = [box for box in page.selectbox if box.label == "Class of the samples"]
    settle(box.set_value("v").run())
    data = page.session_state["session"].uploads["hole"]
    assert (data.shape, data.label_names) == ((3, 2), ("p", "q"))


def test_orientation_and_class_can_be_chosen(open_page):
    text = b"a,b,u,v\n1,2,x,p\n2,4,x,q\n3,9,y,q\n"
    page = brought(open_page("pages/data.py"), ("two.csv", text))
    assert "Column 'u' holds text: read as the class." in said(page)
    (choice,) = [box for box in page.selectbox if box.label == "Class of the samples"]
    assert choice.options == ["as found", "no class", "u", "v"]
    settle(choice.set_value("v").run())
    assert page.session_state["session"].uploads["two"].label_names == ("p", "q")
    assert "Classes: p 1×, q 2×" in texts(page)
    page = brought(open_page("pages/data.py"), ("t.csv", b"g,s1,s2,s3\nA,1,2,3\nB,5,5,7\n"))
    settle(page.selectbox(key="turned").set_value("columns").run())
    assert page.session_state["session"].uploads["t"].feature_names == ("A", "B")
    assert "Each column of the file is one sample: 3 samples" in texts(page)


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("t.xlsx", workbook([["a", "b"], [1, 2], [3, 5], [4, 0]]), "3 × 2, table"),
        ("m.mtx", market(), "4 × 3, table"),
        ("t.parquet", parquet({"a": [1.0, 2, 4], "b": [2.0, 1, 9]}), "3 × 2, table"),
    ],
    ids=["excel", "matrix market", "parquet"],
)
def test_other_formats_are_in_use_too(name, content, found, open_page):
    assert found in said(brought(open_page("pages/data.py"), (name, content)))


def test_several_files_dropped_together_are_one_data_set(open_page):
    page = brought(open_page("pages/data.py"), *((f"{i}.png", picture(i * 40)) for i in range(4)))
    assert "4 × 6, images" in said(page)
    files = (("run.mtx", market(COUNTS.T)), ("genes.tsv", b"E1\tTP53\nE2\tMYC\nE3\tACTB\n"))
    page = brought(open_page("pages/data.py"), *files)
    assert "4 × 3, table" in said(page)
    assert page.session_state["session"].uploads["run"].feature_names == ("TP53", "MYC", "ACTB")
    assert "4 samples × 3 features" in texts(page)
    assert "is one sample" not in texts(page)  # no row of this file is


def test_images_with_a_pixel_that_never_varies_are_in_use_too(open_page):
    rng, out = np.random.default_rng(0), io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for i in range(6):
            grey = rng.integers(0, 255, (4, 3)).astype(np.uint8)
            grey[0, 0] = 7
            file = io.BytesIO()
            Image.fromarray(grey).save(file, "PNG")
            archive.writestr(f"{i}.png", file.getvalue())
    page = brought(open_page("pages/data.py"), ("marks.zip", out.getvalue()))
    assert "6 × 12, images" in said(page)
    assert page.session_state["session"].uploads["marks"].image_shape == (4, 3)


def test_of_images_dropped_together_the_one_that_does_not_fit_is_named(open_page):
    odd = ("odd.png", picture(3, (5, 5)))
    page = brought(open_page("pages/data.py"), *((f"{i}.png", picture(i * 40)) for i in range(4)), odd)
    assert "of 5 files: the images have 2 different sizes: 3×2 (4), 5×5 (1)" in said(page)
    assert "'odd.png' is 5×5." in said(page)


def test_of_two_files_with_one_name_none_is_dropped_in_silence(open_page):
    page = brought(open_page("pages/data.py"), *((f"{name}.png", picture(i)) for i, name in enumerate("abca")))
    assert "of 4 files two are called 'a.png': rename one of them." in said(page)


def test_names_of_features_come_from_a_file_of_two_columns(open_page):
    page = brought(open_page("pages/data.py"), ("genes.csv", b"p1,p2,p3\n1,2,3\n4,5,7\n0,1,1\n"))
    settle(page.file_uploader(key="names").set_value(("map.csv", b"p1,TP53\np2,MYC\n", CSV)).run())
    assert page.session_state["session"].uploads["genes"].feature_names == ("TP53", "MYC", "p3")
    assert page.session_state["session"].readings["genes"].reading.names == "map.csv"


def test_a_sparse_file_is_taken_apart_on_every_page(open_page):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((30, 8)) < 0.4, rng.integers(1, 9, (30, 8)), 0)
    out = io.BytesIO()
    scipy.sparse.save_npz(out, scipy.sparse.csr_array(X))
    page = brought(open_page("pages/data.py"), ("counts.npz", out.getvalue()))
    assert "30 × 8, table" in said(page)
    kept = files_of(page)
    for name in ("explore", "parts"):
        shown = settle(open_page(f"pages/{name}.py", data="counts", k=2, r=2, **kept))
        assert not [told.value for told in shown.error]


def test_a_link_prepares_bundled_data_and_the_code_says_how():
    now = State(data="digits", prep=("crop-1", "log1p"))
    lines = downloads.data_lines(now)
    assert lines[2:5] == [
        "data = nnspca.datasets.load('digits')",
        "data = nnspca.datasets.crop(data, 1)",
        "data = nnspca.datasets.log1p(data)",
    ]
    made: dict = {}
    exec("\n".join(lines), made)
    assert made["cov"].n_features == 36


def test_the_page_prepares_what_the_link_says_and_k_fits_the_smaller_images(open_page):
    page = open_page("pages/main.py", data="digits", prep="crop-3", k="4")
    page.switch_page("data.py").run()
    assert not page.exception
    (k,) = [box for box in page.number_input if box.key == "k"] or [None]
    assert k is None or k.max == 4
    assert "After: crop-3" in texts(page)
    assert "Cropped by 3 pixels" in preparing.crop(nnspca.datasets.load("digits"), 3).notes[-1]
