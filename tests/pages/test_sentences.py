"""What the app says of numbers: how each sentence and digit reads, and that none claims more than is proven.

Tests of pages read what a sentence is made of; how it reads is tested here or where the function that says it has its
example, and nowhere else.
"""

import re
from dataclasses import replace
from fractions import Fraction
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


VIEW = Path(nnspca.__file__).parent / "view"
OWN_FORMAT = re.compile(r"(?<![%{])\{[^{}]+:,?\.\df\}")  # not a figure's template, where the browser rounds
FINITE = some.floats(allow_nan=False, allow_infinity=False)


@given(FINITE, some.integers(0, 6))
def test_a_number_is_said_to_within_half_of_its_last_digit_and_no_zero_has_a_sign(value, digits):
    for said in (rounded.fixed(value, digits), rounded.number(value), rounded.number(value, up=True)):
        assert not re.fullmatch(r"[-−]0(\.0*)?", said), said
    if abs(value) < 1e6:
        assert abs(float(rounded.fixed(value, digits)) - value) <= 0.5 * 10.0**-digits * (1 + 1e-9)


@given(some.floats(1e-200, 1e200), some.integers(2, 8))
def test_two_variances_say_no_more_than_is_proven_and_as_many_digits(value, telling):
    low, high = (rounded.number(value, down=not up, up=up, telling=telling) for up in (False, True))
    (low, fewer), (high, more) = map(_plain, (low, high))
    assert low <= Fraction(repr(value)) and Fraction(value) <= high and max(fewer, more) <= max(telling, 7)
    assert high - low <= Fraction(value) / 10 ** (telling - 1)


def _plain(said):
    """The number that is said, exactly, and how many digits it has."""
    number, _, power = said.replace(",", "").partition(" × 10")
    plain = "".join({raised: chr(plain) for plain, raised in rounded.RAISED.items()}[ord(one)] for one in power)
    return Fraction(number) * Fraction(10) ** int(plain or 0), len(number.replace(".", "").lstrip("0"))


SHARES = some.floats(0.0, 1.0) | some.sampled_from((1 - 1e-13, 0.97799, 0.9995, 0.9999, 1.0))


@given(SHARES, some.integers(1, 4))
def test_a_share_is_never_rounded_up_nor_by_more_than_a_digit(share, digits):
    said = float(rounded.percent(share, digits).split()[0])
    assert 100 * share - 10.0**-digits * (1 + 1e-6) <= said <= 100 * share


@given(SHARES, some.floats(0.01, 1e6))
def test_a_proven_share_and_its_gap_add_up_and_a_table_has_the_digits_of_the_sentence(share, upper):
    lower = share * upper
    ratio, gap = (Fraction(said(lower, upper).split()[0]) for said in (rounded.ratio, rounded.gap))
    assert ratio + gap == 100 and ratio <= 100 * Fraction(lower) / Fraction(upper)
    if gap and not rounded.optimal(lower, upper):
        assert gap <= 100 * (1 - Fraction(lower) / Fraction(upper)) * Fraction(11, 10) + Fraction(1, 10**9)
        assert rounded.ratio(lower, upper) in rounded.proven_share(lower, upper)


@given(some.floats(0.1, 100.0), some.floats(0.0, rounded.OPTIMAL))
def test_what_is_proven_optimal_and_its_bound_are_said_alike(share, gap):
    lower, upper = share * (1 - gap), share
    digits = rounded.decimals(lower, upper, 100.0)
    assert rounded.floor(lower, digits) >= rounded.ceil(upper, digits) * (1 - rounded.NEARLY - gap)


@given(some.floats(0.0, 1e7))
def test_a_duration_is_never_nothing_nor_a_full_unit_of_the_next(value):
    said = rounded.seconds(value)
    assert said not in ("0 ms", "0.0 s", "1000 ms", "60.0 s")
    assert not re.search(r"\b60 s|\b0 min", said), said


def test_every_decimal_goes_through_that_door():
    own = [
        f"{path.relative_to(VIEW)}: {match[0]}"
        for path in [*VIEW.rglob("*.py"), *VIEW.rglob("*.js")]
        for match in re.finditer(OWN_FORMAT if path.suffix == ".py" else r"toFixed\(.*replace\(\"-\"", path.read_text())
    ]
    assert not own, own
