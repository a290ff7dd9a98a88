"""What goes home: each number as the library has it, and no word of a table that a spreadsheet would run."""

import csv
import html
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
from nnspca.view import export, say
from nnspca.view.certificate.proofs import file_of
from nnspca.view.desk import Desk
from nnspca.view.link.state import State
from nnspca.view.session import Session
from nnspca.view.subject import Subject
from nnspca.view.ui import downloads
from tests.pages.conftest import says, settle, texts

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
    "scores of parts": lambda data: downloads.scores_csv({data.name: BOTH}, Subject(data, State())),
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
    scores = [float(row["em part 1"]) for row in read(downloads.scores_csv(found, Subject(data, State(data="digits"))))]
    assert np.allclose(scores, ((data.X - data.X.mean(axis=0)) @ parts.loadings)[:, 0])


RNG = np.random.default_rng(0)
CLASSES = np.repeat([0, 1], 30)
ROWS = (
    RNG.normal(size=(60, 1)) * [1.0, 1, 1, 0, 0]
    + RNG.normal(size=(60, 5)) / 3
    - 2.0 * CLASSES[:, None] * [1, 1, 1, 0, 0]
)
DATA = Dataset(
    name="lab", X=ROWS, feature_names=tuple("abcde"), labels=CLASSES, label_names=("ill", "well"),
    notes=("Column 'id' numbers the samples: left out.",),
)  # fmt: skip


@pytest.fixture
def made():
    subject = Subject(DATA, State(data="lab", k=3))
    return export.Beside(nnspca.decompose(subject.cov, n_components=1, k=3), subject)


def test_varimax_turns_within_the_plane_and_pairs_are_of_one_sign():
    V = np.linalg.qr(RNG.normal(size=(9, 3)))[0]
    turned = export.varimax(V)
    np.testing.assert_allclose(turned.T @ turned, np.eye(3), atol=1e-6)
    np.testing.assert_allclose(V @ V.T, turned @ turned.T, atol=1e-6)
    assert (turned**4).sum() >= (V**4).sum()
    np.testing.assert_allclose(export.most_alike(V, -V[:, [2, 0, 1]]), V)


def test_loadings_stand_beside_those_of_pca_and_scores_beside_their_class(made):
    first = np.linalg.svd(ROWS - ROWS.mean(axis=0))[2][0]
    rows = {row["feature"]: row for row in made.loadings}
    assert rows.keys() == set("abcde")
    for i, name in enumerate("abcde"):
        assert rows[name]["this"] == made.parts.loadings[i, 0]
        assert abs(rows[name]["PCA"]) == pytest.approx(abs(first[i]))
    assert [row["class"] for row in made.scores[::30]] == ["ill", "well"]
    assert made.reading == tuple(map(str, DATA.notes))


def test_a_part_that_tells_two_classes_apart_says_so_in_one_direction(made):
    area = nnspca.separation(made.values[:, 0], CLASSES)
    assert {row["AUC"] for row in made.groups} == {max(area[0], 1 - area[0])} and area[0] > 0.85
    said = say.separation(DATA, made.values)
    assert made.groups[0]["class"] == "ill" and "ill" in said
    best, chance, p = map(float, re.findall(r"(?:In|in|=) ([\d.]+\d)", said))
    assert best == np.floor(100 * made.groups[0]["AUC"]) > chance > 50 and p < 0.05


def test_the_page_shows_what_the_report_prints(open_page, taken, short_proofs):
    own = Session(desks={"lab": Desk((), data=DATA)})
    page = settle(open_page("pages/explore.py", data="lab", k=3, ks="3", more=True, session=own))
    subject = Subject(DATA, State(data="lab", k=3))
    part = subject.known_at().component
    told = say.separation(DATA, nnspca.scores(ROWS, part.loadings, mean="own")[:, None])
    assert told in texts(page) and all(says(page.markdown, note) for note in DATA.notes)
    report = html.unescape(taken("report.html").decode())
    for said in ("PCA + varimax", told, *map(str, DATA.notes), "</table>", "nnspca.certify"):
        assert said in report
    assert " Content: " not in report and not re.search(r"https?://(?!www\.w3\.org)", report)
