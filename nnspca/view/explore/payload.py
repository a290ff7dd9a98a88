"""What the browser is sent of the Explore page: the curve along k, components and their sentences, a live run."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nnspca.result import Component, rounded
from nnspca.result.component import heaviest
from nnspca.result.rounded import ceil, floor
from nnspca.view import cache, say, stored
from nnspca.view.certificate import proofs
from nnspca.view.explore import samples
from nnspca.view.explore.view import View, sentence_at
from nnspca.view.figures import band
from nnspca.view.figures.style import PLACES
from nnspca.view.ledger import Known
from nnspca.view.link import canvas, state
from nnspca.view.ui import component

LISTED = 24  # names sent for each k where features are a list
SCORES = 60_000  # that are sent along k; of more, only those at the k that is shown
DIGITS = 7  # of a share: bounds are rounded up, variances down


def payload(
    view: View, *, address: str = "", note: str = "", going: bool = False, waits: bool = False
) -> dict[str, Any]:
    """Return what the browser needs at once beside the curve: the component that is shown.

    The other components and their sentences, which are many, it fetches from the ``address``, once for each find; while
    runs are ``going``, not before it needs them. ``note`` tells of a run along k, and the k that is asked for ``waits``
    for one.
    """
    here = min(view.played, key=lambda k: abs(math.log(k / view.k)), default=None)
    own = component_rows(view, [] if here is None else [here])
    # a component carried from a far smaller k is no answer
    answers = view.part is not None and (view.known[view.k].found or 2 * view.part.cardinality >= view.k)
    content = {
        "about": canvas.signature(view.key_of("play", view.choice.method, view.choice.ks)),
        "k": view.k,
        "here": own,
        "path": f"{address}?{curve(view)['sign']}",
        "note": note,
        "going": going,
        "waits": f"Solving k = {view.k:,} …" if waits and not answers else "",
        "found": canvas.signature(view.found),
        **samples_payload(view),
    }
    return canvas.signed(content)


def samples_payload(view: View) -> dict[str, Any]:
    """Return what the component is beside the samples: their strips, what it tells apart, and what was pressed."""
    choice, data = view.choice, view.data
    why, sample, made = choice.why, choice.sample, view.made

    def apart(part: Component) -> str:
        return say.separation(data, samples.standard_scores(part, view)[:, None])

    return {
        "strips": made("strips", lambda part: samples.class_strips(part, view)) if choice.strips else None,
        "apart": made("apart", apart) if choice.strips else "",
        "why": None if why is None else made("why", lambda part: samples.explain(why, part, view), why),
        "sample": None if sample is None else made("sample", lambda part: samples.over(sample, part, data), sample),
    }


def curve(view: View) -> dict[str, Any]:
    """Return what is known along k, worked out once for each find; ``sign`` changes with what the rows tell.

    Shares are of the total variance, upper bounds rounded up, gaps too.
    """
    kept = cache.results()
    made: dict[str, Any] | None = kept.get(view.found)
    if made is not None:
        return made
    data, unit, ks = view.data, view.total, sorted(view.played)
    rows = [row for k in view.choice.ks if (row := view.known[k]).found and row.bounded]
    made = {
        "sign": canvas.signature([_state(view, k) for k in played_ks(view)]),
        "n": data.n_features,
        "noun": component.called(data),
        "ks": ks,
        "shares": [floor(view.played[k].lower / unit, DIGITS) for k in ks],
        "gaps": band.gaps([(view.played[k].lower, view.known[k].upper) for k in ks], DIGITS),
        "proven": [view.known[k].proven for k in ks],
        "band": {
            "ks": [row.at for row in rows],
            "lower": [floor(row.lower / unit, DIGITS) for row in rows],
            "upper": [min(ceil(row.upper / unit, DIGITS), 1.0) for row in rows],
            "gaps": band.gaps([(row.lower, row.upper) for row in rows], DIGITS),
            "digits": [rounded.decimals(row.lower, row.upper, unit) for row in rows],
            "optimal": [row.optimal for row in rows],
            "proven": [row.proven for row in rows],
        },
        "closed": band.closed(view.band),
        "curves": [_curve(name, points, view) for name, points in view.others.items()],
        "scene": component.features_payload(data, component.mean_sample(data), ()),
    }
    kept.put(view.found, made)
    return made


def played_ks(view: View) -> list[int]:
    """Return the k at which a component is played, but for the one shown where it is not one of the curve."""
    return [k for k in view.choice.ks if k in view.played]


def _state(view: View, k: int) -> tuple[Hashable, ...]:
    """Return what the component at k and its sentence depend on."""
    known, whole = view.known[k], view.known.get(view.data.n_features)
    return k, view.played[k].lower, known.upper, known.source, known.found, whole and whole.lower, view.by_chance(k)


@dataclass(frozen=True, eq=False)
class Row:
    """What is said of the component at one k."""

    state: tuple[Hashable, ...]  # what it depends on
    says: str
    context: str
    support: np.ndarray
    levels: np.ndarray  # of its loadings, shares of the largest
    heaviest: Sequence[int]  # features with the largest loadings, where they are a list
    scores: np.ndarray  # of the samples in the strips, in hundredths of a standard deviation


def component_rows(view: View, ks: Sequence[int]) -> dict[str, Any]:
    """Return the components at some k, their sentences, and the names of features where they are a list.

    What is as it was at the last look is not worked out again.
    """
    data, kept, key = view.data, cache.results(), view.key_of("rows", view.choice.method)
    rows: dict[int, Row] = kept.get(key) or {}
    which = samples.strip_samples(data) if view.choice.strips else np.zeros(0, dtype=int)
    scored = {k for k in ks if len(which) and (k == view.k or len(which) * len(ks) <= SCORES)}
    for k in ks:
        state = *_state(view, k), k in scored
        if k in rows and rows[k].state == state:
            continue
        part = view.played[k].component
        support, loadings = part.support, part.loadings[part.support]
        levels = np.rint(loadings / (np.abs(loadings).max(initial=0.0) or 1.0) * stored.LEVELS)
        heavy = heaviest(part)[:LISTED] if data.image_shape is None and data.axis is None else []
        scores = samples.standard_scores(part, view)[which] if k in scored else np.zeros(0)
        hundredths = np.rint(100 * np.clip(scores, -300, 300))
        rows[k] = Row(state, sentence_at(view, k), view.context(k), support, levels, heavy, hundredths)
    kept.put(key, rows)
    of, kind = [rows[k] for k in ks], "u2" if data.n_features <= 2**16 else "i4"
    named = sorted({int(i) for row in of for i in row.heaviest})
    return {
        "ks": list(ks),
        "says": [row.says for row in of],
        "contexts": [row.context for row in of],
        "starts": canvas.pack(np.cumsum([0, *(len(row.support) for row in of)]), "i4"),
        "support": canvas.pack(np.concatenate([*(row.support for row in of), []]), kind),
        "levels": canvas.pack(np.concatenate([*(row.levels for row in of), []]), "i2"),
        "scored": [len(row.scores) for row in of],
        "scores": canvas.pack(np.concatenate([*(row.scores for row in of), []]), "i2"),
        "names": component.feature_names(data, named),
    }


def _curve(name: str, points: Mapping[int, Component], view: View) -> dict[str, Any]:
    found = [(points[k].variance, view.known[k]) for k in sorted(points)]
    return {
        "method": name,
        "place": PLACES[name],
        "title": state.TITLES[name],
        "ks": sorted(points),
        "shares": [floor(variance / view.total, DIGITS) for variance, _ in found],
        "gaps": band.gaps([(low, row.upper if row.proven else math.inf) for low, row in found], DIGITS),
    }


def live_point(view: View) -> dict[str, Any]:
    """Return the words of the live run, and while it goes on its place in the chart."""
    live = view.live
    if live is None:
        return {"says": ""}
    row = view.known.get(view.k, Known(view.k))
    words = proofs.live_words(live, view.total, rounded.decimals(row.lower, row.upper, view.total))
    if live.ended or not live.found:
        return {"says": words}
    share, bounded = floor(live.found / view.total, DIGITS), bool(live.falls)
    upper = min(ceil(live.upper / view.total, DIGITS), 1.0) if bounded else None
    return {
        "says": words,
        "k": view.k,
        "share": share,
        "upper": upper,
        "gap": 1 - rounded.share(live.found, live.upper),
    }
