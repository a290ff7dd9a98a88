"""What the benchmarks measure: data sets at hand, made-up texts and expression arrays."""

import os
from importlib import import_module
from pathlib import Path

import numpy as np
import scipy.sparse

import nnspca
from nnspca.datasets import available


def covariance(name: str, standardize: bool = False) -> nnspca.Covariance | None:
    """Return the covariance of a data set, or of ``wide/<name>.npz`` beside the folder NNSPCA_DATA.

    None (said aloud) where its file is not at hand.
    """
    wide = Path(os.environ.get("NNSPCA_DATA", ".")).absolute().parent / "wide" / f"{name}.npz"
    if any(i.name == name and i.local for i in available()):
        return nnspca.Covariance.from_dataset(nnspca.datasets.load(name), standardize)
    if wide.exists():
        return nnspca.Covariance.from_data(np.load(wide)["X"].astype(float), standardize=standardize)
    print(f"{name}: not at hand (set NNSPCA_DATA to the folder with its file)")
    return None


def packaged(name: str) -> np.ndarray:
    """Return real data of another kind that an installed package ships, shape (samples, features); nothing is fetched.

    A survey, births in each year by country, sea temperatures by month, visits to physicians, schools, an economy,
    expression of single cells, tumours, wines, patches of a texture.
    """
    if name == "cells":
        return np.asarray(import_module("scanpy").datasets.pbmc68k_reduced().raw.X.todense(), dtype=float)
    if name == "patches":
        image = import_module("skimage.data").brick().astype(float)
        return image.reshape(32, 16, 32, 16).swapaxes(1, 2).reshape(1024, 256)
    if name in ("breast_cancer", "wine"):
        return getattr(import_module("sklearn.datasets"), f"load_{name}")().data
    table = getattr(import_module("statsmodels.datasets"), name).load_pandas().data.select_dtypes("number")
    return table.dropna(axis=1, how="all").dropna().to_numpy(float)


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


def phylogeny_counts(samples: int, species: int, seed: int = 0, *, depth: int = 12) -> np.ndarray:
    """Return made-up counts of species: each varies with its ancestors in a random tree, and most are often absent."""
    rng = np.random.default_rng(seed)
    logs = np.tile(rng.standard_normal(species) - 1.0, (samples, 1))
    ancestor = np.zeros(species, dtype=int)
    for _ in range(depth):
        _, ancestor = np.unique(2 * ancestor + rng.integers(2, size=species), return_inverse=True)
        logs += 0.5 * rng.standard_normal((samples, ancestor.max() + 1))[:, ancestor]
    return rng.poisson(np.exp(np.minimum(logs, 12.0))).astype(float)


def spectra(samples: int, channels: int, seed: int = 0, *, substances: int = 60) -> np.ndarray:
    """Return made-up spectra: sums of the peaks of some substances, each in its own concentration, and noise."""
    rng = np.random.default_rng(seed)
    at = np.arange(channels)
    shapes = np.zeros((substances, channels))
    for shape in shapes:
        for _ in range(rng.integers(1, 8)):
            centre, width = rng.uniform(0, channels), rng.uniform(3, 40)
            shape += rng.exponential() / (1 + ((at - centre) / width) ** 2)
    amounts = rng.lognormal(0.0, 0.7, (samples, substances))
    return amounts @ shapes + 0.05 * rng.standard_normal((samples, channels))


def alike_blocks(samples: int, features: int, seed: int = 0, *, size: int = 100) -> np.ndarray:
    """Return made-up features of equal variance in blocks that vary together, each block more or less so."""
    rng = np.random.default_rng(seed)
    block = np.arange(features) // size
    share = rng.uniform(0.3, 0.7, block.max() + 1)[block] * rng.uniform(0.8, 1.2, features)
    common = rng.standard_normal((samples, block.max() + 1))
    return common[:, block] * share + rng.standard_normal((samples, features)) * np.sqrt(1 - share**2)
