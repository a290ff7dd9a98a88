"""Asteris et al. (2011): cells of the angle (Fig. 1), candidate sets against eq. (23), and Proposition 1."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np

from nnspca.covariance import Covariance
from nnspca.spannogram import curves, enumeration
from nnspca.studies import printed
from nnspca.studies.asteris2014 import ROWS, drawn, numbered
from nnspca.studies.picture import Curves, Line, Span
from nnspca.studies.study import Study, Task
from nnspca.studies.table import Column, StudyTable
from nnspca.tasks._certify import certify
from nnspca.tasks._solve import solve

SPARSITY = 2  # K


def _cells(task: Task) -> tuple[StudyTable, ...]:
    """Draw the magnitudes of four curves, the cells of constant order, and the regions of constant top set."""
    crossings = curves.crossings(ROWS, nonnegative=False)
    regions = curves.regions(ROWS, SPARSITY, nonnegative=False)
    edges = [-np.pi / 2, *crossings.angles.tolist(), np.pi / 2]
    order = np.argsort(-np.abs(curves.values(ROWS, (np.array(edges[:-1]) + np.array(edges[1:])) / 2)), axis=1)
    n = len(ROWS)
    curves_table = drawn(
        "Magnitudes of four curves, their cells (dashed) and regions (shaded)",
        lambda phi: np.abs(curves.values(ROWS, phi)),
        "|curve {}|",
        "magnitude",
        spans=tuple(Span(a, b, numbered(top)) for a, b, top in regions.supports()),
        edges=tuple(edges[1:-1]),
        note="The picture has period π: the first and the last cell are the same.",
    )
    rows = tuple(
        (i + 1, float(edges[i]), float(edges[i + 1]), " > ".join(str(j + 1) for j in ranks), numbered(top))
        for i, (ranks, top) in enumerate((r, np.sort(r[:SPARSITY])) for r in order)
    )
    columns = (
        Column("cell"),
        Column("start", "from φ", 4),
        Column("end", "to φ", 4),
        Column("order", "Order of magnitudes"),
        Column("set", "I-set"),
    )
    table = StudyTable("cells", "Every cell", columns, rows)
    (expected,) = printed.of("asteris2011-fig1")
    note = (
        f"{len(rows)} intervals between −π/2 and π/2, of which the first and last are one cell. They have "
        f"{regions.candidates()} different sets, of {math.comb(n, SPARSITY)} possible ones."
    )
    return curves_table, table, printed.compare([(expected, len(crossings.angles), None)], "Ours", note=note)


def _counts(task: Task) -> tuple[StudyTable, ...]:
    """Count candidate sets of random matrices against the bound of eq. (23)."""
    sizes = (4, 6, 8, 10, 12, 16, 20, 24, 30) if task.full else (4, 6, 8, 10, 12, 16)
    ranks = (1, 2, 3, 4) if task.full else (1, 2, 3)
    rng = np.random.default_rng(task.seed)
    rows: list[tuple[int | None, ...]] = []

    def table() -> StudyTable:
        columns = [Column("N"), Column("K"), Column("all", "All sets of K")]
        lines = [Line("all", "all sets of K = N/2", role="guide")]
        for D in ranks:
            columns += [Column(f"found{D}", f"Found, D = {D}"), Column(f"bound{D}", f"Eq. (23), D = {D}")]
            lines += [
                Line(f"found{D}", f"found, D = {D}", colour=D - 1),
                Line(f"bound{D}", f"eq. (23), D = {D}", colour=D - 1, role="guide", mode="lines"),
            ]
        picture = Curves("N", tuple(lines), "N, features", "sets", log_x=True, log_y=True)
        return StudyTable(
            "counts", "Candidate sets, and the bound on their number", tuple(columns), tuple(rows), picture
        )

    for i, N in enumerate(sizes):
        counts: list[int | None] = []
        for D in ranks:
            V = rng.standard_normal((N, D))
            supports, _, stopped = enumeration.enumerate_supports(
                V, N // 2, nonnegative=False, should_stop=task.monitor.should_stop
            )
            if stopped:
                return (table(),)
            counts += [len(supports), enumeration.candidate_bound(N, D, nonnegative=False)]
        rows.append((N, N // 2, math.comb(N, N // 2), *counts))
        task.monitor.tell((i + 1) / len(sizes), f"N = {N}")
        task.show((table(),))
    return (table(),)


def by_exhaustion(A: np.ndarray, K: int, stop: Callable[[], bool]) -> float | None:
    """Return the largest variance over all sets of K features, by trying every set; None when stopped.

    >>> by_exhaustion(np.diag([1.0, 3.0, 2.0]), 2, lambda: False)
    3.0
    """
    best = -math.inf
    sets = np.array(list(combinations(range(len(A)), K)))
    for batch in np.array_split(sets, -(-len(sets) // 2000)):
        if stop():
            return None
        blocks = A[batch[:, :, None], batch[:, None, :]]
        best = max(best, float(np.linalg.eigvalsh(blocks)[:, -1].max()))
    return best


def _proposition(task: Task) -> tuple[StudyTable, ...]:
    """Solve σI + A, A of low rank: with σ removed, with σ not removed, and by trying every set."""
    N, K, draws = (14, 5, 20) if task.full else (12, 4, 6)
    shares = (0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0)
    rng = np.random.default_rng(task.seed)
    problems = [(D, rng.standard_normal((N, D))) for D in (2, 3) for _ in range(draws)]
    rows: list[tuple[float, ...]] = []

    def table() -> StudyTable:
        columns = (
            Column("sigma", "σ ÷ μ₁", 2),
            Column("removed", "σ removed first", 9),
            Column("kept", "σ not removed", 6),
            Column("proven", "Proven share here", 6, "down"),
        )
        picture = Curves(
            "sigma",
            (
                Line("removed", "σ removed first (Proposition 1)"),
                Line("kept", "σ not removed: rank-D problem of C"),
                Line("proven", "share proven by a certificate on C"),
            ),
            "σ ÷ largest eigenvalue of A",
            "least share of the optimum",
        )
        title = f"Share of the optimum reached, the least of {len(problems)} problems (N = {N}, K = {K}, D = 2 and 3)"
        return StudyTable("exactness", title, columns, tuple(rows), picture)

    for i, share in enumerate(shares):
        worst = [math.inf] * 3
        for j, (D, V) in enumerate(problems):
            A = V @ V.T
            C = A + share * float(np.linalg.eigvalsh(A)[-1]) * np.eye(N)
            optimum = by_exhaustion(C, K, task.monitor.stop)
            if optimum is None or task.monitor.stop():
                return (table(),)
            worst = [min(w, value / optimum) for w, value in zip(worst, _three(C, A, K, D, task), strict=True)]
            task.monitor.tell((i + (j + 1) / len(problems)) / len(shares), f"σ = {share:g} μ₁, problem {j + 1}")
        rows.append((share, worst[0], worst[1], worst[2]))
        task.show((table(),))
    return (table(),)


def _three(C: np.ndarray, A: np.ndarray, K: int, D: int, task: Task) -> tuple[float, float, float]:
    """Return the variance on C of A's exact component, that of C's rank-D component, and the proven variance."""
    cov_C = Covariance.from_matrix(C)
    component, kept_component = (
        solve(cov, K, "enumeration", nonnegative=False, rank=D, **task.settings())
        for cov in (Covariance.from_matrix(A), cov_C)
    )
    proof = certify(cov_C, K, nonnegative=False, component=component, **task.settings())
    removed_variance = cov_C.variance(component.loadings)
    return removed_variance, cov_C.variance(kept_component.loadings), removed_variance * proof.lower / proof.upper


STUDIES = (
    Study(
        "asteris2011-fig1",
        "asteris2011",
        "Fig. 1",
        "Cells and regions of four curves",
        "Without a sign constraint only the magnitudes of the curves count. Where two magnitudes cross, their order "
        "changes; these angles divide the axis into cells. The set of the K = 2 largest changes less often, so there "
        "are fewer regions, intervals on which this set is constant. Each region gives one candidate support.",
        "The paper does not print the rows of its figure; these four are ours, the same as in Fig. 1 of 2014. The "
        "number of cells depends only on N as long as no three curves meet.",
        _cells,
        page="spannogram",
        query={"curves": "four curves", "top": str(SPARSITY), "sign": "any sign"},
    ),
    Study(
        "asteris2011-counts",
        "asteris2011",
        "Eq. (23)",
        "How many candidate sets there are",
        "For a matrix of rank D the best set of K features is among candidates whose number grows like a power of N, "
        "while the number of all sets of K = N/2 features grows exponentially. The study counts the candidates of "
        "random matrices and compares them with the bound of eq. (23).",
        "The paper prints the bound and no counts. Counted here are the different sets that the paper's "
        "construction collects at its vertices. At small N the bound exceeds the number of all sets, as "
        "the paper notes for N = 4.",
        _counts,
        minutes=1.0,
    ),
    Study(
        "asteris2011-proposition1",
        "asteris2011",
        "Proposition 1",
        "Exact on σI + A",
        "If the covariance is a low-rank matrix A plus σ times the identity, the best sparse component of A is also "
        "the best of the covariance, so the enumeration is exact once σ is removed. This is checked by trying all "
        "sets of K features. For a measured covariance σ is unknown; a certificate proves the optimum without "
        "knowing it.",
        "The paper states this and prints no experiment. The matrices are A = VV′ with random normal V. The middle "
        "curve shows the result if σ is not removed: the rank-D problem then weights its directions wrongly.",
        _proposition,
        minutes=1.0,
    ),
)
