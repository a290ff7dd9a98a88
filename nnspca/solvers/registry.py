"""METHODS: the one list of solvers that pages, documentation and tests read."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real

import numpy as np

from nnspca.result import Component, Components
from nnspca.solvers.best import best
from nnspca.solvers.em import em
from nnspca.solvers.enumeration import enumeration
from nnspca.solvers.epsilon_net import epsilon_net
from nnspca.solvers.pca import pca, thresholding
from nnspca.solvers.spannogram import spannogram


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
        if self.kind is bool and isinstance(value, bool | np.bool_):
            return bool(value)
        if self.kind is str and isinstance(value, str) and value in self.choices:
            return value
        if self.kind in (int, float) and isinstance(value, Real) and not isinstance(value, bool):
            number = float(value)
            low = -math.inf if self.low is None else self.low
            high = math.inf if self.high is None else self.high
            if low <= number <= high and (self.kind is float or number.is_integer()):
                return int(number) if self.kind is int else number
        raise ValueError(f"option {self.name}={value!r} is not allowed; give {self._allowed()}")

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
    options : tuple of OptionInfo
    solver : callable
        ``solver(cov, k, *, nonnegative, rng, watch, **options) -> Component``.
    feasible : bool
        Whether its components honour both the sign constraint and the cardinality asked for.
    joint : callable or None
        ``joint(cov, n_components, k, *, nonnegative, rng, watch, **options) -> Components`` where the method
        computes several components at once; the door (``nnspca.decompose``, deflation "joint") has checked all.
    """

    name: str
    title: str
    summary: str
    paper: str
    signs: tuple[bool, ...]
    options: tuple[OptionInfo, ...]
    solver: Callable[..., Component]
    feasible: bool = True
    joint: Callable[..., Components] | None = None

    @property
    def multi(self) -> bool:
        """Whether it computes several components jointly."""
        return self.joint is not None

    def checked(self, options: dict[str, object]) -> dict[str, object]:
        """Return every option with its value, defaults filled in; ValueError for a wrong one."""
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                allowed = ", ".join(known) or "it has none"
                raise ValueError(f"method {self.name!r} has no option {name!r}; its options: {allowed}")
        return {name: option.check(options.get(name, option.default)) for name, option in known.items()}


RANK = OptionInfo("rank", int, 3, "How many leading eigenvectors the search works with.", 1, 8)
RENORMALISE = OptionInfo("renormalise", bool, True, "Make the weights optimal for the features that were chosen.")

METHODS: dict[str, MethodInfo] = {
    info.name: info
    for info in (
        MethodInfo(
            "best",
            "Best of all",
            "Tries many starts, climbs from each, then swaps features while that helps.",
            "this library",
            (True, False),
            (
                OptionInfo("restarts", int, 16, "Random starts of each kind.", 1, 200),
                OptionInfo("leaders", int, 4, "How many of the best points are polished by swaps.", 1, 50),
            ),
            best,
        ),
        MethodInfo(
            "spannogram",
            "Spannogram (exact rank d)",
            "Keeps the d strongest directions of the data and solves what is left exactly.",
            "Asteris et al. 2014, Alg. 1; 2011 without sign",
            (True, False),
            (
                RANK,
                OptionInfo("polish", bool, False, "Improve the rank-d optimum on the full data by swaps."),
            ),
            spannogram,
        ),
        MethodInfo(
            "enumeration",
            "Enumeration (every vertex)",
            "Lists every support the d strongest directions can prefer, and tries them all. For small n.",
            "Asteris et al. 2014, Alg. 1 and 2; Asteris et al. 2011 without sign",
            (True, False),
            (OptionInfo("rank", int, 2, "How many leading eigenvectors the search works with.", 1, 6),),
            enumeration,
        ),
        MethodInfo(
            "epsilon-net",
            "ε-net (sampled rank d)",
            "Tries thousands of random directions of the d strongest ones and keeps the best.",
            "Asteris et al. 2014, Alg. 3",
            (True, False),
            (
                RANK,
                OptionInfo("epsilon", float, 0.1, "Share of the rank-d optimum that may be missed.", 0.01, 0.9),
                OptionInfo("max_samples", int, 20_000, "Most directions to try, whatever the theorem asks.", 1, 10**7),
            ),
            epsilon_net,
        ),
        MethodInfo(
            "em",
            "EM",
            "Alternates between projecting the data and re-estimating the weights.",
            "Sigg & Buhmann 2008, Alg. 2",
            (True, False),
            (
                OptionInfo("restarts", int, 10, "Random starts (one is enough without the sign constraint).", 1, 1000),
                RENORMALISE,
                OptionInfo("max_iter", int, 500, "Most steps of one run.", 1, 100_000),
                OptionInfo("tol", float, 1e-10, "A run rests when it turns by less than this.", 0.0, 0.1),
            ),
            em,
        ),
        MethodInfo(
            "thresholding",
            "Thresholded PCA",
            "Cuts the leading eigenvector to its k largest loadings.",
            "Cadima & Jolliffe 1995",
            (True, False),
            (RENORMALISE,),
            thresholding,
        ),
        MethodInfo(
            "pca",
            "PCA",
            "The leading eigenvector: no sign constraint, no sparsity. The ceiling of all others.",
            "Pearson 1901",
            (False,),
            (),
            pca,
            feasible=False,
        ),
    )
}
