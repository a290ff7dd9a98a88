"""The stage of the Explore page: the view that its parts read, and the player, which follows the runs."""

from __future__ import annotations

import dataclasses
import gzip
import json
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Component, rounded, sentences, wording
from nnspca.result.chance import TIE
from nnspca.result.component import Features
from nnspca.result.rounded import ceil, fixed, floor
from nnspca.view import cache, chance, ledger, sanitize, say, session
from nnspca.view.certificate import proofs
from nnspca.view.chance import Chance
from nnspca.view.explore import run, samples
from nnspca.view.explore.run import Choices
from nnspca.view.figures import band
from nnspca.view.figures.style import PLACES
from nnspca.view.jobs import Job
from nnspca.view.ledger import Known
from nnspca.view.link import canvas, state, widgets
from nnspca.view.link.state import assign, assignments
from nnspca.view.subject import Subject, band_of
from nnspca.view.ui import component

NAMED = 4  # maximum number of features named in a sentence
LISTED = 24  # names sent for each k where features are a list
SCORES = 60_000  # that are sent along k; of more, only those at the k that is shown
DIGITS = 7  # of a share: bounds are rounded up, variances down
HOME = Path(__file__).parent / "browser"
SCRIPTS = ("path.js", "curve.js", "strips.js", "player.js")
POLL_SECONDS = 0.6  # between two polls of running jobs
_mount = canvas.component("play", HOME, SCRIPTS)


def sentence(
    part: Component,
    known: Known,
    data: Dataset,
    total: float,
    features: Features | None,
    by_chance: Chance | None = None,
) -> str:
    """Say what a component is made of and explains, and how close to the optimum it is proven to be.

    Where it is no more than chance that is said first, and no feature is named.
    """
    noun, used, n = component.NOUNS.get(data.kind, "features"), part.cardinality, data.n_features
    text = f"{used:,} of {n:,} {noun if n != 1 else noun.removesuffix('s')}"
    if first := chance.first(by_chance, part.k):
        features = None
    if features is not None and used:
        clause = sanitize.line(sentences.clause(dataclasses.replace(part, features=features), NAMED))
        these = f"This {noun.removesuffix('s')}, 1 of {n:,}," if used == 1 else f"These {text}"
        text = f"{clause}. {these}"
    text = say.explains(text, used, part.variance, total, "the total variance", known.upper)
    text = f"{first} {text}".strip()
    if part.k == 1 and features is not None and features.variances is not None:
        tied = int((features.variances >= part.variance * (1 - TIE)).sum())
        text += f"; {'all' if tied == n else 'of all'} {tied:,} tie" * (tied > 1)
    if part.method != "best":
        text = f"{state.TITLES[part.method]}: {text}"
    if not nnspca.METHODS[part.method].feasible and used > part.k:
        return f"{text}. Shown for contrast: it does not satisfy the limit k = {part.k:,}."
    fewer = ""
    if used < part.k and not known.found:
        fewer = f" One of {part.k:,} is being sought …"
    elif used < part.k:
        why = "more would need negative loadings" if part.nonnegative else "more would add nothing"
        fewer = f" The component uses {used:,} of {part.k:,}: {why}."
    if not math.isfinite(known.upper):
        return f"{text}. Computing the upper bound …{fewer}"
    return f"{text}. {say.proven(part.variance, known.upper, total, known.source)}{fewer}"


