"""What is said of samples and features: what a score is, how well it separates classes, why a feature is in."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from nnspca.datasets import Dataset
from nnspca.result import Component, Contribution, wording
from nnspca.view import sanitize, words
from nnspca.view.ui import component

FEWEST = 5  # samples of a class about which a share of pairs is worth a sentence
CHANCE = 0.6  # below this share of pairs the score tells next to nothing
NEGLIGIBLE = 5e-5  # share of the variance that two digits of a percentage do not show
NAMED = 3  # features that a sentence names
PIXEL = re.compile(r"^row (\d+), column (\d+)$")


def class_name(data: Dataset, c: int) -> str:
    """Return the name of a class, or its number where it has none; a bare number is said to be a class."""
    name = sanitize.line(str(data.label_names[c]), sanitize.NAME) if c < len(data.label_names) else str(c)
    return f"class {name}" if name.replace(".", "").isdigit() else name


def feature_name(data: Dataset, i: int) -> str:
    """Return what a feature is called, as one line."""
    return sanitize.line(str(data.feature_names[i]), sanitize.NAME)


def short_name(data: Dataset, i: int) -> str:
    """Return what a feature is called in a sentence: a pixel by its row and column in brackets."""
    return PIXEL.sub(r"(\1, \2)", feature_name(data, i))


def question(role: Contribution, data: Dataset, *, example: bool) -> str:
    """Return the question about a feature."""
    name, one = short_name(data, role.feature), component.noun(data).removesuffix("s")
    which = name if name.startswith(one) else f"{one} {name}"
    ending = " (the largest loading)" if example else ""
    return f"Why is {which} {'not ' if role.loading == 0 else ''}included?{ending}"


def score(part: Component, data: Dataset, *, standardised: bool) -> str:
    """Say what a score is, with the data's own words."""
    noun, many = component.noun(data), part.cardinality
    each = f"the component's {noun.removesuffix('s')}" if many == 1 else f"the component's {many:,} {noun}"
    far = " ÷ standard deviation" if standardised else ""
    return f"Score of a sample: loading × (value − mean){far}, summed over {each}."


def told_apart(data: Dataset, apart: Sequence[float | None]) -> str:
    """Say how well the score alone tells the classes apart, rounded down.

    ``apart`` is the area under the curve of each class against all others.
    """
    if data.labels is None:
        return ""
    counts = np.bincount(data.labels[data.labels >= 0], minlength=len(apart))
    present = np.flatnonzero(counts).tolist()
    if len(present) < 2:
        one = class_name(data, present[0]) if present else ""
        return f"All samples are of one class, {one}." if present else "No sample has a class."
    able = [c for c in present if min(counts[c], counts.sum() - counts[c]) >= FEWEST]
    if not able:
        return f"{len(present)} classes, but too few samples of each to say how well the score separates them."
    areas = {c: apart[c] or 0.0 for c in able}
    best = max(areas, key=lambda c: abs(areas[c] - 0.5))
    area, name = areas[best], class_name(data, best)
    others = class_name(data, next(c for c in present if c != best)) if len(present) == 2 else "all others"
    shown, higher = words.at_least(max(area, 1 - area), 2), "higher" if area >= 0.5 else "lower"
    if max(area, 1 - area) < CHANCE:
        best_one = f"best {name}, which scores {higher} (AUC {shown}; chance gives 0.50)"
        return f"The score hardly separates the classes: {best_one}."
    which = f" from {others}" if len(present) == 2 else f" best of {len(present)} classes"
    return f"The score separates {name}{which} (AUC {shown}): {name} scores {higher}."


def measure(standardised: bool) -> str:
    """Return what is shown of two features: of standardised ones, it is their correlation.

    >>> measure(True)
    'correlation'
    """
    return "correlation" if standardised else "covariance"


def why(role: Contribution, part: Component, data: Dataset, *, standardised: bool) -> list[str]:
    """Say why a component has a feature, or has it not; every loss is rounded up, every gain down."""
    covariance = measure(standardised)
    inside = role.loading != 0
    lines = [_with_the_rest(role, data, covariance)] if len(role.others) else []
    if inside:
        loading = words.fixed(role.loading, 3)
        lines.append(
            f"Terms with it make up {words.fixed(100 * role.held, 1)} % of the variance (a term of two features counts "
            f"for both); its loading is {loading}."
        )
        if len(role.others):
            lines.append(f"Removing it costs {_lost(role.loss)}.")
        else:
            lines.append("It is the whole component.")
        if role.partner is not None:
            other, lost = short_name(data, role.partner), _lost(role.loss_exchanged)
            as_much = role.loss > NEGLIGIBLE and lost == _lost(role.loss)
            lines.append(
                f"Replacing it by the best substitute found, {other}, costs " + ("as much." if as_much else f"{lost}.")
            )
        elif part.cardinality < data.n_features:
            lines.append("No other feature that was tried can replace it.")
        return lines
    if role.pull <= 0 and part.nonnegative:
        lines.append("Its covariance with the component is not positive, so its best nonnegative loading is zero.")
    elif -role.loss > NEGLIGIBLE:
        lines.append(f"As one more feature, it would add {_gain(-role.loss)} of variance.")
    else:
        lines.append("As one more feature, it would add next to nothing.")
    if role.partner is not None:
        other, lost = short_name(data, role.partner), _lost(role.loss_exchanged)
        lines.append(f"Putting it in place of {other}, the cheapest exchange found, costs {lost}.")
    return lines


def _with_the_rest(role: Contribution, data: Dataset, covariance: str) -> str:
    """Say with how many of the others it covaries, and with which most."""
    many, with_it = len(role.others), int((role.covariances > 0).sum())
    most = role.others[np.argsort(-role.covariances, kind="stable")[: min(NAMED, with_it)]]
    names = f", most with {wording.listed([short_name(data, int(i)) for i in most])}" if with_it and many > 1 else ""
    least, largest = (
        words.number(float(end)).replace("-", "−") for end in (role.covariances.min(), role.covariances.max())
    )
    across = f"{covariance} {least}" if many == 1 else f"{covariance}s {least} to {largest}"
    other, noun = "other " if role.loading else "", component.noun(data)
    if many == 1:
        one = f"the component's {other or 'only '}{noun.removesuffix('s')}, {short_name(data, int(role.others[0]))}"
        return f"It {'rises' if with_it else 'does not rise'} with {one} ({across})."
    some = "all" if with_it == many else f"{with_it:,}" if with_it else "none"
    return f"It rises with {some} of the component's {many:,} {other}{noun} ({across}){names}."


def _lost(share: float) -> str:
    """Say a loss: at most so much, for better points than those found would lose less."""
    if share < -NEGLIGIBLE:
        return f"nothing, and gains {_gain(-share)}: the component is not optimal"
    return f"at most {words.at_most(max(100 * share, 0.0), 2)} % of the variance"


def _gain(share: float) -> str:
    return f"at least {words.at_least(max(100 * share, 0.0), 2)} %"
