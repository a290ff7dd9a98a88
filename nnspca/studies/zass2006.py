"""Zass & Shashua (2006): prices of overlap and of loadings on parts of faces (Figs 2-4), and pit props (Fig. 5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from nnspca.components._decompose import decompose
from nnspca.covariance import Covariance
from nnspca.covariance.problem import cumulative_variance
from nnspca.datasets import Dataset, load
from nnspca.result import Components, overlap
from nnspca.solvers.comparators import nmf_parts
from nnspca.studies.asteris2014 import pixels
from nnspca.studies.study import Picture, Rows, Setup, StudyResult, Table

COUNT = 10  # components of each panel
ACTIVE = 55  # pixels GSPCA may use, Fig. 2(f)
PRINTED_LOW, PRINTED_HIGH, PRINTED_PRICE = 2e7, 5e8, 2e6  # α, α and β as printed, for A = XX'
LOW, HIGH, PRICE = 0.016, 0.41, 0.0016  # the same in units of λ₁, on CBCL
ALPHAS, BETAS = (0.05, 500.0), (0.05, 50.0)  # ends of Fig. 3's axes (10⁶ to 10¹⁰, 10⁵ to 10⁸) over the low α and β


@dataclass(frozen=True)
class Prices:
    """The penalties α and β in units of λ₁, and their unit for A = XX'."""

    low: float
    high: float
    price: float
    unit: float


def prices(task: Setup, cov: Covariance) -> Prices:
    """Return the paper's own prices on its own data, and the same relative ones on any other."""
    unit = float(cov.eigenpairs(1)[0][0]) * (cov.n_samples or 1)
    if task.own:
        return Prices(PRINTED_LOW / unit, PRINTED_HIGH / unit, PRINTED_PRICE / unit, unit)
    return Prices(LOW, HIGH, PRICE, unit)


def gspca(task: Setup, cov: Covariance, start: float, end: float, **options: Any) -> np.ndarray:
    """Return GSPCA's unit columns, each found after the earlier ones are projected out."""
    count, k, settings = min(COUNT, cov.n_features), min(ACTIVE, cov.n_features), task.settings(start, end)
    return decompose(cov, count, k, "greedy", deflation="projection", nonnegative=False, **settings, **options).loadings


def nspca(
    task: Setup,
    cov: Covariance,
    alpha: float,
    beta: float,
    *span: float,
    count: int = COUNT,
    restarts: int = 1,
    steps: tuple[int, int] = (60, 300),
) -> Components:
    """Return NSPCA's components at two prices relative to λ₁, found together; ``steps`` of either form at most."""
    options = {"alpha": alpha, "beta": beta, "match_k": False, "restarts": restarts, "max_iter": steps[task.full]}
    settings, n = task.settings(*span) | options, cov.n_features
    return decompose(cov, min(count, n), n, "coordinate-descent", deflation="joint", **settings)


# Fig. 2

OVERLAP, NONZERO, SHARE = "Overlap ‖I − U′U‖", "Nonzero loadings", "Share of the total variance"


def panels(task: Setup) -> Rows:
    """Find the ten components of each of the six panels."""
    cov = task.covariance()
    penalties, count = prices(task, cov), min(COUNT, cov.n_features)

    def described(title: str, U: np.ndarray, alpha: float | None = None, beta: float | None = None) -> Rows:
        for image, u in enumerate(U.T, start=1):
            yield "pixels", pixels(title, image, (u / (np.abs(u).max() or 1.0)).round(6))
        yield "summary", {"Panel": title, "α ÷ λ₁": alpha, "β ÷ λ₁": beta, **measured(cov, U)}

    pairs = ((penalties.low, 0.0), (penalties.high, 0.0), (penalties.low, penalties.price))
    for place, (alpha, beta) in enumerate(pairs):
        U = nspca(task, cov, alpha, beta, 0.2 * place, 0.2 * (place + 1)).loadings
        title = f"({'abc'[place]}) NSPCA, α = {alpha * penalties.unit:.2g}, β = {beta * penalties.unit:.2g}"
        yield from described(title, U, alpha, beta)
    yield from described("(d) PCA, any sign", cov.eigenpairs(count)[1])
    X, steps = task.data[0].X, 500 if task.full else 150
    rng = np.random.default_rng(task.seed)
    U = nmf_parts(X - min(0.0, float(X.min())), count, rng=rng, max_iter=steps, monitor=task.monitor)
    yield from described("(e) NMF of the images", U)
    U = gspca(task, cov, 0.7, 1.0, criterion="full" if task.full else "path")
    yield from described(f"(f) GSPCA, {min(ACTIVE, cov.n_features)} pixels each, any sign", U)


