"""Asteris et al. (2014): spannogram, one support, parts of faces, variance against k, and Theorem 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from nnspca import datasets
from nnspca.components._decompose import decompose
from nnspca.components._sweep import sweep_parts
from nnspca.result import Certificate, Component
from nnspca.spannogram import curves, enumeration
from nnspca.spannogram.net import paper_bound
from nnspca.studies.study import PRINTED as NUMBERS
from nnspca.studies.study import PROOFS, WORDS, Given, StudyResult, Table, TableRows
from nnspca.tasks._certify import certify
from nnspca.tasks._solve import solve

# The four rows shown first on the spannogram page: crossings well apart, curves that cross zero.
ROWS = np.array([[-1.2, -0.4], [0.2, 0.9], [1.9, 0.1], [0.8, 1.9]])
TOP = 2  # k
# Four inequalities whose feasible set is an arc without the leading eigenvector: the hard case of (P₂).
HARD = np.array([[2.0, 0.3], [1.5, -0.6], [-0.5, 1.0], [0.2, 0.4]])

TITLES: dict[str, str] = WORDS["methods"]["asteris2014"]
ALG3, NSPCA = TITLES["epsilon-net"], "coordinate-descent"
OPTIONS = {NSPCA: {"cut": False}}  # as in the paper, which draws no k that NSPCA misses
LOWER, UPPER, LIKELY = "Best known", "Proven bound", "The paper's bound"
BY_PAPER, PROVEN, PRINTED = "By the paper's bound", "Proven here", "Printed"

PARTS, CARDINALITY = 6, 40
SEARCHED: tuple[Any, ...] = ("epsilon-net", "em")
SAMPLES = "samples"
SEEKING = 0.5  # share of the progress for the two methods

RANK, LARGEST_RANK = 3, 10  # d of the paper's experiments, and the largest that Theorem 1 is drawn for
METHODS = ("epsilon-net", "em", "best")
GRIDS = {  # k of the reduced form, those of the full one, and the methods
    "fig4": ((10, 80, 90, 180), (2, 5, *range(10, 201, 10), 240, 300, 361), tuple(TITLES)),
    "fig5": ((5, 50, 500), (5, *range(10, 201, 10), 250, 300, 400, 500), METHODS),
    "fig6": ((1, 2, 5, 10, 20, 40, 60, 90), (*range(1, 21), *range(25, 91, 5), 93), METHODS),
}


def curve_numbers(support: np.ndarray) -> str:
    """Write a support with curves counted from 1.

    >>> curve_numbers(np.array([0, 3]))
    '{1, 4}'
    """
    return "{" + ", ".join(str(int(i) + 1) for i in support) + "}" if len(support) else "none"


def over_angles(heights: Callable[[np.ndarray], np.ndarray], name: str) -> pd.DataFrame:
    """Return the heights of the four curves over half the circle."""
    phi = np.linspace(-np.pi / 2, np.pi / 2, 361)
    frame = pd.DataFrame(heights(phi), columns=[name.format(i) for i in range(1, len(ROWS) + 1)])
    frame.insert(0, "φ (radians)", phi)
    return frame


# Fig. 1


def regions(given: Given) -> TableRows:
    """Where the two largest positive curves change."""
    for i, (a, b, top) in enumerate(curves.regions(ROWS, TOP).supports(), start=1):
        yield "regions", {"Region": i, "From φ": a, "To φ": b, "Top-2 set": curve_numbers(top)}


def show_regions(run: StudyResult) -> Iterator[Table]:
    """Four curves, their crossings, and the regions."""
    crossings, found = curves.crossings(ROWS), curves.regions(ROWS, TOP)
    spans = [(a, min(b, np.pi / 2), curve_numbers(top)) for a, b, top in found.supports() if a < np.pi / 2]
    frame = over_angles(lambda phi: curves.values(ROWS, phi), "curve {}")
    yield run.drawn("regions.curves", frame, {"top": TOP}, spans=spans, edges=crossings.angles.tolist())
    yield run.drawn("regions.regions")
    possible = sum(math.comb(len(ROWS), size) for size in range(1, TOP + 1))
    note = f"{possible} sets of one or two curves exist; only those that appear in a region can be optimal."
    yield run.printed((len(crossings.angles), found.candidates()), note=note)


# Fig. 2


def hardness(given: Given) -> TableRows:
    """Count how often the leading eigenvector is not feasible, over random supports."""
    rng = np.random.default_rng(given.seed)
    draws, sizes = 2000 if given.full else 200, (1, 2, 3, 5, 8, 12, 20, 30, 50)
    for i, k in enumerate(sizes):
        hard = {2: 0, 3: 0}
        for d in hard:
            for _ in range(draws):
                if given.monitor.stop():
                    return
                R = rng.standard_normal((k, d))
                R *= np.where(R @ rng.standard_normal(d) < 0, -1.0, 1.0)[:, None]  # some direction satisfies all rows
                u = np.linalg.svd(R)[2][0]
                hard[d] += not ((R @ u >= 0).all() or (R @ u <= 0).all())
        given.monitor.tell((i + 1) / len(sizes), f"k = {k}")
        yield "hardness", {"k": k, **{f"d = {d}": count / draws for d, count in hard.items()}}


def show_hardness(run: StudyResult) -> Iterator[Table]:
    """One hard instance of (P₂): its arc and its optimum; and how often instances are hard."""
    Q = HARD.T @ HARD
    arc, optimum = curves.feasible_arc(HARD, np.arange(len(HARD))), enumeration.best_direction(Q, HARD)
    assert arc is not None
    assert optimum is not None
    value, best = optimum
    eigenvalues, vectors = np.linalg.eigh(Q)
    leading = vectors[:, -1] * (1.0 if vectors[0, -1] > 0 else -1.0)
    yield _plane(run, arc, best, leading)
    ends = [np.array([math.sin(a), math.cos(a)]) for a in arc]
    points = [("u₁, the leading eigenvector", leading, float(eigenvalues[-1]))]
    points += [(f"end {i} of the arc", c, float(c @ Q @ c)) for i, c in enumerate(ends, start=1)]
    rows = [
        {
            "Point": name,
            "φ (radians)": math.atan2(c[0], c[1]),
            "c′Qc": v,
            "Least of Rc": float((HARD @ c).min()),
            "Feasible": bool((HARD @ c).min() >= -1e-12),
        }
        for name, c, v in [*points, ("optimum of (P₂)", best, value)]
    ]
    yield run.drawn("hardness.points", pd.DataFrame(rows))
    yield run.drawn("hardness.hardness")


def _plane(run: StudyResult, arc: tuple[float, float], best: np.ndarray, leading: np.ndarray) -> Table:
    """Draw the circle, the feasible arc, and where the optimum lies."""
    x, names = "c₁ = sin φ", ("unit circle", "a row of V times c is zero", "feasible arc: V c ≥ 0")
    rows: list[dict[str, float]] = []
    lines = [np.array([-r[1], r[0]]) / np.hypot(*r) for r in HARD]
    for name, points in (
        (names[0], [(math.sin(t), math.cos(t)) for t in np.linspace(-np.pi, np.pi, 181)]),
        *[(names[1], [(-1.35 * a, -1.35 * b), (1.35 * a, 1.35 * b)]) for a, b in lines],
        (names[2], [(math.sin(t), math.cos(t)) for t in np.linspace(*arc, 61)]),
    ):
        rows += [{x: a, name: b} for a, b in points] + [{x: math.nan}]  # which breaks the line
    marks = [(float(p[0]), float(p[1]), name) for p, name in ((leading, "u₁"), (-leading, "−u₁"), (best, "optimum"))]
    return run.drawn("hardness.plane", pd.DataFrame(rows, columns=[x, *names]), guides=names[:2], marks=marks)


# Fig. 3


def parts(given: Given) -> TableRows:
    """Find six parts by two methods, each part among the pixels that no earlier one uses; then jointly."""
    data, cov = given.data[0], given.covariance()
    leading, k = float(cov.eigenpairs(1)[0][0]), min(CARDINALITY, max(1, cov.n_features // PARTS))
    samples = np.unique(np.linspace(0, len(data.X) - 1, PARTS).round().astype(int))
    yield ("pixels", [row for i, s in enumerate(samples, start=1) for row in pixels(SAMPLES, i, data.X[s], zeros=True)])
    for place, method in enumerate(SEARCHED):
        span = SEEKING * place / len(SEARCHED), SEEKING * (place + 1) / len(SEARCHED)
        found = decompose(cov, PARTS, k, method, certify="live" if given.full else None, **given.settings(*span))
        shares = [part.variance / proof.upper for part, proof in zip(found.parts, found.certificates, strict=False)]
        for number, part in enumerate(found.parts, start=1):
            yield "pixels", pixels(TITLES[method], number, part.loadings)
            row = {"method": TITLES[method], "Part": number, "variance": part.variance / leading}
            yield "parts", row | ({"share": shares[number - 1]} if number <= len(shares) else {})
    counts = range(1, PARTS + 1) if given.full else (2, PARTS)  # with a proven band
    for point in sweep_parts(cov, counts, k, **given.settings(SEEKING, 1.0)).points:
        if point.certificate is not None:
            yield given.proven(point.certificate, leading)
        total = float(point.together.variances.sum()) / leading
        yield "together", {"Parts": point.n_components, "Together": total}


def pixels(strip: str, image: int, values: np.ndarray, *, zeros: bool = False) -> list[dict[str, Any]]:
    """Return a row for each pixel of an image that is not zero, or for each pixel."""
    places = range(len(values)) if zeros else np.flatnonzero(values).tolist()
    return [{"strip": strip, "image": image, "pixel": i, "value": float(values[i])} for i in places]


def show_parts(run: StudyResult) -> Iterator[Table]:
    """The images, the variance of each part, and the parts found jointly."""
    frame = run.rows["pixels"]
    most = frame[frame["strip"] != SAMPLES].groupby(["strip", "image"]).size().max()
    found = run.rows.get("parts", pd.DataFrame(columns=["method", "Part", "variance"]))
    captions = {(m, i): f"{v:.3f} λ₁" for m, i, v in found[["method", "Part", "variance"]].itertuples(index=False)}
    what = f"{PARTS} disjoint parts of at most {most} pixels" if most > 0 else f"{PARTS} samples"
    yield run.drawn("parts.parts", frame, {"what": what}, shape=run.shape, captions=captions, grey=[SAMPLES])
    if not len(found):
        return
    single, methods = run.wide("parts", "Part", "variance"), list(dict.fromkeys(found["method"]))
    sums = single[methods].cumsum()
    table = single.assign(**{f"{m}: sum": sums[m] for m in methods})
    proven = [f"{m}: proven share" for m in methods] if "share" in found else []
    if proven:
        table = table.assign(**dict(zip(proven, run.wide("parts", "Part", "share")[methods].T.to_numpy(), strict=True)))
    note = " Proven share: of the optimum over the pixels that are unused at that step." * bool(proven)
    yield replace(run.drawn("parts.variances", table, {"proven": note}, lines=methods), down=proven)
    yield _together(run, methods, sums.assign(Parts=single["Part"]))


def _together(run: StudyResult, methods: list[str], sums: pd.DataFrame) -> Table:
    """Sums of variances of the first parts of each method, of parts found jointly, and the proven band."""
    joint = run.rows.get("together", pd.DataFrame({"Parts": [], "Together": []}))
    table = _with_band(run, sums.merge(joint, on="Parts", how="outer"), "Parts", "parts", "Bound")
    lines = [*methods, "Together"]
    table[LOWER] = table[[*lines, LOWER]].max(axis=1).where(table["Bound"].notna())
    table["Together"] = table["Together"].fillna(table[LOWER])
    table = table[["Parts", *lines, LOWER, "Bound"]]
    shares = [f"{line}: share of the optimum, at least" for line in lines]
    table = table.join(table[lines].div(table["Bound"], axis=0).clip(upper=1.0).set_axis(shares, axis=1))
    some = ""
    if 0 < len(joint) < PARTS:
        counts = " and ".join(f"{count:.0f}" for count in sorted(joint["Parts"]))
        some = f" This run computes them for {counts} parts; between, the best known is shown."
    drawn = run.drawn("parts.together", table, {"some": some}, lines=lines)
    return replace(drawn, down=[LOWER, *shares])


def _with_band(run: StudyResult, frame: pd.DataFrame, column: str, key: str, upper: str) -> pd.DataFrame:
    """Return a frame with the best known and the proven bound of its first data set, by k or the number of parts."""
    none = pd.DataFrame({"data": [], key: [], "lower": [], "upper": [], "unit": []})
    proven = run.rows.get(PROOFS, none)
    ends = pd.DataFrame(
        {column: proven[key], LOWER: proven["lower"] / proven["unit"], upper: proven["upper"] / proven["unit"]}
    )
    return frame.merge(ends, on=column, how="left")


# Figs 4 to 6


def variances(given: Given, grid: tuple[Sequence[int], Sequence[int], Sequence[Any]]) -> TableRows:
    """Solve for every k by every method, and prove two upper bounds: the paper's, and ours."""
    cov = given.covariance()
    leading = float(cov.eigenpairs(1)[0][0])
    *sizes, methods = grid
    ks = sorted({min(k, cov.n_features) for k in sizes[given.full]})
    best: Component | None = None
    proof: Certificate | None = None
    steps = len(ks) * (len(methods) + 1)
    for place, k in enumerate(ks):
        row: dict[str, Any] = {"k": k}
        rivals = [] if best is None else [replace(best, k=k)]  # which is feasible here too
        for number, method in enumerate(methods, start=place * (len(methods) + 1)):
            start = best.loadings if method == "best" and best is not None else None
            settings = given.settings(number / steps, (number + 1) / steps) | OPTIONS.get(method, {})
            part = solve(cov, k, method, start=start, **settings)
            rivals.append(part)
            row[TITLES[method]] = drawn_at(part, leading)
        best = max(rivals, key=lambda part: part.variance)
        last = (place + 1) * (len(methods) + 1)
        proof = certify(cov, k, component=best, warm_start=proof, **given.settings((last - 1) / steps, last / steps))
        yield given.proven(proof, leading)
        yield "variance", row | {LIKELY: paper_bound(cov, k, **given.settings()).value / leading}


