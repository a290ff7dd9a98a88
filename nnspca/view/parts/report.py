"""The parts on one printed page: each in its colour, what it explains, what is proven of all together."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

import numpy as np

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Components, PartsCertificate, sentences
from nnspca.view import sanitize
from nnspca.view.certificate import sheet
from nnspca.view.link.state import State
from nnspca.view.parts import together, verdict
from nnspca.view.parts.choices import Choices, title_of
from nnspca.view.parts.figures.over_mean import COLOURS
from nnspca.view.results.ledger import Known
from nnspca.view.sources import store
from nnspca.view.ui import scene
from nnspca.view.words import at_least, at_most, number, percent, seconds

EACH = 4  # features of a part that are named, those of largest loadings
MOST = 20  # and of all parts


def page(
    results: Mapping[str, Components],
    known: Known,
    proof: PartsCertificate | None,
    data: Dataset,
    now: State,
    choice: Choices,
    code: str,
) -> str:
    """Return the lead's parts as a web page that needs nothing else and prints on one sheet."""
    way = choice.lead if choice.lead in results else next(iter(results))
    parts, many = results[way], len(results[way].parts)
    return sheet.sheet(
        f"{many} {'part' if many == 1 else 'parts'} of at most {now.k:,} {scene.noun(data)}",
        f"{verdict.headline(results, known, choice, done=True)} {_words(parts, data, now)}",
        parts.loadings,
        _bars(parts, data),
        COLOURS,
        data,
        now,
        f"{title_of(way, choice)}. {nnspca.METHODS[parts.method].summary} Kept apart: "
        f"{nnspca.DEFLATIONS[parts.deflation].summary} Seed {now.seed}; {seconds(parts.seconds)}.",
        _numbers(parts, known if together.applies(parts) else None),
        "No certificate was made before the run ended." if proof is None else verdict.proven(proof, data.n_features),
        code,
    )


def _words(parts: Components, data: Dataset, now: State) -> str:
    """Return in words what each part is made of; no sign in a name makes letters bold."""
    seen = store.covariance(data, now).features
    described = [dataclasses.replace(part, features=seen) for part in parts.parts]
    return sanitize.line(sentences.listing(described, parts.total)).replace("**", "* *")


def _numbers(parts: Components, known: Known | None) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("", "features", "variance", "share of the total variance", "cumulative share")]
    rows += [
        (
            f"Part {r + 1}",
            f"{part.cardinality:,}",
            number(part.variance),
            percent(part.variance / parts.total, 1),
            percent(parts.cumulative_variance[r] / parts.total, 1),
        )
        for r, part in enumerate(parts.parts)
    ]
    if known is not None and math.isfinite(known.upper):
        most = f"{at_most(100 * known.upper / parts.total, 1)} %"
        rows.append(("Proven maximum of all such parts", "", number(known.upper, up=True), "", most))
    rows.append(("Overlap", at_least(parts.overlap, 2), "", "", ""))
    return rows


def _bars(parts: Components, data: Dataset) -> list[sheet.Bar]:
    """Return the largest loadings of each part in its colour."""
    each = max(1, min(EACH, MOST // max(len(parts.parts), 1)))
    return [
        (f"{r + 1}: {data.feature_names[i]}", float(column[i]), COLOURS[r % len(COLOURS)])
        for r, column in enumerate(parts.loadings.T)
        for i in np.argsort(-np.abs(column), kind="stable")[:each]
        if column[i]
    ]
