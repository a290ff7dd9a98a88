"""The samples on the Explore page: their scores, those picked in the figures, and why a feature is included."""

from __future__ import annotations

import re

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Component, Contribution, rounded, wording
from nnspca.view import sanitize, say, session
from nnspca.view.explore import figures
from nnspca.view.figures.dataset import curves, montage
from nnspca.view.link import state, widgets
from nnspca.view.subject import Subject
from nnspca.view.ui import charts, component, downloads

NEGLIGIBLE = 5e-5  # share of the variance that two digits of a percentage do not show
NAMED = 3  # features that a sentence names
PIXEL = re.compile(r"^row (\d+), column (\d+)$")
TITLE = "Who scores high, and why is a feature used?"
PICKER = "why-picker"
LISTED = 2000  # features up to which all can be asked about by name
ENDS = 12  # samples shown of either end, and at most so many of those picked
KEYS = state.keys_of("explore")


def short_name(data: Dataset, i: int) -> str:
    """Return what a feature is called in a sentence: a pixel by its row and column in brackets."""
    return PIXEL.sub(r"(\1, \2)", component.names(data, [i])[i])


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


def measured_as(standardised: bool) -> str:
    """Return what is shown of two features: of standardised ones, it is their correlation.

    >>> measured_as(True)
    'correlation'
    """
    return "correlation" if standardised else "covariance"


def why(role: Contribution, part: Component, data: Dataset, *, standardised: bool) -> list[str]:
    """Say why a component has a feature, or has it not; every loss is rounded up, every gain down."""
    covariance = measured_as(standardised)
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
    other, noun = "other " if role.loading else "", component.noun(data)
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


def scored(part: Component, subject: Subject) -> np.ndarray:
    """Return the score of each sample in standard deviations, shape (m,)."""
    scores = nnspca.scores(subject.data.X, part.loadings, mean="own", standardize=subject.standardise)
    return scores / (float(scores.std()) or 1.0)


def panel(first: Component, subject: Subject) -> None:
    """Show the samples by their scores, those that are picked, and why a feature is in the component."""
    data = subject.data
    if data.kind == "covariance":
        st.info(
            "These data are a covariance matrix: there are no samples, and so no scores. "
            "You can still ask why a feature is included.",
            icon=":material/table:",
        )
    else:
        scores = scored(first, subject)
        apart = say.told_apart(data, scores[:, None])
        st.markdown(sanitize.plain(f"{apart} {score(first, data, standardised=subject.standardise)}".strip()))
        st.fragment(_scores)(scores, data)
    _why(first, subject)
    if data.kind != "covariance":
        st.code(_code(subject), language="python", wrap_lines=True)


def _scores(scores: np.ndarray, data: Dataset) -> None:
    """Draw the scores; show the samples that are picked in the figure, or those at both ends."""
    classes, order = (
        _class_names(data),
        np.argsort(-scores.astype(np.float32), kind="stable"),
    )  # ties in their own order
    names = data.sample_names or [f"sample {s + 1}" for s in range(len(scores))]
    figure = figures.strips(scores, classes, [sanitize.line(name, sanitize.NAME) for name in names], charts.palette())
    event = charts.figure(figure, "samples-strips", on_select="rerun", selection_mode=("points", "box", "lasso"))
    picked = {int(point["customdata"][0]) - 1 for point in event["selection"]["points"]}
    if not picked:
        st.caption("Drag across points to pick samples, or click one.")
        _shown("The highest scores", order[:ENDS], scores, data, "highest")
        _shown("The lowest scores", order[ENDS:][-ENDS:], scores, data, "lowest")
        return
    inside = order[np.isin(order, list(picked))]
    of_class = [classes[s] for s in inside] if classes else []
    counts = ", ".join(f"{sanitize.plain(name)} {of_class.count(name):,}" for name in dict.fromkeys(of_class))
    st.markdown(f"**Picked: {len(inside):,} of {len(order):,} samples.** {counts}")
    _shown("The highest scores of those picked", inside[:ENDS], scores, data, "picked")


