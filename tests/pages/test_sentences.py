"""What the app says of numbers: one table of numbers in and sentences out, beside this file, and what must hold in all.

``NNSPCA_REFRESH=1 python -m pytest tests/pages/test_sentences.py`` writes the table anew: read what changed in it.
"""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Component, CrossValidation
from nnspca.studies.racing import BARRED, FINISHED, RUNNING, STOPPED, Fall, Lane, Mark, Race
from nnspca.view import robust, say
from nnspca.view.compare import race as raced
from nnspca.view.compare import sets
from nnspca.view.explore import more, stage
from nnspca.view.explore import samples as told
from nnspca.view.ledger import Known
from nnspca.view.link.state import State
from nnspca.view.parts import panels as parted
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject
from tests.pages import test_samples as samples
from tests.pages.test_stability import needed

TABLE = Path(__file__).with_suffix(".json")
PART = Component(np.array([1.0, 0.0]), 1.0, "best", 1)


def known(lower=1.0, upper=np.inf, k=1, **more):
    return Known(k, (PART,) if lower else (), lower, upper, True, True, **more)


# A component, and parts: how good they are proven to be.


def explored(lower, upper, **more):
    one = Component(np.eye(13)[0], lower, "best", 4)
    return stage.sentence(one, Known(4, (one,), lower, upper, True, True, **more), catalogue.dataset("pitprops"), 5)


def headline(lower, upper):
    one = Component(np.array([1.0, 0.0]), lower, "best", 1)
    parts = nnspca.result.Components((one,), np.array([lower]), 2.0, "best", "together")
    return parted.claim(parts, Known(1, (one,), lower, upper), done=False)


def each_at_every_k(*ratios_of_sets):
    compared = []
    for title, ratios in zip("ABC", ratios_of_sets, strict=False):
        rows = [known(1.0, 1.0 / ratio, k) if ratio else Known(k) for k, ratio in enumerate(ratios, 1)]
        compared.append(sets.Compared(Subject(Dataset(name=title, X=np.eye(4)), State()), title, tuple(rows)))
    return sets.answer(compared)


# A race of solvers.


def lane(name, state, seconds, *marks, reason=""):
    ways = tuple(Mark(at, share, 1) for at, share in marks)
    return Lane(name, state, seconds, ways, reason)


LANES = (
    lane("em", FINISHED, 0.4, (0.1, 0.5), (0.25, 0.97999)),
    lane("greedy", FINISHED, 0.02, (0.02, 0.9)),
    lane("best", RUNNING, 3.0, (0.1, 0.999)),
    lane("dspca", STOPPED, 10.0, (0.1, 0.9999), reason="its time was up"),
    lane("exact", BARRED, 0.0, reason="it takes at most 24 features, and these data have 625"),
)
TIED = (lane("em", FINISHED, 1.0, (0.7, 0.99995)), lane("best", FINISHED, 1.0, (0.3, 0.99995 * (1 - 1e-8))))


def race(lanes, *falls, lower=0.0, upper=np.inf):
    standing = Race(lanes, tuple(Fall(*fall) for fall in falls), RUNNING if len(lanes) > 2 else FINISHED)
    best = known(lower, upper)
    return [raced.winner(standing, best), *raced.unfinished(standing)]


# Samples told apart, and why a feature is in or out.

NAMED = Dataset(name="x", X=np.eye(3), kind="covariance", feature_names=("a", "b", "c"))


def why(A, j, x=None, standardised=False):
    cov = nnspca.Covariance.from_matrix(A)
    part = nnspca.solve(cov, 2) if x is None else Component(np.array(x), float(cov.variance(np.array(x))), "given", 2)
    return told.why(nnspca.contribution(cov, part, j), part, NAMED, standardised=standardised)


def apart(labels, *names):
    line = np.arange(40.0)[:, None]
    data = samples.made(np.hstack([line, line]), labels=labels, label_names=names)
    return told.told_apart(data, samples.told(data)[0].apart)


NEAR = [[2.0, 1.0, 0.5], [1.0, 2.0, 0.5], [0.5, 0.5, 2.0]]
AGAINST = [[2.0, 1.0, -1.0], [1.0, 2.0, -1.0], [-1.0, -1.0, 2.0]]
FOLDS = np.array([[0.1, 0.29, 0.33], [0.1, 0.28, 0.27]])

