"""Data sets side by side: their spectra, signs and correlations, and the shares proven on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.datasets import Dataset, load
from nnspca.machines import Executor
from nnspca.result import OnProgress, ShouldStop, SweepPoint
from nnspca.solvers.registry import METHODS
from nnspca.studies.asteris2014 import guarantee
from nnspca.studies.study import Table
from nnspca.tasks._sweep import sweep

SHARES = (0.02, 0.05, 0.15, 0.4, 1.0)  # of the features
SPECTRUM = 20  # eigenvalues shown
RANKS = 10  # largest d for the a-priori guarantee
ROWS = 512  # of the covariance read at a time


@dataclass(frozen=True, eq=False)
class Profile:
    """Properties of a data set that are computed before any solver runs."""

    name: str
    title: str
    n_features: int
    n_samples: int | None
    spectrum: np.ndarray  # the largest eigenvalues divided by the first
    leading: float  # the first eigenvalue, in the units of the variance
    first_share: float  # of the first direction in the total variance
    one_sign: float  # larger share of the first eigenvector's squared loadings with one sign: 1 if it is nonnegative
    positive: float  # share of the sum of magnitudes of all covariances between different features
    correlation: float  # mean magnitude between two different features of nonzero variance

    def promised(self, k: int) -> float:
        """The best a-priori guarantee of Asteris et al. (2014, Theorem 1) over d up to 10."""
        decays = self.spectrum[1 : RANKS + 1].tolist() + [0.0] * (self.n_features <= RANKS)  # zero at d = n
        return max(guarantee(self.n_features, k, decay) for decay in decays)


def profile(data: Dataset, cov: Covariance, *, should_stop: ShouldStop | None = None) -> Profile | None:
    """Measure a data set; None if stopped. Every entry of the covariance is read once, block by block."""
    n = cov.n_features
    values, vectors = cov.eigenpairs(min(SPECTRUM, n))
    leading = float(values[0])
    first = vectors[:, 0]
    weight = float((first[first > 0] ** 2).sum())
    sums = _sums(cov, should_stop)
    if sums is None:
        return None
    positive, magnitude, correlation, pairs = sums
    return Profile(
        data.name,
        data.title or data.name,
        n,
        cov.n_samples,
        values / leading,
        leading,
        leading / cov.trace,
        min(max(weight, 1.0 - weight), 1.0),
        positive / magnitude if magnitude > 0 else 1.0,
        correlation / pairs if pairs else 0.0,
    )


def _sums(cov: Covariance, should_stop: ShouldStop | None) -> tuple[float, float, float, int] | None:
    """Sums over i ≠ j of positive entries, magnitudes, and magnitudes of correlations; and the number of the latter."""
    deviation = np.sqrt(np.maximum(cov.diagonal, 0.0))
    varies = deviation > 0
    inverse = np.where(varies, 1.0 / np.where(varies, deviation, 1.0), 0.0)
    positive = magnitude = correlation = 0.0
    for start in range(0, cov.n_features, ROWS):
        if should_stop is not None and should_stop():
            return None
        rows = np.arange(start, min(start + ROWS, cov.n_features))
        block = np.array(cov.block(rows))
        block[np.arange(len(rows)), rows] = 0.0
        total = float(block.sum())
        np.abs(block, out=block)
        block_magnitude = float(block.sum())
        magnitude += block_magnitude
        positive += (block_magnitude + total) / 2
        correlation += float((block @ inverse) @ inverse[rows])
    count = int(varies.sum())
    return positive, magnitude, correlation, count * (count - 1)


def cardinalities(n: int, shares: Sequence[float] = SHARES) -> tuple[int, ...]:
    """Return the numbers of features that are these shares of ``n``, at least 1.

    >>> cardinalities(100), cardinalities(13)
    ((2, 5, 15, 40, 100), (1, 2, 5, 13))
    """
    return tuple(sorted({max(1, round(share * n)) for share in shares}))


def tables(profiles: Sequence[Profile], points: Sequence[tuple[Profile, SweepPoint]]) -> tuple[Table, Table]:
    """Return the data sets and the points as tables."""
    about = pd.DataFrame(
        {
            "Data set": p.name,
            "Features": p.n_features,
            "Samples": p.n_samples,
            "First eigenvector's share": p.first_share,
            "λ₂ ÷ λ₁": _at(p.spectrum, 1),
            "λ₄ ÷ λ₁": _at(p.spectrum, 3),
            "Of one sign": p.one_sign,
            "Positive covariance": p.positive,
            "Mean |correlation|": p.correlation,
        }
        for p in profiles
    )
    found = pd.DataFrame(_row(p, point) for p, point in points)
    lower = ["Variance ÷ λ₁", "Proven share", "Promised by Theorem 1"]
    each = Table("points", "Every point", found, down=lower, up=["Proven upper bound ÷ λ₁"])
    return Table("data", "The data sets", about), each


def _row(p: Profile, point: SweepPoint) -> dict[str, Any]:
    part, proof = point.component, point.certificate
    proven = proof is not None and proof.upper > 0 and METHODS[point.method].feasible
    return {
        "Data set": p.name,
        "Solver": point.method,
        "k": point.k,
        "k ÷ n": point.k / p.n_features,
        "Features used": part.cardinality,
        "Variance ÷ λ₁": part.variance / p.leading,
        "Proven upper bound ÷ λ₁": proof.upper / p.leading if proof else math.nan,
        "Proven share": part.variance / proof.upper if proof and proven else math.nan,
        "Promised by Theorem 1": p.promised(point.k),
        "Solver, s": part.seconds,
        "Proof, s": proof.seconds if proof else math.nan,
    }


def _at(values: np.ndarray, place: int) -> float:
    return float(values[place]) if place < len(values) else math.nan


def compare(
    data: Sequence[str | Dataset],
    methods: Sequence[str] = ("best",),
    shares: Sequence[float] = SHARES,
    *,
    ks: Sequence[Sequence[int]] | None = None,
    standardize: bool | Sequence[str] = False,
    nonnegative: bool = True,
    seed: int = 0,
    repair: Sequence[str] = (),
    executor: Executor = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> tuple[Table, Table]:
    """Compare data sets.

    Parameters
    ----------
    data : sequence of str or Dataset
    shares : sequence of float
        k as shares of the number of features, above 0 and at most 1.
    ks : sequence of sequences of int, optional
        The k of each data set, in place of the shares.
    standardize : bool or sequence of str
        All, none, or the names of those data sets that are standardised.
    repair : sequence of str
        Names of data sets that are matrices and are replaced by the nearest covariance, as in
        :meth:`nnspca.Covariance.from_matrix`.
    methods, nonnegative, seed, executor, should_stop, on_progress
        As for :func:`nnspca.sweep`. The data sets are swept one after the other; the tables of a stopped call have
        the rows so far and are marked ``stopped``.

    Returns
    -------
    data, points : Table
        One row for each data set, and one for each (data set, solver, k).

    Raises
    ------
    ValueError
        Nothing to compare, a share not allowed, ``ks`` of another length than ``data``, or a name in
        ``repair`` or ``standardize`` that none of the data sets has.

    Examples
    --------
    >>> about, points = compare(["pitprops"], shares=(0.3, 1.0))
    >>> points.column("k"), [share > 0.999 for share in points.column("Proven share")]
    ([4, 13], [True, True])
    """
    invalid = [share for share in shares if not 0 < share <= 1]
    if invalid or not shares or not data:
        raise ValueError(
            f"give at least one data set, and shares above 0 up to 1; got {list(data)!r}, {list(shares)!r}"
        )
    names = [given if isinstance(given, str) else given.name for given in data]
    standardised = (names if standardize else ()) if isinstance(standardize, bool) else standardize
    for argument, given in (("repair", repair), ("standardize", standardised)):
        if isinstance(given, str) or not set(given) <= set(names):
            raise ValueError(f"{argument}={given!r} is not allowed; give a sequence of names among {names!r}")
    if ks is not None and len(ks) != len(names):
        raise ValueError(f"ks={ks!r} is not allowed; give one sequence of k for each of {names!r}")
    monitor = Monitor(should_stop, on_progress)
    profiles: list[Profile] = []
    points: list[tuple[Profile, SweepPoint]] = []
    for place, (name, source) in enumerate(zip(names, data, strict=True)):
        dataset = load(source, should_stop=should_stop) if isinstance(source, str) else source
        cov = Covariance.from_dataset(dataset, name in standardised, repair=name in repair)
        profile_ = profile(dataset, cov, should_stop=monitor.should_stop)
        if profile_ is None:
            break
        profiles.append(profile_)
        span = monitor.part(place / len(data), (place + 1) / len(data))
        result = sweep(
            cov,
            cardinalities(cov.n_features, shares) if ks is None else ks[place],
            methods,
            nonnegative=nonnegative,
            seed=seed,
            executor=executor,
            should_stop=monitor.should_stop,
            on_progress=span.relay,
        )
        points += [(profile_, point) for point in result.points]
        if monitor.stop():
            break
    about, each = tables(profiles, points)
    return replace(about, stopped=monitor.stop()), replace(each, stopped=monitor.stop())
