"""Choices of the samples panel: the second component's features, and the selections stored in the URL."""

from __future__ import annotations

import functools
import re

import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.view.link import state, widgets

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


def second_deflation() -> str:
    """Let the person choose which features the second component may use; return the deflation that says so."""
    about = (f"{label.capitalize()}: {nnspca.DEFLATIONS[name].summary}" for label, name in DEFLATION.items())
    label = widgets.choose(KEYS["second"], "The second component may use", horizontal=True, help=" ".join(about))
    return DEFLATION[label]


def explained_feature(data: Dataset) -> int | None:
    """Return the index of the feature that the user asked about, or None; validate the other selections in the URL.

    Another data set has other samples and features: selections from the previous data set are dropped.
    """
    before = st.session_state.get("_samples_of")
    if before not in (None, data.content_hash):
        for key in BROWSER_KEYS:
            st.query_params.pop(key, None)
    st.session_state["_samples_of"] = data.content_hash
    for key, form in FORMS.items():
        widgets.linked_value(KEYS[key], fits=functools.partial(_fits, form))
    why = widgets.linked_value(KEYS["why"], high=data.n_features)
    return None if why is None else int(why) - 1


def _fits(form: re.Pattern[str], text: str) -> bool:
    return not text or (len(text) <= LONGEST and form.fullmatch(text) is not None)


def dataset_key(data: Dataset) -> str:
    """Return a key that identifies the data set in the browser."""
    return f"{data.name} {data.content_hash[:16]}"
