"""Data of any size, wherever they are: CPU seconds of this process, memory, and the ratios at k = 10 and 50.

python -m tests.benchmarks.any_size [--millions 12] [--features 100000] [--save] [name …]: each case in a process of its
own. ``--millions`` of nonzeros has the text in files and on the cluster, ``--features`` the text and the arrays in
memory; ``--save`` keeps what the documents say of these, at the smaller k.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anndata
import dask
import dask.array
import distributed
import numpy as np
import pandas
import pyarrow.dataset
import scipy.sparse
import zarr

import nnspca
from tests.benchmarks.data import expression_array, zipf_text
from tests.benchmarks.measured import save

BLOCKS = 40
DENSE, SPARSE = (200_000, 500), (200_000, 20_000)
CARDINALITIES = (10, 50)
MOST = 3000
WORKER = "1GB"


def store_dense(folder: Path, _: float) -> None:
    """Write the table as an array, a Zarr store, and a folder of Parquet files."""
    m, n = DENSE
    X = np.vstack([expression_array(m // 100, n, seed=0)] * 100).astype(np.float32)
    X += np.random.default_rng(1).normal(0, 0.1, X.shape).astype(np.float32)
    np.save(folder / "dense.npy", X)
    zarr.create_array(store=str(folder / "dense.zarr"), data=X, chunks=(5000, n))
    (folder / "parquet").mkdir()
    for number, part in enumerate(np.split(X, BLOCKS)):
        table = pandas.DataFrame(part, columns=[f"x{j}" for j in range(n)])
        table.to_parquet(folder / "parquet" / f"part-{number:02}.parquet")


def store_sparse(folder: Path, entries: float) -> None:
    """Write word counts, CSR, block by block and as an AnnData's file."""
    m, n = SPARSE
    length = round(1.1 * entries / m * (1 + entries / m / 1800))  # a word that comes twice in a document is one entry
    parts = []
    for number in range(BLOCKS):
        part = zipf_text(m // BLOCKS, n, seed=number, length=length, topics_seed=0)
        parts.append(scipy.sparse.csr_matrix(part, dtype=np.float32))
        scipy.sparse.save_npz(folder / f"block-{number:02}.npz", parts[-1], compressed=False)
    whole = scipy.sparse.vstack(parts, format="csr")
    print(f"{m:,} × {n:,} with {whole.nnz / 1e6:.1f} million nonzeros:")
    anndata.AnnData(whole).write_h5ad(folder / "cells.h5ad")


def blocks(folder: Path) -> Any:
    """The CSR blocks as a dask array that reads them where it is computed."""
    meta = scipy.sparse.csr_matrix((0, 0), dtype=np.float32)
    read = dask.delayed(scipy.sparse.load_npz, pure=True)
    shape = (SPARSE[0] // BLOCKS, SPARSE[1])
    paths = sorted(folder.glob("block-*.npz"))
    return dask.array.concatenate([dask.array.from_delayed(read(path), shape, meta=meta) for path in paths])


# What each case is, the group whose files it reads (none where it is made in memory), and its data.
CASES: dict[str, tuple[str, str, Callable[[Path, int], Any]]] = {
    "text": ("word counts in memory", "", lambda folder, n: zipf_text(n // 10, n)),
    "arrays": ("200 arrays in memory", "", lambda folder, n: expression_array(200, n)),
    "dense": ("200,000 × 500 singles in memory", "dense", lambda folder, n: np.load(folder / "dense.npy")),
    "zarr": ("  a Zarr store", "dense", lambda folder, n: zarr.open_array(str(folder / "dense.zarr"), mode="r")),
    "parquet": ("  40 Parquet files", "dense", lambda folder, n: pyarrow.dataset.dataset(folder / "parquet")),
    "mapped": ("  in a file", "dense", lambda folder, n: np.load(folder / "dense.npy", mmap_mode="r")),
    "sparse": (
        "200,000 × 20,000 sparse in memory",
        "sparse",
        lambda folder, n: scipy.sparse.vstack([*map(scipy.sparse.load_npz, sorted(folder.glob("block-*.npz")))], "csr"),
    ),
    "h5ad": ("  in .h5ad", "sparse", lambda folder, n: anndata.read_h5ad(folder / "cells.h5ad", backed="r")),
    "cluster": ("  on two workers of 1 GB", "sparse", lambda folder, n: blocks(folder)),
}


def measured(name: str, folder: Path, features: int) -> list[list[float]]:
    """Open the data of one case (of many features those that vary most), and certify.

    For each k: k, the seconds to open, solve, certify and verify, the most memory in MB, and the ratio.
    """
    cluster = distributed.Client(n_workers=2, threads_per_worker=1, memory_limit=WORKER) if name == "cluster" else None
    data = CASES[name][2](folder, features)
    watch, clock, rows = Watch(), time.process_time(), []
    few = nnspca.most_variable(data, MOST) if CASES[name][1] == "sparse" else data
    cov = nnspca.Covariance.from_data(few, standardize=False)
    clock, opened = time.process_time(), time.process_time() - clock
    for k in CARDINALITIES:
        part = nnspca.solve(cov, k)
        solved = time.process_time()
        cert = nnspca.certify(cov, k, component=part)
        certified = time.process_time()
        nnspca.verify(cert, cov)
        spent = (opened, solved - clock, certified - solved, time.process_time() - certified)
        rows.append([k, *spent, watch.most - watch.first, cert.ratio])
        clock = time.process_time()
    if cluster is not None:
        print(f"  a worker had {max(cluster.run(_own, 'VmHWM').values()):.0f} MB at most", file=sys.stderr)
        cluster.close()
    return rows


class Watch(threading.Thread):
    """The most memory of this process's own that is seen, in MB: pages of files that are mapped are not counted."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.first = self.most = _own()
        self.start()

    def run(self) -> None:
        while True:
            self.most = max(self.most, _own())
            time.sleep(0.01)


def _own(field: str = "RssAnon") -> float:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith(field))


def main() -> None:
    """Make the data, run each case in a process of its own, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*CASES, []])
    parser.add_argument("--millions", type=float, default=12.0)
    parser.add_argument("--features", type=int, default=100_000)
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--case", type=Path, help=argparse.SUPPRESS)  # the folder, in the case's own process
    chosen = parser.parse_args()
    entries = 1e6 * chosen.millions
    if chosen.case:
        print(json.dumps(measured(chosen.names[0], chosen.case, chosen.features)))
        return
    columns = ("open s", "solve", "certify", "verify", "MB")
    print(f"{'data':44} {'k':>3} " + " ".join(f"{column:>7}" for column in columns) + f" {'ratio':>8}")
    stores = {"dense": store_dense, "sparse": store_sparse}
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen.names or CASES:
            if store := stores.pop(CASES[name][1], None):
                store(Path(folder), entries)
            sizes = ("--millions", str(chosen.millions), "--features", str(chosen.features))
            call = [sys.executable, "-m", "tests.benchmarks.any_size", name, "--case", folder, *sizes]
            said = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=False)
            rows = json.loads(said.stdout) if said.returncode == 0 else []
            for k, *seconds, memory, ratio in rows:
                spent = " ".join(f"{value:7.1f}" for value in seconds)
                print(f"{CASES[name][0]:44} {k:>3} {spent} {memory:7.0f} {ratio:8.5f}", flush=True)
            if rows and chosen.save and not CASES[name][1]:
                _, _, solve, certify, _, memory, ratio = rows[0]
                told = [math.floor(1e6 * ratio) / 1e6, *(round(value, 2) for value in (solve, certify, memory))]
                save({f"{name}, {chosen.features:,} features": told})


if __name__ == "__main__":
    main()
