"""The samples on the Explore page, as strips and one by one, and why a feature is included."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Component, Contribution, rounded, wording
from nnspca.result.component import heaviest
from nnspca.view import necessity, sanitize, say
from nnspca.view.figures.dataset import montage
from nnspca.view.link import canvas, state, widgets
from nnspca.view.subject import Subject
from nnspca.view.ui import charts, component, downloads

NEGLIGIBLE = 5e-5  # share of the variance that two digits of a percentage do not show
NAMED = 3  # features that a sentence names
PIXEL = re.compile(r"^row (\d+), column (\d+)$")
LIST = "why-rows"
LISTED = 2000  # features that are listed
ENDS = 12  # samples listed of either end
CLASSES = 9  # the largest classes have strips of their own
DRAWN = 5000  # most samples in the strips
KEYS = state.keys_of("explore")
COVARIANCE = {False: "covariance", True: "correlation"}  # what that of two features is called, if standardised


def short_name(data: Dataset, i: int) -> str:
    """Return what a feature is called in a sentence: a pixel by its row and column in brackets."""
    return PIXEL.sub(r"(\1, \2)", component.feature_names(data, [i])[i])


def feature_question(role: Contribution, data: Dataset) -> str:
    """Return the question about a feature."""
    name, one = short_name(data, role.feature), component.called(data).removesuffix("s")
    which = name if name.startswith(one) else f"{one} {name}"
    return f"Why is {which} {'not ' if role.loading == 0 else ''}included?"


def score(part: Component, data: Dataset, *, standardised: bool) -> str:
    """Say what a score is, with the data's own words."""
    noun, many = component.called(data), part.cardinality
    each = f"the component's {noun.removesuffix('s')}" if many == 1 else f"the component's {many:,} {noun}"
    far = " ÷ standard deviation" if standardised else ""
    return f"Score of a sample: loading × (value − mean){far}, summed over {each}."


def why_included(role: Contribution, part: Component, data: Dataset, *, standardised: bool) -> list[str]:
    """Say why a component has a feature, or has it not; every loss is rounded up, every gain down."""
    covariance = COVARIANCE[standardised]
    inside = role.loading != 0
    lines = [_with_the_rest(role, data, covariance)] if len(role.others) else []
    if inside:
        loading = rounded.fixed(role.loading, 3)
        lines.append(
            f"Terms with it make up {rounded.percent(role.held, 1)} of the variance (a term of two features counts for "
            f"both); its loading is {loading}."
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
        lines.append(
            f"As one more feature, it would add at least {rounded.percent(max(-role.loss, 0.0), 2)} of variance."
        )
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
        rounded.number(float(end)).replace("-", "−") for end in (role.covariances.min(), role.covariances.max())
    )
    across = f"{covariance} {least}" if many == 1 else f"{covariance}s {least} to {largest}"
    other, noun = "other " if role.loading else "", component.called(data)
    if many == 1:
        one = f"the component's {other or 'only '}{noun.removesuffix('s')}, {short_name(data, int(role.others[0]))}"
        return f"It {'rises' if with_it else 'does not rise'} with {one} ({across})."
    some = "all" if with_it == many else f"{with_it:,}" if with_it else "none"
    return f"It rises with {some} of the component's {many:,} {other}{noun} ({across}){names}."


def _lost(share: float) -> str:
    """Say a loss: at most so much, for better points than those found would lose less."""
    if share < -NEGLIGIBLE:
        return f"nothing, and gains at least {rounded.percent(-share, 2)}: the component is not optimal"
    return f"at most {rounded.percent(max(share, 0.0), 2, up=True)} of the variance"


def standard_scores(part: Component, subject: Subject) -> np.ndarray:
    """Return the score of each sample in standard deviations, shape (m,)."""
    scores = nnspca.scores(subject.data.X, part.loadings, mean="own", standardize=subject.standardise)
    return scores / (float(scores.std()) or 1.0)


def class_strips(part: Component, subject: Subject) -> dict[str, Any]:
    """Return what the player draws the strips of: the classes, the highest on top, and whose each sample is."""
    data, which, scores = subject.data, strip_samples(subject.data), standard_scores(part, subject)
    of = _largest(_class_names(data)) if data.labels is not None else np.array(["all samples"] * len(scores))
    kinds = sorted(set(of.tolist()), key=lambda kind: -scores[of == kind].mean())
    row = {kind: c for c, kind in enumerate(kinds)}
    return {
        "rows": kinds,
        "of": canvas.pack(np.array([row[kind] for kind in of[which].tolist()]), "u1"),
        "which": canvas.pack(which, "i4"),
        "names": data.sample_names and [sanitize.line(data.sample_names[s], sanitize.NAME) for s in which],
        "one": component.SAMPLES.get(data.kind, "sample"),
    }


def strip_samples(data: Dataset) -> np.ndarray:
    """Return the samples in the strips, spread evenly over those of large data."""
    m = data.X.shape[0]
    return np.unique(np.linspace(0, m - 1, min(DRAWN, m)).round().astype(int))


