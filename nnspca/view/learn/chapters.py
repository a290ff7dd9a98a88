"""The lesson on the page: the numbers behind its figures, fetched once, and the component that plays it."""

from __future__ import annotations

import functools
import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

import nnspca
from nnspca.certificates.proofs import PairProof
from nnspca.result.rounded import fixed, percent, share
from nnspca.spannogram import curves
from nnspca.view import session
from nnspca.view.learn import boards
from nnspca.view.link import canvas, state, widgets
from nnspca.view.sources import catalogue

FACES = boards.BOARDS["faces"]
LESSON = tomllib.loads(Path(__file__).with_name("lesson.toml").read_text(encoding="utf-8"))
CHAPTERS = LESSON["chapter"]
COMPONENTS = 6
COUNTS = 0.05  # a loading below this share of its component's largest is not counted
CLOUD = (
    *((-2.1, 1.2), (-1.4, 0.3), (-1.0, 1.1), (-0.4, 0.1), (0.1, -0.5)),
    *((0.5, 0.4), (0.9, -0.9), (1.5, -0.3), (1.9, -1.4)),
)
ROWS = ((-1.2, -0.4), (0.2, 0.9), (1.9, 0.1), (0.8, 1.9))
MATRIX = ((6, 2, 2, 1), (2, 3, 0, -1), (2, 0, 3, 1), (1, -1, 1, 3))
SHARES = ((0, 1, 1, 1), (4, 0, 0, 0), (4, 0, 0, 1), (1, 0, 1, 0))  # M >= 0, and M_ij M_ji >= max(A_ij, 0)²
CUT = 1.0  # the level ρ at which the split proves least
PAIR = 2  # k of the matrix
FACE_SIDE, FACE_K = 5, 4  # the small face: so many rows and columns of pixels, and k
MANY = (40, 5, 3)
BROWSER = Path(__file__).with_name("browser")
CURVES = BROWSER.parents[1] / "spannogram" / "browser"  # what draws the spannogram draws it here too
FIGURES = ("game.js", "faces.js", "plane.js", "curves.js", "search.js", "proof.js")
DRAWING = ("mathematics.js", "captions.js", "plot.js")
SCRIPTS = (*(str(CURVES / name) for name in DRAWING), "desk.js", "judge.js", "predict.js", *FIGURES, "shell.js")
_mount = canvas.component("learn", BROWSER, SCRIPTS)
KEYS = state.keys_of("learn")
PLAYED = ("step", "board", "painted", "best", "at", "guess")


