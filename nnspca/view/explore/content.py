"""What the Explore page shows and says of components along k, packed for the browser."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component, Stability, sentences, wording
from nnspca.result.features import Features
from nnspca.view import sanitize, say
from nnspca.view.explore.path import Live
from nnspca.view.figures import band
from nnspca.view.link import canvas, solver
from nnspca.view.link.state import State
from nnspca.view.results.known import band_of
from nnspca.view.results.ledger import Known
from nnspca.view.robust import need, stability
from nnspca.view.robust.stability import Sought
from nnspca.view.sources import store
from nnspca.view.ui import component
from nnspca.view.words import at_least, ceil, floor, proven_share, seconds

COMPUTING = "Computing the upper bound …"
NAMED = 4  # maximum number of features named in a sentence


def explained(part: Component, data: Dataset, leading: float) -> str:
    """Say how many features a component has, and which share of λ₁, which is ``leading``, it explains."""
    noun, used = component.noun(data), part.cardinality
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


LISTED = 24  # names sent for each k where features are a list
DIGITS = 7  # of a share: bounds are rounded up, variances down


@dataclass(frozen=True, eq=False)
class View:
    """What the page shows: one value that every part of it reads."""

    data: Dataset
    leading: float  # λ₁
    k: int
    method: str  # the solver whose component is shown
    known: Mapping[int, Known]  # what the ledger knows at each k
    parts: Mapping[int, Component]  # the components that the picture plays: the best known, or those of another solver
    live: Live  # what the live run of the portfolio has found
    others: Mapping[str, Mapping[int, Component]] = field(default_factory=dict)  # the curves of other solvers
    log: bool = True  # whether equal steps of the k axis multiply
    features: Features | None = None  # what the covariance knows of them
    besides: str = ""  # what else is known of the component that is shown

    @property
    def part(self) -> Component | None:
        """The component that is shown."""
        return self.parts.get(self.k)

    @property
    def band(self) -> band.Band:
        """What is known along k, in shares of λ₁."""
        return band_of(self.known.values(), self.leading)

    @property
    def curves(self) -> dict[str, dict[int, float]]:
        """For each solver by its title, the shares of λ₁ along k; the best known first."""
        unit = self.leading
        best = {k: row.lower / unit for k, row in self.known.items() if row.found}
        return {"best known": best} | {
            solver.title(name): {k: part.variance / unit for k, part in sorted(points.items())}
            for name, points in self.others.items()
        }


def payload(view: View, backdrop: np.ndarray | None, *, about: str, note: str, live_text: str) -> dict[str, Any]:
    """Return all the browser needs; shares are of λ₁, upper bounds rounded up, gaps too.

    ``about`` tells one view from another, ``note`` what is under way, and ``live_text`` what the live run
    has found for the k that is shown.
    """
    data, unit = view.data, view.leading or 1.0
    ks = sorted(k for k in view.parts if k in view.known)
    content = {
        "about": about,
        "n": data.n_features,
        "k": view.k,
        "noun": component.noun(data),
        "note": note,
        "live_says": live_text,
        "log": view.log,
        "ks": ks,
        "says": [sentence_at(view, k) for k in ks],
        "shares": [_down(view.parts[k].variance / unit) for k in ks],
        "gaps": [_gap(view.parts[k].variance, view.known[k].upper) for k in ks],
        "band": _band(view),
        "closed": band.closed(view.band),
        "curves": _curves(view, unit),
        "live": _live(view, unit),
        **_packed([view.parts[k] for k in ks], data, backdrop),
    }
    return canvas.signed(content)


def sentence_at(view: View, k: int) -> str:
    """Return the sentence about the component at k."""
    text = sentence(view.parts[k], view.known[k], view.data, view.leading or 1.0, view.features)
    return f"{text} {view.besides}".strip() if k == view.k else text


def _down(value: float) -> float:
    return floor(value, DIGITS)


def _up(value: float) -> float:
    return ceil(value, DIGITS)


def _gap(variance: float, upper: float) -> float | None:
    return _up(band.gap(variance, upper)) if math.isfinite(upper) else None


def _band(view: View) -> dict[str, Any]:
    rows, optimal = [row for row in view.known.values() if row.found and row.bounded], set(view.band.optimal)
    unit = view.leading or 1.0
    return {
        "ks": [row.at for row in rows],
        "lower": [_down(row.lower / unit) for row in rows],
        # λ₁ itself is an upper bound: what rounding adds to its share is not shown
        "upper": [min(_up(row.upper / unit), 1.0) for row in rows],
        "gaps": [_gap(row.lower, row.upper) for row in rows],
        "optimal": [row.at in optimal for row in rows],
        "proven": [row.proven for row in rows],
        "stored": any(row.stored for row in rows),
    }


def _curves(view: View, unit: float) -> list[dict[str, Any]]:
    return [
        {
            "method": name,
            "title": solver.title(name),
            "ks": sorted(points),
            "shares": [_down(points[k].variance / unit) for k in sorted(points)],
            "gaps": [
                _gap(points[k].variance, view.known[k].upper) if view.known[k].proven else None for k in sorted(points)
            ],
        }
        for name, points in view.others.items()
    ]


def _live(view: View, unit: float) -> dict[str, Any]:
    parts, certificates = view.live.parts, view.live.certificates
    return {
        "ks": sorted(parts),
        "shares": [_down(parts[k].variance / unit) for k in sorted(parts)],
        "proven": sorted(certificates),
        "upper": [min(_up(certificates[k].upper / unit), 1.0) for k in sorted(certificates)],
        "gaps": [_gap(certificates[k].lower, certificates[k].upper) for k in sorted(certificates)],
    }


def _packed(parts: list[Component], data: Dataset, backdrop: np.ndarray | None) -> dict[str, Any]:
    supports = [part.support for part in parts]
    loadings = [part.loadings[part.support] for part in parts]
    heavy = {i for part in parts for i in wording.heaviest(part)[:LISTED]}
    return {
        "starts": canvas.pack(np.cumsum([0, *map(len, supports)]), "i4"),
        "support": canvas.pack(np.concatenate([*supports, []]), "i4"),
        "weights": canvas.pack(np.concatenate([*loadings, []]), "f4"),
        "scene": component.packed_scene(data, backdrop, sorted(heavy)),
    }
