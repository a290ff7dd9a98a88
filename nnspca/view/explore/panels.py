"""The explore page's panels: what the method did, and what to take home."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component
from nnspca.view.certificate import sheet
from nnspca.view.explore import figures, report
from nnspca.view.figures.style import Figure
from nnspca.view.session import charts, downloads, tables
from nnspca.view.session.solver import Solver
from nnspca.view.session.state import State


def story(part: Component, trace: tuple, leading: float) -> None:
    """Draw what the method did, and how the ceiling came down, where that was watched."""
    look, title = charts.palette(), f"What the solver “{part.method}” did"
    did, fell = st.columns([1, 1.25], gap="large")
    with did:
        charts.figure(figures.history(part.history or (part.variance,), leading, look, title=title), "history")
    with fell:
        if trace:
            charts.figure(figures.ceiling(trace, leading, look), "ceiling")


def takeaway(
    part: Component,
    proof: Certificate | None,
    data: Dataset,
    now: State,
    choice: Solver,
    drawn: dict[str, Figure],
    leading: float,
) -> None:
    """Offer the loadings, the run on one page, the figures and the code."""
    stem = f"{data.name}-k{part.k}-{part.method}"
    with st.container(horizontal=True):
        _offer_tables(part, data, now, stem)
        charts.json_button(
            lambda: report.as_json(part, proof, data, now),
            "json-explore",
            f"{stem}.json",
            "What was asked, what was found, what is proven.",
        )
        charts.download(
            "Report (HTML)",
            lambda: _report(part, proof, data, now, choice, leading),
            "report-explore",
            f"{stem}-report.html",
            "Data, method, numbers, certificate and pictures: prints on one page.",
            icon="description",
        )
        for name, figure in drawn.items():
            charts.figure_button(figure, f"html-explore-{name}", f"{stem}-{name}.html", f"{name.capitalize()} (HTML)")
    st.markdown("The same with the library:")
    st.code(_code(now, choice), language="python", wrap_lines=True)


def _offer_tables(part: Component, data: Dataset, now: State, stem: str) -> None:
    """Offer the loadings, the features and the scores of the component."""
    charts.csv_button(
        loadings_csv(part, data.feature_names),
        "csv-explore",
        f"{stem}.csv",
        "Loadings (CSV)",
        "Every feature with its loading.",
    )
    charts.download(
        "Loadings (NPZ)",
        lambda: _loadings_npz(part, data.feature_names),
        "npz-explore",
        f"{stem}.npz",
        "For numpy.load, with feature names and variance.",
    )
    found = {part.method: part.loadings[:, None]}
    charts.download(
        "Features (GMT)",
        lambda: tables.feature_lists(found, data),
        "gmt-explore",
        f"{stem}.gmt",
        "Its features as a list, for programs that take sets of genes.",
    )
    if data.kind != "covariance":
        charts.download(
            "Scores (CSV)",
            lambda: tables.scores(found, data, now),
            "scores-explore",
            f"{stem}-scores.csv",
            "How much of the component each sample has.",
        )


def _report(
    part: Component, proof: Certificate | None, data: Dataset, now: State, choice: Solver, leading: float
) -> bytes:
    mean = sheet.may_show_mean(data)
    return report.page(part, proof, data, now, leading, _code(now, choice), mean).encode()


def loadings_csv(component: Component, feature_names: Sequence[str]) -> bytes:
    """Return every feature with its loading, in the data's order."""
    return downloads.table_csv(
        {"feature": str(name), "loading": float(weight)}
        for name, weight in zip(feature_names, component.loadings, strict=True)
    )


def _loadings_npz(part: Component, feature_names: Sequence[str]) -> bytes:
    """Return the component as an NPZ file that opens with ``allow_pickle=False``."""
    return downloads.arrays_npz(
        loadings=part.loadings,
        support=part.support,
        variance=np.array(part.variance),
        k=np.array(part.k),
        nonnegative=np.array(part.nonnegative),
        method=np.array(part.method),
        feature_names=np.array([str(name) for name in feature_names]),
    )


def _code(now: State, choice: Solver) -> str:
    """Return the Python that finds this component and its certificate again."""
    setting = f"nonnegative={now.nonnegative}"
    return "\n".join(
        [
            *downloads.data_lines(now),
            f"part = nnspca.solve(cov, {now.k}, {choice.method!r}, {setting}, seed={now.seed}{choice.arguments})",
            f"cert = nnspca.certify(cov, {now.k}, {setting}, component=part)",
            "nnspca.verify(cert, cov)  # raises unless a second route agrees",
            "print(part.support, part.variance, part.variance / cert.upper)",
        ]
    )
