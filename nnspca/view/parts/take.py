"""Downloads of the parts page: tables, lists, scores, a report, the figures and the code."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Components, PartsCertificate, sentences
from nnspca.view import sanitize
from nnspca.view.certificate import sheet
from nnspca.view.link.state import State
from nnspca.view.parts import run, together, verdict
from nnspca.view.parts.choices import Choices, title_of
from nnspca.view.parts.figures.over_mean import COLOURS
from nnspca.view.results.ledger import Known
from nnspca.view.sources import store
from nnspca.view.ui import charts, downloads, scene
from nnspca.view.words import at_most, fixed, number, percent, seconds

EACH = 4  # features of a part that the report names, those of largest loadings
MOST = 20  # and of all parts


def rows(results: Mapping[str, Components]) -> list[dict[str, object]]:
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


def _npz(parts: Components, data: Dataset) -> bytes:
    return downloads.arrays_npz(
        loadings=parts.loadings,
        variances=parts.variances,
        cumulative_variance=parts.cumulative_variance,
        feature_names=np.array([str(name) for name in data.feature_names]),
    )


def _json(results: Mapping[str, Components], data: Dataset, now: State) -> bytes:
    """Return the parts of each solver as JSON: the features each uses, with their loadings."""
    records = {
        solver: {
            "cumulative_variance": parts.cumulative_variance,
            "parts": [
                {
                    "variance": variance,
                    "features": [str(data.feature_names[i]) for i in np.flatnonzero(column)],
                    "support": np.flatnonzero(column),
                    "loadings": column[column != 0],
                }
                for column, variance in zip(parts.loadings.T, parts.variances, strict=True)
            ],
        }
        for solver, parts in results.items()
    }
    return downloads.json_of({**downloads.data_record(data, now), "solvers": records})


def takeaway(
    results: Mapping[str, Components],
    known: Known,
    proof: PartsCertificate | None,
    data: Dataset,
    now: State,
    choice: Choices,
    figures: dict,
) -> None:
    """Offer the table, the loadings, the scores, a report, the figures and the code."""
    listed = rows(results)
    st.dataframe(listed, hide_index=True, alt="One row for each part of each solver.")
    stem = f"{data.name}-parts"
    code = _whole_code(results, data, now, choice)
    with st.container(horizontal=True):
        charts.download(
            "Parts (CSV)", downloads.table_csv(listed), "csv-parts", f"{stem}.csv", "One row for each part."
        )
        _offer_tables({way: parts.loadings for way, parts in results.items()}, data, now, stem)
        charts.json_button(functools.partial(_json, results, data, now), "json-parts", f"{stem}.json")
        charts.download(
            "Report (HTML)",
            lambda: report(results, known, proof, data, now, choice, code).encode(),
            "report-parts",
            f"{stem}-report.html",
            "Data, solver, numbers, certificate and a picture: prints on one page.",
        )
        for solver, parts in results.items():
            charts.download(
                f"Loadings: {title_of(solver, choice)} (NPZ)",
                functools.partial(_npz, parts, data),
                f"npz-parts-{solver}",
                f"{stem}-{solver}.npz",
            )
        for name, figure in figures.items():
            charts.figure_button(
                figure, f"html-parts-{name}", f"{stem}-{name}.html", f"{_called(name, results, choice)} (HTML)"
            )
    st.markdown("The same with the library:")
    st.code(code, language="python", wrap_lines=True)


def _called(name: str, results: Mapping[str, Components], choice: Choices) -> str:
    way = name.removeprefix("moved-")
    if way not in results:
        return name.capitalize()
    return title_of(way, choice) if way == name else f"Moved features: {title_of(way, choice)}"


def _offer_tables(components: downloads.ComponentsBySolver, data: Dataset, now: State, stem: str) -> None:
    """Offer loadings, features and scores of all parts, each made only when asked for."""
    charts.download(
        "Loadings, long (CSV)",
        lambda: downloads.loadings_long(components, data),
        "long-parts",
        f"{stem}-loadings.csv",
        "One row for each loading that is not zero.",
    )
    charts.download(
        "Loadings, wide (CSV)",
        lambda: downloads.loadings_wide(components, data),
        "wide-parts",
        f"{stem}-loadings-wide.csv",
        "One row for each feature, one column for each part.",
    )
    charts.download(
        "Features (GMT)",
        lambda: downloads.feature_lists(components, data),
        "gmt-parts",
        f"{stem}.gmt",
        "Each part's features as a list, for programs that take sets of genes.",
    )
    if data.kind != "covariance":
        charts.download(
            "Scores (CSV)",
            lambda: downloads.scores(components, data, now),
            "scores-parts",
            f"{stem}-scores.csv",
            "The score of every sample on every part.",
        )


def _whole_code(results: Mapping[str, Components], data: Dataset, now: State, choice: Choices) -> str:
    """Return the Python that finds the first solver's parts again; NMF takes the samples themselves apart."""
    first = next(iter(results))
    method, options = results[first].method, dict(run.arguments(first, choice, now))
    extra = "".join(f", {name}={value!r}" for name, value in options.items())
    setting = f"nonnegative={now.nonnegative and method != 'pca'}"
    call = [f"parts = nnspca.decompose(cov, {choice.r}, {now.k}, {method!r}, {setting}, seed={now.seed}{extra})"]
    if first == "nmf" and run.of_samples(data, now):
        imported = "from nnspca.solvers import nmf"
        call = [imported, f"parts = nmf.of_samples(data.X, cov, {choice.r}, seed={now.seed})"]
    return "\n".join(
        [
            *downloads.data_lines(now),
            *call,
            "print(parts.cardinalities, parts.variances, parts.cumulative_variance / parts.total)",
            "print(parts.overlap, parts.angles)",
        ]
    )


