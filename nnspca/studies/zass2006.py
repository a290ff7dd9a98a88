"""Zass & Shashua (2006): prices of overlap and of loadings on parts of faces (Figs 2, 3), and pit props (Fig. 5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from nnspca.components._decompose import decompose
from nnspca.covariance import Covariance
from nnspca.covariance.problem import cumulative_variance
from nnspca.result import Components, overlap
from nnspca.solvers.nmf import nmf_parts
from nnspca.studies.asteris2014 import pixels
from nnspca.studies.study import WORDS, Given, StudyResult, Table, TableRows

COUNT = 10  # components of each panel
ACTIVE = 55  # pixels GSPCA may use, Fig. 2(f)
PRINTED_LOW, PRINTED_HIGH, PRINTED_PRICE = 2e7, 5e8, 2e6  # α, α and β as printed, for A = XX'
LOW, HIGH, PRICE = 0.016, 0.41, 0.0016  # the same in units of λ₁, on CBCL
ALPHAS, BETAS = (0.05, 500.0), (0.05, 50.0)  # ends of Fig. 3's axes (10⁶ to 10¹⁰, 10⁵ to 10⁸) over the low α and β
OVERLAP, NONZERO, SHARE = "Overlap ‖I − U′U‖", "Nonzero loadings", "Share of the total variance"
PARTS = 6  # components of each method, Fig. 5
SIZES = (7, 4, 4, 1, 1, 1)  # loadings of each component, those of SPCA in Zou et al.
PROPS: dict[str, tuple[Any, bool, bool]] = WORDS["methods"]["pit_props"]


@dataclass(frozen=True)
class Prices:
    """The penalties α and β in units of λ₁, and their unit for A = XX'."""

    low: float
    high: float
    price: float
    unit: float


def prices(given: Given, cov: Covariance) -> Prices:
    """Return the paper's own prices on its own data, and the same relative ones on any other."""
    unit = float(cov.eigenpairs(1)[0][0]) * (cov.n_samples or 1)
    if given.own:
        return Prices(PRINTED_LOW / unit, PRINTED_HIGH / unit, PRINTED_PRICE / unit, unit)
    return Prices(LOW, HIGH, PRICE, unit)


def gspca(given: Given, cov: Covariance, start: float, end: float, **options: Any) -> np.ndarray:
    """Return GSPCA's unit columns, each found after the earlier ones are projected out."""
    count, k, settings = min(COUNT, cov.n_features), min(ACTIVE, cov.n_features), given.settings(start, end)
    return decompose(cov, count, k, "greedy", deflation="projection", nonnegative=False, **settings, **options).loadings


def nspca(
    given: Given,
    cov: Covariance,
    alpha: float,
    beta: float,
    *span: float,
    count: int = COUNT,
    restarts: int = 1,
    steps: tuple[int, int] = (60, 300),
) -> Components:
    """Return NSPCA's components at two prices relative to λ₁, found together; ``steps`` of either form at most."""
    options = {"alpha": alpha, "beta": beta, "match_k": False, "restarts": restarts, "max_iter": steps[given.full]}
    settings, n = given.settings(*span) | options, cov.n_features
    return decompose(cov, min(count, n), n, "coordinate-descent", deflation="joint", **settings)


# Fig. 2


def panels(given: Given) -> TableRows:
    """Find the ten components of each of the six panels."""
    cov = given.covariance()
    penalties, count = prices(given, cov), min(COUNT, cov.n_features)

    def described(title: str, U: np.ndarray, alpha: float | None = None, beta: float | None = None) -> TableRows:
        for image, u in enumerate(U.T, start=1):
            yield "pixels", pixels(title, image, (u / (np.abs(u).max() or 1.0)).round(6))
        yield "summary", {"Panel": title, "α ÷ λ₁": alpha, "β ÷ λ₁": beta, **measured(cov, U)}

    pairs = ((penalties.low, 0.0), (penalties.high, 0.0), (penalties.low, penalties.price))
    for place, (alpha, beta) in enumerate(pairs):
        U = nspca(given, cov, alpha, beta, 0.2 * place, 0.2 * (place + 1)).loadings
        title = f"({'abc'[place]}) NSPCA, α = {alpha * penalties.unit:.2g}, β = {beta * penalties.unit:.2g}"
        yield from described(title, U, alpha, beta)
    yield from described("(d) PCA, any sign", cov.eigenpairs(count)[1])
    X, steps = given.data[0].X, 500 if given.full else 150
    rng = np.random.default_rng(given.seed)
    U = nmf_parts(X - min(0.0, float(X.min())), count, rng=rng, max_iter=steps, monitor=given.monitor)
    yield from described("(e) NMF of the images", U)
    U = gspca(given, cov, 0.7, 1.0, criterion="full" if given.full else "path")
    yield from described(f"(f) GSPCA, {min(ACTIVE, cov.n_features)} pixels each, any sign", U)


