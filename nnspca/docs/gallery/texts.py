"""Texts: topics out of word counts
================================

Counts of words are sparse, and stay sparse here. The 400 made-up texts treat one of three topics; each part is then a
list of words that rise and fall together. As no loading is negative,
a part never sets one topic against another.

`See the same in the app </data>`_.
"""

import numpy as np
import scipy.sparse

import nnspca

TOPICS = (
    "orbit launch moon rocket satellite shuttle",
    "goal team season player coach match",
    "vote party law senate election court",
)
words = [word for topic in TOPICS for word in topic.split()] + [f"word {i}" for i in range(482)]
rng = np.random.default_rng(0)
rates = np.full((400, 500), 0.05)
for topic in range(3):
    rates[topic::3, 6 * topic : 6 * topic + 6] = 1.5
counts = scipy.sparse.csr_array(rng.poisson(rates).astype(float))

cov = nnspca.Covariance.from_data(counts, names=words)
parts = nnspca.decompose(cov, n_components=3, k=6)
for part in parts:
    print(", ".join(part.names))
figure = parts.plot()