def measured(cov: Covariance, U: np.ndarray) -> dict[str, float]:
    """Return overlap, nonzero loadings and explained variance of components."""
    explained = float(cumulative_variance(cov, U)[-1] / cov.trace)
    return {OVERLAP: overlap(U), NONZERO: int(np.count_nonzero(U)), SHARE: explained}


def show_panels(run: StudyResult) -> Iterator[Table]:
    """The images of each panel, and the panels in numbers."""
    frame = run.rows["pixels"]
    captions = {key: f"{size} px" for key, size in frame.groupby(["strip", "image"]).size().items()}
    note = "Each image is scaled by its largest loading; blue is positive, orange negative."
    look = Picture(kind="images", shape=run.shape, captions=captions)
    yield Table("parts", "Ten components each", frame, look, note)
    if "summary" in run.rows:
        note = "Variance is that of the space spanned by the ten components, so overlaps count once."
        look = Picture("Panel", [OVERLAP], "overlap", kind="bars")
        yield Table("summary", "The panels in numbers", run.rows["summary"], look, note)


# Fig. 3


def trade(task: Setup) -> Rows:
    """Raise α, then β, and record overlap and nonzeros."""
    cov = task.covariance()
    penalties, points = prices(task, cov), 13 if task.full else 3
    alphas = [(float(a), 0.0) for a in penalties.low * np.geomspace(*ALPHAS, points)]
    betas = [(penalties.low, float(b)) for b in penalties.price * np.geomspace(*BETAS, points)]
    for place, (alpha, beta) in enumerate(alphas + betas):
        U = nspca(task, cov, alpha, beta, place / (2 * points), (place + 1) / (2 * points)).loadings
        name, sign, price = ("alpha", "α", alpha) if place < points else ("beta", "β", beta)
        units = {f"{sign} ÷ λ₁": price, f"{sign} in the paper's units": price * penalties.unit}
        yield name, {**units, **measured(cov, U), "Components left": U.shape[1], "fixed": penalties.low}


def show_trade(run: StudyResult) -> Iterator[Table]:
    """Overlap against α, and nonzero loadings against β."""
    low = run.rows["alpha"]["fixed"].iloc[0]
    ends = "The axis of the paper's figure ends at {:,}." if run.own else ""
    fixed = (
        f"α = {low:.2g} λ₁ throughout (2 × 10⁷ in the paper's units on its data). "
        "At a high β whole components become zero and are left out; if all do, one pixel remains."
    )
    for name, letter, sign, line, of, note in (
        ("alpha", "a", "α", OVERLAP, "overlap", ends.format(8)),
        ("beta", "b", "β", NONZERO, "a loading", f"{fixed} {ends.format(2500)}"),
    ):
        if name in run.rows:
            look = Picture(f"{sign} ÷ λ₁", [line], line, f"{sign} ÷ λ₁, the price of {of}", log_x=True)
            frame = run.rows[name].drop(columns="fixed")
            yield Table(name, f"({letter}) {line} against {sign}", frame, look, note)


# Fig. 5

