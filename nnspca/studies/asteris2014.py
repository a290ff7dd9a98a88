"""Asteris et al. (2014), Figs 1 to 3: the spannogram, the problem on one support, and parts of faces."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from nnspca.spannogram import curves, halfspaces
from nnspca.studies import printed
from nnspca.studies.picture import Curves, Line, Mark, Span
from nnspca.studies.study import Study, Task
from nnspca.studies.table import Cell, Column, StudyTable, plotted

# The four rows shown first on the spannogram page: crossings well apart, curves that cross zero.
ROWS = np.array([[-1.2, -0.4], [0.2, 0.9], [1.9, 0.1], [0.8, 1.9]])
TOP = 2  # k
# Four inequalities whose feasible set is an arc without the leading eigenvector: the hard case of (P₂).
HARD = np.array([[2.0, 0.3], [1.5, -0.6], [-0.5, 1.0], [0.2, 0.4]])


def numbered(support: np.ndarray) -> str:
    """Write a support with curves counted from 1.

    >>> numbered(np.array([0, 3]))
    '{1, 4}'
    """
    return "{" + ", ".join(str(int(i) + 1) for i in support) + "}" if len(support) else "none"


def drawn(title: str, heights: Callable[[np.ndarray], np.ndarray], name: str, y_title: str, **more: Any) -> StudyTable:
    """Return the table and the picture of the four curves over half the circle."""
    phi = np.linspace(-np.pi / 2, np.pi / 2, 361)
    rows = [(float(p), *map(float, row)) for p, row in zip(phi, heights(phi), strict=True)]
    lines = [Line(f"v{i}", name.format(i), mode="lines") for i in range(1, len(ROWS) + 1)]
    x = Column("phi", "φ (radians)", 4)
    return plotted("curves", title, x, lines, rows, ("φ (radians)", y_title), digits=4, **more)


def _spannogram(task: Task) -> tuple[StudyTable, ...]:
    """Draw four curves, their crossings, and where the two largest positive ones change."""
    crossings = curves.crossings(ROWS)
    regions = curves.regions(ROWS, TOP)
    all_regions = tuple(regions.supports())
    half = [(a, min(b, np.pi / 2), top) for a, b, top in all_regions if a < np.pi / 2]
    curves_table = drawn(
        f"The spannogram of four rows; above the curves, the {TOP} largest positive ones",
        lambda phi: curves.values(ROWS, phi),
        "curve {}",
        "height",
        spans=tuple(Span(a, b, numbered(top)) for a, b, top in half),
        edges=tuple(float(a) for a in crossings.angles),
        note="Dashed lines: crossings of two curves, or of one with zero. −v(φ) gives the same curves, negated.",
    )
    rows = tuple((i + 1, a, b, numbered(top)) for i, (a, b, top) in enumerate(all_regions))
    columns = (Column("region"), Column("start", "from φ", 4), Column("end", "to φ", 4), Column("support", "top-2 set"))
    table_of_regions = StudyTable("regions", "Regions of v(φ), then of −v(φ) from φ = π/2 on", columns, rows)
    ours = (len(crossings.angles), regions.candidates())
    possible = sum(math.comb(len(ROWS), size) for size in range(1, TOP + 1))
    note = f"{possible} sets of one or two curves exist; only those that appear in a region can be optimal."
    expected = printed.of("asteris2014-fig1")
    table = printed.compare([(p, o, None) for p, o in zip(expected, ours, strict=True)], "Ours", note=note)
    return curves_table, table_of_regions, table


def _arc(task: Task) -> tuple[StudyTable, ...]:
    """Solve one hard instance of (P₂), and count how often instances are hard."""
    Q = HARD.T @ HARD
    arc, optimum = curves.feasible_arc(HARD, np.arange(len(HARD))), halfspaces.maximise(Q, HARD)
    assert arc is not None
    assert optimum is not None
    value, best = optimum
    ends = [np.array([math.sin(a), math.cos(a)]) for a in arc]
    eigenvalues, vectors = np.linalg.eigh(Q)
    leading = vectors[:, -1] * (1.0 if vectors[0, -1] > 0 else -1.0)
    plane = _plane(arc, best, leading)
    rows = [("u₁, the leading eigenvector", leading, float(eigenvalues[-1]))]
    rows += [(f"end {i + 1} of the arc", c, float(c @ Q @ c)) for i, c in enumerate(ends)]
    rows.append(("optimum of (P₂)", best, value))
    points = StudyTable(
        "points",
        "Objective at the relevant points",
        (
            Column("point", "Point"),
            Column("phi", "φ (radians)", 4),
            Column("value", "c′Qc", 4),
            Column("least", "Least of Rc", 4),
            Column("feasible", "Feasible"),
        ),
        tuple(
            (name, math.atan2(c[0], c[1]), v, float((HARD @ c).min()), bool((HARD @ c).min() >= -1e-12))
            for name, c, v in rows
        ),
    )
    return plane, points, _hardness(task, (plane, points))


def _plane(arc: tuple[float, float], best: np.ndarray, leading: np.ndarray) -> StudyTable:
    """Draw the circle, the feasible arc, and where the optimum lies."""
    turn = np.linspace(-np.pi, np.pi, 181)
    inside = np.linspace(*arc, 61)
    edge: list[tuple[float | None, float | None]] = []
    for r in HARD:
        along = np.array([-r[1], r[0]]) / np.hypot(*r)
        edge += [(-1.35 * along[0], -1.35 * along[1]), (1.35 * along[0], 1.35 * along[1]), (None, None)]
    rows: list[tuple[Cell, ...]] = [(math.sin(t), math.cos(t), None, None, None, None) for t in turn]
    rows += [(None, None, math.sin(t), math.cos(t), None, None) for t in inside]
    rows += [(None, None, None, None, x, y) for x, y in edge]
    names = ("circle1", "circle2", "arc1", "arc2", "edge1", "edge2")
    return StudyTable(
        "plane",
        "An instance of (P₂): the best direction of the quadratic is not allowed",
        tuple(Column(name) for name in names),
        tuple(rows),
        Curves(
            "circle1",
            (
                Line("circle2", "unit circle", mode="lines", role="guide", weight=0.6, solid=True),
                Line("edge2", "a row of V times c is zero", x="edge1", mode="lines", role="guide", weight=0.6),
                Line("arc2", "feasible arc: V c ≥ 0", x="arc1", mode="lines", colour=0, weight=3.0),
            ),
            "c₁ = sin φ",
            "c₂ = cos φ",
            marks=(
                Mark(float(leading[0]), float(leading[1]), "u₁"),
                Mark(-float(leading[0]), -float(leading[1]), "−u₁"),
                Mark(float(best[0]), float(best[1]), "optimum"),
            ),
            equal=True,
        ),
    )


def _hardness(task: Task, before: tuple[StudyTable, ...]) -> StudyTable:
    """Count how often the leading eigenvector is not feasible, over random supports."""
    rng = np.random.default_rng(task.seed)
    draws = 2000 if task.full else 200
    sizes = (1, 2, 3, 5, 8, 12, 20, 30, 50)
    rows: list[tuple[int, float, float]] = []

    def table() -> StudyTable:
        title, lines = "How often the leading eigenvector is not allowed", [Line("d2", "d = 2"), Line("d3", "d = 3")]
        axes, span = ("k, rows of the support", "share of instances"), (0.0, 1.04)
        return plotted("hardness", title, Column("k"), lines, rows, axes, digits=4, y_range=span, log_x=True)

    for i, k in enumerate(sizes):
        hard = [0, 0]
        for column, d in enumerate((2, 3)):
            for _ in range(draws):
                if task.monitor.stop():
                    return table()
                R = rng.standard_normal((k, d))
                R *= np.where(R @ rng.standard_normal(d) < 0, -1.0, 1.0)[:, None]  # some direction satisfies all rows
                u = np.linalg.svd(R)[2][0]
                hard[column] += not ((R @ u >= 0).all() or (R @ u <= 0).all())
        rows.append((k, hard[0] / draws, hard[1] / draws))
        task.monitor.tell((i + 1) / len(sizes), f"k = {k}")
        task.show((*before, table()))
    return table()


STUDIES = (
    Study(
        "asteris2014-fig1",
        "asteris2014",
        "Fig. 1",
        "The spannogram: four curves over an angle",
        "Every direction of a plane is an angle φ, and every feature a curve over it. The k largest positive curves "
        "can change only where two curves cross, or one crosses zero. So the support of the best component is among a "
        "few sets of features, one for each region, and no others need to be examined.",
        "The paper does not print the rows of its figure; these four are ours. The regions counted are those of v(φ) "
        "and of −v(φ), as in the paper.",
        _spannogram,
        page="spannogram",
        query={"curves": "four curves", "top": str(TOP)},
    ),
    Study(
        "asteris2014-fig2",
        "asteris2014",
        "Fig. 2",
        "One support: a quadratic over an arc",
        "When the support is known, the loadings follow from maximising a quadratic over the directions for which all "
        "loadings are nonnegative: an arc of the circle. If the leading eigenvector lies on the arc, it is the "
        "optimum. If not, as here, the optimum is at an end of the arc, where one loading is zero. The second figure "
        "shows how often that happens.",
        "The paper does not print the instance of its figure; this one is ours. The second figure is our addition: "
        "supports are rows of random normal numbers, with signs such that one random direction satisfies all of them.",
        _arc,
        minutes=1.0,
    ),
)