@dataclass(frozen=True, eq=False)
class View(Subject):
    """What the page shows: one value that every part of it reads."""

    choice: Choices
    known: Mapping[int, Known]  # what the ledger knows at each k
    played: Mapping[int, Known]  # of those with a component: the best known, or those of another solver
    others: Mapping[str, Mapping[int, Component]] = field(default_factory=dict)  # the curves of other solvers
    live: proofs.Live | None = None  # what the run for the k that is shown has told
    found: Hashable = ()  # what changes with each find about the curve: what is made of it is kept by this

    @cached_property
    def part(self) -> Component | None:
        """The component that is shown."""
        return self.played[self.k].component if self.k in self.played else None

    def by_chance(self, k: int) -> Chance | None:
        """Return what chance gives beside the component at k; None where it is not known."""
        return chance.at(self, k) if nnspca.METHODS[self.choice.method].feasible else None

    def context(self, k: int) -> str:
        """Say what the share of the component at k is to be compared with."""
        n, total = self.data.n_features, self.total
        whole = self.known.get(n, Known(n))
        share = rounded.percent(whole.lower / total, rounded.digits(whole.lower, whole.upper, total))
        return chance.beside(self.by_chance(k), n, k, share if whole.found else "", component.noun(self.data))

    def made(self, what: str, make: Callable[[Component], Any], *about: Hashable) -> Any:
        """Return what is made of the component that is shown, once for each find; None where there is none."""
        if (part := self.part) is None:
            return None
        kept, key = cache.results(), self.key(what, self.found, *about)
        if (found := kept.get(key)) is None:
            kept.put(key, found := make(part))
        return found

    @cached_property
    def band(self) -> band.Band:
        """What is known along the curve, whichever k is shown, in shares of the total variance."""
        return band_of((self.known[k] for k in self.choice.ks), self.total)

    @property
    def curves(self) -> dict[str, dict[int, float]]:
        """For each solver by its title, the shares of the total variance along k; the best found first."""
        best = {k: row.lower / self.total for k, row in self.known.items() if row.found}
        return {"best found": best} | {
            state.TITLES[name]: {k: part.variance / self.total for k, part in sorted(points.items())}
            for name, points in self.others.items()
        }


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of the page, where there are some."""

    shown: Job | None  # for the k that is shown
    along: Job | None  # of the curve
    others: Job | None  # of other solvers' curves
    longer: Job | None  # of a longer proof

    def going(self) -> list[Job]:
        """Return those that are not done."""
        return [job for job in vars(self).values() if job is not None and not job.done]

    @property
    def at_rest(self) -> bool:
        """Whether none goes on, and none has left word below the picture."""
        told = self.longer or (self.shown and (self.shown.problem or self.shown.stopped))
        return not (told or self.going())


def payload(
    view: View, *, address: str = "", note: str = "", going: bool = False, waits: bool = False
) -> dict[str, Any]:
    """Return what the browser needs at once beside the curve: the component that is shown.

    The other components and their sentences, which are many, it fetches from the ``address``, once for each find; while
    runs are ``going``, not before it needs them. ``note`` tells of a run along k, and the k that is asked for ``waits``
    for one.
    """
    here = min(view.played, key=lambda k: abs(math.log(k / view.k)), default=None)
    own = told(view, [] if here is None else [here])
    # a component carried from a far smaller k is no answer
    answers = view.part is not None and (view.known[view.k].found or 2 * view.part.cardinality >= view.k)
    content = {
        "about": canvas.sign(view.key_of("play", view.choice.method, view.choice.ks)),
        "k": view.k,
        "here": own,
        "path": f"{address}?{curve(view)['sign']}",
        "note": note,
        "going": going,
        "waits": f"Solving k = {view.k:,} …" if waits and not answers else "",
        "found": canvas.sign(view.found),
        **pointed(view),
    }
    return canvas.signed(content)


def pointed(view: View) -> dict[str, Any]:
    """Return what the component is beside the samples: their strips, what it tells apart, and what was pressed."""
    choice, data = view.choice, view.data
    why, sample, made = choice.why, choice.sample, view.made

    def apart(part: Component) -> str:
        return say.told_apart(data, samples.scored(part, view)[:, None])

    return {
        "strips": made("strips", lambda part: samples.strips(part, view)) if choice.strips else None,
        "apart": made("apart", apart) if choice.strips else "",
        "why": None if why is None else made("why", lambda part: samples.answer(why, part, view), why),
        "sample": None if sample is None else made("sample", lambda part: samples.over(sample, part, data), sample),
    }


def curve(view: View) -> dict[str, Any]:
    """Return what is known along k, worked out once for each find; ``sign`` changes with what :func:`told` tells of it.

    Shares are of the total variance, upper bounds rounded up, gaps too.
    """
    kept = cache.results()
    made: dict[str, Any] | None = kept.get(view.found)
    if made is not None:
        return made
    data, unit, ks = view.data, view.total, sorted(view.played)
    rows = [row for k in view.choice.ks if (row := view.known[k]).found and row.bounded]
    made = {
        "sign": canvas.sign([_state(view, k) for k in along(view)]),
        "n": data.n_features,
        "noun": component.noun(data),
        "ks": ks,
        "shares": [floor(view.played[k].lower / unit, DIGITS) for k in ks],
        "gaps": band.gaps([(view.played[k].lower, view.known[k].upper) for k in ks], DIGITS),
        "proven": [view.known[k].proven for k in ks],
        "band": {
            "ks": [row.at for row in rows],
            "lower": [floor(row.lower / unit, DIGITS) for row in rows],
            "upper": [min(ceil(row.upper / unit, DIGITS), 1.0) for row in rows],
            "gaps": band.gaps([(row.lower, row.upper) for row in rows], DIGITS),
            "digits": [rounded.digits(row.lower, row.upper, unit) for row in rows],
            "optimal": [row.optimal for row in rows],
            "proven": [row.proven for row in rows],
        },
        "closed": band.closed(view.band),
        "curves": [_curve(name, points, view) for name, points in view.others.items()],
        "scene": component.packed_scene(data, component.backdrop(data), ()),
    }
    kept.put(view.found, made)
    return made


def along(view: View) -> list[int]:
    """Return the k at which a component is played, but for the one shown where it is not one of the curve."""
    return [k for k in view.choice.ks if k in view.played]


def _state(view: View, k: int) -> tuple[Hashable, ...]:
    """Return what the component at k and its sentence hang on."""
    known, whole = view.known[k], view.known.get(view.data.n_features)
    return k, view.played[k].lower, known.upper, known.source, known.found, whole and whole.lower, view.by_chance(k)


@dataclass(frozen=True, eq=False)
class Row:
    """What is told of the component at one k."""

    state: tuple[Hashable, ...]  # what it hangs on
    says: str
    context: str
    support: np.ndarray
    levels: np.ndarray  # of its loadings, shares of the largest
    heaviest: Sequence[int]  # features with the largest loadings, where they are a list
    scores: np.ndarray  # of the samples in the strips, in hundredths of a standard deviation


def told(view: View, ks: Sequence[int]) -> dict[str, Any]:
    """Return the components at some k, their sentences, and the names of features where they are a list.

    What is as it was at the last look is not worked out again.
    """
    data, kept, key = view.data, cache.results(), view.key_of("told", view.choice.method)
    rows: dict[int, Row] = kept.get(key) or {}
    which = samples.drawn(data) if view.choice.strips else np.zeros(0, dtype=int)
    scored = {k for k in ks if len(which) and (k == view.k or len(which) * len(ks) <= SCORES)}
    for k in ks:
        state = *_state(view, k), k in scored
        if k in rows and rows[k].state == state:
            continue
        part = view.played[k].component
        support, loadings = part.support, part.loadings[part.support]
        levels = np.rint(loadings / (np.abs(loadings).max(initial=0.0) or 1.0) * ledger.STEPS)
        heavy = wording.heaviest(part)[:LISTED] if data.image_shape is None and data.axis is None else []
        scores = samples.scored(part, view)[which] if k in scored else np.zeros(0)
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
        "names": component.names(data, named),
    }


def sentence_at(view: View, k: int) -> str:
    """Return the sentence about the component at k."""
    part = view.played[k].component
    return sentence(part, view.known[k], view.data, view.total, view.cov.features, view.by_chance(k))


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
    """Return what the live run has told: its words, and while it goes on its place in the chart."""
    told = view.live
    if told is None:
        return {"says": ""}
    row = view.known.get(view.k, Known(view.k))
    words = proofs.live_words(told, view.total, rounded.digits(row.lower, row.upper, view.total))
    if told.ended or not told.found:
        return {"says": words}
    share, bounded = floor(told.found / view.total, DIGITS), bool(told.falls)
    upper = min(ceil(told.upper / view.total, DIGITS), 1.0) if bounded else None
    return {
        "says": words,
        "k": view.k,
        "share": share,
        "upper": upper,
        "gap": 1 - rounded.share(told.found, told.upper),
    }


def question(subject: Subject) -> str:
    """Return what the page is for, and what the picture answers, with the data's own words."""
    data = subject.data
    few = f"{'standardised ' if subject.standardise else ''}{component.noun(data)}"
    return f"Which few {few} vary together most? **{sanitize.plain(data.title)}**, {say.as_read(data)}."


