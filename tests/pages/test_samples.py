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
from tests.pages.conftest import drawn, job_of, owner, sent, settle, texts, traces

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
    parts = nnspca.decompose(cov, min(2, data.n_features), min(k, data.n_features), nonnegative=nonnegative).parts
    first, second = parts[0], parts[1] if len(parts) > 1 else None
    positions = None if data.kind == "covariance" else samples.positioned(Subject(data, now), first, second)
    role = nnspca.contribution(cov, first, feature)
    return positions, samples.why(role, first, data, standardised=standardise), first


@pytest.mark.parametrize("name", DEGENERATE)
def test_whatever_the_data_lack_every_sample_has_its_place_and_every_feature_its_words(name):
    data = DEGENERATE[name]
    for k in (1, data.n_features):
        positions, said, first = told(data, k, standardise=name != "a matrix", feature=data.n_features - 1)
        assert said
        if positions is not None:
            assert sorted(positions.order) == list(range(len(data.X)))
            assert isinstance(say.told_apart(data, positions.scores[:, None]), str)
            marks = [m for t in figures.ladder(positions, samples._class_names(data), LIGHT).data for m in t.customdata]
            assert sorted(number for (number,) in marks) == list(range(1, len(data.X) + 1))
        assert first.cardinality <= k


def test_a_feature_that_a_link_asks_about_is_answered_and_opens_its_fold(open_page):
    page = settle(open_page(data="pitprops", k=4, why="2"))
    assert not page.session_state["session"].notes and "there are no samples" in texts(page)


def test_the_samples_are_of_the_component_shown_and_the_second_one_uses_other_features(open_page):
    page = settle(settle(open_page("pages/explore.py", data="lrs", k=8, samples=True)))
    data, now = catalogue.dataset("lrs"), State(data="lrs", k=8)
    first = Subject(data, now).at().component
    second = job_of(page, "second").result
    assert not (first.support[:, None] == second.support).any()
    assert any("nnspca.separation(scores, data.labels)" in block.value for block in page.code)
    scores = nnspca.scores(data.X, first.loadings, mean="own")
    marks = {number: y for t in traces(page, "samples-ladder") for (number,), y in zip(*both(t), strict=True)}
    assert len(marks) == 531 and drawn(page, "samples-cloud")
    np.testing.assert_allclose([marks[s + 1] for s in range(531)], scores)
    cov = nnspca.Covariance.from_dataset(data)
    assert cov.variance(second.loadings) == pytest.approx(second.variance)


def both(trace):
    """The numbers of a trace's samples, and their heights."""
    heights = trace["y"]
    if isinstance(heights, dict):
        heights = np.frombuffer(base64.b64decode(heights["bdata"]), heights["dtype"])
    return trace["customdata"], heights


def test_where_one_component_takes_all_features_there_is_no_second_of_others(open_page):
    own = {"made": made(np.abs(X) + X.sum(axis=1)[:, None])}
    page = settle(settle(open_page("pages/explore.py", data="made", k=6, samples=True, session=owner(*own.values()))))
    assert job_of(page, "second").result is None
    assert drawn(page, "samples-ladder") and not drawn(page, "samples-cloud")
    assert not page.error


def test_another_solvers_component_is_asked_about_where_it_is_shown(open_page):
    page = settle(open_page(data="digits", k=9, method="thresholding", why=1))
    part, data = job_of(page, "solve").result, catalogue.dataset("digits")
    role = nnspca.contribution(nnspca.Covariance.from_dataset(data), part, 0)
    assert samples.question(role, data, example=False).removeprefix("Why is ").split(" ")[0] in texts(page)
    (drawn_part,) = sent(page, "why-picture")["parts"]
    assert drawn_part["sure"] == [0]
    assert drawn_part["support"] == canvas.pack(np.sort(role.others[role.covariances != 0]), "i4")
