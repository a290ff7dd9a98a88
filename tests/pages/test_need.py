"""Indispensable features: asked on demand, said in plain words, marked on the picture and listed."""

import re

import numpy as np
import pytest

import nnspca
from nnspca.result import Component, Necessity
from nnspca.view import cache, tasks
from nnspca.view.jobs.job import Job
from nnspca.view.link.state import State
from nnspca.view.robust import need
from nnspca.view.sources import catalogue, store
from tests.pages.conftest import jobs, sent, settle, texts

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


def needed(**changes):
    """Return the same as it is told: by part, the part, and what its features are called."""
    said = answer(**changes)
    return need.Needed({0: said}), need.only(said.component, 2.0)


def test_a_table_says_of_each_feature_what_is_known():
    said = need.Needed({0: answer()})
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
    (part,) = sent(page, "needed")["parts"]
    assert len(part["sure"]) == 4 and not part["open"]
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
    part = nnspca.certify(store.covariance(data, now), 4).component
    parts = need.only(part, 2.0)
    job = Job("indispensable")
    job.stop()
    tasks.kept(need._key(parts, data, now, 1.0), need._find(parts, data, now, 1.0))(job)
    (made,) = job.arrived
    assert made.stopped
    assert made.proven[0].undecided.any()
    assert need.known(parts, data, now) is None
    assert "not decided" in need.summary(made, parts, "features")


def test_of_several_parts_each_is_proven_with_the_others_as_they_are(open_page, short_proofs):
    asked = {"data": "pitprops", "k": 3, "r": 2, "proven": True, "proven_view": "indispensable"}
    page = settle(settle(open_page("pages/parts.py", **asked)))
    page.button(key="start-need").click()
    settle(page.run())
    said = texts(page)
    assert re.search(r"### \d+ of 6 features (is|are) indispensable \(proven\)", said)
    assert re.search(r"Part 1 \*\*\d\*\* of 3; part 2 \*\*\d\*\* of 3\.", said)
    first, second = sent(page, "needed")["parts"]
    assert not set(first["sure"]) & set(second["sure"])
    table = next(frame.value for frame in page.dataframe if "state" in frame.value)
    assert table["part"].tolist() == [1, 1, 1, 2, 2, 2]
