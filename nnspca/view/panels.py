"""Pieces of a page that more than one page shows: the data at a glance, a component, its place, its proof."""

from __future__ import annotations

import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component
from nnspca.view import compute, controls, downloads, figures, jobs, show, words
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
    part: Component, certificate: Certificate | None, leading: float, key: str, *, waiting: bool
) -> figures.Figure:
    """Say and draw where the component lies in the certified band; return the gauge.

    ``waiting`` tells whether a certificate may still come.
    """
    allowed = nnspca.METHODS[part.method].feasible
    if certificate is None:
        st.markdown(
            "How good is it? A ceiling that no such component can pass is being proven …"
            if waiting
            else "How good is it? The run ended before a ceiling was proven; **Run again** proves one."
        )
        drawn = figures.place(part.variance, show.palette(), leading=leading)
        show.figure(drawn, key)
        return drawn
    if allowed:
        st.markdown(f"#### {words.verdict(part, certificate)}")
        st.caption(f"Proven, not estimated. “Such a component” is {words.kind_of(part)}.")
        if words.comparison(part, certificate):
            st.caption(words.comparison(part, certificate))
    else:
        st.markdown(f"**Shown for contrast.** It uses {part.cardinality:,} features and is not {words.kind_of(part)}.")
    chances = [b.value for b in certificate.bounds if not b.deterministic]
    drawn = figures.place(
        part.variance,
        show.palette(),
        best=certificate.lower,
        upper=certificate.upper,
        leading=leading,
        paper=min(chances, default=None),
    )
    show.figure(drawn, key)
    return drawn


def story(part: Component, trace: tuple, leading: float) -> None:
    """Draw what the method did, and how the ceiling came down, where that was watched."""
    look, title = show.palette(), f"What {part.method} did"
    did, fell = st.columns([1, 1.25], gap="large")
    with did:
        show.figure(figures.history(part.history or (part.variance,), leading, look, title=title), "history")
    with fell:
        if trace:
            show.figure(figures.ceiling(trace, leading, look), "ceiling")


def proof(certificate: Certificate, data: Dataset, now: State, key: str) -> None:
    """Open the certificate: every ceiling tried, which one won and why, and a check by a second route."""
    won = certificate.winner
    st.markdown(f"**{_title(won.name)}** gave the lowest proven ceiling. {won.detail}")
    for bound in certificate.bounds:
        if not bound.deterministic:
            st.markdown(words.chance(bound, data.n_features))
    st.dataframe(
        [
            {
                "Ceiling": _title(b.name),
                "÷ λ₁": round(b.value / certificate.leading, 4),
                "Best found keeps": words.percent(min(certificate.lower / b.value, 1.0), 1),
                "Holds": "always (proven)" if b.deterministic else "with a probability",
                "Time": words.seconds(b.seconds),
            }
            for b in sorted(certificate.bounds, key=lambda b: b.value)
        ],
        hide_index=True,
        alt="Every ceiling that was tried, lowest first.",
    )
    check = ("verify", certificate.fingerprint, certificate.k, certificate.nonnegative, certificate.upper)
    job = jobs.peek("verify", check)
    if st.button(
        "Check this proof by a second route",
        key=f"verify-{key}",
        icon=":material/verified:",
        help="Recomputes the component's variance and the ceiling with separate code that trusts neither.",
    ):
        job = jobs.start("verify", check, compute.check(certificate, data, now))
    if job is not None:
        jobs.follow("verify", job)
        if job.done and job.result:
            st.success("Confirmed: the second route finds the same variance and the same ceiling.")


def _title(bound: str) -> str:
    info = nnspca.BOUNDS.get(bound)
    return info.title if info else bound


def takeaway(part: Component, data: Dataset, drawn: dict[str, figures.Figure], code: str, key: str) -> None:
    """Offer the loadings, the figures and the code."""
    stem = f"{data.name}-k{part.k}-{part.method}"
    with st.container(horizontal=True):
        st.download_button(
            "Loadings (CSV)",
            data=lambda: downloads.loadings_csv(part, data.feature_names),
            file_name=f"{stem}.csv",
            mime="text/csv",
            key=f"csv-{key}",
            on_click="ignore",
            icon=":material/table:",
            help="Every feature with its loading.",
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
        st.download_button(
            "Table (CSV)",
            data=lambda: downloads.table_csv(rows),
            file_name=f"{stem}.csv",
            mime="text/csv",
            key=f"csv-{stem}",
            on_click="ignore",
            icon=":material/table:",
        )
        show.figure_button(drawn, f"html-{stem}", f"{stem}.html")
    st.markdown("The same with the library:")
    st.code(code, language="python")
