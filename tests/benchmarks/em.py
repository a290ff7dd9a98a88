"""The batch EM against the plain one at equal restarts: how much variance, and how many times less CPU time.

Run ``python -m tests.benchmarks.em [data set …]``.
"""

import sys
import time

import numpy as np

import nnspca
from tests.benchmarks.data import covariance
from tests.plain_em import plain_em

CASES = {
    "lfw-faces": (10, 40, 100, 300),
    "cbcl-faces": (10, 40, 100, 180),
    "lrs": (5, 20, 60),
    "leukemia": (10, 50, 400),
}
RESTARTS = 10
SEEDS = range(5)


def main() -> None:
    """Print the table: medians over seeds of CPU seconds, least and median ratio of variances."""
    print(f"{'data set':12} {'k':>5} {'plain s':>9} {'ours s':>9} {'faster':>7} {'least share':>12} {'median':>9}")
    for name in sys.argv[1:] or CASES:
        cov = covariance(name)
        if cov is None:
            continue
        X = np.asarray(nnspca.datasets.load(name).X, float)
        X = X - X.mean(axis=0)
        for k in CASES[name]:
            plain, ours, shares = [], [], []
            for seed in SEEDS:
                started = time.process_time()
                _, variance = plain_em(X, k, restarts=RESTARTS, seed=seed)
                halfway = time.process_time()
                part = nnspca.solve(cov, k, "em", restarts=RESTARTS, seed=seed)
                plain.append(halfway - started)
                ours.append(time.process_time() - halfway)
                shares.append(part.variance / variance)
            theirs, own = np.median(plain), np.median(ours)
            print(
                f"{name:12} {k:5} {theirs:9.3f} {own:9.3f} {theirs / own:6.1f}x "
                f"{min(shares):12.6f} {np.median(shares):9.6f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
