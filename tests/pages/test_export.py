"""The sheet that goes home: loadings beside PCA's, scores, groups; on screen and paper."""

import html
import re

import numpy as np
import pytest

import nnspca
from nnspca.datasets import Dataset
from nnspca.view import export, say
from nnspca.view.desk import Desk
from nnspca.view.link.state import State
from nnspca.view.session import Session
from nnspca.view.subject import Subject
from tests.pages.conftest import says, settle, texts

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
    return export.Beside(nnspca.decompose(subject.cov, n_components=1, k=3), subject)


def test_varimax_turns_within_the_plane_and_pairs_are_of_one_sign():
    V = np.linalg.qr(RNG.normal(size=(9, 3)))[0]
    turned = export.varimax(V)
    np.testing.assert_allclose(turned.T @ turned, np.eye(3), atol=1e-6)
    np.testing.assert_allclose(V @ V.T, turned @ turned.T, atol=1e-6)
    assert (turned**4).sum() >= (V**4).sum()
    np.testing.assert_allclose(export.most_alike(V, -V[:, [2, 0, 1]]), V)


def test_loadings_stand_beside_those_of_pca_and_scores_beside_their_class(made):
    first = np.linalg.svd(X - X.mean(axis=0))[2][0]
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
    told = say.separation(DATA, nnspca.scores(X, part.loadings, mean="own")[:, None])
    assert told in texts(page) and all(says(page.markdown, note) for note in DATA.notes)
    report = html.unescape(taken("report.html").decode())
    for said in ("PCA + varimax", told, *map(str, DATA.notes), "</table>", "nnspca.certify"):
        assert said in report
    assert " Content: " not in report and not re.search(r"https?://(?!www\.w3\.org)", report)
