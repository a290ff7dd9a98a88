"""What to do with parts: rebuild a sample, the classes along a part, and what goes home."""

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
from nnspca.view import sanitize, say
from nnspca.view.certificate import panels as certificates
from nnspca.view.figures import style
from nnspca.view.figures.style import Figure
from nnspca.view.ledger import Known
from nnspca.view.link.widgets import choose
from nnspca.view.parts import figures, panels, run
from nnspca.view.parts.run import KEYS, Choices, title_of
from nnspca.view.say import at_most, fixed, number, percent, seconds
from nnspca.view.session import Content
from nnspca.view.subject import Subject
from nnspca.view.ui import charts, component, downloads

NOUNS = {"faces": "face", "images": "image", "spectra": "spectrum"}


def samples(results: Mapping[str, Components], subject: Subject, choice: Choices) -> None:
    """Show what the parts say about samples: a reconstruction, or the classes along each part."""
    data = subject.data
    if data.kind == "covariance":
        st.markdown("A covariance has no samples to reconstruct.")
        return
    way = next(iter(results))
    if choice.lead in results:
        kept_apart = [
            "" if (how := nnspca.DEFLATIONS[parts.deflation].title) == title_of(name, choice) else how.lower()
            for name, parts in results.items()
        ]
        way = choose(
            KEYS["from"],
            "Which parts",
            options=list(results),
            format_func=lambda name: title_of(name, choice),
            horizontal=True,
            captions=kept_apart,
        )
    parts = results[way]
    if data.image_shape is not None or data.axis is not None:
        _reconstruction(parts, subject)
    if data.labels is not None:
        _classes(parts, subject)


def _reconstruction(parts: Components, subject: Subject) -> None:
    """Rebuild a sample from the mean and its parts, as a slider adds them."""
    data = subject.data
    which, many = st.columns(2)
    with which:
        number = _sample(data)
    with many:
        used = choose(
            KEYS["used"],
            "Parts used",
            usual=len(parts.parts),
            high=len(parts.parts),
            help="0: the mean alone. Each further part adds what it explains.",
        )
    sample = data.rows(slice(number - 1, number))[0]
    U = parts.loadings[:, :used]
    mean = data.means
    spread = np.where(data.deviations > 0, data.deviations, 1.0) if subject.standardise else np.ones(data.n_features)
    away = (sample - mean) / spread
    near = U @ np.linalg.lstsq(U, away, rcond=None)[0] if used else np.zeros_like(away)
    approximation = mean + spread * near
    left = float((away - near) @ (away - near)) / (float(away @ away) or 1.0)
    title = f"{called(data, number)}, and its reconstruction from {used} {'part' if used == 1 else 'parts'}"
    if data.image_shape is not None:
        figure = figures.rebuilt(sample, approximation, data.image_shape, charts.palette(), title=title)
    else:
        assert data.axis is not None
        figure = figures.retraced(sample, approximation, data.axis, charts.palette(), title=title)
    charts.figure(figure, "rebuilt")
    what, these = NOUNS.get(data.kind, "sample"), "This part explains" if used == 1 else "These parts explain"
    if used:
        st.markdown(f"{these} **{say.percent(1 - left)}** of this {what}'s squared distance from the mean.")
    else:
        st.markdown(f"The mean alone. Parts explain how this {what} differs from the mean.")


def _sample(data: Dataset) -> int:
    """Let the person choose a sample: by name where samples have names, else by number."""
    about = "The sample to reconstruct from the parts."
    if not data.sample_names:
        return int(choose(KEYS["sample"], "Sample", high=data.shape[0], help=about))
    by_name = dataclasses.replace(KEYS["sample"], kind="one", widget="", low=None)
    numbers = tuple(range(1, data.shape[0] + 1))
    return int(choose(by_name, "Sample", options=numbers, format_func=lambda number: called(data, number), help=about))


def called(data: Dataset, number: int) -> str:
    """Return what a sample is called: its name beside its number, counted from 1."""
    name = sanitize.line(data.sample_names[number - 1], sanitize.NAME) if data.sample_names else ""
    return f"Sample {number}{f' ({name})' if name else ''}"


def _classes(parts: Components, subject: Subject) -> None:
    """Show the samples along one part, class by class."""
    data = subject.data
    part = 1
    if len(parts.parts) > 1:
        part = choose(
            KEYS["along"],
            "Part whose scores are drawn",
            high=len(parts.parts),
            help="Samples far to the right have much of this part.",
        )
    labels = [str(data.label_names[i]) if data.label_names else str(i) for i in np.asarray(data.labels)]
    values = nnspca.scores(data.X, parts.loadings[:, part - 1], mean="own", standardize=subject.standardise)
    title = f"The samples along part {part}"
    charts.figure(figures.along_part(values, labels, charts.palette(), title=title), "scores")


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