def report(
    results: Mapping[str, Components],
    known: Known,
    proof: PartsCertificate | None,
    data: Dataset,
    now: State,
    choice: Choices,
    code: str,
) -> str:
    """Return the lead's parts as a web page that needs nothing else and prints on one sheet."""
    way = choice.lead if choice.lead in results else next(iter(results))
    parts, many, seen = results[way], len(results[way].parts), store.covariance(data, now).features
    described = [dataclasses.replace(part, features=seen) for part in parts.parts]
    said = sanitize.line(sentences.listing(described, parts.total)).replace("**", "* *")  # a name turns no text bold
    return sheet.sheet(
        f"{many} {'part' if many == 1 else 'parts'} of at most {now.k:,} {scene.noun(data)}",
        f"{verdict.headline(results, known, choice, done=True)} {said}",
        parts.loadings,
        _bars(parts, data),
        COLOURS,
        data,
        now,
        f"{title_of(way, choice)}. {nnspca.METHODS[parts.method].summary} Kept apart: "
        f"{nnspca.DEFLATIONS[parts.deflation].summary} Seed {now.seed}; {seconds(parts.seconds)}.",
        _numbers(parts, known if together.applies(parts) else None),
        "No certificate was made before the run ended." if proof is None else verdict.proven(proof, data.n_features),
        code,
    )


def _numbers(parts: Components, known: Known | None) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("", "features", "variance", "share of the total variance", "cumulative share")]
    rows += [
        (
            f"Part {r + 1}",
            f"{part.cardinality:,}",
            number(part.variance),
            percent(part.variance / parts.total, 1),
            percent(parts.cumulative_variance[r] / parts.total, 1),
        )
        for r, part in enumerate(parts.parts)
    ]
    if known is not None and math.isfinite(known.upper):
        most = f"{at_most(100 * known.upper / parts.total, 1)} %"
        rows.append(("Proven maximum of all such parts", "", number(known.upper, up=True), "", most))
    rows.append(("Overlap", fixed(parts.overlap, 2), "", "", ""))
    return rows


def _bars(parts: Components, data: Dataset) -> list[sheet.Bar]:
    """Return the largest loadings of each part in its colour."""
    each = max(1, min(EACH, MOST // max(len(parts.parts), 1)))
    return [
        (f"{r + 1}: {data.feature_names[i]}", float(column[i]), COLOURS[r % len(COLOURS)])
        for r, column in enumerate(parts.loadings.T)
        for i in np.argsort(-np.abs(column), kind="stable")[:each]
        if column[i]
    ]
