"""Zass & Shashua (2006), Figs 2 and 3: how the penalties on overlap and on loadings change parts of faces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nnspca.components._decompose import decompose
from nnspca.covariance import Covariance
from nnspca.covariance.span import cumulative_variance
from nnspca.result import Components, overlap
from nnspca.solvers.nmf import nmf_parts
from nnspca.studies.picture import Bars, Curves, Line, Parts
from nnspca.studies.study import Study, Task
from nnspca.studies.table import Cell, Column, StudyTable

COUNT = 10  # components of each panel
ACTIVE = 55  # pixels GSPCA may use, Fig. 2(f)
PRINTED_LOW, PRINTED_HIGH, PRINTED_PRICE = 2e7, 5e8, 2e6  # α, α and β as printed, for A = XX'
LOW, HIGH, PRICE = 0.016, 0.41, 0.0016  # the same in units of λ₁, on CBCL
ALPHAS, BETAS = (0.05, 500.0), (0.05, 50.0)  # ends of Fig. 3's axes (10⁶ to 10¹⁰, 10⁵ to 10⁸) over the low α and β
SCALE = (
    "The paper prints α and β for A = XX′ and does not say how its images were scaled. Here the images are centred "
    "with grey values from 0 to 255, and α and β are given relative to λ₁ (divided by the number of images times λ₁)."
)


@dataclass(frozen=True)
class Prices:
    """The penalties α and β in units of λ₁, and their unit for A = XX'."""

    low: float
    high: float
    price: float
    unit: float


def prices(task: Task, cov: Covariance) -> Prices:
    """Return the paper's own prices on its own data, and the same relative ones on any other."""
    unit = float(cov.eigenpairs(1)[0][0]) * (cov.n_samples or 1)
    if task.own:
        return Prices(PRINTED_LOW / unit, PRINTED_HIGH / unit, PRINTED_PRICE / unit, unit)
    return Prices(LOW, HIGH, PRICE, unit)


def gspca(task: Task, cov: Covariance, start: float, end: float, **options: Any) -> np.ndarray:
    """Return GSPCA's unit columns, each found after the earlier ones are projected out."""
    count, k, settings = min(COUNT, cov.n_features), min(ACTIVE, cov.n_features), task.settings(start, end)
    return decompose(cov, count, k, "greedy", deflation="projection", nonnegative=False, **settings, **options).loadings


def nspca(
    task: Task,
    cov: Covariance,
    alpha: float,
    beta: float,
    *span: float,
    count: int = COUNT,
    restarts: int = 1,
    steps: tuple[int, int] = (60, 300),
) -> Components:
    """Return NSPCA's components at two prices relative to λ₁, found together; ``steps`` of either form at most."""
    return decompose(
        cov,
        min(count, cov.n_features),
        cov.n_features,
        "coordinate-descent",
        deflation="joint",
        alpha=alpha,
        beta=beta,
        match_k=False,
        restarts=restarts,
        max_iter=steps[task.full],
        **task.settings(*span),
    )


class _Panels:
    """The panels of Fig. 2 so far, and their tables."""

    def __init__(self, task: Task) -> None:
        self.task, self.data, self.cov = task, task.data[0], task.covariance()
        self.panels: dict[str, np.ndarray] = {}
        self.penalties: dict[str, tuple[float, float]] = {}

    def add(self, title: str, U: np.ndarray, relative: tuple[float, float] | None = None) -> None:
        """Add a panel, with NSPCA's α and β in units of λ₁, and show the tables with it."""
        self.panels[title] = U
        if relative:
            self.penalties[title] = relative
        self.task.show(self.tables())

    def tables(self) -> tuple[StudyTable, ...]:
        return self._images(), self._summary()

    def _images(self) -> StudyTable:
        rows: list[tuple[Cell, ...]] = []
        captions = []
        for title, U in self.panels.items():
            for part, u in enumerate(U.T, start=1):
                scaled = u / (np.abs(u).max() or 1.0)
                rows += [(title, part, int(j), float(scaled[j])) for j in np.flatnonzero(u)]
                captions.append(((title, part), f"{np.count_nonzero(u)} px"))
        columns = (Column("group", "Panel"), Column("part", "Image"), Column("feature"), Column("loading", digits=4))
        shape = self.data.image_shape or (1, self.data.n_features)
        note = "Each image is scaled by its largest loading; blue is positive, orange negative."
        picture = Parts(shape, captions=tuple(captions))
        return StudyTable("parts", "Ten components each", columns, tuple(rows), picture, note)

    def _summary(self) -> StudyTable:
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (
                title,
                *self.penalties.get(title, (None, None)),
                overlap(U),
                int(np.count_nonzero(U)),
                float(cumulative_variance(self.cov, U)[-1] / self.cov.trace),
            )
            for title, U in self.panels.items()
        )
        columns = (
            Column("panel", "Panel"),
            Column("alpha", "α ÷ λ₁", 4),
            Column("beta", "β ÷ λ₁", 4),
            Column("overlap", "Overlap ‖I − U′U‖", 3),
            Column("nonzeros", "Nonzero loadings"),
            Column("variance", "Share of the total variance", 3),
        )
        lines = (Line("overlap", "overlap ‖I − U′U‖"),)
        note = "Variance is that of the space spanned by the ten components, so overlaps count once."
        return StudyTable("summary", "The panels in numbers", columns, rows, Bars("panel", lines, "overlap"), note)