def drawn_at(part: Component, unit: float = 1.0) -> float | None:
    """Return the variance of a component; None where NSPCA's search for k found no price that leaves exactly k."""
    missed = part.method == NSPCA and not (part.history and part.cardinality == part.k)
    return None if missed else part.variance / unit


def show_variances(run: StudyResult) -> Iterator[Table]:
    """Variance against k, the share that Alg. 3 reaches at least, and what the paper prints of it."""
    if "variance" not in run.rows:
        return
    frame = _with_band(run, run.rows["variance"], "k", "k", UPPER)
    lines = [title for title in TITLES.values() if title in frame]
    many = bool(frame["k"].max() > 20 * frame["k"].min())
    yield run.drawn("variances.variance", frame, lines=lines, log_x=many)
    shares = pd.DataFrame({"k": frame["k"], BY_PAPER: frame[ALG3] / frame[LIKELY], PROVEN: frame[ALG3] / frame[UPPER]})
    if not run.own:
        yield run.drawn("variances.guarantee", shares, log_x=many)
        return
    expected = {p.k: p.value for p in run.study.printed}
    both = shares.assign(**{PRINTED: shares["k"].map(expected)})
    yield run.drawn("variances.guarantee", both, log_x=many, printed=PRINTED)
    ours = shares.set_index("k").reindex([p.k for p in run.study.printed])
    yield run.printed(ours[BY_PAPER], "Ours, by the paper's bound", {"Ours, proven": ours[PROVEN].tolist()})


