"""A run on one printed page, and the run as JSON."""

from __future__ import annotations

import dataclasses

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component, sentences, wording
from nnspca.view import sanitize
from nnspca.view.certificate import claims, sheet
from nnspca.view.explore import sentences as page_sentences
from nnspca.view.link.state import State
from nnspca.view.results.ledger import share
from nnspca.view.sources import store
from nnspca.view.ui import downloads, scene
from nnspca.view.words import at_least, at_most, number, proven_percent, seconds

POSITIVE, NEGATIVE = "#c2570c", "#0072b2"


def page(part: Component, proof: Certificate | None, data: Dataset, now: State, leading: float, code: str) -> str:
    """Return the run as a web page that needs nothing else and prints on one sheet."""
    x, info = part.loadings, nnspca.METHODS.get(part.method)
    heavy = wording.heaviest(part)[: sheet.LISTED]
    title = f"{info.title}. {info.summary}" if info else part.method
    sign = "nonnegative loadings" if part.nonnegative else "loadings of either sign"
    return sheet.sheet(
        f"{part.cardinality} of {data.n_features:,} {scene.noun(data)}",
        f"{_words(part, data, now)} "
        + (claims.verdict(part, proof) if proof else "No upper bound had been proven when this was saved."),
        x[:, None],
        [(str(data.feature_names[i]), float(x[i]), POSITIVE if x[i] > 0 else NEGATIVE) for i in heavy],
        (POSITIVE,),
        data,
        now,
        f"{title} At most {part.k:,} features, {sign}, seed {now.seed}; {seconds(part.seconds)}.",
        _numbers(part, proof, leading),
        f"{claims.claim(proof, data.n_features)} {claims.why(proof.winner)}" if proof else "None yet.",
        code,
    )


def as_json(part: Component, proof: Certificate | None, data: Dataset, now: State) -> bytes:
    """Return the run as JSON: its settings, its component and its upper bound."""
    return downloads.json_of(
        {
            **downloads.data_record(data, now),
            "nonnegative": part.nonnegative,
            "k": part.k,
            "method": part.method,
            "options": {key: value for key, value in part.options.items() if isinstance(value, int | float | str)},
            "variance": part.variance,
            "support": part.support.tolist(),
            "features": [str(data.feature_names[i]) for i in part.support],
            "loadings": part.loadings[part.support].tolist(),
            "proven": None
            if proof is None
            else {"lower": proof.lower, "upper": proof.upper, "bound": proof.winner.name, "leading": proof.leading},
        }
    )


def _words(part: Component, data: Dataset, now: State) -> str:
    """Return the result in words; ``**`` in a name does not turn text bold."""
    described = dataclasses.replace(part, features=store.covariance(data, now).features)
    text = sanitize.line(sentences.component(described)).replace("**", "* *")
    return f"{text} {page_sentences.indispensable(part, data, now)}".strip()


def _numbers(part: Component, proof: Certificate | None, leading: float) -> list[tuple[str, str]]:
    rows = [
        ("Variance x'Ax", number(part.variance)),
        ("in % of λ₁", at_least(100 * part.variance / leading, 1)),
    ]
    if proof is not None:
        rows += [
            ("Upper bound (proven)", number(proof.upper, up=True)),
            ("in % of λ₁", at_most(100 * proof.upper / leading, 1)),
            ("Proven share of the optimum", proven_percent(share(part.variance, proof.upper))),
        ]
    return rows
