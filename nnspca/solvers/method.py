"""The registry entry of a method and its options: enough to check a call, and to show controls for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from inspect import signature

import numpy as np

from nnspca.control.arguments import Method, real, shown
from nnspca.errors import UnknownOption
from nnspca.result import Component, Components


@dataclass(frozen=True)
class OptionInfo:
    """One option of a method: enough to check a value, and to draw a control for it.

    Examples
    --------
    >>> import nnspca
    >>> rank = nnspca.METHODS["spannogram"].options[0]
    >>> rank.name, rank.default, rank.low, rank.high
    ('rank', 3, 1, 8)
    """

    name: str  #: Keyword of :func:`nnspca.solve`
    kind: type  #: ``int``, ``float``, ``bool`` or ``str``
    default: int | float | bool | str  #: Default value
    help: str  #: One line, in plain words
    low: float | None = None  #: Smallest and largest value allowed, both included
    high: float | None = None
    choices: tuple[str, ...] = ()  #: Allowed values of a ``str`` option
    alone: bool = False  #: Whether it applies to single components only, not to joint runs

    def check(self, value: object) -> int | float | bool | str:
        """Return ``value`` as this option's kind, or raise ValueError naming what is allowed."""
        if self.kind is bool and isinstance(value, bool | np.bool_):
            return bool(value)
        if self.kind is str and isinstance(value, str) and value in self.choices:
            return value
        number = real(value) if self.kind in (int, float) else None
        if number is not None:
            low = -math.inf if self.low is None else self.low
            high = math.inf if self.high is None else self.high
            if low <= number <= high and math.isfinite(number) and (self.kind is float or number.is_integer()):
                return int(number) if self.kind is int else number
        raise ValueError(f"option {self.name}={shown(value)} is not allowed; give {self._allowed()}")

    def _allowed(self) -> str:
        """Say in words which values pass :meth:`check`."""
        if self.kind is bool:
            return "True or False"
        if self.kind is str:
            return "one of " + ", ".join(repr(c) for c in self.choices)
        noun = "a whole number" if self.kind is int else "a number"
        if self.low is not None and self.high is not None:
            return f"{noun} from {self.low:g} to {self.high:g}"
        return f"{noun} of at least {self.low:g}" if self.low is not None else noun


@dataclass(frozen=True)
class MethodInfo:
    """One method: its name, its source, its abilities, and its function.

    Examples
    --------
    >>> import nnspca
    >>> info = nnspca.METHODS["epsilon-net"]
    >>> info.paper, info.signs
    ('Asteris et al. 2014, Alg. 3', (True, False))
    """

    name: Method  #: Key in :data:`METHODS`
    title: str  #: For menus and legends
    summary: str  #: One sentence for readers new to it
    paper: str  #: Where it comes from, with the algorithm's number
    signs: tuple[bool, ...]  #: The values of ``nonnegative`` it supports
    options: tuple[OptionInfo, ...]
    solver: Callable[..., Component]  #: ``solver(problem, *, rng, monitor, **options) -> Component``
    feasible: bool = True  #: Whether its components satisfy both the sign constraint and the cardinality
    includes: bool = False  #: Whether it takes features that every support contains (``include``)
    max_features: int | None = None  #: Most features it takes; None for any number
    #: ``joint(problem, n_components, *, rng, monitor, **options) -> Components`` where the method computes
    #: several components at once; the door (``nnspca.decompose``, deflation "joint") has checked all
    joint: Callable[..., Components] | None = None

    @property
    def multi(self) -> bool:
        """Whether it computes several components jointly."""
        return self.joint is not None

    def checked(
        self, options: Mapping[str, object], call: Callable[..., object], *, joint: bool = False
    ) -> dict[str, object]:
        """Return every option of a call with its value, defaults filled in; ValueError for a wrong one."""
        known = {option.name: option for option in self.options if not (joint and option.alone)}
        for name in options:
            if name not in known:
                allowed = ", ".join(known) or "it has none"
                where = " with deflation 'joint'" if joint else ""
                near = get_close_matches(name, [*known, *signature(call).parameters], 3)
                hint = f"; the nearest of {call.__name__} are {', '.join(near)}" if near else ""
                raise UnknownOption(f"method {self.name!r} has no option {name!r}{where}; its options: {allowed}{hint}")
        return {name: option.check(options.get(name, option.default)) for name, option in known.items()}
