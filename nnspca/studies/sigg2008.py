"""Sigg & Buhmann (2008): sparse and nonnegative PCA of faces and genes, with CPU time, and genes without labels."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from nnspca.components._decompose import decompose
from nnspca.components._deflate import deflate
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.result import Component, Components
from nnspca.solvers.em import soft_threshold
from nnspca.studies.asteris2014 import drawn_at
from nnspca.studies.study import Picture, Rows, Setup, StudyResult, Table
from nnspca.studies.zass2006 import nspca
from nnspca.tasks._solve import solve

SCALING = "Every feature is centred and divided by its standard deviation, as in the paper."
K = "Cardinality"
ALONG = "cardinality, nonzero loadings"


@dataclass(frozen=True)
class Entrant:
    """One curve of Fig. 2: a method with its options."""

    title: str
    method: Any
    options: dict[str, Any] = field(default_factory=dict)


RIDGE = 10.0  # not printed; with one this large, similar neighbours do not exclude each other
CONVERGED = 1e-6  # Algorithm 2 stops when w changes by less than this; not printed either
STEPS = 1000  # most steps of Algorithm 2
EM, EM_STEPS = "emPCA", "emPCA: steps"  # Algorithm 2 as printed
EM_OPT = Entrant("emPCA, renormalised", "em")
SPCA = Entrant("SPCA", "elastic-net", {"renormalise": False, "ridge": RIDGE})
SPCA_OPT = Entrant("SPCA, renormalised", "elastic-net", {"ridge": RIDGE})
PATH = Entrant("PathSPCA", "greedy")
CUT = Entrant("thresholding, renormalised", "thresholding")


def grid(n: int, last: int, points: int) -> list[int]:
    """Return about ``points`` cardinalities from 1 to ``last``, or to n where that is less.

    >>> grid(50, 100, 5)
    [1, 13, 26, 38, 50]
    """
    return sorted({int(k) for k in np.linspace(1, min(n, last), points).round()})


def standardised(task: Setup) -> Covariance:
    """Return the correlation matrix of the data set."""
    return Covariance.from_dataset(task.data[0], True)


def algorithm_2(cov: Covariance, k: int, monitor: Monitor) -> tuple[np.ndarray, int]:
    """Return w at the end of Algorithm 2, without renormalisation or comparison with earlier steps, and the steps.

    >>> cov = Covariance.from_matrix(np.diag([4.0, 2.0, 1.0]))
    >>> w, steps = algorithm_2(cov, 1, Monitor(None, None))
    >>> np.abs(w), steps
    (array([1., 0., 0.]), 1)
    """
    w, steps = cov.eigenpairs(1)[1].T, 0
    while steps < STEPS and not monitor.stop():
        w, last = soft_threshold(cov.apply(w), k, False), w
        steps += 1
        if abs(float(w[0] @ last[0])) > 1 - CONVERGED:
            break
    return w[0], steps


# Fig. 2


def ran(run: Setup, cov: Covariance, k: int, entrant: Entrant, *, nonnegative: bool = False) -> tuple[Component, float]:
    """Return what a method finds, and its CPU seconds."""
    started = time.thread_time()  # CPU time of this thread alone
    part = solve(cov, k, entrant.method, nonnegative=nonnegative, **run.settings(), **entrant.options)
    return part, time.thread_time() - started


def variances(task: Setup, entrants: tuple[Entrant, ...]) -> Rows:
    """Solve for every k by Algorithm 2 as printed, and by every method."""
    cov = standardised(task)
    ks = grid(cov.n_features, 150, 31 if task.full else 5)
    for place, k in enumerate(ks):
        w, steps = algorithm_2(cov, k, task.monitor)
        row = {EM: float(cov.variance(w)), EM_STEPS: steps}
        row |= {entrant.title: ran(task, cov, k, entrant)[0].variance for entrant in entrants}
        task.monitor.tell((place + 1) / len(ks), f"cardinality {k}")
        yield "variance", {K: k, **row}


def show_variances(run: StudyResult) -> Iterator[Table]:
    """Variance against cardinality."""
    frame = run.rows["variance"]
    look = Picture(K, list(frame.columns.drop([K, EM_STEPS])), "variance", ALONG)
    note = f"{SCALING} Variance in units of one feature's. Loadings may take any sign."
    yield Table("variance", "Variance against cardinality", frame, look, note)
    if run.own:
        note = f"It stops where the cosine of two steps is above 1 − ε: ours is {CONVERGED:f}, the paper prints none."
        yield run.printed([frame[EM_STEPS].mean()], note=note)


def times(task: Setup) -> Rows:
    """Time every method at every k: the minimum of a few runs."""
    cov = standardised(task)
    cov.eigenpairs(1)  # computed before timing, since all methods need it
    ks = grid(cov.n_features, *((400, 21) if task.full else (200, 4)))
    for place, k in enumerate(ks):
        row = {
            entrant.title: max(min(ran(task, cov, k, entrant)[1] for _ in range(3 if task.full else 1)), 1e-4)
            for entrant in (EM_OPT, SPCA_OPT, PATH)
        }
        task.monitor.tell((place + 1) / len(ks), f"cardinality {k}")
        yield "seconds", {K: k, **row}


def show_times(run: StudyResult) -> Iterator[Table]:
    """Seconds against cardinality."""
    frame = run.rows["seconds"]
    look = Picture(K, list(frame.columns[1:]), "processor seconds", ALONG, log_y=True)
    note = f"{SCALING} Seconds of this machine's processor for one k, renormalisation included."
    yield Table("seconds", "Running time against cardinality", frame, look, note)


# Fig. 3 left

ALPHAS = {"NSPCA, α = 10⁵": 1e5, "NSPCA, α = 10⁶": 1e6, "NSPCA, α = 10⁷": 1e7}  # as printed, for A = XX'
EM_NN, NSPCA = "emPCA (nn)", "NSPCA, α = 10⁷"
SECONDS = ": seconds"
STARTS = 10  # random starts of each method, as printed
TIMED = 100  # largest cardinality in the means of the printed times
UNIT = 84_000.0  # λ₁ times the number of images, on the paper's data


def without_first(cov: Covariance) -> Covariance:
    """Project the first principal component out, so that the sign constraint matters."""
    return deflate(cov, cov.eigenpairs(1)[1], "projection")


def in_units(alpha: float, cov: Covariance, own: bool) -> float:
    """Return a printed α relative to λ₁ of A = X'X/m; on other data, the value relative to the paper's λ₁."""
    return alpha / (float(cov.eigenpairs(1)[0][0]) * (cov.n_samples or 1) if own else UNIT)


def single(task: Setup) -> Rows:
    """Variance of one nonnegative component against its cardinality, by emPCA and by NSPCA at three penalties."""
    cov = without_first(standardised(task))
    ks = grid(cov.n_features, 200, 21 if task.full else 4)
    alphas = {title: in_units(alpha, cov, task.own) for title, alpha in ALPHAS.items()}
    exactly = {"restarts": STARTS, "renormalise": False, "cut": False}  # a price β that leaves k loadings, or none
    entrants = [Entrant(title, "coordinate-descent", {"alpha": a, **exactly}) for title, a in alphas.items()]
    entrants.insert(0, Entrant(EM_NN, "em", {"restarts": STARTS}))
    for place, k in enumerate(ks):
        row: dict[str, Any] = {K: k}
        for number, entrant in enumerate(entrants, start=1):
            part, row[entrant.title + SECONDS] = ran(task, cov, k, entrant, nonnegative=True)
            row[entrant.title] = drawn_at(part)
            task.monitor.tell((place + number / len(entrants)) / len(ks), f"cardinality {k}")
        yield "variance", row


def show_single(run: StudyResult) -> Iterator[Table]:
    """Variance against cardinality, and on the paper's data its mean seconds beside ours."""
    frame, lines = run.rows["variance"], [EM_NN, *ALPHAS]
    note = f"{SCALING} The best of {STARTS} random starts. NSPCA is drawn where a β gives exactly that cardinality."
    look = Picture(K, lines, "variance", ALONG)
    yield Table("variance", "Variance against cardinality", frame[[K, *lines]], look, note)
    if run.own:
        note = (
            "The paper's 24 ± 14.7 s and 0.4 ± 0.15 s are of Matlab code on a machine of 2008: only their ratio can be "
            "compared. NSPCA is at α = 10⁷, which reaches these cardinalities; its whole bisection counts."
        )
        few = frame[frame[K] <= TIMED]
        yield run.printed([few[NSPCA + SECONDS].mean() / few[EM_NN + SECONDS].mean()], note=note)


