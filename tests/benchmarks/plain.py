"""Ours against the plain reading of each algorithm: CPU seconds of both, their ratio, and the share of variance.

Run ``python -m tests.benchmarks.plain [data set …]``: it prints the table and writes plain.json beside this file.
"""

import json
import os
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np

import nnspca
from nnspca.control.threads import one_blas_thread
from nnspca.spannogram import sphere
from tests.benchmarks.data import covariance
from tests.benchmarks.timing import timed
from tests.plain_em import plain_em
from tests.plain_solvers import plain_greedy, plain_power, plain_spannogram

RECORD = Path(__file__).with_suffix(".json")
CASES = {"digits": (4, 16, 32), "lrs": (5, 20, 60), "lfw-faces": (10, 40, 100), "cbcl-faces": (10, 40, 100)}
VERTICES = 100  # features up to which every vertex of a spannogram is visited one by one


def main() -> None:
    """Print the table and write it down."""
    print(f"{'data set':12} {'k':>4} {'algorithm':24} {'plain s':>9} {'ours s':>9} {'faster':>8} {'share':>10}")
    rows = []
    for name in sys.argv[1:] or CASES:
        cov = covariance(name)
        if cov is None:
            continue
        cov.eigenpairs(8)  # shared by all calls, as in use
        for k in CASES[name]:
            for algorithm, (plain, ours) in pairs(name, cov, k).items():
                with one_blas_thread():
                    (slow, theirs), (fast, found) = timed(plain), timed(ours)
                rows.append(
                    {"data": name, "k": k, "algorithm": algorithm, "plain": slow, "ours": fast, "share": found / theirs}
                )
                ratio, share = slow / fast, found / theirs
                print(f"{name:12} {k:4} {algorithm:24} {slow:9.4f} {fast:9.4f} {ratio:7.1f}x {share:10.6f}", flush=True)
    RECORD.write_text(
        json.dumps({"made": date.today().isoformat(), "load": os.getloadavg()[0], "rows": rows}, indent=1) + "\n"
    )


def pairs(name: str, cov: nnspca.Covariance, k: int) -> dict[str, tuple[Callable, Callable]]:
    """Return for each algorithm its plain reading and ours, each a call that returns the variance it reaches."""
    A = cov.block(np.arange(cov.n_features))
    X = np.asarray(nnspca.datasets.load(name).X, float)
    X = X - X.mean(axis=0)
    values, vectors = cov.eigenpairs(2)
    V = vectors * np.sqrt(values)
    found = {
        "EM, 10 restarts": (
            lambda: plain_em(X, k, restarts=10)[1],
            lambda: nnspca.solve(cov, k, "em", restarts=10).variance,
        ),
        "power, 53 starts; best": (lambda: plain_power(A, k)[1], lambda: nnspca.solve(cov, k).variance),
        "greedy, every feature": (
            lambda: plain_greedy(A, k)[1],
            lambda: nnspca.solve(cov, k, "greedy", nonnegative=False, criterion="full").variance,
        ),
    }
    if cov.n_features <= VERTICES:
        found["spannogram, rank 2"] = (lambda: plain_spannogram(V, k), lambda: sphere.maximise(V, k).value)
    return found


if __name__ == "__main__":
    main()
