"""The boards of the game: data to paint on, the best component known, and its proven upper bound.

:func:`proven` and :func:`parts` are the only ways by which results reach the lesson; they read the ledger, so that the
lesson shows the same numbers as every page.
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

import nnspca
from nnspca.bounds.balanced import balanced_rows
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem as Bounded
from nnspca.datasets import Dataset
from nnspca.result import rounded
from nnspca.view import ledger
from nnspca.view.ledger import Known
from nnspca.view.link import canvas, state
from nnspca.view.sources import catalogue, preparation
from nnspca.view.stored import Problem
from nnspca.view.ui import component

STORED = Path(__file__).with_name("stored.json")  # written by `python -m tests.lesson`
BOARDS = {"faces": "lfw-faces", "digits": "digits", "spectra": "lrs"}
TITLES = {"faces": "Faces", "digits": "Digits", "spectra": "Spectra"}


def at_hand() -> list[str]:
    """Return the boards whose data are on this machine."""
    infos = catalogue.infos()
    return [board for board, name in BOARDS.items() if name in infos and infos[name].local]


def opening_covariance(name: str) -> nnspca.Covariance:
    """Return the covariance of a data set as its opening view takes it, which all pages and rooms share."""
    return preparation.covariance_for(catalogue.dataset(name), state.opening(name).standardise, False)


def problem(name: str) -> Problem:
    """Return the problem of a board: its data as the opening view takes them, nonnegative loadings."""
    return catalogue.dataset(name).content_hash, state.opening(name).standardise, True


def proven(name: str) -> Known:
    """Return the best component known and its upper bound, from the ledger; computed where it has none."""
    data, k = catalogue.dataset(name), board_k(name)
    best = ledger.shared().at(problem(name), k, 0.0)  # variances are at least 0
    if not best.bounded:
        solve_board(name, data.content_hash, k)
        best = ledger.shared().at(problem(name), k, 0.0)
    return best


def solver(best: Known) -> dict[str, list]:
    """Return the component as the browser draws it: its features, and their loadings."""
    support = best.component.support
    return {"support": support.tolist(), "loadings": best.component.loadings[support].tolist()}


def nmf_and_best() -> tuple[np.ndarray, np.ndarray]:
    """Return six parts of the faces by NMF, and the best known, from the ledger: loadings, shape (6, n) each."""
    name, nmf = BOARDS["faces"], json.loads(STORED.read_text(encoding="utf-8"))["nmf"]
    best = ledger.shared().parts_along(problem(name), board_k(name), (len(nmf),), 0.0)[len(nmf)]
    ordered = sorted(best.components, key=lambda part: -part.variance)
    return np.array(nmf, dtype=float), np.array([part.loadings for part in ordered])


@st.cache_resource(show_spinner="Computing the upper bound …")
def solve_board(name: str, content_hash: str, k: int) -> None:
    """Solve and certify; some seconds on the faces."""
    certificate = nnspca.certify(opening_covariance(name), k)
    ledger.shared().record(problem(name), k, certificate.component, certificate.upper)


def board_k(name: str) -> int:
    """Return how many features may be painted."""
    return state.default_k(catalogue.dataset(name).n_features, name)


def payload(board: str) -> dict[str, Any]:
    """Return all the browser needs to play a board.

    The covariance travels as ``samples`` Z, so that it is Z'Z, where samples are fewer, else as its
    upper ``triangle``, row after row.
    """
    name = BOARDS[board]
    data, whole = catalogue.dataset(name), opening_covariance(name).trace
    best, mean, own = proven(name), component.mean_sample(data), facts(board)
    scaled = " Each is divided by its standard deviation." if state.opening(name).standardise else ""
    return {
        **own,
        "name": board,
        "title": TITLES[board],
        "scene": component.features_payload(data, mean, ()),
        "about": f"{data.X.shape[0]:,} samples, {own['n']} {own['noun']}.{scaled}",
        **_numbers(name, data),
        "solver": {**solver(best), "variance": best.lower},
        "upper": best.upper,
        "optimal": best.optimal,
        "whole": whole,
        "digits": rounded.decimals(best.lower, best.upper, whole),
    }


def facts(board: str) -> dict[str, Any]:
    """Return what the game's words say of a board: its choices, and what row sums alone and the best proof prove."""
    name = BOARDS[board]
    data, best, k = catalogue.dataset(name), proven(name), board_k(name)
    return {
        "data": name,
        "noun": component.called(data),
        "n": data.n_features,
        "k": k,
        "power": power(math.comb(data.n_features, k)),
        "rows": rounded.percent(rounded.share(best.lower, row_sums(name)), 1),
        "share": rounded.proven_share(best.lower, best.upper),
    }


@cache
def row_sums(name: str) -> float:
    """Return the upper bound by row sums of all features: a tenth of a second on the faces."""
    return balanced_rows(Bounded(opening_covariance(name), board_k(name)), monitor=Monitor()).value


def power(value: float) -> str:
    """Return the exponent of the largest power of ten that is not above a value, raised."""
    return str(math.floor(math.log10(value))).translate(rounded.RAISED)


def _numbers(name: str, data: Dataset) -> dict[str, Any]:
    m, n = data.X.shape
    if m < n:
        return {"samples": canvas.pack(samples(name), "f4")}
    rows, columns = np.triu_indices(n)
    return {"triangle": canvas.pack(opening_covariance(name).block(np.arange(n))[rows, columns], "f8")}


def samples(name: str) -> np.ndarray:
    """Return Z, shape (samples, features), with Z'Z the covariance."""
    data = catalogue.dataset(name)
    centred = data.X - data.means
    if state.opening(name).standardise:
        centred /= np.where(data.deviations > 0, data.deviations, 1.0)
    return np.asarray(centred / math.sqrt(len(centred)))
