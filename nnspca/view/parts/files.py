"""What goes home of the parts: files, pictures and the code that finds them again."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

import nnspca
from nnspca.result import Components
from nnspca.view import export
from nnspca.view.certificate import proofs
from nnspca.view.figures import style
from nnspca.view.figures.style import Figure
from nnspca.view.parts import panels
from nnspca.view.parts.choices import Choices, arguments, title_of
from nnspca.view.parts.view import View
from nnspca.view.parts.work import nmf_takes_samples
from nnspca.view.subject import Subject, is_disjoint
from nnspca.view.ui import downloads


def parts_files(view: View, drawn: Mapping[str, Figure]) -> None:
    """Show the table of parts, and offer everything as files."""
    results, choice = view.results, view.choice
    st.dataframe(export.part_records(results), hide_index=True, alt="One row for each part of each solver.")
    way = choice.lead if choice.lead in results else next(iter(results))
    ordered = {way: results[way], **results}
    apart = nnspca.DEFLATIONS[results[way].deflation].summary
    answer = export.Answer(
        ordered,
        view,
        verdict=panels.first_claim(replace(view, done=True)),
        method=f"{title_of(way, choice)}. Kept apart: {apart}",
        code=_whole_code(results, view, choice),
        known=view.best if is_disjoint(results[way]) else None,
        prove=functools.partial(proofs.made, view, results[way], choice.r) if is_disjoint(results[way]) else None,
    )
    more = {f"{name}.html": functools.partial(style.figure_page, figure) for name, figure in drawn.items()}
    export.export_panel(f"{view.data.name}-parts", answer, more)


def _whole_code(results: Mapping[str, Components], subject: Subject, choice: Choices) -> str:
    """Return the Python that finds the first solver's parts again; NMF takes the samples themselves apart."""
    first = next(iter(results))
    method, options = results[first].method, dict(arguments(first, choice, subject.now))
    extra = "".join(f", {name}={value!r}" for name, value in options.items())
    setting = f"nonnegative={subject.nonnegative and method != 'pca'}"
    call = [
        f"parts = nnspca.decompose(cov, {choice.r}, {subject.k}, {method!r}, {setting}, seed={subject.seed}{extra})"
    ]
    if first == "nmf" and nmf_takes_samples(subject):
        imported = "from nnspca.solvers import nmf"
        call = [imported, f"parts = nmf.nmf_of_samples(data.X, cov, {choice.r}, seed={subject.seed})"]
    return "\n".join(
        [
            *downloads.data_lines(subject.now),
            *call,
            "print(parts.cardinalities, parts.variances, parts.cumulative_variance / parts.total)",
            "print(parts.overlap, parts.angles)",
        ]
    )
