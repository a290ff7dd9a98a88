"""Sentences that several pages say of a number, and titles of bounds."""

from __future__ import annotations

import math

import numpy as np

from nnspca.bounds.registry import BOUNDS, PARTS_BOUNDS
from nnspca.datasets import Dataset
from nnspca.result import rounded, wording
from nnspca.result.chance import LEVEL
from nnspca.tasks import best_separation
from nnspca.view import sanitize

FEWEST = 5  # samples of a class about which a share of pairs is worth a sentence


def capital(text: str) -> str:
    """Return a text that begins a line.

    >>> capital("row sums"), capital("")
    ('Row sums', '')
    """
    return text[:1].upper() + text[1:]


def title(name: str) -> str:
    """Return the name of a bound as a legend shows it.

    >>> title("balanced-rows")
    'Balanced row sums'
    """
    known = BOUNDS.get(name) or PARTS_BOUNDS.get(name)
    return known.title if known else name


def as_read(data: Dataset) -> str:
    """Say what an answer about data is about: their size as they were read, and how many questions are open.

    >>> as_read(Dataset(name="t", X=[[1, 2], [2, 5], [4, 1]]))
    '3 samples × 2 features as read'
    """
    (m, n), still = data.shape, len(data.doubts)
    samples = "" if data.kind == "covariance" else f"{wording.plural(m, 'sample')} × "
    asked = f"; {wording.plural(still, 'question')} open" if still else ""
    return f"{samples}{wording.plural(n, 'feature')} as read{asked}"


def explains(what: str, many: int, variance: float, whole: float, unit: str, upper: float = math.inf) -> str:
    """Say which share of a ``unit``, all of which is ``whole``, so many things explain together, rounded down.

    >>> explains("These six parts", 6, 27.519, 100.0, "the total variance")
    'These six parts explain 27.5 % of the total variance'
    """
    said = rounded.percent(variance / whole, rounded.decimals(variance, upper, whole))
    return f"{what} {'explains' if many == 1 else 'explain'} {said} of {unit}"


def nearness(variance: float, upper: float, whole: float, source: str = "") -> str:
    """Say how near the best possible a variance is proven to be, in per cent of ``whole``: the maximum is rounded up.

    >>> nearness(0.5, 0.51, 1.0, "carried from k = 7")
    'The proven maximum is 51.0 % (carried from k = 7), so this is at least 98.0 % of the optimum.'
    >>> nearness(0.5, 0.5, 1.0, "stored proof")
    'This is proven optimal, to 1 part in 10,000 (stored proof).'
    """
    source = f" ({source})" if source else ""
    if rounded.optimal(variance, upper):
        return f"This is proven optimal, to 1 part in 10,000{source}."
    most = rounded.percent(min(upper / whole, 1.0), rounded.decimals(variance, upper, whole), up=True)
    return f"The proven maximum is {most}{source}, so this is {rounded.proven_share(variance, upper)}."


def class_name(data: Dataset, c: int) -> str:
    """Return the name of a class, or its number where it has none; a bare number is said to be a class."""
    name = sanitize.line(str(data.label_names[c]), sanitize.NAME) if c < len(data.label_names) else str(c)
    return f"class {name}" if name.replace(".", "").isdigit() else name


def separation(data: Dataset, scores: np.ndarray) -> str:
    """Say in how many of 100 pairs of samples a class scores higher, rounded down: of the class that stands apart most.

    Of several scores, shape (m, r), the best one.
    """
    if data.labels is None:
        return ""
    counts, single = np.bincount(data.labels[data.labels >= 0], minlength=1), scores.shape[1] == 1
    present = np.flatnonzero(counts).tolist()
    if len(present) < 2:
        return f"All samples are of one class, {class_name(data, present[0])}." if present else "No sample has a class."
    able = [c for c in present if min(counts[c], counts.sum() - counts[c]) >= FEWEST]
    if not able:
        return f"{len(present)} classes, but too few samples of each to say how well a score separates them."
    found = best_separation(scores, data.labels, able)
    if found.p_value > LEVEL:
        which = "The score separates" if single else "No part separates"
        return f"{which} {'no class' if single else 'a class'} more than by chance (p = {found.p_value:.2g})."
    others = class_name(data, next(c for c in present if c != found.label)) if len(present) == 2 else "another class"
    way, most = ("higher" if found.area >= 0.5 else "lower"), 100 * max(found.area, 1 - found.area)
    where = "" if single else f" on part {found.part + 1}"
    return (
        f"In {rounded.fixed(most, 0, down=True)} of 100 pairs a sample of {class_name(data, found.label)} scores {way}"
        f"{where} than one of {others}; with labels exchanged, in {rounded.fixed(100 * found.chance, 0, up=True)} "
        f"(p = {found.p_value:.2g})."
    )
