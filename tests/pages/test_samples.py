"""Samples on the Explore page: what is said of scores and features is true, whatever the data lack, or are."""

import re

import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca.datasets import Axis, Dataset
from nnspca.view import say
from nnspca.view.explore import samples
from nnspca.view.link import canvas
from nnspca.view.link.state import State
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject
from tests.pages.conftest import alone, job_of, jobs, owner, redrawn, sent, settle, subject, texts, unpacked

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
            drawn = samples.class_strips(first, about)
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


ALONE = """
import streamlit as st
from nnspca.view.explore import samples
from nnspca.view.subject import Subject
about = Subject(st.session_state["session"].uploads["counts"], st.session_state["now"])
samples.extremes(st.session_state["first"], about)
"""
MOST = 1_000_000  # numbers that a page may write out of the ten million there are: some rows of the covariance


def counts(m=2000, n=5000):
    """Counts, 2 % of them not zero, and thirty features that rise together in the first samples."""
    rng = np.random.default_rng(0)
    places = rng.integers(0, m * n, m * n // 50)
    rows = np.concatenate([places // n, np.repeat(np.arange(m // 7), 30)])
    columns = np.concatenate([places % n, np.tile(np.arange(30), m // 7)])
    together = rng.poisson(4.0, (m // 7, 1)) + rng.poisson(1.0, (m // 7, 30))
    values = np.concatenate([rng.poisson(1.0, len(places)), together.ravel()])
    return scipy.sparse.csr_array(scipy.sparse.coo_array((values.astype(float), (rows, columns)), shape=(m, n)))


@pytest.fixture
def never_written_out(monkeypatch):
    """Fail where a sparse array of more than a few columns or rows is written out in full."""
    for kind in (scipy.sparse.csr_array, scipy.sparse.csc_array, scipy.sparse.coo_array):

        def watched(self, *args, _plain=kind.toarray, **more):
            assert np.prod(self.shape) <= MOST, f"{self.shape} written out"
            return _plain(self, *args, **more)

        monkeypatch.setattr(kind, "toarray", watched)
        monkeypatch.setattr(kind, "todense", watched)


def test_two_thousand_by_five_thousand_counts_are_told_of_without_writing_them_out(never_written_out):
    data = Dataset(name="counts", kind="table", X=counts(), labels=np.arange(2000) < 285, label_names=("rest", "early"))
    now = State(data="counts", scale="standardised", k=20)
    first = nnspca.solve(Subject(data, now).cov, 20, "em")
    page = settle(alone(ALONE, session=owner(data), first=first, now=now))
    assert not [told.value for told in page.error]
    about = Subject(data, now)
    assert samples.explain(4000, first, about)["says"] and len(samples.over(1999, first, data)["away"]) == 20
    assert say.separation(data, samples.standard_scores(first, about)[:, None]) in texts(page)


@pytest.mark.parametrize("standardise", [False, True])
def test_a_sparse_file_is_told_of_as_the_same_numbers_written_out(standardise):
    X = counts(60, 40)
    labels = {"labels": np.arange(60) % 2, "label_names": ("a", "b")}
    sparse = Dataset(name="counts", X=X, **labels)
    dense = Dataset(name="counts", X=X.toarray(), **labels)
    for feature in (0, 35):
        one, other = (told(data, 8, standardise=standardise, feature=feature) for data in (sparse, dense))
        np.testing.assert_allclose(one[0], other[0], rtol=1e-9, atol=1e-12)
        assert one[1] == other[1]


def test_a_step_that_is_not_offered_says_why(open_page, short_proofs):
    below = [[1.0, -2.5], [3.0, 6.0], [0.0, 1.0]]
    dense, least = "it would make sparse data dense", "it needs numbers above −1, and the least is −2.5"
    for name, X, step, why in (("counts", counts(60, 40), "project-out", dense), ("below", below, "log1p", least)):
        page = open_page("pages/data.py", data=name, session=owner(Dataset(name=name, X=X)))
        assert f"**{step}** is" in texts(page) and why in texts(page)