def _json(results: Mapping[str, Components], subject: Subject) -> bytes:
    """Return the parts of each solver as JSON: the features each uses, with their loadings."""
    records = {
        solver: {
            "cumulative_variance": parts.cumulative_variance,
            "parts": [
                {
                    "variance": variance,
                    "features": [str(subject.data.feature_names[i]) for i in np.flatnonzero(column)],
                    "support": np.flatnonzero(column),
                    "loadings": column[column != 0],
                }
                for column, variance in zip(parts.loadings.T, parts.variances, strict=True)
            ],
        }
        for solver, parts in results.items()
    }
    return downloads.json_of({**downloads.data_record(subject), "solvers": records})


def takeaway(
    results: Mapping[str, Components],
    known: Known,
    proof: PartsCertificate | None,
    subject: Subject,
    choice: Choices,
    figures: Mapping[str, Figure],
) -> None:
    """Show the table of parts, and offer everything as files: tables, loadings, scores, a report, the curves."""
    data = subject.data
    listed, code = rows(results), _whole_code(results, subject, choice)
    st.dataframe(listed, hide_index=True, alt="One row for each part of each solver.")
    loadings = {way: parts.loadings for way, parts in results.items()}
    cov = subject.cov
    held: dict[str, Content] = {
        "report.html": lambda: report(results, known, proof, subject, choice, code).encode(),
        "parts.csv": lambda: downloads.table_csv(listed),
        "parts.json": lambda: _json(results, subject),
        "loadings.csv": lambda: downloads.loadings_long(loadings, data),
        "loadings-wide.csv": lambda: downloads.loadings_wide(loadings, data),
        "features.gmt": lambda: downloads.feature_lists(loadings, data),
    }
    if data.kind != "covariance":
        held["scores.csv"] = lambda: downloads.scores(loadings, subject)
    if proof is not None:
        held["certificate.npz"] = lambda: certificates.certificate_npz(proof, cov)
    for way, parts in results.items():
        held[f"loadings-{way.replace(' ', '-')}.npz"] = functools.partial(_npz, parts, data)
    for name, figure in figures.items():
        held[f"{name}.html"] = functools.partial(_page, figure)
    downloads.offer(f"{data.name}-parts", held, code)


def _page(figure: Figure) -> bytes:
    return style.page(figure).encode()


def _whole_code(results: Mapping[str, Components], subject: Subject, choice: Choices) -> str:
    """Return the Python that finds the first solver's parts again; NMF takes the samples themselves apart."""
    first = next(iter(results))
    method, options = results[first].method, dict(run.arguments(first, choice, subject.now))
    extra = "".join(f", {name}={value!r}" for name, value in options.items())
    setting = f"nonnegative={subject.nonnegative and method != 'pca'}"
    call = [
        f"parts = nnspca.decompose(cov, {choice.r}, {subject.k}, {method!r}, {setting}, seed={subject.seed}{extra})"
    ]
    if first == "nmf" and run.of_samples(subject):
        imported = "from nnspca.solvers import nmf"
        call = [imported, f"parts = nmf.of_samples(data.X, cov, {choice.r}, seed={subject.seed})"]
    return "\n".join(
        [
            *downloads.data_lines(subject.now),
            *call,
            "print(parts.cardinalities, parts.variances, parts.cumulative_variance / parts.total)",
            "print(parts.overlap, parts.angles)",
        ]
    )


def report(
    results: Mapping[str, Components],
    known: Known,
    proof: PartsCertificate | None,
    subject: Subject,
    choice: Choices,
    code: str,
) -> str:
    """Return the lead's parts as a web page that needs nothing else and prints on one sheet."""
    data = subject.data
    way = choice.lead if choice.lead in results else next(iter(results))
    parts, many, seen = results[way], len(results[way].parts), subject.cov.features
    described = [dataclasses.replace(part, features=seen) for part in parts.parts]
    said = sanitize.line(sentences.listing(described, parts.total)).replace("**", "* *")  # a name turns no text bold
    return certificates.sheet(
        f"{many} {'part' if many == 1 else 'parts'} of at most {subject.k:,} {component.noun(data)}",
        f"{panels.headline(results, known, choice, done=True)} {said}",
        component.of(parts, data),
        subject,
        f"{title_of(way, choice)}. {nnspca.METHODS[parts.method].summary} Kept apart: "
        f"{nnspca.DEFLATIONS[parts.deflation].summary} Seed {subject.seed}; {seconds(parts.seconds)}.",
        _numbers(parts, known if run.applies(parts) else None),
        "No certificate was made before the run ended." if proof is None else panels.proven(proof, data.n_features),
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
