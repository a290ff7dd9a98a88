"""Data of any size, wherever they are: seconds, memory, and the ratio of certificates at k = 10 and 50.

python -m tests.benchmarks.any_size [millions of nonzeros, 12] [names of cases]: each case in a process of its own.
"""

import json
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

BLOCKS = 40
DENSE, LARGE, SPARSE = (200_000, 500), (400_000, 2000), (200_000, 20_000)
CARDINALITIES = (10, 50)
MOST = 3000
WORKER = "1GB"


# ---------------------------------------------------------------------- the data, made once


def store_dense(folder: Path) -> None:
    """Write the table as an array, a Zarr store, and a folder of Parquet files."""
    m, n = DENSE
    X = np.vstack([expression_array(m // 100, n, seed=0)] * 100).astype(np.float32)
    X += np.random.default_rng(1).normal(0, 0.1, X.shape).astype(np.float32)
    np.save(folder / "dense.npy", X)
    zarr.create_array(store=str(folder / "dense.zarr"), data=X, chunks=(5000, n))
    (folder / "parquet").mkdir()
    for number, part in enumerate(np.split(X, BLOCKS)):
        pandas.DataFrame(part, columns=[f"x{j}" for j in range(n)]).to_parquet(
            folder / "parquet" / f"part-{number:02}.parquet"
        )


def store_large(folder: Path) -> None:
    """Write 3.2 GB of singles: a few directions and noise."""
    rng, (m, n) = np.random.default_rng(0), LARGE
    X = np.lib.format.open_memmap(folder / "large.npy", "w+", np.float32, LARGE)
    directions = rng.standard_normal((20, n), dtype=np.float32) * (rng.random((20, n)) < 0.05)
    for start in range(0, m, 10_000):
        X[start : start + 10_000] = rng.standard_normal((10_000, 20), dtype=np.float32) @ directions
        X[start : start + 10_000] += rng.standard_normal((10_000, n), dtype=np.float32)


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


# ---------------------------------------------------------------------- the cases


def blocks(folder: Path) -> Any:
    """The CSR blocks as a dask array that reads them where it is computed."""
    meta = scipy.sparse.csr_matrix((0, 0), dtype=np.float32)
    read = dask.delayed(scipy.sparse.load_npz, pure=True)
    shape = (SPARSE[0] // BLOCKS, SPARSE[1])
    paths = sorted(folder.glob("block-*.npz"))
    return dask.array.concatenate([dask.array.from_delayed(read(path), shape, meta=meta) for path in paths])


CASES: dict[str, tuple[str, str, Callable[[Path], Any]]] = {
    "dense": ("200,000 × 500 singles in memory", "dense", lambda folder: np.load(folder / "dense.npy")),
    "zarr": ("  the same, a Zarr store", "dense", lambda folder: zarr.open_array(str(folder / "dense.zarr"), mode="r")),
    "parquet": (
        "  the same, 40 Parquet files",
        "dense",
        lambda folder: pyarrow.dataset.dataset(folder / "parquet"),
    ),
    "large": (
        "400,000 × 2,000 singles in a file of 3.2 GB",
        "large",
        lambda folder: np.load(folder / "large.npy", mmap_mode="r"),
    ),
    "sparse": (
        "200,000 × 20,000 sparse in memory",
        "sparse",
        lambda folder: scipy.sparse.vstack(list(map(scipy.sparse.load_npz, sorted(folder.glob("block-*.npz")))), "csr"),
    ),
    "h5ad": ("  the same, in .h5ad", "sparse", lambda folder: anndata.read_h5ad(folder / "cells.h5ad", backed="r")),
    "cluster": ("  the same, on two workers of 1 GB", "sparse", blocks),
}


def measured(name: str, folder: Path) -> dict[str, Any]:
    """Open the data of one case, those of many features with the ones that vary most, and certify: what it took."""
    cluster = distributed.Client(n_workers=2, threads_per_worker=1, memory_limit=WORKER) if name == "cluster" else None
    data = CASES[name][2](folder)
    watch = Watch()
    clock = time.perf_counter()
    few = nnspca.most_variable(data, MOST) if CASES[name][1] == "sparse" else data
    cov = nnspca.Covariance.from_data(few, standardize=False)
    told: dict[str, Any] = {"opened": time.perf_counter() - clock, "at": []}
    for k in CARDINALITIES:
        clock = time.perf_counter()
        part = nnspca.solve(cov, k)
        solved = time.perf_counter()
        cert = nnspca.certify(cov, k, component=part)
        certified = time.perf_counter()
        nnspca.verify(cert, cov)
        seconds = [solved - clock, certified - solved, time.perf_counter() - certified]
        told["at"].append({"k": k, "lower": cert.lower, "upper": cert.upper, "ratio": cert.ratio, "seconds": seconds})
    told["peak"] = watch.most - watch.first
    if cluster is not None:
        told["workers"] = max(cluster.run(_worker).values())
        cluster.close()
    return told


class Watch:
    """The most memory of this process's own that is seen, in MB: pages of files that are mapped are not counted."""

    def __init__(self) -> None:
        self.first = self.most = _own()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while True:
            self.most = max(self.most, _own())
            time.sleep(0.01)


def _own(field: str = "RssAnon") -> float:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith(field))


def _worker() -> float:
    """Most memory that a worker had."""
    return _own("VmHWM")


def shown(name: str, told: dict[str, Any], whole: dict[str, Any]) -> str:
    """A line for each k."""
    lines = []
    for at, other in zip(told["at"], whole["at"], strict=True):
        apart = max(abs(at[side] / other[side] - 1) for side in ("lower", "upper"))
        solve, certify, verify = at["seconds"]
        lines.append(
            f"{CASES[name][0]:44} {at['k']:>3} {told['opened']:7.1f} {solve:7.1f} {certify:7.1f} {verify:7.1f} "
            f"{told['peak']:7.0f} {told.get('workers', 0):7.0f} {at['ratio']:8.5f} {apart:8.1e}"
        )
    return "\n".join(lines)


def main(words: list[str]) -> None:
    """Make the data, run each case in a process of its own, print a table."""
    if words[:1] == ["--case"]:
        print("told " + json.dumps(measured(words[1], Path(words[2]))))
        return
    entries = 1e6 * float(words[0] if words else 12)
    names = words[1:] or list(CASES)
    columns = ("k", "open s", "solve", "certify", "verify", "MB", "worker", "ratio", "apart")
    print(f"{'data':44} {columns[0]:>3} " + " ".join(f"{c:>7}" for c in columns[1:]))
    with tempfile.TemporaryDirectory() as folder:
        made: set[str] = set()
        first: dict[str, Any] = {}
        for name in names:
            group = CASES[name][1]
            if group not in made:
                store = {"dense": store_dense, "large": store_large}.get(group)
                store(Path(folder)) if store else store_sparse(Path(folder), entries)
                made.add(group)
            call = [sys.executable, "-m", "tests.benchmarks.any_size", "--case", name, folder]
            said = subprocess.run(call, capture_output=True, text=True, check=False)
            line = [line for line in said.stdout.splitlines() if line.startswith("told ")]
            if not line:
                print(f"{CASES[name][0]:44} failed: {said.stderr[-600:]}", flush=True)
                continue
            told = json.loads(line[0][5:])
            print(shown(name, told, first.setdefault(group, told)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
