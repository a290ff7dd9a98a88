"""What chance gives beside an answer: stored for data that come with the package, live for smaller ones, else asked."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import nnspca
from nnspca.covariance.samples import DENSE_FEATURES
from nnspca.result import rounded
from nnspca.result.chance import LEVEL, chance_opening
from nnspca.view import cache, running
from nnspca.view.jobs import Job
from nnspca.view.running import Button
from nnspca.view.stored import Problem
from nnspca.view.subject import Subject

FILE = Path(__file__).with_name("chance.json")
DRAWS = 20
LIGHT = "greedy"  # of several parts, and of many features, for the data and for shuffled columns
UNASKED_NUMBERS = 10**6  # numbers of one's own data up to which columns are shuffled unasked
QUICK = {"restarts": 4, "leaders": 2}  # takes a third of the time of the full search, and finds 0 to 0.2 % less


class Chance(NamedTuple):
    """A share of the total variance beside that which shuffled columns reach, by the same search."""

    observed: float
    reach: float  # their 95 % quantile
    p: float = 0.0  # 0 between two k that are stored: not known
    light: bool = False  # whether the search is lighter than the one that found the component

    @property
    def is_more(self) -> bool:
        """Whether it is more than chance."""
        return self.p <= LEVEL if self.p else self.observed > self.reach


def search_options(n: int, r: int = 1) -> dict[str, Any]:
    """Return how the app searches data of n features, and shuffled columns, for a component or r parts."""
    return {"draws": DRAWS, **(QUICK if r == 1 and n <= DENSE_FEATURES else {"method": LIGHT})}


@functools.cache
def chances() -> dict[Problem, Mapping[str, Any]]:
    """Return what is stored of each problem: rows along k of the opening path, and by number of parts."""
    return {(of["hash"], of["standardise"], of["nonnegative"]): of for of in json.loads(FILE.read_text("utf-8"))}


def chance_at(subject: Subject, k: int) -> Chance | None:
    """Return what chance gives beside the component of k; None where it is not known.

    Between two k that are stored, the data reach at least what they do at the smaller one, and shuffled columns at most
    what they do at the larger one.
    """
    if (held := chances().get(subject.problem)) is not None:
        light, rows = held["light"], held["ks"]
        low, high = (row for row in rows if row[0] <= k), [row for row in rows if row[0] >= k]
        _, observed, _, p = max(low)
        return Chance(observed, high[0][2], p if high[0][0] == k else 0.0, light) if high else None
    return next(iter(parts_at(subject, 1, k)), None)


def parts_at(subject: Subject, r: int, k: int | None = None) -> list[Chance]:
    """Return what chance gives beside each of r parts found one after the other; none where it is not known."""
    held, k = chances().get(subject.problem), k or subject.k
    if held is not None and held["parts"] and k == held["k"]:
        return [Chance(o, q, p, light=True) for _, o, q, p in held["parts"][:r]]
    found = cache.results().get(subject.key_of("chance", subject.seed, k, r))
    if found is None or not found.draws:
        return []
    columns = (np.atleast_1d(each).tolist() for each in (found.observed, found.quantile(), found.p_value))
    return [Chance(o, q, p, found.method == LIGHT) for o, q, p in zip(*columns, strict=True)]


def is_known(subject: Subject, r: int = 1) -> bool:
    """Tell whether nothing is left to shuffle: it is known what chance gives, or there are no samples."""
    return subject.data.kind == "covariance" or bool(parts_at(subject, r)) or (r == 1 and subject.problem in chances())


def follow_chance(subject: Subject, after: Job | None, r: int = 1) -> None:
    """Shuffle the columns where it is not known, unasked or by a button, and draw the page again once that is done."""
    if is_known(subject, r):
        return
    key, how = subject.key_of("chance", subject.seed, subject.k, r), search_options(subject.data.n_features, r)
    made = subject.task("chance", key, nnspca.parallel_analysis, subject.k, r, **how)
    made = dataclasses.replace(made, after=after, background=True)
    about = f"Shuffle each column by itself {DRAWS} times, and search again: how much does chance explain?"
    if subject.data.X.shape[0] * subject.data.n_features <= UNASKED_NUMBERS and subject.problem not in chances():
        job: Job | None = running.join_or_begin(made)
    else:
        job = running.offer(made, Button("Compare with chance", about, ":material/shuffle:"))
    if job is not None:
        running.follow_to_end(job, "Stopped: what chance gives is not known.")


def above_chance(known: Sequence[Chance]) -> int:
    """Return how many parts are more than chance before the first that is not."""
    return next((c for c, part in enumerate(known) if not part.is_more), len(known))


def of_parts(known: Sequence[Chance]) -> tuple[str, str]:
    """Return a first sentence where no part is more than chance, else a last one that says how many are.

    >>> of_parts([Chance(0.3, 0.1, 0.05), Chance(0.1, 0.2, 0.5)])
    ('', 'Shuffled columns reach 10 % at part 1; part 2 is no more than chance (p = 0.5).')
    """
    count = above_chance(known)
    if not known:
        return "", ""
    if not count:
        return first(known[0], 2), ""
    way = " by a lighter search" * known[0].light
    text = f"Shuffled columns reach {rounded.percent(known[0].reach, up=True)} at part 1{way}"
    if count < len(known):
        return "", f"{text}; part {count + 1} is no more than chance (p = {known[count].p:.2g})."
    return "", f"{text}{f', and less than each of the {count} parts' * (count > 1)}."


def first(known: Chance | None, k: int) -> str:
    """Return the sentence that goes before all others where an answer is no more than chance; else an empty one."""
    if known is None or k == 1 or known.is_more:
        return ""
    value = f" (p = {known.p:.2g}: how often independent columns would)" if known.p else ""
    return f"{chance_opening(known.reach)}{' by a lighter search' * known.light}{value}."


def comparisons(known: Chance | None, n: int, k: int, whole: str, noun: str) -> str:
    """Return what a share is to be compared with: the ``whole``, shuffled columns, and one feature on average.

    >>> comparisons(Chance(0.049, 0.019), 625, 40, "22.16 %", "pixels")
    'For scale: all 625 pixels together reach 22.16 %, shuffled columns 1.9 %, one pixel 0.16 % on average.'
    """
    several = f"all {n:,} {noun} together reach {whole}, " if whole and k < n else ""
    shuffled = ""
    if known is not None and k > 1 and known.is_more:
        shuffled = f"shuffled columns {rounded.percent(known.reach, up=True)}{' by a lighter search' * known.light}, "
    return f"For scale: {several}{shuffled}one {noun.removesuffix('s')} {rounded.percent(1 / n)} on average."
