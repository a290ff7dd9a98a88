"""Compute what the lesson bundles: ``python -m tests.lesson``.

Six parts of the faces by NMF, which take seconds, and the content they were made from. Proven numbers come from the
ledger.
"""

import json
from urllib.parse import parse_qs, urlsplit

import numpy as np
from sklearn.decomposition import NMF

import nnspca
from nnspca.view.learn import boards
from nnspca.view.link import state


def parts():
    """Return six parts of the faces by NMF."""
    data = nnspca.datasets.load("lfw-faces")
    found = NMF(6, init="nndsvda", max_iter=2000, random_state=0).fit(data.X).components_
    return {
        "content_hash": data.content_hash,
        "nmf": [np.round(255 * row / row.max()).astype(int).tolist() for row in found],
    }


def checked(A, M, claim, k):
    """Whether a table M passes each test of chapter 8, for at most k nonzeros, and the largest row."""
    off = ~np.eye(len(A), dtype=bool)
    most = (A.diagonal() + np.sort(np.where(off, M, -np.inf))[:, len(A) - k + 1 :].sum(axis=1)).max()
    products = (M * M.T - np.maximum(A, 0) ** 2)[off].min()
    return {
        "signs": M[off].min() >= 0,
        "products": products >= -1e-12 * A.max() ** 2,
        "rows": most <= claim,
        "most": most,
    }


def assert_known(link):
    """State that a link's page is there, and that all its values are ones that the page takes."""
    address = urlsplit(link)
    page = address.path.removeprefix("./") or "explore"
    assert page in state.PAGES
    for key, values in parse_qs(address.query, strict_parsing=bool(address.query)).items():
        names = [info.name for info in nnspca.datasets.available()] if key in ("data", "vs") else None
        assert (state.SHARED | state.keys_of(page))[key].read(values, options=names)[1], (key, values)


def main():
    """Write it all."""
    boards.STORED.write_text(json.dumps(parts(), separators=(",", ":"), sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
