"""What the app says of numbers: how each sentence reads, and that none claims more than is proven.

Tests of pages read what a sentence is made of; how it reads is tested here or where the function that says it has its
example, and nowhere else.
"""

import re
from dataclasses import replace

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


def all_sets(lower, upper):
    return compared(Known(4, (ONE,), lower, upper))


@given(some.floats(0.01, 1.0), some.sampled_from((explored, headline, race, all_sets)))
def test_no_sentence_claims_more_than_is_proven(ratio, said):
    lower = 0.99995 if said is race else 1.0
    share, optimal = SHARE.search(said(lower, lower / ratio)).groups()
    assert ratio >= 1 - rounded.OPTIMAL if optimal else float(share) <= 100 * ratio


def golden():
    """Yield what is said, and its words."""
    yield (
        sentence(replace(ONE, method="pca", loadings=np.full(13, 13**-0.5)), KNOWN, PITPROPS, 5, None),
        "PCA: 13 of 13 features explain 20.0 % of the total variance. Shown for contrast: it does not satisfy the "
        "limit k = 4.",
    )
    yield (
        compared(KNOWN, Known(3, (ONE,), 1.0, 1.0)),
        "Proven optimal at every k: **k = 3**. **k = 4**: at least 80.0 % of the optimum at every k (widest gap at k "
        "= 4).",
    )
    lanes = (Lane("em", STOPPED, 2.0, reason="2 s"), Lane("pca", BARRED, reason=reason_excluded("pca", 13, True)))
    yield (
        " ".join(raced.missing_solvers(Race(lanes, (), STOPPED, 3.0))),
        "Not finished: EM (2 s). Did not start: PCA (it uses every feature, whatever k is). The proof was stopped "
        "after 3.0 s: the upper bound holds, and a longer proof may lower it.",
    )
    score = np.r_[np.arange(20.0) + 15, np.arange(20.0)][:, None]
    yield (
        say.separation(Dataset(name="x", X=score, labels=np.repeat([0, 1], 20), label_names=("ill", "well")), score),
        "In 96 of 100 pairs a sample of ill scores higher than one of well; with labels exchanged, in 69 (p = 0.005).",
    )
    shares = np.array([[0.1, 0.29, 0.33], [0.1, 0.28, 0.27]])
    yield (
        folds.summary(CrossValidation((1, 4, 9), shares, shares + 0.1), 7),
        "### Suggested k: 4 (probable, not proven)\n\nk = 4 is suggested: it explains 28.5 % of the variance of "
        "held-out samples; the most is 30 % at k = 9.\n\nThe share still rises at the largest k tried.",
    )
    yield (
        stability.summary(nnspca.bootstrap(np.eye(4)[:, [0, 0, 1]], 2, resamples=3, seed=0)),
        "### 0 of 1 part are stable (probable, not proven)\n\nPart 1: a feature returns in 33.3 % of 3 resamples on "
        "average, by chance in 75 %; in at least 80 %: no feature.\n\nOne resample consists of one sample, repeated: "
        "no feature returns there.",
    )
    parts = nnspca.result.Components((answer().component,), np.array([1.0]), 2.0, "best", "together")
    yield (
        necessity.summary(necessity.Needed({0: answer()}), parts, "features"),
        "### 1 of these 3 features is indispensable (proven): every component within 1 % of the best found has "
        "it.\n\n1 is dispensable: a component without it is within 1 % of the best found; 1 is not decided. Elsewhere "
        "no squared loading exceeds 4.1 %.",
    )
    yield Known(1, carried=3).source, "carried from k = 3"
    yield Known(1, carried=0).source, "carried from other numbers of parts"
    yield Known(1, stored=True).source, "stored proof"
    yield (
        proofs.live_words(proofs.Live(2.0, 1.9, 0.5, ((0.6, 3.0), (1.0, 2.5)), ended=True), 4.0),
        "Live: a component with 5.01 % less variance than the best found after 500 ms, at least 75.9 % of the optimum "
        "after 1.0 s.",
    )
    yield (
        HostedFile("few.npy", LazyData("few.npy", (10**6, 10**4), 8, None)).kept_text,
        "The app keeps the 3,000 features of largest variance, of 10,000: n is 3,000, and a certificate says nothing "
        "of the other features. Only the covariance is kept in memory, not the samples.",
    )
    yield say.as_read(read(CODED, "coded.csv")), "12 samples × 2 features as read; 1 question open"


def test_sentences_read_so():
    for said, words in golden():
        assert said.replace("\u00a0", " ") == words
