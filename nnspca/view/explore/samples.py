"""The samples on the Explore page: their scores, those picked in the figures, and why a feature is included."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Component, wording
from nnspca.view import cache, sanitize, session, tasks
from nnspca.view.explore import claims, figures
from nnspca.view.explore.figures import Positions
from nnspca.view.figures.dataset import curves, montage
from nnspca.view.jobs import machines
from nnspca.view.jobs.job import Job
from nnspca.view.link import state, widgets
from nnspca.view.link.state import State
from nnspca.view.sources import store
from nnspca.view.tasks import Subject, Task
from nnspca.view.ui import charts, component, downloads

TITLE = "Samples and features: which samples score highest, why a feature is used"
PICKER = "why-picker"
LISTED = 2000  # features up to which all can be asked about by name
ENDS = 12  # samples shown of either end, and at most so many of those picked
KEYS = state.keys_of("explore")
DEFLATION = {state.OTHER: "disjoint", state.ANY: "projection"}  # for each choice of the second component's features


def _second(first: Component, data: Dataset, now: State, deflation: str) -> Job:
    """Return the session's run of the second component, which publishes it where there is one; start it if need be."""
    support = hash(first.loadings.tobytes())
    key = Subject(data, now).key("second", first.method, support, deflation)
    cov, known = store.covariance(data, now), cache.results()

    def work(job: Job) -> None:
        used = first.loadings != 0
        if data.kind == "covariance" or (deflation == "disjoint" and used.all()):
            return
        second = known.get(key)
        if second is None:
            left = nnspca.deflate(cov, first.loadings[:, None], deflation)
            if left.trace <= 1e-12 * cov.trace:  # nothing varies any more
                return
            second = machines.call(
                nnspca.solve,
                left,
                min(now.k, left.n_features),
                nonnegative=now.nonnegative,
                seed=now.seed,
                should_stop=job.should_stop,
                on_progress=job.report,
            )
            loadings = np.zeros(cov.n_features)
            loadings[~used if deflation == "disjoint" else slice(None)] = second.loadings
            second = replace(second, loadings=loadings, variance=cov.variance(loadings))
            if not second.stopped:
                known.put(key, second)
        job.publish(second)

    return tasks.ask(Task("samples", key, lambda: work))


def positioned(data: Dataset, now: State, first: Component, second: Component | None) -> Positions:
    """Return the samples' positions."""
    U = np.column_stack([part.loadings for part in (first, second) if part is not None])
    along = nnspca.scores(data.X, U, mean="own", standardize=now.standardise)
    order = np.argsort(-along[:, 0].astype(np.float32), kind="stable")
    apart: tuple[float | None, ...] = ()
    if data.labels is not None:
        most = max(len(data.label_names), int(data.labels.max(initial=-1)) + 1)
        apart = nnspca.separation(along[:, 0], data.labels, most)
    return Positions(along[:, 0], None if second is None else along[:, 1], order, apart)


def panel(first: Component, data: Dataset, now: State) -> None:
    """Show the samples by their scores, those that are picked, and why a feature is in the component."""
    if data.kind == "covariance":
        st.info(
            "These data are a covariance matrix: there are no samples, and so no scores. "
            "You can still ask why a feature is included.",
            icon=":material/table:",
        )
    else:
        about = (f"{label.capitalize()}: {nnspca.DEFLATIONS[name].summary}" for label, name in DEFLATION.items())
        label = widgets.choose(KEYS["second"], "The second component may use", horizontal=True, help=" ".join(about))
        job = _second(first, data, now, DEFLATION[label])
        job.wait_for_first(tasks.FIRST)
        tasks.follow(job, first=1)
        positions = positioned(data, now, first, job.arrived[0] if job.arrived else None)
        st.markdown(
            sanitize.plain(
                f"{claims.score(first, data, standardised=now.standardise)} {claims.told_apart(data, positions.apart)}"
            )
        )
        st.fragment(_scores)(positions, data)
    st.fragment(_why)(first, data, now)
    if data.kind != "covariance":
        st.code(_code(data, now), language="python", wrap_lines=True)


