"""What the samples page says in plain words: what a score is, how well it tells classes apart, why a feature is in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnspca.datasets import Dataset
from nnspca.result import Component, Contribution
from nnspca.view import foreign, words
from nnspca.view.explore.samples.run import Lie
from nnspca.view.session import scene

PURPOSE = "What does the part say about the samples?"
FEWEST = 5  # samples of a class about which a share of pairs is worth a sentence
CHANCE = 0.6  # below this share of pairs the score tells next to nothing
NEGLIGIBLE = 5e-5  # share of the variance that two digits of a percentage do not show
NAMED = 3  # features that a sentence names


def class_name(data: Dataset, c: int) -> str:
    """Return the name of a class, or its number where it has none; a bare number is said to be a class."""
    name = foreign.line(str(data.label_names[c]), foreign.NAME) if c < len(data.label_names) else str(c)
    return f"class {name}" if name.replace(".", "").isdigit() else name


def feature_name(data: Dataset, i: int) -> str:
    """Return what a feature is called, as one line."""
    return foreign.line(str(data.feature_names[i]), foreign.NAME)


def question(told: Contribution, data: Dataset, *, example: bool) -> str:
    """Return the question about a feature."""
    name, one = feature_name(data, told.feature), scene.noun(data).removesuffix("s")
    which = name if name.startswith(one) else f"the {one} {name}"
    ending = " (the largest loading; ask about another)" if example else ""
    return f"Why {'not ' if told.loading == 0 else ''}{which}?{ending}"


def score(part: Component, data: Dataset, *, standardised: bool) -> str:
    """Say what a score is, with the data's own words."""
    noun, many = scene.noun(data), part.cardinality
    each = f"the part's one {noun.removesuffix('s')}" if many == 1 else f"each of the part's {many:,} {noun}"
    far = "how many standard deviations" if standardised else "how far"
    return f"The score adds up, for {each}, {far} it lies above its average, times its loading."


def told_apart(data: Dataset, lie: Lie) -> str:
    """Say how well the score alone tells the classes apart: the share of pairs in which it does, rounded down."""
    if data.labels is None:
        return ""
    counts = np.bincount(data.labels[data.labels >= 0], minlength=len(lie.apart))
    present = np.flatnonzero(counts).tolist()
    if len(present) < 2:
        one = class_name(data, present[0]) if present else ""
        return f"All samples are of one class, {one}." if present else "No sample has a class."
    able = [c for c in present if min(counts[c], counts.sum() - counts[c]) >= FEWEST]
    if not able:
        return f"{len(present)} classes, but too few samples of each to say how well the score tells them apart."
    areas = {c: lie.apart[c] or 0.0 for c in able}
    best = max(areas, key=lambda c: abs(areas[c] - 0.5))
    area, name = areas[best], class_name(data, best)
    others = class_name(data, next(c for c in present if c != best)) if len(present) == 2 else "all others"
    pairs, higher = words.percent(max(area, 1 - area)).removesuffix(" %"), "higher" if area >= 0.5 else "lower"
    if max(area, 1 - area) < CHANCE:
        hardly = "The score alone hardly tells the classes apart"
        return f"{hardly}: {name} from {others} in {pairs} of 100 pairs; chance gives 50."
    which = "" if len(present) == 2 else f", the best told of {len(present)} classes"
    return f"Score alone tells {name} from {others} in {pairs} of 100 pairs{which}: {name} scores {higher}."


def measure(standardised: bool) -> str:
    """Return what is shown of two features: of standardised ones, it is their correlation.

    >>> measure(True)
    'correlation'
    """
    return "correlation" if standardised else "covariance"


def area(value: float) -> str:
    """Return an area under the curve, rounded toward one half: towards telling nothing.

    >>> area(0.998), area(0.0021), area(0.5)
    ('0.99', '0.01', '0.50')
    """
    return words.at_least(value, 2) if value >= 0.5 else words.at_most(value, 2)


def why(told: Contribution, part: Component, data: Dataset, *, standardised: bool) -> list[str]:
    """Say why a component has a feature, or has it not; every loss is rounded up, every gain down."""
    covariance = measure(standardised)
    inside = told.loading != 0
    said = [_with_the_rest(told, data, covariance)] if len(told.others) else []
    if inside:
        loading = words.fixed(told.loading, 3)
        said.append(f"{_percent(told.held)} of the part's variance goes through it; its loading is {loading}.")
        if len(told.others):
            said.append(f"Without it, the others' loadings adapted, the part would lose {_lost(told.loss)}.")
        else:
            said.append("It is the whole part: without it nothing is left.")
        if told.partner is not None:
            other, lost = feature_name(data, told.partner), _lost(told.loss_exchanged)
            as_much = told.loss > NEGLIGIBLE and lost == _lost(told.loss)
            said.append(
                f"With the best stand-in found, {other}, the part would lose "
                + ("as much: nothing that was tried can make up for it." if as_much else f"{lost}.")
            )
        elif part.cardinality < data.n_features:
            said.append("No other feature tried could stand in for it with a loading of its own.")
        return said
    if told.pull <= 0 and part.nonnegative:
        said.append("It falls where the part rises, or does not vary with it: among nonnegative loadings it gets none.")
    elif -told.loss > NEGLIGIBLE:
        said.append(f"As one feature more than the part has, it would add {_gain(-told.loss)} of variance.")
    else:
        said.append("Even as one feature more than the part has, it would add next to nothing.")
    if told.partner is not None:
        other, lost = feature_name(data, told.partner), _lost(told.loss_exchanged)
        said.append(f"In the place of {other}, the cheapest exchange found, the part would lose {lost}.")
    return said


def _with_the_rest(told: Contribution, data: Dataset, covariance: str) -> str:
    """Say with how many of the others it varies, and with which most."""
    with_it = int((told.covariances > 0).sum())
    most = told.others[np.argsort(-np.abs(told.covariances), kind="stable")[:NAMED]]
    names = _listed([feature_name(data, int(i)) for i in most])
    least, largest = (
        words.number(float(end)).replace("-", "−") for end in (told.covariances.min(), told.covariances.max())
    )
    across = f"{covariance} {least}" if len(most) == 1 else f"{covariance}s {least} to {largest}"
    others = f"{len(told.others):,} {'other ' if told.loading else ''}{scene.noun(data)}"
    return f"It rises with {with_it:,} of the part's {others} ({across}), most with {names}."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _percent(share: float) -> str:
    return f"{words.fixed(100 * share, 1)} %"


def _lost(share: float) -> str:
    """Say a loss: at most so much, for better points than those found would lose less."""
    if share < -NEGLIGIBLE:
        return f"nothing, but gain {_gain(-share)}: the solver stopped short of the best"
    return f"at most {words.at_most(max(100 * share, 0.0), 2)} % of its variance"


def _gain(share: float) -> str:
    return f"at least {words.at_least(max(100 * share, 0.0), 2)} %"