def _shown(title: str, which: np.ndarray, scores: np.ndarray, data: Dataset, key: str) -> None:
    """Show a few samples: images as images, spectra as curves, the rest by name, class and score."""
    if not len(which):
        return
    st.markdown(f"**{title}**")
    if data.image_shape is not None:
        png = montage(data.rows(which), data.image_shape, columns=len(which))
        charts.picture(png, f"{title}: {len(which)} samples, side by side.")
    elif data.axis is not None:
        charts.figure(curves(data.rows(which), data.axis, charts.palette()), f"samples-{key}")
    else:
        classes = _class_names(data)
        st.dataframe(
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


def _why(part: Component, subject: Subject) -> None:
    """Say why the feature that is asked about is in the component, or the one with the largest loading."""
    data = subject.data
    here = session.current()
    if here.samples_of not in (None, data.content_hash):  # other data have other features
        widgets.press(KEYS["why"], None)
    here.samples_of = data.content_hash
    asked = widgets.pressed(KEYS["why"], high=data.n_features)
    feature = None if asked is None else int(asked) - 1
    _picker(part, feature, data)
    which = int(np.abs(part.loadings).argmax()) if feature is None else feature
    role = nnspca.contribution(subject.cov, part, which)
    said = why(role, part, data, standardised=subject.standardise)
    st.markdown(
        f"**{sanitize.plain(question(role, data, example=feature is None))}**\n\n"
        + "\n".join(f"- {sanitize.plain(line)}" for line in said)
    )
    weights, itself = np.zeros(data.n_features), np.zeros(data.n_features, dtype=bool)
    weights[role.others], itself[role.feature] = role.covariances, True
    measure = measured_as(subject.standardise)
    most, noun = rounded.number(float(np.abs(weights).max())), component.noun(data)
    note = f"Its {measure}s with the component's other {noun}: full colour is {most}. Framed: the feature itself."
    layer = component.Layer(weights, sure=itself)
    component.show([layer], data, "why-picture", what=measure, note=note, focus=here.asked)


def _picker(part: Component, feature: int | None, data: Dataset) -> None:
    """Offer a searchable list of features to ask about; only the component's and the current one if there are many."""
    own = wording.heaviest(part)
    others = [i for i in range(data.n_features) if not part.loadings[i]] if data.n_features <= LISTED else []
    if feature is not None and feature not in own and feature not in others:
        others = [feature]
    st.session_state[PICKER] = feature
    names = component.names(data, [*own, *others])
    st.selectbox(
        "Why this feature?",
        [*own, *others],
        key=PICKER,
        format_func=names.__getitem__,
        placeholder="Type a name, or click in the picture above",
        on_change=_picked,
        width=380,
    )


def _picked() -> None:
    """Ask why the feature that was chosen is in the component, as a press in the player does."""
    feature = st.session_state[PICKER]
    if feature is not None and not isinstance(feature, str):  # a name of data shown before arrives as it was written
        widgets.press(KEYS["why"], feature + 1)


def _class_names(data: Dataset) -> list[str]:
    if data.labels is None:
        return []
    name_of_class = {c: say.class_name(data, c) if c >= 0 else "no class" for c in set(data.labels.tolist())}
    return [name_of_class[c] for c in data.labels.tolist()]


def _code(subject: Subject) -> str:
    lines = [
        *downloads.data_lines(subject.now),
        f"part = nnspca.solve(cov, {subject.k}, nonnegative={subject.nonnegative}, seed={subject.seed})",
        f"scores = nnspca.scores(data.X, part.loadings, mean='own', standardize={subject.standardise})",
    ]
    if subject.data.labels is not None:
        lines.append("print(nnspca.separation(scores, data.labels))  # each class against all others")
    lines.append("why = nnspca.contribution(cov, part, int(part.support[0]))  # of any feature")
    lines.append("print(why.held, why.loss, why.partner, why.loss_exchanged)")
    return "\n".join(lines)
