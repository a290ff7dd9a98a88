"""What goes home of a component or of several parts: tables, lists, the certificate, a page to print, the code."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

import nnspca
from nnspca.result import Certificate, Components, PartsCertificate, sentences
from nnspca.view import sanitize, say, sheet
from nnspca.view.certificate import panels
from nnspca.view.ledger import Known
from nnspca.view.session import Content
from nnspca.view.subject import Subject
from nnspca.view.ui import component, downloads

NONE = "No certificate was opened."  # nothing is run for what is known already


def offer(
    stem: str,
    results: Mapping[str, Components],
    known: Known | None,
    proof: Certificate | PartsCertificate | None,
    subject: Subject,
    *,
    verdict: str,
    method: str,
    code: str,
    more: Mapping[str, Content],
) -> None:
    """Offer the parts of each solver as files, with ``more`` of the page's own.

    ``known`` is what the ledger has of the first solver's, ``verdict`` what the page says of them, ``method`` how they
    were found.
    """
    data, loadings = subject.data, {way: parts.loadings for way, parts in results.items()}
    parts, cov = next(iter(results.values())), subject.cov
    beside = sheet.Sheet(parts, subject)
    sheet.section(beside)
    held: dict[str, Content] = {
        "report.html": lambda: report(parts, known, proof, subject, verdict=verdict, method=method, code=code).encode(),
        "sheet.xlsx": lambda: workbook(beside, known, verdict, code),
        "parts.csv": lambda: downloads.table_csv(rows(results)),
        "parts.json": lambda: as_json(results, known, subject),
        "loadings.csv": lambda: downloads.loadings_long(loadings, data),
        "loadings-wide.csv": lambda: downloads.loadings_wide(loadings, data),
        "features.gmt": lambda: downloads.feature_lists(loadings, data),
    }
    if data.kind != "covariance":
        held["scores.csv"] = lambda: downloads.scores(loadings, subject)
    if proof is not None:
        held["certificate.npz"] = lambda: panels.certificate_npz(proof, cov)
    downloads.offer(stem, {**held, **more}, code)


def workbook(beside: sheet.Sheet, known: Known | None, verdict: str, code: str) -> bytes:
    """Return the sheet as an Excel workbook."""
    said = [{"": "answer", " ": verdict.replace("**", "")}]
    said += [{"": row[0], " ": " · ".join(filter(None, row[1:]))} for row in _numbers(beside.parts, known)[1:]]
    said += [{"": "left out", " ": note} for note in beside.left_out]
    said += [{"": "code", " ": line} for line in code.splitlines()]
    tables = {"Answer": said, "Loadings": beside.loadings, "Groups": beside.groups, "Scores": beside.scores}
    return sheet.workbook(tables)


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


def as_json(results: Mapping[str, Components], known: Known | None, subject: Subject) -> bytes:
    """Return the parts of each solver as JSON, and what is proven of the first: the features and their loadings."""
    names = subject.data.feature_names
    records = {
        solver: {
            "options": parts.parts[0].options,
            "cumulative_variance": parts.cumulative_variance,
            "parts": [
                {
                    "variance": variance,
                    "support": np.flatnonzero(column),
                    "features": [str(names[i]) for i in np.flatnonzero(column)],
                    "loadings": column[column != 0],
                }
                for column, variance in zip(parts.loadings.T, parts.variances, strict=True)
            ],
        }
        for solver, parts in results.items()
    }
    proven = None
    if known is not None and known.bounded:
        proven = {"lower": known.lower, "upper": known.upper, "total": subject.total, "source": known.source}
    return downloads.json_of(
        {**downloads.data_record(subject), "k": subject.k, "solvers": records, "proven": proven},
    )


def report(
    parts: Components,
    known: Known | None,
    proof: Certificate | PartsCertificate | None,
    subject: Subject,
    *,
    verdict: str,
    method: str,
    code: str,
) -> str:
    """Return parts as a web page that needs nothing else and prints on one sheet."""
    data, many, noun = subject.data, len(parts.parts), component.noun(subject.data)
    described = [replace(part, features=subject.cov.features) for part in parts.parts]
    if many == 1:
        what = f"{parts.parts[0].cardinality} of {data.n_features:,} {noun}"
        words = sentences.component(described[0])
    else:
        what, words = f"{many} parts of at most {subject.k:,} {noun}", sentences.listing(described, parts.total)
    claim = NONE if proof is None else panels.claim(proof, subject)
    if isinstance(proof, Certificate):
        claim += f" {panels.why(proof.winner)}"
    return panels.sheet(
        what,
        f"{verdict} {sanitize.line(words).replace('**', '* *')}",  # a name turns no text bold
        component.of(parts, data),
        subject,
        f"{method} {nnspca.METHODS[parts.method].summary} At most {subject.k:,} features, "
        f"{'nonnegative loadings' if subject.nonnegative else 'loadings of either sign'}, seed {subject.seed}.",
        _numbers(parts, known),
        claim,
        code,
        sheet.on_paper(sheet.Sheet(parts, subject)),
    )


def _numbers(parts: Components, known: Known | None) -> list[tuple[str, ...]]:
    listed: list[tuple[str, ...]] = [("", "features", "variance", "share of the total variance", "cumulative share")]
    listed += [
        (
            f"Part {r + 1}",
            f"{part.cardinality:,}",
            say.number(part.variance),
            say.percent(part.variance / parts.total, 1),
            say.percent(parts.cumulative_variance[r] / parts.total, 1),
        )
        for r, part in enumerate(parts.parts)
    ]
    if known is not None and math.isfinite(known.upper):
        most = f"{say.at_most(100 * known.upper / parts.total, 1)} %"
        listed.append(("Upper bound (proven)", "", say.number(known.upper, up=True), "", most))
        listed.append(("Proven share of the optimum", "", "", "", say.proven_percent(known.ratio)))
    if len(parts.parts) > 1:
        listed.append(("Overlap", say.fixed(parts.overlap, 2), "", "", ""))
    return listed
