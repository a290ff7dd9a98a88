"""A pass over data on three workers beside Dask's own X.T @ X: CPU seconds, bytes between workers, the client's memory.

python -m tests.benchmarks.cluster [--rows 300000] [--height 5000]
"""

import argparse
import os
import resource
import time
from functools import partial

import dask
import dask.array
import distributed
import numpy as np
import scipy.sparse

import nnspca

N, SPARSE = 500, 3000


def sent(dask_worker):
    return dask_worker.transfer_outgoing_bytes_total


def spent():
    return sum(os.times()[:2])


def thinned(block, block_info=None):
    return scipy.sparse.random(*block.shape, density=1 / 90, format="csr", rng=block_info[0]["chunk-location"][0])


def product(blocks):
    """X'X of sparse blocks, added eight at a time."""
    few = [dask.delayed(lambda block: block.T @ block)(block) for block in blocks.to_delayed().ravel()]
    while len(few) > 1:
        few = [dask.delayed(sum)(few[i : i + 8]) for i in range(0, len(few), 8)]
    return few[0].compute()


def main() -> None:
    """Print a line for each pass."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--height", type=int, default=5000)
    asked = parser.parse_args()
    quiet = {"distributed.nanny.environ.OMP_NUM_THREADS": "1"}
    with (
        dask.config.set(quiet),
        distributed.LocalCluster(3, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        rng, columns = dask.array.random.default_rng(0), (asked.height, -1)
        lazy = rng.standard_normal((asked.rows, N), chunks=columns)
        held: dict[str, dask.array.Array] = {}
        covariance, part = partial(nnspca.Covariance.from_data, standardize=False), None

        def resampled():
            nnspca.bootstrap(held["dense"], 10, parts=part, resamples=2, shuffles=0, method="em", standardize=False)

        for name, call in {
            "a first pass, which imports nnspca": lambda: covariance(lazy[: 9 * asked.height]),
            "persist": lambda: distributed.wait(held.setdefault("dense", client.persist(lazy))),
            "X.T @ X": lambda: (held["dense"].T @ held["dense"]).compute(),
            "from_data": lambda: covariance(held["dense"]),
            "X.T @ X again": lambda: (held["dense"].T @ held["dense"]).compute(),
            "from_data again": lambda: covariance(held["dense"]),
            "most_variable": lambda: nnspca.most_variable(held["dense"], 100),
            "bootstrap, two resamples": resampled,
            "X.T @ X, X made on the way": lambda: (held.pop("dense") is not None and lazy.T @ lazy).compute(),
            "from_data, X made on the way": lambda: covariance(lazy),
            "from_data, X - X.mean(0)": lambda: covariance(lazy - lazy.mean(0)),
            "persist sparse": lambda: distributed.wait(
                held.setdefault("sparse", client.persist(dask.array.zeros((asked.rows, SPARSE), chunks=columns).map_blocks(
                    thinned, dtype=float, meta=np.empty((0, 0)))))
            ),
            "sparse X.T @ X": lambda: product(held["sparse"]),
            "sparse from_data": lambda: covariance(held["sparse"]),
            "sparse most_variable": lambda: nnspca.most_variable(held["sparse"], 100),
        }.items():
            part = part or nnspca.decompose(covariance(np.eye(N)), 1, 10, "em")
            time.sleep(1.0)
            wire, cpu, begun = sum(client.run(sent).values()), sum(client.run(spent).values()), time.perf_counter()
            own = time.process_time()
            call()
            cpu, own = sum(client.run(spent).values()) - cpu, time.process_time() - own
            wire = (sum(client.run(sent).values()) - wire) / 1e6
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            seconds = time.perf_counter() - begun
            print(f"{name:36} {cpu:6.1f} + {own:4.1f} CPU s {wire:7.1f} MB sent {most:6.0f} MB {seconds:6.1f} s", flush=True)


if __name__ == "__main__":
    main()
