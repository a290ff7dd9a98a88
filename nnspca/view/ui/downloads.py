"""Exports of any page: everything as one ZIP, tables, components, arrays, JSON, code that loads the data again."""

from __future__ import annotations

import csv
import io
import re
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Template

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset, preparing
from nnspca.result.wording import safe_cell
from nnspca.view import session
from nnspca.view.figures import style
from nnspca.view.link.state import State
from nnspca.view.session import Content
from nnspca.view.sources import catalogue, preparation
from nnspca.view.subject import Subject
from nnspca.view.ui import charts

PROGRAMS = tomllib.loads(Path(__file__).with_name("programs.toml").read_text(encoding="utf-8"))
ComponentsBySolver = Mapping[str, np.ndarray]  # by solver: components as columns, shape (n, r)


def offer_files(stem: str, held: Mapping[str, Content], code: str) -> None:
    """Offer what a page has made, by file name, as one ZIP that is made when asked for, its report, and the code."""
    with st.container(horizontal=True):
        charts.download_button(
            "Everything (ZIP)",
            lambda: zipped({**held, "again.py": code}),
            "everything",
            f"{stem}.zip",
            f"{', '.join(held)} and the code.",
        )
        if "report.html" in held:
            charts.download_button(
                "Report (HTML)",
                held["report.html"],
                "report",
                f"{stem}-report.html",
                "Data, solver, numbers, certificate and a picture: prints on one page.",
            )
    if "report.html" in held:
        st.caption("To PDF: open the report and print it.")
    st.markdown("The same with the library:")
    st.code(code, language="python", wrap_lines=True)


def offer_table(stem: str, rows: list[dict[str, object]], figure: style.Figure, code: str) -> None:
    """Show rows as a table, and offer them with the figure that they are drawn in and the code."""
    st.dataframe(rows, hide_index=True, alt=f"{len(rows):,} rows: {', '.join(rows[0]) if rows else 'none'}.")
    offer_files(stem, {f"{stem}.csv": lambda: table_csv(rows), f"{stem}.html": lambda: style.figure_page(figure)}, code)


def zipped(held: Mapping[str, Content]) -> bytes:
    """Return files as a ZIP, each made now where it is made on request."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in held.items():
            archive.writestr(name, content() if callable(content) else content)
    return out.getvalue()


def table_csv(rows: Iterable[Mapping[str, object]]) -> bytes:
    """Return rows with the same keys as CSV."""
    rows = list(rows)
    out = io.StringIO()
    writer = csv.writer(out)
    if rows:
        writer.writerow(map(safe_cell, rows[0]))
        writer.writerows(map(safe_cell, row.values()) for row in rows)
    return out.getvalue().encode()


def load_line(name: str, variable: str = "data") -> str:
    """Return the Python that loads a data set as ``variable``."""
    if name not in catalogue.own_datasets() and name in catalogue.hosted_files():
        return "\n".join(catalogue.hosted_files()[name].code(variable))
    if name not in catalogue.own_datasets() and name in {info.name for info in nnspca.datasets.available()}:
        return f"{variable} = nnspca.datasets.load({name!r})"
    if (desk := session.current().desks.get(name)) is not None and (desk.files or desk.path):
        return "\n".join(desk.code(variable))
    file = catalogue.own_datasets()[name].source if name in catalogue.own_datasets() else name
    return f"{variable} = nnspca.datasets.read({file!r})  # the path of your file"


def preparation_lines(name: str, now: State, variable: str = "data") -> list[str]:
    """Return the lines that load a data set as ``variable`` and do to it the steps asked for, as far as it can."""
    able = preparing.possible(catalogue.dataset(name)) if now.prep and name in catalogue.infos() else ()
    steps = (re.sub(r"\bdata\b", variable, preparing.STEPS[step].code) for step in able if step in now.prep)
    return [*load_line(name, variable).split("\n"), *steps]


def data_lines(now: State) -> list[str]:
    """Return the lines that load the data set and prepare its covariance, as ``data`` and ``cov``."""
    repair = ", repair=True" if preparation.is_repaired(now.data) else ""
    load = "\n".join(preparation_lines(now.data, now))
    return program("data", load=load, standardize=now.standardise, repair=repair).split("\n")


def program(which: str, now: State | None = None, **facts: object) -> str:
    """Return a program of ``programs.toml`` with these facts in it, and with the data that the sidebar says."""
    if now is not None:
        given = {"data": "\n".join(data_lines(now)), "nonnegative": now.nonnegative, "seed": now.seed}
        facts = given | facts
    return Template(PROGRAMS[which]).substitute(facts).rstrip("\n")


def loadings(components: ComponentsBySolver, data: Dataset) -> bytes:
    """Return one row for each feature and one column for each component, as CSV."""
    columns, titles = _columns(components), data.feature_titles
    return table_csv(
        {"feature": str(name)} | ({"called": titles[i]} if titles else {}) | {key: float(of[i]) for key, of in columns}
        for i, name in enumerate(data.feature_names)
    )


def scores_csv(components: ComponentsBySolver, subject: Subject) -> bytes:
    """Return one row for each sample and one column for each component: the sample's score on it, as CSV."""
    data, columns = subject.data, _columns(components)
    values = nnspca.scores(
        data.X, np.column_stack([x for _, x in columns]), mean="own", standardize=subject.standardise
    )
    labels = data.labels
    return table_csv(
        {
            "sample": i + 1,
            **({"name": data.sample_names[i]} if data.sample_names else {}),
            **({} if labels is None else {"label": data.label_names[labels[i]] if labels[i] >= 0 else ""}),
            **{title: float(value) for (title, _), value in zip(columns, row, strict=True)},
        }
        for i, row in enumerate(values)
    )


def _columns(components: ComponentsBySolver) -> list[tuple[str, np.ndarray]]:
    """Return every component with its title: its solver and its number."""
    return [(f"{solver} part {r}", column) for solver, U in components.items() for r, column in enumerate(U.T, start=1)]
