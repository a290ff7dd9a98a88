"""The covariances the benchmarks run on, and what it takes to make one of data of any size.

python -m tests.benchmarks.data [large]: from_data beside the plain product of the same chunks; "large" adds 3.2 GB.
"""

import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import anndata
import dask.array
import h5py
import numpy as np
import pandas
import pyarrow.dataset
import scipy.sparse

import nnspca
from nnspca.control.threads import one_blas_thread
from nnspca.datasets import available
from tests.benchmarks.timing import timed


def covariance(name: str, standardize: bool = False) -> nnspca.Covariance | None:
    """Return the covariance of a data set, or None (said aloud) where its file is not at hand."""
    info = next(i for i in available() if i.name == name)
    if not info.local:
        print(f"{name}: not at hand (set NNSPCA_DATA to the folder with its file)")
        return None
    return nnspca.Covariance.from_dataset(nnspca.datasets.load(name), standardize)


def zipf_text(
    documents: int, words: int, seed: int = 0, *, length: int = 60, topics: int = 40, topics_seed: int | None = None
) -> scipy.sparse.csr_array:
    """Return made-up word counts, shape (documents, words): words, and topics, are as frequent as Zipf's law has it.

    Each document is about one topic: a third of its words come from the topic's own hundred, the rest from all.
    Parts of one text have seeds of their own and one ``topics_seed``.
    """
    rng = np.random.default_rng(seed)
    tokens = documents * length
    document = np.repeat(np.arange(documents), length)
    word = _drawn(rng, 1.0 / np.arange(30, words + 30), tokens)
    about = _drawn(rng, 1.0 / np.arange(1, topics + 1), documents)[document]
    drawing = rng if topics_seed is None else np.random.default_rng(topics_seed)
    own = np.array([drawing.choice(min(words, 5000), 100, replace=False) for _ in range(topics)])
    favourite = _drawn(rng, 1.0 / np.sqrt(np.arange(1, 101)), tokens)
    word = np.where(rng.random(tokens) < 1 / 3, own[about, favourite], word)
    counts = scipy.sparse.coo_array((np.ones(tokens), (document, word)), shape=(documents, words))
    return scipy.sparse.csr_array(counts)


def _drawn(rng: np.random.Generator, weights: np.ndarray, count: int) -> np.ndarray:
    """Return numbers drawn with these weights."""
    below = np.cumsum(weights) / weights.sum()
    return np.minimum(np.searchsorted(below, rng.random(count)), len(weights) - 1)


