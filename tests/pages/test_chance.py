"""What chance gives beside an answer: first where the answer is no more, beside the share where it is more."""

import json

import numpy as np
import pytest

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import rounded
from nnspca.view import cache, chance, ledger
from nnspca.view.chance import Chance
from nnspca.view.explore.view import sentence
from nnspca.view.ledger import Known
from nnspca.view.link.state import State
from nnspca.view.subject import Subject
from tests.benchmarks.chance import planted
from tests.pages.conftest import sent, settle, subject


@pytest.mark.parametrize("strength", [0.0, 1.5])
def test_noise_is_said_to_be_chance_before_it_is_said_to_be_optimal(strength):
    X = planted(np.random.default_rng(1), 40, 12, 4, strength)
    data = Dataset(name="table", X=X, feature_names=tuple(f"x{i}" for i in range(X.shape[1])))
    found = nnspca.parallel_analysis(data, 4, **chance.search(12))
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
    monkeypatch.setattr(chance, "stored", dict)
    page = settle(open_page("pages/explore.py", data="synthetic-spiked", k=8), path=True)
    about = subject("synthetic-spiked", k=8)
    before = sent(page, "play")["here"]["contexts"][0]
    assert chance.chance_at(about, 8) is None
    page = settle(page.button(key="start-chance").click().run(), path=True)
    reach = rounded.percent(chance.chance_at(about, 8).reach, up=True)
    assert reach not in before and reach in sent(page, "play")["here"]["contexts"][0]


def test_what_is_stored_is_of_the_data_that_are_stored_and_no_answer_there_is_chance():
    held = json.loads(chance.FILE.read_text("utf-8"))
    assert held and {(of["hash"], of["standardise"], of["nonnegative"]) for of in held} <= set(ledger.stored())
    for of in held:
        rows = np.array(of["ks"])
        assert (np.diff(rows[:, 0]) > 0).all() and rows[0, 0] == 1 and (rows[1:, 1] > rows[1:, 2]).all()
    assert Chance(0.2, 0.1).is_more and not Chance(0.1, 0.2).is_more  # between two k that are stored
