"""Compute what the lesson bundles: ``python -m tests.lesson``, with NNSPCA_DATA naming the real data.

What takes seconds or needs data that are not bundled: spectra, six parts of the faces found one after the other, and
what EM did on the genes. Each entry names the content it was made from. Proven numbers come from the ledger.
"""

import json

import numpy as np
from sklearn.decomposition import NMF

import nnspca
from nnspca.view.learn import boards
from nnspca.view.link.dataset_defaults import opening

PARTS, PIXELS = 6, 40
STARTS, GENES = 12, 10


def covariance(name):
    """Return a data set and its covariance as its opening view takes it."""
    data = nnspca.datasets.load(name)
    return data, nnspca.Covariance.from_dataset(data, standardize=opening(name).standardise)


def spectrum(name):
    """Return the leading eigenvalues, from which Theorem 1 promises."""
    data, cov = covariance(name)
    values = np.round(cov.eigenpairs(13)[0], 6).tolist()
    return {"content_hash": data.content_hash, "n": cov.n_features, "values": values}


def parts():
    """Return six parts of the faces, one after the other, and by NMF."""
    data, cov = covariance("lfw-faces")
    greedy = nnspca.decompose(cov, PARTS, PIXELS)
    nmf = NMF(PARTS, init="nndsvda", max_iter=2000, random_state=0).fit(data.X).components_

    def said(loadings):
        variances = cov.variance(loadings.T)
        order = np.argsort(-variances, kind="stable")
        return {
            "supports": [np.flatnonzero(loadings[:, j]).tolist() for j in order],
            "loadings": [np.round(loadings[loadings[:, j] > 0, j], 4).tolist() for j in order],
            "variances": variances[order].tolist(),
        }

    return {
        "content_hash": data.content_hash,
        "k": PIXELS,
        "apart": said(greedy.loadings),
        "nmf": [np.round(255 * row / row.max()).astype(int).tolist() for row in nmf],
    }


def genes():
    """Return what EM reached from each of some starts, with and without new weights, below which bound."""
    data, cov = covariance("leukemia")
    certificate = nnspca.certify(cov, GENES)
    alone = {"restarts": 1, "renormalise": False}
    runs = [nnspca.solve(cov, GENES, "em", seed=seed, **alone) for seed in range(STARTS)]
    again = [nnspca.solve(cov, GENES, "em", seed=seed, restarts=1) for seed in range(STARTS)]
    return {
        "content_hash": data.content_hash,
        "n": cov.n_features,
        "k": GENES,
        "starts": STARTS,
        "traces": [[round(v / certificate.upper, 5) for v in run.history] for run in runs],
        "em": max(run.variance for run in runs),
        "again": max(run.variance for run in again),
        "lower": certificate.lower,
        "upper": certificate.upper,
    }


def main():
    """Write it all; what needs data that are not at hand stays as it was."""
    old = json.loads(boards.STORED.read_text(encoding="utf-8")) if boards.STORED.exists() else {}
    local = {info.name for info in nnspca.datasets.available() if info.local}
    made = {
        "spectra": {name: spectrum(name) for name in ("lfw-faces", "digits")},
        "parts": parts(),
        "genes": genes() if "leukemia" in local else old["genes"],
    }
    boards.STORED.write_text(json.dumps(made, separators=(",", ":"), sort_keys=True) + "\n", encoding="utf-8")
    print({key: value for key, value in made["genes"].items() if key != "traces"})


if __name__ == "__main__":
    main()