def view(subject: Subject, choice: Choices, runs: Runs) -> View:
    """Return all that is known by now, from the ledger and from the runs of this page."""
    method = choice.method
    version = ledger.shared().version(subject.problem)  # before what it tells of
    curves: dict[str, dict[int, Component]] = {}
    for point in runs.others.results if runs.others is not None else ():
        curves.setdefault(point.method, {})[point.k] = point.component
    known = {**subject.along(choice.ks), subject.k: subject.at()}
    played = {k: row for k, row in known.items() if row.found or (row.bounded and k == subject.k)}
    if method != "best":
        part = None if runs.shown is None else runs.shown.result
        points = curves[method] = curves.get(method, {}) | ({} if part is None else {subject.k: part})
        played = {k: Known(k, (part,), part.variance) for k, part in points.items()}
    others = {name: curves.get(name, {}) for name in choice.others}
    extra = None if subject.k in choice.ks else subject.k
    asked = method, choice.methods, choice.ks, choice.strips, chance.at(subject, subject.k)
    found = subject.key_of("curve", version, asked, extra, *((name, *points) for name, points in curves.items()))
    return View(subject.data, subject.now, choice, known, played, others, proofs.live(runs.shown), found)


def render(shown: View, runs: Runs) -> None:
    """Show the player, which polls for news while a run of this view goes on."""
    here = session.current()
    going = runs.going()  # asked before their results are read, so that those of a finished one are complete
    unfollowed = [job for job in going if job in (runs.along, runs.others)]  # no progress bar draws the page at the end

    def path() -> bytes:
        now = view(shown, shown.choice, runs)
        return gzip.compress(json.dumps({**told(now, along(now)), "curve": curve(now)}).encode(), 1)

    address = here.offer("play", "path.json", path, "application/json", packed=True)
    whole = f"{address}?{canvas.sign(shown.found)}"  # asked for where the page has lost the curve
    once = {"address": whole} if here.had == whole else {"address": whole, "content": {"curve": curve(shown)}}
    here.had = whole

    def packed(shown: View, *, over: bool) -> dict[str, Any]:
        return payload(shown, address=address, note=_note(runs), going=not over, waits=runs.shown in going)

    def news(version: str) -> dict[str, Any] | None:
        """Return what is known now, of the path nothing where the player has it."""
        over = all([job.wait(0.0) for job in going])
        now = view(shown, shown.choice, runs)
        path, point = packed(now, over=over), live_point(now)
        sign = f"{path['signature']} {point['says']} {over}"
        if sign == version:
            return None
        known = {} if version.startswith(path["signature"]) else {**path, "curve": curve(now)}
        return {**known, "live": point, "version": sign, "over": over, "rerun": over and bool(unfollowed)}

    _mount(
        key="play",
        data={
            **packed(shown, over=not going),
            "once": once,
            "live": live_point(shown),
            "address": here.publish("play", news) if going else "",
            "every": round(1000 * POLL_SECONDS),
            "assignments": assignments(),
        },
        on_point_change=_choose,
        on_why_change=lambda: _press("why"),
        on_over_change=lambda: _press("over"),
        on_ended_change=lambda: canvas.keep_choices("play", "ended"),
    )


def _choose() -> None:
    """Show a k, and where it is a point of a curve the solver that found it."""
    if (point := canvas.sent("play", "point")) is not None:
        if "method" in point:
            session.current().at_rest = None
        assign(k=int(point["k"]), **{key: str(point[key]) for key in ("method",) if key in point})


def _press(key: str) -> None:
    """Ask why a feature is in the component, or for a sample over it; what was asked for is closed with -1."""
    at = canvas.sent("play", key)
    if at is not None:
        session.current().at_rest = None
        widgets.press(run.KEYS[key], None if at < 0 else int(at) + 1)


def _note(runs: Runs) -> str:
    """Say how far the run along k has come; once it has ended, that of the other solvers."""
    along = [job for job in (runs.along, runs.others) if job is not None]
    if problem := next((job.problem for job in along if job.problem), None):
        return problem
    going = [job for job in along if not job.done]
    return f"{going[0].stage} ({fixed(100 * min(going[0].progress.fraction, 1.0), 0)} %)" if going else ""
