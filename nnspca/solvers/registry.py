"""METHODS: the one list of solvers that pages, documentation and tests read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nnspca.result import Component


@dataclass(frozen=True)
class OptionInfo:
    """One option of a method: enough to check a value, and to draw a control for it.

    Attributes
    ----------
    name : str
        Keyword of :func:`nnspca.solve`.
    kind : type
        ``int``, ``float``, ``bool`` or ``str``.
    default : object
        Value used when the caller says nothing.
    low, high : float or None
        Smallest and largest value allowed, both included.
    choices : tuple
        Allowed values of a ``str`` option.
    help : str
        One line, in plain words.
    """

    name: str
    kind: type
    default: int | float | bool | str
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    def check(self, value: object) -> int | float | bool | str:
        """Return ``value`` as this option's kind, or raise ValueError naming what is allowed."""
        allowed = self._allowed()
        if self.kind is bool:
            ok = isinstance(value, bool)
        elif self.kind is str:
            ok = isinstance(value, str) and value in self.choices
        else:
            ok = isinstance(value, int | float) and not isinstance(value, bool)
            ok = ok and (self.kind is float or float(value) == int(value))  # type: ignore[arg-type]
            ok = ok and (self.low is None or value >= self.low)  # type: ignore[operator]
            ok = ok and (self.high is None or value <= self.high)  # type: ignore[operator]
        if not ok:
            raise ValueError(f"option {self.name}={value!r} is not allowed; give {allowed}")
        return self.kind(value)

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
    """One method: how to name it, where it comes from, what it can do, and the function itself.

    Attributes
    ----------
    name : str
        Key in :data:`METHODS`.
    title : str
        For menus and legends.
    summary : str
        One sentence for a reader who has not met it.
    paper : str
        Where it comes from, with the algorithm's number.
    signs : tuple of bool
        The values of ``nonnegative`` it supports.
    multi : bool
        Whether it computes several components jointly.
    options : tuple of OptionInfo
    solver : callable
        ``solver(cov, k, *, nonnegative, rng, watch, **options) -> Component``.
    """

    name: str
    title: str
    summary: str
    paper: str
    signs: tuple[bool, ...]
    options: tuple[OptionInfo, ...]
    solver: Callable[..., Component]
    multi: bool = False