def _panels(task: Task) -> tuple[StudyTable, ...]:
    """Find the ten components of each of the six panels."""
    panels = _Panels(task)
    cov, penalties = panels.cov, prices(task, panels.cov)
    count = min(COUNT, cov.n_features)
    for place, (letter, alpha, beta) in enumerate(
        (("a", penalties.low, 0.0), ("b", penalties.high, 0.0), ("c", penalties.low, penalties.price))
    ):
        if task.monitor.stop():
            return panels.tables()
        U = nspca(task, cov, alpha, beta, 0.2 * place, 0.2 * (place + 1)).loadings
        title = f"({letter}) NSPCA, α = {alpha * penalties.unit:.2g}, β = {beta * penalties.unit:.2g}"
        panels.add(title, U, (alpha, beta))
    panels.add("(d) PCA, any sign", cov.eigenpairs(count)[1])
    if task.monitor.stop():
        return panels.tables()
    steps = 500 if task.full else 150
    X = panels.data.X - min(0.0, float(panels.data.X.min()))
    parts = nmf_parts(X, count, rng=np.random.default_rng(task.seed), max_iter=steps, monitor=task.monitor)
    panels.add("(e) NMF of the images", parts)
    greedy = gspca(task, cov, 0.7, 1.0, criterion="full" if task.full else "path")
    panels.add(f"(f) GSPCA, {min(ACTIVE, cov.n_features)} pixels each, any sign", greedy)
    return panels.tables()


def _trade(task: Task) -> tuple[StudyTable, ...]:
    """Raise α, then β, and record overlap and nonzeros."""
    cov = task.covariance()
    penalties = prices(task, cov)
    points = 13 if task.full else 3
    alphas = penalties.low * np.geomspace(*ALPHAS, points)
    betas = penalties.price * np.geomspace(*BETAS, points)
    tables: dict[str, list[tuple[Cell, ...]]] = {"alpha": [], "beta": []}
    for point in range(2 * points):
        if task.monitor.stop():
            break
        penalty, number = ("alpha", point) if point < points else ("beta", point - points)
        relative = float((alphas if penalty == "alpha" else betas)[number])
        alpha, beta = (relative, 0.0) if penalty == "alpha" else (penalties.low, relative)
        U = nspca(task, cov, alpha, beta, point / (2 * points), (point + 1) / (2 * points)).loadings
        explained = float(cumulative_variance(cov, U)[-1] / cov.trace)
        nonzeros = int(np.count_nonzero(U))
        tables[penalty].append((relative, relative * penalties.unit, overlap(U), nonzeros, U.shape[1], explained))
        task.show(_trade_tables(tables, penalties))
    return _trade_tables(tables, penalties)


def _trade_tables(points_along: dict[str, list[tuple[Cell, ...]]], penalties: Prices) -> tuple[StudyTable, ...]:
    """The two tables of Fig. 3."""

    def table(penalty: str, letter: str, sign: str, column: str, title: str, of: str, note: str = "") -> StudyTable:
        columns = (
            Column(penalty, f"{sign} ÷ λ₁", 5),
            Column("printed_units", f"{sign} in the paper's units", 0),
            Column("overlap", "Overlap ‖I − U′U‖", 3),
            Column("nonzeros", "Nonzero loadings"),
            Column("components", "Components left"),
            Column("variance", "Share of the total variance", 3),
        )
        picture = Curves(penalty, (Line(column, title),), f"{sign} ÷ λ₁, the price of {of}", title, log_x=True)
        heading, rows = f"({letter}) {title} against {sign}", tuple(points_along[penalty])
        return StudyTable(penalty, heading, columns, rows, picture, note)

    fixed = (
        f"α = {penalties.low:.2g} λ₁ throughout (2 × 10⁷ in the paper's units on its data). "
        "At a high β whole components become zero and are left out; if all do, one pixel remains."
    )
    overlaps = table("alpha", "a", "α", "overlap", "Overlap ‖I − U′U‖", "overlap")
    return overlaps, table("beta", "b", "β", "nonzeros", "Nonzero loadings of ten components", "a loading", fixed)


STUDIES = (
    Study(
        "zass2006-fig2",
        "zass2006",
        "Fig. 2",
        "Six decompositions of faces",
        "Ten components of face images in six panels. NSPCA at a low price of overlap gives whole faces and large "
        "patches with much overlap (a); a high price gives local patches with little overlap (b); a price on each "
        "loading (c) removes the pixels that explain least, with more overlap than in (b). The other panels are PCA, "
        "NMF and greedy sparse PCA with 55 pixels. PCA and greedy have no sign constraint.",
        f"{SCALE} The figure prints images and no numbers; overlap, nonzeros and variance are our addition. NSPCA's "
        "columns are shown with unit norm. GSPCA projects out each component before it finds the next; the reduced "
        "form picks pixels by the gradient (PathSPCA), the full form by trying them all.",
        _panels,
        ("cbcl-faces-raw",),
        ("lfw-faces",),
        3.0,
        page="parts",
        query={"apart": "joint", "with": "coordinate-descent", "r": "10"},
    ),
    Study(
        "zass2006-fig3",
        "zass2006",
        "Fig. 3",
        "The effect of the two prices",
        "First the price α of overlap is raised over four orders of magnitude, with no price on loadings: the "
        "components overlap less and less. Then α is low and the price β of a loading is raised: fewer loadings "
        "remain, with more overlap than the same number has at a high α. So α controls overlap, and β sparsity.",
        f"{SCALE} The paper's curves carry no numbers. As on its axes, α is 10⁶ to 10¹⁰ and β 10⁵ to 10⁸; the "
        "other axes end at 8 (overlap) and 2500 (nonzeros). Overlap is that of columns of unit norm; the paper does "
        "not say whether it scales its columns. Here a higher β lowers overlap too, but less than α does at the same "
        "number of loadings. Each point is one start.",
        _trade,
        ("cbcl-faces-raw",),
        ("lfw-faces",),
        2.0,
        page="parts",
        query={"apart": "joint", "with": "coordinate-descent", "r": "10"},
    ),
)
