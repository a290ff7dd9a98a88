"""The best nonnegative point of a quartic whose slope is a depressed cubic: one entry of NSPCA, solved exactly."""

from __future__ import annotations

import math


def best_entry(p: float, q: float) -> float:
    """Return u >= 0 that maximises ``−u⁴/4 + p u²/2 + q u``.

    The slope ``−u³ + pu + q`` has roots that add up to zero, so at most one local maximum lies
    above 0: the largest root. It is found by the trigonometric or hyperbolic form, whichever has no
    cancellation, and polished by one step of Newton's; 0 wins where the quartic is not positive
    there.

    Examples
    --------
    >>> best_entry(1.0, 0.0), best_entry(0.0, 8.0), best_entry(-1.0, -1.0)
    (1.0, 2.0, 0.0)
    """
    u = largest_root(p, q)
    if not u > 0:
        return 0.0
    return u if q + u * (p / 2 - u * u / 4) > 0 else 0.0


def largest_root(p: float, q: float) -> float:
    """Return the largest real root of ``u³ − pu − q``.

    Examples
    --------
    >>> round(largest_root(7.0, -6.0), 12), round(largest_root(-3.0, 14.0), 12)
    (2.0, 2.0)
    """
    size = max(math.sqrt(abs(p)), abs(q) ** (1 / 3))
    if size == 0:
        return 0.0
    p, q = p / size / size, q / size / size / size  # now the larger of them is about 1
    reach = math.sqrt(abs(p) / 3)
    cube = reach * reach * reach
    if cube < 1e-9 * abs(q):
        u = math.copysign(abs(q) ** (1 / 3), q)
    elif p < 0:
        u = 2 * reach * math.sinh(math.asinh(q / 2 / cube) / 3)
    elif abs(q) <= 2 * cube:
        u = 2 * reach * math.cos(math.acos(q / 2 / cube) / 3)
    elif q > 0:
        u = 2 * reach * math.cosh(math.acosh(q / 2 / cube) / 3)
    else:
        u = -2 * reach * math.cosh(math.acosh(-q / 2 / cube) / 3)
    slope = 3 * u * u - p
    if slope > 1e-6:
        u -= (u * (u * u - p) - q) / slope
    return u * size