# Fig. 3 middle and right

MANY = 1e8  # α as printed, for A = XX'
COMPONENTS, FEW, CARDINALITY, JOINT_CARDINALITY = 10, 3, 20, 200
ANGLE = 85.0  # degrees


def least_angle(parts: Components) -> float:
    """Return the least angle between two components in degrees; 90 where there is one alone."""
    return float(parts.angles[~np.eye(len(parts), dtype=bool)].min(initial=90.0))


def described(title: str, parts: Components) -> Rows:
    """Yield what several components explain and use."""
    values = parts.cumulative_variance.tolist()
    yield "variance", [{"method": title, "Components": r, "variance": v} for r, v in enumerate(values, start=1)]
    loadings = int(parts.cardinalities.sum())
    yield "used", {"Method": title, "Nonzero loadings": loadings, "Least angle (°)": least_angle(parts)}


def count_of(task: Setup, cov: Covariance) -> int:
    """Return how many components are sought."""
    return min(COMPONENTS if task.full else FEW, cov.n_features)


def tuned(
    task: Setup,
    cov: Covariance,
    ends: tuple[float, float],
    prices: Callable[[float], tuple[float, float]],
    meets: Callable[[Components], bool],
    start: float,
) -> Components:
    """Return NSPCA's components at the least penalty at which they meet a condition, by bisection on a log scale."""
    (low, high), best, steps = ends, None, 14 if task.full else 6

    def at(price: float) -> Components:
        restarts = 3 if task.full else 1
        return nspca(task, cov, *prices(price), count=count_of(task, cov), restarts=restarts, steps=(60, 400))

    for step in range(steps):
        if task.monitor.stop():
            break
        middle = float(np.sqrt(low * high))
        found = at(middle)
        if meets(found):
            high, best = middle, found
        else:
            low = middle
        task.monitor.tell(start + (1 - start) * (step + 1) / steps, f"NSPCA, price {middle:.3g} λ₁")
    return best or at(high)