def measured(cov: Covariance, U: np.ndarray) -> dict[str, float]:
    """Return overlap, nonzero loadings and explained variance of components."""
    explained = float(cumulative_variance(cov, U)[-1] / cov.trace)
    return {OVERLAP: overlap(U), NONZERO: int(np.count_nonzero(U)), SHARE: explained}


def show_panels(run: StudyResult) -> Iterator[Table]:
    """The images of each panel, and the panels in numbers."""
    frame = run.rows["pixels"]
    captions = {key: f"{size} px" for key, size in frame.groupby(["strip", "image"]).size().items()}
    yield run.drawn("panels.parts", frame, shape=run.shape, captions=captions)
    if "summary" in run.rows:
        yield run.drawn("panels.summary", lines=[OVERLAP])


# Fig. 3


def price_series(given: Given) -> TableRows:
    """Raise α, then β, and record overlap and nonzeros."""
    cov = given.covariance()
    penalties, points = prices(given, cov), 13 if given.full else 3
    alphas = [(float(a), 0.0) for a in penalties.low * np.geomspace(*ALPHAS, points)]
    betas = [(penalties.low, float(b)) for b in penalties.price * np.geomspace(*BETAS, points)]
    for place, (alpha, beta) in enumerate(alphas + betas):
        U = nspca(given, cov, alpha, beta, place / (2 * points), (place + 1) / (2 * points)).loadings
        name, sign, price = ("alpha", "α", alpha) if place < points else ("beta", "β", beta)
        units = {f"{sign} ÷ λ₁": price, f"{sign} in the paper's units": price * penalties.unit}
        yield name, {**units, **measured(cov, U), "Components left": U.shape[1], "fixed": penalties.low}


def show_price_series(run: StudyResult) -> Iterator[Table]:
    """Overlap against α, and nonzero loadings against β."""
    facts = {"low": run.rows["alpha"]["fixed"].iloc[0]}
    for name, line, most in (("alpha", OVERLAP, 8), ("beta", NONZERO, 2500)):
        if name in run.rows:
            facts["ends"] = f"The axis of the paper's figure ends at {most:,}." if run.own else ""
            yield run.drawn(f"trade.{name}", run.rows[name].drop(columns="fixed"), facts, lines=[line], y=line)


# Fig. 5


def pit_props(given: Given) -> TableRows:
    """Find six components by each method."""
    cov = given.covariance()
    count = min(PARTS, cov.n_features)
    for place, (title, (method, joint, nonnegative)) in enumerate(PROPS.items()):
        options: dict[str, Any] = {}
        if nonnegative:
            starts = 20 if given.full else 5
            options = {"match_k": False, "alpha": 3.0, "beta": 0.0, "restarts": starts, "max_iter": 1000}
        options |= {"deflation": "joint" if joint else "projection", "nonnegative": nonnegative}
        options |= given.settings(place / len(PROPS), (place + 1) / len(PROPS))
        allowed = cov.n_features if joint else [min(k, cov.n_features) for k in SIZES[:count]]
        U = decompose(cov, count, allowed, method, **options).loadings
        explained = (100 * cumulative_variance(cov, U) / cov.trace).tolist()
        sizes = np.cumsum(np.count_nonzero(U, axis=0)).tolist()
        found = enumerate(zip(explained, sizes, strict=True), start=1)
        yield "components", [{"method": title, "Components": r, "variance": v, "loadings": s} for r, (v, s) in found]


def show_pit_props(run: StudyResult) -> Iterator[Table]:
    """Cumulative variance and cardinality."""
    yield run.drawn("pit_props.variance", run.wide("components", "Components", "variance"))
    frame = run.wide("components", "Components", "loadings").drop(columns="PCA", errors="ignore")
    yield run.drawn("pit_props.cardinality", frame)


FIGURES = {
    "zass2006-fig2": (panels, show_panels),
    "zass2006-fig3": (price_series, show_price_series),
    "zass2006-fig5": (pit_props, show_pit_props),
}
