"""Several parts: what each deflation keeps of what parts found together keep, and what is proven of those.

Run ``python -m tests.benchmarks.parts [live|thorough] [data set …]``.
"""

import sys
import time

import nnspca
from tests.benchmarks.data import covariance

CASES = {
    "pitprops": ((4, 2), (3, 4), (4, 3)),
    "digits": ((8, 3), (10, 4), (16, 4), (6, 10)),
    "lrs": ((20, 3),),
    "cbcl-faces": ((40, 6),),
    "cbcl-faces-raw": ((40, 6),),
    "lfw-faces": ((40, 6),),
    "leukemia": ((50, 3),),
}
ONE_BY_ONE = ("disjoint", "projection", "schur")


def main() -> None:
    """Print one row for each data set, k and number of parts."""
    effort = next((word for word in sys.argv[1:] if word in ("live", "thorough")), "live")
    names = [word for word in sys.argv[1:] if word in CASES] or list(CASES)
    print(f"{'data set':16} {'(k, r)':>8} {'together':>12} " + " ".join(f"{name:>10}" for name in ONE_BY_ONE), end=" ")
    print(f"{'upper_bound':>12} {'ratio':>9} {'bound':13} {'find (s)':>9} {'prove (s)':>9}")
    for name in names:
        cov = covariance(name)
        for k, r in CASES[name] if cov is not None else ():
            started = time.perf_counter()
            parts = nnspca.decompose(cov, r, k, deflation="together")
            found = time.perf_counter() - started
            kept = parts.cumulative_variance[-1]
            shares = []
            for deflation in ONE_BY_ONE:
                others = nnspca.decompose(cov, r, k, deflation=deflation)
                shares.append(f"{others.cumulative_variance[-1] / kept:10.4f}")
            cert = nnspca.certify_parts(cov, r, k, parts, effort=effort)
            print(
                f"{name:16} {f'({k}, {r})':>8} {kept:12.6g} {' '.join(shares)} {cert.upper:12.6g} {cert.ratio:9.6f} "
                f"{cert.winner.name:13} {found:9.2f} {cert.seconds:9.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
