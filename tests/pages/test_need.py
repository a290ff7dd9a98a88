"""Indispensable features: asked on demand, said in plain words, marked on the picture and listed."""

import numpy as np
import pytest

import nnspca
from nnspca.result import Component, Necessity
from nnspca.view import cache
from nnspca.view.explore import figures, need, sentences
from nnspca.view.figures import component as pictures
from nnspca.view.figures.style import LIGHT
from nnspca.view.jobs.job import Job
from nnspca.view.link.state import State
from nnspca.view.sources import catalogue, store
from tests.pages.conftest import drawn, jobs, settle, texts

ESSENTIAL, SPARED, OPEN = 1, 3, 4  # of six features


@pytest.fixture(autouse=True)
def no_answers_from_other_tests():
    cache.results.clear()


def answer(**changes):
    """Return an answer on six features in which each state is met once within the component."""
    x = np.array([0.0, 0.8, 0.0, 0.36, 0.48, 0.0])
    essential, dispensable = (np.zeros(6, dtype=bool) for _ in range(2))
    essential[ESSENTIAL], dispensable[[0, 2, 5, SPARED]] = True, True
    said = {
        "k": 3,
        "nonnegative": True,
        "within": 0.01,
        "lower": 1.0,
        "threshold": 0.99,
        "component": Component(x, 1.0, "best", 3),
        "essential": essential,
        "dispensable": dispensable,
        "limit": np.array([0.0401, 0.7, 0.003, 0.2, 0.3, 0.0]),
        "upper_bounds": np.full(6, np.nan),
        "fingerprint": "",
    }
    return Necessity(**said | changes)


def test_an_image_frames_the_pixels_and_says_of_each_what_is_known():
    said = answer()
    scene = pictures.Scene(list("abcdef"), (2, 3))
    drawn = pictures.component(said.component.loadings, scene, LIGHT, nonnegative=True)
    made = figures.marked(drawn, said, LIGHT)
    grid, has, open_ = made.data
    assert [trace.name for trace in (has, open_)] == ["indispensable", "not decided"]
    for trace, at in ((has, ESSENTIAL), (open_, OPEN)):
        assert np.nanmean(np.asarray(trace.x)[:4]) == pytest.approx(at % 3)  # the corners of one pixel
        assert np.nanmean(np.asarray(trace.y)[:4]) == pytest.approx(at // 3)
        assert len(trace.x) == 6
    assert grid.customdata[0][0] == "dispensable<br>squared loading at most 4.1 %"


def test_a_spectrum_rings_the_lines_wherever_they_lie_along_the_axis():
    said = answer()
    values = np.array([6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
    scene = pictures.Scene(list("abcdef"), axis=nnspca.datasets.Axis(values, "wavelength", ""))
    drawn = pictures.component(said.component.loadings, scene, LIGHT, nonnegative=True)
    *_, has, open_ = figures.marked(drawn, said, LIGHT).data
    assert has.x.tolist() == [values[ESSENTIAL]]
    assert open_.x.tolist() == [values[OPEN]]


def test_a_list_of_names_says_it_beside_the_bars_and_in_the_table():
    said = answer()
    scene = pictures.Scene(list("abcdef"))
    drawn = pictures.component(said.component.loadings, scene, LIGHT, nonnegative=True)
    (bars,) = figures.marked(drawn, said, LIGHT).data
    assert list(bars.y) == ["b", "e", "d"]
    assert list(bars.text) == ["indispensable", "not decided", ""]
    rows = need.listing(said, nnspca.datasets.read(b"a,b,c,d,e,f\n1,2,3,4,5,6\n2,4,6,1,3,5\n", "x.csv"))
    assert [row["feature"] for row in rows] == ["b", "e", "d", "a", "c", "f"]
    assert [row["state"] for row in rows][:3] == ["indispensable", "not decided", "dispensable"]
    assert rows[3]["squared loading at most"] == "4.01 %"


def test_nothing_runs_until_it_is_asked_and_the_answer_stands_with_its_list(open_page, short_proofs):
    page = settle(open_page("pages/explore.py", data="pitprops", k=4, proof=True, proof_view="indispensable"))
    assert not [job for job in jobs(page) if job.key[0] == "indispensable"]
    assert "indispensable (proven)" not in texts(page)
    page.button(key="start-need").click()
    page.run()
    settle(page)
    assert "4 of these 4 features are indispensable (proven): every component within 1 % of the best found" in texts(
        page
    )
    assert any("Indispensable features" in figure["layout"]["title"]["text"] for figure in drawn(page))
    table = next(frame.value for frame in page.dataframe if "state" in frame.value)
    assert (table["state"][:4] == "indispensable").all()
    assert (table["state"][4:] == "dispensable").all()
    page.select_slider(key="within").set_value(0.2)
    page.run()
    assert "indispensable (proven)" not in texts(page)  # another question, not asked yet
    page.select_slider(key="within").set_value(1.0)
    page.run()
    assert "4 of these 4 features are indispensable" in texts(page)  # the answer is kept


def test_a_stopped_run_shows_what_is_proven_and_is_not_kept():
    now = State(data="pitprops", k=4)
    data = catalogue.dataset("pitprops")
    proof = nnspca.certify(store.covariance(data, now), 4)
    job = Job("indispensable")
    job.stop()
    need._work(proof, data, now, 0.01)(job)
    (made,) = job.arrived
    assert made.stopped
    assert made.undecided.any()
    assert cache.results().get(sentences.indispensable_key(data, now, 0.01)) is None
    assert "not decided" in need.summary(made, "features")