PARTS = 6  # components of each method
SIZES = (7, 4, 4, 1, 1, 1)  # loadings of each component, those of SPCA in Zou et al.
# by title: the method, whether all components are found at once, and whether they are nonnegative
PROPS: dict[str, tuple[Any, bool, bool]] = {
    "SCoTLASS": ("scotlass", False, False),
    "SPCA": ("elastic-net", False, False),
    "DSPCA": ("dspca", False, False),
    "ESPCA (exact)": ("exact", False, False),
    "NSPCA (nonnegative)": ("coordinate-descent", True, True),
    "PCA": ("pca", True, False),  # last, as the second figure has the others alone, in the same colours
}


def pit_props(task: Setup) -> Rows:
    """Find six components by each method."""
    cov = task.covariance()
    count = min(PARTS, cov.n_features)
    for place, (title, (method, joint, nonnegative)) in enumerate(PROPS.items()):
        options: dict[str, Any] = {}
        if nonnegative:
            starts = 20 if task.full else 5
            options = {"match_k": False, "alpha": 3.0, "beta": 0.0, "restarts": starts, "max_iter": 1000}
        options |= {"deflation": "joint" if joint else "projection", "nonnegative": nonnegative}
        options |= task.settings(place / len(PROPS), (place + 1) / len(PROPS))
        allowed = cov.n_features if joint else [min(k, cov.n_features) for k in SIZES[:count]]
        U = decompose(cov, count, allowed, method, **options).loadings
        explained = (100 * cumulative_variance(cov, U) / cov.trace).tolist()
        sizes = np.cumsum(np.count_nonzero(U, axis=0)).tolist()
        found = enumerate(zip(explained, sizes, strict=True), start=1)
        yield "components", [{"method": title, "Components": r, "variance": v, "loadings": s} for r, (v, s) in found]


def show_pit_props(run: StudyResult) -> Iterator[Table]:
    """Cumulative variance and cardinality."""
    along = "number of components"
    frame = run.wide("components", "Components", "variance")
    look = Picture("Components", list(frame.columns[1:]), "share of the total variance (%)", along)
    yield Table("variance", "(a) Cumulative variance", frame, look)
    frame = run.wide("components", "Components", "loadings").drop(columns="PCA", errors="ignore")
    look = Picture("Components", list(frame.columns[1:]), "nonzero loadings", along)
    yield Table("cardinality", "(b) Cumulative cardinality", frame, look)


FIGURES = {
    "zass2006-fig2": (panels, show_panels),
    "zass2006-fig3": (trade, show_trade),
    "zass2006-fig5": (pit_props, show_pit_props),
}


TRAINED = (1000, 2000)  # faces and other images of the training set
PRICES = {  # whether α is high, and whether loadings have a price: the four curves of panel (a)
    "low-none": (False, False),
    "high-none": (True, False),
    "low-price": (False, True),
    "high-price": (True, True),
}
BEST = "high-price"
TITLES = {
    **{n: f"NSPCA, {'high' if high else 'low'} α, β {'> 0' if paid else '= 0'}" for n, (high, paid) in PRICES.items()},
    "gspca": f"GSPCA, {ACTIVE} pixels each",
    "nmf": "NMF",
    "pca": "PCA",
}
FALSE = np.arange(0, 101)  # per cent


@dataclass(frozen=True)
class Split:
    """Faces (True) and other images, divided into training and test sets."""

    X: np.ndarray
    face: np.ndarray
    X_test: np.ndarray
    face_test: np.ndarray


