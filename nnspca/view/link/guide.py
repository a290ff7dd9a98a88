"""Links from help marks to paragraphs of the documents, where the app serves them."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = "NNSPCA_DOCS"  # the environment's name for a site that lies elsewhere
ROOT = Path(__file__).resolve().parents[3]  # of a checkout
PLACE = "docs"  # below the app's own address

# By key of the link, and by name of a button: the paragraph that explains it.
PARAGRAPHS = {
    "data": "guide/datasets.html#data-sets",
    "upload": "guide/datasets.html#your-own-files",
    "scale": "guide/preparing.html#standardising",
    "scales": "guide/preparing.html#standardising",
    "prep": "reference/datasets.log1p.html",
    "sign": "guide/preparing.html#signs",
    "k": "guide/choosing.html#what-does-one-more-feature-bring",
    "ks": "guide/choosing.html#what-does-one-more-feature-bring",
    "d": "mathematics/spannogram.html#the-rank-d-problem",
    "seed": "guide/solvers.html",
    "method": "guide/solvers.html",
    "methods": "guide/figures.html#other-curves",
    "log": "guide/figures.html#the-band",
    "bounds": "mathematics/index.html#what-each-bound-gives-for-the-example",
    "paper_band": "mathematics/spannogram.html#bounds-from-the-spectrum",
    "patience": "guide/large.html#proofs-on-many-features",
    "within": "mathematics/necessity.html#the-argument",
    "folds": "guide/choosing.html#what-holds-for-samples-that-the-component-was-not-fitted-to",
    "r": "guide/choosing.html#the-number-of-parts",
    "apart": "reference/deflations.html",
    "with": "guide/solvers.html",
    "resamples": "guide/choosing.html#are-the-features-stable",
    "curves": "mathematics/spannogram.html#rank-2-curves-over-an-angle",
    "dimensions": "mathematics/spannogram.html#the-search-that-proves-cells-of-the-sphere",
    "top": "mathematics/spannogram.html#rank-2-curves-over-an-angle",
    "vs": "guide/figures.html#the-band",
    "by": "guide/solvers.html",
    "racers": "guide/solvers.html",
    "live": "guide/figures.html#stored-and-live",
    "verify": "guide/certificates.html#check-with-the-library",
}


def built(root: Path = ROOT) -> Path | None:
    """Return the folder of the site that ``python -m nnspca.docs build`` made; None where none was."""
    folder = Path(os.environ.get(FOLDER) or root / "build" / PLACE)
    return folder if (folder / "index.html").exists() else None


def explained(key: str, text: str | None) -> str | None:
    """Return the words of a help mark, with a link to the paragraph that says more where there is one."""
    if not text or key not in PARAGRAPHS or built() is None:
        return text
    gap = "\n\n" if "\n" in text else " "  # below a list
    return f"{text}{gap}[More]({PLACE}/{PARAGRAPHS[key]})"
