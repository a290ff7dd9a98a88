"""What goes home of a component or of several parts: what others say beside it, files, a page to print."""

from __future__ import annotations

import html
import math
import platform
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
import scipy.optimize
import streamlit as st

import nnspca
from nnspca.certificates.file import FORMAT
from nnspca.result import Components, rounded
from nnspca.result.component import clauses
from nnspca.view import chance, sanitize, say
from nnspca.view.certificate import panels
from nnspca.view.ledger import Known
from nnspca.view.session import Content
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject
from nnspca.view.ui import component, downloads

PAGE = Path(__file__).with_name("report.html")
ROWS, MORE = 200, 40  # most rows of a table on paper; features that no part uses, those with PCA's largest loadings
ROUNDS = 100
NONE = "A certificate is of components that keep to k and the signs, and of parts that share no feature."
Records = list[dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Answer:
    """An answer of a page: parts of one or several solvers, and what is said of the first solver's."""

    results: Mapping[str, Components]  # by solver
    subject: Subject
    verdict: str  # what the page says
    method: str  # how they were found
    code: str  # Python that finds them again
    known: Known | None = None  # what the ledger has of them
    prove: Callable[[], panels.AnyCertificate] | None = None  # makes their certificate, or finds it made

    @property
    def parts(self) -> Components:
        """The first solver's."""
        return next(iter(self.results.values()))


def export_panel(stem: str, answer: Answer, more: Mapping[str, Content]) -> None:
    """Show what can be said beside an answer, and offer it as files, with ``more`` of the page's own."""
    subject = answer.subject
    loadings = {way: parts.loadings for way, parts in answer.results.items()}
    beside = Beside(answer.parts, subject)
    report_section(beside)
    held: dict[str, Content] = {
        "report.html": lambda: report(answer),
        "loadings.csv": lambda: downloads.loadings(loadings, subject.data),
        "beside-pca.csv": lambda: downloads.table_csv(beside.loadings),
    }
    if beside.groups:
        held["groups.csv"] = lambda: downloads.table_csv(beside.groups)
    if subject.data.kind != "covariance":
        held["scores.csv"] = lambda: downloads.scores_csv(loadings, subject)
    if prove := answer.prove:
        held |= {"certificate.npz": lambda: panels.certificate_npz(prove(), subject), **panels.CHECKERS}
    downloads.offer_files(stem, {**held, **more}, answer.code)


def part_records(results: Mapping[str, Components]) -> list[dict[str, object]]:
    """Return one row for each part of each solver."""
    return [
        {
            "solver": parts.method,
            "deflation": parts.deflation,
            "part": r + 1,
            "features": part.cardinality,
            "variance": part.variance,
            "together": float(parts.cumulative_variance[r]),
            "together_share": float(parts.cumulative_variance[r] / parts.total),
        }
        for parts in results.values()
        for r, part in enumerate(parts.parts)
    ]


def report(answer: Answer) -> str:
    """Return parts as a web page that needs nothing else and prints on one sheet."""
    parts, subject, proof = answer.parts, answer.subject, answer.prove and answer.prove()
    data, many, noun = subject.data, len(parts.parts), component.called(subject.data)
    what, words = f"{parts.parts[0].cardinality} of {data.n_features:,} {noun}", ""
    if many > 1:
        what = f"{many} parts of at most {subject.k:,} {noun}"
        described = [replace(part, features=subject.cov.features) for part in parts.parts]
        is_more = [each.is_more for each in chance.parts_at(subject, many)]
        words = clauses(described, parts.total, is_more)
    claim = NONE if proof is None else f"{panels.claim(proof, subject)} {_checked(proof, subject)}"
    scaled = ", each feature divided by its standard deviation" if subject.standardise else ""
    about = f"{data.title or data.name}: {say.as_read(data)}{scaled}. {data.citation}".strip()
    method = (
        f"{answer.method} {nnspca.METHODS[parts.method].summary} At most {subject.k:,} features, "
        f"{'nonnegative loadings' if subject.nonnegative else 'loadings of either sign'}, seed {subject.seed}. "
        f"Made with nnspca {nnspca.__version__} (certificate files of format {FORMAT}), numpy {np.__version__}, Python "
        f"{platform.python_version()}."
    )
    info = catalogue.infos().get(data.name)
    may_show = info is not None and (info.bundled or data.name in catalogue.own_datasets())  # else over plain grey
    return Template(PAGE.read_text(encoding="utf-8")).substitute(
        title=html.escape(f"{what}: {sanitize.line(data.title or data.name)}"),
        verdict=_bold(f"{answer.verdict} {sanitize.line(words).replace('**', '* *')}"),  # a name turns no text bold
        picture=component.component_page(
            component.of(parts, data, _digits(answer)), data, component.mean_sample(data) if may_show else None
        ),
        data=html.escape(sanitize.line(f"{about} Terms: {data.terms}" if data.terms else about)),
        method=html.escape(method),
        numbers="".join(
            f"<tr><td>{html.escape(row)}</td>{''.join(f'<td><b>{html.escape(cell)}</b></td>' for cell in cells)}</tr>"
            for row, *cells in _numbers(answer)
        ),
        certificate=_bold(claim),
        code=html.escape(answer.code),
        more=on_paper(Beside(parts, subject)),
    )


def _bold(words: str) -> str:
    """Return words as HTML; what stands between ** is bold."""
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(words))


