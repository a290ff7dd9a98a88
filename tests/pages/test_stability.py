"""Which parts return, and which k held-out samples ask for: on demand, labelled as sampling, beside what is proven."""

import base64
import csv
import io
import re
import time

import numpy as np
import pytest

import nnspca
from nnspca.result import CrossValidation
from nnspca.view import cache, tasks
from nnspca.view.explore import figures
from nnspca.view.figures.style import LIGHT
from nnspca.view.jobs.job import Job
from nnspca.view.link.state import State
from nnspca.view.robust import stability
from nnspca.view.sources import catalogue, store
from nnspca.view.ui import downloads
from tests.pages.conftest import jobs, played, sent, settle, texts

pytestmark = pytest.mark.usefixtures("short_proofs")


@pytest.fixture(autouse=True)
def no_answers_from_other_tests():
    cache.results.clear()


def press(page, key):
    next(button for button in page.button if button.key == key).click()
    page.run()
    return settle(page)


def table_with(page, column):
    return next(frame.value for frame in page.dataframe if column in frame.value)


def test_parts_are_drawn_again(open_page, short_proofs):
    opened = {
        "data": "digits",
        "k": 6,
        "r": 1,
        "proven": True,
        "proven_view": "stability",
        "resamples": 10,
        "with": ["em"],
    }
    page = settle(open_page("pages/parts.py", **opened))
    assert "proves nothing" in texts(page)
    assert "probable, not proven" not in texts(page)  # nothing is drawn before it is asked for
    press(page, "start-stable")
    words = texts(page)
    assert "part returns with at least 70 % of its pixels (probable, not proven)" in words or "0 of 1 part" in words
    rows = table_with(page, "in resamples (%)")
    assert set(sent(page, "recurrence")) >= {"parts", "scene"}
    assert rows["in resamples (%)"].between(0, 100).all()
    page.select_slider(key="resamples").set_value(20)
    page.run()
    assert "probable, not proven" not in texts(page)  # another question, not asked yet
    page.select_slider(key="resamples").set_value(10)
    page.run()
    assert "probable, not proven" in texts(page)  # the answer is kept


def test_held_out_variance_is_estimated_on_demand(open_page):
    asked = {"ks": "1, 8, 64", "methods": ["em"], "more": True, "more_view": "which k", "folds": 3}
    page = settle(open_page("pages/explore.py", data="digits", k=8, **asked))
    assert "probable, not proven" not in texts(page)
    assert not [job for job in jobs(page) if job.key[0] == "held-out"]  # nothing runs before it is asked for
    press(page, "start-which")
    words = texts(page)
    assert "probable, not proven" in words
    assert "**not a proof**" in words
    data = catalogue.dataset("digits")
    found = nnspca.cross_validate(data, [1, 8, 64], 3, "em")
    assert f"k = {found.suggested_k} " in words
    assert "3 folds" in words


def test_a_covariance_has_no_samples_to_draw_from(open_page):
    page = settle(open_page("pages/parts.py", data="pitprops", k=4, r=2, stable=True))
    assert not [button for button in page.button if button.key == "start-stable"]
    page = settle(open_page("pages/explore.py", data="pitprops", k=4, more=True))
    assert page.radio(key="more_view").options == ["Downloads and code", "The data"]


def test_a_stopped_run_shows_what_was_drawn_and_is_not_kept():
    data, now = catalogue.dataset("digits"), State(data="digits", k=4)
    sought = stability.Sought(nnspca.decompose(store.covariance(data, now), 1, 4, "em"), "em")
    job = Job("stable")
    honest = job.report

    def report(progress):
        honest(progress)
        if "resample 2" in progress.stage.lower():
            job.stop()

    job.report = report
    tasks.kept(stability._key(sought, data, now, 50), stability._find(sought, data, now, 50))(job)
    drawn = job.arrived[-1]
    assert drawn.stopped
    assert 2 <= drawn.resamples < 50
    assert cache.results().get(stability._key(sought, data, now, 50)) is None
    assert "of 1 part" in stability.summary(job.arrived[-1], "pixels")


def test_a_run_stopped_before_its_first_resample_says_so(open_page, short_proofs, monkeypatch):
    def waits(job):
        while not job.should_stop():
            time.sleep(0.01)

    monkeypatch.setattr(tasks, "kept", lambda *_: waits)
    opened = {"data": "digits", "k": 6, "r": 1, "proven": True, "proven_view": "stability", "with": ["em"]}
    page = settle(open_page("pages/parts.py", **opened))
    page.button(key="start-stable").click().run()
    press(page, "stop-stable")
    assert "No resample was drawn before it was stopped." in texts(page)


