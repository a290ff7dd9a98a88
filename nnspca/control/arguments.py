"""Checks of arguments; each error gives the value given and the values allowed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from numbers import Real
from typing import Any, Literal, TypedDict

import numpy as np

# Kinds of arguments, for type checkers; tests compare them with the tables.
Effort = Literal["live", "thorough"]
_Ours = Literal["best", "spannogram", "enumeration", "epsilon-net", "em", "coordinate-descent", "greedy"]
_Others = Literal["elastic-net", "thresholding", "scotlass", "dspca", "nmf", "exact", "pca"]
Method = _Ours | _Others
Deflation = Literal["disjoint", "together", "projection", "schur", "hotelling", "quasi-orthogonal", "joint"]
Seed = int | np.random.Generator
PLAIN = {float, int, bool}
FLOATS = (np.float64, np.float32)  # of vectors that are taken as they are
MAX_DEPTH = 3  # levels of nested sequences; a table has two


class Options(TypedDict, total=False):
    """Options of methods; :data:`nnspca.METHODS` says which method takes which, and from where to where."""

    alpha: float
    beta: float
    criterion: Literal["path", "full"]
    cut: bool
    epsilon: float
    leaders: int
    match_k: bool
    max_iter: int
    max_samples: int
    noise: Literal["none", "flat"]
    polish: bool
    rank: int
    renormalise: bool
    restarts: int
    ridge: float
    rounds: int
    tol: float


def shown(value: object) -> str:
    """Return a value in one line: arrays and tables by their shape, anything else as written, shortened."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"{_a(type(value).__name__)} of shape {shape}"
    if isinstance(value, int) and abs(value) >= 10**60:  # printing such a number is slow, or refused
        return "a huge whole number" if value > 0 else "a huge negative whole number"
    try:
        written = " ".join(repr(value).split())
    except Exception:  # an object whose representation fails
        return _a(type(value).__name__)
    return written if len(written) <= 60 else f"{written[:57]}…"


