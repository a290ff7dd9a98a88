"""What the benchmarks measure: data sets at hand, made-up texts and expression arrays."""

import numpy as np
import scipy.sparse

import nnspca
from nnspca.datasets import available


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


def expression_array(samples: int, genes: int, seed: int = 0, *, blocks: int = 40) -> np.ndarray:
    """Return made-up expression levels, shape (samples, genes): log-normal, in blocks of genes that vary together."""
    rng = np.random.default_rng(seed)
    block, share = rng.integers(blocks, size=genes), rng.uniform(0.2, 0.9, genes)
    sign = rng.choice([-1.0, 1.0], genes, p=[0.25, 0.75])
    common = rng.standard_normal((samples, blocks)) * rng.uniform(0.5, 1.5, blocks)
    noise = rng.standard_normal((samples, genes)) * np.sqrt(1 - share**2)
    return np.exp(rng.normal(0.0, 1.0, genes) + 0.5 * (common[:, block] * share * sign + noise))
