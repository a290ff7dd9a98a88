"""Samples on the Explore page: what is said of scores and features is true, whatever the data lack."""

import json

import numpy as np
import pytest

import nnspca
from nnspca.datasets import Axis, Dataset
from nnspca.view.explore.samples import claims, content, panels, run
from nnspca.view.link import canvas
from nnspca.view.link.state import State
from nnspca.view.results import known
from nnspca.view.session import Session
from nnspca.view.sources import catalogue
from tests.pages.conftest import jobs, sent, settle, texts

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
    """What the browser is sent of a data set, and what it was made of."""
    now = State(data=data.name, scale="standardised" if standardise else "as is", k=k)
    cov = nnspca.Covariance.from_dataset(data, standardize=standardise)
    parts = nnspca.decompose(cov, min(2, data.n_features), min(k, data.n_features), nonnegative=nonnegative).parts
    first, second = parts[0], parts[1] if len(parts) > 1 else None
    positions = run.positions(data, now, first, second)
    why = nnspca.contribution(cov, first, feature)
    return content.payload(first, second, positions, why, data, now, requested=True), positions, why, first


@pytest.mark.parametrize("name", DEGENERATE)
def test_whatever_the_data_lack_the_browser_is_sent_whole_numbers_of_samples_and_words(name):
    data = DEGENERATE[name]
    for k in (1, data.n_features):
        sent, positions, _, first = told(data, k, standardise=name != "a matrix", feature=data.n_features - 1)
        assert json.loads(json.dumps(sent, allow_nan=False)) == json.loads(json.dumps(sent))
        assert sent["why"]["says"]
        assert sent["m"] == (0 if data.kind == "covariance" else len(data.X))
        if positions is not None:
            assert sorted(positions.order) == list(range(len(data.X)))
            assert sum(kind["count"] for kind in sent["classes"]) == (0 if data.labels is None else len(data.X))
            assert panels.scores_csv(positions, data).count(b"\r\n") == len(data.X) + 1
        assert first.cardinality <= k


def test_the_share_of_pairs_is_rounded_against_the_part_and_the_best_told_class_is_named():
    line = np.arange(40.0)[:, None]
    both = made(np.hstack([line, line]), labels=np.arange(40) % 20 >= 10, label_names=("low", "high"))
    _, positions, _, _ = told(both)
    area = nnspca.auc(positions.scores, both.labels == 1)
    assert area == 0.75
    nearly = made(both.X, labels=[*([0] * 19), 1, 0, *([1] * 19)], label_names=("ALL", "AML"))
    _, positions, _, _ = told(nearly)
    assert 0.99 < positions.apart[1] < 1
    assert "(AUC 0.99)" in claims.told_apart(nearly, positions)
    mixed = made(both.X, labels=np.arange(40) % 2, label_names=("7", "8"))
    assert "hardly" in claims.told_apart(mixed, told(mixed)[1])
    assert "one class, b" in claims.told_apart(DEGENERATE["one class"], told(DEGENERATE["one class"])[1])
    assert "too few" in claims.told_apart(DEGENERATE["thirty classes"], told(DEGENERATE["thirty classes"])[1])
    assert claims.told_apart(made(X), told(made(X))[1]) == ""


def test_a_word_that_a_spreadsheet_would_run_is_guarded_in_the_scores():
    data = made(X, labels=[0, 1] * 6, label_names=("=cmd()", "fine"))
    lines = panels.scores_csv(told(data)[1], data).decode().splitlines()
    assert lines[0] == "sample,class,rank,score,second_score"
    assert lines[1].startswith("1,'=cmd(),")
    ranks = [int(line.split(",")[2]) for line in lines[1:]]
    by_score = [float(line.split(",")[3]) for line in lines[1:]]
    assert sorted(ranks) == list(range(1, 13))
    assert ranks[int(np.argmax(by_score))] == 1


def test_ten_thousand_samples_are_packed_in_a_third_of_a_megabyte():
    many = np.random.default_rng(0).normal(size=(10_000, 64))
    many[:, :20] += np.random.default_rng(1).normal(size=(10_000, 1))
    data = made(many, kind="images", image_shape=(8, 8), labels=np.arange(10_000) % 3, label_names=("a", "b", "c"))
    sent, *_ = told(data, 20)
    assert len(json.dumps(sent)) < 350_000


@pytest.mark.parametrize(
    ("said", "fits"),
    [
        ({"picked": "r1-8", "marked": "1-3_9", "why": "2"}, ()),
        ({"picked": "b0_9999_12_300"}, ()),
        ({"picked": "n3_7-9", "why": "13"}, ()),
        ({"picked": "x3"}, ("picked: “x3” cannot be used here",)),
        (
            {"marked": "3_", "why": "900"},
            ("marked: “3", "why: “900” cannot be used here (a whole number from 1 to 13)"),
        ),
        ({"picked": "n" + "1_" * 1000 + "1"}, ("picked: “n1",)),
    ],
)
def test_what_a_link_says_of_picks_is_used_or_told_to_be_of_no_use(said, fits, open_page):
    page = settle(open_page(data="pitprops", k=4, **said))
    told = page.session_state["session"].notes.values()
    notes = [note for _, note in told]
    assert len(notes) == len(fits)
    for words in fits:
        assert any(words in note for note in notes), notes
    assert "there are no samples" in texts(page)  # the fold opens for a link that asks for something in it


def second_of(page):
    """Return the second component, None where there is none."""
    (job,) = [job for job in jobs(page) if job.key[0] == "second"]
    return job.arrived[0] if job.arrived else None


def test_the_samples_are_of_the_component_shown_and_the_second_one_uses_other_features(open_page):
    page = settle(settle(open_page("pages/explore.py", data="lrs", k=8, samples=True)))
    first = known.at(catalogue.dataset("lrs"), State(data="lrs", k=8)).component
    second = second_of(page)
    assert not (first.support[:, None] == second.support).any()
    assert "Infrared spectra of stars" in texts(page)
    assert any("nnspca.separation(scores, data.labels)" in block.value for block in page.code)
    shown = sent(page, "sheet")
    assert shown["m"] == 531
    assert shown["support"] == canvas.pack(first.support, "i4")
    page.radio(key="second").set_value("any feature").run()
    page = settle(page)
    other = second_of(page)
    assert sent(page, "sheet")["support"] == shown["support"]
    cov = nnspca.Covariance.from_dataset(catalogue.dataset("lrs"))
    assert cov.variance(other.loadings) == pytest.approx(other.variance)


def test_where_one_component_takes_all_features_there_is_no_second_of_others(open_page):
    own = {"made": made(np.abs(X) + X.sum(axis=1)[:, None])}
    page = settle(settle(open_page("pages/explore.py", data="made", k=6, samples=True, session=Session(uploads=own))))
    shown = sent(page, "sheet")
    assert shown["support"] == canvas.pack(np.arange(6), "i4")
    assert second_of(page) is None
    assert shown["second"] is None
    assert not page.error


def test_another_solvers_component_is_asked_about_where_it_is_shown(open_page):
    page = settle(open_page(data="digits", k=9, method="thresholding", why=1))
    (job,) = [job for job in jobs(page) if job.key[0] == "solve"]
    shown = sent(page, "sheet")
    assert shown["support"] == canvas.pack(job.arrived[0].support, "i4")
    assert shown["why"]["feature"] == 0
    assert shown["why"]["asked"]
