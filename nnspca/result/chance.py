"""What chance gives: the variance that the same search finds once each column is shuffled by itself."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from nnspca.result import rounded, wording
from nnspca.result.components import Components
from nnspca.result.wording import Display, Figure

LEVEL = 0.05  # p-values up to this say that it is more than chance
TIE = 1e-9  # relative difference that the order of a sum can make
TESTED = "p: how often independent columns with these values would reach as much"


@dataclass(frozen=True, eq=False, repr=False)
class ParallelAnalysis(Display):
    """What a search finds in the data, and in the same data with each column shuffled by itself.

    A p-value tests that the columns are independent of each other, the samples exchangeable. It is valid for the k,
    or the part, that it stands at; not for the smallest of several.

    Examples
    --------
    >>> import nnspca
    >>> data = nnspca.datasets.load("synthetic-spiked")
    >>> chance = nnspca.parallel_analysis(data, 8, draws=19)
    >>> chance.null.shape, float(chance.p_value), bool(chance.is_more)
    ((19,), 0.05, True)
    """

    k: tuple[int, ...]
    #: Shape () for one k and one part; (len(k),) for several k, (r,) for several parts. Share of the total variance.
    observed: np.ndarray
    null: np.ndarray  #: Shape (draws, …). The same of each draw of shuffled columns.
    n: int  #: Number of features; 1/n is the mean share of one
    method: str  #: The solver of both sides
    parts: Components | None = None  #: What was found in the data: of the largest k
    seed: int = 0
    seconds: float = field(default=0.0, compare=False)
    stopped: bool = False  #: True when ``should_stop`` ended the call early: there are fewer draws than requested

    @property
    def draws(self) -> int:
        """Number of draws."""
        return len(self.null)

    @cached_property
    def p_value(self) -> np.ndarray:
        """``(1 + number of draws that reach as much) / (1 + draws)``, of the shape of :attr:`observed`."""
        reached = (self.null >= self.observed * (1 - TIE)).sum(axis=0)
        return (1 + reached) / (1 + self.draws)

    def quantile(self, level: float = 1 - LEVEL) -> np.ndarray:
        """Return the least share that at most ``1 - level`` of independent columns exceed; infinite for too few draws.

        It is the value of rank ``level (1 + draws)``, rounded up: the data exceed it just where the p-value is at
        most ``1 - level``.
        """
        rank = math.ceil(level * (1 + self.draws) - TIE)
        if rank > self.draws:
            return np.full(np.shape(self.observed), np.inf)[()]
        return np.sort(self.null, axis=0)[max(rank, 1) - 1]

    @property
    def is_more(self) -> np.ndarray:
        """Whether it is more than chance, ``p_value <= 0.05``, of the shape of :attr:`observed`."""
        return self.p_value <= LEVEL

    @property
    def suggested_n_components(self) -> int:
        """Number of parts, from the first, before one that is no more than chance."""
        return int(np.logical_and.accumulate(np.atleast_1d(self.is_more)).sum())

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat row for each k, or for each part."""
        what = "k" if len(self.k) > 1 else "part"
        places = self.k if len(self.k) > 1 else range(1, np.size(self.observed) + 1)
        columns = (np.atleast_1d(each) for each in (self.observed, self.quantile(), self.p_value))
        return [
            {what: place, "observed": float(share), "shuffled": float(reach), "p_value": float(p)}
            for place, share, reach, p in zip(places, *columns, strict=True)
        ]

    def summary(self) -> str:
        """Return plain sentences: what shuffled columns reach beside the data, and what the p-value tests."""
        if not self.draws:
            return "Nothing was shuffled before the call was stopped."
        rows, said = self.to_records(), []
        for row in rows:
            what, place = next(iter(row.items()))
            single = (place if what == "k" else self.k[0]) == 1
            text = beside(row["observed"], row["shuffled"], row["p_value"], self.n, single=single)
            said.append(f"{what.capitalize() if what == 'part' else 'k ='} {place}: {text}" if len(rows) > 1 else text)
        return f"{' '.join(said)} ({TESTED}; {wording.plural(self.draws, 'draw')}, solver “{self.method}”.)"

    def _figure(self, figures: Any) -> Figure:
        """What the data and shuffled columns explain, by k or part."""
        rows = self.to_records()
        what, *_ = rows[0]
        names = {"the data": "observed", "shuffled columns (95 % quantile)": "shuffled"}
        curves = {name: [(row[what], row[of]) for row in rows] for name, of in names.items()}
        return figures.sweep(curves, (), what, "share of variance")

    def _lines(self) -> list[str]:
        return [f"ParallelAnalysis: {wording.plural(self.draws, 'draw')}{self._ended}", self.summary()]


def beside(observed: float, reach: float, p: float, n: int, *, single: bool = False) -> str:
    """Return a sentence: that a share of the variance is no more than chance, or what shuffled columns reach beside it.

    >>> beside(0.2, 0.1, 0.048, 50)
    'More than chance: 20 % of the variance, where shuffled columns reach 10 % and one of 50 features 2 % (p = 0.048).'
    >>> beside(0.1, 0.11, 0.38, 40)
    'No more than chance: shuffled columns reach as much, 11 % (p = 0.38).'
    """
    mean = f"one of {n:,} features {rounded.percent(1 / n)}"
    if single:  # no shuffling changes its variance
        return f"{rounded.percent(observed)} of the variance, where {mean} on average."
    if p <= LEVEL:
        most = rounded.percent(reach, up=True)
        share = rounded.percent(observed)
        return (
            f"More than chance: {share} of the variance, where shuffled columns reach {most} and {mean} (p = {p:.2g})."
        )
    return f"{chance_opening(reach)} (p = {p:.2g})."


def chance_opening(reach: float) -> str:
    """Return the beginning of a sentence about what is no more than chance."""
    most = f", {rounded.percent(reach)}" if math.isfinite(reach) else ""
    return f"No more than chance: shuffled columns reach as much{most}"
