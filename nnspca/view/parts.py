"""The parts page's own pieces: what to decompose, the runs, and the views of several components."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Components, Progress
from nnspca.view import compute, downloads, figures, show, words
from nnspca.view.figures import parts as pictures
from nnspca.view.jobs import Job, Work
from nnspca.view.linked import bound
from nnspca.view.state import State

MOST_PARTS = 12
USUAL_PARTS = 6
MOST_SOLVERS = 4
PRICES = (0.0, 0.001, 0.003, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2)
OVERLAPS = (0.05, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0)
JOINT = "joint"
SAMPLES = 18  # images shown beside the parts
PAGE = 860  # pixels a page has for its columns, about
SMALL = 1500  # features whose covariance is held as a matrix


@dataclass(frozen=True)
class Asked:
    """What the page decomposes: how many parts, by which solvers, how they are kept apart."""

    count: int
    solvers: tuple[str, ...]
    deflation: str
    alpha: float
    beta: float
    angle: float
    match: bool

    def deflation_of(self, solver: str) -> str:
        """Plain PCA, and prices instead of k, only go with all components at once."""
        if solver == "pca" or (solver == "coordinate-descent" and not self.match):
            return JOINT
        if self.deflation == JOINT and not nnspca.METHODS[solver].multi:
            return "disjoint"
        return self.deflation


def ask(now: State, data: Dataset) -> Asked:
    """Draw the page's choices."""
    known = [m for m, info in nnspca.METHODS.items() if (info.max_features or data.n_features) >= data.n_features]
    names = [m for m in known if now.nonnegative in nnspca.METHODS[m].signs or m == "pca"]
    many, apart, which = st.columns([1, 2, 3], vertical_alignment="bottom")
    with many:
        count = bound(
            st.number_input,
            "Parts",
            key="r",
            min_value=1,
            max_value=min(MOST_PARTS, data.n_features),
            value=min(USUAL_PARTS, data.n_features),
            step=1,
            allowed=f"1 to {min(MOST_PARTS, data.n_features)}",
            help="How many components to look for, one after the other.",
        )
    with apart:
        deflation = bound(
            st.selectbox,
            "How parts are kept apart",
            key="apart",
            options=[m for m in nnspca.DEFLATIONS if m != "hotelling" or data.n_features <= SMALL],
            help="What the next part may use, once one is found.",
        )
    with which:
        solvers = bound(
            st.multiselect,
            "Solvers, side by side",
            key="with",
            options=names,
            default=[m for m in ("best", "em") if m in names],
            max_selections=MOST_SOLVERS,
            allowed=f"choose up to {MOST_SOLVERS} from {', '.join(names)}",
            help="Each finds its own parts. PCA is there for contrast: any sign, all features.",
        )
    about = nnspca.DEFLATIONS[deflation]
    st.caption(f"**{about.title}.** {about.summary} ({about.paper})")
    alpha, beta, angle, match = 1.0, 0.01, 85.0, True
    if deflation == "quasi-orthogonal":
        angle = bound(
            st.slider,
            "Least angle between parts (degrees)",
            key="angle",
            min_value=45.0,
            max_value=90.0,
            value=85.0,
            step=1.0,
            help="90: the parts share nothing. Less: they may share features a little.",
        )
    if deflation == JOINT and "coordinate-descent" in solvers:
        match, alpha, beta = _prices()
    return Asked(int(count), tuple(solvers), deflation, float(alpha), float(beta), float(angle), bool(match))