def check_instance(name: str, value: object, kind: type, advice: str) -> None:
    """Raise TypeError unless the value is an instance of the type."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {shown(value)}; give {_a(kind.__name__)}: {advice}")


def check_flag(name: str, value: object) -> bool:
    """Return it as a bool; ValueError unless it is True or False (0 and 1 are not)."""
    if not isinstance(scalar(value), bool | np.bool_):
        raise ValueError(f"{name}={shown(value)} is not allowed; give True or False")
    return bool(value)


def check_several(name: str, value: object, kind: str, allowed: str) -> list[Any]:
    """Return several values as a list; ValueError for one alone."""
    if not isinstance(value, Iterable) or not getattr(value, "ndim", 1):
        raise ValueError(f"{name}={shown(value)} is not allowed; give {kind} {allowed}")
    return list(value)


def check_one_or_several(name: str, value: object) -> list[Any]:
    """Return one value or several as a list; ValueError for strings.

    >>> check_one_or_several("k", 3), check_one_or_several("k", range(2))
    ([3], [0, 1])
    """
    if isinstance(value, str | bytes | Mapping):
        raise ValueError(f"{name}={shown(value)} is not allowed; give a whole number, or several")
    return list(value) if isinstance(value, Iterable) and getattr(value, "ndim", True) else [value]


def scalar(value: object) -> object:
    """Return the value of a zero-dimensional array; anything else unchanged."""
    return value[()] if type(value) is np.ndarray and value.ndim == 0 else value


def check_whole(name: str, value: object, low: int, high: int | None = None, *, more: str = "") -> int:
    """Return it as an int; ValueError unless it is a whole number from low to high; ``more`` names what else may be."""
    number = scalar(value)
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool | np.timedelta64)
    if not whole or number < low or (high is not None and number > high):  # type: ignore[operator]
        between = f"of at least {low}" if high is None else f"from {low} to {high}"
        allowed = f"{low}" if low == high else f"a whole number {between}"
        raise ValueError(f"{name}={shown(value)} is not allowed; give {allowed}{more and f', {more}'}")
    return int(number)  # type: ignore[call-overload]


def check_number(name: str, value: object, low: float, high: float, unit: str) -> float:
    """Return it as a float; ValueError unless it is a number from low to high."""
    number = real(value)
    if number is None or not low <= number <= high:
        raise ValueError(f"{name}={shown(value)} is not allowed; give {unit} from {digits(low)} to {digits(high)}")
    return number


def digits(number: float) -> str:
    """Return a limit in few digits where these are the number itself, else in all."""
    return f"{number:g}" if float(f"{number:g}") == number else repr(number)


def check_share(name: str, value: object) -> float:
    """Return it as a float; ValueError unless it is a number from 0 to below 1."""
    number = real(value)
    if number is None or not 0.0 <= number < 1.0:
        raise ValueError(f"{name}={shown(value)} is not allowed; give a share of at least 0 and below 1")
    return number


def real(value: object) -> float | None:
    """Return a real number as a float, infinite where it is too large for one; None for anything else."""
    number = scalar(value)
    if isinstance(number, bool | np.timedelta64) or not isinstance(number, Real):
        return None
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf  # type: ignore[operator]


def check_choice(name: str, value: object, allowed: Iterable[str], *, none: bool = False) -> None:
    """Raise ValueError unless the value is one of the names, or None where that is one."""
    names = list(allowed)
    if not (isinstance(value, str) and value in names) and not (none and value is None):
        others = ", ".join(map(repr, names)) + (" or None" if none else "")
        raise ValueError(f"{name}={shown(value)} is not known; give one of {others}")


def check_callables(**callables: object) -> None:
    """Raise TypeError unless each is callable or None."""
    for name, value in callables.items():
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
    allowed = f"give finite columns of shape ({n}, r)"
    columns = np.array(_unmasked(name, "are", value, allowed), order="C")  # one layout: sums run in one order
    if columns.ndim != 2 or columns.shape[0] != n:
        raise ValueError(f"{name} have shape {columns.shape}; {allowed}")
    if bad := int(columns.size - np.isfinite(columns).sum()):
        raise ValueError(f"{bad} of {name} are not finite; {allowed}")
    return columns


def check_vectors(name: str, value: object, n: int) -> np.ndarray:
    """Return one vector of n numbers, or rows of them, as an array; ValueError for anything else."""
    if type(value) is np.ndarray and value.dtype in FLOATS and value.ndim in (1, 2) and value.shape[-1] == n:
        return value
    allowed = f"give real numbers of shape ({n},) or (r, {n})"
    vectors = _unmasked(name, "is", value, allowed)
    if vectors.ndim not in (1, 2) or vectors.shape[-1] != n:
        raise ValueError(f"{name} have shape {vectors.shape}; {allowed}")
    return vectors


def _unmasked(name: str, verb: str, value: object, allowed: str) -> np.ndarray:
    """Return real numbers of any shape, none of them masked; ValueError, which says what is allowed, for others."""
    try:
        hidden, _ = masked(value)
        numbers = np.array([]) if hidden else real_array(value)
    except (OverflowError, TypeError, ValueError):
        raise ValueError(f"{name}={shown(value)} is not allowed; {allowed}") from None
    if hidden:
        raise ValueError(f"{name}={shown(value)} {verb} masked; {allowed}")
    return numbers


def places_by_name(name: str, value: object, names: Sequence[str] | None) -> object:
    """Return the places of features that are given by name, one or several; anything else as it is.

    >>> places_by_name("feature", "b", ["a", "b"]), places_by_name("features", ["b", "a"], ["a", "b"])
    (1, array([1, 0]))
    """
    if isinstance(value, str):
        return _place(name, value, names)
    several = isinstance(value, list | tuple | np.ndarray) and getattr(value, "ndim", 1) == 1 and len(value) > 0
    if several and all(isinstance(each, str) for each in value):  # type: ignore[attr-defined]
        return np.array([_place(name, str(each), names) for each in value])  # type: ignore[attr-defined]
    return value


def _place(argument: str, name: str, names: Sequence[str] | None) -> int:
    """The place of a name; ValueError that says which names are nearest."""
    if names is None:
        raise ValueError(f"{argument}={name!r:.60} is not known: these features have no names; give their places")
    places = [i for i, feature in enumerate(names) if feature == name]
    if len(places) == 1:
        return places[0]
    if places:
        raise ValueError(
            f"{argument}={name!r:.60} is the name of {len(places)} features; give a place, one of {places[:5]}"
        )
    similar = get_close_matches(name, names, 3) or get_close_matches(name.lower(), [n.lower() for n in names], 3)
    nearest = "the nearest are" if similar else "the first are"
    raise ValueError(
        f"{argument}={name!r:.60} is not known; {nearest} {', '.join(f'{n!r:.40}' for n in (similar or names[:3]))}"
    )


def check_places(name: str, value: object, n: int) -> np.ndarray:
    """Return indices of features, or those that a mask chooses; ValueError for anything else, and for none."""
    try:
        places = np.asarray(
            value if isinstance(value, np.ndarray | list | tuple | range) and not masked(value)[0] else 0
        )
    except ValueError:  # rows of different lengths
        places = np.zeros(())
    if places.dtype == bool and places.shape == (n,):  # a mask and the indices 0 and 1 are different features
        places = np.flatnonzero(places)
    fits = places.ndim == 1 and places.size and places.dtype.kind in "iu"
    if not (fits and places.min() >= 0 and places.max() < n):
        allowed = f"at least one, whole numbers from 0 to {n - 1} or a mask of {n}"
        raise ValueError(f"{name}={shown(value)} are not allowed; give features, {allowed}")
    return places


def real_array(value: object) -> np.ndarray:
    """Return real numbers as doubles; TypeError for text, times and complex numbers, which NumPy would convert.

    >>> real_array([1, 2.5]), real_array(np.array([True]))
    (array([1. , 2.5]), array([1.]))
    >>> real_array(["1"])
    Traceback (most recent call last):
        ...
    TypeError: not real numbers
    """
    array = np.asarray(value)
    if non_numbers(array):
        raise TypeError("not real numbers")
    return array.astype(np.float64)


def non_numbers(values: np.ndarray, welcome: Callable[[object], bool] = lambda value: False) -> list[object]:
    """Return values that are no real numbers, nor ``welcome``: objects, or the dtype of all.

    >>> non_numbers(np.array([1, None, "x"], dtype=object)), non_numbers(np.array(["x"])), non_numbers(np.array([True]))
    ([None, 'x'], [dtype('<U1')], [])
    """
    if values.dtype == object:
        return [v for v in values.ravel() if not isinstance(v, Real | np.bool_) and not welcome(v)]
    return [] if values.dtype.kind in "biuf" else [values.dtype]


def is_table(value: object) -> bool:
    """Whether it has columns that may differ in type."""
    return hasattr(value, "columns") and hasattr(value, "to_numpy")


def masked(value: object, depth: int = MAX_DEPTH) -> tuple[int, int]:
    """Return the number of masked values, in a masked array or in a container of some, and of all values.

    An array made of them would show what the mask hides.
    """
    if isinstance(value, np.ma.MaskedArray):
        return int(np.ma.count_masked(value)), value.size
    if isinstance(value, str | bytes | bytearray | memoryview | Mapping) or is_table(value) or not depth:
        return 0, 1
    if hasattr(value, "__array__") and not isinstance(value, np.ndarray | np.generic):
        try:
            array = np.asanyarray(value)
        except (TypeError, ValueError):
            return 0, 1
        return masked(array, depth)
    if isinstance(value, np.ndarray):
        parts = value.ravel().tolist() if value.dtype == object else []
    else:
        sized: Any = value if hasattr(value, "__len__") and hasattr(value, "__getitem__") else ()
        parts = list(sized)
    if set(map(type, parts)) <= PLAIN:
        return 0, max(1, len(parts))
    counts = [masked(part, depth - 1) for part in parts]
    return sum(hidden for hidden, _ in counts), sum(total for _, total in counts)


def _a(noun: str) -> str:
    return f"an {noun}" if noun.startswith(("a", "e", "i", "o", "u", "nd")) else f"a {noun}"
