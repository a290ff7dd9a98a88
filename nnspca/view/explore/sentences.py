"""What the Explore page says of one component: its variance, its upper bound, and the live run beside it."""

from __future__ import annotations

import dataclasses
import math

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component, Stability, sentences
from nnspca.result.features import Features
from nnspca.view import sanitize, say
from nnspca.view.link import solver
from nnspca.view.link.state import State
from nnspca.view.results.ledger import Known
from nnspca.view.robust import need, stability
from nnspca.view.robust.stability import Sought
from nnspca.view.sources import store
from nnspca.view.ui import scene
from nnspca.view.words import at_least, proven_share, seconds

COMPUTING = "Computing the upper bound …"
NAMED = 4  # maximum number of features named in a sentence


def explained(part: Component, data: Dataset, leading: float) -> str:
    """Say how many features a component has, and which share of λ₁, which is ``leading``, it explains."""
    noun, used = scene.noun(data), part.cardinality
    which = f"{used:,} of {data.n_features:,} {noun if data.n_features != 1 else noun.removesuffix('s')}"
    return say.explains(which, used, part.variance, leading, "λ₁")


def indispensable(part: Component | None, data: Dataset, now: State) -> str:
    """Say which features are indispensable, where that was proven of this component; else nothing."""
    needed = None if part is None else need.known(need.only(part, store.covariance(data, now).trace), data, now)
    return "" if needed is None else sanitize.line(sentences.necessity(needed.proven[0]))


def sought(part: Component, data: Dataset, now: State) -> Sought:
    """Return a component with what finds it again."""
    return Sought(need.only(part, store.covariance(data, now).trace), part.method)


def stability_of(part: Component | None, data: Dataset, now: State) -> Stability | None:
    """Return the stability estimate of this component, or None if there is none."""
    return None if part is None else stability.known(sought(part, data, now), data, now)


def further_facts(part: Component | None, data: Dataset, now: State) -> str:
    """Say what else is known of this component: indispensable features, and how often it is found again."""
    found = stability_of(part, data, now)
    again = "" if found is None else sentences.stability(found)
    return sentences.join(indispensable(part, data, now), again)


def sentence(part: Component, known: Known, data: Dataset, leading: float, features: Features | None = None) -> str:
    """Say what a component is made of and explains, and how close to the optimum it is proven to be.

    ``features`` has the names of the features; without it only their number is given.
    """
    text = explained(part, data, leading)
    if features is not None and features.total and part.cardinality:
        clause = sanitize.line(sentences.clause(dataclasses.replace(part, features=features), NAMED))
        of_total = at_least(100 * part.variance / features.total, 1)
        these = "This" if part.cardinality == 1 else "These"
        text = f"{clause}. {these} {text} and {of_total} % of the total variance"
    if part.method != "best":
        text = f"{solver.title(part.method)}: {text}"
    fewer = ""
    if part.cardinality < part.k:
        why = "more would need negative loadings" if part.nonnegative else "more would add nothing"
        fewer = f" The component uses {part.cardinality:,} of {part.k:,}: {why}."
    if not nnspca.METHODS[part.method].feasible and part.cardinality > part.k:
        return f"{text}. Shown for contrast: it does not satisfy the limit k = {part.k:,}."
    if not math.isfinite(known.upper):
        return f"{text}. {COMPUTING}{fewer}"
    return f"{text}. {say.proven(part.variance, known.upper, leading, stored=known.stored)}{fewer}"


def live(part: Component | None, proof: Certificate | None, leading: float, *, done: bool) -> str:
    """Say what the live run has found and proven for the k that is shown."""
    if part is None:
        return "" if done else "Live: solving …"
    text = f"Live: {at_least(100 * part.variance / leading, 1)} % of λ₁ found in {seconds(part.seconds)}"
    if proof is None or (proof.stopped and not done):
        return f"{text}; {COMPUTING[0].lower()}{COMPUTING[1:]}" if not done else f"{text}."
    return f"{text}, {proven_share(say.share(part.variance, proof.upper))} in {seconds(proof.seconds)}."
