"""Zass & Shashua (2006), Fig. 4: faces against other images, by the components of faces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from nnspca.covariance import Covariance
from nnspca.datasets import Dataset, load
from nnspca.solvers.nmf import nmf_parts
from nnspca.studies.study import WORDS, Given, StudyResult, Table, TableRows
from nnspca.studies.zass2006 import ACTIVE, COUNT, gspca, nspca, prices

TRAINED = (1000, 2000)  # faces and other images of the training set
TITLES = {name: title.format(ACTIVE) for name, title in WORDS["methods"]["detection"].items()}
PRICES = [name for name in TITLES if "-" in name]  # α, and a price of loadings: the four curves of panel (a)
BEST = "high-price"
FALSE = np.arange(0, 101)  # per cent


@dataclass(frozen=True)
class Split:
    """Faces (True) and other images, divided into training and test sets."""

    X: np.ndarray
    face: np.ndarray
    X_test: np.ndarray
    face_test: np.ndarray


def first_class(data: Dataset) -> tuple[np.ndarray, np.ndarray]:
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


def face_features(given: Given, method: str, faces: np.ndarray, start: float, end: float) -> np.ndarray:
    """Return ten directions found on the training faces alone, as columns."""
    cov = Covariance.from_data(faces)
    count = min(COUNT, cov.n_features)
    if method in PRICES:
        penalties = prices(given, cov)
        alpha = penalties.high if method.startswith("high") else penalties.low
        beta = penalties.price if method.endswith("price") else 0.0
        return nspca(given, cov, alpha, beta, start, end).loadings
    if method == "pca":
        return cov.eigenpairs(count)[1]
    if method == "nmf":
        rng = np.random.default_rng(given.seed)
        steps = 300 if given.full else 100
        return nmf_parts(faces - min(0.0, float(faces.min())), count, rng=rng, max_iter=steps, monitor=given.monitor)
    return gspca(given, cov, start, end)


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


def detection(given: Given) -> TableRows:
    """Train and test on every split, method after method."""
    X, face = first_class(given.data[0])
    count = 10 if given.full else 1
    steps = count * len(TITLES)
    for number, split in enumerate(splits(X, face, given.seed, count)):
        faces = split.X[split.face]
        for step, (method, title) in enumerate(TITLES.items(), start=number * len(TITLES)):
            U = face_features(given, method, faces, step / steps, (step + 1) / steps)
            if given.monitor.stop():
                return
            true, area = detect(U, split)
            given.monitor.tell((step + 1) / steps, f"split {number + 1}, {title}")
            yield "areas", {"method": title, "split": number + 1, "area": area}
            curve = zip(FALSE.tolist(), true.tolist(), strict=True)
            yield "curves", [{"method": title, "false": f, "true": t, "split": number + 1} for f, t in curve]


def show_detection(run: StudyResult) -> Iterator[Table]:
    """The curves and their areas, each the mean of the splits."""
    if "curves" in run.rows:
        means = run.rows["curves"].groupby(["method", "false"], sort=False)["true"].mean().unstack("method")
        means = means.rename_axis(columns=None).rename_axis("False positives (%)").reset_index()
        for name, methods in (("prices", PRICES), ("methods", [BEST, "gspca", "nmf", "pca"])):
            if lines := [TITLES[m] for m in methods if TITLES[m] in means]:
                yield run.drawn(f"detection.{name}", means[[means.columns[0], *lines]])
    areas = run.rows["areas"].groupby("method", sort=False)["area"]
    area, spread = "Area under the curve", "± between splits"
    frame = pd.DataFrame({area: areas.mean(), spread: areas.std(ddof=0), "Splits": areas.size()})
    yield run.drawn("detection.areas", frame.rename_axis("Features by").reset_index(), lines=[area])


FIGURES = {"zass2006-fig4": (detection, show_detection)}
