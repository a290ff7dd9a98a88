"""What is asked of the samples: which features a second component may use, and the picks that the link carries."""

from __future__ import annotations

import functools
import re

import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.view.link import state, widgets

KEYS = state.keys_of("explore")
ASKED = ("picked", "marked", "why")  # written by the browser, judged here
SPANS = r"\d{1,7}(-\d{1,7})?(_\d{1,7}(-\d{1,7})?)*"
# Samples by rank, by number, by class, or by a rectangle of the two scores in ten-thousandths;
# features by number.
FORMS = {
    "picked": re.compile(rf"r\d{{1,7}}-\d{{1,7}}|n{SPANS}|c\d{{1,4}}|b\d{{1,5}}(_\d{{1,5}}){{3}}", re.ASCII),
    "marked": re.compile(SPANS, re.ASCII),
}
LONGEST = 1500  # letters that a link may say of picks: browsers write no more


DEFLATION = {state.OTHER: "disjoint", state.ANY: "projection"}  # by which the second component may use so much


def second_deflation() -> str:
    """Let the person choose which features the second component may use; return the deflation that says so."""
    about = (f"{label.capitalize()}: {nnspca.DEFLATIONS[name].summary}" for label, name in DEFLATION.items())
    label = widgets.choose(KEYS["second"], "The second component may use", horizontal=True, help=" ".join(about))
    return DEFLATION[label]


def explained_feature(data: Dataset) -> int | None:
    """Return the feature whose place is asked about, from 0 on; judge what else the link says of picks.

    Another data set has other samples and features: what was picked of the last one is forgotten.
    """
    before = st.session_state.get("_samples_of")
    if before not in (None, data.content_hash):
        for key in ASKED:
            st.query_params.pop(key, None)
    st.session_state["_samples_of"] = data.content_hash
    for key, form in FORMS.items():
        widgets.linked_value(KEYS[key], fits=functools.partial(_fits, form))
    why = widgets.linked_value(KEYS["why"], high=data.n_features)
    return None if why is None else int(why) - 1


def _fits(form: re.Pattern[str], text: str) -> bool:
    return not text or (len(text) <= LONGEST and form.fullmatch(text) is not None)


def about(data: Dataset) -> str:
    """Return what tells one data set from another in the browser."""
    return f"{data.name} {data.content_hash[:16]}"