# Theorem 1


def guarantee(n: int, k: int, decay: float) -> float:
    """The a-priori guarantee: Alg. 1 reaches at least this share of the optimum (Theorem 1).

    ``ρ_d >= max(k / 2n, 1 / (1 + 2 (n/k) decay))``, the decay being ``λ_{d+1} / λ₁``.

    >>> guarantee(n=100, k=50, decay=0.25), guarantee(n=100, k=100, decay=0.0)
    (0.5, 1.0)
    """
    return max(k / (2 * n), 1 / (1 + 2 * (n / k) * decay))


def theorem(given: Given) -> TableRows:
    """Compare the guarantee of Theorem 1 with the shares that the bounds prove for a run of Alg. 3."""
    cases = [(0, 180), (1, 50), (2, 20), (2, 90)]  # data, and k
    if given.full:
        cases = [(0, 40), (0, 180), (1, 50), (1, 200), (2, 5), (2, 20), (2, 50), (2, 90)]
    covs = [given.covariance(place) for place in range(3)]
    cases = [(place, min(k, covs[place].n_features)) for place, k in cases]
    names = [f"{given.data[place].name}, k = {k}" for place, k in cases]
    spectra = [cov.eigenpairs(min(LARGEST_RANK + 1, cov.n_features))[0] for cov in covs]
    decays = [np.append(v / v[0], np.zeros(LARGEST_RANK)) for v in spectra]  # zero where there are no more directions
    promised = {
        name: [guarantee(covs[p].n_features, k, float(decays[p][d])) for d in range(1, LARGEST_RANK + 1)]
        for name, (p, k) in zip(names, cases, strict=True)
    }
    for d in range(1, LARGEST_RANK + 1):
        yield "theorem", {"d": d, **{name: shares[d - 1] for name, shares in promised.items()}}
    for i, (name, (place, k)) in enumerate(zip(names, cases, strict=True)):
        middle, end = (i + 0.5) / len(cases), (i + 1) / len(cases)
        variance = solve(covs[place], k, "epsilon-net", **given.settings(i / len(cases), middle)).variance
        proof = certify(covs[place], k, **given.settings(middle, end))
        theirs = paper_bound(covs[place], k, **given.settings()).value
        yield given.proven(proof, 1.0, place)
        row = {"Data and k": name, "Promised by Theorem 1, d = 3": promised[name][RANK - 1]}
        yield "guarantees", row | {BY_PAPER: variance / theirs, "variance": variance}


