"""Pieces of a page that more than one page shows: the data at a glance, a component, its place, its proof."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component
from nnspca.view import compute, controls, downloads, figures, jobs, proofs, show, words
from nnspca.view.state import State

TILES = 36


def glance(data: Dataset) -> None:
    """Show a few samples: images as images, spectra as curves, the rest as a small table."""
    look = show.palette()
    if data.image_shape is not None and data.kind != "covariance":
        shown = min(TILES, data.X.shape[0])
        st.image(
            compute.sheet(data, TILES),
            width="stretch",
            alt=f"{shown} of the {data.X.shape[0]:,} images of {data.title}, side by side.",
        )
        rows, columns = data.image_shape
        st.caption(f"{shown} of {data.X.shape[0]:,} images; each of the {rows} × {columns} pixels is a feature.")
    elif data.axis is not None and data.kind != "covariance":
        axis = (data.axis.values, data.axis.name, data.axis.unit)
        show.figure(figures.curves(compute.samples(data, 40), axis, look), "glance")
    else:
        st.dataframe(compute.glance(data), hide_index=True, height=316, alt=f"A corner of {data.title}.")
        if data.kind == "covariance":
            st.caption(f"A {data.n_features} × {data.n_features} covariance, one row for each feature.")
        else:
            most = f"of {data.n_features:,} features, those that vary most"
            st.caption(f"A few of {data.X.shape[0]:,} samples; {most}.")
    if data.labels is not None and data.label_names:
        st.caption("Classes: " + ", ".join(map(str, data.label_names)) + ".")


def spread(data: Dataset, now: State) -> None:
    """Draw how the variance spreads over directions."""
    eigenvalues, trace = compute.spectrum(data, now), compute.covariance(data, now).trace
    show.figure(figures.spectrum(eigenvalues, trace, show.palette(), rank=now.rank), "spectrum")


def provenance(data: Dataset) -> None:
    """Say where the data come from and what one may do with them."""
    st.caption(f"Source: {data.source}. {data.citation}  \nTerms: {data.terms}")


def component(part: Component, data: Dataset, key: str, title: str = "The component") -> figures.Figure:
    """Draw a component and return its figure."""
    axis = None if data.axis is None else (data.axis.values, data.axis.name, data.axis.unit)
    drawn = figures.component(
        part.loadings,
        show.palette(),
        feature_names=data.feature_names,
        nonnegative=part.nonnegative,
        image_shape=data.image_shape,
        axis=axis,
        backdrop=compute.backdrop(data),
        ghost=controls.ghost(data),
        title=title,
    )
    show.figure(drawn, key)
    return drawn


def numbers(part: Component, leading: float) -> None:
    """Show the four numbers of a component."""
    with st.container(horizontal=True, gap="medium"):
        st.metric(
            "Variance",
            words.number(part.variance),
            help="x′Ax, in squared units of the data.",
            width="content",
        )
        st.metric(
            "÷ λ₁",
            f"{part.variance / leading:.3f}",
            help="Normalised variance: the share of what the freest direction, ordinary PCA, holds.",
            width="content",
        )
        st.metric(
            "Features",
            f"{part.cardinality:,}",
            help=f"At most k = {part.k:,} were allowed.",
            width="content",
        )
        st.metric("Time", words.seconds(part.seconds), help="Seconds the solver ran.", width="content")


def place(
    part: Component,
    certificate: Certificate | None,
    leading: float,
    key: str,
    *,
    every: bool,
    waiting: bool,
    tightening: jobs.Job | None = None,
) -> figures.Figure:
    """Say and draw where the component lies in the certified band; return the gauge.

    ``every`` asks for all ceilings that were tried, ``waiting`` tells whether a certificate may still
    come; while ``tightening`` runs, the ceiling is drawn where it is by then, again and again.
    """
    if certificate is None:
        st.markdown(
            "How good is it? A ceiling that no such component can pass is being proven …"
            if waiting
            else "How good is it? The run ended before a ceiling was proven; **Run again** proves one."
        )
        drawn = figures.place(part.variance, show.palette(), leading=leading)
        show.figure(drawn, key)
        return drawn

    def draw() -> None:
        """Draw the place as it is known now."""
        seen = proofs.falling(certificate, tightening)
        _verdict(part, seen)
        show.figure(_gauge(part, seen, leading, every=every), key)

    jobs.watched(tightening, draw)
    return _gauge(part, certificate, leading, every=every)


def _verdict(part: Component, certificate: Certificate) -> None:
    """Say in words how good the component is proven to be."""
    if not nnspca.METHODS[part.method].feasible:
        st.markdown(f"**Shown for contrast.** It uses {part.cardinality:,} features and is not {words.kind_of(part)}.")
        return
    optimal = words.proven_optimal(part.variance, certificate.upper)
    mark = ":material/verified: " if optimal else ""
    st.markdown(f"#### {mark}{words.verdict(part, certificate)}")
    st.caption(f"Proven, not estimated. “Such a component” is {words.kind_of(part)}.")
    if words.comparison(part, certificate):
        st.caption(words.comparison(part, certificate))


def _gauge(part: Component, certificate: Certificate, leading: float, *, every: bool) -> figures.Figure:
    """Draw the gauge of a certified component."""
    chances = [b.value for b in certificate.bounds if not b.deterministic]
    return figures.place(
        part.variance,
        show.palette(),
        best=certificate.lower,
        upper=certificate.upper,
        leading=leading,
        paper=min(chances, default=None),
        bounds=certificate.bounds if every else (),
    )


def curve(
    points: proofs.Points,
    leading: float,
    methods: Sequence[str],
    ks: Sequence[int],
    look: controls.CurveLook,
    chosen: tuple[int, str] | None,
    *,
    ready: bool,
    tightening: jobs.Job | None,
) -> figures.Figure:
    """Draw variance against k, the share each solver keeps, and the race of the ceilings; return the first.

    While ``tightening`` runs, the ceilings are drawn where they are by then, again and again.
    """

    def drawn(seen: proofs.Points) -> figures.Figure:
        return figures.variance(
            seen.values(),
            leading,
            show.palette(),
            methods=methods,
            ks=ks,
            log=look.log,
            paper=look.paper,
            bounds=look.every,
            chosen=chosen,
        )

    def draw() -> None:
        """Draw the curve as it is known now."""
        seen = proofs.falling_points(points, tightening)
        still = ready and (tightening is None or tightening.done)
        show.pickable(drawn(seen), "curve", "point", ready=still)
        st.caption("The band is proven at each marked k; between marks its straight edges only guide the eye.")
        if compute.certified(seen):
            share = figures.kept(seen.values(), show.palette(), methods=methods, ks=ks, log=look.log)
            show.figure(share, "kept")
        if look.every and compute.certified(seen):
            held = proofs.certificates(seen)
            show.figure(figures.race(held, show.palette(), ks=ks, log=look.log), "race")

    jobs.watched(tightening, draw)
    return drawn(points)


def story(part: Component, trace: tuple, leading: float) -> None:
    """Draw what the method did, and how the ceiling came down, where that was watched."""
    look, title = show.palette(), f"What {part.method} did"
    did, fell = st.columns([1, 1.25], gap="large")
    with did:
        show.figure(figures.history(part.history or (part.variance,), leading, look, title=title), "history")
    with fell:
        if trace:
            show.figure(figures.ceiling(trace, leading, look), "ceiling")


def takeaway(part: Component, data: Dataset, drawn: dict[str, figures.Figure], code: str, key: str) -> None:
    """Offer the loadings, the figures and the code."""
    stem = f"{data.name}-k{part.k}-{part.method}"
    with st.container(horizontal=True):
        show.csv_button(
            lambda: downloads.loadings_csv(part, data.feature_names),
            f"csv-{key}",
            f"{stem}.csv",
            "Loadings (CSV)",
            "Every feature with its loading.",
        )
        st.download_button(
            "Loadings (NPZ)",
            data=lambda: downloads.loadings_npz(part, data.feature_names),
            file_name=f"{stem}.npz",
            mime="application/octet-stream",
            key=f"npz-{key}",
            on_click="ignore",
            icon=":material/data_array:",
            help="For numpy.load, with feature names and variance.",
        )
        for name, figure in drawn.items():
            show.figure_button(figure, f"html-{key}-{name}", f"{stem}-{name}.html", f"{name.capitalize()} (HTML)")
    st.markdown("The same with the library:")
    st.code(code, language="python")


def table(rows: list[dict[str, object]], drawn: figures.Figure, stem: str, code: str) -> None:
    """Offer a curve as a table, a figure and code."""
    st.dataframe(rows, hide_index=True, alt="One row for each k and solver.")
    with st.container(horizontal=True):
        show.csv_button(lambda: downloads.table_csv(rows), f"csv-{stem}", f"{stem}.csv", "Table (CSV)")
        show.figure_button(drawn, f"html-{stem}", f"{stem}.html")
    st.markdown("The same with the library:")
    st.code(code, language="python")
