"""Live certificates on expression arrays, of which few are at hand: Leukemia, parts of it, and two made-up ones.

``python -m tests.benchmarks.genes [k …] [array.npy …]`` prints what is proven live and the processor seconds it takes;
of the arrays named, samples as rows, where there are any.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is loaded

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import nnspca
from tests.benchmarks.data import expression_array

KS = (25, 50, 100, 150, 200)
FLOOR, TOP = 20, 16_000  # between which such arrays are read, as is usual
Numbers = np.ndarray
# Samples and genes of each part, and what is done to its levels.
PARTS: tuple[tuple[int, int, str, Callable[[Numbers], Numbers]], ...] = (
    (63, 2308, "raw", lambda x: x),
    (64, 6830, "raw", lambda x: x),
    (72, 7000, "raw", lambda x: x),
    (62, 2000, "raw", lambda x: x),
    (64, 6830, "logarithm", lambda x: np.log(np.clip(x, FLOOR, TOP))),
    (63, 2308, "logarithm", lambda x: np.log(np.clip(x, FLOOR, TOP))),
    (64, 6830, "square root", lambda x: np.sqrt(np.maximum(x, 0))),
)


def stand_ins() -> dict[str, Numbers]:
    """Return the arrays by what they are, each of shape (samples, genes)."""
    whole = np.asarray(nnspca.datasets.load("leukemia").X, dtype=float)
    made = {"Leukemia": whole}
    for seed, (samples, genes, how, levels) in enumerate(PARTS):
        rng = np.random.default_rng(seed)
        rows = np.sort(rng.choice(len(whole), samples, replace=False))
        columns = np.sort(rng.choice(whole.shape[1], genes, replace=False))
        made[f"{samples} × {genes}, {how}"] = levels(whole[np.ix_(rows, columns)])
    for seed, (samples, genes) in enumerate(((63, 2308), (64, 6830))):
        made[f"{samples} × {genes}, made up"] = expression_array(samples, genes, seed)
    return made


def main(words: list[str]) -> None:
    """Certify every array at every k, and print a line for each."""
    ks = tuple(int(word) for word in words if word.isdigit()) or KS
    own = {Path(word).stem: np.load(word) for word in words if not word.isdigit()}
    for name, X in (own or stand_ins()).items():
        cov = nnspca.Covariance.from_data(X)
        for k in ks:
            part = nnspca.solve(cov, k)
            began = time.process_time()
            cert = nnspca.certify(cov, k, component=part)
            least = min((bound for bound in cert.bounds if bound.deterministic), key=lambda bound: bound.value)
            took = time.process_time() - began
            print(f"{name:28}  k = {k:3}  ratio {cert.ratio:.4f}  {took:5.1f} CPU s  by {least.name}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
