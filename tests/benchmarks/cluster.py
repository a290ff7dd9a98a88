"""A pass over data on three workers beside Dask's own X.T @ X: CPU seconds, bytes between workers, the client's memory.

python -m tests.benchmarks.cluster [--rows 300000] [--height 5000]
"""

import argparse
import os
import resource
import time

import dask
import dask.array
import distributed
import scipy.sparse

import nnspca

N, SPARSE = 500, 3000


def sent(dask_worker):
    return dask_worker.transfer_outgoing_bytes_total


def spent():
    return sum(os.times()[:2])


def thinned(block):
    return scipy.sparse.random(*block.shape, density=1 / 90, format="csr", rng=int(block[0, 0] * 2**30))


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
        dense = client.persist(rng.standard_normal((asked.rows, N), chunks=columns))
        thin = rng.random((asked.rows, SPARSE), chunks=columns).map_blocks(thinned)
        distributed.wait(dense)
        for name, call in {
            "X.T @ X": lambda: (dense.T @ dense).compute(),
            "from_data": lambda: nnspca.Covariance.from_data(dense, False),
            "most_variable": lambda: nnspca.most_variable(dense, 100),
            "from_data, 10 million of 900 million": lambda: nnspca.Covariance.from_data(thin, False),
        }.items():
            wire, cpu, begun = sum(client.run(sent).values()), client.run(spent), time.perf_counter()
            call()
            cpu = sum(client.run(spent).values()) - sum(cpu.values())
            wire = (sum(client.run(sent).values()) - wire) / 1e6
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            seconds = time.perf_counter() - begun
            print(f"{name:40} {cpu:6.1f} CPU s {wire:7.1f} MB sent {most:6.0f} MB {seconds:6.1f} s", flush=True)


if __name__ == "__main__":
    main()
