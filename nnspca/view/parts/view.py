"""What the Parts page shows: one value that all its parts read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from nnspca.result import Components, PartsCertificate
from nnspca.view import cache, chance
from nnspca.view.certificate import proofs
from nnspca.view.chance import Chance
from nnspca.view.jobs import Job
from nnspca.view.ledger import Known
from nnspca.view.parts.choices import BEST, KEYS, Choices
from nnspca.view.parts.work import part_key
from nnspca.view.subject import TOGETHER, Subject


@dataclass(frozen=True, eq=False)
class View(Subject):
    """What the page shows: one value that every part of it reads."""

    choice: Choices
    rows: Mapping[int, Known]  # what the ledger knows of each number of parts
    results: Mapping[str, Components]  # the parts by way
    done: bool  # whether no run of them goes on

    @property
    def best(self) -> Known:
        """What is known of so many parts as are asked for."""
        return self.rows[self.choice.r]

    @property
    def lead(self) -> Components | None:
        """The parts that the page is about."""
        return self.results.get(self.choice.lead)

    @cached_property
    def by_chance(self) -> list[Chance]:
        """What chance gives beside each of so many parts found one after the other; empty where it is not known."""
        return chance.parts_at(self, self.choice.r)

    @cached_property
    def proof(self) -> PartsCertificate | None:
        """The tightest certificate that runs have made of the best parts known; None before."""
        tight, known = proofs.certificate_of_parts(self, self.choice.r), self.best
        if tight is None or not self.choice.disjoint:
            return None
        better = known.lower > tight.lower
        return replace(tight, parts=tuple(known.components), lower=known.lower) if better else tight


def view_of(subject: Subject, choice: Choices, jobs: Sequence[Job | None], *, done: bool) -> View:
    """Return all that is known by now: from the ledger, runs of any visit, and this page's, stopped ones too."""
    rows = subject.known_parts(range(1, int(KEYS["r"].high or 1) + 1))
    known, came = rows[choice.r], dict[str, Components]()
    for way in choice.ways:
        if (parts := cache.results().get(part_key(subject, choice, way))) is not None:
            came[way] = parts
    for job in jobs:
        came |= dict(job.results) if job is not None else {}
    live = came.get(choice.lead)
    if choice.best and known.found and (live is None or math.fsum(live.variances) < known.lower):
        best = tuple(known.components)
        sums = np.cumsum([part.variance for part in best])
        came[choice.lead] = Components(best, sums, subject.total, BEST, TOGETHER, best[0].nonnegative)
    results = {way: came[way] for way in choice.ways if way in came}
    return View(subject.data, subject.now, choice, rows, results, done)
