"""Compute what the lesson bundles: ``python -m tests.lesson``.

Six parts of the faces by NMF, which take seconds, and the content they were made from. Proven numbers come from the
ledger.
"""

import json

import numpy as np
from sklearn.decomposition import NMF

import nnspca
from nnspca.view.learn import boards

PARTS = 6


def parts():
    """Return six parts of the faces by NMF."""
    data = nnspca.datasets.load("lfw-faces")
    found = NMF(PARTS, init="nndsvda", max_iter=2000, random_state=0).fit(data.X).components_
    return {
        "content_hash": data.content_hash,
        "nmf": [np.round(255 * row / row.max()).astype(int).tolist() for row in found],
    }


def main():
    """Write it all."""
    boards.STORED.write_text(json.dumps(parts(), separators=(",", ":"), sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
