"""What pages ask for, and the only caches: keyed by content hash and parameters, never by an array."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component, Progress, SweepPoint
from nnspca.view.holdings import uploads
from nnspca.view.jobs import Job, Work
from nnspca.view.montage import montage
from nnspca.view.shelf import Shelf
from nnspca.view.state import State


@st.cache_resource(show_spinner=False)
def shelf() -> Shelf:
    """Return the shelf all sessions share."""
    return Shelf()


@st.cache_resource(show_spinner="Reading the data …", max_entries=6)
def _read(name: str) -> Dataset:
    return nnspca.datasets.load(name)


def dataset(name: str) -> Dataset:
    """Return a data set that is on this machine; its arrays are read-only and shared.

    Raises
    ------
    nnspca.DataError
        When it is not here, or its file is broken; the message says what to do.
    """
    brought = uploads().get(name)
    return _read(name) if brought is None else brought


@st.cache_resource(show_spinner="Preparing the covariance …", max_entries=6)
def _covariance(name: str, content_hash: str, standardise: bool, _data: Dataset) -> nnspca.Covariance:
    return nnspca.Covariance.from_dataset(_data, standardize=standardise)


def covariance(data: Dataset, state: State) -> nnspca.Covariance:
    """Return the covariance of a data set, standardised when the state says so."""
    return _covariance(data.name, data.content_hash, state.standardise, data)


@st.cache_data(show_spinner="Computing the spectrum …", max_entries=64)
def _spectrum(name: str, content_hash: str, standardise: bool, d: int, _cov: nnspca.Covariance) -> np.ndarray:
    return np.asarray(_cov.eigenpairs(d)[0])


def spectrum(data: Dataset, state: State, d: int = 20) -> np.ndarray:
    """Return the ``d`` largest eigenvalues (fewer when there are fewer features)."""
    cov = covariance(data, state)
    most = min(d, cov.n_features, cov.n_samples or cov.n_features)
    return _spectrum(data.name, data.content_hash, state.standardise, most, cov)


def samples(data: Dataset, count: int) -> np.ndarray:
    """Return ``count`` samples spread evenly over the data set, always the same ones."""
    m = data.X.shape[0]
    return data.X[np.unique(np.linspace(0, m - 1, min(count, m)).round().astype(int))]


@st.cache_data(show_spinner=False, max_entries=32)
def _sheet(name: str, content_hash: str, count: int, _data: Dataset) -> bytes:
    return montage(samples(_data, count), _data.image_shape or (1, _data.n_features))


def sheet(data: Dataset, count: int) -> bytes:
    """Return one PNG of ``count`` sample images."""
    return _sheet(data.name, data.content_hash, count, data)


def backdrop(data: Dataset) -> np.ndarray | None:
    """Return the mean sample, where a mean can be drawn behind a component."""
    drawn = data.axis is not None or data.image_shape is not None
    return data.X.mean(axis=0) if drawn and data.kind != "covariance" else None


def glance(data: Dataset, rows: int = 8, columns: int = 8) -> dict[str, Sequence[Any]]:
    """Return a corner of the data as a table: for many features, the most varied ones."""
    if data.kind == "covariance":
        chosen, body = np.arange(min(columns * 2, data.n_features)), data.X[: rows * 2]
    else:
        spread = np.argsort(-data.X.var(axis=0), kind="stable")[:columns]
        chosen = spread if data.n_features > columns else np.arange(data.n_features)
        body = samples(data, rows)
    return {data.feature_names[i]: list(body[:, i]) for i in chosen}


def subject(data: Dataset, state: State) -> tuple[Hashable, ...]:
    """Return what a result is about, k and solver aside: the first part of every key."""
    return data.name, data.content_hash, state.standardise, state.nonnegative


def arguments(method: str, options: Mapping[str, Any], state: State) -> dict[str, Any]:
    """Return the options to call ``method`` with: the page's own, and the sidebar's rank where it has one."""
    known = {option.name: option for option in nnspca.METHODS[method].options}
    chosen = {name: value for name, value in options.items() if name in known}
    if "rank" in known:
        chosen["rank"] = state.rank
    return chosen


def solve_key(data: Dataset, state: State, method: str, options: Mapping[str, Any]) -> tuple[Hashable, ...]:
    """Return the key of one component."""
    return ("solve", *subject(data, state), state.k, method, tuple(sorted(options.items())), state.seed)


def _prove_key(data: Dataset, state: State) -> tuple[Hashable, ...]:
    """Return the key of a certificate: it speaks about the problem, whichever solver ran."""
    return ("certify", *subject(data, state), state.k, state.seed)


def find(data: Dataset, state: State, method: str, options: Mapping[str, Any]) -> Work:
    """Return the work of the explore page: solve, hand over the component, then prove its place.

    It publishes a Component, then a (Certificate, trace) pair.
    """
    cov, key = covariance(data, state), solve_key(data, state, method, options)
    prove_key = _prove_key(data, state)
    kept = shelf()

    def work(job: Job) -> None:
        component = kept.get(key)
        if component is None:
            component = nnspca.solve(
                cov,
                state.k,
                method,
                nonnegative=state.nonnegative,
                seed=state.seed,
                should_stop=job.should_stop,
                on_progress=_staged(job, "Solving"),
                **options,
            )
            if not component.stopped:
                kept.put(key, component)
        job.publish(component)
        proof = kept.get(prove_key)
        if proof is None and not job.should_stop():
            job.trace = ()
            certificate = nnspca.certify(
                cov,
                state.k,
                nonnegative=state.nonnegative,
                component=component if method == "best" else None,
                seed=state.seed,
                should_stop=job.should_stop,
                on_progress=_staged(job, "Proving a ceiling"),
            )
            proof = (certificate, job.trace)
            if not certificate.stopped:
                kept.put(prove_key, proof)
        if proof is not None:
            job.publish(proof)

    return work


def forget(data: Dataset, state: State, method: str, options: Mapping[str, Any]) -> None:
    """Throw away what was kept for this view, so that it runs afresh."""
    shelf().drop(solve_key(data, state, method, options))
    shelf().drop(_prove_key(data, state))


def _staged(job: Job, doing: str) -> Callable[[Progress], None]:
    """Return a listener that says which of the two stages the progress belongs to."""

    def listen(progress: Progress) -> None:
        job.report(dataclasses.replace(progress, stage=f"{doing}: {progress.stage}" if progress.stage else doing))

    return listen


def sweep_key(data: Dataset, state: State, ks: Sequence[int], methods: Sequence[str]) -> tuple[Hashable, ...]:
    """Return the key of one curve."""
    return ("sweep", *subject(data, state), tuple(ks), tuple(methods), state.seed)


def curve(
    data: Dataset,
    state: State,
    ks: Sequence[int],
    methods: Sequence[str],
    publish: Callable[[Job, SweepPoint], None] = Job.publish,
    report: Callable[[Job, Progress], None] = Job.report,
) -> Work:
    """Return the work of one curve: publishes its SweepPoints as they come, or those that have been kept."""
    cov, key = covariance(data, state), sweep_key(data, state, ks, methods)
    kept = shelf()

    def work(job: Job) -> None:
        points = kept.get(key)
        if points is not None:
            for point in points:
                publish(job, point)
            return
        done = nnspca.sweep(
            cov,
            ks,
            methods=tuple(methods),
            nonnegative=state.nonnegative,
            certify="live",
            seed=state.seed,
            on_point=functools.partial(publish, job),
            should_stop=job.should_stop,
            on_progress=functools.partial(report, job),
        )
        if not done.stopped:
            kept.put(key, done.points)

    return work


def latest(points: Sequence[SweepPoint]) -> dict[tuple[int, str], SweepPoint]:
    """Return the last word on each (k, method): the certified point replaces the bare one."""
    return {(p.k, p.method): p for p in points}


def fetch(name: str) -> Work:
    """Return the work of downloading a data set."""

    def work(job: Job) -> None:
        def listen(done: int, total: int | None) -> None:
            whole = f" of {total / 1e6:.1f}" if total else ""
            job.report(Progress(min(done / total, 1.0) if total else 0.0, f"Downloaded {done / 1e6:.1f}{whole} MB"))

        nnspca.datasets.load(name, on_progress=listen, should_stop=job.should_stop)

    return work


def leading(data: Dataset, state: State) -> float:
    """Return the largest eigenvalue, by which variances are normalised."""
    return float(spectrum(data, state)[0])


def component_of(points: Mapping[tuple[int, str], SweepPoint], chosen: tuple[int, str] | None) -> Component | None:
    """Return the component of the chosen point, when it has been solved."""
    return points[chosen].component if chosen is not None and chosen in points else None


def arrived(job: Job) -> tuple[Component | None, Certificate | None, tuple]:
    """Return what an explore run has handed over so far: component, certificate, trace."""
    component = job.arrived[0] if job.arrived else None
    certificate, trace = job.arrived[1] if len(job.arrived) > 1 else (None, ())
    return component, certificate, trace


def certified(points: Mapping[tuple[int, str], SweepPoint]) -> bool:
    """Return whether any point has its certificate yet."""
    return any(p.certificate is not None for p in points.values())


def records(points: Mapping[tuple[int, str], SweepPoint], leading: float) -> list[dict[str, object]]:
    """Return one flat row for each (k, method), as the library writes a sweep."""
    ordered = tuple(points[key] for key in sorted(points))
    return nnspca.Sweep(points=ordered, leading=leading).to_records()
