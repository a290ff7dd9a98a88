"""Compute what the lesson bundles: ``python -m tests.lesson``, with NNSPCA_DATA naming the real data.

What takes seconds or needs data that are not bundled: the ceilings of the boards, proven shares along k,
six parts of the faces, and what EM did on the genes. Each entry names the content it was made from.
"""

import json

import numpy as np
from sklearn.decomposition import NMF

import nnspca
from nnspca.view.learn import boards
from nnspca.view.session.openings import opening, usual_k

KS = {"lfw-faces": (1, 3, 10, 20, 40, 80, 160, 320, 625), "digits": (1, 2, 4, 8, 16, 32, 64)}
PARTS, PIXELS = 6, 40
STARTS, GENES = 12, 10


def covariance(name):
    """Return a data set and its covariance as its opening view takes it."""
    data = nnspca.datasets.load(name)
    return data, nnspca.Covariance.from_dataset(data, standardize=opening(name).standardise)


def board(name):
    """Return the solver's answer and the ceiling at the board's k."""
    data, cov = covariance(name)
    k = usual_k(data.n_features, name)
    certificate = nnspca.certify(cov, k)
    nnspca.verify(certificate, cov)
    best = certificate.component
    return {
        "content_hash": data.content_hash,
        "k": k,
        "support": best.support.tolist(),
        "loadings": best.loadings[best.support].tolist(),
        "lower": certificate.lower,
        "upper": certificate.upper,
        "leading": certificate.leading,
    }


def promised(name):
    """Return the shares proven at a few k, and the spectrum that Theorem 1 promises from."""
    data, cov = covariance(name)
    certificates = [nnspca.certify(cov, k) for k in KS[name]]
    return {
        "content_hash": data.content_hash,
        "n": cov.n_features,
        "values": np.round(cov.eigenpairs(13)[0], 6).tolist(),
        "ks": list(KS[name]),
        "shares": [min(certificate.lower / certificate.upper, 1.0) for certificate in certificates],
    }


def parts():
    """Return six parts of the faces: one after the other, together with their ceiling, and by NMF."""
    data, cov = covariance("lfw-faces")
    greedy = nnspca.decompose(cov, PARTS, PIXELS)
    certificate = nnspca.certify_parts(cov, PARTS, PIXELS)
    nnspca.verify(certificate, cov)
    together = certificate.parts
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
        "together": said(np.array([part.loadings for part in together]).T),
        "upper": certificate.upper,
        "nmf": [np.round(255 * row / row.max()).astype(int).tolist() for row in nmf],
    }


def genes():
    """Return what EM reached from each of some starts, with and without new weights, below which ceiling."""
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
        "boards": {name: board(name) for name in ("lfw-faces", "digits")},
        "promised": {name: promised(name) for name in KS},
        "parts": parts(),
        "genes": genes() if "leukemia" in local else old["genes"],
    }
    boards.STORED.write_text(json.dumps(made, separators=(",", ":"), sort_keys=True) + "\n", encoding="utf-8")
    for name, told in made["promised"].items():
        print(name, dict(zip(told["ks"], np.round(told["shares"], 4).tolist(), strict=True)))
    print({key: value for key, value in made["genes"].items() if key != "traces"})


if __name__ == "__main__":
    main()
