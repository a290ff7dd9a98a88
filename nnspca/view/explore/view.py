"""What the Explore page shows: one value that all its parts read, and the sentence about a component."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Component, rounded
from nnspca.result.chance import TIE
from nnspca.result.component import Features, clause
from nnspca.view import cache, chance, ledger, sanitize, say
from nnspca.view.certificate import proofs
from nnspca.view.chance import Chance
from nnspca.view.explore.choices import Choices
from nnspca.view.figures import band
from nnspca.view.jobs import Job
from nnspca.view.ledger import Known
from nnspca.view.link import state
from nnspca.view.subject import Subject, band_of
from nnspca.view.ui import component

NAMED = 4  # maximum number of features named in a sentence


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
        which = sanitize.line(clause(dataclasses.replace(part, features=features), NAMED))
        these = f"This {noun.removesuffix('s')}, 1 of {n:,}," if used == 1 else f"These {text}"
        text = f"{which}. {these}"
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
    return f"{text}. {say.nearness(part.variance, known.upper, total, known.source)}{fewer}"


@dataclass(frozen=True, eq=False)
class View(Subject):
    """What the page shows: one value that every part of it reads."""

    choice: Choices
    known: Mapping[int, Known]  # what the ledger knows at each k
    played: Mapping[int, Known]  # of those with a component: the best known, or those of another solver
    others: Mapping[str, Mapping[int, Component]] = field(default_factory=dict)  # the curves of other solvers
    live: proofs.Live | None = None  # how the run for the k that is shown stands
    found: Hashable = ()  # what changes with each find about the curve: what is made of it is kept by this

    @cached_property
    def part(self) -> Component | None:
        """The component that is shown."""
        return self.played[self.k].component if self.k in self.played else None

    def by_chance(self, k: int) -> Chance | None:
        """Return what chance gives beside the component at k; None where it is not known."""
        return chance.chance_at(self, k) if nnspca.METHODS[self.choice.method].feasible else None

    def context(self, k: int) -> str:
        """Say what the share of the component at k is to be compared with."""
        n, total = self.data.n_features, self.total
        whole = self.known.get(n, Known(n))
        share = rounded.percent(whole.lower / total, rounded.decimals(whole.lower, whole.upper, total))
        return chance.comparisons(self.by_chance(k), n, k, share if whole.found else "", component.called(self.data))

    def made(self, what: str, make: Callable[[Component], Any], *about: Hashable) -> Any:
        """Return what is made of the component that is shown, once for each find; None where there is none."""
        if (part := self.part) is None:
            return None
        return cache.results().find(self.key(what, self.found, *about), lambda: make(part))

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
    curve: Job | None  # along k
    others: Job | None  # of other solvers' curves
    longer: Job | None  # of a longer proof

    def going(self) -> list[Job]:
        """Return the runs that are not done."""
        return [job for job in vars(self).values() if job is not None and not job.done]

    @property
    def at_rest(self) -> bool:
        """Whether none goes on, and none has left word below the picture."""
        ended = self.longer or (self.shown and (self.shown.problem or self.shown.stopped))
        return not (ended or self.going())


def sentence_at(view: View, k: int) -> str:
    """Return the sentence about the component at k."""
    part = view.played[k].component
    return sentence(part, view.known[k], view.data, view.total, view.cov.features, view.by_chance(k))


def about_page(subject: Subject) -> str:
    """Return what the page is for, and what the picture answers, with the data's own words."""
    data = subject.data
    few = f"{'standardised ' if subject.standardise else ''}{component.called(data)}"
    return f"Which few {few} vary together most? **{sanitize.plain(data.title)}**, {say.as_read(data)}."


def view_of(subject: Subject, choice: Choices, runs: Runs) -> View:
    """Return all that is known by now, from the ledger and from the runs of this page."""
    method = choice.method
    version = ledger.shared().version(subject.problem)  # before what it tells of
    curves: dict[str, dict[int, Component]] = {}
    for point in runs.others.results if runs.others is not None else ():
        curves.setdefault(point.method, {})[point.k] = point.component
    known = {**subject.known_along(choice.ks), subject.k: subject.known_at()}
    played = {k: row for k, row in known.items() if row.found or (row.bounded and k == subject.k)}
    if method != "best":
        part = None if runs.shown is None else runs.shown.result
        points = curves[method] = curves.get(method, {}) | ({} if part is None else {subject.k: part})
        played = {k: Known(k, (part,), part.variance) for k, part in points.items()}
    others = {name: curves.get(name, {}) for name in choice.others}
    extra = None if subject.k in choice.ks else subject.k
    asked = method, choice.methods, choice.ks, choice.strips, chance.chance_at(subject, subject.k)
    found = subject.key_of("curve", version, asked, extra, *((name, *points) for name, points in curves.items()))
    return View(subject.data, subject.now, choice, known, played, others, proofs.live(runs.shown), found)