def disjoint(task: Setup) -> Rows:
    """Orthogonal components of twenty pixels each."""
    cov = without_first(standardised(task))
    count, k = count_of(task, cov), min(CARDINALITY, cov.n_features)
    settings = task.settings(0.0, 0.1)
    yield from described("emPCA (nn), disjoint", decompose(cov, count, k, "em", deflation="disjoint", **settings))
    settings = task.settings(0.1, 0.2) | {"nonnegative": False}
    yield from described("emPCA, any sign", decompose(cov, count, k, "em", deflation="projection", **settings))
    alpha, most = in_units(MANY, cov, task.own), JOINT_CARDINALITY * count // COMPONENTS
    few = tuned(
        task, cov, (1e-6, 1.0), lambda beta: (alpha, beta), lambda parts: parts.cardinalities.sum() <= most, 0.2
    )
    yield from described("NSPCA, α = 10⁸", few)


def apart(task: Setup) -> Rows:
    """Components at least 85 degrees apart."""
    cov = without_first(standardised(task))
    count, settings = count_of(task, cov), task.settings(0.0, 0.6) | {"min_angle": ANGLE}
    found = decompose(cov, count, cov.n_features, "em", deflation="quasi-orthogonal", **settings)
    yield from described("emPCA (nn), 85° apart", found)
    found = tuned(task, cov, (0.1, 1e3), lambda alpha: (alpha, 0.0), lambda parts: least_angle(parts) >= ANGLE, 0.6)
    yield from described("NSPCA, α raised to 85°", found)


