"""What the app says of numbers: no sentence claims more than is proven."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as some

import nnspca
from nnspca.result import Component, rounded
from nnspca.studies.racing import FINISHED, Lane, Mark, Race
from nnspca.view.compare import race as raced
from nnspca.view.explore.view import sentence
from nnspca.view.ledger import Known
from nnspca.view.parts import panels as parted
from nnspca.view.sources import catalogue

TIED = tuple(
    Lane(name, FINISHED, 1.0, (Mark(at, share, 1),))
    for name, at, share in (("em", 0.7, 0.99995), ("best", 0.3, 0.99995 * (1 - 1e-8)))
)
SHARE = re.compile(r"at least ([\d.]+)\s%\sof the optimum|(proven optimal)", re.I)


def explored(lower, upper):
    one = Component(np.eye(13)[0], lower, "best", 4)
    return sentence(one, Known(4, (one,), lower, upper, True, True), catalogue.dataset("pitprops"), 5, None)


def headline(lower, upper):
    one = Component(np.array([1.0, 0.0]), lower, "best", 1)
    parts = nnspca.result.Components((one,), np.array([lower]), 2.0, "best", "together")
    return parted.claim(parts, Known(1, (one,), lower, upper), done=False)


def race(lower, upper):
    return raced.first_near_best(Race(TIED, (), FINISHED), Known(1, (), 0.0, upper, True, True))


@given(some.floats(0.01, 1.0), some.sampled_from((explored, headline, race)))
def test_no_sentence_claims_more_than_is_proven(ratio, said):
    lower = 1.0 if said in (explored, headline) else 0.99995
    share, optimal = SHARE.search(said(lower, lower / ratio)).groups()
    assert ratio >= 1 - rounded.OPTIMAL if optimal else float(share) <= 100 * ratio
