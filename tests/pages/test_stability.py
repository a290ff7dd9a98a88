"""How far an answer holds: more than chance, indispensable features, parts that return, k of held-out samples."""

import dataclasses
import json

import numpy as np
import pytest

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Component, CrossValidation, Necessity, rounded
from nnspca.view import cache, chance, necessity, running, stability, stored
from nnspca.view.chance import Chance
from nnspca.view.explore import figures, folds
from nnspca.view.explore.folds import suggested_k
from nnspca.view.explore.view import sentence
from nnspca.view.figures.style import LIGHT
from nnspca.view.jobs import Job
from nnspca.view.ledger import Known
from nnspca.view.link.state import State
from nnspca.view.parts.panels import suggested
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject
from nnspca.view.ui.component import SHARE
from tests.benchmarks.chance import planted
from tests.pages.conftest import drawn, job_of, jobs, redrawn, sent, settle, subject, texts, unpacked

pytestmark = pytest.mark.usefixtures("short_proofs", "nothing_found")

ESSENTIAL, SPARED, OPEN = 1, 3, 4  # of six features


def press(page, key):
    return settle(page.button(key=key).click().run())


def asked(page, key, value):
    """Move a slider, and draw the page: another question, or one asked before."""
    page.select_slider(key=key).set_value(value)
    return redrawn(page)


def shown(page, key):
    """Whether a component of our own is on the page."""
    return any(element.proto.id.split("-", 2)[2] == key for element in page.get("bidi_component"))


def table_with(page, column):
    return next(frame.value for frame in page.dataframe if column in frame.value)


def answer(**changes):
    """Return an answer on six features in which each state is met once within the component."""
    x = np.array([0.0, 0.8, 0.0, 0.36, 0.48, 0.0])
    essential, dispensable = (np.zeros(6, dtype=bool) for _ in range(2))
    essential[ESSENTIAL], dispensable[[0, 2, 5, SPARED]] = True, True
    said = {"k": 3, "nonnegative": True, "within": 0.01, "lower": 1.0, "threshold": 0.99, "fingerprint": ""}
    said |= {"component": Component(x, 1.0, "best", 3), "essential": essential, "dispensable": dispensable}
    said |= {"limit": np.array([0.0401, 0.7, 0.003, 0.2, 0.3, 0.0]), "upper_bounds": np.full(6, np.nan)}
    return Necessity(**said | changes)


def test_a_table_says_of_each_feature_what_is_known():
    data = nnspca.datasets.read(b"a,b,c,d,e,f\n1,2,3,4,5,6\n2,4,6,1,3,5\n", "x.csv")
    rows = necessity.feature_rows(necessity.Needed({0: answer()}), data)
    assert [row["feature"] for row in rows] == ["b", "e", "d", "a", "c", "f"]
    assert [row["state"] for row in rows][:3] == ["indispensable", "undecided", "dispensable"]
    assert "4.01 %" in rows[3].values()


def test_nothing_is_proven_until_it_is_asked_and_the_answer_stands_with_its_list(open_page):
    page = settle(open_page("pages/explore.py", data="pitprops", k=4, these=True))
    assert not [job for job in jobs(page) if job.key[0] == "indispensable"]
    press(page, "start-need")
    (part,) = sent(page, "needed")["parts"]
    assert len(part["sure"]) == 4 and not part["open"]
    states = table_with(page, "state")["state"]
    assert (states[:4] == "indispensable").all() and (states[4:] == "dispensable").all()
    assert not shown(asked(page, "within", 0.2), "needed")
    assert sent(asked(page, "within", 1.0), "needed")["parts"] == [part]  # the answer is kept


def test_of_several_parts_each_is_proven_with_the_others_as_they_are(open_page):
    link = {"data": "pitprops", "k": 3, "r": 2, "proven": True, "proven_view": "indispensable"}
    page = press(settle(settle(open_page("pages/parts.py", **link))), "start-need")
    first, second = sent(page, "needed")["parts"]
    assert not set(first["sure"]) & set(second["sure"])
    assert table_with(page, "state")["part"].tolist() == [1, 1, 1, 2, 2, 2]


