"""A component and its place in the certified band, in words, numbers and pictures."""

from __future__ import annotations

import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component
from nnspca.view import words
from nnspca.view.certificate import claims, proofs
from nnspca.view.figures import component as pictures
from nnspca.view.figures import gauge as gauges
from nnspca.view.figures.style import Figure
from nnspca.view.session import charts, runs, state, store
from nnspca.view.session.job import Job
from nnspca.view.session.widgets import choose

KEYS = state.keys_of("explore")  # those it asks for are the variance page's too


def picture(part: Component, data: Dataset, key: str, title: str = "The component") -> Figure:
    """Draw a component and return its figure."""
    pictured = data.image_shape is not None and data.kind != "covariance"
    drawn = figure(part, data, title, ghost=pictured and choose(KEYS["ghost"]))
    charts.figure(drawn, key)
    return drawn


def figure(part: Component, data: Dataset, title: str = "The component", *, ghost: bool = True) -> Figure:
    """Return the figure of a component, as an image, along an axis or by name."""
    axis = None if data.axis is None else (data.axis.values, data.axis.name, data.axis.unit)
    return pictures.component(
        part.loadings,
        charts.palette(),
        feature_names=data.feature_names,
        nonnegative=part.nonnegative,
        image_shape=data.image_shape,
        axis=axis,
        backdrop=store.mean(data),
        ghost=ghost,
        title=title,
    )


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
            words.at_least(part.variance / leading, 3),
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


def band_gauge(
    part: Component,
    certificate: Certificate | None,
    leading: float,
    key: str,
    *,
    every: bool,
    waiting: bool,
    longer: Job | None = None,
) -> Figure:
    """Say and draw where the component lies in the certified band; return the gauge.

    ``every`` asks for all ceilings that were tried, ``waiting`` tells whether a certificate may
    still come; while ``longer`` runs, the ceiling is drawn where it is by then, again and again.
    """
    if certificate is None:
        st.markdown(
            "How good is it? A ceiling that no such component can pass is being proven …"
            if waiting
            else "How good is it? The run ended before a ceiling was proven; **Solve live** proves one."
        )
        drawn = gauges.gauge(part.variance, charts.palette(), leading=leading)
        charts.figure(drawn, key)
        return drawn

    def draw() -> None:
        """Draw the place as it is known now."""
        seen = proofs.falling(certificate, longer)
        _verdict(part, seen)
        charts.figure(_gauge(part, seen, leading, every=every), key)

    runs.watched(longer, draw)
    return _gauge(part, certificate, leading, every=every)


def _verdict(part: Component, certificate: Certificate) -> None:
    """Say in words how good the component is proven to be."""
    if not nnspca.METHODS[part.method].feasible:
        st.markdown(f"**Shown for contrast.** It uses {part.cardinality:,} features and is not {claims.kind_of(part)}.")
        return
    optimal = proofs.proven_optimal(part.variance, certificate.upper)
    mark = ":material/verified: " if optimal else ""
    st.markdown(f"## {mark}{claims.verdict(part, certificate)}")
    st.caption(f"Proven, not estimated. “Such a component” is {claims.kind_of(part)}.")
    if claims.comparison(part, certificate):
        st.caption(claims.comparison(part, certificate))


def _gauge(part: Component, certificate: Certificate, leading: float, *, every: bool) -> Figure:
    """Draw the gauge of a certified component."""
    chances = [b for b in certificate.bounds if not b.deterministic]
    return gauges.gauge(
        part.variance,
        charts.palette(),
        best=certificate.lower,
        upper=certificate.upper,
        leading=leading,
        paper=min(chances, key=lambda b: b.value, default=None),
        bounds=certificate.bounds if every else (),
    )