def _scores(positions: Positions, data: Dataset) -> None:
    """Draw the scores; show the samples that are picked in a figure, or those at both ends."""
    classes, look = _class_names(data), charts.palette()
    drawn = {"ladder": figures.ladder(positions, classes, look)}
    if positions.second is not None:
        drawn["cloud"] = figures.cloud(positions, classes, look)
    picked: set[int] = set()
    for (key, figure), place in zip(drawn.items(), st.columns(len(drawn), gap="medium"), strict=True):
        with place:
            event = charts.figure(
                figure, f"samples-{key}", on_select="rerun", selection_mode=("points", "box", "lasso")
            )
            picked |= {int(point["customdata"][0]) - 1 for point in event["selection"]["points"]}
    order = positions.order
    if not picked:
        st.caption("Drag across points to pick samples, or click one.")
        _shown("The highest scores", order[:ENDS], positions, data, "highest")
        _shown("The lowest scores", order[ENDS:][-ENDS:], positions, data, "lowest")
        return
    inside = order[np.isin(order, list(picked))]
    of_class = [classes[s] for s in inside] if classes else []
    counts = ", ".join(f"{sanitize.plain(name)} {of_class.count(name):,}" for name in dict.fromkeys(of_class))
    st.markdown(f"**Picked: {len(inside):,} of {len(order):,} samples.** {counts}")
    _shown("The highest scores of those picked", inside[:ENDS], positions, data, "picked")


def _shown(title: str, which: np.ndarray, positions: Positions, data: Dataset, key: str) -> None:
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
                | {"score": float(positions.scores[s])}
                for s in which
            ],
            hide_index=True,
            alt=title,
        )


def _why(part: Component, data: Dataset, now: State) -> None:
    """Say why the feature that is asked about is in the component, or the one with the largest loading."""
    here = session.current()
    if here.samples_of not in (None, data.content_hash):  # other data have other features
        st.query_params.pop("why", None)
    here.samples_of = data.content_hash
    asked = widgets.linked_value(KEYS["why"], high=data.n_features)
    feature = None if asked is None else int(asked) - 1
    _picker(part, feature, data)
    which = int(np.abs(part.loadings).argmax()) if feature is None else feature
    role = nnspca.contribution(store.covariance(data, now), part, which)
    said = claims.why(role, part, data, standardised=now.standardise)
    st.markdown(
        f"**{sanitize.plain(claims.question(role, data, example=feature is None))}**\n\n"
        + "\n".join(f"- {sanitize.plain(line)}" for line in said)
    )
    weights, itself = np.zeros(data.n_features), np.zeros(data.n_features, dtype=bool)
    weights[role.others], itself[role.feature] = role.covariances, True
    measure = claims.measure(now.standardise)
    note = f"Its {measure}s with the component's other {component.noun(data)}. Framed: the feature itself."
    layer = component.Layer(weights, sure=itself)
    component.show([layer], data, "why", what=measure, note=note, focus=here.asked)


def _picker(part: Component, feature: int | None, data: Dataset) -> None:
    """Offer a searchable list of features to ask about; only the component's and the current one if there are many."""
    own = wording.heaviest(part)
    others = [i for i in range(data.n_features) if not part.loadings[i]] if data.n_features <= LISTED else []
    if feature is not None and feature not in own and feature not in others:
        others = [feature]
    st.session_state[PICKER] = feature
    names = {i: claims.feature_name(data, i) for i in (*own, *others)}
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
        st.query_params["why"] = str(feature + 1)


def _class_names(data: Dataset) -> list[str]:
    if data.labels is None:
        return []
    name_of_class = {c: claims.class_name(data, c) if c >= 0 else "no class" for c in set(data.labels.tolist())}
    return [name_of_class[c] for c in data.labels.tolist()]


def _code(data: Dataset, now: State) -> str:
    lines = [
        *downloads.data_lines(now),
        f"part = nnspca.solve(cov, {now.k}, nonnegative={now.nonnegative}, seed={now.seed})",
        f"scores = nnspca.scores(data.X, part.loadings, mean='own', standardize={now.standardise})",
    ]
    if data.labels is not None:
        lines.append("print(nnspca.separation(scores, data.labels))  # each class against all others")
    lines.append("why = nnspca.contribution(cov, part, int(part.support[0]))  # of any feature")
    lines.append("print(why.held, why.loss, why.partner, why.loss_exchanged)")
    return "\n".join(lines)