def test_each_feature_is_drawn_in_the_part_to_which_it_returns_most(open_page):
    asked = {"data": "digits", "k": 6, "r": 2, "proven": True, "proven_view": "stability", "resamples": 10}
    page = settle(settle(open_page("pages/parts.py", **asked, **{"with": ["em"]})))
    press(page, "start-stable")
    drawn = sent(page, "recurrence")
    first, second = (np.frombuffer(base64.b64decode(part["support"]["data"]), "i4") for part in drawn["parts"])
    assert not set(first) & set(second)
    assert {part["most"] for part in drawn["parts"]} == {100.0}


def test_the_curve_says_where_the_largest_mean_and_the_asked_for_k_are():
    shares = np.array([[0.1, 0.29, 0.33], [0.1, 0.28, 0.27]])
    found = CrossValidation((1, 4, 9), shares, shares + 0.1)
    assert (found.best_k, found.suggested_k) == (9, 4)
    figure = figures.held_out(found, LIGHT, log=True)
    assert {"largest: 9", "one-standard-error k: 4"} <= {trace.name for trace in figure.data}
    bars = next(trace for trace in figure.data if trace.error_y.array is not None)
    assert np.allclose(bars.y, 100 * found.mean)
    assert np.allclose(bars.error_y.array, 100 * found.error)


# ---------------------------------------------------------------------- what goes home


def read(content):
    return list(csv.DictReader(io.StringIO(content.decode())))


def test_tables_hold_each_loading_and_lists_each_feature():
    data = catalogue.dataset("digits")
    cov = nnspca.Covariance.from_dataset(data)
    parts = nnspca.decompose(cov, 2, 5, "em")
    found = {"em": parts.loadings}
    long, wide = read(downloads.loadings_long(found, data)), read(downloads.loadings_wide(found, data))
    assert len(long) == np.count_nonzero(parts.loadings)
    assert len(wide) == data.n_features
    names = {str(name): i for i, name in enumerate(data.feature_names)}
    for row in long:
        assert float(row["loading"]) == parts.loadings[names[row["feature"]], int(row["part"]) - 1]
    assert [float(row["em part 2"]) for row in wide] == parts.loadings[:, 1].tolist()
    lines = [line.split("\t") for line in downloads.feature_lists(found, data).decode().splitlines()]
    assert [line[0] for line in lines] == ["em_part_1", "em_part_2"]
    heaviest = np.argsort(-parts.loadings[:, 0])[: len(lines[0]) - 2]
    assert lines[0][2:] == [str(data.feature_names[i]) for i in heaviest]
    U = np.zeros((64, 1))
    U[3], U[7] = 0.6, -0.8
    assert [line.split("\t")[0] for line in downloads.feature_lists({"pca": U}, data).decode().splitlines()] == [
        "pca_part_1",
        "pca_part_1_negative",
    ]
    scores = read(downloads.scores(found, data, State(data="digits")))
    assert len(scores) == data.X.shape[0]
    centred = (data.X - data.X.mean(axis=0)) @ parts.loadings
    assert np.allclose([float(row["em part 1"]) for row in scores], centred[:, 0])


def test_parts_and_curves_go_home_as_a_printed_page(open_page, taken):
    settle(open_page("pages/parts.py", data="pitprops", k=3, r=2, use=True, use_view="downloads", **{"with": ["best"]}))
    printed = taken("report.html").decode()
    assert "2 parts of at most 3 features" in printed
    assert "Proven maximum of all such parts" in printed
    assert "nnspca.decompose" in printed
    assert taken("features.gmt")
    with pytest.raises(KeyError):
        taken("scores.csv")  # a covariance has no samples
    settle(open_page("pages/explore.py", data="pitprops", k=4, more=True))
    printed = taken("report.html").decode()
    assert "Upper bound (proven)" in printed
    assert "nnspca.certify" in printed


def test_the_sentence_above_the_picture_says_how_often_the_component_is_found_again(open_page):
    opened = {"data": "digits", "k": 6, "more": True, "more_view": "stability", "resamples": 10}
    page = settle(open_page("pages/explore.py", **opened))
    assert "resamples" not in headline(page)
    press(page, "start-stable")
    assert re.search(r"Found again, with at least 80 % of its features, in \d+ of 10 resamples\.", headline(page))
    rows = table_with(page, "in resamples (%)")
    assert rows["in resamples (%)"].between(0, 100).all()
    assert int((rows["loading"] != 0).sum()) == 6
    page.select_slider(key="resamples").set_value(20)
    page.run()
    assert "resamples" not in headline(page)  # another question, not asked yet


def test_a_covariance_offers_no_resampling(open_page):
    page = settle(open_page("pages/explore.py", data="pitprops", more=True))
    assert page.radio(key="more_view").options == ["Downloads and code", "The data"]


def headline(page):
    """The sentence about the component that the player shows."""
    shown = played(page)
    return shown["says"][shown["ks"].index(shown["k"])]