def show_theorem(run: StudyResult) -> Iterator[Table]:
    """Promise, bound, printed number and proof side by side; and the promise by rank."""
    if "guarantees" in run.rows:
        proven = run.rows[PROOFS]
        named = [f"{name}, k = {k}" for name, k in zip(proven["data"], proven["k"], strict=True)]
        uppers = dict(zip(named, proven["upper"], strict=True))
        frame = run.rows["guarantees"]
        frame = frame.assign(**{PROVEN: frame["variance"] / frame["Data and k"].map(uppers)}).drop(columns="variance")
        if run.own:
            figures = ("asteris2014-fig4", "asteris2014-fig5", "asteris2014-fig6")
            data = dict(zip(figures, run.data, strict=True))
            expected = {f"{data[p.study]}, k = {p.k}": p.value for p in NUMBERS if p.study in data}
            frame.insert(3, PRINTED, frame["Data and k"].map(expected))
        frame = frame.assign(**{"Data and k": frame["Data and k"].map(_titled(frame["Data and k"]))})
        yield run.drawn("theorem.guarantees", frame)
    frame = run.rows["theorem"].rename(columns=_titled(run.rows["theorem"].columns))
    yield replace(run.drawn("theorem.theorem", frame), down=list(frame.columns[1:]))


def _titled(labels: Iterable[str]) -> dict[str, str]:
    """Return each label such as "cbcl-faces, k = 40" with the data set's title instead of its name."""
    titles = {info.name: info.title.partition(" (")[0] for info in datasets.available()}
    cut = {label: label.partition(",") for label in labels}
    return {label: f"{titles.get(name, name)}{comma}{rest}" for label, (name, comma, rest) in cut.items()}


FIGURES = {
    "asteris2014-fig1": (regions, show_regions),
    "asteris2014-fig2": (hardness, show_hardness),
    "asteris2014-fig3": (parts, show_parts),
    **{f"asteris2014-{figure}": (partial(variances, grid=grid), show_variances) for figure, grid in GRIDS.items()},
    "asteris2014-theorem1": (theorem, show_theorem),
}
