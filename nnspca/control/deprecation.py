"""Renamed arguments: the former name is still accepted, with a warning that gives the new one."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


def renamed(**names: str) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Let a function accept arguments by their former names, ``renamed(former="new")``.

    >>> @renamed(ks="k")
    ... def first(k):
    ...     return k[0]
    >>> first(k=[3])
    3
    """

    def wrapped(function: Callable[_P, _T]) -> Callable[_P, _T]:
        @functools.wraps(function)
        def call(*arguments: _P.args, **settings: _P.kwargs) -> _T:
            for former in names.keys() & settings.keys():
                new = names[former]
                if new in settings:
                    raise TypeError(f"{former} is the former name of {new}; give one of the two")
                warnings.warn(f"{former}= is called {new}= since 0.2.0", FutureWarning, stacklevel=2)
                settings[new] = settings.pop(former)
            return function(*arguments, **settings)

        return call

    return wrapped