def _checked(certificate: panels.AnyCertificate, subject: Subject) -> str:
    """Check a certificate by the second route; say so, why it holds, and what checks the file beside a report."""
    nnspca.verify(certificate, subject.cov)
    file = "certificate.npz"
    if not subject.data.is_sparse:
        file += f", which {panels.command(file, certificate, subject)} checks without the library"
    why = panels.why_true(certificate.winner.name)
    return f"{why} nnspca.verify has derived both numbers again. Beside this page: {file}."


def _digits(answer: Answer) -> int:
    """Return the decimals of the shares: as many as the page's headline has."""
    upper = math.inf if answer.known is None else answer.known.upper
    return rounded.decimals(float(answer.parts.cumulative_variance[-1]), upper, answer.parts.total)


def _numbers(answer: Answer) -> list[tuple[str, ...]]:
    parts, known, digits = answer.parts, answer.known, _digits(answer)
    listed: list[tuple[str, ...]] = [("", "features", "variance", "share of the total variance", "cumulative share")]
    listed += [
        (
            f"Part {r + 1}",
            f"{part.cardinality:,}",
            rounded.number(part.variance, down=True, telling=rounded.TELLING),
            rounded.percent(part.variance / parts.total, digits),
            rounded.percent(parts.cumulative_variance[r] / parts.total, digits),
        )
        for r, part in enumerate(parts.parts)
    ]
    if known is not None and math.isfinite(known.upper):
        most = rounded.percent(known.upper / parts.total, digits, up=True)
        bound = rounded.number(known.upper, up=True, telling=rounded.TELLING)
        listed.append(("Upper bound (proven)", "", bound, "", most))
        listed.append(("Proven share of the optimum", "", "", "", rounded.ratio(known.lower, known.upper)))
    if len(parts.parts) > 1:
        listed.append(("Overlap", rounded.fixed(parts.overlap, 2), "", "", ""))
    return listed


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


def most_alike(U: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Return for each column of U the one of V that is most like it, each at most once, with the same sign."""
    overlap = U.T @ V
    rows, columns = scipy.optimize.linear_sum_assignment(-np.abs(overlap))
    found = np.zeros_like(U)
    for r, c in zip(rows, columns, strict=True):
        found[:, r] = V[:, c] * (1.0 if overlap[r, c] >= 0 else -1.0)
    return found


@dataclass(frozen=True, eq=False)
class Beside:
    """Parts, one or several, and what can be said beside them."""

    parts: Components
    subject: Subject

    @cached_property
    def names(self) -> list[str]:
        """What the parts are called."""
        many = len(self.parts.parts)
        return [f"part {r + 1}" for r in range(many)] if many > 1 else ["this"]

    @cached_property
    def loadings(self) -> Records:
        """One row for each feature of a part, or of the largest loadings of PCA: all three methods side by side."""
        U, cov = self.parts.loadings, self.subject.cov
        q = min(max(U.shape[1], 3), cov.n_features, cov.n_samples or cov.n_features)
        values, V = cov.eigenpairs(q)
        pca, turned = most_alike(U, V), most_alike(U, varimax(V * np.sqrt(np.maximum(values, 0.0))))
        columns = {}
        for r, name in enumerate(self.names):
            columns[name] = U[:, r]
            suffix = "" if len(self.names) == 1 else f" {r + 1}"
            columns[f"PCA{suffix}"], columns[f"PCA + varimax{suffix}"] = pca[:, r], turned[:, r]
        size = np.abs(U).max(axis=1)
        order = np.lexsort((-np.abs(pca).max(axis=1), -size))[: np.count_nonzero(size) + MORE]
        labels = sanitize.column_names(list(component.feature_names(self.subject.data, order).values()))
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
    def scores(self) -> Records:
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
    def groups(self) -> Records:
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


def report_section(beside: Beside) -> None:
    """Show it on the page: loadings beside PCA's, groups, and how the data were read."""
    number = st.column_config.NumberColumn(format="%.3f")
    st.markdown("**Loadings, and what PCA says.** A click on a heading sorts.")
    wide = {key: number for key in beside.loadings[0] if key != "feature"}
    st.dataframe(beside.loadings[:ROWS], hide_index=True, column_config=wide, height=280, alt="Loadings beside PCA's.")
    if beside.groups:
        st.markdown(f"**Groups.** {sanitize.plain(say.separation(beside.subject.data, beside.values))}")
        decimals = {key: number for key in beside.groups[0] if isinstance(beside.groups[0][key], float)}
        st.dataframe(
            beside.groups[:ROWS], hide_index=True, column_config=decimals, alt="How each part tells each class."
        )
    if beside.reading:
        st.markdown("**How the data were read.** " + sanitize.plain(" ".join(beside.reading)))


def on_paper(beside: Beside) -> str:
    """Return the same as a piece of a web page whose tables are sorted by a click."""
    pieces = ["<h2>Loadings, beside PCA and PCA + varimax</h2>", _table(beside.loadings)]
    if beside.groups:
        sentence = html.escape(say.separation(beside.subject.data, beside.values))
        pieces += ["<h2>Groups</h2>", f"<p>{sentence}</p>", _table(beside.groups)]
    if beside.scores:
        pieces += ["<h2>Scores</h2>", _table(beside.scores)]
    if beside.reading:
        items = "".join(f"<li>{html.escape(note)}</li>" for note in beside.reading)
        pieces += ["<h2>How the data were read</h2>", f"<ul>{items}</ul>"]
    return "\n".join(pieces)


def _table(rows: Records) -> str:
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