def test_a_stopped_run_shows_what_is_proven_or_drawn_and_is_not_kept():
    about, job = subject("pitprops", k=4), Job("indispensable")
    parts = about.only(nnspca.certify(about.cov, 4).component)
    job.stop()
    made = running.found("need", "need", lambda job: necessity.find(job, parts, about, 1.0)).work(job)
    assert made.stopped and made.proven[0].undecided.any()
    assert cache.results().get("need") is None
    undecided = int(made.proven[0].undecided[parts.loadings[:, 0] != 0].sum())
    assert undecided and f"{undecided} " in necessity.summary(made, parts, "features")

    about, job = subject("digits", k=4), Job("stable")
    parts, honest = nnspca.decompose(about.cov, 1, 4, "em"), job.report

    def report(progress):
        honest(progress)
        if "resample 2" in progress.stage.lower():
            job.stop()

    job.report = report
    job.run(stability.finding("stable", parts, about, 50, {}).work)
    made = job.result
    assert made.stopped and 2 <= made.resamples < 50
    assert cache.results().get("stable") is None
    assert "of 1 part" in stability.summary(made)


DIGITS = {"data": "digits", "k": 6, "proven": True, "proven_view": "stability", "resamples": 10, "with": ["em"]}


def test_parts_are_drawn_again_on_demand_and_each_feature_in_the_part_to_which_it_returns_most(open_page):
    page = settle(settle(open_page("pages/parts.py", r=2, **DIGITS)))
    assert not shown(page, "recurrence")
    assert table_with(press(page, "start-stable"), SHARE)[SHARE].between(0, 100).all()
    often = sent(page, "recurrence")
    assert set(often) >= {"parts", "scene"}
    first, second = (unpacked(part["support"]) for part in often["parts"])
    assert not set(first) & set(second)
    assert {part["most"] for part in often["parts"]} == {100.0}
    assert not shown(asked(page, "resamples", 20), "recurrence")
    assert sent(asked(page, "resamples", 10), "recurrence")["parts"] == often["parts"]  # the answer is kept


def test_held_out_variance_is_estimated_on_demand(open_page):
    link = {"ks": "1, 8, 64", "methods": ["em"], "hold": True, "folds": 3}
    page = settle(open_page("pages/explore.py", data="digits", k=8, **link))
    assert not [job for job in jobs(page) if job.key[0] == "held-out"] and not drawn(page, "held-out")
    said = texts(press(page, "start-which"))
    found = nnspca.cross_validate(catalogue.dataset("digits"), [1, 8, 64], folds=3, method="em")
    assert job_of(page, "held-out").result == found and drawn(page, "held-out")
    assert folds.summary(found, 8) in said and "3 folds" in said


def test_the_curve_says_where_the_largest_mean_and_the_asked_for_k_are():
    shares = np.array([[0.1, 0.29, 0.33], [0.1, 0.28, 0.27]])
    found = CrossValidation((1, 4, 9), shares, shares + 0.1)
    assert (found.best_k, found.suggested_k) == (9, 4)
    figure = figures.held_out(found, LIGHT)
    assert "suggested: 4" in {trace.name for trace in figure.data}
    bars = next(trace for trace in figure.data if trace.error_y.array is not None)
    assert np.allclose(bars.y, found.mean) and np.allclose(bars.error_y.array, found.error)


def test_of_one_component_it_is_said_how_often_it_is_found_again(open_page):
    page = settle(open_page("pages/explore.py", data="digits", k=6, hold=True, resamples=10))
    said = texts(press(page, "start-stable"))
    found = job_of(page, "stable").result
    assert found.resamples == 10 and stability.summary(found) in said
    rows = table_with(page, SHARE)
    assert rows[SHARE].between(0, 100).all() and int((rows["loading"] != 0).sum()) == 6
    assert not shown(asked(page, "resamples", 20), "recurrence")


