"""The parts page's panels: the parts side by side, what they explain together, what is proven, what to take home."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Components
from nnspca.view import foreign, words
from nnspca.view.figures.style import Figure
from nnspca.view.parts import figures, run
from nnspca.view.parts.choices import KEYS, Choices
from nnspca.view.session import charts, downloads, preview
from nnspca.view.session.runs import Job
from nnspca.view.session.state import State
from nnspca.view.session.widgets import choose

SAMPLES = 18  # images shown with the parts
FEW = 2  # solvers beside which those images are large enough to be made out
PAGE = 860  # pixels a page has for its columns, about


def side_by_side(results: Mapping[str, Components], data: Dataset) -> dict[str, Figure]:
    """Show each solver's parts in its own column; return the figures."""
    drawn: dict[str, Figure] = {}
    pictured = data.image_shape is not None and data.kind != "covariance"
    beside = pictured and len(results) <= FEW
    above = st.container(width=PAGE // 3)
    columns = st.columns([0.6] * beside + [1.0] * len(results), gap="medium")
    if pictured:
        with columns[0] if beside else above:
            st.markdown("**Some of the data**")
            said = f"Some of the images of {foreign.line(data.title)}."
            st.image(preview.sheet(data, SAMPLES), width="stretch", alt=said)
    for column, (solver, parts) in zip(columns[int(beside) :], results.items(), strict=True):
        with column:
            drawn[solver] = _picture(parts, data, nnspca.METHODS[solver].title, PAGE // len(columns))
            charts.figure(drawn[solver], f"parts-{solver}")
            share = 100 * parts.cumulative_variance[-1] / parts.total
            st.caption(
                f"{nnspca.DEFLATIONS[parts.deflation].title}. {len(parts.parts)} parts of "
                f"{_range(parts.cardinalities)} features explain {share:.1f} % of all variance; "
                f"overlap {parts.overlap:.2f}; {words.seconds(parts.seconds)}."
                + (f" Note: {parts.note}." if parts.note else "")
            )
    return drawn


def _range(counts: np.ndarray) -> str:
    """Say how many features the parts use."""
    low, high = int(counts.min()), int(counts.max())
    return f"{high:,}" if low == high else f"{low:,} to {high:,}"


def _picture(parts: Components, data: Dataset, title: str, width: int) -> Figure:
    """Draw parts as the kind of data asks."""
    U, look, nonnegative = parts.loadings, charts.palette(), bool((parts.loadings >= 0).all())
    if data.image_shape is not None:
        return figures.tiles(U, data.image_shape, look, nonnegative=nonnegative, title=title, width=width)
    if data.axis is not None:
        axis = (data.axis.values, data.axis.name, data.axis.unit)
        return figures.stretches(U, axis, look, title=title)
    return figures.chart(U, data.feature_names, look, nonnegative=nonnegative, title=title)


def comparison(results: Mapping[str, Components]) -> Figure:
    """Show what the parts explain together, and the angles between them; return the first figure."""
    cumulative, angle = st.columns([1.2, 1], gap="large")
    with cumulative:
        drawn = figures.together({m: p.cumulative_variance / p.total for m, p in results.items()}, charts.palette())
        charts.figure(drawn, "together")
        st.caption("Parts that overlap are not credited twice: this is the variance of the space they span.")
    with angle:
        asked = KEYS["angles"].key in st.query_params
        several = {m: p for m, p in results.items() if len(p.parts) > 1 and (asked or not _apart(p))}
        if several:
            solver = choose(KEYS["angles"], "Angles between the parts of", options=list(several), horizontal=True)
            title = "90° share nothing, 0° are the same"
            charts.figure(figures.angles(several[solver].angles, charts.palette(), title=title), "angles-drawn")
        else:
            st.caption("All parts stand at 90° to each other: they share nothing.")
    return drawn


def _apart(parts: Components) -> bool:
    """Tell whether all angles between the parts are 90°, to the digits a figure would show."""
    between = parts.angles[~np.eye(len(parts.parts), dtype=bool)]
    return bool((np.abs(between - 90.0) < 0.05).all())


def proven(job: Job, solver: str) -> None:
    """Say what was proven of each part."""
    for r, cert in enumerate(job.arrived):
        st.markdown(
            f"Part {r + 1} of {solver}: at least **{words.percent(cert.ratio, 2)}** of the best that was left for it "
            f"once the parts before were taken out ({nnspca.BOUNDS[cert.winner.name].title.lower()})."
        )


def rows(results: Mapping[str, Components]) -> list[dict[str, object]]:
    """Return one row for each part of each solver."""
    return [
        {
            "solver": solver,
            "deflation": parts.deflation,
            "part": r + 1,
            "features": part.cardinality,
            "variance": part.variance,
            "together": float(parts.cumulative_variance[r]),
            "together_share": float(parts.cumulative_variance[r] / parts.total),
        }
        for solver, parts in results.items()
        for r, part in enumerate(parts.parts)
    ]


def _npz(parts: Components, data: Dataset) -> bytes:
    """Return the loadings of several parts as a file."""
    return downloads.arrays_npz(
        loadings=parts.loadings,
        variances=parts.variances,
        cumulative_variance=parts.cumulative_variance,
        feature_names=np.array([str(name) for name in data.feature_names]),
    )


def takeaway(results: Mapping[str, Components], data: Dataset, now: State, choice: Choices, drawn: dict) -> None:
    """Offer the table, the loadings, the figures and the code."""
    listed = rows(results)
    st.dataframe(listed, hide_index=True, alt="One row for each part of each solver.")
    stem = f"{data.name}-parts"
    with st.container(horizontal=True):
        charts.csv_button(lambda: downloads.table_csv(listed), "csv-parts", f"{stem}.csv", "Table (CSV)")
        for solver, parts in results.items():
            st.download_button(
                f"Loadings of {solver} (NPZ)",
                data=functools.partial(_npz, parts, data),
                file_name=f"{stem}-{solver}.npz",
                mime="application/octet-stream",
                key=f"npz-parts-{solver}",
                on_click="ignore",
                icon=":material/data_array:",
            )
        for name, figure in drawn.items():
            charts.figure_button(figure, f"html-parts-{name}", f"{stem}-{name}.html", f"{name} (HTML)")
    st.markdown("The same with the library:")
    first = next(iter(results))
    if first == "nmf" and run.of_samples(data, now):
        code = _nmf_code(now, choice.r)
    else:
        code = _code(now, first, choice.r, dict(run.arguments(first, choice, now)))
    st.code(code, language="python")


def _code(now: State, method: str, count: int, options: Mapping[str, object]) -> str:
    """Return the Python that finds these components again."""
    extra = "".join(f", {name}={value!r}" for name, value in options.items())
    setting = f"nonnegative={now.nonnegative and method != 'pca'}"
    return "\n".join(
        [
            *downloads.data_lines(now),
            f"parts = nnspca.decompose(cov, {count}, {now.k}, {method!r}, {setting}, seed={now.seed}{extra})",
            "print(parts.cardinalities, parts.variances, parts.cumulative_variance / parts.total)",
            "print(parts.overlap, parts.angles)",
        ]
    )


def _nmf_code(now: State, count: int) -> str:
    """Return the Python that takes the samples themselves apart again."""
    return "\n".join(
        [
            *downloads.data_lines(now),
            "from nnspca.solvers import nmf",
            f"parts = nmf.of_samples(data.X, cov, {count}, seed={now.seed})",
            "print(parts.cardinalities, parts.variances, parts.cumulative_variance / parts.total)",
            "print(parts.overlap, parts.angles)",
        ]
    )
