"""The samples on the Explore page: what is asked, linked figures on one sheet, and downloads."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Component, wording
from nnspca.view import sanitize, session
from nnspca.view.explore import figures
from nnspca.view.explore.samples import claims, content, run
from nnspca.view.explore.samples.run import SamplePositions
from nnspca.view.jobs import runs
from nnspca.view.link import canvas, state, widgets
from nnspca.view.link.state import State
from nnspca.view.ui import charts, downloads

HOME = Path(__file__).parent / "browser"
SCRIPTS = ("samples.js", "marks.js", "ladder.js", "cloud.js", "cards.js", "sheet.js")
TITLE = "Samples and features: which samples score highest, why a feature is used"
PICKER = "why-picker"
LISTED = 2000  # features up to which all can be asked about by name
# The sheet's last question, where a later choice in the player or the list has replaced it.

_mount = canvas.component("sheet", HOME, SCRIPTS)
KEYS = state.keys_of("explore")
BROWSER_KEYS = ("picked", "marked", "why")  # set by the browser, validated here
SPANS = r"\d{1,7}(-\d{1,7})?(_\d{1,7}(-\d{1,7})?)*"
# Samples by rank, by number, by class, or by a rectangle of the two scores in ten-thousandths;
# features by number.
FORMS = {
    "picked": re.compile(rf"r\d{{1,7}}-\d{{1,7}}|n{SPANS}|c\d{{1,4}}|b\d{{1,5}}(_\d{{1,5}}){{3}}", re.ASCII),
    "marked": re.compile(SPANS, re.ASCII),
}
LONGEST = 1500  # maximum length of a selection in the URL; the browser writes no longer one
# Deflation for each choice of the second component's features.
DEFLATION = {state.OTHER: "disjoint", state.ANY: "projection"}


def panel(first: Component, data: Dataset, now: State) -> None:
    """Show the samples by their scores, why a feature is in the component, and downloads."""
    if data.kind == "covariance":
        st.info(
            "These data are a covariance matrix: there are no samples, and so no scores. "
            "You can still ask why a feature is included.",
            icon=":material/table:",
        )
        sheet(first, None, None, data, now)
        return
    about = (f"{label.capitalize()}: {nnspca.DEFLATIONS[name].summary}" for label, name in DEFLATION.items())
    label = widgets.choose(KEYS["second"], "The second component may use", horizontal=True, help=" ".join(about))
    job = run.start(first, data, now, DEFLATION[label])
    job.wait_for_first(runs.FIRST)
    runs.follow("samples", job, first=1)
    second = job.arrived[0] if job.arrived else None
    positions = run.positions(data, now, first, second)
    sheet(first, second, positions, data, now)
    if positions is not None:
        _downloads(first, positions, data, now)


def sheet(
    first: Component, second: Component | None, positions: SamplePositions | None, data: Dataset, now: State
) -> None:
    """Show all linked figures; brushing stays in the browser, and a question redraws only this fragment."""

    def draw() -> None:
        feature, pressed = _explained_feature(data), canvas.sent("sheet", "why")
        # A press in the sheet reaches the URL only after this run, so it takes precedence, unless a later
        # choice elsewhere has replaced it.
        superseded = pressed == session.current().superseded_press
        if pressed and not superseded and pressed["about"] == content.dataset_key(data):
            feature = int(pressed["feature"])
        _picker(first, feature, data)
        role = run.why(data, now, first, int(np.abs(first.loadings).argmax()) if feature is None else feature)
        packed = content.payload(first, second, positions, role, data, now, requested=feature is not None)
        packed["focus"] = session.current().asked
        _mount(key="sheet", data=packed, on_why_change=lambda: None)  # the URL holds the question

    st.fragment(draw)()


def _picker(part: Component, feature: int | None, data: Dataset) -> None:
    """Offer a searchable list of features to ask about; only the component's and the current one if there are many."""
    own = wording.heaviest(part)
    others = [i for i in range(data.n_features) if not part.loadings[i]] if data.n_features <= LISTED else []
    if feature is not None and feature not in own and feature not in others:
        others = [feature]
    st.session_state[PICKER] = feature
    names = {i: sanitize.line(str(data.feature_names[i]), sanitize.NAME) for i in (*own, *others)}
    st.selectbox(
        "Why this feature?",
        [*own, *others],
        key=PICKER,
        format_func=names.__getitem__,
        placeholder="Type a name",
        on_change=_picked,
        width=380,
    )


def _picked() -> None:
    """Ask why the feature that was chosen is in the component, as a press in the player does."""
    feature = st.session_state[PICKER]
    if feature is not None and not isinstance(feature, str):  # a name of data shown before arrives as it was written
        st.query_params["why"] = str(feature + 1)
        session.current().superseded_press = canvas.sent("sheet", "why")


def _downloads(first: Component, positions: SamplePositions, data: Dataset, now: State) -> None:
    stem = f"{data.name}-k{now.k}-{first.method}"
    ladder, cloud = (
        partial(draw, positions, _class_names(data), charts.palette()) for draw in (figures.ladder, figures.cloud)
    )
    with st.container(horizontal=True):
        charts.download(
            "Scores (CSV)",
            scores_csv(positions, data),
            "csv-samples",
            f"{stem}-scores.csv",
            "Every sample with its class, its score and its rank.",
        )
        charts.figure_button(ladder, "html-samples-samples", f"{stem}-samples.html", "Samples by score (HTML)")
        if positions.second is not None:
            charts.figure_button(cloud, "html-samples-two", f"{stem}-two.html", "Two scores (HTML)")
    st.code(_code(data, now), language="python", wrap_lines=True)


def _class_names(data: Dataset) -> list[str]:
    if data.labels is None:
        return []
    name_of_class = {c: claims.class_name(data, c) if c >= 0 else "no class" for c in set(data.labels.tolist())}
    return [name_of_class[c] for c in data.labels.tolist()]


def scores_csv(positions: SamplePositions, data: Dataset) -> bytes:
    """Return the samples in the data's order."""
    names, rank = _class_names(data), {int(s): r + 1 for r, s in enumerate(positions.order)}
    return downloads.table_csv(
        {"sample": s + 1}
        | ({"name": data.sample_names[s]} if data.sample_names else {})
        | ({"class": names[s]} if names else {})
        | {"rank": rank[s], "score": float(positions.scores[s])}
        | ({} if positions.second is None else {"second_score": float(positions.second[s])})
        for s in range(len(positions.scores))
    )


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


def _explained_feature(data: Dataset) -> int | None:
    """Return the index of the feature that the user asked about, or None; validate the other selections in the URL.

    Another data set has other samples and features: selections from the previous data set are dropped.
    """
    here = session.current()
    before = here.samples_of
    if before not in (None, data.content_hash):
        for key in BROWSER_KEYS:
            st.query_params.pop(key, None)
    here.samples_of = data.content_hash
    for key, form in FORMS.items():
        widgets.linked_value(KEYS[key], fits=partial(_fits, form))
    why = widgets.linked_value(KEYS["why"], high=data.n_features)
    return None if why is None else int(why) - 1


def _fits(form: re.Pattern[str], text: str) -> bool:
    return not text or (len(text) <= LONGEST and form.fullmatch(text) is not None)
