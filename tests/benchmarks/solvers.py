"""Every method on every data set: share of the best variance found, and seconds.

Run ``python -m tests.benchmarks.solvers [data set …]``.
"""

import sys

import nnspca
from tests.benchmarks.data import covariance

CASES = {
    "lfw-faces": (10, 40, 100, 300),
    "digits": (4, 16, 32),
    "lrs": (5, 20, 60),
    "cbcl-faces": (10, 40, 180),
    "leukemia": (10, 50, 100, 400),
}
SKIPPED = {"pca", "enumeration"}


def takes(method: str, cov: nnspca.Covariance) -> bool:
    """Tell whether a method takes so many features."""
    most = nnspca.METHODS[method].max_features
    return most is None or cov.n_features <= most


def main() -> None:
    """Print the table."""
    methods = [name for name in nnspca.METHODS if name not in SKIPPED]
    print(f"{'data set':12} {'k':>5} " + " ".join(f"{m:>20}" for m in methods))
    for name in sys.argv[1:] or CASES:
        cov = covariance(name)
        if cov is None:
            continue
        for k in CASES[name]:
            parts = [nnspca.solve(cov, k, method) if takes(method, cov) else None for method in methods]
            top = max(part.variance for part in parts if part is not None)
            cells = (f"{part.variance / top:9.5f} {part.seconds:8.2f} s" if part else "-" for part in parts)
            print(f"{name:12} {k:5} " + " ".join(f"{c:>20}" for c in cells), flush=True)


if __name__ == "__main__":
    main()
