"""Asteris et al. (2011): cells of the angle (Fig. 1), candidate sets against eq. (23), and Proposition 1."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from nnspca.covariance import Covariance
from nnspca.spannogram import curves, enumeration
from nnspca.studies.asteris2014 import ROWS, curve_numbers, over_angles
from nnspca.studies.study import Given, StudyResult, Table, TableRows
from nnspca.tasks._certify import certify
from nnspca.tasks._solve import solve

SPARSITY = 2  # K
SIZES = {False: (12, 4, 6), True: (14, 5, 20)}  # N, K and problems of each D, in the reduced and in the full form
REMOVED, KEPT, PROVEN = (
    "σ taken off: noise flat (Proposition 1)",
    "σ left in: rank-D problem of C",
    "share proven by a certificate on C",
)


def cells(given: Given) -> TableRows:
    """The cells of constant order of the magnitudes, each with its set of the largest."""
    edges = [-np.pi / 2, *curves.crossings(ROWS, nonnegative=False).angles.tolist(), np.pi / 2]
    middles = (np.array(edges[:-1]) + np.array(edges[1:])) / 2
    for i, order in enumerate(np.argsort(-np.abs(curves.values(ROWS, middles)), axis=1)):
        ranks = " > ".join(str(j + 1) for j in order)
        top = curve_numbers(np.sort(order[:SPARSITY]))
        row = {"Cell": i + 1, "From φ": edges[i], "To φ": edges[i + 1], "Order of magnitudes": ranks, "I-set": top}
        yield "cells", row


def show_cells(run: StudyResult) -> Iterator[Table]:
    """The magnitudes of four curves, their cells, and the regions of constant top set."""
    crossings = curves.crossings(ROWS, nonnegative=False)
    regions = curves.regions(ROWS, SPARSITY, nonnegative=False)
    spans = [(a, b, curve_numbers(top)) for a, b, top in regions.supports()]
    frame = over_angles(lambda phi: np.abs(curves.values(ROWS, phi)), "|curve {}|")
    yield run.drawn("cells.curves", frame, spans=spans, edges=crossings.angles.tolist())
    yield run.drawn("cells.cells")
    note = (
        f"{len(crossings.angles) + 1} intervals between −π/2 and π/2, of which the first and last are one cell. They "
        f"have {regions.candidates()} different sets, of {math.comb(len(ROWS), SPARSITY)} possible ones."
    )
    yield run.printed([len(crossings.angles)], note=note)


def counts(given: Given) -> TableRows:
    """Count candidate sets of random matrices, and compare with the bound of eq. (23)."""
    sizes = (4, 6, 8, 10, 12, 16, 20, 24, 30) if given.full else (4, 6, 8, 10, 12, 16)
    rng = np.random.default_rng(given.seed)
    for i, N in enumerate(sizes):
        row = {"N": N, "All sets of K = N/2": math.comb(N, N // 2)}
        for D in (1, 2, 3, 4) if given.full else (1, 2, 3):
            V = rng.standard_normal((N, D))
            stop = given.monitor.should_stop
            supports, _, _ = enumeration.enumerate_supports(V, N // 2, nonnegative=False, should_stop=stop)
            bound = enumeration.candidate_bound(N, D, nonnegative=False)
            row |= {f"Found, D = {D}": len(supports), f"Eq. (23), D = {D}": bound}
        given.monitor.tell((i + 1) / len(sizes), f"N = {N}")
        yield "counts", row


def show_counts(run: StudyResult) -> Iterator[Table]:
    """Candidate sets and the bound on their number."""
    lines = run.rows["counts"].columns[1:]
    yield run.drawn("counts.counts", guides=[line for line in lines if not line.startswith("Found")])


def exactness(given: Given) -> TableRows:
    """Solve C = σI + A, A of rank D: with σ = λ_{D+1} taken off, with σ left in, and by trying every set."""
    N, K, draws = SIZES[given.full]
    shares = (0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0)
    rng = np.random.default_rng(given.seed)
    problems = [(D, rng.standard_normal((N, D))) for D in (2, 3) for _ in range(draws)]
    for i, share in enumerate(shares):
        worst = {REMOVED: math.inf, KEPT: math.inf, PROVEN: math.inf}
        for j, (D, V) in enumerate(problems):
            A = V @ V.T
            C = A + share * float(np.linalg.eigvalsh(A)[-1]) * np.eye(N)
            cov, settings = Covariance.from_matrix(C), {"nonnegative": False, **given.settings()}
            tried = solve(cov, K, "exact", **settings)
            if tried.stopped:
                return
            removed = solve(cov, K, "enumeration", rank=D, noise="flat", **settings)
            proof = certify(cov, K, component=removed, **settings)
            kept = solve(cov, K, "enumeration", rank=D, **settings).variance
            reached = {REMOVED: removed.variance, KEPT: kept, PROVEN: removed.variance * proof.lower / proof.upper}
            worst = {name: min(worst[name], value / tried.variance) for name, value in reached.items()}
            given.monitor.tell((i + (j + 1) / len(problems)) / len(shares), f"σ = {share:g} μ₁, problem {j + 1}")
        yield "exactness", {"σ ÷ μ₁": share, **worst}


def show_exactness(run: StudyResult) -> Iterator[Table]:
    """The share of the optimum that is reached, the least of all problems."""
    N, K, draws = SIZES[run.full]
    yield run.drawn("exactness.exactness", facts={"N": N, "K": K, "problems": 2 * draws})


FIGURES = {
    "asteris2011-fig1": (cells, show_cells),
    "asteris2011-counts": (counts, show_counts),
    "asteris2011-proposition1": (exactness, show_exactness),
}
