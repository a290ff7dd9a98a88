"""Compute what the lesson bundles: ``python -m tests.lesson``.

What takes seconds: spectra, and six parts of the faces by NMF. Each entry names the content it was made from. Proven
numbers come from the ledger.
"""

import json

import numpy as np
from sklearn.decomposition import NMF

import nnspca
from nnspca.view.learn import boards
from nnspca.view.link.state import opening

PARTS = 6


def covariance(name):
    """Return a data set and its covariance as its opening view takes it."""
    data = nnspca.datasets.load(name)
    return data, nnspca.Covariance.from_dataset(data, standardize=opening(name).standardise)


def spectrum(name):
    """Return the leading eigenvalues."""
    data, cov = covariance(name)
    values = np.round(cov.eigenpairs(13)[0], 6).tolist()
    return {"content_hash": data.content_hash, "n": cov.n_features, "values": values}


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
    made = {
        "spectra": {name: spectrum(name) for name in ("lfw-faces", "digits")},
        "parts": parts(),
    }
    boards.STORED.write_text(json.dumps(made, separators=(",", ":"), sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