def both_classes(data: Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Return images and whether each is of the first class; for unlabelled faces, the other images are loaded too."""
    if data.labels is None:
        data = load(data.name, with_negatives=True)
    labels = np.asarray(data.labels)
    return np.asarray(data.X, float), labels == labels.min()


def splits(X: np.ndarray, face: np.ndarray, seed: int, count: int) -> Iterator[Split]:
    """Divide both classes at random: the paper's numbers for training, or half if there are fewer."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        training = np.zeros(len(X), dtype=bool)
        for kind, limit in zip((True, False), TRAINED, strict=True):
            images = rng.permutation(np.flatnonzero(face == kind))
            training[images[: limit if len(images) > limit else len(images) // 2]] = True
        yield Split(X[training], face[training], X[~training], face[~training])


def features(task: Setup, method: str, faces: np.ndarray, start: float, end: float) -> np.ndarray:
    """Return ten directions found on the training faces alone, as columns."""
    cov = Covariance.from_data(faces)
    count = min(COUNT, cov.n_features)
    if method in PRICES:
        (high, has_price), penalties = PRICES[method], prices(task, cov)
        alpha, beta = penalties.high if high else penalties.low, penalties.price if has_price else 0.0
        return nspca(task, cov, alpha, beta, start, end).loadings
    if method == "pca":
        return cov.eigenpairs(count)[1]
    if method == "nmf":
        rng = np.random.default_rng(task.seed)
        steps = 300 if task.full else 100
        return nmf_parts(faces - min(0.0, float(faces.min())), count, rng=rng, max_iter=steps, monitor=task.monitor)
    return gspca(task, cov, start, end)


def detect(U: np.ndarray, split: Split) -> tuple[np.ndarray, float]:
    """Train a linear SVM on the features U; return true positives (%) at each of ``FALSE``, and the area."""
    from sklearn.metrics import roc_auc_score, roc_curve
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    scale = StandardScaler().fit(split.X @ U)
    classifier = LinearSVC(dual=False).fit(scale.transform(split.X @ U), split.face)
    scores = classifier.decision_function(scale.transform(split.X_test @ U))
    false, true, _ = roc_curve(split.face_test, scores)
    return 100 * np.interp(FALSE / 100, false, true), float(roc_auc_score(split.face_test, scores))


def detection(task: Setup) -> Rows:
    """Train and test on every split, method after method."""
    X, face = both_classes(task.data[0])
    count = 10 if task.full else 1
    steps = count * len(TITLES)
    for number, split in enumerate(splits(X, face, task.seed, count)):
        faces = split.X[split.face]
        for step, (method, title) in enumerate(TITLES.items(), start=number * len(TITLES)):
            U = features(task, method, faces, step / steps, (step + 1) / steps)
            if task.monitor.stop():
                return
            true, area = detect(U, split)
            task.monitor.tell((step + 1) / steps, f"split {number + 1}, {title}")
            yield "areas", {"method": title, "split": number + 1, "area": area}
            curve = zip(FALSE.tolist(), true.tolist(), strict=True)
            yield "curves", [{"method": title, "false": f, "true": t, "split": number + 1} for f, t in curve]


def show_detection(run: StudyResult) -> Iterator[Table]:
    """The curves and their areas, each the mean of the splits."""
    if "curves" in run.rows:
        x, y = "False positives (%)", "true positives (%)"
        means = run.rows["curves"].groupby(["method", "false"], sort=False)["true"].mean().unstack("method")
        means = means.rename_axis(columns=None).rename_axis(x).reset_index()
        for name, title, methods in (
            ("prices", "(a) NSPCA at four pairs of prices", list(PRICES)),
            ("methods", "(b) Four methods", [BEST, "gspca", "nmf", "pca"]),
        ):
            lines = [TITLES[m] for m in methods if TITLES[m] in means]
            look = Picture(x, lines, y, smooth=True, y_range=(0.0, 100.0))
            if lines:
                yield Table(name, title, means[[x, *lines]], look)
    areas = run.rows["areas"].groupby("method", sort=False)["area"]
    area, spread = "Area under the curve", "± between splits"
    frame = pd.DataFrame({area: areas.mean(), spread: areas.std(ddof=0), "Splits": areas.size()})
    look = Picture("Features by", [area], "area under the curve", kind="bars", y_range=(0.5, 1.0))
    note = "1: every face is ranked above every other image. 0.5: no better than chance."
    yield Table("areas", "Area under each curve", frame.rename_axis("Features by").reset_index(), look, note)


FIGURES["zass2006-fig4"] = (detection, show_detection)