CASES = {
    "explored, no bound yet": lambda: explored(1.0, np.inf),
    "explored, optimal": lambda: explored(1.0, 1.0),
    "explored, stored": lambda: explored(1.0, 1.0, source="stored proof"),
    "explored, carried": lambda: explored(1.0, 1.01, source="carried from k = 7"),
    "explored, 0.99989": lambda: explored(1.0, 1 / 0.99989),
    "explored, half": lambda: explored(1.0, 1 / 0.5001),
    "explored, bound above all": lambda: explored(1.0, 10.0),
    "parts, 0.98599": lambda: headline(0.98599, 1.0),
    "parts, 0.99989": lambda: headline(0.99989, 1.0),
    "parts, optimal": lambda: headline(1.0, 1.0),
    "parts, no bound yet": lambda: headline(1.0, np.inf),
    "compared, three": lambda: each_at_every_k((0.98799, 0.999), (0.95, 1.0), (0.5, None)),
    "compared, closed": lambda: each_at_every_k((1.0, 0.99995), (1.0, 1.0)),
    "compared, nothing": lambda: each_at_every_k((None,)),
    "race under way": lambda: race(LANES, (0.01, 3.0), (0.5, 1.0)),
    "race, a better one is known": lambda: race(LANES[:1], (0.1, 1.0), lower=0.985, upper=0.99),
    "race tied": lambda: race(TIED, (0.1, 1.0)),
    "race without a bound": lambda: race(TIED[:1]),
    "race that none may enter": lambda: race(LANES[4:]),
    "need": lambda: robust.need_summary(*needed(), "pixels"),
    "need, none": lambda: robust.need_summary(
        *needed(essential=np.zeros(6, dtype=bool), dispensable=np.ones(6, dtype=bool), within=0.0), "genes"
    ),
    "need within 0.2 %": lambda: robust.need_summary(*needed(within=0.002), "pixels"),
    "held out": lambda: more.summary(CrossValidation((1, 4, 9), FOLDS, FOLDS + 0.1)),
    "two classes told apart": lambda: apart(np.arange(40) % 20 >= 10, "low", "high"),
    "two classes not told apart": lambda: apart(np.arange(40) % 2, "7", "8"),
    "three classes told apart": lambda: apart(np.minimum(np.arange(40) // 10, 2), "a", "b", "c"),
    "two classes nearly told apart": lambda: apart([*([0] * 19), 1, 0, *([1] * 19)], "ALL", "AML"),
    "one class": lambda: apart([1] * 40, "a", "b"),
    "forty classes of one": lambda: apart(np.arange(40), *map(str, range(40))),
    "no classes": lambda: apart(None),
    "why, in": lambda: why(NEAR, 0),
    "why, a solver stopped short": lambda: why(NEAR, 2, (0.0, 0.6, 0.8), standardised=True),
    "why, out": lambda: why(NEAR, 2),
    "why, replaced at no cost": lambda: why([[2.0, 1.0, 0.0], [1.0, 2.0, 0.001], [0.0, 0.001, 0.5]], 0),
    "why, against all": lambda: why(AGAINST, 2),
}


@pytest.mark.parametrize("name", CASES)
def test_a_sentence_is_the_one_in_the_table(name):
    said = CASES[name]()
    said = [one.replace("\u00a0", " ") for one in ([said] if isinstance(said, str) else said)]
    table = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}
    if os.environ.get("NNSPCA_REFRESH"):
        table = {key: table.get(key) for key in CASES} | {name: said}
        TABLE.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert said == table[name]


SHARE = re.compile(r"at least ([\d.]+)\s%\sof the optimum|(proven optimal)", re.I)


@given(some.floats(0.01, 1.0), some.sampled_from((explored, headline, lambda *ends: race(TIED[:1], upper=ends[1])[0])))
def test_no_sentence_claims_more_than_is_proven(ratio, said):
    lower = 0.99995 if said not in (explored, headline) else 1.0
    share, optimal = SHARE.search(said(lower, lower / ratio)).groups()
    assert ratio >= 1 - say.OPTIMAL if optimal else float(share) <= 100 * ratio