def _prices() -> tuple[bool, float, float]:
    """Let the person set the two prices of NSPCA."""
    keep, overlap, loading = st.columns([1, 2, 2], vertical_alignment="bottom")
    with keep:
        match = bound(
            st.toggle,
            "Keep to k",
            key="match",
            value=False,
            help="On: the price of a loading is searched for until no part uses more than k features.",
        )
    with overlap:
        alpha = bound(
            st.select_slider,
            "α, the price of overlap",
            key="alpha",
            options=list(OVERLAPS),
            value=1.0,
            help="Relative to the largest eigenvalue. Raise it and the parts share less.",
        )
    with loading:
        beta = bound(
            st.select_slider,
            "β, the price of a loading",
            key="beta",
            options=list(PRICES),
            value=0.01,
            disabled=match,
            help="Relative to the largest eigenvalue. Raise it and pixels drop out.",
        )
    return match, alpha, beta


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
                done = _decomposed(cov, solver, asked, now, job, number)
                if not done.stopped:
                    kept.put(shelved, done)
            if done is not None:
                job.publish((solver, done))

    return work


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
    columns = st.columns([0.6] * pictured + [1.0] * len(results), gap="medium")
    if pictured:
        with columns[0]:
            st.markdown("**Some of the data**")
            st.image(compute.sheet(data, SAMPLES), width="stretch", alt=f"Some of the images of {data.title}.")
    for column, (solver, parts) in zip(columns[int(pictured) :], results.items(), strict=True):
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


def samples(results: Mapping[str, Components], data: Dataset, now: State) -> None:
    """Show what the parts say about samples: a reconstruction, or the classes along each part."""
    if data.kind == "covariance":
        return
    parts = results[bound(st.radio, "Parts of", key="from", options=list(results), horizontal=True)]
    mean = data.X.mean(axis=0)
    if data.image_shape is not None or data.axis is not None:
        _reconstruction(parts, data, mean)
    if data.labels is not None:
        _classes(parts, data, mean, now)


def _reconstruction(parts: Components, data: Dataset, mean: np.ndarray) -> None:
    """Rebuild a sample from the mean and its parts, as a slider adds them."""
    which, many = st.columns(2)
    with which:
        number = bound(
            st.slider,
            "Sample",
            key="sample",
            min_value=1,
            max_value=len(data.X),
            value=1,
            help="Which of the samples to put together from the parts.",
        )
    with many:
        used = bound(
            st.slider,
            "Parts used",
            key="used",
            min_value=0,
            max_value=len(parts.parts),
            value=len(parts.parts),
            help="0: the mean alone. Each part adds what it knows.",
        )
    sample = data.X[number - 1]
    U = parts.loadings[:, :used]
    away = sample - mean
    made = mean + (U @ np.linalg.lstsq(U, away, rcond=None)[0] if used else 0.0)
    whole = float(away @ away) or 1.0
    left = 100 * float((sample - made) @ (sample - made)) / whole
    title = f"Sample {number}, and what {used} {'part makes' if used == 1 else 'parts make'} of it"
    if data.image_shape is not None:
        drawn = pictures.rebuilt(sample, made, data.image_shape, show.palette(), title=title)
    else:
        assert data.axis is not None
        axis = (data.axis.values, data.axis.name, data.axis.unit)
        drawn = pictures.retraced(sample, made, axis, show.palette(), title=title)
    show.figure(drawn, "rebuilt")
    st.markdown(f"**{left:.1f} %** of this sample's squared distance from the mean is still missing.")


def _classes(parts: Components, data: Dataset, mean: np.ndarray, now: State) -> None:
    """Show the samples along one part, class by class."""
    part = 1
    if len(parts.parts) > 1:
        part = bound(
            st.slider,
            "Part to look along",
            key="along",
            min_value=1,
            max_value=len(parts.parts),
            value=1,
            help="Samples far to the right have much of this part.",
        )
    labels = [str(data.label_names[i]) if data.label_names else str(i) for i in np.asarray(data.labels)]
    spread = data.X.std(axis=0) if now.standardise else np.ones(data.n_features)
    x = parts.loadings[:, part - 1] / np.where(spread > 0, spread, 1.0)
    values = (data.X - mean) @ x
    show.figure(pictures.scores(values, labels, show.palette(), title=f"The samples along part {part}"), "scores")


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
            f"Part {r + 1} of {solver}: at least **{words.percent(cert.ratio)}** of the best that was left for it "
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
        st.download_button(
            "Table (CSV)",
            data=lambda: downloads.table_csv(listed),
            file_name=f"{stem}.csv",
            mime="text/csv",
            key="csv-parts",
            on_click="ignore",
            icon=":material/table:",
        )
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
    st.code(
        downloads.decompose_code(now, first, asked.count, dict(_arguments(first, asked, now))),
        language="python",
    )
