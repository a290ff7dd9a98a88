"""The covariances the benchmarks run on: every data set that can be loaded here without a network."""

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


def zipf_text(documents: int, words: int, seed: int = 0, *, length: int = 60, topics: int = 40) -> scipy.sparse.csr_array:
    """Return made-up word counts, shape (documents, words), with word frequencies by Zipf's law and topics.

    Each document is about one topic: a third of its words come from the topic's own hundred, the rest from all.
    """
    rng = np.random.default_rng(seed)
    tokens = documents * length
    document = np.repeat(np.arange(documents), length)
    frequency = 1.0 / np.arange(1, words + 1)
    word = np.searchsorted(np.cumsum(frequency) / frequency.sum(), rng.random(tokens))
    own = rng.integers(20, min(words, 3000), (topics, 100))
    about = rng.integers(topics, size=documents)[document]
    favourite = np.minimum(rng.zipf(1.6, tokens) - 1, 99)
    word = np.where(rng.random(tokens) < 1 / 3, own[about, favourite], np.minimum(word, words - 1))
    counts = scipy.sparse.coo_array((np.ones(tokens), (document, word)), shape=(documents, words))
    return scipy.sparse.csr_array(counts)


def expression_array(samples: int, genes: int, seed: int = 0, *, blocks: int = 40) -> np.ndarray:
    """Return made-up expression levels, shape (samples, genes): log-normal, in blocks of genes that vary together."""
    rng = np.random.default_rng(seed)
    block, share = rng.integers(blocks, size=genes), rng.uniform(0.2, 0.9, genes)
    sign = rng.choice([-1.0, 1.0], genes, p=[0.25, 0.75])
    common = rng.standard_normal((samples, blocks)) * rng.uniform(0.5, 1.5, blocks)
    noise = rng.standard_normal((samples, genes)) * np.sqrt(1 - share**2)
    return np.exp(rng.normal(0.0, 1.0, genes) + 0.5 * (common[:, block] * share * sign + noise))
