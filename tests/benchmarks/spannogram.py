"""How the exact rank-d search grows with n and d, against enumeration and the ε-net at equal accuracy.

Run ``python -m tests.benchmarks.spannogram``.
"""

import time

import numpy as np

from nnspca.spannogram import curves, enumeration, net, sphere
from tests.benchmarks.data import covariance
from tests.benchmarks.timing import timed

SIZES = (50, 100, 200, 400, 800, 1600, 3200, 6400, 12582)
EXACT = 1e-9
NET_ACCURACY = 1e-2


def main() -> None:
    """Print both tables."""
    growth()
    real()


def growth() -> None:
    """Random V: seconds of the exact search, and of enumeration where it can be run."""
    rng = np.random.default_rng(0)
    print("random V, k = n/10: seconds to the exact optimum (relative 1e-9, proven)")
    print(f"{'n':>6} {'d':>2} {'cells':>7} {'search':>9} {'directions':>22} {'enumeration':>12} {'ratio':>9}")
    for d in (2, 3, 4):
        for n in SIZES:
            V = rng.standard_normal((n, d))
            k = max(1, n // 10)
            seconds, found = timed(lambda V=V, k=k: sphere.maximise(V, k, tol=EXACT), time.perf_counter)
            asked = enumeration.vertices(n, d)
            plain, ratio = "refused", ""
            if asked <= 400_000:
                plain_seconds, same = timed(lambda V=V, k=k: enumeration.maximise(V, k), time.perf_counter)
                assert abs(same.value - found.value) <= 1e-8 * found.value
                plain, ratio = f"{plain_seconds:.2f}", f"{plain_seconds / seconds:.0f}×"
            print(f"{n:6} {d:2} {found.cells:7} {seconds:9.4f} {asked:22,} {plain:>12} {ratio:>9}", flush=True)


def real() -> None:
    """Real data: the exact search against enough ε-net samples for a 1 % guarantee with probability 1 − 1/n."""
    print("\nreal data: exact search against an ε-net good for 1 % with probability 1 − 1/n")
    heads = f"{'data set':16} {'k':>5} {'d':>2} {'cells':>7} {'search':>9} {'samples':>10} {'net':>9} {'ratio':>7}"
    print(f"{heads} {'samples for 1e-9':>17}")
    for name, ks in (("cbcl-faces", (40, 180)), ("leukemia", (50, 400)), ("lfw-faces", (40, 300))):
        cov = covariance(name)
        if cov is None:
            continue
        for d in (2, 3, 4):
            values, vectors = cov.eigenpairs(d)
            V = vectors * np.sqrt(values)
            for k in ks:
                seconds, found = timed(lambda V=V, k=k: sphere.maximise(V, k, tol=EXACT), time.perf_counter)
                samples = enough(NET_ACCURACY, d, cov.n_features)
                few = min(samples, 20_000)
                net_seconds, _ = timed(
                    lambda V=V, k=k, m=few: list(net.search(V, k, m, np.random.default_rng(0))), time.perf_counter
                )
                net_seconds *= samples / few
                print(
                    f"{name:16} {k:5} {d:2} {found.cells:7} {seconds:9.4f} {samples:10,} {net_seconds:9.2f} "
                    f"{net_seconds / seconds:6.1f}× {enough(EXACT, d, cov.n_features):17.2e}",
                    flush=True,
                )
        values, vectors = cov.eigenpairs(2)
        V = vectors * np.sqrt(values)
        seconds, found = timed(lambda V=V, k=ks[-1]: curves.optimum(V, k), time.perf_counter)
        print(f"{name:16} {ks[-1]:5}  2 sweep of every region in φ: {seconds:.3f} s")


def enough(epsilon: float, d: int, n: int) -> int:
    """Samples for a failure probability of 1/n, by the law of the angle to the best direction."""
    one = net.failure_probability(epsilon, d, 1)
    return int(np.ceil(np.log(n) / -np.log(one)))


if __name__ == "__main__":
    main()
