"""Numbers in plain words, never rounded in our favour."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from nnspca.bounds.registry import BOUNDS

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def title(name: str) -> str:
    """Return the name of a bound as a legend shows it.

    >>> title("rows")
    'Row sums'
    """
    return BOUNDS[name].title if name in BOUNDS else name


def percent(share: float, digits: int = 0) -> str:
    """Return a share as a percentage, rounded down: what is claimed stays true.

    >>> percent(0.9379), percent(0.99996, 2), percent(1.0), percent(1 - 1e-13, 2), percent(0.29)
    ('93 %', '99.99 %', '100 %', '99.99 %', '29 %')
    """
    exact = 100 * Decimal(repr(float(share)))
    return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_FLOOR)} %"


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


def ceil(value: float, digits: int) -> float:
    """Round up: a ceiling stays a ceiling.

    >>> ceil(0.41171, 4), ceil(2.0, 2)
    (0.4118, 2.0)
    """
    return float(Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), ROUND_CEILING))


def floors(values: Iterable[float], digits: int) -> list[float]:
    """Round each down.

    >>> floors([0.41179, 2.0], 4)
    [0.4117, 2.0]
    """
    return [floor(value, digits) for value in values]


def ceils(values: Iterable[float], digits: int) -> list[float]:
    """Round each up.

    >>> ceils([0.41171, 2.0], 4)
    [0.4118, 2.0]
    """
    return [ceil(value, digits) for value in values]


def number(value: float, *, up: bool = False) -> str:
    """Return a variance with four telling digits, the last one rounded up for a ceiling.

    >>> number(505948.93), number(0.0123456), number(4.219), number(1.2071e8)
    ('505,900', '0.01235', '4.219', '1.207 × 10⁸')
    >>> number(4.2181, up=True)
    '4.219'
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    size = math.floor(math.log10(abs(value)))
    value = ceil(value / 10.0**size, 3) * 10.0**size if up else value
    if not -4 < size < 7:
        return f"{value / 10.0**size:.3f} × 10{str(size).translate(RAISED)}"
    digits = 3 - size
    return f"{round(value, digits):,.{max(digits, 0)}f}"


def seconds(value: float) -> str:
    """Return a duration as a person would say it.

    >>> seconds(0.0123), seconds(2.34), seconds(100), seconds(0.0002)
    ('12 ms', '2.3 s', '1 min 40 s', 'under 1 ms')
    """
    if value < 0.001:
        return "under 1 ms"
    if value < 1:
        return f"{1000 * value:.0f} ms"
    if value < 60:
        return f"{value:.1f} s"
    return f"{value // 60:.0f} min {value % 60:.0f} s"


def size(count: int) -> str:
    """Return a number of bytes in megabytes.

    >>> size(8_400_000)
    '8.4 MB'
    """
    return f"{count / 1e6:.1f} MB"
