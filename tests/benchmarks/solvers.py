"""Every method on every data set: share of the best variance found, and seconds.

Run ``python -m tests.benchmarks.solvers [data set …]``, or ``… solvers wide [seeds] [name …]`` for made-up data of
many features: the least and the mean ratio of ``best`` to 25 CPU seconds of a plain search, and its CPU seconds.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import nnspca
from nnspca.control.threads import one_blas_thread
from tests.benchmarks.data import alike_blocks, covariance, genotypes, phylogeny_counts, spectra, zipf_text
from tests.benchmarks.plain import plain_restarts

CASES = {
    "lfw-faces": (10, 40, 100, 300),
    "digits": (4, 16, 32),
    "lrs": (5, 20, 60),
    "cbcl-faces": (10, 40, 180),
    "leukemia": (10, 50, 100, 400),
}
SKIPPED = {"pca", "enumeration"}
PLAIN = 25.0  # CPU seconds of the plain search
WIDE: dict[str, tuple[Callable[[], Any], bool, tuple[int, ...]]] = {
    "genotypes, standardised": (lambda: genotypes(1200, 10_000), True, (50, 200)),
    "genotypes": (lambda: genotypes(1200, 10_000), False, (50,)),
    "words, standardised": (lambda: zipf_text(2000, 10_000, length=120), True, (10, 50, 200)),
    "words": (lambda: zipf_text(2000, 10_000, length=120), False, (50,)),
    "phylogeny, standardised": (lambda: phylogeny_counts(60, 19_000), True, (10, 200)),
    "phylogeny": (lambda: phylogeny_counts(60, 19_000), False, (50,)),
    "spectra, standardised": (lambda: spectra(300, 12_000), True, (20, 100)),
    "spectra": (lambda: spectra(300, 12_000), False, (100,)),
    "blocks": (lambda: alike_blocks(300, 7_200), True, (50,)),
    "small blocks": (lambda: alike_blocks(300, 6_000, size=20), True, (5,)),
}


def wide(seeds: int = 10, *names: str) -> None:
    """Print how near ``best`` comes to the plain search on data of many features, whichever is ahead."""
    print(f"{'data':26} {'n':>6} {'k':>4} {'least':>8} {'mean':>8} {'CPU s':>6}")
    for name in names or WIDE:
        make, standardize, ks = WIDE[name]
        cov = nnspca.Covariance.from_data(make(), standardize)
        cov.eigenpairs(1)
        data = cov.held.factor.columns(np.arange(cov.n_features))
        for k in ks:
            with one_blas_thread():
                plain = plain_restarts(data, k, PLAIN)
            begun = time.process_time()
            ratios = [nnspca.solve(cov, k, seed=seed).variance / plain for seed in range(seeds)]
            seconds = (time.process_time() - begun) / seeds
            mean = float(np.mean(ratios))
            print(f"{name:26} {cov.n_features:6} {k:4} {min(ratios):8.5f} {mean:8.5f} {seconds:6.2f}", flush=True)


def main() -> None:
    """Print the table."""
    if sys.argv[1:2] == ["wide"]:
        return wide(*map(int, sys.argv[2:3]), *sys.argv[3:])
    methods = [name for name in nnspca.METHODS if name not in SKIPPED]
    print(f"{'data set':12} {'k':>5} " + " ".join(f"{m:>20}" for m in methods))
    for name in sys.argv[1:] or CASES:
        cov = covariance(name)
        if cov is None:
            continue
        for k in CASES[name]:
            few = [cov.n_features <= (nnspca.METHODS[method].max_features or np.inf) for method in methods]
            parts = [nnspca.solve(cov, k, method) if so else None for method, so in zip(methods, few, strict=True)]
            top = max(part.variance for part in parts if part is not None)
            cells = (f"{part.variance / top:9.5f} {part.seconds:8.2f} s" if part else "-" for part in parts)
            print(f"{name:12} {k:5} " + " ".join(f"{c:>20}" for c in cells), flush=True)


if __name__ == "__main__":
    main()
