"""Numbers as people read them: what was found is rounded down, bounds and gaps up; none claims more than is proven."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

OPTIMAL = 1e-4  # largest relative gap at which a component counts as proven optimal
TELLING = 6  # digits of two variances side by side: what is proven optimal differs in the fifth at the earliest
FINEST, NEARLY = 5, 1e-3  # most decimals of a percentage, and what a share read off two of them may lack
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def floor(value: float, digits: int) -> float:
    """Round down: what was found is never said to be more than it is.

    >>> floor(0.41179, 4), floor(2.0, 2), floor(0.29, 2)
    (0.4117, 2.0, 0.29)
    """
    return float(_exact(value).quantize(Decimal(1).scaleb(-digits), ROUND_FLOOR))


def ceil(value: float, digits: int) -> float:
    """Round up: an upper bound stays one.

    >>> ceil(0.41171, 4), ceil(2.0, 2), ceil(0.3, 1), ceil(0.1 + 0.2, 1)
    (0.4118, 2.0, 0.3, 0.4)
    """
    return float(_exact(value, up=True).quantize(Decimal(1).scaleb(-digits), ROUND_CEILING))


def _exact(value: float, *, up: bool = False) -> Decimal:
    """Return a double as it is where it bounds something, else the shortest decimal that stands for it: .29 is .29."""
    return Decimal(float(value)) if up else Decimal(repr(float(value)))


def fixed(value: float, digits: int, *, up: bool = False, down: bool = False) -> str:
    """Return a number with so many decimals; what rounds to zero has no sign.

    >>> fixed(1234.5, 1), fixed(-0.004, 2), fixed(0.41179, 4, down=True), fixed(0.41171, 4, up=True)
    ('1234.5', '0.00', '0.4117', '0.4118')
    """
    if up or down:
        value = (ceil if up else floor)(value, digits)
    return f"{value:z.{digits}f}"


def number(value: float, *, up: bool = False, down: bool = False, telling: int = 4) -> str:
    """Return a variance with so many telling digits, the last one rounded up for an upper bound.

    >>> number(505948.93), number(0.0123456), number(4.219), number(1.2071e8)
    ('505,900', '0.01235', '4.219', '1.207 × 10⁸')
    >>> number(4.2181, up=True), number(-0.0), number(9.9999e8)
    ('4.219', '0', '1.000 × 10⁹')
    >>> number(1.20839e8, up=True, telling=6), number(4.2189, down=True), number(9.9999e8, down=True)
    ('1.20839 × 10⁸', '4.218', '9.999 × 10⁸')
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:zg}"
    rounding = ROUND_CEILING if up else ROUND_FLOOR if down else ROUND_HALF_EVEN
    decimal = Context(prec=telling, rounding=rounding).create_decimal(_exact(value, up=up))
    size = decimal.adjusted()
    if not -4 < size < 7:
        return f"{decimal.scaleb(-size):.{telling - 1}f} × 10{str(size).translate(RAISED)}"
    return f"{decimal:,.{max(telling - 1 - size, 0)}f}"


def pair(lower: float, upper: float) -> tuple[str, str]:
    """Return a variance and its upper bound as they stand side by side, with digits that tell them apart.

    >>> pair(2.61803398, 2.61803398)
    ('2.61803', '2.61804')
    """
    return number(lower, down=True, telling=TELLING), number(upper, up=True, telling=TELLING)


def percent(share: float, digits: int | None = None, *, up: bool = False) -> str:
    """Return a share as a percentage, rounded down unless ``up``: to so many decimals, else to three telling digits.

    >>> percent(0.31299), percent(1.0), percent(0.99999), percent(0.29), percent(0.000312), percent(0.3121, up=True)
    ('31.2 %', '100 %', '99.9 %', '29 %', '0.0312 %', '31.3 %')
    >>> percent(0.9379, 0), percent(0.99996, 2), percent(1 - 1e-13, 2), percent(0.29, 0)
    ('93 %', '99.99 %', '99.99 %', '29 %')
    """
    exact, rounding = 100 * _exact(share), ROUND_CEILING if up else ROUND_FLOOR
    if digits is None:
        return f"{Context(prec=3, rounding=rounding).create_decimal(exact).normalize():f} %"
    return f"{exact.quantize(Decimal(1).scaleb(-digits), rounding)} %"