def over(sample: int, part: Component, data: Dataset) -> dict[str, Any]:
    """Return what the player draws of one sample over the component; of a list, how far each value is from its mean."""
    row = data.rows(np.array([sample]))[0]
    if data.image_shape is not None:
        return {"at": sample, "image": canvas.greys(row)}
    if data.axis is not None:
        return {"at": sample, "axis": canvas.pack(row, "f4")}
    away = (row - data.means) / np.where(data.deviations > 0, data.deviations, 1.0)
    return {"at": sample, "away": {int(i): round(float(away[i]), 1) for i in heaviest(part)[: component.NAMED]}}


def explain(feature: int, part: Component, subject: Subject) -> dict[str, Any]:
    """Return why a component has a feature, or has it not, with its covariances, and the code that finds it."""
    data, measure = subject.data, COVARIANCE[subject.standardise]
    role = nnspca.contribution(subject.cov, part, feature)
    reach = float(np.abs(role.covariances).max(initial=0.0))
    code = [
        *downloads.data_lines(subject.now),
        f"part = nnspca.solve(cov, {subject.k}, nonnegative={subject.nonnegative}, seed={subject.seed})",
        f"why = nnspca.contribution(cov, part, {feature})",
        "print(why.held, why.loss, why.partner, why.loss_exchanged)",
    ]
    coloured: dict[str, Any] = {"note": ""}
    if data.image_shape is not None or data.axis is not None:  # the bars of a list would change places
        note = f"In colour: its {measure}s with the others; full colour is {rounded.number(reach)}."
        both = {"support": canvas.pack(role.others, "i4"), "weights": canvas.pack(role.covariances, "f4")}
        coloured = {"note": note, **both}
    said = why_included(role, part, data, standardised=subject.standardise)
    return {"feature": feature, "asks": feature_question(role, data), "says": said, "code": "\n".join(code), **coloured}


def extremes(first: Component, subject: Subject) -> None:
    """Say what the scores tell apart, and list the samples at both ends."""
    data, scores = subject.data, standard_scores(first, subject)
    order = np.argsort(-scores.astype(np.float32), kind="stable")  # ties in their own order
    classes, top = _class_names(data), order[0]
    said = say.separation(data, scores[:, None])
    said = said or f"Sample {top + 1:,} scores highest: {rounded.fixed(scores[top], 1)} standard deviations."
    st.markdown(sanitize.plain(f"{said} {score(first, data, standardised=subject.standardise)}"))
    ends = ("The highest scores", order[:ENDS]), ("The lowest scores", order[ENDS:][-ENDS:])
    for place, (title, which) in zip(st.columns(2), ends, strict=True):
        if not len(which):
            continue
        place.markdown(f"**{title}**")
        if data.image_shape is not None:
            with place:
                charts.picture(montage(data.rows(which), data.image_shape), f"{title}: {len(which)} samples.")
        place.dataframe(
            [
                {"sample": int(s) + 1}
                | ({"name": sanitize.line(data.sample_names[s], sanitize.NAME)} if data.sample_names else {})
                | ({"class": classes[s]} if classes else {})
                | {"score (standard deviations)": round(float(scores[s]), 2)}
                for s in which
            ],
            hide_index=True,
            alt=title,
        )


def sampling_error(part: Component, subject: Subject) -> str:
    """Say how far the samples leave a component's variance open: by the fourth moment of their scores, an estimate."""
    scores = standard_scores(part, subject)
    error = 1.96 * float(np.sqrt(max((scores**4).mean() - 1, 0.0) / len(scores)))
    return (
        f"Its variance is uncertain by **± {rounded.fixed(100 * error, 0, up=True)} %** (95 % interval, estimated from "
        f"the scores of these {len(scores):,} samples). It was chosen on them: new samples tend to give less."
    )


def feature_list(part: Component, subject: Subject) -> None:
    """List the features, the component's own first; a press asks why one is there; offer the indispensable ones."""
    order = np.argsort(-np.abs(part.loadings), kind="stable")[:LISTED].tolist()
    names, x = component.feature_names(subject.data, order), part.loadings[order]
    half = int(np.searchsorted(np.cumsum(x**2), 0.5 * (x @ x))) + 1

    def ask() -> None:
        for row in st.session_state[LIST].selection.rows:
            widgets.set_value(KEYS["why"], order[row] + 1)

    st.markdown(
        f"**{sanitize.plain(names[order[0]])}** has the largest loading, {rounded.fixed(x[0], 3)}; {half:,} of "
        f"{part.cardinality:,} make half of the sum of squares. Press one of the {component.called(subject.data)} here "
        "or in the picture: why is it included, or not?"
    )
    rows = [{"feature": names[i], "loading": round(float(part.loadings[i]), 4)} for i in order]
    st.dataframe(rows, hide_index=True, key=LIST, on_select=ask, selection_mode="single-row", alt="Features, loadings.")
    st.divider()
    necessity.panel(subject.only(part), subject)


def _largest(classes: list[str]) -> np.ndarray:
    """Return the class of each sample, all but the largest few as one."""
    counts = Counter(classes).most_common()
    shown = {name for name, _ in counts[: CLASSES if len(counts) > CLASSES + 1 else None]}
    rest = f"{len(counts) - len(shown)} smaller classes"
    return np.array([name if name in shown else rest for name in classes])


def _class_names(data: Dataset) -> list[str]:
    if data.labels is None:
        return []
    name_of_class = {c: say.class_name(data, c) if c >= 0 else "no class" for c in set(data.labels.tolist())}
    return [name_of_class[c] for c in data.labels.tolist()]