def chapter(words: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chapter for the browser: the facts of its figure in its words, and the meaning of each symbol."""

    def filled(words: Any) -> Any:
        if isinstance(words, dict):
            return {key: filled(part) for key, part in words.items()}
        return (
            words.format(**facts)
            if isinstance(words, str)
            else [filled(part) for part in words]
            if isinstance(words, list)
            else words
        )

    symbols = [[sign, *(meaning or [LESSON["symbols"][sign]])] for sign, *meaning in words["symbols"]]
    return dict(filled({**words, "symbols": symbols}))


def image_shape() -> dict[str, Any]:
    """The shape of a face."""
    return dict(zip(("rows", "columns"), catalogue.dataset(FACES).image_shape or (), strict=True))


def leading() -> tuple[np.ndarray, np.ndarray]:
    """Return the first eigenvalues and eigenvectors, each mostly positive."""
    values, vectors = boards.opening_covariance(FACES).eigenpairs(COMPONENTS)
    return values, vectors * np.where(vectors.sum(axis=0) < 0, -1.0, 1.0)


def pca() -> dict[str, Any]:
    """PCA's components, and what the largest loadings of the first explain alone."""
    values, vectors = leading()
    first, cov, k = vectors[:, 0], boards.opening_covariance(FACES), boards.board_k(FACES)
    cut = np.where(np.abs(first) >= np.sort(np.abs(first))[-k], first, 0.0)
    kept = cov.variance(cut / np.linalg.norm(cut)) / values[0]
    return {
        "answer": round(100 * kept, 1),
        "image": image_shape(),
        "vectors": canvas.pack(vectors.T, "f4"),
        "values": values.tolist(),
        "facts": {
            "n": len(first),
            "k": k,
            "cut": percent(kept, 1),
            "ours": percent(boards.proven(FACES).lower / values[0], 1),
        },
    }


def ghosts() -> dict[str, Any]:
    """Six components by PCA, by NMF and by us, each scaled to a largest loading of 1."""
    _, vectors = leading()
    nmf, ours = boards.nmf_and_best()
    rows = {"pca": vectors.T, "nmf": nmf, "ours": ours}
    scaled = {name: row / np.abs(row).max(axis=1, keepdims=True) for name, row in rows.items()}
    used = {name: float((np.abs(row) > COUNTS).sum(axis=0).mean()) for name, row in scaled.items()}
    return {
        "answer": round(used["nmf"], 1),
        "image": image_shape(),
        "sets": [[name, canvas.pack(row, "f4")] for name, row in scaled.items()],
        "facts": {name: fixed(value, 1, down=True) for name, value in used.items()} | {"k": boards.board_k(FACES)},
    }


def paint(names: Sequence[str]) -> dict[str, Any]:
    """The game, on these boards: each with its own words."""
    facts = {board: boards.facts(board) for board in names}
    played = [boards.payload(board) | {"words": chapter(CHAPTERS[0], facts[board])} for board in names]
    return {"boards": played, "facts": facts[names[0]]}


def _supports(n: int, k: int) -> int:
    return sum(math.comb(n, size) for size in range(1, k + 1))


def counting(n: int, k: int) -> dict[str, Any]:
    """How many supports there are."""
    ways = math.comb(n, k)
    years = ways / 1e9 / (365.25 * 24 * 3600)
    exponent = math.floor(math.log10(ways))
    facts = {"n": n, "k": k, "power": boards.power(ways), "years_power": boards.power(years)}
    return {"n": n, "k": k, "answer": exponent, "facts": facts}


def cloud() -> dict[str, Any]:
    """Points in the plane whose covariance is negative: PCA mixes signs, the nonnegative component picks one axis."""
    cov = np.cov(np.array(CLOUD).T, bias=True)
    part = nnspca.solve(nnspca.Covariance.from_matrix(cov), 2)
    return {
        "answer": part.cardinality,
        "points": CLOUD,
        "facts": {
            "covariance": fixed(cov[0, 1], 2).replace("-", "−"),
            "pca": fixed(float(np.linalg.eigvalsh(cov)[-1]), 2),
            "ours": fixed(part.variance, 2),
        },
    }


def rank_two() -> dict[str, Any]:
    """Four curves over an angle, where the top two change, and the optimum."""
    V, k = np.array(ROWS), 2
    regions, best = curves.regions(V, k), curves.optimum(V, k)
    return {
        "answer": regions.candidates(),
        "V": V.tolist(),
        "k": k,
        "optimum": [best.phi, best.value],
        "facts": {
            "k": k,
            "candidates": regions.candidates(),
            "supports": _supports(len(V), k),
            "best": fixed(best.value, 2, down=True),
            "set": ", ".join(str(i + 1) for i in best.support),
        },
    }


def changes() -> dict[str, Any]:
    """Many curves: crossings, changes of the top set, and all supports."""
    n, k, seed = MANY
    V = np.round(np.random.default_rng(seed).standard_normal((n, 2)), 2)  # few digits travel short
    regions = curves.regions(V, k)
    return {
        "answer": regions.candidates(),
        "V": V.tolist(),
        "n": n,
        "k": k,
        "facts": {
            "n": n,
            "k": k,
            "crossings": f"{2 * len(curves.crossings(V).angles):,}",  # over a whole turn, as the changes
            "changes": len(regions.angles),
            "candidates": regions.candidates(),
            "supports": f"{_supports(n, k):,}",
        },
    }


def matrix() -> dict[str, Any]:
    """Four features, k = 2: every upper bound by hand, down to the optimum."""
    A, M = np.array(MATRIX, dtype=float), np.array(SHARES, dtype=float)
    part = nnspca.solve(nnspca.Covariance.from_matrix(A), PAIR, "exact")
    rows = [float(A[i, i] + max(A[i, j] for j in range(4) if j != i)) for i in range(4)]
    split = float(np.linalg.eigvalsh(np.maximum(A - CUT, 0))[-1]) + CUT * PAIR
    shared = [float(A[i, i] + M[i].max()) for i in range(4)]
    return {
        "answer": round(part.variance, 9),
        "A": A.tolist(),
        "M": M.tolist(),
        "k": PAIR,
        "leading": float(np.linalg.eigvalsh(A)[-1]),
        "optimum": part.variance,
        "facts": {
            "leading": fixed(float(np.linalg.eigvalsh(A)[-1]), 2, up=True),
            "rows": fixed(max(rows), 2, up=True),
            "split": fixed(split, 2, up=True),
            "shared": fixed(max(shared), 2, up=True),
            "optimum": fixed(part.variance + 1e-12, 2, down=True),
            "k": PAIR,
        },
    }


def check() -> dict[str, Any]:
    """The certificate of those four features, that of a small face, and what such a table proves on the faces."""
    shown, facts, small = matrix(), boards.facts("faces"), small_face()
    more = {"faces": facts["n"], "pixels": facts["k"], "others": facts["k"] - 1, "share": facts["rows"]}
    return shown | {"answer": 2, "small": small, "facts": shown["facts"] | more | small["facts"]}  # the third option


def small_face() -> dict[str, Any]:
    """A certificate of the faces at 5 × 5 pixels, in whole hundredths: L, M and the claim as shown are what is proven.

    L is rounded, and M up, until each product exceeds its square; with what a row leaves of the claim on L's diagonal,
    the claim is the least whole one at which A − L has no eigenvalue above 0.
    """
    data = catalogue.dataset(FACES)
    step = math.isqrt(data.n_features) // FACE_SIDE
    X = data.X.reshape(-1, FACE_SIDE, step, FACE_SIDE, step).mean(axis=(2, 4)).reshape(-1, FACE_SIDE**2)
    cov = nnspca.Covariance.from_data(X, standardize=True)
    cert = nnspca.certify(cov, FACE_K)
    bound, found = next((b, b.ingredients) for b in cert.bounds if isinstance(b.ingredients, PairProof))
    L = np.rint(100 * found.L)
    sharing = np.sqrt(np.divide(found.M, found.M.T, out=np.ones_like(L), where=found.M.T > 0))
    M = np.where(L > 0, np.ceil(sharing * np.sqrt(L**2 + 1)), 0)
    np.fill_diagonal(M, 0)
    dearest = np.sort(M)[:, 1 - FACE_K :].sum(axis=1)
    np.fill_diagonal(L, -dearest)
    claim = math.ceil(np.linalg.eigvalsh(100 * cov.block(np.arange(len(L))) - L)[-1] + 1e-3)
    np.fill_diagonal(L, claim - dearest)
    shown = replace(bound, value=claim / 100, ingredients=PairProof(L / 100, M / 100, tail=-1e-6))
    nnspca.verify(replace(cert, upper=shown.value, bounds=(cert.bounds[0], shown)), cov)
    return {
        "image": {"rows": FACE_SIDE, "columns": FACE_SIDE},
        "grey": canvas.greys(X.mean(axis=0)),
        "L": L.astype(int).tolist(),
        "M": M.astype(int).tolist(),
        "k": FACE_K,
        "claim": claim,
        "lower": math.floor(100 * cert.lower),
        "facts": {
            "small": FACE_SIDE**2,
            "few": FACE_K,
            "more": FACE_K - 1,
            "reach": percent(share(cert.lower, shown.value), 1),
        },
    }


@st.cache_resource(show_spinner="Preparing the lesson …", max_entries=2)
def content(names: tuple[str, ...]) -> dict[str, Any]:
    """Return the whole lesson, made once for all sessions; ``names`` are those of its boards.

    Of the numbers of every figure ``facts`` are those that its words use.
    """
    figures = {
        "paint": paint(names),
        "pca": pca(),
        "ghosts": ghosts(),
        "counting": counting(625, 40),
        "cloud": cloud(),
        "two": rank_two(),
        "changes": changes(),
        "bounds": matrix(),
        "check": check(),
    }
    return {"steps": [chapter(words, figures[words["figure"]]["facts"]) for words in CHAPTERS], "figures": figures}


def questions() -> tuple[list[dict[str, Any]], list[float]]:
    """Return the questions of chapters 1, 2, … and their answers, which a room asks."""
    made = content(tuple(boards.at_hand()))
    steps = made["steps"][1:]
    return [step["predict"] for step in steps], [made["figures"][step["figure"]]["answer"] for step in steps]


def show() -> None:
    """Mount the lesson, which plays in the browser alone; say which values of the link it cannot use."""
    for key in PLAYED:
        widgets.link_value(KEYS[key])
    _mount(key="learn", data={"once": {"address": _address(tuple(boards.at_hand()))}})


@functools.cache
def _address(names: tuple[str, ...]) -> str:
    return session.keep_file("lesson.json", json.dumps(content(names)).encode(), "application/json")