def test_a_covariance_has_no_samples_to_draw_from_nor_columns_to_shuffle(open_page):
    page = settle(open_page("pages/parts.py", data="pitprops", k=4, r=2, proven=True))
    assert not [button for button in page.button if button.key == "start-stable"]
    page = settle(open_page("pages/explore.py", data="pitprops", k=4, hold=True))
    assert not {button.key for button in page.button} & {"start-chance", "start-which", "start-stable"}


CURVE = [(k, v, v) for k, v in ((1, 1.0), (2, 1.9), (3, 2.2), (4, 2.21), (5, 2.22))]
MORE, LESS = Chance(0.3, 0.2, 1 / 21), Chance(0.1, 0.2, 0.4)


def held_out(best, apart=0.0):
    """Held-out shares of two folds that grow up to ``best``, and that share by chance."""
    shares = np.array([[min(k, best) / 10 for k in (1, 2, 3, 4)]] * 2)
    chance = np.full_like(shares, apart)
    return CrossValidation((1, 2, 3, 4), shares, shares, apart=chance, apart_error=np.full_like(shares, 0.01))


def test_held_out_samples_say_which_k_where_they_were_asked():
    assert suggested_k(CURVE, held_out(2)).value == 2 and suggested_k(CURVE, held_out(4)).value == 4
    assert suggested_k(CURVE).value == suggested_k(CURVE, dataclasses.replace(held_out(2), stopped=True)).value == 3
    assert suggested_k(CURVE, held_out(2, apart=0.19)) is None  # no more than chance


def test_the_parts_before_the_first_that_is_no_more_than_chance_are_suggested():
    assert suggested([MORE, MORE, LESS, MORE]).value == 2
    assert suggested([LESS, MORE]) is suggested([MORE, MORE]) is suggested([]) is None


@pytest.mark.parametrize("strength", [0.0, 1.5])
def test_noise_is_said_to_be_chance_before_it_is_said_to_be_optimal(strength):
    X = planted(np.random.default_rng(1), 40, 12, 4, strength)
    data = Dataset(name="table", X=X, feature_names=tuple(f"x{i}" for i in range(X.shape[1])))
    found = nnspca.parallel_analysis(data, 4, **chance.search_options(12))
    subject = Subject(data, State(data="table", k=4))
    cache.results().put(subject.key_of("chance", 0, 4, 1), found)
    part, known = found.parts[0], chance.chance_at(subject, 4)
    row = Known(4, (part,), part.variance, part.variance, True, True)
    said = sentence(part, row, data, subject.total, found.parts.features, known)
    first = chance.first(known, 4)
    assert known.is_more == bool(strength) == any(data.feature_names[j] in said for j in part.support) != bool(first)
    assert said.startswith(first) and rounded.proven_share(1.0) in said.removeprefix(first)
    reach, compared = rounded.percent(known.reach, up=True), chance.comparisons(known, 12, 4, "100 %", "features")
    assert (reach in compared) == bool(strength)


def test_the_columns_are_shuffled_on_request_and_the_page_says_what_they_reach(open_page, monkeypatch):
    monkeypatch.setattr(chance, "chances", dict)
    page = settle(open_page("pages/explore.py", data="synthetic-spiked", k=8), path=True)
    about = subject("synthetic-spiked", k=8)
    before = sent(page, "play")["here"]["contexts"][0]
    assert chance.chance_at(about, 8) is None
    page = settle(page.button(key="start-chance").click().run(), path=True)
    reach = rounded.percent(chance.chance_at(about, 8).reach, up=True)
    assert reach not in before and reach in sent(page, "play")["here"]["contexts"][0]


def test_what_is_stored_is_of_the_data_that_are_stored_and_no_answer_there_is_chance():
    held = json.loads(chance.FILE.read_text("utf-8"))
    assert held and {(of["hash"], of["standardise"], of["nonnegative"]) for of in held} <= set(stored.problems())
    for of in held:
        rows = np.array(of["ks"])
        assert (np.diff(rows[:, 0]) > 0).all() and rows[0, 0] == 1 and (rows[1:, 1] > rows[1:, 2]).all()
    assert Chance(0.2, 0.1).is_more and not Chance(0.1, 0.2).is_more  # between two k that are stored
