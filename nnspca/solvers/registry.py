"""METHODS: the registry of solvers and their options that pages, documentation and tests read."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from nnspca.control.arguments import Method, check_choice, check_flag, check_number, check_whole, shown
from nnspca.control.fields import with_fields
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
        name = f"option {self.name}"
        if self.kind is bool:
            return check_flag(name, value)
        if self.kind is str:
            check_choice(name, value, self.choices)
            return str(value)
        assert self.low is not None and self.high is not None
        if self.kind is int:
            return check_whole(name, value, int(self.low), int(self.high))
        return check_number(name, value, self.low, self.high, "a number")


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
    options: tuple[OptionInfo, ...]
    solver: Callable[..., Component]  #: ``solver(problem, *, rng, monitor, **options) -> Component``
    signs: tuple[bool, ...] = (True, False)  #: The values of ``nonnegative`` it supports
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
                given = f"{name}={shown(options[name])}"
                raise UnknownOption(f"method {self.name!r} has no option {given}{where}; its options: {allowed}{hint}")
        return {name: option.check(options.get(name, option.default)) for name, option in known.items()}


with_fields(MethodInfo, OptionInfo)


def _read() -> dict[Any, MethodInfo]:
    """Return the methods of methods.toml by name, each with its options and functions."""
    entries = tomllib.loads(Path(__file__).with_name("methods.toml").read_text(encoding="utf-8"))

    def option(said: str | dict[str, Any]) -> OptionInfo:
        fields = entries["shared"][said] if isinstance(said, str) else said
        return OptionInfo(**{**fields, "kind": type(fields["default"]), "choices": tuple(fields.get("choices", ()))})

    def made(name: Any, info: dict[str, Any]) -> MethodInfo:
        fields = {**info, "options": tuple(map(option, info.get("options", ())))}
        fields |= {what: _function(info[what]) for what in ("solver", "joint") if what in info}
        return MethodInfo(name, **{**fields, "signs": tuple(info.get("signs", (True, False)))})

    return {name: made(name, info) for name, info in entries["methods"].items()}


def _function(path: str) -> Callable[..., Any]:
    module, _, name = path.rpartition(".")
    function: Callable[..., Any] = getattr(import_module(f"nnspca.solvers.{module}"), name)
    return function


METHODS = _read()
