"""Samples on the Explore page: what is said of scores and features is true, whatever the data lack."""

import re

import numpy as np
import pytest

import nnspca
from nnspca.datasets import Axis, Dataset
from nnspca.view import say
from nnspca.view.explore import samples
from nnspca.view.link import canvas
from nnspca.view.link.state import State
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject
from tests.pages.conftest import job_of, jobs, redrawn, sent, settle, subject, unpacked

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
    """Where the samples of a data set stand, what is said of a feature, the component and what it is of."""
    now = State(data=data.name, scale="standardised" if standardise else "as is", k=k)
    cov = nnspca.Covariance.from_dataset(data, standardize=standardise)
    first = nnspca.solve(cov, min(k, data.n_features), nonnegative=nonnegative)
    about = Subject(data, now)
    scores = None if data.kind == "covariance" else samples.standard_scores(first, about)
    role = nnspca.contribution(cov, first, feature)
    return scores, samples.why_included(role, first, data, standardised=standardise), first, about


@pytest.mark.parametrize("name", DEGENERATE)
def test_whatever_the_data_lack_every_sample_has_its_place_and_every_feature_its_words(name):
    data = DEGENERATE[name]
    for k in (1, data.n_features):
        scores, said, first, about = told(data, k, standardise=name != "a matrix", feature=data.n_features - 1)
        assert said
        if scores is not None:
            assert isinstance(say.separation(data, scores[:, None]), str)
            drawn = samples.strips(first, about)
            rows, of = drawn["rows"], unpacked(drawn["of"])
            assert unpacked(drawn["which"]).tolist() == list(range(len(data.X)))
            assert set(of.tolist()) == set(range(len(rows))) and len(rows) <= samples.CLASSES + 1
            means = [scores[of == c].mean() for c in range(len(rows))]
            assert means == sorted(means, reverse=True)  # the highest class is on top
        assert first.cardinality <= k


def test_a_feature_that_a_link_asks_about_is_answered_beside_the_picture_with_code_about_it(open_page):
    page = settle(open_page(data="pitprops", k=4, why="2", over="1"))
    shown = sent(page, "play")
    assert not page.session_state["session"].notes and "part, 1)" in shown["why"]["code"]
    assert shown["strips"] is None and shown["sample"] is None  # there are no samples


def test_where_data_have_classes_each_sample_stands_unasked_at_its_score_in_the_strip_of_its_class(open_page):
    page = settle(open_page("pages/explore.py", {"over": 9}, data="lrs", k=8))
    about, shown = subject("lrs", k=8), sent(page, "play")
    data, first = about.data, about.known_at().component
    scores = nnspca.scores(data.X, first.loadings, mean="own")
    scores = scores / scores.std()
    np.testing.assert_allclose(unpacked(shown["here"]["scores"]) / 100, scores, atol=0.0051)
    assert "separate" not in shown["here"]["says"][0] and say.separation(data, scores[:, None]) == shown["apart"] != ""
    np.testing.assert_allclose(unpacked(shown["sample"]["axis"]), data.X[8], rtol=1e-6)


def test_another_solvers_component_is_asked_about_where_it_is_shown(open_page):
    page = settle(open_page(data="digits", k=9, method="thresholding", why=1))
    part, data = job_of(page, "solve").result, catalogue.dataset("digits")
    role = nnspca.contribution(nnspca.Covariance.from_dataset(data), part, 0)
    answer = sent(page, "play")["why"]
    assert answer["asks"] == samples.feature_question(role, data) and answer["feature"] == 0
    assert answer["support"] == canvas.pack(role.others, "i4")


def test_each_question_opens_with_a_figure_that_answers_it_and_begins_no_run(open_page):
    page = open_page(data="lfw-faces", k=40, scale="standardised")
    for key in ("samples", "these", "hold", "proof"):
        page.session_state[key] = True
    for fold in redrawn(page).expander[:4]:
        first = next(one.type for one in fold if one.type in ("markdown", "radio", "slider", "select_slider"))
        assert first == "markdown" and re.search(r"\d", fold.markdown[0].value), fold.label
    assert not jobs(page)
