"""Loadings found elsewhere: pasted or brought as CSV, judged beside the proven maximum, drawn beside the solvers."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Sequence

import numpy as np
import streamlit as st

import nnspca
from nnspca.result import Judgement, rounded
from nnspca.view import running, sanitize
from nnspca.view.subject import Subject

TITLE = "Loadings found elsewhere: how good are they?"
TEXT, FILE = "given-text", "given-file"
MOST_CHARACTERS, MOST_COMPONENTS = 2_000_000, 20
SEPARATOR, BLANK = re.compile(r"[:;,\t]"), re.compile(r"\s*[;\t]\s*|\s*,\s+|\s+,\s*|\s+")


def read_loadings(text: str, names: Sequence[str]) -> np.ndarray:
    """Return loadings, shape (n, r), of lines of a name and its loadings; features that are not named are 0.

    A name may hold what separates: the longest one that a line begins with counts, quoted or not.

    Raises ValueError: what is wrong with the text.

    >>> read_loadings("feature;first;second\\nrow 1, column 2;0,6;1\\na;0,8;", ["a", "row 1, column 2", "c"]).T
    array([[0.8, 0.6, 0. ],
           [0. , 1. , 0. ]])
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or len(text) > MOST_CHARACTERS or len(lines) > len(names) + 1:
        raise ValueError(f"There are {len(lines):,} lines; these data have {len(names):,} features.")
    known = {name.strip(): i for i, name in enumerate(names)}
    try:
        rows = [_cells(line, set(known), max(map(len, known))) for line in lines]
    except csv.Error as problem:
        raise ValueError(f"The text is no CSV: {problem}.") from None
    titled = rows[0][0] not in known and not any(character.isdigit() for character in rows[0][-1])
    wide = len(rows[-1]) - 1
    if not 0 < wide <= MOST_COMPONENTS:
        raise ValueError(f"A line is a name and 1 to {MOST_COMPONENTS} loadings; the last one has {wide}.")
    loadings = np.zeros((len(names), wide))
    for name, *cells in rows[titled:]:
        if name not in known:
            raise ValueError(f"These data have no feature {name!r:.60}, or it stands there twice.")
        try:
            values = [float(cell.strip().replace(",", ".") or 0.0) for cell in cells]
        except ValueError:
            values = []
        if len(values) != wide or not np.isfinite(values).all():
            raise ValueError(f"The line of {name!r:.60} has not {wide} numbers after the name.")
        loadings[known.pop(name)] = values
    if not loadings.any(axis=0).all():
        raise ValueError("A component has no loading but 0.")
    return loadings


def _cells(line: str, known: set[str], longest: int) -> list[str]:
    """Return the name and the loadings of a line: the sign after the name separates them, or blanks after a colon."""
    start = len(line) - len(line.lstrip())
    ends = [found.start() for found in SEPARATOR.finditer(line, 0, start + longest + 9)]
    for end in reversed(ends):
        if (name := line[:end].strip()) in known:
            rest = line[end + 1 :]
            return [name, *(BLANK.split(rest.strip()) if line[end] == ":" else rest.split(line[end]))]
    name, *cells = next(csv.reader([line], delimiter=max("\t;,:", key=line.count)), [""])
    return [name.strip(), *cells]


def judge_loadings(subject: Subject) -> None:
    """Let a person paste or bring loadings, judge them on a press, and tell what is proven of each component."""
    names = list(map(str, subject.data.feature_names))
    st.markdown("One line for each feature: its name and its loading; one more column for each further component.")
    pasted, brought = st.columns([1.4, 1], gap="medium")
    example = "\n".join(f"{sanitize.line(name)}: {x}" for name, x in zip(names, ("0.6", "0.8"), strict=False))
    pasted.text_area("Paste them", key=TEXT, max_chars=MOST_CHARACTERS, height=110, placeholder=example)
    brought.file_uploader("or bring a CSV file", key=FILE, type=["csv", "tsv", "txt"])
    if not (text := _text()).strip():
        return
    try:
        loadings = read_loadings(text, names)
    except ValueError as problem:
        st.error(sanitize.plain(str(problem)), icon=":material/error:")
        return
    key = subject.key_of("judged", subject.seed, hashlib.sha256(text.encode()).hexdigest())
    task = subject.task("judge", key, nnspca.certify_loadings, loadings, nonnegative=None)
    job = running.offer(task, running.Button("Judge", "Some seconds.", ":material/gavel:"))
    judged: Judgement | None = running.answer(task, job, "Stopped. What was proven by then is shown.")
    if judged is not None:
        st.dataframe(records(judged, subject), hide_index=True, alt="One row for each component that was given.")


def _text() -> str:
    file = st.session_state.get(FILE)
    pasted: str = st.session_state.get(TEXT) or ""
    return pasted if file is None else file.getvalue()[: MOST_CHARACTERS + 1].decode("utf-8", "replace")


def records(judged: Judgement, subject: Subject) -> list[dict[str, object]]:
    """Return a row for each component: what it explains, how near the best possible it is, and what does better."""
    rows: list[dict[str, object]] = []
    for part, proof, other in zip(judged.components, judged.certificates, judged.better, strict=True):
        known = subject.known_at(proof.k).upper if proof.nonnegative == subject.nonnegative else proof.upper
        rows.append(
            {
                "Component": len(rows) + 1,
                "Features": part.cardinality,
                "Signs": "≥ 0" if part.nonnegative else "any",
                "Explains (% of the total variance)": rounded.floor(100 * part.variance / subject.cov.trace, 2),
                "Of the best possible with as many": rounded.ratio(part.variance, min(proof.upper, known)),
                "Better": "" if other is None else sanitize.line(", ".join(other.names)),
            }
        )
    return rows