def show_several(run: StudyResult, note: str) -> Iterator[Table]:
    """Cumulative variance, and what the components use."""
    frame = run.wide("variance", "Components", "variance")
    look = Picture("Components", list(frame.columns[1:]), "cumulative variance", "number of components")
    yield Table("variance", "Cumulative variance", frame, look, f"{SCALING} {note}")
    if "used" in run.rows:
        yield Table("used", "What the components use", run.rows["used"])


# Fig. 4: genes chosen without labels, judged by the clusters they give

CE = "CE + SR"
CHOICES = ("emPCA", "emPCA (nn)", CE)
SIZES = tuple(range(10, 251, 10))  # numbers of features, the range of the figure
CLUSTERINGS = {False: 10, True: 100}  # random starts of k-means, in the reduced and in the full form
NAMED = 70  # of them the one in the paper's text
ENTRIES = 400_000  # entries of the matrices whose eigenvalues are computed between two polls of the stop switch


def entropy(values: np.ndarray) -> np.ndarray:
    """Return the SVD-entropy of each row of squared singular values, between 0 and 1 (Varshavsky et al. 2006).

    Shares ``v_j = s_j² / Σ s²`` give ``−Σ v_j ln v_j / ln N``: 0 if one direction has everything, 1 if all are equal.

    >>> entropy(np.array([[1.0, 0.0], [1.0, 1.0]])).round(12) + 0.0
    array([0., 1.])
    """
    shares = np.maximum(values, 0.0)
    total = shares.sum(axis=-1, keepdims=True)
    shares = shares / np.where(total > 0, total, 1.0)
    terms = np.where(shares > 0, shares * np.log(np.where(shares > 0, shares, 1.0)), 0.0)
    return -terms.sum(axis=-1) / np.log(max(values.shape[-1], 2))


