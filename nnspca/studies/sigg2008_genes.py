"""Sigg & Buhmann (2008), Fig. 4: genes chosen without labels, judged by the clusters they give."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.special

from nnspca.covariance import Covariance
from nnspca.studies.study import Given, StudyResult, Table, TableRows
from nnspca.tasks._solve import solve

CE = "CE + SR"
CHOICES = ("emPCA", "emPCA (nn)", CE)
SIZES = tuple(range(10, 251, 10))  # numbers of features, the range of the figure
STARTS = {False: 10, True: 100}  # of k-means, in the reduced and in the full form
NAMED = 70  # of them the one in the paper's text
MOST_ENTRIES = 400_000  # entries of the matrices whose eigenvalues are computed between two polls of the stop switch


def entropy(values: np.ndarray) -> np.ndarray:
    """Return the SVD-entropy of each row of squared singular values, between 0 and 1 (Varshavsky et al. 2006).

    Shares ``v_j = s_j² / Σ s²`` give ``−Σ v_j ln v_j / ln N``: 0 if one direction has everything, 1 if all are equal.

    >>> entropy(np.array([[1.0, 0.0], [1.0, 1.0]])).round(12) + 0.0
    array([0., 1.])
    """
    shares = np.maximum(values, np.finfo(float).tiny)
    shares /= shares.sum(axis=-1, keepdims=True)
    return scipy.special.entr(shares).sum(axis=-1) / np.log(max(values.shape[-1], 2))


def contributions(X: np.ndarray, stop: Callable[[], bool]) -> np.ndarray | None:
    """Return the loss of entropy without each feature, shape (n,); None if stopped.

    The squared singular values of X (m, n) are the eigenvalues of XX', and removing feature i subtracts
    ``x_i x_i'``: n eigenvalue problems of size m. If there are fewer features than samples, row and
    column i of X'X are removed instead.
    """
    m, n = X.shape
    gram = X @ X.T if m <= n else X.T @ X
    total = entropy(np.linalg.eigvalsh(gram)[None])[0]
    batch = max(1, MOST_ENTRIES // len(gram) ** 2)
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


def cluster_scores(given: Given, Y: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """Return mean and standard deviation of the score of clusters of Y over random starts of k-means."""
    from sklearn.cluster import KMeans

    scores = []
    for start in range(STARTS[given.full]):
        if given.monitor.stop():
            break
        seed = int(np.random.default_rng([given.seed, start]).integers(2**31 - 1))
        model = KMeans(len(np.unique(labels)), init="random", n_init=1, random_state=seed)
        scores.append(jaccard(labels, model.fit_predict(Y)))
    return (float(np.mean(scores)), float(np.std(scores))) if scores else (0.0, 0.0)


def selection(given: Given) -> TableRows:
    """Choose features in three ways, cluster the samples by them, and compare with the labels; on both scalings."""
    data = given.data[0]
    X = np.asarray(data.X, float)
    labels = np.zeros(len(X), dtype=int) if data.labels is None else np.asarray(data.labels)
    for panel, start in (("centred", 0.0), ("standardised", 0.5)):
        spread = X.std(axis=0) if start else np.ones(X.shape[1])
        Y, cov = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), Covariance.from_dataset(data, bool(start))
        given.monitor.tell(start + 0.01, "entropy of every feature")
        losses = contributions(Y, given.monitor.stop)
        if losses is None:
            return
        ranking = np.argsort(-losses, kind="stable")
        whole, spread = cluster_scores(given, Y, labels)
        counts = [k for k in (SIZES if given.full else SIZES[1::5]) if k <= len(losses)] or [len(losses)]
        for place, count in enumerate(counts):
            row: dict[str, Any] = {"Features": count, "All features": whole}
            row |= {"classes": len(np.unique(labels)), "deviation": spread}
            for name in CHOICES:
                if name == CE:
                    features = ranking[:count]
                else:  # those of the first sparse component
                    features = solve(cov, count, "em", nonnegative="(nn)" in name, **given.settings()).support
                mean, deviation = cluster_scores(given, Y[:, np.sort(features)], labels)
                row |= {name: mean, f"{name}, low": mean - deviation, f"{name}, high": mean + deviation}
            fraction = start + 0.5 * (0.2 + 0.8 * (place + 1) / len(counts))
            given.monitor.tell(fraction, f"{panel}, {count} features")
            yield panel, row


def show_selection(run: StudyResult) -> Iterator[Table]:
    """The scores of each choice of genes, on either scaling."""
    for name, frame in run.rows.items():
        facts = {"classes": frame["classes"].iloc[0], "starts": STARTS[run.full], "told": ""}
        for row in frame[frame["Features"] == NAMED].to_dict("records"):
            own, of_all = row["emPCA (nn)"], f"{row['All features']:.2f} ± {row['deviation']:.2f} by all features."
            facts["told"] += f" With {NAMED} features, the number in the paper's text: {own:.2f} ± "
            facts["told"] += f"{own - row['emPCA (nn), low']:.2f} by the nonnegative component, {of_all}"
        shown = frame.drop(columns=["classes", "deviation"])
        yield run.drawn(f"selection.{name}", shown, facts, lines=("All features", *CHOICES))


FIGURES = {"sigg2008-fig4": (selection, show_selection)}
