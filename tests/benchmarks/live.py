"""What a live certificate proves and what it costs: made-up expression arrays of every kind, and the data at hand.

``python -m tests.benchmarks.live [--save FILE] [--before FILE] [--keep | --compare] [word …]`` prints the ratio and the
processor's seconds of each case whose name contains one of the words, or of an array of your own, ``array.npy``; then
median, 95th percentile, what changed since FILE, and each live ratio below the best that any version of the code has
reached, which ``best.json`` beside this file holds. ``--keep`` writes higher ones there: do so with every change that
raises one. ``--compare`` prints at the end every ratio more than ``FALLEN`` below, and fails if there is one: mend or
explain it. The documents' numbers are those of ``measured.json``: ``--save`` it when one of them changes, and a test
says which do.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is loaded

import argparse
import itertools
import json
import math
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.sparse

import nnspca
from tests.benchmarks.data import covariance, genotypes, packaged, zipf_text
from tests.benchmarks.measured import save

BEST, LOWER = Path(__file__).with_name("best.json"), 5e-4  # best ratios, and what is called lower than one
FALLEN = 1e-3  # what is called a fall from one

# samples, genes, spectrum, scale, and each k
ARRAYS = (
    (31, 22_283, "decaying", "raw", (10, 50, 200)),
    (49, 7_129, "flat", "raw", (25, 100, 200)),
    (49, 7_129, "flat", "logarithm", (50, 100, 200)),
    (50, 10_100, "decaying", "raw", (50, 200)),
    (62, 2_000, "decaying", "logarithm", (20, 100)),
    (64, 6_830, "flat", "raw", (50, 200)),
    (72, 12_582, "decaying", "standardised", (50,)),
    (77, 7_129, "decaying", "raw", (20, 100)),
    (85, 456, "flat", "raw", (10, 50, 100)),
    (85, 456, "flat", "standardised", (50,)),
    (105, 22_283, "flat", "logarithm", (100, 200)),
    (168, 2_905, "decaying", "raw", (50, 200)),
    (168, 2_905, "decaying", "standardised", (5, 50, 200)),
    (181, 12_533, "flat", "raw", (5, 50, 200)),
    (217, 4_000, "decaying", "logarithm", (20, 200)),
)
# data set, whether it is standardised, and each k
DATA = (
    ("leukemia", False, (10, 50, 100, 200, 400)),
    ("leukemia", True, (5, 50, 200)),
    ("cbcl-faces", False, (20, 80, 180)),
    ("cbcl-faces", True, (80,)),
    ("cbcl-faces-raw", False, (20, 80)),
    ("lfw-faces", False, (10, 40, 80, 300)),
    ("lfw-faces", True, (40, 80)),
    ("lrs", False, (10, 20, 60, 90)),
    ("digits", False, (5, 10, 20)),
    ("pitprops", False, (3, 5, 6)),
    ("genotypes_mice", False, (20, 50, 100, 200)),
    ("genotypes_mice", True, (50, 200)),
    ("alleles_people", False, (200,)),
    ("alleles_people", True, (20, 50, 200)),
    ("abstracts", False, (200,)),
    ("abstracts", True, (50, 200)),
    ("lymphoma_77", False, (50, 100, 200)),
    ("arrhythmia", False, (50, 200)),
)
# of packages, as they are and standardised: name, and each k that is below the number of features
PACKAGED = (
    "anes96",
    "fertility",
    "elnino",
    "randhie",
    "star98",
    "macrodata",
    "cells",
    "breast_cancer",
    "wine",
    "patches",
)
PACKAGED_KS = (2, 4, 10, 50)
ANY_SIGN = ("68 × 68 correlations of any sign", "patches of any sign")
Case = tuple[str, nnspca.Covariance, int]


def expression(samples: int, genes: int, spectrum: str, scale: str, seed: int = 0) -> np.ndarray:
    """Return made-up expression levels, shape (samples, genes), "raw" or as logarithms.

    Each gene follows a few of 40 programs, whose strengths decay slowly ("flat") or fast.
    """
    rng = np.random.default_rng(seed)
    strength, shape = (0.9 ** np.arange(40), 1.0) if spectrum == "flat" else (0.1 + 1.5 * 0.7 ** np.arange(12), 2.0)
    followed = rng.standard_normal((len(strength), genes)) * (rng.random((len(strength), genes)) < 0.1)
    common = rng.standard_normal((samples, len(strength))) * strength @ followed
    common /= np.maximum(common.std(axis=0), 1e-9)
    share = 0.85
    varying = share * common + np.sqrt(1 - share**2) * rng.standard_normal((samples, genes))
    levels = rng.normal(6.0, 1.2, genes) + rng.gamma(shape, 0.6 / shape, genes) * varying
    return np.exp(levels / 2) if scale == "raw" else levels


def own(paths: list[str]) -> Iterator[Case]:
    """Yield the cases of arrays in files."""
    for path in paths:
        cov = nnspca.Covariance.from_data(np.load(path))
        yield from ((Path(path).stem, cov, k) for k in (10, 50, 100, 200) if k <= cov.n_features)


def cases() -> Iterator[Case]:
    """Yield the name, the covariance and k of every case."""
    for samples, genes, spectrum, scale, ks in ARRAYS:
        X = expression(samples, genes, spectrum, scale)
        cov = nnspca.Covariance.from_data(X, standardize=scale == "standardised")
        yield from ((f"{samples} × {genes:,} {spectrum} {scale}", cov, k) for k in ks)
    for name, standardize, ks in DATA:
        held = covariance(name, standardize)
        if held is not None:
            yield from ((name + (" standardised" if standardize else ""), held, k) for k in ks)
    for name, standardize in itertools.product(PACKAGED, (False, True)):
        held = nnspca.Covariance.from_data(packaged(name), standardize=standardize)
        yield from ((name + " standardised" * standardize, held, k) for k in PACKAGED_KS if k < held.n_features)
    yield from others()


def others() -> Iterator[Case]:
    """Yield the cases of other kinds: texts, sparse entries, mixed units, a correlation matrix, smooth images."""
    rng = np.random.default_rng(0)
    text = nnspca.Covariance.from_data(zipf_text(2_000, 10_000))
    yield from (("2,000 texts of 10,000 words", text, k) for k in (10, 50))
    for n, k in ((20_000, 20), (100_000, 50)):
        entries = scipy.sparse.random_array((1_000, n), density=0.01, rng=rng, format="csr")
        yield f"1,000 × {n:,} sparse", nnspca.Covariance.from_data(entries), k
    factors = rng.standard_normal((200, 6)) @ rng.standard_normal((6, 30))
    units = (factors + rng.standard_normal((200, 30))) * 10.0 ** rng.uniform(-3, 3, 30)
    yield "200 × 30 mixed units", nnspca.Covariance.from_data(units), 5
    table = rng.standard_normal((120, 8)) @ rng.standard_normal((8, 68)) + 2 * rng.standard_normal((120, 68))
    correlations = nnspca.Covariance.from_matrix(np.corrcoef(table, rowvar=False))
    yield from (("68 × 68 correlations", correlations, k) for k in (5, 20))
    yield ANY_SIGN[0], correlations, 20
    yield ANY_SIGN[1], nnspca.Covariance.from_data(packaged("patches")), 20
    images = np.cumsum(np.cumsum(rng.standard_normal((400, 64, 64)), axis=1), axis=2).reshape(400, -1)
    yield "400 × 4,096 smooth images", nnspca.Covariance.from_data(images), 25
    for name, table, ks in (
        ("genotypes", genotypes(1_800, 10_000), (20, 50, 100, 200)),
        ("genotypes", genotypes(1_800, 12_000), (100,)),  # more than 10,000 of the markers vary
        ("genotypes", genotypes(1_800, 24_000), (100,)),
        ("texts", zipf_text(2_200, 10_000), (10, 50, 200)),
    ):
        for standardize in (False, True):
            cov = nnspca.Covariance.from_data(table, standardize=standardize)
            title = f"{name}, {table.shape[0]:,} × {table.shape[1]:,}" + " standardised" * standardize
            yield from ((title, cov, k) for k in ks)
    yield from noise()


def noise() -> Iterator[Case]:
    """Yield the cases of independent features, and of the same with ten that rise together."""
    for samples, features, ks in ((200, 2_000, (10, 50)), (100, 5_000, (20, 100))):
        for planted in (0, 10):
            rng = np.random.default_rng(0)
            X = rng.standard_normal((samples, features))
            X[:, :planted] += rng.standard_normal((samples, 1))
            title = f"noise, {samples} × {features:,} standardised" + f", {planted} together" * bool(planted)
            cov = nnspca.Covariance.from_data(X, standardize=True)
            yield from ((title, cov, k) for k in (ks if not planted else (planted,)))


def main() -> None:
    """Certify each case chosen, print its line, and compare with an earlier run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--effort", default="live")
    chosen = parser.parse_args()
    before = json.loads(chosen.before.read_text()) if chosen.before else {}
    best = json.loads(BEST.read_text(encoding="utf-8")) if chosen.effort == "live" else {}
    measured: dict[str, tuple[float, float]] = {}
    files = [word for word in chosen.words if word.endswith(".npy")]
    for name, cov, k in own(files) if files else cases():
        case = f"{name}, k = {k}"
        if not files and chosen.words and not any(word in case for word in chosen.words):
            continue
        nonnegative = name not in ANY_SIGN
        component = nnspca.solve(cov, k, nonnegative=nonnegative)
        began = time.process_time()
        cert = nnspca.certify(cov, k, component=component, effort=chosen.effort, nonnegative=nonnegative)
        measured[case] = cert.ratio, time.process_time() - began
        spent = " ".join(f"{b.name}:{b.seconds:.1f}" for b in cert.bounds if b.seconds >= 0.1)
        change = f"{cert.ratio - before[case][0]:+.5f} {before[case][1]:6.2f} →" if case in before else ""
        if cert.ratio < best.get(case, 0.0) - LOWER:
            change += f" ({best[case] - cert.ratio:.5f} below the best)"
        line = f"{case:46} {cert.ratio:.5f} {change} {measured[case][1]:6.2f} CPU s, {cert.winner.name}; {spent}"
        print(line, flush=True)
    summarise(measured, before)
    if chosen.compare:
        fallen = {case: ratio for case, (ratio, _) in measured.items() if ratio < best.get(case, 0.0) - FALLEN}
        for case, ratio in fallen.items():
            print(f"fallen: {case}: {best[case]:.5f} → {ratio:.5f}")
        parser.exit(bool(fallen))
    if chosen.keep and chosen.effort == "live" and not files:
        best |= {case: round(ratio, 6) for case, (ratio, _) in measured.items() if ratio > best.get(case, 0.0)}
        BEST.write_text(json.dumps(best, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if chosen.save:
        kept = {case: [math.floor(1e6 * ratio) / 1e6, round(seconds, 2)] for case, (ratio, seconds) in measured.items()}
        save(kept, chosen.save)


def summarise(measured: dict[str, tuple[float, float]], before: dict[str, tuple[float, float]]) -> None:
    """Print the median and 95th percentile of the seconds, the least ratio, and the largest fall of a ratio."""
    for title, run in (("before", before), ("now", measured)):
        if run:
            seconds = [run[case][1] for case in measured if case in run]
            median, late = np.percentile(seconds, (50, 95))
            least = min(run[case][0] for case in measured if case in run)
            print(f"{title}: median {median:.2f} s, 95 % {late:.2f} s, {max(seconds):.2f} s at most, least {least:.4f}")
    falls = [(before[case][0] - ratio, case) for case, (ratio, _) in measured.items() if case in before]
    if falls:
        print("largest fall of a ratio: {:.2e} ({})".format(*max(falls)))


if __name__ == "__main__":
    main()
