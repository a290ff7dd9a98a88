"""What is certified where, and at what cost: one row per data set and k.

Run ``python -m tests.benchmarks.certificates [live|thorough] [data set …]``.
"""

import sys

import nnspca
from tests.benchmarks.data import covariance

TARGETS = {
    "lrs": (2, 5, 10, 20, 40, 60, 90),
    "cbcl-faces": (10, 20, 40, 80, 120, 180, 260, 361),
    "cbcl-faces-raw": (10, 20, 40, 80, 120, 180, 260, 361),
    "leukemia": (10, 25, 50, 100, 200, 400, 1000),
    "leukemia standardised": (10, 25, 50, 100, 200, 400, 1000),
    "digits": tuple(range(1, 65, 7)),
    "digits any sign": tuple(range(1, 65, 7)),
    "pitprops": tuple(range(1, 14)),
    "pitprops any sign": tuple(range(1, 14)),
    "lfw-faces": (10, 40, 100, 300, 625),
}


def main() -> None:
    """Print the table."""
    effort = sys.argv[1] if len(sys.argv) > 1 else "live"
    chosen = sys.argv[2:] or list(TARGETS)
    print(f"{'data set':24} {'k':>5} {'lower':>12} {'upper':>12} {'ratio':>9} {'winning bound':15} {'seconds':>8}")
    for title in chosen:
        cov = covariance(title.split()[0], standardize="standardised" in title)
        if cov is None:
            continue
        for k in TARGETS[title]:
            cert = nnspca.certify(cov, k, effort=effort, nonnegative="any sign" not in title)
            print(
                f"{title:24} {k:5} {cert.lower:12.6g} {cert.upper:12.6g} {cert.ratio:9.6f} "
                f"{cert.winner.name:15} {cert.seconds:8.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
