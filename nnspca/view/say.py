"""Numbers and findings in plain words, for every page: none claims more than is proven."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from nnspca.bounds.registry import BOUNDS, PARTS_BOUNDS
from nnspca.result import Necessity

FINEST, NEARLY = 5, 1e-3  # most decimals of a percentage, and what a share read off two of them may lack
OPTIMAL = 1e-4  # largest relative gap at which a component counts as proven optimal
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def necessity(need: Necessity, i: int) -> str:
    """Return what is proven of a feature."""
    return "indispensable" if need.essential[i] else "dispensable" if need.dispensable[i] else "not decided"


def capital(text: str) -> str:
    """Return a text that begins a line.

    >>> capital("row sums"), capital("")
    ('Row sums', '')
    """
    return text[:1].upper() + text[1:]


def title(name: str) -> str:
    """Return the name of a bound as a legend shows it.

    >>> title("balanced-rows")
    'Balanced row sums'
    """
    known = BOUNDS.get(name) or PARTS_BOUNDS.get(name)
    return known.title if known else name


def percent(share: float, digits: int = 0) -> str:
    """Return a share as a percentage, rounded down: what is claimed stays true.

    >>> percent(0.9379), percent(0.99996, 2), percent(1.0), percent(1 - 1e-13, 2), percent(0.29)
    ('93 %', '99.99 %', '100 %', '99.99 %', '29 %')
    """
    exact = 100 * Decimal(repr(float(share)))
    return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_FLOOR)} %"


def optimal(ratio: float) -> bool:
    """Tell whether a proven share of the optimum counts as proven optimal: its gap is at most 0.01 %.

    The one rule: every page asks here. A gap that was rounded up to four decimals or more passes where the gap itself
    does.

    >>> optimal(0.99995), optimal(0.9998)
    (True, False)
    """
    return 1 - ratio <= OPTIMAL


def proven_percent(ratio: float) -> str:
    """Return a proven share of the optimum, rounded down, for a table: two decimals only from 99.9 % on.

    >>> proven_percent(0.9979), proven_percent(0.99926), proven_percent(0.4), proven_percent(0.99995)
    ('99.7 %', '99.92 %', '40.0 %', 'optimal')
    """
    return "optimal" if optimal(ratio) else percent(ratio, 2 if ratio >= 0.999 else 1)


def proven_share(ratio: float) -> str:
    """Return what a proven share of the optimum says in a sentence, rounded down.

    >>> proven_share(0.9979), proven_share(0.99926)
    ('at least 99.7 % of the optimum', 'at least 99.92 % of the optimum')
    >>> proven_share(0.99995), proven_share(1.0)
    ('proven optimal', 'proven optimal')
    """
    return "proven optimal" if optimal(ratio) else f"at least {proven_percent(ratio)} of the optimum"


def odds(probability: float) -> str:
    """Return with which probability something holds that is not proven, rounded down.

    >>> odds(1 - 1 / 625), odds(1 - 1e-16)
    ('probability 99.84 %', 'probability 99.99 %')
    """
    return f"probability {percent(probability, 2)}"


def floor(value: float, digits: int) -> float:
    """Round down: what was found is never said to be more than it is.

    >>> floor(0.41179, 4), floor(2.0, 2), floor(0.29, 2)
    (0.4117, 2.0, 0.29)
    """
    return float(Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), ROUND_FLOOR))


def floors(values: Iterable[float], digits: int) -> list[float]:
    """Round each down."""
    return [floor(value, digits) for value in values]


def ceil(value: float, digits: int) -> float:
    """Round up: an upper bound stays one.

    >>> ceil(0.41171, 4), ceil(2.0, 2)
    (0.4118, 2.0)
    """
    return float(Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), ROUND_CEILING))


def ceils(values: Iterable[float], digits: int) -> list[float]:
    """Round each up."""
    return [ceil(value, digits) for value in values]


def fixed(value: float, digits: int) -> str:
    """Return a number with so many decimals; what rounds to zero has no sign.

    >>> fixed(1234.5, 1), fixed(-0.004, 2), fixed(-0.006, 2)
    ('1234.5', '0.00', '-0.01')
    """
    return f"{value:z.{digits}f}"


def at_least(value: float, digits: int) -> str:
    """Return a number with so many decimals, rounded down.

    >>> at_least(0.41179, 4), at_least(2.0, 2)
    ('0.4117', '2.00')
    """
    return fixed(floor(value, digits), digits)


def at_most(value: float, digits: int) -> str:
    """Return a number with so many decimals, rounded up.

    >>> at_most(0.41171, 4), at_most(2.0, 2)
    ('0.4118', '2.00')
    """
    return fixed(ceil(value, digits), digits)


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
    size = math.floor(math.log10(abs(value)))
    if up or down:
        value = (ceil if up else floor)(value / 10.0**size, telling - 1) * 10.0**size
        if math.isinf(value):
            return f"{value:g}"
    size += round(abs(value) / 10.0**size, telling - 1) >= 10
    if not -4 < size < 7:
        return f"{value / 10.0**size:.{telling - 1}f} × 10{str(size).translate(RAISED)}"
    digits = telling - 1 - size
    return f"{round(value, digits):,.{max(digits, 0)}f}"


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


def share(variance: float, upper: float) -> float:
    """Return which share of the optimum a variance is proven to be; 0 where there is no upper bound.

    >>> share(3.0, 4.0), share(3.0, math.inf), share(0.0, 0.0)
    (0.75, 0.0, 1.0)
    """
    if not math.isfinite(upper):
        return 0.0
    return min(variance / upper, 1.0) if upper > 0 else 1.0


def digits(variance: float, upper: float, whole: float) -> int:
    """Return with how many decimals a variance and its upper bound, in per cent, show the share that is proven.

    >>> digits(0.5, 0.51, 1.0), digits(0.0489, 0.0491, 1.0), digits(0.22599, 0.226, 1.0), digits(0.5, math.inf, 1.0)
    (1, 2, 2, 1)
    """
    if not math.isfinite(upper):
        return 1
    ratio = share(variance, upper)
    shown = (floor(100 * variance / whole, d) / ceil(100 * upper / whole, d) for d in range(1, FINEST))
    return next((d for d, one in enumerate(shown, start=1) if one >= ratio - NEARLY), FINEST)


def explains(what: str, many: int, variance: float, whole: float, unit: str, upper: float = math.inf) -> str:
    """Say which share of a ``unit``, all of which is ``whole``, so many things explain together, rounded down.

    >>> explains("These six parts", 6, 27.519, 100.0, "the total variance")
    'These six parts explain 27.5 % of the total variance'
    """
    said = at_least(100 * variance / whole, digits(variance, upper, whole))
    return f"{what} {'explains' if many == 1 else 'explain'} {said} % of {unit}"


def proven(variance: float, upper: float, whole: float, source: str = "") -> str:
    """Say how near the best possible a variance is proven to be, in per cent of ``whole``: the maximum is rounded up.

    >>> proven(0.5, 0.51, 1.0, "carried from k = 7")
    'The proven maximum is 51.0 % (carried from k = 7), so this is at least 98.0 % of the optimum.'
    >>> proven(0.5, 0.5, 1.0, "stored proof")
    'This is proven optimal, to 1 part in 10,000 (stored proof).'
    """
    ratio, source = share(variance, upper), f" ({source})" if source else ""
    if optimal(ratio):
        return f"This is proven optimal, to 1 part in 10,000{source}."
    most = at_most(min(100 * upper / whole, 100.0), digits(variance, upper, whole))
    return f"The proven maximum is {most} %{source}, so this is {proven_share(ratio)}."
