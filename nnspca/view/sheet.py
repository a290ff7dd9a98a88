"""The answer beside what others would say: loadings with PCA's, scores with classes, groups told apart."""

from __future__ import annotations

import html
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.optimize
import streamlit as st

import nnspca
from nnspca.result import Components, rounded
from nnspca.view import sanitize, say
from nnspca.view.subject import Subject
from nnspca.view.ui import component

ROWS, MORE = 200, 40  # most rows of a table on paper; features that no part uses, those with PCA's largest loadings
ROUNDS = 100
Table = list[dict[str, Any]]


def varimax(V: np.ndarray) -> np.ndarray:
    """Return columns turned among themselves so that each has few large entries (Kaiser 1958), of length one.

    >>> np.abs(varimax(np.array([[0.8, 0.6], [-0.6, 0.8], [0.0, 0.0]]))).round(6)
    array([[1., 0.],
           [0., 1.],
           [0., 0.]])
    """
    n, r = V.shape
    R = np.eye(r)
    for _ in range(ROUNDS):
        L = V @ R
        u, _, v = np.linalg.svd(V.T @ (L**3 - L * (L**2).sum(axis=0) / n))
        R, before = u @ v, R
        if np.abs(R - before).max() < 1e-9:
            break
    L = V @ R
    return L / np.maximum(np.linalg.norm(L, axis=0), np.finfo(float).tiny)


