"""The boards of the game: data to paint on, the best component known, and its proven ceiling.

:func:`proven`, :func:`parts` and :func:`shares` are the only ways by which results reach the lesson.
"""

from __future__ import annotations

import functools
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.view.session import canvas, catalogue, downloads, openings, scene, store

STORED = Path(__file__).with_name("stored.json")  # written by `python -m tests.lesson`
BOARDS = {"faces": "lfw-faces", "digits": "digits", "spectra": "lrs"}
TITLES = {"faces": "Faces", "digits": "Digits", "spectra": "Spectra"}


@dataclass(frozen=True, eq=False)
class Proven:
    """The best component known on a board, and its proven ceiling.

    Attributes
    ----------
    support : tuple of int
    loadings : tuple of float
        Its loadings on its support.
    lower, upper : float
        Its variance, and the least proven ceiling, rounding included.
    leading : float
        λ₁, the variance of PCA's first component.
    """

    support: tuple[int, ...]
    loadings: tuple[float, ...]
    lower: float
    upper: float
    leading: float


@functools.cache
def stored() -> dict[str, Any]:
    """Return the stored results, by what they are for."""
    content: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8"))
    return content


def at_hand() -> list[str]:
    """Return the boards whose data are on this machine."""
    infos = catalogue.infos()
    return [board for board, name in BOARDS.items() if name in infos and infos[name].local]


def covariance(name: str) -> nnspca.Covariance:
    """Return the covariance of a data set as its opening view takes it."""
    return nnspca.Covariance.from_dataset(catalogue.dataset(name), standardize=openings.opening(name).standardise)


def prove(cov: nnspca.Covariance, k: int) -> Proven:
    """Solve and certify; some seconds on the faces."""
    part = nnspca.solve(cov, k)
    certificate = nnspca.certify(cov, k, component=part)
    best, support = certificate.component, certificate.component.support
    return Proven(
        tuple(support.tolist()),
        tuple(best.loadings[support].tolist()),
        certificate.lower,
        certificate.upper,
        certificate.leading,
    )


def proven(name: str) -> Proven:
    """Return the best component and the ceiling: the stored ones where the data are the same, else computed now."""
    data, k = catalogue.dataset(name), usual_k(name)
    known = stored()["boards"].get(name)
    if known is not None and (known["content_hash"], known["k"]) == (data.content_hash, k):
        return Proven(
            tuple(known["support"]), tuple(known["loadings"]), known["lower"], known["upper"], known["leading"]
        )
    return _prove(name, data.content_hash, k)


def parts() -> dict[str, Any]:
    """Return six parts of the faces: one after the other, together with the ceiling of their sum, and by NMF."""
    content: dict[str, Any] = stored()["parts"]
    return content


def shares(name: str) -> dict[str, Any]:
    """Return proven shares of the optimum along k, and the first eigenvalues; at the board's own k as proven there."""
    content, best = stored()["promised"][name], proven(name)
    known = dict(zip(content["ks"], content["shares"], strict=True)) | {
        usual_k(name): min(best.lower / best.upper, 1.0)
    }
    return {"n": content["n"], "values": content["values"], "ks": list(known), "shares": list(known.values())}


@st.cache_resource(show_spinner="Computing the ceiling …")
def _prove(name: str, content_hash: str, k: int) -> Proven:
    return prove(covariance(name), k)


def usual_k(name: str) -> int:
    """Return how many features may be painted."""
    return openings.usual_k(catalogue.dataset(name).n_features, name)


def payload(board: str) -> dict[str, Any]:
    """Return all the browser needs to play a board.

    The covariance travels as ``samples`` Z, so that it is Z'Z, where samples are fewer, else as its
    upper ``triangle``, row after row.
    """
    name = BOARDS[board]
    data = catalogue.dataset(name)
    best, mean = proven(name), store.mean(data)
    return {
        "name": board,
        "data": name,
        "title": TITLES[board],
        "noun": scene.noun(data),
        "n": data.n_features,
        "k": usual_k(name),
        "scene": scene.packed(data, mean, ()),
        "about": about(data),
        "code": code(name, usual_k(name)),
        **_numbers(name, data),
        "solver": {"support": list(best.support), "loadings": list(best.loadings), "variance": best.lower},
        "ceiling": best.upper,
        "leading": best.leading,
    }


def code(name: str, k: int) -> str:
    """Return Python that computes the variance of what was painted: PAINTED stands for the list of features."""
    return f"""\
import nnspca

{downloads.load_line(name)}
cov = nnspca.Covariance.from_dataset(data, standardize={openings.opening(name).standardise})
painted = PAINTED
mine = nnspca.solve(cov.restrict(painted), k=len(painted))
cert = nnspca.certify(cov, k={k})
print(f"mine {{mine.variance:.4g}}, the solver {{cert.lower:.4g}}, ceiling {{cert.upper:.4g}}")
"""


def about(data: Dataset) -> str:
    """Describe the data of a board."""
    scaled = " Each pixel is divided by its standard deviation."
    return f"{data.X.shape[0]:,} samples, {data.n_features} {scene.noun(data)}." + (
        scaled if openings.opening(data.name).standardise else ""
    )


def _numbers(name: str, data: Dataset) -> dict[str, Any]:
    m, n = data.X.shape
    if m < n:
        return {"samples": canvas.pack(samples(name), "f4"), "rows": m}
    rows, columns = np.triu_indices(n)
    return {"triangle": canvas.pack(covariance(name).block(np.arange(n))[rows, columns], "f8")}


def samples(name: str) -> np.ndarray:
    """Return Z, shape (samples, features), with Z'Z the covariance."""
    data = catalogue.dataset(name)
    centred = data.X - data.X.mean(axis=0)
    if openings.opening(name).standardise:
        deviation = centred.std(axis=0)
        centred = centred / np.where(deviation > 0, deviation, 1.0)
    return np.asarray(centred / math.sqrt(len(centred)))
