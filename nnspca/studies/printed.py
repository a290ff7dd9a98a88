"""The numbers that the papers print, with their place, and the table that compares them with ours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nnspca.studies.table import Cell, Column, StudyTable


@dataclass(frozen=True)
class Printed:
    """One printed number."""

    study: str  # that it belongs to
    what: str  # the quantity, in plain words
    value: float
    where: str  # its place in the paper
    wording: str = ""  # its precision: "at least", "nearly", "read off the figure"; empty for a plain number
    k: int | None = None  # its cardinality
    upper_bound: bool = False  # whether it is an upper bound on the quantity

    @property
    def paper(self) -> str:
        """Name of the paper."""
        return self.study.partition("-")[0]


_GUARANTEE = "share of the optimum that Alg. 3 reaches"

PRINTED: tuple[Printed, ...] = (
    Printed("asteris2014-fig4", f"{_GUARANTEE}, k = 180", 0.58, "section 7, CBCL", "at least", 180),
    Printed("asteris2014-fig5", f"{_GUARANTEE}, k = 50", 0.446, "section 7, Leukemia", "at least", 50),
    Printed("asteris2014-fig6", f"{_GUARANTEE}, k = 20", 0.86, "section 7, LRS", "at least", 20),
    Printed("asteris2014-fig6", f"{_GUARANTEE}, k = 90", 0.93, "section 7, LRS", "nearly", 90),
    Printed("asteris2014-fig1", "crossings of four curves and zero", 10, "section 4.1", "C(n+1, 2)"),
    Printed(
        "asteris2014-fig1",
        "candidate supports for n = 4, d = 2",
        40,
        "section 4.1",
        "at most 4 C(n+1, 2)",
        upper_bound=True,
    ),
    Printed("asteris2011-fig1", "cells for N = 4, K = 2", 12, "section III-B"),
    Printed("sigg2008-fig3-left", "emPCA (nn): mean seconds for K up to 100", 0.4, "section 5.2", "± 0.15"),
    Printed("sigg2008-fig3-left", "NSPCA: mean seconds for K up to 100", 24.0, "section 5.2", "± 14.7"),
)


def of(study: str) -> tuple[Printed, ...]:
    """Return the numbers that the paper prints about one study.

    >>> [p.value for p in of("asteris2014-fig6")]
    [0.86, 0.93]
    """
    return tuple(p for p in PRINTED if p.study == study)


def compare(pairs: Iterable[tuple[Printed, Cell, Cell]], ours: str, better: str = "", note: str = "") -> StudyTable:
    """Return the table ``"printed"``: the paper's numbers, ours measured in the same way, and the differences.

    For a printed upper bound, the table states whether ours is below it. Each pair has our value
    measured as in the paper, headed ``ours``, and a second value measured in our way, headed
    ``better``: no such column if that is empty.
    """
    columns = (
        Column("what", "What"),
        Column("where", "In the paper"),
        Column("wording", "Wording"),
        Column("printed", "Printed", 3),
        Column("ours", ours, 3),
        Column("difference", "Ours − printed", 3),
        Column("better", better, 4, "down"),
    )
    rows: list[tuple[Cell, ...]] = []
    for p, value, second in pairs:
        difference: Cell = value - p.value if isinstance(value, int | float) else None
        if p.upper_bound and isinstance(value, int | float):
            difference = "below it, as expected" if value <= p.value else "above it"
        rows.append((p.what, p.where, p.wording, p.value, value, difference, second))
    table = StudyTable("printed", "The paper's numbers beside ours", columns, tuple(rows), note=note)
    unused = {"wording": any(row[2] for row in rows), "better": bool(better)}
    return table.without(*(name for name, is_used in unused.items() if not is_used))