def beside(U: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Return for each column of U the one of V that is most like it, each at most once, with the same sign."""
    overlap = U.T @ V
    rows, columns = scipy.optimize.linear_sum_assignment(-np.abs(overlap))
    found = np.zeros_like(U)
    for r, c in zip(rows, columns, strict=True):
        found[:, r] = V[:, c] * (1.0 if overlap[r, c] >= 0 else -1.0)
    return found


@dataclass(frozen=True, eq=False)
class Sheet:
    """Parts, one or several, and what can be said beside them."""

    parts: Components
    subject: Subject

    @cached_property
    def names(self) -> list[str]:
        """What the parts are called."""
        many = len(self.parts.parts)
        return [f"part {r + 1}" for r in range(many)] if many > 1 else ["this"]

    @cached_property
    def loadings(self) -> Table:
        """One row for each feature of a part, or of the largest loadings of PCA: all three methods side by side."""
        U, cov = self.parts.loadings, self.subject.cov
        q = min(max(U.shape[1], 3), cov.n_features, cov.n_samples or cov.n_features)
        values, V = cov.eigenpairs(q)
        pca, turned = beside(U, V), beside(U, varimax(V * np.sqrt(np.maximum(values, 0.0))))
        columns = {}
        for r, name in enumerate(self.names):
            columns[name] = U[:, r]
            suffix = "" if len(self.names) == 1 else f" {r + 1}"
            columns[f"PCA{suffix}"], columns[f"PCA + varimax{suffix}"] = pca[:, r], turned[:, r]
        size = np.abs(U).max(axis=1)
        order = np.lexsort((-np.abs(pca).max(axis=1), -size))[: np.count_nonzero(size) + MORE]
        labels = sanitize.headings(list(component.names(self.subject.data, order).values()))
        return [
            {"feature": label, **{key: float(column[i]) for key, column in columns.items()}}
            for label, i in zip(labels, order, strict=True)
        ]

    @cached_property
    def values(self) -> np.ndarray:
        """The scores of the samples, shape (m, r)."""
        data = self.subject.data
        return nnspca.scores(data.X, self.parts.loadings, mean="own", standardize=self.subject.standardise)

    @cached_property
    def classes(self) -> list[str]:
        """The class of each sample; empty where there is none."""
        data = self.subject.data
        if data.labels is None:
            return []
        names = {-1: "", **{c: sanitize.line(str(name), sanitize.NAME) for c, name in enumerate(data.label_names)}}
        return [names.get(c, str(c)) for c in data.labels.tolist()]

    @cached_property
    def scores(self) -> Table:
        """One row for each sample: its name, class and scores."""
        data = self.subject.data
        if data.kind == "covariance":
            return []
        return [
            {"sample": sanitize.line(data.sample_names[i], sanitize.NAME) if data.sample_names else i + 1}
            | ({"class": self.classes[i]} if self.classes else {})
            | {f"score, {name}": float(value) for name, value in zip(self.names, row, strict=True)}
            for i, row in enumerate(self.values)
        ]

    @cached_property
    def groups(self) -> Table:
        """One row for each class and part: its mean, and how well the part tells it from the others."""
        data = self.subject.data
        if data.labels is None or data.kind == "covariance":
            return []
        rows, areas = [], [nnspca.separation(column, data.labels) for column in self.values.T]
        for c, label in enumerate(data.label_names):
            mine = data.labels == c
            for r, name in enumerate(self.names):
                if (area := areas[r].get(c)) is None:
                    continue
                rows.append(
                    {
                        "class": sanitize.line(str(label), sanitize.NAME),
                        "samples": int(mine.sum()),
                        "part": name,
                        "mean score": float(self.values[mine, r].mean()),
                        "mean of the others": float(self.values[~mine & (data.labels >= 0), r].mean()),
                        "scores": "higher" if area >= 0.5 else "lower",
                        "AUC": max(area, 1 - area),
                    }
                )
        return sorted(rows, key=lambda row: -row["AUC"])

    @cached_property
    def reading(self) -> tuple[str, ...]:
        """What was decided when the data were read, and what is still doubted."""
        data = self.subject.data
        return tuple(sanitize.line(f"{note}") for note in (*data.notes, *data.doubts))


def section(sheet: Sheet) -> None:
    """Show the sheet on the page: loadings beside PCA's, groups, and how the data were read."""
    number = st.column_config.NumberColumn(format="%.3f")
    st.markdown("**Loadings, and what PCA says.** A click on a heading sorts.")
    wide = {key: number for key in sheet.loadings[0] if key != "feature"}
    st.dataframe(sheet.loadings[:ROWS], hide_index=True, column_config=wide, height=280, alt="Loadings beside PCA's.")
    if sheet.groups:
        st.markdown(f"**Groups.** {sanitize.plain(say.told_apart(sheet.subject.data, sheet.values))}")
        decimals = {key: number for key in sheet.groups[0] if isinstance(sheet.groups[0][key], float)}
        st.dataframe(
            sheet.groups[:ROWS], hide_index=True, column_config=decimals, alt="How each part tells each class."
        )
    if sheet.reading:
        st.markdown("**How the data were read.** " + sanitize.plain(" ".join(sheet.reading)))


def on_paper(sheet: Sheet) -> str:
    """Return the same as a piece of a web page whose tables are sorted by a click."""
    pieces = ["<h2>Loadings, beside PCA and PCA + varimax</h2>", _table(sheet.loadings)]
    if sheet.groups:
        told = html.escape(say.told_apart(sheet.subject.data, sheet.values))
        pieces += ["<h2>Groups</h2>", f"<p>{told}</p>", _table(sheet.groups)]
    if sheet.scores:
        pieces += ["<h2>Scores</h2>", _table(sheet.scores)]
    if sheet.reading:
        items = "".join(f"<li>{html.escape(note)}</li>" for note in sheet.reading)
        pieces += ["<h2>How the data were read</h2>", f"<ul>{items}</ul>"]
    return "\n".join(pieces)


def _table(rows: Table) -> str:
    """Return rows as HTML, numbers rounded to three digits."""
    head = "".join(f'<th tabindex="0">{html.escape(name)}</th>' for name in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(_shown(cell))}</td>" for cell in row.values()) + "</tr>"
        for row in rows[:ROWS]
    )
    more = f"<p>The first {ROWS} of {len(rows):,} rows; all are in the CSV files.</p>" if len(rows) > ROWS else ""
    return f'<table class="sorted"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}'


def _shown(cell: object) -> str:
    return ("" if np.isnan(cell) else rounded.fixed(cell, 3)) if isinstance(cell, float) else str(cell)
