"""More of the Explore page: downloads, code and a report, the data, which k the samples support, and stability."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component, SweepPoint, sentences
from nnspca.view import sanitize, say
from nnspca.view.certificate import claims, proofs, sheet
from nnspca.view.certificate import panels as certificates
from nnspca.view.explore import held_out, proof
from nnspca.view.explore.choices import KEYS, Choices
from nnspca.view.explore.content import View, indispensable, sought
from nnspca.view.figures import style
from nnspca.view.link.state import MORE, State
from nnspca.view.link.widgets import choose
from nnspca.view.robust import need, stability
from nnspca.view.session import Content
from nnspca.view.sources import store
from nnspca.view.ui import component, downloads, preview
from nnspca.view.words import at_least, at_most, number, proven_percent, seconds

TITLE = "Downloads and code, the data, choosing k, stability"
LABELS = dict(zip(MORE, ("Downloads and code", "The data", "Which k?", "Stability"), strict=True))


def panel(view: View, data: Dataset, now: State, choice: Choices) -> None:
    """Show downloads, the data, the choice of k by held-out samples, or stability, as chosen."""
    options = MORE if data.kind != "covariance" else MORE[:2]  # the others draw samples
    which = choose(
        KEYS["more_view"],
        "Show",
        options=options,
        format_func=LABELS.__getitem__,
        horizontal=True,
        label_visibility="collapsed",
    )
    if which == "data":
        preview.overview(data, now)
    elif which == "which k":
        held_out.panel(data, now, choice)
    elif which == "stability":
        _stability(view.part, data, now)
    elif view.part is not None:
        _downloads(view.part, view, data, now, choice)


def _stability(part: Component | None, data: Dataset, now: State) -> None:
    """Show how stable the component is, where it keeps to the constraints."""
    if part is None or not nnspca.METHODS[part.method].feasible:
        st.markdown("Stability is estimated only for components with at most k loadings of the allowed signs.")
    else:
        stability.panel(sought(part, data, now), data, now)


def _downloads(part: Component, view: View, data: Dataset, now: State, choice: Choices) -> None:
    """Offer everything as files: the loadings, the curves, the run on one page; and the code."""
    proven, code, cov = proofs.certificate_at(data, now, now.k), _code(now, choice), store.covariance(data, now)
    loadings = {part.method: part.loadings[:, None]}
    held: dict[str, Content] = {
        "report.html": lambda: report(part, proven, data, now, view.leading, code).encode(),
        "component.json": lambda: as_json(part, proven, data, now),
        "loadings.csv": lambda: loadings_csv(part, data),
        "loadings.npz": lambda: _loadings_npz(part, data),
        "features.gmt": lambda: downloads.feature_lists(loadings, data),
        "curves.csv": lambda: downloads.table_csv(rows(view)),
        "band.html": lambda: style.page(proof.figure(view)).encode(),
    }
    if data.kind != "covariance":
        held["scores.csv"] = lambda: downloads.scores(loadings, data, now)
    if proven is not None:
        held["certificate.npz"] = lambda: certificates.certificate_npz(proven, cov)
    downloads.offer(f"{data.name}-k{part.k}-{part.method}", held, code)


def rows(view: View) -> list[dict[str, object]]:
    """Return one row for each k and solver: variance, upper bound, and the proven share of the optimum."""
    curves = {"best known": {k: row.component for k, row in view.known.items() if row.found}} | dict(view.others)
    records = []
    for name, points in curves.items():
        for k, part in sorted(points.items()):
            upper = view.known[k].upper if k in view.known else np.inf
            point = nnspca.Sweep((SweepPoint(k, name, part),), view.leading).to_records()[0]
            bounded = bool(np.isfinite(upper))
            records.append(
                point
                | {
                    "lower": view.known[k].lower if bounded else None,
                    "upper": upper if bounded else None,
                    "ratio": part.variance / upper if bounded else None,
                }
            )
    return records


def loadings_csv(part: Component, data: Dataset) -> bytes:
    """Return every feature with its loading, in the data's order."""
    return downloads.table_csv(
        {"feature": str(name), "loading": float(loading)}
        for name, loading in zip(data.feature_names, part.loadings, strict=True)
    )


