"""What the public calls take: each argument's check, whose error says what was given and what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real

import numpy as np


def shown(value: object) -> str:
    """Say a value in a line: arrays and tables by their shape, anything else as it is written, cut where it is long."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"{_a(type(value).__name__)} of shape {shape}"
    written = repr(value)
    return written if len(written) <= 60 else f"{written[:57]}…"


def check_instance(name: str, value: object, kind: type, advice: str) -> None:
    """Raise TypeError unless the value is of this kind."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {shown(value)}; give {_a(kind.__name__)}: {advice}")


def check_flag(name: str, value: object) -> bool:
    """Return it as a bool; ValueError unless it is True or False (0 and 1 are neither)."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={shown(value)} is not allowed; give True or False")
    return bool(value)


def check_whole(name: str, value: object, low: int, high: int | None = None) -> int:
    """Return it as an int; ValueError unless it is a whole number from low to high."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):  # type: ignore[operator]
        allowed = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name}={shown(value)} is not allowed; give a whole number {allowed}")
    return int(value)  # type: ignore[call-overload]


def check_number(name: str, value: object, low: float, high: float, unit: str) -> float:
    """Return it as a float; ValueError unless it is a number from low to high."""
    if isinstance(value, bool) or not isinstance(value, Real) or not low <= float(value) <= high:
        raise ValueError(f"{name}={shown(value)} is not allowed; give {unit} from {low:g} to {high:g}")
    return float(value)


def check_choice(name: str, value: object, allowed: Iterable[str], *, none: bool = False) -> None:
    """Raise ValueError unless the value is one of the names, or None where that is one."""
    names = list(allowed)
    if not (isinstance(value, str) and value in names) and not (none and value is None):
        others = ", ".join(map(repr, names)) + (" or None" if none else "")
        raise ValueError(f"{name}={shown(value)} is not known; give one of {others}")


def check_callables(**given: object) -> None:
    """Raise TypeError unless each is a function, or None."""
    for name, value in given.items():
        if value is not None and not callable(value):
            raise TypeError(f"{name}={shown(value)} is not allowed; give a function, or None")


def check_options(options: object) -> dict[str, object]:
    """Return the options of a method as a dict; TypeError unless they are a mapping from names, or None."""
    if options is None:
        return {}
    if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
        raise TypeError(f"options={shown(options)} is not allowed; give a dict from option names to values, or None")
    return dict(options)


def check_columns(name: str, value: object, n: int) -> np.ndarray:
    """Return finite columns of n numbers as an array of its own; ValueError for anything else."""
    try:
        columns = np.array(value, dtype=np.float64, order="C")  # one layout, so that sums run in one order
    except (TypeError, ValueError):
        raise ValueError(f"{name}={shown(value)} is not allowed; give finite columns of shape ({n}, r)") from None
    if columns.ndim != 2 or columns.shape[0] != n or not np.isfinite(columns).all():
        raise ValueError(f"{name} have shape {columns.shape}; give finite columns of shape ({n}, r)")
    return columns


def _a(noun: str) -> str:
    return f"an {noun}" if noun.startswith(("a", "e", "i", "o", "u", "nd")) else f"a {noun}"
