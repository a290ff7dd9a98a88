"""The papers whose figures are reproduced."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """One paper.

    Attributes
    ----------
    name : str
        Key in :data:`PAPERS`.
    short : str
        For menus: authors and year.
    citation : str
        In full.
    """

    name: str
    short: str
    citation: str


PAPERS: dict[str, Paper] = {
    paper.name: paper
    for paper in (
        Paper(
            "asteris2014",
            "Asteris et al. 2014",
            "M. Asteris, D. Papailiopoulos, A. Dimakis: Nonnegative Sparse PCA with Provable Guarantees. ICML 2014.",
        ),
        Paper(
            "asteris2011",
            "Asteris et al. 2011",
            "M. Asteris, D. Papailiopoulos, G. Karystinos: Sparse Principal Component of a Rank-deficient Matrix. "
            "ISIT 2011.",
        ),
        Paper(
            "sigg2008",
            "Sigg & Buhmann 2008",
            "C. Sigg, J. Buhmann: Expectation-Maximization for Sparse and Non-Negative PCA. ICML 2008.",
        ),
        Paper(
            "zass2006",
            "Zass & Shashua 2006",
            "R. Zass, A. Shashua: Nonnegative Sparse PCA. NIPS 2006.",
        ),
    )
}