def contributions(X: np.ndarray, stop: Callable[[], bool]) -> np.ndarray | None:
    """Return the loss of entropy without each feature, shape (n,); None if stopped.

    The squared singular values of X (m, n) are the eigenvalues of XX', and removing feature i subtracts
    ``x_i x_i'``: n eigenvalue problems of size m. If there are fewer features than samples, row and
    column i of X'X are removed instead.
    """
    m, n = X.shape
    gram = X @ X.T if m <= n else X.T @ X
    total = entropy(np.linalg.eigvalsh(gram)[None])[0]
    batch = max(1, ENTRIES // len(gram) ** 2)
    out = np.empty(n)
    for start in range(0, n, batch):
        if stop():
            return None
        rows = np.arange(start, min(start + batch, n))
        reduced = np.repeat(gram[None], len(rows), axis=0)
        if m <= n:
            columns = X[:, rows].T
            reduced -= columns[:, :, None] * columns[:, None, :]
        else:
            index = np.arange(len(rows))
            reduced[index, rows, :] = 0.0
            reduced[index, :, rows] = 0.0
        out[rows] = total - entropy(np.linalg.eigvalsh(reduced))
    return out


def jaccard(labels: np.ndarray, clusters: np.ndarray) -> float:
    """Return the share of pairs together in both groupings, among those together in either.

    >>> jaccard(np.array([0, 0, 1, 1]), np.array([5, 5, 5, 7]))
    0.25
    """
    from sklearn.metrics.cluster import pair_confusion_matrix

    (_, only_clusters), (only_labels, both) = pair_confusion_matrix(labels, clusters)
    either = int(only_clusters) + int(only_labels) + int(both)
    return float(both) / either if either else 1.0


def scored(task: Setup, Y: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """Return mean and standard deviation of the score of clusters of Y over random starts of k-means."""
    from sklearn.cluster import KMeans

    scores = []
    for start in range(CLUSTERINGS[task.full]):
        if task.monitor.stop():
            break
        seed = int(np.random.default_rng([task.seed, start]).integers(2**31 - 1))
        model = KMeans(len(np.unique(labels)), init="random", n_init=1, random_state=seed)
        scores.append(jaccard(labels, model.fit_predict(Y)))
    return (float(np.mean(scores)), float(np.std(scores))) if scores else (0.0, 0.0)


def selection(task: Setup) -> Rows:
    """Choose features in three ways, cluster the samples by them, and compare with the labels; on both scalings."""
    data = task.data[0]
    X = np.asarray(data.X, float)
    labels = np.zeros(len(X), dtype=int) if data.labels is None else np.asarray(data.labels)
    for panel, start in (("centred", 0.0), ("standardised", 0.5)):
        spread = X.std(axis=0) if start else np.ones(X.shape[1])
        Y, cov = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), Covariance.from_dataset(data, bool(start))
        task.monitor.tell(start + 0.01, "entropy of every feature")
        losses = contributions(Y, task.monitor.stop)
        if losses is None:
            return
        ranking = np.argsort(-losses, kind="stable")
        whole, spread = scored(task, Y, labels)
        counts = [k for k in (SIZES if task.full else SIZES[1::5]) if k <= len(losses)] or [len(losses)]
        for place, count in enumerate(counts):
            row: dict[str, Any] = {"Features": count, "All features": whole}
            row |= {"classes": len(np.unique(labels)), "deviation": spread}
            for name in CHOICES:
                if name == CE:
                    features = ranking[:count]
                else:  # those of the first sparse component
                    features = solve(cov, count, "em", nonnegative="(nn)" in name, **task.settings()).support
                mean, deviation = scored(task, Y[:, np.sort(features)], labels)
                row |= {name: mean, f"{name}, low": mean - deviation, f"{name}, high": mean + deviation}
            fraction = start + 0.5 * (0.2 + 0.8 * (place + 1) / len(counts))
            task.monitor.tell(fraction, f"{panel}, {count} features")
            yield panel, row


def show_selection(run: StudyResult) -> Iterator[Table]:
    """The scores of each choice of genes, on either scaling."""
    look = Picture(
        "Features",
        ("All features", *CHOICES),
        "Jaccard score",
        "number of features",
        guides=["All features"],
        y_range=(0.0, 1.0),
    )
    note = (
        f"Mean over {CLUSTERINGS[run.full]} random starts of k-means, and one standard deviation to each side. 1: the "
        "clusters are the classes."
    )
    for name, frame in run.rows.items():
        classes = frame["classes"].iloc[0]
        title = f"Do clusters by the chosen features agree with the {classes} classes? Features {name}"
        told = note
        for row in frame[frame["Features"] == NAMED].to_dict("records"):
            own, of_all = row["emPCA (nn)"], f"{row['All features']:.2f} ± {row['deviation']:.2f} by all features."
            told += f" With {NAMED} features, the number in the paper's text: {own:.2f} ± "
            told += f"{own - row['emPCA (nn), low']:.2f} by the nonnegative component, {of_all}"
        yield Table(name, title, frame.drop(columns=["classes", "deviation"]), look, told)


FIGURES = {
    "sigg2008-fig2-left": (partial(variances, entrants=(EM_OPT, SPCA, SPCA_OPT, PATH)), show_variances),
    "sigg2008-fig2-middle": (partial(variances, entrants=(EM_OPT, SPCA_OPT, PATH, CUT)), show_variances),
    "sigg2008-fig2-right": (times, show_times),
    "sigg2008-fig3-left": (single, show_single),
    "sigg2008-fig3-middle": (
        disjoint,
        partial(show_several, note=f"Each emPCA component has {CARDINALITY} pixels."),
    ),
    "sigg2008-fig3-right": (apart, partial(show_several, note="Components may use every pixel.")),
    "sigg2008-fig4": (selection, show_selection),
}
