"""The parts page's own pieces: the runs, the views of several components, what is proven, and what to take away."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Components, Progress
from nnspca.solvers import nmf
from nnspca.view import compute, downloads, figures, show, words
from nnspca.view.asked import JOINT, Asked
from nnspca.view.figures import parts as pictures
from nnspca.view.jobs import Job, Work
from nnspca.view.linked import bound
from nnspca.view.state import State

SAMPLES = 18  # images shown with the parts
FEW = 2  # solvers beside which those images are large enough to be made out
PAGE = 860  # pixels a page has for its columns, about


def key(data: Dataset, now: State, asked: Asked) -> tuple[Hashable, ...]:
    """Return the key of one view of the page."""
    return ("parts", *compute.subject(data, now), now.k, now.rank, now.seed, asked)


def find(data: Dataset, now: State, asked: Asked) -> Work:
    """Return the work of the page: publishes (solver, Components) for each solver, growing part by part."""
    cov, kept = compute.covariance(data, now), compute.shelf()

    def work(job: Job) -> None:
        for number, solver in enumerate(asked.solvers):
            shelved = ("part", *key(data, now, asked)[1:-1], solver, _arguments(solver, asked, now), asked.count)
            done = kept.get(shelved)
            if done is None and not job.should_stop():
                if solver == "nmf" and of_samples(data, now):
                    done = nmf.of_samples(data.X, cov, asked.count, seed=now.seed, should_stop=job.should_stop)
                else:
                    done = _decomposed(cov, solver, asked, now, job, number)
                if not done.stopped:
                    kept.put(shelved, done)
            if done is not None:
                job.publish((solver, done))

    return work


def of_samples(data: Dataset, now: State) -> bool:
    """Tell whether NMF can take the samples themselves apart: they are nonnegative, and as they are."""
    return data.kind != "covariance" and not now.standardise and bool(data.X.min() >= 0)


def _decomposed(cov: nnspca.Covariance, solver: str, asked: Asked, now: State, job: Job, number: int) -> Components:
    """Run one solver, its progress told as a share of all of them."""
    title = nnspca.METHODS[solver].title

    def listen(told: Progress) -> None:
        job.report(Progress((number + told.fraction) / len(asked.solvers), f"{title}: {told.stage}"))

    return nnspca.decompose(
        cov,
        asked.count,
        now.k,
        solver,
        nonnegative=now.nonnegative and solver != "pca",
        seed=now.seed,
        should_stop=job.should_stop,
        on_progress=listen,
        **dict(_arguments(solver, asked, now)),
    )


def _arguments(solver: str, asked: Asked, now: State) -> tuple[tuple[str, Any], ...]:
    """Return what a solver is called with besides k and seed."""
    deflation = asked.deflation_of(solver)
    chosen: dict[str, Any] = {"deflation": deflation}
    if deflation == "quasi-orthogonal":
        chosen["min_angle"] = asked.angle
    if any(option.name == "rank" for option in nnspca.METHODS[solver].options):
        chosen["rank"] = now.rank
    if solver == "coordinate-descent" and deflation == JOINT:
        chosen |= {"alpha": asked.alpha, "match_k": asked.match, "restarts": 1}
        if not asked.match:
            chosen["beta"] = asked.beta
    return tuple(chosen.items())


def found(job: Job) -> dict[str, Components]:
    """Return what the job has handed over, by solver."""
    return dict(job.arrived)


def side_by_side(results: Mapping[str, Components], data: Dataset) -> dict[str, figures.Figure]:
    """Show each solver's parts in its own column; return the figures."""
    drawn: dict[str, figures.Figure] = {}
    pictured = data.image_shape is not None and data.kind != "covariance"
    beside = pictured and len(results) <= FEW
    above = st.container(width=PAGE // 3)
    columns = st.columns([0.6] * beside + [1.0] * len(results), gap="medium")
    if pictured:
        with columns[0] if beside else above:
            st.markdown("**Some of the data**")
            st.image(compute.sheet(data, SAMPLES), width="stretch", alt=f"Some of the images of {data.title}.")
    for column, (solver, parts) in zip(columns[int(beside) :], results.items(), strict=True):
        with column:
            drawn[solver] = _picture(parts, data, nnspca.METHODS[solver].title, PAGE // len(columns))
            show.figure(drawn[solver], f"parts-{solver}")
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


def _picture(parts: Components, data: Dataset, title: str, width: int) -> figures.Figure:
    """Draw parts as the kind of data asks."""
    U, look, nonnegative = parts.loadings, show.palette(), bool((parts.loadings >= 0).all())
    if data.image_shape is not None:
        return pictures.tiles(U, data.image_shape, look, nonnegative=nonnegative, title=title, width=width)
    if data.axis is not None:
        axis = (data.axis.values, data.axis.name, data.axis.unit)
        return pictures.stretches(U, axis, look, title=title)
    return pictures.chart(U, data.feature_names, look, nonnegative=nonnegative, title=title)


def comparison(results: Mapping[str, Components]) -> figures.Figure:
    """Show what the parts explain together, and the angles between them; return the first figure."""
    cumulative, angle = st.columns([1.2, 1], gap="large")
    with cumulative:
        drawn = pictures.together({m: p.cumulative_variance / p.total for m, p in results.items()}, show.palette())
        show.figure(drawn, "together")
        st.caption("Parts that overlap are not credited twice: this is the variance of the space they span.")
    with angle:
        several = {m: p for m, p in results.items() if len(p.parts) > 1}
        if several:
            solver = bound(
                st.radio, "Angles between the parts of", key="angles", options=list(several), horizontal=True
            )
            title = "90° share nothing, 0° are the same"
            show.figure(pictures.angles(several[solver].angles, show.palette(), title=title), "angles-drawn")
    return drawn


def proof(results: Mapping[str, Components], data: Dataset, now: State) -> Work:
    """Return the work of proving each part of the first provable solver: publishes Certificates."""
    cov = compute.covariance(data, now)
    parts = next(p for p in results.values() if provable(p))

    def work(job: Job) -> None:
        for r, part in enumerate(parts.parts):
            if job.should_stop():
                return
            left = nnspca.deflate(cov, parts.loadings[:, :r], parts.deflation)
            k = min(now.k, left.n_features)
            job.report(Progress(r / len(parts.parts), f"part {r + 1} of {len(parts.parts)}"))
            x = part.loadings
            if left.n_features < len(x):
                x = x[~parts.loadings[:, :r].any(axis=1)]
            own = nnspca.Component(x, left.variance(x), part.method, k, part.nonnegative)
            job.publish(
                nnspca.certify(
                    left, k, nonnegative=part.nonnegative, component=own, seed=now.seed, should_stop=job.should_stop
                )
            )

    return work


def provable(parts: Components) -> bool:
    """Tell whether every part was sought alone, so that a ceiling speaks about it."""
    return parts.deflation not in (JOINT, "quasi-orthogonal") and nnspca.METHODS[parts.method].feasible


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


def takeaway(results: Mapping[str, Components], data: Dataset, now: State, asked: Asked, drawn: dict) -> None:
    """Offer the table, the loadings, the figures and the code."""
    listed = rows(results)
    st.dataframe(listed, hide_index=True, alt="One row for each part of each solver.")
    stem = f"{data.name}-parts"
    with st.container(horizontal=True):
        show.csv_button(lambda: downloads.table_csv(listed), "csv-parts", f"{stem}.csv", "Table (CSV)")
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
            show.figure_button(figure, f"html-parts-{name}", f"{stem}-{name}.html", f"{name} (HTML)")
    st.markdown("The same with the library:")
    first = next(iter(results))
    if first == "nmf" and of_samples(data, now):
        code = downloads.nmf_code(now, asked.count)
    else:
        code = downloads.decompose_code(now, first, asked.count, dict(_arguments(first, asked, now)))
    st.code(code, language="python")
