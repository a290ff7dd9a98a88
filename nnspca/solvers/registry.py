"""METHODS: the registry of solvers and their options that pages, documentation and tests read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from inspect import signature
from typing import Any

from nnspca.control.arguments import Method, check_choice, check_flag, check_number, check_whole
from nnspca.errors import UnknownOption
from nnspca.result import Component, Components
from nnspca.result.wording import with_fields
from nnspca.solvers.best import best
from nnspca.solvers.comparators import dspca, elastic_net, nmf, nmf_joint, pca, pca_joint, scotlass, thresholding
from nnspca.solvers.coordinate_descent import coordinate_descent
from nnspca.solvers.coordinate_descent import joint as coordinate_descent_joint
from nnspca.solvers.em import em
from nnspca.solvers.exact import exact, greedy
from nnspca.solvers.low_rank import FLAT, enumeration, epsilon_net, spannogram


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
                raise UnknownOption(f"method {self.name!r} has no option {name!r}{where}; its options: {allowed}{hint}")
        return {name: option.check(options.get(name, option.default)) for name, option in known.items()}


with_fields(MethodInfo, OptionInfo)

__all__ = ["METHODS", "MethodInfo", "OptionInfo"]

RANK = OptionInfo("rank", int, 3, "How many leading eigenvectors the search works with.", 1, 8)
FLAT_HELP = "flat: A is σI and a matrix of that rank; σ, the next eigenvalue, is taken off the leading ones first."
NOISE = OptionInfo("noise", str, "none", FLAT_HELP, choices=("none", FLAT))
RENORMALISE = OptionInfo("renormalise", bool, True, "Make the loadings optimal for the chosen features.")

METHODS: dict[Any, MethodInfo] = {
    info.name: info
    for info in (
        MethodInfo(
            "best",
            "Multistart (default)",
            "Tries many starts, climbs from each, then swaps features while that helps.",
            "this library",
            (
                OptionInfo("restarts", int, 16, "Random starts of each kind.", 1, 200),
                OptionInfo("leaders", int, 4, "How many of the best points are polished by swaps.", 1, 50),
            ),
            best,
            includes=True,
        ),
        MethodInfo(
            "spannogram",
            "Spannogram (exact rank d)",
            "Keeps the d strongest directions of the data and solves what is left exactly.",
            "Asteris et al. 2014, Alg. 1; 2011 without the sign constraint",
            (
                RANK,
                NOISE,
                OptionInfo("polish", bool, False, "Improve the rank-d optimum on the full data by swaps."),
            ),
            spannogram,
        ),
        MethodInfo(
            "enumeration",
            "Enumeration (every vertex)",
            "Tries every support that can be the best in the d strongest directions. For small n.",
            "Asteris et al. 2014, Alg. 1 and 2; Asteris et al. 2011 without the sign constraint",
            (OptionInfo("rank", int, 2, "How many leading eigenvectors the search works with.", 1, 6), NOISE),
            enumeration,
        ),
        MethodInfo(
            "epsilon-net",
            "ε-net (sampled rank d)",
            "Tries thousands of random directions of the d strongest ones and keeps the best.",
            "Asteris et al. 2014, Alg. 3",
            (
                RANK,
                NOISE,
                OptionInfo("epsilon", float, 0.1, "Share of the rank-d optimum that may be missed.", 0.01, 0.9),
                OptionInfo("max_samples", int, 20_000, "Most directions to try, where ε^-d ln n is more.", 1, 10**7),
            ),
            epsilon_net,
        ),
        MethodInfo(
            "em",
            "EM",
            "Alternates between projecting the data and re-estimating the loadings.",
            "Sigg & Buhmann 2008, Alg. 2",
            (
                OptionInfo("restarts", int, 10, "Random starts (one is enough without the sign constraint).", 1, 1000),
                RENORMALISE,
                OptionInfo("max_iter", int, 500, "Largest number of steps of one run.", 1, 100_000),
                OptionInfo("tol", float, 1e-10, "A run stops when its direction changes by less than this.", 0.0, 0.1),
            ),
            em,
        ),
        MethodInfo(
            "coordinate-descent",
            "NSPCA (coordinate descent)",
            "Sets one loading at a time; two prices keep components apart and sparse. Honours sign and k.",
            "Zass & Shashua 2006; k by bisection as in Asteris et al. 2014",
            (
                OptionInfo("alpha", float, 1.0, "Price of overlap, relative to the largest eigenvalue.", 1e-4, 1e6),
                OptionInfo("beta", float, 0.01, "Price of a loading, relative to it, if k is not matched.", 0.0, 4.0),
                OptionInfo("match_k", bool, True, "Find the price of a loading at which k features remain."),
                OptionInfo(
                    "cut", bool, True, "Try runs of more than k too, cut to k; else exactly k are left, or none."
                ),
                OptionInfo("restarts", int, 2, "Random starts.", 1, 100),
                # In a joint run α affects every loading: columns that overlap would become equal if each
                # were made optimal by itself.
                replace(RENORMALISE, alone=True),
                OptionInfo("max_iter", int, 60, "Largest number of sweeps of one run.", 1, 10_000),
                OptionInfo("tol", float, 1e-5, "A run stops when it gains less than this share.", 0.0, 0.1),
            ),
            coordinate_descent,
            signs=(True,),
            joint=coordinate_descent_joint,
        ),
        MethodInfo(
            "greedy",
            "Greedy (PathSPCA)",
            "Adds one feature after another: that of largest covariance with the component so far. Honours sign and k.",
            "d'Aspremont et al. 2008 (path); Moghaddam et al. 2006 (full)",
            (
                OptionInfo(
                    "criterion",
                    str,
                    "path",
                    "How the next feature is chosen: by its covariance with the component, or by trying them all.",
                    choices=("path", "full"),
                ),
            ),
            greedy,
            includes=True,
        ),
        MethodInfo(
            "elastic-net",
            "SPCA (elastic net)",
            "Regresses the leading scores on a few features (scikit-learn). Honours sign and k.",
            "Zou, Hastie & Tibshirani 2006",
            (
                OptionInfo("ridge", float, 0.01, "Ridge penalty, relative to the mean variance.", 1e-6, 100.0),
                OptionInfo("rounds", int, 10, "Largest number of regressions.", 1, 200),
                RENORMALISE,
            ),
            elastic_net,
        ),
        MethodInfo(
            "thresholding",
            "Thresholded PCA",
            "Cuts the leading eigenvector to its k largest loadings.",
            "Cadima & Jolliffe 1995",
            (RENORMALISE,),
            thresholding,
        ),
        MethodInfo(
            "scotlass",
            "SCoTLASS",
            "Limits the sum of the loadings instead of their number. Honours sign and k. For few features.",
            "Jolliffe, Trendafilov & Uddin 2003",
            (OptionInfo("restarts", int, 4, "Starts: the leading eigenvector and random ones.", 1, 100), RENORMALISE),
            scotlass,
            max_features=600,
        ),
        MethodInfo(
            "dspca",
            "DSPCA",
            "Relaxes the problem to a semidefinite one and rounds. Honours sign and k. For few features.",
            "d'Aspremont et al. 2007",
            (RENORMALISE,),
            dspca,
            max_features=150,
        ),
        MethodInfo(
            "nmf",
            "NMF",
            "Parts that add up to the positive part of the covariance (scikit-learn), cut to k. Not a maximiser.",
            "Lee & Seung 1999",
            (OptionInfo("max_iter", int, 200, "Largest number of steps.", 1, 10_000),),
            nmf,
            signs=(True,),
            joint=nmf_joint,
        ),
        MethodInfo(
            "exact",
            "Exact (branch and bound)",
            "The optimum itself, by trying every case that could hold it. For a few dozen features at most.",
            "this library; Moghaddam et al. 2006 without the sign constraint",
            (),
            exact,
            includes=True,
            max_features=24,
        ),
        MethodInfo(
            "pca",
            "PCA",
            "The leading eigenvector: no sign constraint, no sparsity. No component has more variance.",
            "Pearson 1901",
            (),
            pca,
            signs=(False,),
            feasible=False,
            joint=pca_joint,
        ),
    )
}
