"""Numbers as people read them: none claims more than is proven, or has a zero with a sign; one door for all of them."""

import re
from fractions import Fraction
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as some

import nnspca
from nnspca.result import rounded

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
