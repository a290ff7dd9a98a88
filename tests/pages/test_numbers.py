"""Numbers as people read them: no zero with a sign, no 0 ms, no 1,000 ms or 60 s; one door for all of them."""

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as some

import nnspca
from nnspca.view import say

VIEW = Path(nnspca.__file__).parent / "view"
SIGNED_ZERO = re.compile(r"[-−]0(\.0*)?(?![.\d])")
OWN_FORMAT = re.compile(r"(?<![%{])\{[^{}]+:,?\.\df\}")  # not a figure's template, where the browser rounds
FINITE = some.floats(allow_nan=False, allow_infinity=False)


@given(FINITE, some.integers(0, 6))
def test_no_number_is_a_zero_with_a_sign(value, digits):
    for said in (say.fixed(value, digits), say.number(value), say.number(value, up=True)):
        assert not SIGNED_ZERO.fullmatch(said), said


@given(some.floats(-1e6, 1e6), some.integers(0, 6))
def test_a_number_is_said_to_within_half_of_its_last_digit(value, digits):
    assert abs(float(say.fixed(value, digits)) - value) <= 0.5 * 10.0**-digits * (1 + 1e-9)


@given(some.floats(1e-200, 1e200), some.integers(3, 8))
def test_two_variances_say_no_more_than_is_proven_and_agree_where_the_optimum_is_proven(upper, telling):
    lower = upper * (1 - say.OPTIMAL / 2)
    low, high = say.number(lower, down=True, telling=telling), say.number(upper, up=True, telling=telling)
    low, high = (float(_plain(said)) for said in (low, high))
    slack = 1e-12 * upper
    assert low <= lower + slack
    assert high >= upper - slack
    if telling >= 6:
        assert low >= high * (1 - 1.2 * say.OPTIMAL)


def _plain(said):
    number, _, power = said.replace(",", "").partition(" × 10")
    digits = {raised: chr(plain) for plain, raised in say.RAISED.items()}
    return number + (f"e{''.join(digits[ord(one)] for one in power)}" if power else "")


@given(some.floats(0.0, 1.0) | some.sampled_from((1 - 1e-13, 0.97799, 0.9995, 1.0)), some.integers(1, 4))
def test_a_proven_share_is_never_rounded_up_nor_by_more_than_a_digit(share, digits):
    said = float(say.percent(share, digits).split()[0].removesuffix("%"))
    assert 100 * share - 10.0**-digits * (1 + 1e-6) <= said <= 100 * share


@given(some.floats(0.1, 100.0), some.floats(0.0, say.OPTIMAL))
def test_what_is_proven_optimal_and_its_bound_are_said_alike(share, gap):
    lower, upper = share * (1 - gap), share
    digits = say.digits(lower, upper, 100.0)
    assert say.floor(lower, digits) >= say.ceil(upper, digits) * (1 - say.NEARLY - gap)


@given(some.floats(0.0, 1e7))
def test_a_duration_is_never_nothing_nor_a_full_unit_of_the_next(value):
    said = say.seconds(value)
    assert said not in ("0 ms", "0.0 s", "1000 ms", "60.0 s")
    assert not re.search(r"\b60 s|\b0 min", said), said


@given(some.floats(1e-300, 1e300), some.booleans())
def test_four_telling_digits_stand_before_a_power_of_ten(value, up):
    said = say.number(value, up=up)
    if "×" in said:
        assert re.fullmatch(r"[1-9]\.\d{3} × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", said), said


def test_every_decimal_goes_through_that_door():
    own = [
        f"{path.relative_to(VIEW)}: {match[0]}"
        for path in VIEW.rglob("*.py")
        if path.name != "say.py"
        for match in OWN_FORMAT.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not own, own


def test_the_browser_rounds_to_zero_without_a_sign_too():
    """A minus in front of a rounded number is written by one function."""
    own = [
        f"{path.relative_to(VIEW)}: {line.strip()}"
        for path in VIEW.rglob("*.js")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"toFixed\(.*replace\(\"-\"", line)
    ]
    assert not own, own
