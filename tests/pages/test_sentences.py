"""What the app says of numbers: how each sentence reads, and that none claims more than is proven.

Tests of pages read what a sentence is made of; how it reads is tested here or where the function that says it has its
example, and nowhere else.
"""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as some

import nnspca
from nnspca.datasets import Dataset, LazyData, read
from nnspca.result import Component, CrossValidation, rounded
from nnspca.studies.racing import BARRED, FINISHED, STOPPED, Lane, Mark, Race, reason_excluded
from nnspca.view import necessity, say, stability
from nnspca.view.certificate import proofs
from nnspca.view.compare import race as raced
from nnspca.view.compare import sets
from nnspca.view.explore import folds
from nnspca.view.explore.view import sentence
from nnspca.view.ledger import Known
from nnspca.view.parts import panels as parted
from nnspca.view.sources import catalogue
from nnspca.view.sources.hosted import HostedFile
from tests.pages.conftest import subject
from tests.pages.test_stability import answer
from tests.pages.test_upload import CODED

TIED = tuple(
    Lane(name, FINISHED, 1.0, (Mark(at, share, 1),))
    for name, at, share in (("em", 0.7, 0.99995), ("best", 0.3, 0.99995 * (1 - 1e-8)))
)
SHARE = re.compile(r"at least ([\d.]+)\s%\sof the optimum|(proven optimal)", re.I)
PITPROPS = catalogue.dataset("pitprops")
ONE = Component(np.eye(13)[0], 1.0, "best", 4)
KNOWN = Known(4, (ONE,), 1.0, 1.25, True, True)


def explored(lower, upper):
    one = replace(ONE, variance=lower)
    return sentence(one, Known(4, (one,), lower, upper, True, True), PITPROPS, 5, None)


def headline(lower, upper):
    one = Component(np.array([1.0, 0.0]), lower, "best", 1)
    parts = nnspca.result.Components((one,), np.array([lower]), 2.0, "best", "together")
    return parted.claim(parts, Known(1, (one,), lower, upper), done=False)


def race(lower, upper):
    return raced.first_near_best(Race(TIED, (), FINISHED), Known(1, (), 0.0, upper, True, True))


def compared(*known):
    return sets.say_proven([sets.Compared(subject("pitprops"), f"k = {row.at}", (row,)) for row in known])


def alone(lower, upper):
    return compared(Known(4, (ONE,), lower, upper))


@given(some.floats(0.01, 1.0), some.sampled_from((explored, headline, race, alone)))
def test_no_sentence_claims_more_than_is_proven(ratio, said):
    lower = 0.99995 if said is race else 1.0
    share, optimal = SHARE.search(said(lower, lower / ratio)).groups()
    assert ratio >= 1 - rounded.OPTIMAL if optimal else float(share) <= 100 * ratio


def test_sentences_read_so():
    """One after the other as in ``sentences.txt``."""
    lanes = (Lane("em", STOPPED, 2.0, reason="2 s"), Lane("pca", BARRED, reason=reason_excluded("pca", 13, True)))
    score, shares = (
        np.r_[np.arange(20.0) + 15, np.arange(20.0)][:, None],
        np.array([[0.1, 0.29, 0.3], [0.1, 0.28, 0.2]]),
    )
    lab = Dataset(name="lab", X=score, labels=np.repeat([0, 1], 20), label_names=("ill", "well"))
    parts = nnspca.result.Components((answer().component,), np.array([1.0]), 2.0, "best", "together")
    said = (
        sentence(replace(ONE, method="pca", loadings=np.full(13, 13**-0.5)), KNOWN, PITPROPS, 5, None),
        compared(KNOWN, Known(3, (ONE,), 1.0, 1.0)),
        *raced.missing_solvers(Race(lanes, (), STOPPED, 3.0)),
        say.separation(lab, score),
        say.as_read(read(CODED, "coded.csv")),
        folds.summary(CrossValidation((1, 4, 9), shares, shares + 0.1), 7),
        stability.summary(nnspca.bootstrap(np.eye(4)[:, [0, 0, 1]], 2, resamples=3, seed=0)),
        necessity.summary(necessity.Needed({0: answer()}), parts, "features"),
        *(Known(1, **way).source for way in ({"carried": 3}, {"carried": 0}, {"stored": True})),
        proofs.live_words(proofs.Live(2.0, 1.9, 0.5, ((0.6, 3.0), (1.0, 2.5)), ended=True), 4.0),
        HostedFile("few.npy", LazyData("few.npy", (10**6, 10**4), 8, None)).kept_text,
    )
    words = Path(__file__).with_name("sentences.txt").read_text(encoding="utf-8")
    assert "\n".join(said).replace("\u00a0", " ").replace("\n\n", "\n") + "\n" == words