def share(lower: float, upper: float) -> float:
    """Return which share of the optimum a variance is proven to be, rounded down; 0 where there is no upper bound.

    >>> share(3.0, 4.0), share(2.0, 3.0) == 2.0 / 3.0, 0.1 / 0.3 - share(0.1, 0.3) > 0
    (0.75, True, True)
    >>> share(3.0, math.inf), share(0.0, 0.0)
    (0.0, 1.0)
    """
    if upper <= 0:
        return 1.0
    ratio = min(float(lower / upper), 1.0)
    return math.nextafter(ratio, 0.0) if ratio > 0 and Fraction(ratio) * Fraction(upper) > Fraction(lower) else ratio


def optimal(lower: float, upper: float = 1.0) -> bool:
    """Tell whether a variance counts as proven optimal: its gap is at most 0.01 %. The one rule: all ask here.

    A share of the optimum alone is one of 1, here and below.

    >>> optimal(0.99995), optimal(0.9998)
    (True, False)
    """
    return 1 - share(lower, upper) <= OPTIMAL


def ratio(lower: float, upper: float = 1.0) -> str:
    """Return the share of the optimum that is proven, rounded down, with as many decimals as its :func:`gap` needs.

    >>> ratio(2.0, 2.5), ratio(0.9979), ratio(0.99926), ratio(2.0, 2.0000001), ratio(2.0, 2.0)
    ('80.0 %', '99.79 %', '99.926 %', '99.99 %', '100 %')
    """
    return f"{_ratio(lower, upper)} %"


def gap(lower: float, upper: float = 1.0) -> str:
    """Return what the share that :func:`ratio` says lacks of the optimum at most: the two add up to 100 %.

    >>> gap(2.0, 2.5), gap(0.9979), gap(0.99926), gap(2.0, 2.0000001), gap(2.0, 2.0)
    ('20.0 %', '0.21 %', '0.074 %', '0.01 %', '0 %')
    """
    return f"{100 - _ratio(lower, upper)} %"


def _ratio(lower: float, upper: float) -> Decimal:
    if upper <= lower or math.isinf(upper):
        return Decimal(100 if upper <= lower else 0)
    exact = Fraction(lower) / Fraction(upper)
    missing = 1 - exact
    digits = 1 + (missing < 0.01) + (OPTIMAL < missing < 0.001)  # two telling digits of the gap
    return Decimal(math.floor(100 * 10**digits * exact)).scaleb(-digits)


def proven_share(lower: float, upper: float = 1.0) -> str:
    """Return what a proven share of the optimum says in a sentence.

    >>> proven_share(0.9979), proven_share(0.99995)
    ('at least 99.79 % of the optimum', 'proven optimal')
    """
    return "proven optimal" if optimal(lower, upper) else f"at least {ratio(lower, upper)} of the optimum"


def proven_gap(lower: float, upper: float = 1.0) -> str:
    """Return what a gap says beside a point.

    >>> proven_gap(0.9979), proven_gap(0.99995)
    ('gap at most 0.21 %', 'proven optimal')
    """
    return "proven optimal" if optimal(lower, upper) else f"gap at most {gap(lower, upper)}"


def decimals(variance: float, upper: float, whole: float) -> int:
    """Return with how many decimals a variance and its upper bound, in per cent, show the share that is proven.

    >>> decimals(0.5, 0.51, 1), decimals(0.0489, 0.04909, 1), decimals(0.22599, 0.226, 1), decimals(0.5, math.inf, 1)
    (1, 2, 2, 1)
    """
    if not math.isfinite(upper):
        return 1
    proven = share(variance, upper)
    shown = (floor(100 * variance / whole, d) / ceil(100 * upper / whole, d) for d in range(1, FINEST))
    return next((d for d, one in enumerate(shown, start=1) if one >= proven - NEARLY), FINEST)


def seconds(value: float) -> str:
    """Return a duration as a person would say it.

    >>> seconds(0.0123), seconds(2.34), seconds(100), seconds(0.0002)
    ('12 ms', '2.3 s', '1 min 40 s', 'under 1 ms')
    >>> seconds(0.9997), seconds(59.97), seconds(119.7)
    ('1.0 s', '1 min 0 s', '2 min 0 s')
    """
    if value < 0.001:
        return "under 1 ms"
    if round(1000 * value) < 1000:
        return f"{1000 * value:.0f} ms"
    if round(value, 1) < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s"


def size(count: int) -> str:
    """Return a number of bytes as a person would say it.

    >>> size(8_400_000), size(32_000_000_000), size(3900)
    ('8.4 MB', '32.0 GB', '3.9 kB')
    """
    for unit, name in ((1e9, "GB"), (1e6, "MB")):
        if count >= 0.95 * unit:
            return f"{count / unit:.1f} {name}"
    return f"{count / 1e3:.1f} kB"
