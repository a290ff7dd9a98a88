"""What goes home: each number as the library has it, and no word of a table that a spreadsheet would run."""

import csv
import io
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import rounded
from nnspca.studies import Table
from nnspca.view import export
from nnspca.view.certificate.proofs import file_of
from nnspca.view.link.state import State
from nnspca.view.subject import Subject
from nnspca.view.ui import downloads
from tests.pages.conftest import settle

PACKAGE = Path(nnspca.__file__).parent
X = np.random.default_rng(0).normal(size=(8, 3))
COV = nnspca.Covariance.from_data(X)
PART = nnspca.solve(COV, 2)
BOTH = PART.loadings[:, None] * [[1.0, -1.0]]
OPENERS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
WORDS = [
    *("=cmd|'/c calc'!A1", "+1", "-2+3", "@SUM(A1)", "\t=1", "\ttext", "\rtext", "\r=1", " =1", "\n=1", "＝1"),
    *("a;=1", "a;\t-1", "a\n+1"),
]


def named(word):
    """Data in which all that a file can name is called so."""
    names = tuple(word + "x" * i for i in range(3))
    classes = {"labels": [0, 1] * 4, "label_names": (word, word + "x")}
    return Dataset(name=word, title=word, kind="table", X=X, feature_names=names, **classes)


WRITERS = {
    "any table": lambda data: downloads.table_csv([{data.name: data.name, "n": -1.5}, {data.name: 2, "n": data.name}]),
    "a study": lambda data: Table("t", "T", pd.DataFrame({data.name: [data.name, -1.5]})).to_csv().encode(),
    "loadings": lambda data: downloads.loadings({data.name: BOTH}, data),
    "scores of parts": lambda data: downloads.scores({data.name: BOTH}, Subject(data, State())),
}


def runs(cell):
    """Whether a spreadsheet takes a cell, or a piece of it that it may split off, for a formula."""
    number = re.fullmatch(r"-[\d.]+(e[+-]\d+)?", cell)
    return not number and any(piece.lstrip(" ").startswith((*OPENERS, "\t", "\r")) for piece in re.split("[;\n]", cell))


@pytest.mark.parametrize("writer", WRITERS)
def test_a_spreadsheet_runs_nothing_of_a_table_that_goes_home(writer):
    assert all(map(runs, WORDS))
    for word in WORDS:
        made = WRITERS[writer](named(word)).decode()
        rows = list(csv.reader(io.StringIO(made, newline=""), strict=True))
        assert len({len(row) for row in rows}) == 1
        assert not [cell for row in rows for cell in row if runs(cell)], (word, made)
        assert any(word.strip()[-1] in cell for row in rows for cell in row)  # it is in there


def test_every_table_is_written_by_those_guarded_above():
    """A new way to write rows must be added to the writers above."""
    written = re.compile(r'frame.*\.to_csv|csv\.(writer|DictWriter)|(",|";|"\\t)"\.join|savetxt')
    found = {
        str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if written.search(path.read_text("utf-8"))
    }
    assert found == {
        "studies/study.py",
        "view/frame/uploading.py",  # words of a header, no table
        "view/ui/downloads.py",
        "view/spannogram/circle.py",
    }


def read(content):
    return list(csv.DictReader(io.StringIO(content.decode())))


def test_a_run_goes_home_with_what_was_asked_found_and_proven_and_as_one_page(open_page, taken, short_proofs):
    link = {"data": "pitprops", "k": 4, "ks": "2, 5", "methods": ["best", "em"]}
    settle(open_page("pages/explore.py", **link, more=True), path=True)
    column = [float(row["best part 1"]) for row in read(taken("loadings.csv"))]
    assert np.linalg.norm(column) == pytest.approx(1) and np.count_nonzero(column) <= 4
    rows = read(taken("curves.csv"))
    asked = {(name, k) for name in ("best found", "em") for k in (2, 4, 5)} - {("em", 4)}
    assert {(row["method"], int(row["k"])) for row in rows} == asked
    for row in rows:
        assert max(float(row["lower"]), float(row["variance"])) <= float(row["upper"]) and 0 < float(row["ratio"]) <= 1
    printed = taken("report.html").decode()
    assert "Upper bound (proven)" in printed and "nnspca.certify" in printed
    proof = nnspca.load_certificate(taken("certificate.npz"))
    assert taken("certificate.npz") == file_of("pitprops", False, 4).read_bytes()  # that of the headline
    assert all(number in printed for number in (*rounded.pair(proof.lower, proof.upper), "certificate.npz"))
    assert "$" not in re.sub(r"<(pre|script).*</\1>", "", printed, flags=re.S)


@pytest.mark.parametrize("name", [info.name for info in nnspca.datasets.available() if info.bundled])
def test_every_bundled_data_set_has_a_report_and_no_word_of_it_is_html(name):
    data, now = nnspca.datasets.load(name), State(data=name, k=5)
    subject = Subject(data, now)
    part = subject.only(nnspca.solve(subject.cov, 5, "thresholding"))

    def printed(data, code):
        return export.report(export.Answer({"best": part}, Subject(data, now), "", "", code))

    page = printed(data, "code < here")
    assert 'class="picture"' in page and len(page) < 200_000
    assert "code &lt; here" in page and page.count(export.NONE) == 1
    names = ("<script>alert(1)</script>",) * data.n_features
    lured = printed(replace(data, feature_names=names, title="<img src=x>"), "")
    assert "<script>alert" not in lured and "<img" not in lured


def test_a_zip_holds_each_file_as_it_is_made():
    held = zipfile.ZipFile(io.BytesIO(downloads.zipped({"a.csv": "k", "b.npz": lambda: b"made"})))
    assert {name: held.read(name) for name in held.namelist()} == {"a.csv": b"k", "b.npz": b"made"}


def test_tables_hold_each_loading_and_score():
    data = nnspca.datasets.load("digits")
    parts = nnspca.decompose(nnspca.Covariance.from_dataset(data), 2, 5, "em")
    found = {"em": parts.loadings}
    rows = read(downloads.loadings(found, data))
    assert [row["feature"] for row in rows] == [str(name) for name in data.feature_names]
    assert [float(row["em part 2"]) for row in rows] == parts.loadings[:, 1].tolist()
    scores = [float(row["em part 1"]) for row in read(downloads.scores(found, Subject(data, State(data="digits"))))]
    assert np.allclose(scores, ((data.X - data.X.mean(axis=0)) @ parts.loadings)[:, 0])