def genotypes(animals: int, markers: int, seed: int = 0, *, chromosomes: int = 20, length: int = 150) -> np.ndarray:
    """Return made-up genotypes 0, 1 and 2, shape (animals, markers): mosaics of eight founders, linked in blocks.

    A chromosome passes from one founder to another once in ``length`` markers on average; neighbouring markers tell
    the same founders apart.
    """
    rng = np.random.default_rng(seed)
    patterns = rng.random((8, markers // 8)) < rng.beta(1.5, 1.5, markers // 8)
    founders = patterns[:, np.arange(markers) * patterns.shape[1] // markers // 3 * 3 + rng.integers(2, size=markers)]
    founders = founders.astype(np.int8)
    starts = np.arange(chromosomes) * markers // chromosomes
    counts = np.zeros((animals, markers), dtype=np.int8)
    for _ in range(2):  # one of each pair of chromosomes
        switches = rng.random((animals, markers)) < 1 / length
        switches[:, starts] = True
        stretch = np.cumsum(switches, axis=1)
        founder = rng.integers(8, size=(animals, int(stretch.max()) + 1), dtype=np.int8)
        counts += founders[np.take_along_axis(founder, stretch, axis=1), np.arange(markers)]
    return counts


def expression_array(samples: int, genes: int, seed: int = 0, *, blocks: int = 40) -> np.ndarray:
    """Return made-up expression levels, shape (samples, genes): log-normal, in blocks of genes that vary together."""
    rng = np.random.default_rng(seed)
    block, share = rng.integers(blocks, size=genes), rng.uniform(0.2, 0.9, genes)
    sign = rng.choice([-1.0, 1.0], genes, p=[0.25, 0.75])
    common = rng.standard_normal((samples, blocks)) * rng.uniform(0.5, 1.5, blocks)
    noise = rng.standard_normal((samples, genes)) * np.sqrt(1 - share**2)
    return np.exp(rng.normal(0.0, 1.0, genes) + 0.5 * (common[:, block] * share * sign + noise))


def plain(chunks: Iterable[np.ndarray], n: int) -> np.ndarray:
    """Return the sum of X'X of chunks in double precision, a thousand rows at a time: what forming A takes."""
    total = np.zeros((n, n))
    for chunk in chunks:
        for start in range(0, len(chunk), 1000):
            rows = chunk[start : start + 1000].astype(np.float64)
            total += rows.T @ rows
    return total


def cases(
    folder: Path, large: bool
) -> Iterator[tuple[str, Callable[[], Any], Callable[[], Iterable[np.ndarray]], int]]:
    """Give each way to hold data: what it is, the data, their chunks for the plain product, and their features."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200_000, 500), dtype=np.float32)
    yield "200,000 × 500 singles in memory", lambda: X, lambda: [X], 500
    few = X[:100_000]
    with h5py.File(folder / "data.h5", "w") as file:
        stored = file.create_dataset("X", data=few, chunks=(1000, 500))
        yield "100,000 × 500 singles in HDF5", lambda: stored, lambda: slices(stored), 500
    blocks = dask.array.from_array(few, chunks=(20_000, 500))
    yield "100,000 × 500 singles, dask", lambda: blocks, lambda: slices(few), 500
    for number, part in enumerate(np.split(few[:, :100], 40)):
        pandas.DataFrame(part, columns=[f"x{j}" for j in range(100)]).to_parquet(folder / f"part-{number:02}.parquet")
    table = pyarrow.dataset.dataset(folder, format="parquet", exclude_invalid_files=True)
    yield "100,000 × 100 singles, 40 Parquet files", lambda: table, lambda: slices(few[:, :100]), 100
    S = scipy.sparse.random_array((100_000, 2000), density=0.02, rng=rng, format="csr")
    path = folder / "cells.h5ad"
    anndata.AnnData(scipy.sparse.csr_matrix(S)).write_h5ad(path)
    backed = anndata.read_h5ad(path, backed="r")
    yield (
        "100,000 × 2,000 sparse (2 %) in .h5ad",
        lambda: backed,
        lambda: (S[at : at + 1000].toarray() for at in range(0, 100_000, 1000)),
        2000,
    )
    if large:
        M = np.lib.format.open_memmap(folder / "large.npy", "w+", np.float32, (400_000, 2000))
        for start in range(0, 400_000, 10_000):
            M[start : start + 10_000] = rng.standard_normal((10_000, 2000), dtype=np.float32)
        yield "400,000 × 2,000 singles in a file (3.2 GB)", lambda: M, lambda: slices(M), 2000


def slices(held: Any) -> Iterator[np.ndarray]:
    """Give an array that lies elsewhere a few thousand rows at a time."""
    for start in range(0, held.shape[0], 10_000):
        yield np.asarray(held[start : start + 10_000])


def main(words: list[str]) -> None:
    """Print, for each way to hold data, what from_data takes beside the plain product of its chunks."""
    print(f"{'data':44} {'CPU s':>7} {'plain':>7} {'ratio':>6} {'peak MB':>8}")
    with tempfile.TemporaryDirectory() as folder, one_blas_thread():
        for what, data, chunks, n in cases(Path(folder), "large" in words):
            least, _ = timed(lambda: plain(chunks(), n))  # noqa: B023
            took, cov = timed(lambda: nnspca.Covariance.from_data(data()))  # noqa: B023
            tracemalloc.start()
            nnspca.Covariance.from_data(data())
            peak = tracemalloc.get_traced_memory()[1] / 1e6
            tracemalloc.stop()
            assert cov.n_features == n
            print(f"{what:44} {took:7.2f} {least:7.2f} {took / least:6.2f} {peak:8.0f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
