"""The sheet that goes home: loadings beside PCA's, scores, groups; on screen, paper, in Excel."""

import io
import re

import numpy as np
import openpyxl
import pytest

import nnspca
from nnspca.datasets import Dataset
from nnspca.view import export, say, sheet
from nnspca.view.desk import Desk
from nnspca.view.ledger import Known
from nnspca.view.link.state import State
from nnspca.view.session import Session
from nnspca.view.subject import Subject
from tests.pages.conftest import settle, texts
from tests.pages.test_downloads import WORDS

RNG = np.random.default_rng(0)
CLASSES = np.repeat([0, 1], 30)
X = (
    RNG.normal(size=(60, 1)) * [1.0, 1, 1, 0, 0]
    + RNG.normal(size=(60, 5)) / 3
    - 2.0 * CLASSES[:, None] * [1, 1, 1, 0, 0]
)
DATA = Dataset(
    name="lab", X=X, feature_names=tuple("abcde"), labels=CLASSES, label_names=("ill", "well"),
    notes=("Column 'id' numbers the samples: left out.",),
)  # fmt: skip


@pytest.fixture
def made():
    subject = Subject(DATA, State(data="lab", k=3))
    return sheet.Sheet(nnspca.decompose(subject.cov, n_components=1, k=3), subject)


def test_varimax_turns_within_the_plane_and_pairs_are_of_one_sign():
    V = np.linalg.qr(RNG.normal(size=(9, 3)))[0]
    turned = sheet.varimax(V)
    np.testing.assert_allclose(turned.T @ turned, np.eye(3), atol=1e-6)
    np.testing.assert_allclose(V @ V.T, turned @ turned.T, atol=1e-6)
    assert (turned**4).sum() >= (V**4).sum()
    np.testing.assert_allclose(sheet.beside(V, -V[:, [2, 0, 1]]), V)


def test_loadings_stand_beside_those_of_pca_and_scores_beside_their_class(made):
    first = np.linalg.svd(X - X.mean(axis=0))[2][0]
    rows = {row["feature"]: row for row in made.loadings}
    assert rows.keys() == set("abcde")
    for i, name in enumerate("abcde"):
        assert rows[name]["this"] == made.parts.loadings[i, 0]
        assert abs(rows[name]["PCA"]) == pytest.approx(abs(first[i]))
    assert [row["class"] for row in made.scores[::30]] == ["ill", "well"]
    assert made.reading == tuple(map(str, DATA.notes)) and made.biplot().count("<circle") == 62


def test_a_part_that_tells_two_classes_apart_says_so_in_one_direction(made):
    area = nnspca.separation(made.values[:, 0], CLASSES)
    assert {row["AUC"] for row in made.groups} == {max(area[0], 1 - area[0])} and area[0] > 0.85
    assert "ill scores higher" in (said := say.told_apart(DATA, made.values))
    # no value that chance alone would give: that of the largest of many areas is above 0.5
    assert re.findall(r"\d\.\d+", said.split("(")[1]) == [f"{np.floor(100 * made.groups[0]['AUC']) / 100:.2f}"]


def test_the_workbook_holds_each_number_and_runs_no_word(made):
    known = Known(3, made.parts.parts, made.parts[0].variance, 2 * made.parts[0].variance)
    answer = export.Answer({"best": made.parts}, made.subject, "The **answer**.", "", "for x in y:\n    more", known)
    book = openpyxl.load_workbook(io.BytesIO(export.workbook(made, answer)))
    assert book.sheetnames == ["Answer", "Numbers", "Loadings", "Groups", "Scores"]
    assert [row[1] for row in book["Answer"].values][-2:] == ["for x in y:", "    more"]
    heads, part, bound = list(book["Numbers"].values)[:3]
    assert heads[1:3] == ("features", "variance") and part[1] == 3
    assert part[2] <= made.parts[0].variance and bound[2] >= 2 * made.parts[0].variance
    rows = list(book["Loadings"].values)
    assert rows[0] == ("feature", "this", "PCA", "PCA + varimax") and len(rows) == 6
    assert [row[1] for row in rows[1:]] == pytest.approx([row["this"] for row in made.loadings], rel=1e-5)
    words = openpyxl.load_workbook(io.BytesIO(sheet.workbook({"a": [{word: word for word in WORDS}]})))["a"]
    assert all(cell.data_type in "sn" for row in words for cell in row), "no formula"


@pytest.mark.parametrize("far", [1.0, -1.0])
def test_names_in_a_biplot_lie_within_it_and_apart(far):
    arrows = np.column_stack([np.full(8, far), np.linspace(-1.0, -0.9, 8)])
    drawn = sheet._svg(np.eye(2), [], arrows, ["W" * 11 + "m" * 11] * 8, ("one", "two"), "black")
    named = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" text-anchor="(start|end)"', drawn)
    assert all(0 <= float(x) + (170 if anchor == "start" else -170) <= sheet.WIDE for x, _, anchor in named)
    heights = [float(y) for _, y, _ in named]
    assert max(heights) < sheet.TALL - 30 and np.diff(heights).min() >= 13


def test_the_page_shows_what_the_report_prints(open_page, taken, short_proofs):
    own = Session(desks={"lab": Desk((), data=DATA)})
    page = settle(open_page("pages/explore.py", data="lab", k=3, ks="3", more=True, session=own))
    assert "ill scores higher" in texts(page) and "numbers the samples: left out" in texts(page)
    report = taken("report.html").decode()
    for said in ("PCA + varimax", "ill scores higher", "<svg", "numbers the samples", "</table>", "nnspca.certify"):
        assert said in report
    assert " Content: " not in report and not re.search(r"https?://(?!www\.w3\.org)", report)
