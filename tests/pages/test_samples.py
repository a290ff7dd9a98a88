"""Samples on the Explore page: what is said of scores and features is true, whatever the data lack."""

import base64

import numpy as np
import pytest

import nnspca
from nnspca.datasets import Axis, Dataset
from nnspca.view import say
from nnspca.view.explore import figures, samples
from nnspca.view.figures.style import LIGHT
from nnspca.view.link import canvas
from nnspca.view.link.state import State
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject
from tests.pages.conftest import job_of, sent, settle, texts, traces

RNG = np.random.default_rng(3)
X = RNG.normal(size=(12, 6)) + RNG.normal(size=(12, 1))
TIED = np.repeat(np.eye(2), 6, axis=0)[:, [0, 0, 1, 1, 1]]


def made(X, **more):
    return Dataset(**{"name": "made", "kind": "table", "X": X} | more)


DEGENERATE = {
    "two samples": made(X[:2]),
    "fewer samples than features": made(X[:4].repeat(5, axis=1), labels=[0, 1, 0, 1], label_names=("a", "b")),
    "ties": made(TIED, labels=[0] * 6 + [1] * 6, label_names=("a", "b")),
    "one class": made(X, labels=[1] * 12, label_names=("a", "b")),
    "no class known": made(X, labels=[-1] * 12, label_names=("a", "b")),
    "classes without names": made(X, labels=[0, 2] * 6),
    "one feature": made(X[:, :1]),
    "features that never vary": made(np.hstack([X, np.ones((12, 2))])),
    "an image of one row": made(X, kind="images", image_shape=(1, 6)),
    "an axis that stands still": made(X, kind="spectra", axis=Axis(np.ones(6), name="depth")),
    "thirty classes": made(np.tile(X, (5, 1)), labels=np.arange(60) % 30, label_names=tuple(map(str, range(30)))),
    "a matrix": made(np.eye(3) + 1, kind="covariance"),
}


def told(data, k=2, *, standardise=False, nonnegative=True, feature=0):
    """Where the samples of a data set stand, and what is said of a feature."""
    now = State(data=data.name, scale="standardised" if standardise else "as is", k=k)
    cov = nnspca.Covariance.from_dataset(data, standardize=standardise)
    first = nnspca.solve(cov, min(k, data.n_features), nonnegative=nonnegative)
    scores = None if data.kind == "covariance" else samples.scored(first, Subject(data, now))
    role = nnspca.contribution(cov, first, feature)
    return scores, samples.why(role, first, data, standardised=standardise), first


@pytest.mark.parametrize("name", DEGENERATE)
def test_whatever_the_data_lack_every_sample_has_its_place_and_every_feature_its_words(name):
    data = DEGENERATE[name]
    for k in (1, data.n_features):
        scores, said, first = told(data, k, standardise=name != "a matrix", feature=data.n_features - 1)
        assert said
        if scores is not None:
            assert isinstance(say.told_apart(data, scores[:, None]), str)
            names = list(map(str, range(len(data.X))))
            drawn = figures.strips(scores, samples._class_names(data), names, LIGHT).data
            assert sorted(mark[0] for trace in drawn for mark in trace.customdata) == list(range(1, len(data.X) + 1))
        assert first.cardinality <= k


def test_a_feature_that_a_link_asks_about_is_answered_and_opens_its_fold(open_page):
    page = settle(open_page(data="pitprops", k=4, why="2"))
    assert not page.session_state["session"].notes and "there are no samples" in texts(page)


def test_each_sample_stands_at_its_score_in_standard_deviations_in_the_strip_of_its_class(open_page):
    page = settle(settle(open_page("pages/explore.py", data="lrs", k=8, samples=True)))
    data, now = catalogue.dataset("lrs"), State(data="lrs", k=8)
    first = Subject(data, now).at().component
    assert any("nnspca.separation(scores, data.labels)" in block.value for block in page.code)
    scores = nnspca.scores(data.X, first.loadings, mean="own")
    marks = {mark[0]: x for t in traces(page, "samples-strips") for mark, x in zip(*both(t), strict=True)}
    np.testing.assert_allclose([marks[s + 1] for s in range(531)], scores / scores.std())


def both(trace):
    """The numbers of a trace's samples, and their scores."""
    along = trace["x"]
    if isinstance(along, dict):
        along = np.frombuffer(base64.b64decode(along["bdata"]), along["dtype"])
    return trace["customdata"], along


def test_another_solvers_component_is_asked_about_where_it_is_shown(open_page):
    page = settle(open_page(data="digits", k=9, method="thresholding", why=1))
    part, data = job_of(page, "solve").result, catalogue.dataset("digits")
    role = nnspca.contribution(nnspca.Covariance.from_dataset(data), part, 0)
    assert samples.question(role, data, example=False).removeprefix("Why is ").split(" ")[0] in texts(page)
    (drawn_part,) = sent(page, "why-picture")["parts"]
    assert drawn_part["sure"] == [0]
    assert drawn_part["support"] == canvas.pack(np.sort(role.others[role.covariances != 0]), "i4")
