"""What the chapters show of the faces: PCA's components, parts, spectra, promised and proven shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from nnspca.studies.asteris2014_theorem import guarantee
from nnspca.view.learn import boards
from nnspca.view.link import canvas
from nnspca.view.sources import catalogue
from nnspca.view.words import at_least, at_most, percent

FACES = boards.BOARDS["faces"]
COMPONENTS = 6
COUNTS = 0.05  # a loading below this share of its component's largest is not counted
SHOWN_K, SHOWN_D = 40, 3


def scene() -> dict[str, Any]:
    """The mean face, on which everything is drawn."""
    data = catalogue.dataset(FACES)
    rows, columns = data.image_shape or (1, data.n_features)
    return {"rows": rows, "columns": columns, "mean": canvas.greys(data.X.mean(axis=0))}


def leading() -> tuple[np.ndarray, np.ndarray]:
    """Return the first eigenvalues and eigenvectors, each mostly positive."""
    values, vectors = boards.covariance(FACES).eigenpairs(COMPONENTS)
    return values, vectors * np.where(vectors.sum(axis=0) < 0, -1.0, 1.0)


def pca() -> dict[str, Any]:
    """PCA's components, and what the largest loadings of the first explain alone."""
    values, vectors = leading()
    first, cov, k = vectors[:, 0], boards.covariance(FACES), SHOWN_K
    cut = np.zeros_like(first)
    largest = np.argsort(-np.abs(first), kind="stable")[:k]
    cut[largest] = first[largest] / np.linalg.norm(first[largest])
    return {
        "image": scene(),
        "vectors": canvas.pack(vectors.T, "f4"),
        "values": values.tolist(),
        "facts": {
            "n": len(first),
            "k": k,
            "cut": percent(cov.variance(cut) / values[0], 1),
            "ours": percent(boards.proven(FACES).lower / values[0], 1),
        },
    }


def ghosts() -> dict[str, Any]:
    """Six components by PCA, by NMF and by us, each scaled to a largest loading of 1."""
    _, vectors = leading()
    parts = boards.parts()
    rows = {
        "pca": vectors.T,
        "nmf": np.array(parts["nmf"], dtype=float),
        "ours": loadings(parts["together"], len(vectors)),
    }
    scaled = {name: row / np.abs(row).max(axis=1, keepdims=True) for name, row in rows.items()}
    used = {name: float((np.abs(row) > COUNTS).sum(axis=0).mean()) for name, row in scaled.items()}
    return {
        "image": scene(),
        "sets": [[name, canvas.pack(row, "f4")] for name, row in scaled.items()],
        "facts": {name: at_least(value, 1) for name, value in used.items()},
    }


def loadings(parts: dict[str, Any], n: int) -> np.ndarray:
    """Return bundled parts as loadings, shape (parts, n)."""
    loadings = np.zeros((len(parts["supports"]), n))
    for row, support, entries in zip(loadings, parts["supports"], parts["loadings"], strict=True):
        row[support] = entries
    return loadings


def several() -> dict[str, Any]:
    """Six parts one after the other, and together, with the upper bound on their sum."""
    parts, leading = boards.parts(), boards.proven(FACES).leading
    apart, together = (sum(parts[way]["variances"]) / leading for way in ("apart", "together"))
    matched = _matched(parts["together"], parts["apart"])
    return {
        "image": scene(),
        "apart": parts["apart"],
        "together": matched,
        "upper": parts["upper"],
        "leading": leading,
        "facts": {
            "k": parts["k"],
            "apart": percent(apart, 1),
            "together": percent(together, 1),
            "upper": f"{at_most(100 * parts['upper'] / leading, 1)} %",
        },
    }


def _matched(parts: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
    """Return parts in the order in which they share most features with the others, so that each keeps its colour."""
    common = [[len(set(a) & set(b)) for b in parts["supports"]] for a in others["supports"]]
    _, order = linear_sum_assignment(common, maximize=True)
    return {key: [values[at] for at in order] for key, values in parts.items()}


def spectra() -> dict[str, tuple[int, list[float]]]:
    """Return n and the first eigenvalues of the bundled data sets."""
    sets = {name: boards.shares(boards.BOARDS[name]) for name in ("faces", "digits")}
    return {name: (data["n"], data["values"]) for name, data in sets.items()}


def promised() -> dict[str, Any]:
    """What Theorem 1 promises at some k, and what certificates prove there."""
    sets = {name: boards.shares(boards.BOARDS[name]) for name in ("faces", "digits")}
    faces = sets["faces"]
    decay = faces["values"][SHOWN_D] / faces["values"][0]
    return {
        "sets": [{"name": boards.TITLES[name], **data} for name, data in sets.items()],
        "k": SHOWN_K,
        "d": SHOWN_D,
        "facts": {
            "k": SHOWN_K,
            "promised": percent(guarantee(faces["n"], SHOWN_K, decay), 1),
            "proven": percent(faces["shares"][faces["ks"].index(SHOWN_K)], 1),
        },
    }


def paint(names: Sequence[str]) -> dict[str, Any]:
    """The game, on these boards."""
    best = boards.proven(FACES)
    return {
        "boards": [boards.payload(board) for board in names],
        "facts": {"k": boards.usual_k(FACES), "share": percent(best.lower / best.upper, 1)},
    }
