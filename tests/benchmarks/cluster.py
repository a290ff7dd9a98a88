"""A pass over data on three workers beside Dask's own X.T @ X: CPU seconds, bytes between workers, the client's memory.

python -m tests.benchmarks.cluster [ROWS, 300,000 if not given]
"""

import os
import resource
import sys
import time
from functools import partial

import dask
import dask.array
import distributed
import numpy as np
import scipy.sparse

import nnspca

N, SPARSE, HEIGHT = 500, 3000, 5000


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
    rows = int([*sys.argv, "300000"][1])
    with (
        dask.config.set({"distributed.nanny.environ.OMP_NUM_THREADS": "1"}),
        distributed.LocalCluster(3, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        lazy = dask.array.random.default_rng(0).standard_normal((rows, N), chunks=(HEIGHT, -1))
        thin = dask.array.zeros((rows, SPARSE), chunks=(HEIGHT, -1)).map_blocks(thinned, dtype=float, meta=lazy._meta)
        covariance = partial(nnspca.Covariance.from_data, standardize=False)
        part = nnspca.decompose(covariance(np.eye(N)), 1, 10, "em")
        resampled = partial(nnspca.bootstrap, k=10, parts=part, resamples=2, method="em", standardize=False)
        held: dict[str, dask.array.Array] = {}

        def persist(name, X):
            held.clear()
            distributed.wait(held.setdefault(name, client.persist(X)))

        for name, call in {
            "a first pass, which imports nnspca": lambda: covariance(lazy[: 9 * HEIGHT]),
            "persist": lambda: persist("dense", lazy),
            "X.T @ X": lambda: (held["dense"].T @ held["dense"]).compute(),
            "from_data": lambda: covariance(held["dense"]),
            "most_variable": lambda: nnspca.most_variable(held["dense"], 100),
            "bootstrap, two resamples": lambda: resampled(held["dense"]),
            "persist sparse": lambda: persist("sparse", thin),
            "sparse X.T @ X": lambda: product(held["sparse"]),
            "sparse from_data": lambda: covariance(held["sparse"]),
            "X.T @ X, X made on the way": lambda: (lazy.T @ lazy).compute(),
            "from_data, X made on the way": lambda: covariance(lazy),
            "from_data, X - X.mean(0)": lambda: covariance(lazy - lazy.mean(0)),
        }.items():
            time.sleep(1.0)
            wire, cpu, own = sum(client.run(sent).values()), sum(client.run(spent).values()), time.process_time()
            call()
            cpu, own = sum(client.run(spent).values()) - cpu, time.process_time() - own
            wire = (sum(client.run(sent).values()) - wire) / 1e6
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"{name:36} {cpu:6.1f} + {own:4.1f} CPU s {wire:7.1f} MB sent {most:6.0f} MB", flush=True)


if __name__ == "__main__":
    main()
