"""Zass & Shashua (2006), Fig. 5: six components of the pit props, by six methods."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from nnspca.components._decompose import OnPart, decompose
from nnspca.covariance import Covariance
from nnspca.covariance.span import cumulative_variance
from nnspca.result import Component
from nnspca.studies.picture import Line
from nnspca.studies.study import Study, Task
from nnspca.studies.table import Cell, Column, StudyTable, plotted

PARTS = 6  # components of each method
SIZES = (7, 4, 4, 1, 1, 1)  # loadings of each component, those of SPCA in Zou et al.


@dataclass(frozen=True)
class Entrant:
    """One method of the figure, and how it is run here."""

    name: str
    title: str
    method: str
    joint: bool = False
    nonnegative: bool = False


ENTRANTS = (
    Entrant("pca", "PCA", "pca", joint=True),
    Entrant("scotlass", "SCoTLASS", "scotlass"),
    Entrant("spca", "SPCA", "elastic-net"),
    Entrant("dspca", "DSPCA", "dspca"),
    Entrant("espca", "ESPCA (exact)", "exact"),
    Entrant("nspca", "NSPCA (nonnegative)", "coordinate-descent", joint=True, nonnegative=True),
)


def components(cov: Covariance, entrant: Entrant, task: Task, on_part: OnPart, start: float, end: float) -> np.ndarray:
    """Return the loadings of one method's components, one column each."""
    count = min(PARTS, cov.n_features)
    sizes: int | list[int] = [min(k, cov.n_features) for k in SIZES[:count]]
    options: dict[str, Any] = {}
    if entrant.joint:
        sizes = cov.n_features
    if entrant.name == "nspca":
        options = {"match_k": False, "alpha": 3.0, "beta": 0.0, "restarts": 20 if task.full else 5, "max_iter": 1000}
    return decompose(
        cov,
        count,
        sizes,
        entrant.method,
        deflation="joint" if entrant.joint else "projection",
        nonnegative=entrant.nonnegative,
        on_part=None if entrant.joint else on_part,
        **task.settings(start, end),
        **options,
    ).loadings


class _Tally:
    """The components so far, and their tables."""

    def __init__(self, cov: Covariance) -> None:
        self.cov = cov
        self.components: dict[str, np.ndarray] = {}

    def tables(self) -> tuple[StudyTable, ...]:
        variance, size = {}, {}
        for name, U in self.components.items():
            variance[name] = (100 * cumulative_variance(self.cov, U) / self.cov.trace).tolist()
            size[name] = np.cumsum(np.count_nonzero(U, axis=0)).tolist()
        entrants = [e for e in ENTRANTS if e.name in self.components]
        sparse = [e for e in entrants if e.name != "pca"]
        cumulative = self._table(
            "variance", "(a) Cumulative variance", entrants, variance, "share of the total variance (%)", 1
        )
        used = self._table("cardinality", "(b) Cumulative cardinality", sparse, size, "nonzero loadings", None)
        return cumulative, used

    def _table(
        self,
        name: str,
        title: str,
        entrants: list[Entrant],
        values: dict[str, list[float]],
        axis: str,
        digits: int | None,
    ) -> StudyTable:
        columns = zip_longest(*(values[e.name] for e in entrants))
        rows: list[tuple[Cell, ...]] = [(r, *cells) for r, cells in enumerate(columns, start=1)]
        lines = [Line(e.name, e.title, colour=ENTRANTS.index(e)) for e in entrants]
        x, axes = Column("parts", "Components"), ("number of components", axis)
        return plotted(name, title, x, lines, rows, axes, digits=digits)


def _pit_props(task: Task) -> tuple[StudyTable, ...]:
    """Find six components by each method."""
    tally = _Tally(task.covariance())
    for place, entrant in enumerate(ENTRANTS):
        if task.monitor.stop():
            break
        columns: list[np.ndarray] = []

        def add(part: Component, name: str = entrant.name, columns: list[np.ndarray] = columns) -> None:
            columns.append(part.loadings)
            tally.components[name] = np.column_stack(columns)
            task.show(tally.tables())

        span = place / len(ENTRANTS), (place + 1) / len(ENTRANTS)
        tally.components[entrant.name] = components(tally.cov, entrant, task, add, *span)
        task.show(tally.tables())
    return tally.tables()


STUDIES = (
    Study(
        "zass2006-fig5",
        "zass2006",
        "Fig. 5",
        "Pit props: the cost of sparsity and sign",
        "Thirteen measurements on pit props, the oldest test of sparse PCA. Six components are found by PCA, by four "
        "sparse methods without sign constraint, and by NSPCA, whose loadings are nonnegative. The figures show the "
        "variance that the first components explain together, and their number of loadings. Each constraint costs "
        "variance: PCA is above the sparse methods, and these are first above NSPCA, which comes closer with every "
        "component.",
        "All methods are run again here. The four without sign constraint have the same numbers of loadings, 7, 4, 4, "
        "1, 1, 1 (those of SPCA in its authors' paper), so that they differ only in their choice of features; the "
        "original figure uses the numbers that each method's authors published. Each component is projected out before "
        "the next is found. ESPCA is the exact optimum at each step. NSPCA runs at α = 3 λ₁ and β = 0; the paper does "
        "not print its prices. Variance is that of the space spanned, whereas some older papers add up the variances "
        "of overlapping components. The curves of the paper print no numbers.",
        _pit_props,
        ("pitprops",),
        ("pitprops",),
        0.2,
    ),
)