def _loadings_npz(part: Component, data: Dataset) -> bytes:
    """Return the component as an NPZ file that opens with ``allow_pickle=False``."""
    return downloads.arrays_npz(
        loadings=part.loadings,
        support=part.support,
        variance=np.array(part.variance),
        k=np.array(part.k),
        nonnegative=np.array(part.nonnegative),
        method=np.array(part.method),
        feature_names=np.array([str(name) for name in data.feature_names]),
    )


def _code(now: State, choice: Choices) -> str:
    """Return the Python that finds this component, its certificate and the curves again."""
    setting = f"nonnegative={now.nonnegative}"
    method, arguments = choice.solver.method, choice.solver.arguments
    return "\n".join(
        [
            *downloads.data_lines(now),
            f"part = nnspca.solve(cov, {now.k}, {method!r}, {setting}, seed={now.seed}{arguments})",
            f"cert = nnspca.certify(cov, {now.k}, {setting}, component=part)",
            "nnspca.verify(cert, cov)  # raises unless a second route agrees",
            "print(part.support, part.variance, part.variance / cert.upper)",
            "",
            f"curve = nnspca.sweep(cov, {list(choice.ks)}, methods={choice.methods!r},",
            f"                     {setting}, certify='live', seed={now.seed})",
            "for row in curve.to_records():",
            "    print(row)",
        ]
    )


def report(part: Component, proof: Certificate | None, data: Dataset, now: State, leading: float, code: str) -> str:
    """Return the run as a web page that needs nothing else and prints on one sheet."""
    described = replace(part, features=store.covariance(data, now).features)
    said = sanitize.line(sentences.component(described)).replace("**", "* *")  # a name turns no text bold
    info = nnspca.METHODS.get(part.method)
    title = f"{info.title}. {info.summary}" if info else part.method
    sign = "nonnegative loadings" if part.nonnegative else "loadings of either sign"
    return sheet.sheet(
        f"{part.cardinality} of {data.n_features:,} {component.noun(data)}",
        f"{said} {indispensable(part, data, now)}".strip()
        + " "
        + (
            say.proven(part.variance, proof.upper, proof.leading)
            if proof
            else "No upper bound had been proven when this was saved."
        ),
        component.of(need.only(part, store.covariance(data, now).trace), data),
        data,
        now,
        f"{title} At most {part.k:,} features, {sign}, seed {now.seed}; {seconds(part.seconds)}.",
        _numbers(part, proof, leading),
        f"{claims.claim(proof, data.n_features)} {claims.why(proof.winner)}" if proof else "None yet.",
        code,
    )


def as_json(part: Component, proof: Certificate | None, data: Dataset, now: State) -> bytes:
    """Return the run as JSON: its settings, its component and its upper bound."""
    return downloads.json_of(
        {
            **downloads.data_record(data, now),
            "nonnegative": part.nonnegative,
            "k": part.k,
            "method": part.method,
            "options": {key: value for key, value in part.options.items() if isinstance(value, int | float | str)},
            "variance": part.variance,
            "support": part.support.tolist(),
            "features": [str(data.feature_names[i]) for i in part.support],
            "loadings": part.loadings[part.support].tolist(),
            "proven": None
            if proof is None
            else {"lower": proof.lower, "upper": proof.upper, "bound": proof.winner.name, "leading": proof.leading},
        }
    )


def _numbers(part: Component, proof: Certificate | None, leading: float) -> list[tuple[str, str]]:
    rows = [
        ("Variance x'Ax", number(part.variance)),
        ("in % of λ₁", at_least(100 * part.variance / leading, 1)),
    ]
    if proof is not None:
        rows += [
            ("Upper bound (proven)", number(proof.upper, up=True)),
            ("in % of λ₁", at_most(100 * proof.upper / leading, 1)),
            ("Proven share of the optimum", proven_percent(say.share(part.variance, proof.upper))),
        ]
    return rows
